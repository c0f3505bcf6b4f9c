/*
 * A library that is loaded when it is needed: optional, or too costly to be linked with every start.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include "base/memory/types.h"

struct library_function {
	const char *name;
	void *to; /* the pointer to be set: one to a function */
};

/*
 * Sets all the pointers. False: the library, or a function of it, is not there. It stays loaded; a second
 * time is only a look at a table.
 */
bool library__load(const char *soname, const struct library_function *functions, size_t nr);

#endif
