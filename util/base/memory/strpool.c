#include "base/memory/strpool.h"

#include <string.h>

void strpool__init(struct strpool *p)
{
	*p = (struct strpool){ 0 };
	strpool__intern(p, "");
}

void strpool__exit(struct strpool *p)
{
	arena__exit(&p->text);
	hash_table__exit(&p->table);
	array__exit(&p->strings);
}

static u32 strpool__lookup(const struct strpool *p, const char *s, size_t len, u64 hash)
{
	u32 i;

	hash_table__for_each (&p->table, hash, i)
		if (!strncmp(p->strings.v[i], s, len) && !p->strings.v[i][len])
			return i;
	return UINT32_MAX;
}

u32 strpool__find(const struct strpool *p, const char *s)
{
	size_t len = strlen(s);

	return strpool__lookup(p, s, len, hash__bytes(s, len, 0));
}

u32 strpool__internn(struct strpool *p, const char *s, size_t len)
{
	u64 hash;
	u32 id;

	len = strnlen(s, len);
	hash = hash__bytes(s, len, 0);
	id = strpool__lookup(p, s, len, hash);
	if (id != UINT32_MAX)
		return id;
	id = (u32)p->strings.nr;
	array__add(&p->strings, arena__strndup(&p->text, s, len));
	hash_table__insert(&p->table, hash, id);
	return id;
}

u32 strpool__intern(struct strpool *p, const char *s)
{
	return strpool__internn(p, s, strlen(s));
}
