/*
 * timeout: 300
 * Lines and inlined functions of programs that the compilers here make, in each version of DWARF: at random
 * addresses the answer of eu-addr2line or llvm-symbolizer, where they differ that of one of them; and the
 * same answer however the debug information is stored.
 */
#include "unit.h"

#include "base/message/msg.h"
#include "base/text/strbuf.h"
#include "binary/dwarf/dwarf_lines.h"
#include "binary/elf/elf_loads.h"
#include "binary/symbols/elf_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char c_program[] =
	"#include <stdlib.h>\n"
	"#define INLINED static inline __attribute__((always_inline))\n"
	"INLINED int twice(int x)\n{\n\treturn x * 2;\n}\n"
	"INLINED int sum(const int *v, int n)\n{\n\tint s = 0;\n\n"
	"\tfor (int i = 0; i < n; i++)\n\t\ts += twice(v[i]) + twice(i);\n\treturn s;\n}\n"
	"static int compare(const void *a, const void *b)\n{\n\treturn *(const int *)a - *(const int "
	"*)b;\n}\n"
	"__attribute__((noinline)) int work(int *v, int n)\n{\n"
	"\tqsort(v, n, sizeof(*v), compare);\n\tif (n > 100)\n\t\tabort();\n\treturn sum(v, n) + sum(v, n / "
	"2);\n}\n"
	"int main(int argc, char **argv)\n{\n\tint v[3] = { argc, argv[0][0], 7 };\n\n\treturn work(v, 3) == "
	"1;\n}\n";

static const char cxx_program[] =
	"namespace {\ntemplate <class T> struct box {\n\tT v;\n\tT get() const { return v; }\n"
	"\tbool operator<(const box &o) const { return get() < o.get(); }\n};\n"
	"template <class T> struct heap {\n\tbox<T> v[64];\n\tint n = 0;\n"
	"\tvoid swap(int a, int b)\n\t{\n\t\tbox<T> x = v[a];\n\n\t\tv[a] = v[b];\n\t\tv[b] = x;\n\t}\n"
	"\tvoid up(int i)\n\t{\n\t\tfor (; i && v[i] < v[(i - 1) / 2]; i = (i - 1) / 2)\n\t\t\tswap(i, (i - "
	"1) / 2);\n\t}\n"
	"\tvoid down(int i);\n\tvoid push(T x)\n\t{\n\t\tv[n++] = box<T>{ x };\n\t\tup(n - 1);\n\t}\n"
	"\tT pop()\n\t{\n\t\tT x = v[0].get();\n\n\t\tswap(0, --n);\n\t\tdown(0);\n\t\treturn x;\n\t}\n};\n"
	"template <class T> void heap<T>::down(int i)\n{\n\tint c = 2 * i + 1;\n\n\tif (c >= "
	"n)\n\t\treturn;\n"
	"\tif (c + 1 < n && v[c + 1] < v[c])\n\t\tc++;\n\tif (v[c] < v[i]) {\n\t\tswap(c, "
	"i);\n\t\tdown(c);\n\t}\n}\n}\n"
	"template <class F, class T> static T each(T n, F f)\n{\n\tT sum = 0;\n\n"
	"\tfor (T i = 0; i < n; i++)\n\t\tsum += f(i);\n\treturn sum;\n}\n"
	"template <class T> __attribute__((noinline)) static T fill(T n)\n{\n\theap<T> h;\n\n"
	"\teach(n, [&](T i) { h.push(i * 7 % 13); return i; });\n"
	"\treturn each(n, [&](T i) { return h.pop() ^ i; });\n}\n"
	"int main(int argc, char **)\n{\n\treturn fill<unsigned>(argc) + fill<long>(argc) == 42;\n}\n";

enum {
	BOTH = DWARF_WANTS_LINE | DWARF_WANTS_INLINED,
	SOME = 300, /* addresses of each program */
};

static char folder[] = "/tmp/perf-unit-compilers.XXXXXX";

static bool has_command(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", name);
	return !system(command);
}

/* sh -c in the folder; false when it fails. */
__attribute__((format(printf, 1, 2))) static bool sh(const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	char *command;
	va_list args;
	int ret;

	va_start(args, fmt);
	assert_true(vasprintf(&command, fmt, args) >= 0);
	va_end(args);
	strbuf__addf(&text, "cd %s && { %s; } >log 2>&1", folder, command);
	ret = system(text.buf);
	strbuf__exit(&text);
	free(command);
	return !ret;
}

static struct dwarf_lines *open_lines(const char *path)
{
	struct dwarf_lines *d = NULL;
	struct err err = ERR_INIT;

