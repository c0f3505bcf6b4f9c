/* Demangled names: what stock perf prints, and what hostile names must not do. */
#include "unit.h"

#include "base/text/strbuf.h"
#include "base/text/utf8.h"
#include "binary/symbols/symtab.h"

#include <stdlib.h>

static const struct {
	const char *name, *want; /* NULL: not mangled */
} cases[] = {
	{ "_ZN3foo3barEi", "foo::bar" },
	{ "_ZNK3Foo3getEv", "Foo::get" },
	{ "_Z3fooIiEvT_", "foo<int>" },
	{ "_ZN3foo3barEv.cold", "foo::bar" },
	{ "_ZN3foo4bar3Ev.isra.0.constprop.1", "foo::bar3" },
	{ "_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo" },
	{ "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()" },
	{ "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
	  "std::operator<< <std::char_traits<char> >" },
	{ "_ZThn16_N3Foo3barEv", "non-virtual thunk to Foo::bar()" },
	{ "_ZGVZ4mainE1x", "guard variable for main::x" },
	{ "_Znwm@plt", "operator new@plt" },
	{ "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE.llvm.123456", "core::fmt::Write::write_fmt" },
	{ "_RNvC6_123foo3bar", "123foo::bar" },
	{ "_RINvNtC3std3mem8align_ofjdE", "std::mem::align_of::<usize, f64>" },
	{ "_D3foo3barFZv", "foo.bar()" },
	{ "camlStdlib__List__map_123", "Stdlib.List.map_123" },
	{ "camlFoo__bar$27_12", "Foo.bar'_12" },
	/* OCaml 5: "$" is a separator, also before letters that are hex digits */
	{ "camlStdlib$Effect$perform_123", "Stdlib.Effect.perform_123" },
	{ "camlStdlib$Effect$deep$add_1", "Stdlib.Effect.deep.add_1" },
	{ "camlFoo$be_7", "Foo.be_7" },
	{ "camlFoo$fun_1$5b$5d", "Foo.fun_1[]" },
	{ "camlFoo$$3e$3e$3d_9", "Foo.>>=_9" },
	{ "camlFoo$caf$c3$a9_1", "Foo.caf\xc3\xa9_1" },
	{ "camlFoo$c3$a", "Foo.c3.a" },
	{ "camlFoo$41$00$0a$7f$", "Foo.41.00.0a.7f." },
	{ "camlFoo__bar$c3$28", "Foo.bar.c3(" },
	{ "camlfoo__bar", NULL },
	{ "caml_alloc", NULL },
	{ "_ZN", NULL },
	{ "__Z3foov", NULL },
	{ "main", NULL },
	{ "main.func1", NULL },
	{ "", NULL },
	{ "@plt", NULL },
};

static void names_are_stocks(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *got = symbol__demangle(cases[i].name);

		if (cases[i].want) {
			assert_non_null(got);
			assert_string_equal(got, cases[i].want);
		} else {
			assert_null(got);
		}
		free(got);
	}
}

/* f<A, B, C ...> where each is a pair of the one before: the last has 2 to the power of 34 words. */
static void a_name_that_explodes_stays_mangled(void **state)
{
	struct strbuf name = STRBUF_INIT;

	(void)state;
	strbuf__addstr(&name, "_Z1fI1PIiiE");
	for (int i = 0; i < 34; i++) {
		char previous = (char)(i < 10 ? '0' + i : 'A' + i - 10);

		strbuf__addf(&name, "S_IS%c_S%c_E", previous, previous);
	}
	strbuf__addstr(&name, "EvT_");
	assert_null(symbol__demangle(name.buf));
	strbuf__reset(&name);
	strbuf__addstr(&name, "_Z1f");
	strbuf__addchars(&name, 'P', 1 << 20);
	strbuf__addstr(&name, "i");
	free(symbol__demangle(name.buf));
	strbuf__reset(&name);
	strbuf__addstr(&name, "_D1fF");
	strbuf__addchars(&name, 'P', 1 << 20);
	assert_null(symbol__demangle(name.buf));
	strbuf__exit(&name);
}

static bool is_utf8(const char *s)
{
	size_t size;

	while (*s && (size = utf8__size(s)))
		s += size;
	return !*s;
}

/* Every escape after every beginning, in the notations of OCaml, Rust (both), C++ and D. */
static void demangled_names_are_utf8(void **state)
{
	static const char *const forms[] = {
		"camlFoo$%02x",
		"camlFoo$%02X$%02x",
		"camlFoo$c3$%02x",
		"camlFoo$e2$82$%02x",
		"camlF$f0$9f$98$%02x",
		"_ZN1a6$u%02x$E",
		"_ZN2$u%02x$17h0123456789abcdefE",
		"_ZN3foo4$u%02x17h0123456789abcdefE",
		"_RNvC3fooKc%02x_",
		"_RINvC1a1fKc%02x_E",
		"_RNvC1au2%02x",
		"_D3foo__T3barVAyaa1_%02xZ3bazFZv",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		for (unsigned byte = 0; byte < 256; byte++) {
			char *name = xasprintf(forms[i], byte, byte), *got = symbol__demangle(name);

			assert_true(!got || is_utf8(got));
			free(got);
			free(name);
		}
}

static const char *winner(struct symtab *t, const char *a, const char *b, bool demangled)
{
	symtab__init(t);
	t->demangled = demangled;
	symtab__add(t, 16, 4, a, SYMBOL_GLOBAL);
	symtab__add(t, 16, 4, b, SYMBOL_GLOBAL);
	symtab__finish(t);
	assert_int_equal(t->syms.nr, 1);
	return symtab__name(t, t->syms.v);
}

/* The same two names at one address: as shown, the mangled one has no underscore and wins. */
static void aliases_are_judged_as_shown(void **state)
{
	static const char plain[] = "_abcdefghijklmnopqrstu", mangled[] = "_ZN1a1b1c1dEv";
	struct symtab t;

	(void)state;
	assert_string_equal(winner(&t, plain, mangled, true), mangled);
	symtab__exit(&t);
	assert_string_equal(winner(&t, plain, mangled, false), plain);
	symtab__exit(&t);
	assert_string_equal(winner(&t, "_ZN1AC2Ev", "_ZN1AC1Ev", true),
			    "_ZN1AC2Ev"); /* the first of equals */
	symtab__exit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_stocks),
		cmocka_unit_test(demangled_names_are_utf8),
		cmocka_unit_test(a_name_that_explodes_stays_mangled),
		cmocka_unit_test(aliases_are_judged_as_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
