/* name__fold: short forms of real names of C++ (of libiberty and LLVM), Rust, Go, Java, Python. */
#include "unit.h"

#include "base/text/fold_name.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *folded;
} cases[] = {
	/* plain names */
	{ "main", "main" },
	{ "", "" },
	{ "do_syscall_64", "do_syscall_64" },
	{ "sha1sum@0x4130", "sha1sum@0x4130" },
	{ "__libc_start_main@@GLIBC_2.34", "__libc_start_main" },
	{ "cfree@GLIBC_2.2.5", "cfree" },
	{ "std::string::append(char const*, int)@@GLIBCXX_3.4", "std::string::append(...)" },
	{ "@@GLIBC_2.34", "@@GLIBC_2.34" },
	{ "@GLIBC_2.34", "@GLIBC_2.34" },
	{ "name@Word", "name@Word" },
	{ "name@V_", "name@V_" },
	{ "name@V_1.0x", "name@V_1.0x" },
	{ "name@VERS_1", "name" },
	{ "parse.constprop.0.isra.0", "parse.constprop.0.isra.0" },
	{ "grains::Pile::topple", "grains::Pile::topple" },
	{ "foo [clone .cold]", "foo [clone .cold]" },

	/* template arguments */
	{ "std::vector<int, std::allocator<int> >::push_back", "std::vector<...>::push_back" },
	{ "std::vector<int>::push_back", "std::vector<int>::push_back" },
	{ "foo<T>", "foo<T>" },
	{ "std::__introsort_loop<__gnu_cxx::__normal_iterator<int*, std::vector<int> >, long, "
	  "__gnu_cxx::__ops::_Iter_less_iter>",
	  "std::__introsort_loop<...>" },
	{ "std::map<A, B>::iterator std::find<A, B>", "std::map<...>::iterator std::find<...>" },
	{ "A<(1 > 2)>::f", "A<...>::f" },
	{ "A<(Color)1, (x < y)>::f", "A<...>::f" },
	{ "std::function<void (int, char)>::operator()", "std::function<...>::operator()" },
	{ "decltype ((x)->get()) call<Value, (x)->get()>::run", "decltype ((x)->get()) call<...>::run" },
	{ "f<&Foo::operator<, 1234>", "f<...>" },
	{ "f<&Foo::operator->, 1234>::g", "f<...>::g" },
	{ "f<'lambda'(int)>", "f<...>" },

	/* operators */
	{ "operator<", "operator<" },
	{ "Foo::operator<", "Foo::operator<" },
	{ "bool operator< <char, Traits>", "bool operator< <...>" },
	{ "std::operator<< <std::char_traits<char> >", "std::operator<< <...>" },
	{ "std::operator<<<std::char_traits<char>>", "std::operator<<<...>" },
	{ "std::operator<=><int, long>", "std::operator<=><...>" },
	{ "Foo<int, long>::operator->", "Foo<...>::operator->" },
	{ "Foo<int, long>::operator->*", "Foo<...>::operator->*" },
	{ "Foo::operator()", "Foo::operator()" },
	{ "Foo::operator()(int, char const*) const", "Foo::operator()(...) const" },
	{ "bool operator!=<Foo, std::allocator<Foo> >(Foo const&)", "bool operator!=<...>(...)" },
	{ "Foo::operator=(Foo&&)", "Foo::operator=(...)" },
	{ "Foo::operator-(int, int) const", "Foo::operator-(...) const" },
	{ "Foo::operator int*(long) const", "Foo::operator int*(long) const" },
	{ "Foo::operator[]", "Foo::operator[]" },
	{ "Foo::operator,", "Foo::operator," },
	{ "operator new[]", "operator new[]" },
	{ "operator new@plt", "operator new@plt" },
	{ "operator delete(void*, unsigned long)", "operator delete(...)" },
	{ "operator\"\" _km", "operator\"\" _km" },
	{ "my_operator<long long>", "my_operator<...>" },
	{ "operatory<long long>", "operatory<...>" },

	/* conversion operators and function pointers */
	{ "Foo::operator bool", "Foo::operator bool" },
	{ "Foo::operator std::vector<int, Alloc>", "Foo::operator std::vector<...>" },
	{ "Foo::operator std::vector<int, Alloc>() const", "Foo::operator std::vector<...>() const" },
	{ "Foo::operator void (*)(int)", "Foo::operator void (*)(int)" },
	{ "void (*pick<long long>(int))(char)", "void (*pick<...>(int))(char)" },
	{ "call<void (*)(int, char)>", "call<...>" },

	/* parameters */
	{ "sort(char const*, char const*)", "sort(...)" },
	{ "f()", "f()" },
	{ "f(int)", "f(int)" },
	{ "f<long long>(std::string const&) const", "f<...>(...) const" },
	{ "foo(bool)::bar", "foo(...)::bar" },

	/* ABI tags, inline and anonymous namespaces */
	{ "Foo::name[abi:cxx11]", "Foo::name" },
	{ "Foo::name[abi:cxx11]() const", "Foo::name() const" },
	{ "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_append",
	  "std::basic_string<...>::_M_append" },
	{ "std::__1::basic_string<char, Traits>::append[abi:ne180100]", "std::basic_string<...>::append" },
	{ "my__1::f", "my__1::f" },
	{ "(anonymous namespace)::parse", "parse" },
	{ "llvm::(anonymous namespace)::Pass::run", "llvm::Pass::run" },
	{ "(anonymous namespace)", "(anonymous namespace)" },
	{ "(anonymous namespace)::", "(anonymous namespace)::" },

	/* lambdas */
	{ "main::{lambda()#1}::operator()", "main::{lambda#1}" },
	{ "main::{lambda(int, char const*)#12}::operator()", "main::{lambda#12}" },
	{ "main::{lambda(int)#1}::_FUN", "main::{lambda#1}::_FUN" },
	{ "f(int)::{lambda(g()::{lambda()#1})#2}::operator()(long long) const",
	  "f(int)::{lambda#2}(...) const" },
	{ "main::{lambda()#1}::operator()() const::{lambda(int)#2}::operator()",
	  "main::{lambda#1}() const::{lambda#2}" },
	{ "main::{lambda(auto:1)#1}::operator()<long long>", "main::{lambda#1}<...>" },
	{ "main::'lambda'(int, char)::operator()(int, char) const",
	  "main::'lambda'(...)::operator()(...) const" },
	{ "main::$_0::operator()", "main::$_0::operator()" },
	{ "f::{unnamed type#1}::g", "f::{unnamed type#1}::g" },
	{ "std::_Function_handler<void (), main::{lambda()#1}>::_M_invoke",
	  "std::_Function_handler<...>::_M_invoke" },

	/* Rust: legacy and v0 */
	{ "core::fmt::Write::write_fmt::h0123456789abcdef", "core::fmt::Write::write_fmt" },
	{ "core::fmt::h0123", "core::fmt::h0123" },
	{ "hyper::h2::proto::h0123456789abcdeg", "hyper::h2::proto::h0123456789abcdeg" },
	{ "<alloc::vec::Vec<u8> as std::io::Write>::write_all::{{closure}}",
	  "<alloc::vec::Vec<u8> as std::io::Write>::write_all::{{closure}}" },
	{ "<alloc::vec::Vec<String> as core::iter::FromIterator<String>>::from_iter::h00000000deadbeef",
	  "<alloc::vec::Vec<...> as core::iter::FromIterator<...>>::from_iter" },
	{ "<T as Trait>::f::{{closure}}::{{closure}}", "<T as Trait>::f::{{closure}}::{{closure}}" },
	{ "<&T as core::fmt::Debug>::fmt", "<&T as core::fmt::Debug>::fmt" },
	{ "<[T] as alloc::slice::SpecCloneIntoVec<T, A>>::clone_into",
	  "<[T] as alloc::slice::SpecCloneIntoVec<...>>::clone_into" },
	{ "<<A as B>::C as D<long>>::e", "<<A as B>::C as D<...>>::e" },
	{ "core::ptr::drop_in_place::<alloc::string::String>", "core::ptr::drop_in_place::<...>" },
	{ "core::ptr::drop_in_place<alloc::string::String>", "core::ptr::drop_in_place<...>" },
	{ "core::str::<impl str>::parse", "core::str::<impl str>::parse" },
	{ "core::slice::sort::<impl [T]>::sort_by::{{closure}}",
	  "core::slice::sort::<impl [T]>::sort_by::{{closure}}" },
	{ "std::rt::lang_start::<()>::{closure#0}", "std::rt::lang_start::<()>::{closure#0}" },
	{ "<fn(usize) -> u8 as core::ops::FnOnce<(usize,)>>::call_once",
	  "<fn(...) -> u8 as core::ops::FnOnce<...>>::call_once" },

	/* other languages */
	{ "main.(*Tree[go.shape.int]).Insert", "main.(*Tree[go.shape.int]).Insert" },
	{ "runtime.mallocgc.func1", "runtime.mallocgc.func1" },
	{ "java.lang.String::<init>", "java.lang.String::<init>" },
	{ "Ljava/util/HashMap;::<clinit>", "Ljava/util/HashMap;::<clinit>" },
	{ "py::<module>:/srv/app.py", "py::<module>:/srv/app.py" },
	{ "py::Foo.<lambda>:/srv/app.py", "py::Foo.<lambda>:/srv/app.py" },
	{ "LazyCompile:*<anonymous> /srv/app.js:12", "LazyCompile:*<anonymous> /srv/app.js:12" },
	{ "-[NSString length]", "-[NSString length]" },
	{ "std.algorithm.sort!(int[])", "std.algorithm.sort!(int[])" },

	/* UTF-8 */
	{ "größe::Länge<Straße>::f", "größe::Länge<...>::f" },
	{ "名前::関数(文字列)", "名前::関数(...)" },
	{ "f<é>", "f<é>" },

	/* what is not understood stays */
	{ "f<int", "f<int" },
	{ "f>int<", "f>int<" },
	{ "a(b<c)d>e", "a(b<c)d>e" },
	{ "f<(a]>g", "f<(a]>g" },
	{ "{lambda(", "{lambda(" },
	{ "{lambda(int)", "{lambda(int)" },
	{ "{lambda(int}", "{lambda(int}" },
	{ "{lambda(int}#1)", "{lambda(...)" },
	{ "[abi:", "[abi:" },
	{ "operator", "operator" },
	{ "<", "<" },
	{ ">", ">" },
	{ "<>", "<>" },
};

