/* Symbols searched in a saved kallsyms: each one is what a table of all of them has at that address. */
#include "unit.h"

#include "base/system/file.h"
#include "base/text/strbuf.h"
#include "binary/symbols/kallsyms.h"
#include "binary/symbols/kallsyms_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BASE 0xffffffff81000000ull

static char path[] = "/tmp/perf-unit-kallsyms.XXXXXX";
static u32 seed = 11;

static u32 rnd(u32 below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 || close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_text(const char *text, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, size, f), size);
	fclose(f);
}

/* Addresses from BASE on, many twice, some far from the next; long names, and lines of other kinds. */
static void make_text(struct strbuf *sb, int nr, bool zeroes, bool modules)
{
	static const char types[] = "tTtTtTwWdDbBrRAa";
	char name[600];
	u64 addr = BASE;

	for (int i = 0; zeroes && i < 300; i++)
		strbuf__addf(sb, "%016x A cpu_%d\n", i * 8, i);
	strbuf__addf(sb, "%016llx T _text\n", (unsigned long long)addr);
	for (int i = 0; i < nr; i++) {
		size_t len = rnd(50) ? 1 + rnd(30) : 1 + rnd(500);

		memset(name, 'a' + (int)rnd(26), len);
		name[len] = '\0';
		addr += rnd(4) ? rnd(3) * 16 : rnd(200) ? rnd(5000) : (u64)rnd(1 << 12) << 8;
		strbuf__addf(sb, "%016llx %c %s%s_%d\n", (unsigned long long)addr,
			     types[rnd(sizeof(types) - 1)], rnd(30) ? "" : "$", name, i);
	}
	for (int i = 0; modules && i < 50; i++)
		strbuf__addf(sb, "%016llx t in_module_%d\t[mod]\n", 0xffffffffc0000000ull + rnd(1 << 20), i);
}

/* Both ways to the symbol at addr, which is delta higher than in the file. */
static void check(struct kallsyms_file *k, struct symtab *found, const struct symtab *all, u64 addr,
		  u64 delta)
{
	const struct symbol *x = symtab__find(all, addr), *y = kallsyms_file__find(k, found, addr + delta);

	assert_true(!x == !y);
	if (!x)
		return;
	assert_int_equal(x->start + delta, y->start);
	assert_int_equal(x->size, y->size);
	assert_string_equal(symtab__name(all, x), symtab__name(found, y));
	assert_ptr_equal(kallsyms_file__find(k, found, addr + delta), y);
}

static void check_all(struct strbuf *text, u64 delta, int nr_lookups)
{
	struct kallsyms_file *k;
	struct symtab all, found;
	u64 reference, last;

	write_text(text->buf, text->len);
	symtab__init(&all);
	symtab__init(&found);
	assert_int_equal(kallsyms__load_file(&all, path, "_text", &reference), 0);
	assert_int_equal(reference, BASE);
	assert_int_equal(kallsyms_file__open(&k, path, "_text", BASE + delta), 0);
	last = all.syms.v[all.syms.nr - 1].start;
	for (int i = 0; i < nr_lookups; i++) {
		const struct symbol *sym = &all.syms.v[rnd((u32)all.syms.nr)];

		check(k, &found, &all, sym->start + rnd(3) * (sym->size / 2), delta);
		check(k, &found, &all, BASE + rnd((u32)MIN(last - BASE, 0xffffffull) + 1), delta);
	}
	for (u64 i = 0; i < 20; i++) {
		check(k, &found, &all, last + i * 1000, delta);
		check(k, &found, &all, BASE - i * 1000, delta);
	}
	check(k, &found, &all, 0, delta);
	check(k, &found, &all, UINT64_MAX, delta);
	kallsyms_file__close(k);
	symtab__exit(&all);
	symtab__exit(&found);
}

static void finds_what_a_table_has(void **state)
{
	(void)state;
	for (int i = 0; i < 40; i++) {
		struct strbuf text = STRBUF_INIT;

		make_text(&text, 1 + i * i * 5, i % 3 == 1, i % 2);
		if (i % 5 == 0)
			strbuf__setlen(&text, text.len - 1); /* a last line without an end */
		check_all(&text, i % 4 ? 0x1200000 : 0, 300);
		strbuf__exit(&text);
	}
}

/* More are asked for than are worth a search each. */
static void many_addresses(void **state)
{
	struct strbuf text = STRBUF_INIT;

	(void)state;
	make_text(&text, 20000, false, true);
	check_all(&text, 0x1000, 20000);
	strbuf__exit(&text);
}

/* Where a line is none, all is loaded. */
static void files_that_cannot_be_searched(void **state)
{
	static const char *const texts[] = {
		"ffffffff81000000 T _text\nffffffff81001000 T a\nnonsense\nffffffff81002000 T b\n",
		"ffffffff81000000 T _text\n\nffffffff81001000 T a\nffffffff81002000 T b\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct strbuf text = STRBUF_INIT;

		strbuf__addstr(&text, texts[i]);
		check_all(&text, 0x100, 50);
		strbuf__exit(&text);
	}
}

static void files_that_are_not_opened(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"no line\nffffffff81000000 T _text\n",
		"ffffffff81000000 T other\n",
		"0000000000000000 T _text\n0000000000000000 T hidden\n",
		"ffffffff81000000 T _text\t[mod]\n",
	};
	struct kallsyms_file *k;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		write_text(texts[i], strlen(texts[i]));
		assert_int_equal(kallsyms_file__open(&k, path, "_text", BASE), -EINVAL);
	}
	assert_int_equal(kallsyms_file__open(&k, "/nowhere/kallsyms", "_text", BASE), -ENOENT);
	assert_true(kallsyms_file__open(&k, "/tmp", "_text", BASE) < 0);
}

static void lines_without_an_end(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct kallsyms_file *k;

	(void)state;
	strbuf__addstr(&text, "ffffffff81000000 T _text\nffffffff81001000 T ");
	strbuf__addchars(&text, 'x', 5000);
	strbuf__addstr(&text, "\nffffffff81002000 T b\n");
	check_all(&text, 0, 20);
	strbuf__reset(&text);
	strbuf__addchars(&text, 'x', 5000);
	write_text(text.buf, text.len);
	assert_int_equal(kallsyms_file__open(&k, path, "_text", BASE), -EINVAL);
	strbuf__exit(&text);
}

/* The file may go or become another one while it is searched: answers are worth little then, but no harm is
 * done. */
static void a_file_that_changes(void **state)
{
	(void)state;
	for (int i = 0; i < 30; i++) {
		struct strbuf text = STRBUF_INIT;
		struct symtab found;
		struct kallsyms_file *k;

		make_text(&text, 3000, false, true);
		write_text(text.buf, text.len);
		symtab__init(&found);
		assert_int_equal(kallsyms_file__open(&k, path, "_text", BASE), 0);
		for (int n = 0; n < 100; n++) {
			kallsyms_file__find(k, &found, BASE + rnd(1 << 22));
			if (n == 50) {
				for (size_t b = 0; b < text.len; b++)
					if (!rnd(10))
						text.buf[b] = (char)rnd(256);
				write_text(text.buf, i % 2 ? text.len : text.len / 3);
			}
		}
		kallsyms_file__close(k);
		symtab__exit(&found);
		strbuf__exit(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_a_table_has),        cmocka_unit_test(many_addresses),
		cmocka_unit_test(files_that_cannot_be_searched), cmocka_unit_test(files_that_are_not_opened),
		cmocka_unit_test(lines_without_an_end),          cmocka_unit_test(a_file_that_changes),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
