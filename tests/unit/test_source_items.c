/* Functions and declarations of source files, in several languages; what a change between two versions is. */
#include "profile/change/source_items.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

struct parsed {
	struct source_items items;
	char *text;
};

static struct parsed parse(const char *path, const char *text)
{
	struct parsed p = { .text = strdup(text) };

	source_items__find(&p.items, source_language__of(path), p.text, strlen(text));
	return p;
}

static void parsed__exit(struct parsed *p)
{
	source_items__exit(&p->items);
	free(p->text);
}

/* Check which lines the function with a line has; first 0: there is none. */
static void check_code(const struct parsed *p, u32 line, u32 first, u32 last)
{
	const struct source_item *item = source_items__code_at(&p->items, line);

	assert_int_equal(item ? item->first : 0, first);
	assert_int_equal(item ? item->last : 0, last);
}

/* Does a declaration declare a name? */
static bool declares(const struct parsed *p, const char *name)
{
	for (size_t i = 0; i < p->items.v.nr; i++)
		for (u32 k = 0; k < p->items.v.v[i].nr_names; k++) {
			const struct source_word *w =
				&p->items.words.v[p->items.names.v[p->items.v.v[i].names + k]];

			if (w->len == strlen(name) && !memcmp(p->text + w->at, name, w->len))
				return true;
		}
	return false;
}

/* Does a line have a word? */
static bool has_word(const struct parsed *p, const char *name, u32 line)
{
	for (size_t i = 0; i < p->items.words.nr; i++) {
		const struct source_word *w = &p->items.words.v[i];

		if (w->line == line && w->kind == SOURCE_WORD && w->len == strlen(name) &&
		    !memcmp(p->text + w->at, name, w->len))
			return true;
	}
	return false;
}

/* Is the function with a line of one text the same as that with a line of another? */
static bool is_same(const char *path, const char *a, u32 a_line, const char *b, u32 b_line)
{
	struct parsed p = parse(path, a), q = parse(path, b);
	const struct source_item *x = source_items__code_at(&p.items, a_line);
	const struct source_item *y = source_items__code_at(&q.items, b_line);
	bool same;

	assert_non_null(x);
	assert_non_null(y);
	same = x->hash == y->hash;
	parsed__exit(&p);
	parsed__exit(&q);
	return same;
}

static void test_c_functions(void **state)
{
	struct parsed p = parse("x.c", "#define A(x) { x\n"                            /* 1 */
				       "static int table[] = { 1, 2 };\n"              /* 2 */
				       "struct node *f(int a,\n"                       /* 3 */
				       "               int b)\n"                       /* 4 */
				       "{\n"                                           /* 5 */
				       "	return a ? \"}\" : '}' + b; /* } */\n" /* 6 */
				       "}\n"                                           /* 7 */
				       "// int g(void) {\n"                            /* 8 */
				       "struct node { int value, more[A_SIZE]; };\n"   /* 9 */
				       "int g(void) { return 0; } int h(void)\n"       /* 10 */
				       "{ return 1; }\n"
				       "extern int k(void) __attribute__((pure));\n"); /* 11 */

	(void)state;
	check_code(&p, 1, 0, 0);
	check_code(&p, 2, 0, 0);
	for (u32 line = 3; line <= 7; line++)
		check_code(&p, line, 3, 7);
	check_code(&p, 8, 0, 0);
	check_code(&p, 9, 0, 0);
	check_code(&p, 11, 10, 11);
	check_code(&p, 12, 0, 0);
	assert_true(declares(&p, "A"));
	assert_true(declares(&p, "table"));
	assert_true(declares(&p, "node"));
	assert_true(declares(&p, "value"));
	assert_true(declares(&p, "more"));
	assert_false(declares(&p, "x"));
	assert_false(declares(&p, "A_SIZE"));
	assert_false(declares(&p, "f"));
	assert_true(declares(&p, "k"));
	assert_false(declares(&p, "__attribute__"));
	parsed__exit(&p);
}

