/*
 * A library that is loaded when it is used first: it is optional, or loading it at each start takes too long.
 *	#define FUNCTIONS(F) F(lzma_code) F(lzma_end)
 *	LIBRARY(lzma, "liblzma.so.5", "liblzma5", FUNCTIONS);
 * makes lzma, a struct with a pointer to each of the functions, and lzma_library, which sets them.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include "base/memory/mem.h"
#include "base/message/err.h"

struct library {
	const char *soname;
	const char *package;      /* Debian's: to be installed */
	const char *const *names; /* of the functions; NULL: perf was built without the library */
	size_t nr;
	void *functions; /* a struct of pointers to them, in the order of names */
	bool is_loaded;  /* atomic: the pointers are set, and stay */
};

#define LIBRARY_POINTER(function) __typeof__(function) *function;
#define LIBRARY_NAME_(function) #function,
#define LIBRARY_NAME(function) LIBRARY_NAME_(function) /* of a macro: what it stands for */
#define LIBRARY_FUNCTION(function) .function = function,
/* Define a library that is loaded at run time even in a static build, because it needs too many others. */
#define LIBRARY_TO_LOAD(var, file, debian, FUNCTIONS)                          \
	static struct {                                                        \
		FUNCTIONS(LIBRARY_POINTER)                                     \
	} var;                                                                 \
	static const char *const var##_names[] = { FUNCTIONS(LIBRARY_NAME) };  \
	static struct library var##_library = { .soname = file,                \
						.package = debian,             \
						.names = var##_names,          \
						.nr = ARRAY_SIZE(var##_names), \
						.functions = &var }
#ifdef LINK_LIBRARIES /* make STATIC=1: it is a part of perf */
#define LIBRARY(var, file, debian, FUNCTIONS)                                              \
	static struct {                                                                    \
		FUNCTIONS(LIBRARY_POINTER)                                                 \
	} var = { FUNCTIONS(LIBRARY_FUNCTION) };                                           \
	static const char *const var##_names[] = { FUNCTIONS(LIBRARY_NAME) };              \
	static struct library var##_library = {                                            \
		.soname = file, .package = debian, .names = var##_names, .is_loaded = true \
	}
#else
#define LIBRARY LIBRARY_TO_LOAD
#endif
/* In place of it where perf is built without the library. */
#define LIBRARY_ABSENT(var, file, debian) \
	static struct library var##_library = { .soname = file, .package = debian }

/*
 * Set the pointers, once; several threads may call this. Return 0; -ENOTSUP with err, which names the package
 * to install; -ENOMEM or -EMFILE with err when a limit of this process is the reason.
 */
int library__load(struct library *l, struct err *err);

#endif
