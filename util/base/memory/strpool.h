/*
 * Interned strings: equal text has one id, ids count up from 0, id 0 is the empty string.
 * A pointer from strpool__get stays good as long as the pool. Not thread-safe while
 * interning; reading is.
 */
#ifndef BASE_STRPOOL_H
#define BASE_STRPOOL_H

#include "base/memory/arena.h"
#include "base/memory/array.h"
#include "base/memory/hash.h"

struct strpool {
	struct arena text;
	struct hash_table table;
	ARRAY(const char *) strings; /* by id */
};

void strpool__init(struct strpool *p);
void strpool__exit(struct strpool *p);
u32 strpool__intern(struct strpool *p, const char *s);
u32 strpool__internn(struct strpool *p, const char *s, size_t len); /* s need not end in NUL */
/* Return the id of s, or UINT32_MAX if the pool does not have it. */
u32 strpool__find(const struct strpool *p, const char *s);

static inline const char *strpool__get(const struct strpool *p, u32 id)
{
	return p->strings.v[id];
}

#endif