/* Both branches open the function's block: the brace in column 0 ends it. */
static void test_blocks_opened_twice(void **state)
{
	struct parsed p =
		parse("x.c", "#if A\nint f(int a) {\n#else\nint f(long a) {\n#endif\n	return a;\n}\n"
			     "int g(void)\n{\n	return 1;\n}\n");

	(void)state;
	check_code(&p, 6, 2, 7);
	check_code(&p, 10, 8, 11);
	parsed__exit(&p);
}

static void test_cxx(void **state)
{
	struct parsed p = parse("x.cc", "namespace a { namespace {\n"                       /* 1 */
					"template <class T, int N = 3>\n"                   /* 2 */
					"class list : public base<T> {\n"                   /* 3 */
					"	enum class kind { one, two = 2 };\n"        /* 4 */
					"	list(int n) : n_(n), m{3} { }\n"            /* 5 */
					"	bool operator==(const list &o) const {\n"   /* 6 */
					"		return n_ == o.n_;\n"               /* 7 */
					"	}\n"                                        /* 8 */
					"	int n_ = 0, m;\n"                           /* 9 */
					"};\n"                                              /* 10 */
					"template <typename T = int> T f(T x) noexcept {\n" /* 11 */
					"	auto g = [&](int y) { return y; };\n"       /* 12 */
					"	return R\"x(\")} )x\"[0] + 1'000 + g(x);\n" /* 13 */
					"}\n"                                               /* 14 */
					"} }\n"                                             /* 15 */
					"int main() { return 0; }\n");                      /* 16 */

	(void)state;
	check_code(&p, 7, 6, 8);
	check_code(&p, 9, 0, 0);
	check_code(&p, 12, 11, 14);
	check_code(&p, 13, 11, 14);
	check_code(&p, 16, 16, 16);
	assert_true(declares(&p, "two"));
	assert_true(declares(&p, "n_"));
	assert_true(declares(&p, "list"));
	parsed__exit(&p);
}

static void test_rust_and_go(void **state)
{
	struct parsed p =
		parse("x.rs", "const LIMIT: usize = 3;\n"                                      /* 1 */
			      "#[derive(Debug)] pub struct P<'a> { a: &'a str }\n"             /* 2 */
			      "impl<'a> P<'a> {\n"                                             /* 3 */
			      "	pub fn f(&self) -> char {\n"                                   /* 4 */
			      "		if self.a == r#\"}\"\"# { '}' } else { '{' }\n"        /* 5 */
			      "	} /* a /* comment } */ in one */\n"                            /* 6 */
			      "	fn g() {}\n"                                                   /* 7 */
			      "}\n"                                                            /* 8 */
			      "fn h() { for i in 0..LIMIT { 1.max(i); } }\n");                 /* 9 */
	struct parsed q = parse("x.go", "package x\nconst limit = 3\nvar a, b = 1, []int{1}\n" /* 1 to 3 */
					"type T struct {\n	n int\n}\n"                    /* 4 to 6 */
					"func (t *T) f() interface{} {\n"                      /* 7 */
					"	return `}` + \"}\"\n}\n");                     /* 8, 9 */

	(void)state;
	check_code(&p, 5, 4, 6);
	check_code(&p, 7, 7, 7);
	assert_true(declares(&p, "LIMIT"));
	assert_true(has_word(&p, "LIMIT", 9));
	assert_true(declares(&p, "P"));
	check_code(&q, 2, 0, 0);
	check_code(&q, 5, 0, 0);
	check_code(&q, 8, 7, 9);
	assert_false(declares(&p, "usize"));
	assert_false(declares(&p, "str"));
	assert_false(declares(&q, "int"));
	assert_true(declares(&q, "limit"));
	assert_true(declares(&q, "b"));
	assert_true(declares(&q, "T"));
	parsed__exit(&p);
	parsed__exit(&q);
}

