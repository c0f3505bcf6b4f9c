/* Short forms of functions' names, for terminals. */
#ifndef BASE_FOLD_NAME_H
#define BASE_FOLD_NAME_H

#include "base/text/strbuf.h"

/*
 * Append a demangled name without what a reader rarely needs:
 *
 *	std::vector<int, std::allocator<int> >::push_back	std::vector<...>::push_back
 *	std::__cxx11::basic_string<char, ...>			std::basic_string<...>
 *	Foo::name[abi:cxx11]					Foo::name
 *	(anonymous namespace)::parse				parse
 *	main::{lambda(int, char const*)#1}::operator()		main::{lambda#1}
 *	sort(char const*, char const*)				sort(...)
 *	pthread_mutex_lock@@GLIBC_2.2.5				pthread_mutex_lock
 *	<Vec<u8> as io::Write>::write::h0123456789abcdef	<Vec<...> as io::Write>::write
 *
 * Template arguments and parameters of at most three bytes stay. Text that is not understood stays as it is.
 * The result is never longer than the name. Two functions may have the same short form.
 */
void name__fold(struct strbuf *sb, const char *name);
/* Is a demangled name the wanted one, whole or in its short form? */
bool name__is(const char *name, const char *wanted);

#endif