	if (dwarf_lines__open(&d, path, NULL, NULL, &err))
		fail_msg("%s: %s", path, err.text.buf);
	err__exit(&err);
	return d;
}

/* As eu-addr2line -i -f says it: of each function, from the innermost, the name, and file and line; but for
 * the last name. */
static void describe(struct dwarf_lines *d, u64 addr, struct strbuf *out)
{
	struct source_line line;

	strbuf__setlen(out, 0);
	if (!dwarf_lines__find(d, addr, BOTH, &line) || !line.file) {
		strbuf__addstr(out, "??:0\n");
		return;
	}
	strbuf__addf(out, "%s:%u\n", line.file, line.line);
	for (const struct inlined *i = line.inlined; i; i = i->caller)
		strbuf__addf(out, "%s\n%s:%u\n", i->name, i->call_file ? i->call_file : "?", i->call_line);
}

/* Another program that knows lines. */
struct reference {
	const char *name, *command; /* the program's path and a list of addresses follow */
	bool for_clang; /* eu-addr2line needs what clang leaves out, and loses functions of what it has */
	size_t nr_agreed;
	FILE *f;
	char text[4096]; /* the next line */
	struct strbuf answer;
};

/* "NAME inlined at ...", "FILE:LINE:COLUMN", "FILE:LINE (discriminator N)" -> "NAME", "FILE:LINE" */
static void cut_line(char *text, bool is_name)
{
	char *end = is_name ? strstr(text, " inlined at ") : strstr(text, " (");

	if (!end && !is_name && (end = strrchr(text, ':')) == strchr(text, ':'))
		end = NULL;
	if (end)
		strcpy(end, "\n");
}

/* The answer for one address, from its own line, "0x...", up to the next one's. */
static u64 reference__read(struct reference *r)
{
	u64 addr = strtoull(r->text, NULL, 16);
	struct strbuf name = STRBUF_INIT;
	bool is_name = true, is_more;

	strbuf__setlen(&r->answer, 0);
	while ((is_more = fgets(r->text, sizeof(r->text), r->f)) && strncmp(r->text, "0x", 2)) {
		cut_line(r->text, is_name);
		if (is_name) {
			strbuf__addstr(&r->answer, name.buf);
			strbuf__setlen(&name, 0);
			strbuf__addstr(&name, r->text);
		} else {
			/* the name comes behind, if this is not the last one: that of the function itself */
			strbuf__addstr(&r->answer, r->text);
		}
		is_name = !is_name;
	}
	if (!is_more)
		r->text[0] = '\0';
	/* llvm-symbolizer takes the name of an object file from the symbol table */
	if (r->answer.buf[0] != '/' && r->answer.buf[0] != '.') {
		strbuf__setlen(&r->answer, 0);
		strbuf__addstr(&r->answer, "??:0\n");
	}
	strbuf__exit(&name);
	return addr;
}

static bool reference__start(struct reference *r, const char *path, bool is_clang)
{
	char command[384];

	if ((is_clang && !r->for_clang) || !has_command(r->name))
		return false;
	snprintf(command, sizeof(command), "%s %s %s <%s/list 2>/dev/null", r->name, r->command, path,
		 folder);
	r->f = popen(command, "r");
	assert_non_null(r->f);
	strbuf__init(&r->answer);
	return fgets(r->text, sizeof(r->text), r->f);
}

static void reference__stop(struct reference *r)
{
	pclose(r->f);
	r->f = NULL;
	strbuf__exit(&r->answer);
}

struct program {
	char path[128];
	struct symtab symbols;
	struct elf_loads loads;
};

