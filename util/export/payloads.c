#include "export/payloads.h"

#include <string.h>

static void ignore_column(void *ctx, const struct column *c)
{
	(void)ctx;
	(void)c;
}

void payloads__init(struct payloads *p, struct session *s, const sample_words *words)
{
	static const char all[] = "trace_fields";
	const struct evlist *l = &s->reader->evlist;
	struct err why = ERR_INIT;

	*p = (struct payloads){ .formats = reader__trace_formats(s->reader, &why) };
	trace_keys__init(&p->keys, l, p->formats, why.code ? why.text.buf : NULL, true);
	(void)trace_keys__find(&p->keys, all, strlen(all), ignore_column, NULL, &why);
	p->has_fields = trace_keys__cuts(&p->keys, &p->cuts);
	extras__init(&p->extras, s, words, NULL, &p->keys);
	p->keys.missing = NULL;
	err__exit(&why);
}

void payloads__exit(struct payloads *p)
{
	extras__exit(&p->extras);
	trace_keys__exit(&p->keys);
	trace_formats__delete(p->formats);
}

const struct trace_value *payloads__next(struct payloads *p, const struct row *row, size_t *at,
					 const char **name)
{
	const struct trace_key *key;
	const struct trace_value *value;
	u32 extra;

	if (!p->has_fields)
		return NULL;
	extra = extras__of_row(&p->extras, row->key.event, row);
	while (*at < p->keys.v.nr) {
		key = p->keys.v.v[(*at)++];
		value = extras__value(&p->extras, key, extra);
		*name = key->column.name;
		if (value)
			return value;
	}
	return NULL;
}
