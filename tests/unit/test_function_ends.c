/*
 * Where functions end: in functions written so that it is known, as several compilers make them, against
 * objdump; in machine code written by hand; and all of the C library's, against objdump.
 */
#include "unit.h"

#include "base/system/file.h"
#include "binary/code/code_step.h"
#include "binary/code/function_ends.h"
#include "binary/elf/return_probes.h"
#include "binary/symbols/elf_object.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/tmp/perf-unit-ends.XXXXXX";

/* ---- instructions ---- */

struct step_row {
	const char *code;
	u8 size;
	u8 kind;
	u64 target; /* the code is at 0x1000 */
};

static void check_rows(const struct step_row *rows, size_t nr, u16 machine)
{
	struct code_step s;

	for (size_t i = 0; i < nr; i++) {
		const u8 *code = (const u8 *)rows[i].code;

		if (!code_step__read(&s, code, 15, 0x1000, machine) || s.size != rows[i].size)
			fail_msg("row %zu of machine %d has %d bytes", i, machine, s.size);
		assert_int_equal(s.kind, rows[i].kind);
		assert_int_equal(s.target, rows[i].target);
		for (size_t n = 0; n < rows[i].size; n++) /* cut off */
			assert_false(code_step__read(&s, code, n, 0x1000, machine));
	}
}

#define PADDING "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"

