#include "event/tracepoint_names.h"

#include "base/cursor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The next string, which ends in NUL. */
static const char *cursor__next_str(struct cursor *c)
{
	const char *s = (const char *)c->p;

	cursor__skip(c, strnlen(s, cursor__left(c)) + 1);
	return c->bad ? NULL : s;
}

/* A size of 8 bytes, then as many bytes. */
static const char *cursor__sized(struct cursor *c, size_t *size)
{
	u64 n = cursor__u64(c);

	if (n > cursor__left(c))
		c->bad = true;
	*size = c->bad ? 0 : (size_t)n;
	return cursor__bytes(c, *size);
}

/* Behind "KEY: " at the start of a line of text; up to the line's end. */
static const char *line__find(const char *text, size_t size, const char *key, size_t *len)
{
	size_t key_len = strlen(key);
	const char *end = text + size;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t line = (size_t)((newline ? newline : end) - text);

		if (line >= key_len && !memcmp(text, key, key_len)) {
			*len = line - key_len;
			return text + key_len;
		}
		text += line + 1;
	}
	return NULL;
}

struct nameless { /* tracepoints by config */
	struct hash_table table;
	const struct evlist *l;
};

static void nameless__init(struct nameless *n, const struct evlist *l)
{
	*n = (struct nameless){ .table = HASH_TABLE_INIT, .l = l };
	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i];

		if (e->attr.type == PERF_TYPE_TRACEPOINT && !e->name)
			hash_table__insert(&n->table, hash__u64(e->attr.config), (u32)i);
	}
}

/* Only the first NAME_MAX_ bytes count: names are file names. */
enum { NAME_MAX_ = 255 };

static void nameless__offer(struct nameless *n, const char *system, const char *format, size_t size)
{
	size_t name_len, id_len;
	const char *name = line__find(format, size, "name: ", &name_len);
	const char *id = line__find(format, size, "ID: ", &id_len);
	char digits[24];
	u64 config;
	u32 i;

	if (!name || !id || !name_len || !id_len || id_len >= sizeof(digits))
		return;
	memcpy(digits, id, id_len);
	digits[id_len] = '\0';
	config = strtoull(digits, NULL, 10);
	hash_table__for_each (&n->table, hash__u64(config), i) {
		struct evsel *e = n->l->evsels.v[i];

		if (e->attr.config == config && !e->name)
			e->name = xasprintf("%.*s:%.*s", NAME_MAX_, system,
					    (int)MIN(name_len, (size_t)NAME_MAX_), name);
	}
}

/* What stands in front of the formats: page and event headers, and the tracer's own formats. */
static void skip_headers(struct cursor *c)
{
	static const char magic[] = "\x17\x08\x44tracing";
	const char *start = cursor__bytes(c, sizeof(magic) - 1);
	size_t size;
	u32 nr;

	if (!start || memcmp(start, magic, sizeof(magic) - 1)) {
		c->bad = true;
		return;
	}
	(void)cursor__next_str(c); /* version */
	c->swap = cursor__u8(c) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	cursor__skip(c, 1 + 4); /* size of long, size of page */
	for (int i = 0; i < 2; i++) {
		(void)cursor__next_str(c);
		(void)cursor__sized(c, &size);
	}
	nr = cursor__u32(c);
	for (u32 i = 0; i < nr && !c->bad; i++)
		(void)cursor__sized(c, &size);
}

int tracepoint_names__apply(struct evlist *l, const void *data, size_t size)
{
	struct cursor c = cursor__make(data, size, false);
	struct nameless n;
	u32 nr_systems;

	nameless__init(&n, l);
	skip_headers(&c);
	nr_systems = cursor__u32(&c);
	for (u32 i = 0; i < nr_systems && !c.bad; i++) {
		const char *system = cursor__next_str(&c);
		u32 nr = cursor__u32(&c);

		for (u32 j = 0; j < nr && !c.bad; j++) {
			size_t len;
			const char *format = cursor__sized(&c, &len);

			if (!c.bad && format)
				nameless__offer(&n, system, format, len);
		}
	}
	hash_table__exit(&n.table);
	return c.bad ? -EBADMSG : 0;
}
