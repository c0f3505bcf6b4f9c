/*
 * Match functions of different builds, by their names, their code, and the binaries in which others were
 * found.
 */
#ifndef PROFILE_JOINS_H
#define PROFILE_JOINS_H

#include "profile/compare/compared.h"

struct identity { /* the parts of a function's text in c->names: see struct function_cost */
	const char *name, *dso;
	size_t name_len, dso_len;
	bool is_made_up;
};

struct identity comparison__identity(const struct comparison *c, u32 function);
/*
 * Return which function of c->names stands for each; the caller frees it. New ids, which join others, stand
 * for themselves.
 */
u32 *comparison__map_functions(struct comparison *c);

#endif