static void lengths_of_instructions_are_known(void **state)
{
	static const struct step_row of_64bit[] = {
		{ "\xc3" PADDING, 1, STEP_RETURN, 0 },
		{ "\xf3\xc3" PADDING, 2, STEP_RETURN, 0 },
		{ "\xf2\xc3" PADDING, 2, STEP_RETURN, 0 },
		{ "\xc2\x10\x00" PADDING, 3, STEP_RETURN, 0 },
		{ "\x48\xcf" PADDING, 2, STEP_OTHER, 0 }, /* iretq */
		{ "\xeb\xfe" PADDING, 2, STEP_JUMP, 0x1000 },
		{ "\xe9\x00\x01\x00\x00" PADDING, 5, STEP_JUMP, 0x1105 },
		{ "\xf2\xe9\xfb\xff\xff\xff" PADDING, 6, STEP_JUMP, 0x1001 },
		{ "\x0f\x84\x00\xff\xff\xff" PADDING, 6, STEP_BRANCH, 0xf06 },
		{ "\xe3\x10" PADDING, 2, STEP_BRANCH, 0x1012 },
		{ "\x66\x66\x48\xe8\x04\x00\x00\x00" PADDING, 8, STEP_CALL, 0x100c },
		{ "\xff\xd0" PADDING, 2, STEP_CALL, 0 },
		{ "\xff\xe0" PADDING, 2, STEP_JUMP_INDIRECT, 0 },
		{ "\xff\x25\x00\x00\x00\x00" PADDING, 6, STEP_JUMP_INDIRECT, 0 },
		{ "\xff\x24\xc5\x00\x20\x40\x00" PADDING, 7, STEP_JUMP_INDIRECT, 0 },
		{ "\x3e\x41\xff\xe3" PADDING, 4, STEP_JUMP_INDIRECT, 0 },
		{ "\x0f\x0b" PADDING, 2, STEP_STOP, 0 },
		{ "\xf3\x0f\x1e\xfa" PADDING, 4, STEP_OTHER, 0 }, /* endbr64 */
		{ "\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08" PADDING, 10, STEP_OTHER, 0 },
		{ "\x66\xb8\x01\x02" PADDING, 4, STEP_OTHER, 0 },
		{ "\x48\xa1\x01\x02\x03\x04\x05\x06\x07\x08" PADDING, 10, STEP_OTHER, 0 },
		{ "\x67\xa1\x01\x02\x03\x04" PADDING, 6, STEP_OTHER, 0 },
		{ "\xf7\x04\x25\x01\x02\x03\x04\x05\x06\x07\x08" PADDING, 11, STEP_OTHER, 0 }, /* test */
		{ "\xf7\x14\x25\x01\x02\x03\x04" PADDING, 7, STEP_OTHER, 0 },                  /* not */
		{ "\xf6\xc1\x01" PADDING, 3, STEP_OTHER, 0 },
		{ "\x66\x81\x80\x01\x02\x03\x04\x05\x06" PADDING, 9, STEP_OTHER, 0 },
		{ "\xc8\x10\x00\x00" PADDING, 4, STEP_OTHER, 0 }, /* enter */
		{ "\x66\x0f\x3a\x0f\xc1\x08" PADDING, 6, STEP_OTHER, 0 },
		{ "\xc5\xf8\x77" PADDING, 3, STEP_OTHER, 0 },
		{ "\x62\xf1\xfe\x48\x6f\x47\x01" PADDING, 7, STEP_OTHER, 0 },
		{ "\x8f\xe8\x78\xc0\xc1\x05" PADDING, 6, STEP_OTHER, 0 }, /* XOP */
		{ "\x8f\x00" PADDING, 2, STEP_OTHER, 0 },                 /* pop */
	};
	static const struct step_row of_32bit[] = {
		{ "\xc2\x04\x00" PADDING, 3, STEP_RETURN, 0 },
		{ "\x66\xe9\x10\x00" PADDING, 4, STEP_JUMP, 0x1014 },
		{ "\xe9\xfb\xef\xff\xff" PADDING, 5, STEP_JUMP, 0 },
		{ "\x67\x8b\x46\x04" PADDING, 4, STEP_OTHER, 0 }, /* 16-bit address */
		{ "\x67\x8b\x06\x04\x00" PADDING, 5, STEP_OTHER, 0 },
		{ "\x40" PADDING, 1, STEP_OTHER, 0 },
		{ "\xc5\x00" PADDING, 2, STEP_OTHER, 0 }, /* lds */
		{ "\x9a\x01\x02\x03\x04\x05\x06" PADDING, 7, STEP_OTHER, 0 },
		{ "\xa1\x01\x02\x03\x04" PADDING, 5, STEP_OTHER, 0 },
	};
	static const struct step_row of_arm64[] = {
		{ "\xc0\x03\x5f\xd6", 4, STEP_RETURN, 0 },
		{ "\xa0\x00\x5f\xd6", 4, STEP_RETURN, 0 }, /* ret x5 */
		{ "\xff\x0b\x5f\xd6", 4, STEP_RETURN, 0 }, /* retaa */
		{ "\xff\x0f\x5f\xd6", 4, STEP_RETURN, 0 }, /* retab */
		{ "\xff\xff\xff\x17", 4, STEP_JUMP, 0xffc },
		{ "\x01\x00\x00\x94", 4, STEP_CALL, 0x1004 },
		{ "\x00\x02\x3f\xd6", 4, STEP_CALL, 0 },
		{ "\x00\x02\x1f\xd6", 4, STEP_JUMP_INDIRECT, 0 },
		{ "\x11\x0a\x1f\xd7", 4, STEP_JUMP_INDIRECT, 0 }, /* braa */
		{ "\x41\x00\x00\x54", 4, STEP_BRANCH, 0x1008 },
		{ "\x40\x00\x00\xb4", 4, STEP_BRANCH, 0x1008 },
		{ "\xc0\xff\x07\x37", 4, STEP_BRANCH, 0xff8 }, /* tbnz */
		{ "\x00\x00\x00\x00", 4, STEP_STOP, 0 },
		{ "\x00\x7d\x20\xd4", 4, STEP_STOP, 0 },  /* brk #1000: gcc's trap */
		{ "\x00\x00\x3e\xd4", 4, STEP_OTHER, 0 }, /* brk #0xf000: a debugger lets it go on */
		{ "\x1f\x20\x03\xd5", 4, STEP_OTHER, 0 },
	};
	struct code_step s;

	(void)state;
	check_rows(of_64bit, ARRAY_SIZE(of_64bit), EM_X86_64);
	check_rows(of_32bit, ARRAY_SIZE(of_32bit), EM_386);
	check_rows(of_arm64, ARRAY_SIZE(of_arm64), EM_AARCH64);
	assert_false(code_step__read(&s, (const u8 *)"\x06\x90", 2, 0, EM_X86_64));
	assert_false(code_step__read(&s, (const u8 *)"\x0f\x04\x90", 3, 0, EM_X86_64));
	assert_false(code_step__read(&s, (const u8 *)"\xc3\x90", 2, 0, EM_RISCV));
	assert_false(code_step__knows(EM_RISCV));
}