static void test_column_0(void **state)
{
	struct parsed p =
		parse("x.py", "import x\ndef f(a):\n    return a # def\n\ndef g():\n    '''\ndef h():\n'''\n"
			      "    return 1\n");
	struct parsed q = parse("x.adb", "procedure A is\nbegin\n   null; -- end\nend A;\n");

	(void)state;
	check_code(&p, 3, 2, 3);
	check_code(&p, 9, 5, 9);
	assert_non_null(source_items__code_at(&q.items, 3));
	assert_null(source_language__of("x.data"));
	assert_null(source_language__of("Makefile"));
	assert_null(source_language__of("c"));
	assert_non_null(source_language__of("a.b/x.hpp"));
	parsed__exit(&p);
	parsed__exit(&q);
}

/* Comments and white space are no change; everything else is. */
static void test_changes(void **state)
{
	static const char old[] = "int f(int a)\n{\n	return a + 1;\n}\n";

	(void)state;
	assert_true(is_same("x.c", old, 3,
			    "/* new */\n\nint f(int a) {\n	// why\n	return a  + 1; }", 5));
	assert_true(is_same("x.c", old, 3,
			    "int g(void) { return 2; }\nint f(int a)\r\n{\r\n	return a + 1;\r\n}\r\n", 4));
	assert_false(is_same("x.c", old, 3, "int f(int a)\n{\n	return a + 2;\n}\n", 3));
	assert_false(is_same("x.c", old, 3, "int f(int a)\n{\n	return a - 1;\n}\n", 3));
	assert_false(is_same("x.c", old, 3, "int f(long a)\n{\n	return a + 1;\n}\n", 3));
	assert_false(is_same("x.c", "int f(void)\n{\n	return \"a b\";\n}\n", 3,
			     "int f(void)\n{\n	return \"ab\";\n}\n", 3));
	assert_false(is_same("x.rs", "fn f() {\n for i in 0..A {}\n}\n", 2,
			     "fn f() {\n for i in 0..B {}\n}\n", 2));
	assert_true(is_same("x.py", "def f():\n    return 1\n", 2, "# x\ndef f(): # y\n    return 1\n", 3));
	assert_false(is_same("x.py", "def f():\n    return 1\n", 2, "def f():\n    return 2\n", 2));
}

/* Nothing is read beyond the end, and deep nesting ends; the sanitizers see the rest. */
static void test_damaged(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"}",
		"}}}}",
		"((((",
		"#",
		"#define",
		"# define A \\",
		"/*",
		"\"",
		"'",
		"R\"",
		"R\"(",
		"R\"abcdefghijklmnop(",
		"r#\"",
		"struct",
		"struct {",
		"enum {,",
		"a=",
		"=",
		"operator=",
		"extern \"C\" {",
		"int f(",
		"int f() {",
		"'a",
		"\\",
		"'''",
		"f() { \"\\",
		"@x(",
		"1'",
		"macro_rules! x {",
		"{- {-",
		"(* (*",
		";",
		"class a { class b {",
		"x\n}\n{\n}",
	};
	static const char *const paths[] = { "x.c",  "x.rs", "x.go", "x.java", "x.S",
					     "x.ml", "x.hs", "x.py", "x.f90" };
	char deep[4000];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		for (size_t k = 0; k < ARRAY_SIZE(texts); k++) {
			struct parsed p = parse(paths[i], texts[k]);

			for (u32 line = 0; line < 5; line++)
				source_items__code_at(&p.items, line);
			parsed__exit(&p);
		}
	for (size_t i = 0; i + 10 < sizeof(deep); i += 10)
		memcpy(deep + i, "class a { ", 11);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct parsed p = parse(paths[i], deep);

		assert_true(p.items.v.nr <= p.items.words.nr);
		parsed__exit(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c_functions), cmocka_unit_test(test_blocks_opened_twice),
		cmocka_unit_test(test_cxx),         cmocka_unit_test(test_rust_and_go),
		cmocka_unit_test(test_column_0),    cmocka_unit_test(test_changes),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