/* What crt files bring along has no lines; eu-addr2line takes those of what is next to it. */
static bool is_start_code(const char *name)
{
	static const char *const names[] = { "_start",
					     "_init",
					     "_fini",
					     "deregister_tm_clones",
					     "register_tm_clones",
					     "__do_global_dtors_aux",
					     "frame_dummy",
					     "_dl_relocate_static_pie" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return strstr(name, "@plt") != NULL;
}

static void program__open(struct program *p, const char *name)
{
	struct elf_file f;

	snprintf(p->path, sizeof(p->path), "%s%s%s", name[0] == '/' ? "" : folder, name[0] == '/' ? "" : "/",
		 name);
	symtab__init(&p->symbols);
	assert_int_equal(elf_symbols__load(&p->symbols, p->path, NULL, NULL, NULL), 0);
	assert_int_equal(elf_file__open(&f, p->path, NULL), 0);
	p->loads = (struct elf_loads){ 0 };
	elf_loads__read(&p->loads, &f);
	elf_file__close(&f);
}

static void program__close(struct program *p)
{
	symtab__exit(&p->symbols);
	elf_loads__exit(&p->loads);
}

static bool print_address(FILE *f, const struct program *p, u64 addr)
{
	u64 bias;

	return elf_loads__bias(&p->loads, addr, &bias) &&
	       fprintf(f, "0x%llx\n", (unsigned long long)(addr + bias)) > 0;
}

/* So many random addresses of functions to the file "list". Returns how many. */
static size_t program__list_addresses(const struct program *p, size_t wanted)
{
	size_t nr = 0;
	unsigned seed = 1;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/list", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	for (size_t tries = 0; nr < wanted && tries < 100 * wanted; tries++) {
		const struct symbol *s = &p->symbols.syms.v[(unsigned)rand_r(&seed) % p->symbols.syms.nr];

		if (s->size && !is_start_code(symtab__name(&p->symbols, s)))
			nr += print_address(f, p, s->start + (unsigned)rand_r(&seed) % s->size);
	}
	fclose(f);
	return nr;
}

static u64 program__offset(const struct program *p, u64 vaddr)
{
	u64 offset = vaddr;

	for (size_t i = 0; i < p->loads.v.nr; i++)
		if (vaddr >= p->loads.v.v[i].vaddr)
			offset = vaddr - p->loads.v.v[i].vaddr + p->loads.v.v[i].offset;
	return offset;
}

static bool agrees_with_one(struct reference *r, size_t nr, const char *ours)
{
	bool agrees = false;

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(ours, r[i].answer.buf)) {
			r[i].nr_agreed++;
			agrees = true;
		}
	return agrees;
}

/* wanted: as program__list_addresses. Returns how many addresses were compared. */
static size_t program__compare_with_references(const struct program *p, const char *what, size_t wanted)
{
	struct reference r[] = {
		{ .name = "eu-addr2line", .command = "-a -i -f -e" },
		{ .name = "llvm-symbolizer", .for_clang = true,
		  .command = "-a --no-demangle --functions=linkage --inlines --output-style=GNU -e" },
	}, first;
	size_t nr_references = 0, nr = program__list_addresses(p, wanted), nr_inlined = 0;
	struct dwarf_lines *d = open_lines(p->path);
	struct strbuf ours = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(r); i++) {
		first = r[i];
		if (reference__start(&first, p->path, !strncmp(what, "clang", 5)))
			r[nr_references++] = first;
	}
	for (size_t k = 0; k < nr && nr_references; k++) {
		u64 vaddr = 0;

		for (size_t i = 0; i < nr_references; i++)
			vaddr = reference__read(&r[i]);
		describe(d, program__offset(p, vaddr), &ours);
		nr_inlined += strchr(ours.buf, '\n')[1] != 0;
		if (!agrees_with_one(r, nr_references, ours.buf))
			fail_msg("%s, 0x%llx: %s says\n%sand we say\n%s", what, (unsigned long long)vaddr,
				 r[0].name, r[0].answer.buf, ours.buf);
	}
	for (size_t i = 0; i < nr_references; i++) {
		if (wanted != SOME)
			print_message("%s: of %zu (in inlined functions: %zu) as %s: %zu\n", what, nr,
				      nr_inlined, r[i].name, r[i].nr_agreed);
		reference__stop(&r[i]);
	}
	dwarf_lines__delete(d);
	strbuf__exit(&ours);
	return nr_references ? nr : 0;
}

/* The same answers as of another build of the same code. */
static void program__compare_with(const struct program *p, const char *name, const char *what)
{
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	struct dwarf_lines *a = open_lines(p->path), *b;
	char path[128];
	size_t nr_inlined = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	b = open_lines(path);
	for (size_t i = 0; i < p->symbols.syms.nr; i++) {
		const struct symbol *s = &p->symbols.syms.v[i];

		for (u64 addr = s->start; addr < s->start + s->size; addr++) {
			describe(a, addr, &x);
			describe(b, addr, &y);
			if (strcmp(x.buf, y.buf))
				fail_msg("%s, 0x%llx: as usual\n%sand now\n%s", what,
					 (unsigned long long)addr, x.buf, y.buf);
			nr_inlined += strchr(x.buf, '\n')[1] != 0;
		}
	}
	assert_true(nr_inlined > 0);
	dwarf_lines__delete(a);
	dwarf_lines__delete(b);
	strbuf__exit(&x);
	strbuf__exit(&y);
}