/* ---- machine code by hand ---- */

enum { BASE = 0x10000, CODE = 0x100 }; /* address of the file's first byte, offset of the code */

/* Write a program of these bytes of code, without sections, and open it. */
static struct function_reader *open_code(const char *code, size_t size, u16 machine)
{
	Elf64_Ehdr ehdr = { .e_type = ET_EXEC,
			    .e_machine = machine,
			    .e_version = EV_CURRENT,
			    .e_phoff = sizeof(ehdr),
			    .e_ehsize = sizeof(ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 1 };
	Elf64_Phdr load = { .p_type = PT_LOAD,
			    .p_flags = PF_R | PF_X,
			    .p_vaddr = BASE,
			    .p_paddr = BASE,
			    .p_filesz = CODE + size,
			    .p_memsz = CODE + size,
			    .p_align = 0x1000 };
	struct function_reader *r = NULL;
	struct err err = ERR_INIT;
	char path[100];
	FILE *f;

	memcpy(ehdr.e_ident, ELFMAG, SELFMAG);
	ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
	ehdr.e_ident[EI_VERSION] = EV_CURRENT;
	snprintf(path, sizeof(path), "%s/code", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fwrite(&ehdr, sizeof(ehdr), 1, f);
	fwrite(&load, sizeof(load), 1, f);
	fseek(f, CODE, SEEK_SET);
	fwrite(code, size, 1, f);
	fclose(f);
	if (function_reader__open(&r, "", path, NULL, &err))
		fail_msg("%s", err.text.buf);
	err__exit(&err);
	return r;
}

/*
 * Check the ends of the code's first size bytes, as text: "r1" returns at byte 1, "a", "c", "u" tail calls,
 * "?" unknown.
 */
static void check_code(const char *code, size_t nr, size_t size, u16 machine, const char *want)
{
	struct function_reader *r = open_code(code, nr, machine);
	struct strbuf text = STRBUF_INIT;
	struct function_ends e;

	assert_int_equal(function_ends__find(&e, r, BASE + CODE, size, NULL), 0);
	for (size_t i = 0; i < e.returns.nr; i++)
		strbuf__addf(&text, "r%d ", (int)(e.returns.v[i] - BASE - CODE));
	for (size_t i = 0; i < e.tails.nr; i++) {
		const struct tail_call *t = &e.tails.v[i];

		strbuf__addf(&text, "%c%d", "acu"[t->kind], (int)(t->addr - BASE - CODE));
		if (t->target)
			strbuf__addf(&text, "-%d", (int)(t->target - BASE - CODE));
		strbuf__addch(&text, ' ');
	}
	if (!e.is_decoded) {
		assert_non_null(e.unknown);
		strbuf__addf(&text, "?%d", (int)(e.unknown_at - BASE - CODE));
	}
	assert_string_equal(text.buf, want);
	function_ends__exit(&e);
	strbuf__exit(&text);
	function_reader__delete(r);
}

#define CHECK(code, size, want) check_code(code, sizeof(code) - 1, size, EM_X86_64, want)
#define CHECK_ARM64(code, size, want) check_code(code, sizeof(code) - 1, size, EM_AARCH64, want)

static void code_by_hand_ends_where_it_returns(void **state)
{
	(void)state;
	CHECK("\x90\xc3", 2, "r1 ");
	CHECK("\x74\x01\xc3\xc2\x08\x00", 6, "r2 r3 ");
	CHECK("\x90\xe9\x05\x00\x00\x00\x90\x90\x90\x90\x90\xc3", 6, "a1-11 ");
	CHECK("\x74\x06\xc3\x90\x90\x90\x90\x90\xc3", 3, "r2 c0-8 ");
	CHECK("\xeb\xfe", 2, "");                        /* an endless loop */
	CHECK("\xe8\x00\x00\x00\x00\xc3", 5, "");        /* the call never returns */
	CHECK("\x90\x90\xc3", 2, "c1-2 ");               /* runs into the next function */
	CHECK("\x74\x01\xf0\x0f\xb1\x0f\xc3", 7, "r6 "); /* a lock prefix that is skipped */
	CHECK("\xff\xe0\xc3", 3, "r2 u0 ");
	CHECK("\xff\x25\x00\x00\x00\x00", 6, "a0 ");
	CHECK("\x48\x01\xd0\xff\xe0\x90\xc3\x90", 8, "r6 ");    /* add %rdx,%rax; jmp *%rax: a switch */
	CHECK("\x48\x01\xd1\xff\xe0\x90\xc3\x90", 8, "r6 u3 "); /* add %rdx,%rcx */
	CHECK("\x3e\xff\xe0\xc3", 4, "r3 ");                    /* notrack */
	/* a table of addresses at byte 16 */
	CHECK("\xff\x24\xc5\x10\x01\x01\x00\xc3\0\0\0\0\0\0\0\0\x07\x01\x01\0\0\0\0\0", 8, "r7 ");
	CHECK("\xff\x24\xc5\x10\x01\x01\x00\xc3\0\0\0\0\0\0\0\0\x08\x01\x01\0\0\0\0\0", 8, "r7 u0 ");
	CHECK_ARM64("\x40\x00\x00\xb4\xc0\x03\x5f\xd6\x20\x00\x1f\xd6", 12, "r4 u8 ");
	CHECK_ARM64("\x00\x00\x01\x8b\x00\x00\x1f\xd6\xc0\x03\x5f\xd6", 12, "r8 ");
	CHECK_ARM64("\x01\x00\x00\x14\xc0\x03\x5f\xd6", 4, "a0-4 ");
	CHECK_ARM64("\x20\x00\x20\xd4", 4, "");
	/* a sum is that of a switch for four instructions */
	CHECK("\x48\x01\xd0\x90\x90\x90\xff\xe0", 8, "");
	CHECK("\x48\x01\xd0\x90\x90\x90\x90\xff\xe0", 9, "u7 ");
	CHECK("\x48\x01\xd1\x90\x90\x90\xff\xe0", 8, "u6 "); /* another register */
}

static void no_end_is_in_data(void **state)
{
	(void)state;
	CHECK("\xc3\xc3\xc3", 3, "r0 ");
	CHECK("\xeb\x01\xe8\xc3", 4, "r3 ");
	CHECK("\xeb\x03\0\0\0\xc3", 6, "r5 ");
	CHECK("\x74\x01\xb8\xc3\x90\x90\x90\xc3", 8, "?3");     /* into an instruction */
	CHECK("\xff\xe0\x00\x00\x00\x00\xb8\xc3\x90", 9, "?6"); /* cut off */
	CHECK("\x74\xff\xc3\x90", 4, "?1");                     /* into itself */
	CHECK("\x06\xc3", 2, "?0");                             /* no such instruction */
	CHECK("\xe9\x00\x00\x00\x01\xc3", 6, "?0");             /* a jump out of the file */
	CHECK("\xc3", 100, "?0");                               /* more than there is */
	CHECK("\xc3", ~0ull >> 1, "?0");
}

static void other_machines_are_refused(void **state)
{
	Elf64_Ehdr ehdr = { .e_machine = EM_RISCV, .e_type = ET_EXEC, .e_version = EV_CURRENT };
	struct function_reader *r;
	struct err err = ERR_INIT;
	char path[100];
	FILE *f;

	(void)state;
	memcpy(ehdr.e_ident, ELFMAG "\2\1\1", 7);
	snprintf(path, sizeof(path), "%s/riscv", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fwrite(&ehdr, sizeof(ehdr), 1, f);
	fclose(f);
	assert_int_equal(function_reader__open(&r, "", path, NULL, &err), -ENOTSUP);
	assert_non_null(strstr(err.text.buf, "riscv"));
	assert_int_equal(function_reader__open(&r, "", "/nonexistent/file", NULL, NULL), -ENOENT);
	err__exit(&err);
}

/* ---- against objdump ---- */

struct listing {
	u64_array all, returns; /* addresses of instructions */
};

/* "repz ret", "retq": is it a return? */
static bool is_return(const char *text)
{
	char word[20];
	int n;

	for (; sscanf(text, " %19s%n", word, &n) == 1; text += n)
		if (!strcmp(word, "ret") || !strcmp(word, "retq") || !strcmp(word, "retl") ||
		    !strcmp(word, "retw"))
			return true;
	return false;
}

static bool list_code(struct listing *l, const char *path)
{
	char command[300], line[512];
	FILE *f;

	*l = (struct listing){ 0 };
	snprintf(command, sizeof(command), "objdump -dw --no-show-raw-insn %s 2>/dev/null", path);
	f = popen(command, "r");
	while (fgets(line, sizeof(line), f)) {
		char *text;
		u64 addr = strtoull(line, &text, 16);

		if (*line != ' ' || *text != ':')
			continue;
		line[strcspn(line, "#<\n")] = '\0';
		array__add(&l->all, addr);
		if (is_return(text + 2))
			array__add(&l->returns, addr);
	}
	return !pclose(f) && l->all.nr;
}

static void free_listing(struct listing *l)
{
	array__exit(&l->all);
	array__exit(&l->returns);
}

static bool has(const u64_array *a, u64 addr)
{
	size_t at = bisect(i, 0, a->nr, a->v[i] < addr);

	return at < a->nr && a->v[at] == addr;
}

/* Are the ends of a function those of objdump? complete: each of objdump's returns must be among them. */
static void compare_function(struct function_reader *r, const struct listing *l, const char *name, u64 addr,
			     u64 size, bool complete)
{
	struct function_ends e;

	assert_int_equal(function_ends__find(&e, r, addr, size, NULL), 0);
	for (size_t i = 0; i < e.returns.nr; i++)
		if (!has(&l->returns, e.returns.v[i]))
			fail_msg("%s: no return at %#lx", name, (unsigned long)e.returns.v[i]);
	for (size_t i = 0; i < e.tails.nr; i++)
		if (!has(&l->all, e.tails.v[i].addr))
			fail_msg("%s: no instruction at %#lx", name, (unsigned long)e.tails.v[i].addr);
	if (complete && !e.is_decoded)
		fail_msg("%s: %s at %#lx", name, e.unknown, (unsigned long)e.unknown_at);
	for (size_t i = 0; complete && i < l->returns.nr; i++)
		if (l->returns.v[i] >= addr && l->returns.v[i] < addr + size &&
		    !has(&e.returns, l->returns.v[i]))
			fail_msg("%s: the return at %#lx is missing", name, (unsigned long)l->returns.v[i]);
	function_ends__exit(&e);
}

/* Compare all functions that readelf shows. Return how many. */
static size_t compare_file(const char *path, bool complete)
{
	char command[300], line[1024], type[20], name[900];
	unsigned long long addr, size;
	struct function_reader *r;
	struct listing l;
	size_t nr = 0;
	FILE *f;

	if (access(path, R_OK) || !list_code(&l, path))
		return 0;
	assert_int_equal(function_reader__open(&r, "", path, NULL, NULL), 0);
	snprintf(command, sizeof(command), "readelf -sW %s 2>/dev/null", path);
	f = popen(command, "r");
	while (fgets(line, sizeof(line), f)) {
		char number[40];

		if (sscanf(line, " %*d: %llx %39s %19s %*s %*s %*d %899s", &addr, number, type, name) != 4 ||
		    strcmp(type, "FUNC") != 0)
			continue;
		size = strtoull(number, NULL, 0);
		if (size && ++nr)
			compare_function(r, &l, name, addr, size, complete);
	}
	pclose(f);
	function_reader__delete(r);
	free_listing(&l);
	return nr;
}

static void installed_libraries_end_where_objdump_says(void **state)
{
	static const char *const paths[] = { "/lib/x86_64-linux-gnu/libc.so.6",
					     "/lib/x86_64-linux-gnu/libm.so.6", "/lib32/libc.so.6",
					     "/lib64/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6" };
	size_t nr = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		nr += compare_file(paths[i], false); /* code by hand has more returns than its own */
	if (!nr)
		skip();
}

/* ---- of compilers ---- */

static const char source[] =
	"#define KEPT __attribute__((noinline, used))\n"
	"volatile int sink, *where = &sink;\n"
	"KEPT int other(int n) { sink = n; return n * 3; }\n"
	"KEPT __attribute__((cold)) void rare(int n) { sink = n + 1; }\n"
	"KEPT int plain(int n) { if (n > 3) return other(n) + 1; sink++; return n; }\n"
	"KEPT __attribute__((noreturn)) void never(void) { sink++; __builtin_trap(); }\n"
	"KEPT int tail(int n) { sink = 2; return other(n + 1); }\n"
	"KEPT int tail_if(int n) { if (n == 5) return other(n); return 7; }\n"
	"typedef int (*fn)(int);\n"
	"volatile fn pointer = other;\n"
	"KEPT int by_pointer(int n) { sink = 4; return pointer(n); }\n"
	"KEPT int cases(int n, int m)\n"
	"{\n"
	"	switch (n) {\n"
	"	case 0: sink = m; break; case 1: return other(m) * 7; case 2: sink += 3; break;\n"
	"	case 3: sink = -m; return 3; case 4: sink *= m; return m ^ 4; case 5: sink = 9; break;\n"
	"	case 6: sink -= m; return 8; case 7: sink = m & 3; break;\n"
	"	}\n"
	"	return sink;\n"
	"}\n"
	"KEPT int with_cold(int n)\n"
	"{\n"
	"	if (__builtin_expect(n == 77, 0)) { rare(n); rare(n * 2); return *where + n; }\n"
	"	sink = other(n); return n + 2;\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	(void)argv;\n"
	"	if (argc > 99) never();\n"
	"	return plain(argc) + tail(argc) + tail_if(argc) + by_pointer(argc) + cases(argc, 3) + "
	"with_cold(argc);\n"
	"}\n";

/* exceptions of other languages may pass */
static const char source_cleanup[] =
	"#include <stdio.h>\n"
	"static void end(int *n) { printf(\"%d\", *n); }\n"
	"int main(int c, char **v) { __attribute__((cleanup(end))) int n = c; puts(v[0]); return 0; }\n";

static const char source_cxx[] =
	"#include <string>\n"
	"#include <stdexcept>\n"
	"volatile int sink;\n"
	"__attribute__((noinline)) int thrower(int n) { if (n > 5) throw std::runtime_error(\"five\"); "
	"return n; }\n"
	"__attribute__((noinline)) int catcher(int n)\n"
	"{\n"
	"	std::string s(n, 'x');\n"
	"	try { return thrower(n) + s.size(); }\n"
	"	catch (const std::logic_error &e) { sink = 5; return -2; }\n"
	"	catch (const std::exception &e) { return -1; }\n"
	"}\n"
	"struct base { virtual int call(int n) = 0; virtual ~base() {} };\n"
	"struct one : base { int call(int n) override { return n + 1; } };\n"
	"struct two : base { int call(int n) override { return n * 2; } };\n"
	"__attribute__((noinline)) int by_table(base *b, int n) { sink = 1; return b->call(n); }\n"
	"int main(int argc, char **) { one o; two t; return catcher(argc * 4) + by_table(argc > 1 ? (base "
	"*)&o : &t, 5); }\n";

static void write_file(const char *name, const char *text)
{
	char path[100];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* Compile a file to DIR/prog. Return false if that is not possible here. */
static bool compile(const char *compiler, const char *options, const char *file)
{
	char command[600];

	snprintf(command, sizeof(command),
		 "command -v %s >/dev/null && cd %s && %s %s -o prog %s >/dev/null 2>&1", compiler, dir,
		 compiler, options, file);
	return !system(command);
}

static void prog_path(char *path, size_t size)
{
	snprintf(path, size, "%s/prog", dir);
}

/* Find the ends of a function of DIR/prog. */
static u64 ends_of(struct function_ends *e, const char *name)
{
	struct function_reader *r;
	elf_name_array found = { 0 };
	struct elf_object *o;
	char path[100];
	u64 addr;

	prog_path(path, sizeof(path));
	assert_int_equal(elf_object__open(&o, "", path, NULL), 0);
	elf_object__find(o, name, NULL, &found);
	assert_int_equal(found.nr, 1);
	addr = found.v[0].addr;
	assert_int_equal(function_reader__open(&r, "", path, NULL, NULL), 0);
	assert_int_equal(function_ends__find(e, r, addr, found.v[0].size, NULL), 0);
	assert_true(e->is_decoded);
	function_reader__delete(r);
	array__exit(&found);
	elf_object__delete(o);
	return addr;
}

static void check_counts(const char *name, size_t min_returns, size_t min_tails, size_t max_tails)
{
	struct function_ends e;

	ends_of(&e, name);
	if (e.returns.nr < min_returns || (!min_returns && e.returns.nr))
		fail_msg("%s has %zu returns", name, e.returns.nr);
	if (e.tails.nr < min_tails || e.tails.nr > max_tails)
		fail_msg("%s has %zu tail calls", name, e.tails.nr);
	function_ends__exit(&e);
}

static void check_tail(const char *name, const char *to, enum tail_call_kind kind)
{
	struct function_ends e, target;

	ends_of(&e, name);
	assert_int_equal(e.tails.nr, 1);
	assert_int_equal(e.tails.v[0].target, to ? ends_of(&target, to) : 0);
	if (e.tails.v[0].kind != kind)
		fail_msg("%s leaves in another way: %d", name, e.tails.v[0].kind);
	if (to)
		function_ends__exit(&target);
	function_ends__exit(&e);
}

/* What is known of the functions of source, whatever the compiler does. */
static void check_program(const char *options)
{
	check_counts("plain", 1, 0, 0);
	check_counts("other", 1, 0, 0);
	check_counts("never", 0, 0, 0);
	check_counts("cases", 1, 0, 0);
	check_counts("with_cold", 1, 0, 0);
	if (strstr(options, "-O0")) {
		check_counts("tail", 1, 0, 0);
		check_counts("by_pointer", 1, 0, 0);
	}
	if (strstr(options, "-O0") || strstr(options, "-O1") || strstr(options, "-m32"))
		return; /* clang makes no tail calls with the last two */
	check_tail("tail", "other", TAIL_ALWAYS);
	check_counts("by_pointer", 0, 1, 1);
	check_counts("tail_if", 1, 1, 1);
}

static void functions_of_compilers_end_where_objdump_says(void **state)
{
	static const char *const compilers[] = { "gcc", "clang", "cc" };
	static const char *const options[] = {
		"-O0",
		"-O1",
		"-O2",
		"-O3 -fPIE -pie",
		"-Os",
		"-O2 -fno-pie -no-pie",
		"-O2 -fcf-protection=full",
		"-O2 -fcf-protection=none -fno-asynchronous-unwind-tables",
		"-O2 -m32 -nostdlib -Wl,-emain",
		"-O2 -m32 -nostdlib -Wl,-emain -fno-pie -no-pie",
	};
	char path[100];
	size_t nr = 0;

	(void)state;
	write_file("prog.c", source);
	prog_path(path, sizeof(path));
	for (size_t c = 0; c < ARRAY_SIZE(compilers); c++)
		for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
			if (!compile(compilers[c], options[i], "prog.c"))
				continue;
			check_program(options[i]);
			nr += compare_file(path, true);
		}
	if (!nr)
		skip();
}

static void jumps_to_the_return_thunk_are_returns(void **state)
{
	(void)state;
	write_file("prog.c", source);
	if (compile("gcc", "-O2 -mfunction-return=thunk -fcf-protection=none", "prog.c"))
		check_counts("plain", 1, 0, 0);
	else
		skip();
}

static void functions_with_handlers_end_where_objdump_says(void **state)
{
	static const char *const compilers[] = { "g++", "clang++" };
	static const char *const options[] = { "-O0", "-O1", "-O2", "-O3", "-Os -fcf-protection=full" };
	char path[100];
	size_t nr = 0;

	(void)state;
	write_file("prog.cc", source_cxx);
	prog_path(path, sizeof(path));
	for (size_t c = 0; c < ARRAY_SIZE(compilers); c++)
		for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
			if (!compile(compilers[c], options[i], "prog.cc"))
				continue;
			nr += compare_file(path, true);
			assert_string_equal(return_probes__broken_by("", path), "C++");
		}
	if (!nr)
		skip();
}

/* A cold part without a name may be taken for another function. */
static void stripped_programs_have_the_same_ends(void **state)
{
	struct function_reader *r;
	struct function_ends e, all;
	char command[300], path[100];
	u64 addr;

	(void)state;
	write_file("prog.c", source);
	if (!compile("gcc", "-O2 -fasynchronous-unwind-tables", "prog.c")) {
		skip();
		return;
	}
	addr = ends_of(&all, "with_cold");
	prog_path(path, sizeof(path));
	snprintf(command, sizeof(command), "cd %s && strip prog", dir);
	if (system(command)) {
		function_ends__exit(&all);
		skip();
		return;
	}
	assert_int_equal(function_reader__open(&r, "", path, NULL, NULL), 0);
	assert_int_equal(function_ends__find(&e, r, addr, 0, NULL), 0);
	assert_true(e.is_decoded);
	for (size_t i = 0; i < e.returns.nr; i++)
		assert_true(has(&all.returns, e.returns.v[i]));
	assert_true(e.returns.nr && (e.returns.nr == all.returns.nr || e.tails.nr));
	function_ends__exit(&e);
	function_ends__exit(&all);
	function_reader__delete(r);
}

static void programs_that_return_probes_break_are_known(void **state)
{
	char path[100];

	(void)state;
	prog_path(path, sizeof(path));
	write_file("prog.c", source);
	if (compile("gcc", "-O2", "prog.c"))
		assert_null(return_probes__broken_by("", path));
	write_file("prog.c", source_cleanup);
	if (compile("gcc", "-O2 -s -fexceptions", "prog.c"))
		assert_string_equal(return_probes__broken_by("", path), "exceptions");
	write_file("prog.rs", "fn main() { println!(\"{}\", std::env::args().count()); }\n");
	if (compile("rustc", "-O", "prog.rs"))
		assert_string_equal(return_probes__broken_by("", path), "Rust");
	if (compile("rustc", "-C strip=symbols -O",
		    "prog.rs")) /* rustc 1.63 leaves no word of itself there */
		assert_non_null(return_probes__broken_by("", path));
	write_file("prog.go", "package main\nfunc main() { println(1) }\n");
	if (compile("go build", "", "prog.go"))
		assert_string_equal(return_probes__broken_by("", path), "Go");
	assert_null(return_probes__broken_by("", "/nonexistent/file"));
}

static int make_dir(void **state)
{
	(void)state;
	return !mkdtemp(dir);
}

static int remove_dir(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_of_instructions_are_known),
		cmocka_unit_test(code_by_hand_ends_where_it_returns),
		cmocka_unit_test(no_end_is_in_data),
		cmocka_unit_test(other_machines_are_refused),
		cmocka_unit_test(installed_libraries_end_where_objdump_says),
		cmocka_unit_test(functions_of_compilers_end_where_objdump_says),
		cmocka_unit_test(jumps_to_the_return_thunk_are_returns),
		cmocka_unit_test(functions_with_handlers_end_where_objdump_says),
		cmocka_unit_test(stripped_programs_have_the_same_ends),
		cmocka_unit_test(programs_that_return_probes_break_are_known),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
