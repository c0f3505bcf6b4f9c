#include "event/tracepoint/tracepoint_names.h"

#include "event/tracepoint/trace_header.h"

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

static void nameless__offer(struct nameless *n, const struct trace_format_text *f)
{
	struct trace_text name = trace_format__value(&f->text, "name");
	u64 config;
	u32 i;

	if (!name.size || !trace_format__id(&f->text, &config))
		return;
	hash_table__for_each (&n->table, hash__u64(config), i) {
		struct evsel *e = n->l->evsels.v[i];

		if (e->attr.config == config && !e->name)
			e->name = xasprintf("%.*s:%.*s", NAME_MAX_, f->system,
					    (int)MIN(name.size, (size_t)NAME_MAX_), name.data);
	}
}

int tracepoint_names__apply(struct evlist *l, const void *data, size_t size)
{
	struct trace_header h;
	struct nameless n;
	int ret = trace_header__parse(&h, data, size);

	nameless__init(&n, l);
	for (size_t i = 0; i < h.formats.nr; i++)
		nameless__offer(&n, &h.formats.v[i]);
	hash_table__exit(&n.table);
	trace_header__exit(&h);
	return ret;
}