static const struct compiler {
	const char *name, *source, *versions;
} compilers[] = {
	{ "gcc", "p.c", "2345" },
	{ "g++", "p.cc", "2345" },
	{ "clang", "p.c", "45" },
	{ "clang++", "p.cc", "45" },
};

static void all_addresses_are_where_others_say(void **state)
{
	size_t nr = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(compilers); i++)
		for (const char *v = compilers[i].versions; *v; v++) {
			const struct compiler *c = &compilers[i];
			char name[32];
			struct program p;

			snprintf(name, sizeof(name), "%s-%c", c->name, *v);
			if (!has_command(c->name) ||
			    !sh("%s -O2 -gdwarf-%c -o %s %s", c->name, *v, name, c->source))
				continue;
			program__open(&p, name);
			nr += program__compare_with_references(&p, name, SOME);
			program__close(&p);
		}
	print_message("%zu addresses\n", nr);
	if (!nr)
		skip(); /* no compiler, or neither eu-addr2line nor llvm-symbolizer */
}

/*
 * 2,000 random addresses of programs that somebody names, best with debug packages: PERF_LINES_PROGRAMS,
 * paths with blanks between. eu-addr2line finds no inlined functions in programs linked with -flto.
 */
static void named_programs_are_as_others_say(void **state)
{
	const char *programs = getenv("PERF_LINES_PROGRAMS");
	char *list;

	(void)state;
	if (!programs)
		skip();
	list = strdup(programs ? programs : "");
	for (char *path = strtok(list, " "); path; path = strtok(NULL, " ")) {
		struct program p;

		program__open(&p, path);
		assert_true(p.symbols.syms.nr > 0);
		assert_int_equal(program__compare_with_references(&p, path, 2000), 2000);
		program__close(&p);
	}
	free(list);
}

/* How else debug information is stored; %1$s: the program's name, made of the source %2$s by the compiler
 * %3$s. */
static const struct {
	const char *name, *needs, *command;
} ways[] = {
	{ "aranges", "clang++",
	  "clang++ -O2 -g -gdwarf-aranges -o base %2$s && clang++ -O2 -g -o %1$s %2$s" },
	{ "packed", "g++", "g++ -O2 -g -gz=zlib -o %1$s %2$s" },
	{ "packed in GNU's old way", "g++", "g++ -O2 -g -gz=zlib-gnu -o %1$s %2$s" },
	{ "packed with zstd", "objcopy", "objcopy --compress-debug-sections=zstd base %1$s" },
	{ "split", "g++", "g++ -O2 -g -gsplit-dwarf -o %1$s %2$s" },
	{ "split in version 4", "g++",
	  "g++ -O2 -gdwarf-4 -o base %2$s && g++ -O2 -gdwarf-4 -gsplit-dwarf -o %1$s %2$s" },
	{ "split by clang", "clang++",
	  "clang++ -O2 -g -o base %2$s && clang++ -O2 -g -gsplit-dwarf -o %1$s %2$s" },
	{ "in 64-bit DWARF", "g++", "g++ -O2 -gdwarf64 -g -o %1$s %2$s" },
	{ "shared by dwz", "dwz",
	  "cp base %1$s && cp base other && dwz -m shared %1$s other && readelf -SW %1$s | grep -q "
	  "gnu_debugaltlink" },
	{ "in a debug file", "objcopy",
	  "objcopy --only-keep-debug base %1$s.debug && objcopy --strip-all base %1$s && objcopy "
	  "--add-gnu-debuglink=%1$s.debug %1$s" },
};

static void it_does_not_matter_how_it_is_stored(void **state)
{
	(void)state;
	if (!has_command("g++"))
		skip();
	assert_true(sh("g++ -O2 -g -o usual p.cc"));
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct program p;
		char *command;

		if (!has_command(ways[i].needs))
			continue;
		assert_true(sh("rm -f variant variant.debug && cp usual base"));
		assert_true(asprintf(&command, ways[i].command, "variant", "p.cc") > 0);
		if (sh("%s", command)) {
			program__open(&p, "base");
			program__compare_with(&p, "variant", ways[i].name);
			program__close(&p);
		} else {
			print_message("not tried: %s\n", ways[i].name);
		}
		free(command);
	}
}

