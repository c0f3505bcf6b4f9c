/* PLT stubs of programs that compilers made here, against what objdump calls them. */
#include "unit.h"

#include "binary/symbols/elf_symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/tmp/perf-unit-plt.XXXXXX";

static u64 offset_of(const char *path, u64 addr)
{
	int fd = open(path, O_RDONLY);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	u64 found = 0;
	size_t nr = 0;

	elf_getphdrnum(elf, &nr);
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr p;

		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD && addr >= p.p_vaddr &&
		    addr < p.p_vaddr + p.p_filesz)
			found = addr - p.p_vaddr + p.p_offset;
	}
	elf_end(elf);
	close(fd);
	return found;
}

/* Each stub from its first byte to its last. */
static void check_line(const struct symtab *t, const char *path, const char *line, unsigned *nr)
{
	const struct symbol *s;
	unsigned long addr;
	char name[256];

	if (sscanf(line, "%lx <%255[^>]>:", &addr, name) != 2 || strlen(name) < 5 ||
	    strcmp(name + strlen(name) - 4, "@plt") != 0)
		return; /* the first stub is the loader's, and has no name of its own */
	++*nr;
	s = symtab__find(t, offset_of(path, addr));
	if (!s)
		fail_msg("no name for '%s'", line);
	assert_string_equal(symtab__name(t, s), name);
	assert_int_equal(s->start, offset_of(path, addr));
	assert_true(s->size >= 8 && s->size <= 24 && s->size % 8 == 0);
	assert_ptr_equal(symtab__find(t, s->start + s->size - 1), s);
}

static void check(const char *compiler, const char *objdump, const char *options, unsigned at_least)
{
	char command[1024], path[64], line[512];
	struct symtab t;
	unsigned nr = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/prog", dir);
	snprintf(command, sizeof(command),
		 "command -v %s >/dev/null && command -v %s >/dev/null && %s -O1 %s -o %s %s/prog.c "
		 "2>/dev/null",
		 compiler, objdump, compiler, options, path, dir);
	if (system(command)) {
		skip();
		return;
	}
	symtab__init(&t);
	assert_int_equal(elf_symbols__load(&t, path, NULL, NULL, NULL), 0);
	snprintf(command, sizeof(command), "%s -d -j .plt -j .plt.sec -j .plt.got %s 2>/dev/null", objdump,
		 path);
	f = popen(command, "r");
	while (fgets(line, sizeof(line), f))
		check_line(&t, path, line, &nr);
	pclose(f);
	symtab__exit(&t);
	if (nr < at_least)
		fail_msg("%s %s: objdump knows %u stubs only", compiler, options, nr);
}

#define PLT_TEST(name, compiler, objdump, options, at_least) \
	static void name(void **state)                       \
	{                                                    \
		(void)state;                                 \
		check(compiler, objdump, options, at_least); \
	}

#if defined(__x86_64__)
/*
 * objdump has no names for these: the relocation of a stub's slot says where the code lies that chooses a
 * function, nm what is there.
 */
static void indirect_functions_of_a_static_program(void **state)
{
	static const char script[] =
		"(readelf -rW %s | sed -n 's/^0*\\([0-9a-f]*\\) .*IRELATIVE* *\\([0-9a-f]*\\)$/R \\1 \\2/p'; "
		"nm %s | sed 's/^0*/N /'; objdump -d -j .plt %s | sed -n 's/^ *\\([0-9a-f]*\\):.*jmp.*# "
		"\\([0-9a-f]*\\).*/S \\1 \\2/p') | awk '$1 == \"R\" { t[$2] = $3 } $1 == \"N\" { n[$2] = "
		"n[$2] \" \" $4 } $1 == \"S\" { print $2 n[t[$3]] \" \" }'";
	char command[1024], path[64], line[4096], word[256];
	struct symtab t;
	unsigned nr = 0;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/prog", dir);
	snprintf(command, sizeof(command), "gcc -O1 -static -o %s %s/prog.c 2>/dev/null", path, dir);
	if (system(command))
		skip();
	symtab__init(&t);
	assert_int_equal(elf_symbols__load(&t, path, NULL, NULL, NULL), 0);
	snprintf(command, sizeof(command), script, path, path, path);
	f = popen(command, "r");
	for (; fgets(line, sizeof(line), f); nr++) {
		const struct symbol *s = symtab__find(&t, offset_of(path, strtoul(line, NULL, 16)));
		const char *name = s ? symtab__name(&t, s) : "";

		if (strlen(name) < 5 || strcmp(name + strlen(name) - 4, "@plt") != 0)
			fail_msg("'%s' for the stub %s", name, line);
		snprintf(word, sizeof(word), " %.*s ", (int)strlen(name) - 4, name);
		if (!strstr(line, word))
			fail_msg("'%s' for the stub %s", name, line);
	}
	pclose(f);
	symtab__exit(&t);
	assert_true(nr > 5);
}

PLT_TEST(lazy, "gcc", "objdump", "-fcf-protection=none -Wl,-z,lazy -Wl,-z,noibtplt", 4)
PLT_TEST(lazy_with_ibt, "gcc", "objdump", "-fcf-protection -Wl,-z,lazy -Wl,-z,ibtplt", 4)
PLT_TEST(bound_at_start, "gcc", "objdump", "-Wl,-z,now", 4)
PLT_TEST(bound_at_start_with_ibt, "gcc", "objdump", "-fcf-protection -Wl,-z,now -Wl,-z,ibtplt", 4)
PLT_TEST(at_a_fixed_address, "gcc", "objdump", "-no-pie", 4)
PLT_TEST(by_clang, "clang", "objdump", "", 4)
#endif
PLT_TEST(arm64, "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-objdump", "", 4)
PLT_TEST(arm64_bound_at_start, "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-objdump", "-Wl,-z,now", 4)
PLT_TEST(arm64_with_landing_pads, "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-objdump",
	 "-mbranch-protection=standard -Wl,-z,force-bti", 4)
PLT_TEST(arm64_with_signed_pointers, "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-objdump",
	 "-mbranch-protection=standard -Wl,-z,force-bti -Wl,-z,pac-plt", 4)
PLT_TEST(arm64_at_a_fixed_address, "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-objdump",
	 "-no-pie -Wl,-z,force-bti", 4)

static int setup(void **state)
{
	char path[64];
	FILE *f;

	(void)state;
	elf_version(EV_CURRENT);
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/prog.c", dir);
	f = fopen(path, "w");
	fputs("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
	      "int main(int argc, char **argv)\n"
	      "{ char *s = strdup(argv[argc - 1]); puts(s); int n = atoi(s) + (int)strtoul(s, 0, 0); "
	      "free(s); return n; }\n",
	      f);
	return fclose(f);
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
		cmocka_unit_test(indirect_functions_of_a_static_program),
		cmocka_unit_test(lazy),
		cmocka_unit_test(lazy_with_ibt),
		cmocka_unit_test(bound_at_start),
		cmocka_unit_test(bound_at_start_with_ibt),
		cmocka_unit_test(at_a_fixed_address),
		cmocka_unit_test(by_clang),
#endif
		cmocka_unit_test(arm64),
		cmocka_unit_test(arm64_bound_at_start),
		cmocka_unit_test(arm64_with_landing_pads),
		cmocka_unit_test(arm64_with_signed_pointers),
		cmocka_unit_test(arm64_at_a_fixed_address),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