static void names_are_folded(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	int bad = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf__reset(&sb);
		strbuf__addstr(&sb, "[.] ");
		name__fold(&sb, cases[i].name);
		if (strcmp(sb.buf + 4, cases[i].folded)) {
			print_error("%s\n  is     %s\n  not    %s\n", cases[i].name, sb.buf + 4,
				    cases[i].folded);
			bad++;
		}
		assert_true(sb.len - 4 <= strlen(cases[i].name));
	}
	strbuf__exit(&sb);
	assert_int_equal(bad, 0);
}

/* Every beginning and every end of every name: nothing is read or written outside, nothing becomes longer. */
static void cut_names_are_harmless(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (size_t at = 0; at <= strlen(cases[i].name); at++) {
			char *begin = strndup(cases[i].name, at), *end = strdup(cases[i].name + at);

			strbuf__reset(&sb);
			name__fold(&sb, begin);
			assert_true(sb.len <= at);
			strbuf__reset(&sb);
			name__fold(&sb, end);
			assert_true(sb.len <= strlen(end));
			free(begin);
			free(end);
		}
	strbuf__exit(&sb);
}

/* Time and memory grow with the length only. */
static void deep_names_are_harmless(void **state)
{
	enum { DEEP = 1 << 20 };
	static const char *const brackets[] = { "<", "(", "<(", "{lambda(", "a<", "<[", "operator<" };
	char *name = malloc(DEEP + 1);
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(brackets); i++) {
		for (size_t at = 0; at < DEEP; at++)
			name[at] = brackets[i][at % strlen(brackets[i])];
		name[DEEP] = '\0';
		strbuf__reset(&sb);
		name__fold(&sb, name);
		assert_true(sb.len <= DEEP);
		memset(name + DEEP / 2, i & 1 ? ')' : '>', DEEP / 2);
		strbuf__reset(&sb);
		name__fold(&sb, name);
		assert_true(sb.len <= DEEP);
	}
	free(name);
	strbuf__exit(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_folded),
		cmocka_unit_test(cut_names_are_harmless),
		cmocka_unit_test(deep_names_are_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