/* What is not in the program: each by what it knows the other by. */
static const struct {
	const char *name, *needs;
	const char *make;    /* "main", which has inlined functions in another file */
	const char *replace; /* that file by another build's */
} others[] = {
	{ "a .dwo file", "g++", "g++ -O2 -g -gsplit-dwarf -c -o a.o p.cc && g++ -o main a.o",
	  "g++ -O2 -g -gsplit-dwarf -c -o a.o other.cc" },
	{ "an alternate file", "dwz",
	  "g++ -O2 -g -o main p.cc && cp main copy && rm -f shared && dwz -m shared main copy",
	  "g++ -O2 -g -o x other.cc && cp x y && rm shared && dwz -m shared x y" },
};

/* The names of inlined functions at all addresses, one behind the other. */
static char *program__inlined_names(const struct program *p)
{
	struct dwarf_lines *d = open_lines(p->path);
	struct strbuf names = STRBUF_INIT;
	struct source_line line;

	for (size_t i = 0; i < p->symbols.syms.nr; i++) {
		const struct symbol *s = &p->symbols.syms.v[i];

		for (u64 addr = s->start; addr < s->start + s->size; addr += 3)
			if (dwarf_lines__find(d, addr, BOTH, &line) && line.inlined)
				strbuf__addf(&names, "%s ", line.inlined->name);
	}
	dwarf_lines__delete(d);
	return strbuf__detach(&names);
}

static void files_of_another_build_are_left_alone(void **state)
{
	struct program p;
	char *right, *wrong;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		if (!has_command(others[i].needs) ||
		    !sh("sed 's/63/61/; s/fill/refill/g' p.cc >other.cc && %s", others[i].make))
			continue;
		program__open(&p, "main");
		right = program__inlined_names(&p);
		assert_true(strstr(right, "push") != NULL);
		assert_true(sh("%s", others[i].replace));
		wrong = program__inlined_names(&p);
		if (strstr(wrong, "push") || strstr(wrong, "refill"))
			fail_msg("names from %s of another build: %s", others[i].name, wrong);
		program__close(&p);
		free(right);
		free(wrong);
	}
}

/* A unit may name any file as the one that has its entries: no other than a regular one is opened. */
static void a_split_file_that_is_a_fifo_is_left_alone(void **state)
{
	struct source_line line;
	struct dwarf_lines *d;
	struct program p;
	size_t nr = 0;

	(void)state;
	if (!has_command("gcc") ||
	    !sh("gcc -O2 -g -gsplit-dwarf -c -o s.o p.c && gcc -o fifo s.o && rm -f s.dwo && mkfifo s.dwo"))
		skip();
	program__open(&p, "fifo");
	d = open_lines(p.path);
	for (size_t i = 0; i < p.symbols.syms.nr; i++)
		nr += dwarf_lines__find(d, p.symbols.syms.v[i].start, BOTH, &line) && line.file &&
		      !line.inlined;
	assert_true(nr > 0); /* the line table is in the program itself */
	dwarf_lines__delete(d);
	program__close(&p);
}

static struct strbuf said = STRBUF_INIT;

static void keep_message(const char *text, size_t len)
{
	strbuf__add(&said, text, len);
}

/* Packages of .dwo files are not read, which is said; the line table is in the program itself. */
static void a_package_is_named(void **state)
{
	struct source_line line;
	struct dwarf_lines *d;
	struct program p;
	size_t nr = 0;

	(void)state;
	if (!has_command("gcc") ||
	    !sh("gcc -O2 -g -gsplit-dwarf -c -o q.o p.c && gcc -o packed q.o && mv q.dwo packed.dwp"))
		skip();
	program__open(&p, "packed");
	msg__set_sink(keep_message);
	d = open_lines(p.path);
	msg__set_sink(NULL);
	assert_non_null(strstr(said.buf, "packed.dwp' is not read"));
	for (size_t i = 0; i < p.symbols.syms.nr; i++)
		nr += dwarf_lines__find(d, p.symbols.syms.v[i].start, BOTH, &line) && line.file &&
		      !line.inlined;
	assert_true(nr > 0);
	dwarf_lines__delete(d);
	program__close(&p);
	strbuf__exit(&said);
}

static int write_file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	return !f || fputs(text, f) < 0 || fclose(f);
}

static int setup(void **state)
{
	(void)state;
	return !mkdtemp(folder) || write_file("p.c", c_program) || write_file("p.cc", cxx_program);
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_addresses_are_where_others_say),
		cmocka_unit_test(named_programs_are_as_others_say),
		cmocka_unit_test(it_does_not_matter_how_it_is_stored),
		cmocka_unit_test(files_of_another_build_are_left_alone),
		cmocka_unit_test(a_package_is_named),
		cmocka_unit_test(a_split_file_that_is_a_fifo_is_left_alone),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
