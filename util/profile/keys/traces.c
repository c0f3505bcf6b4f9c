#include "profile/keys/traces.h"

#include <linux/perf_event.h>
#include <string.h>

/* ---- names of functions ---- */

static const char *name_function(void *ctx, u64 address, u64 *start)
{
	struct session *s = ctx;
	const struct symbol *sym = NULL;
	struct dso_addr at = { .addr = address };
	struct dso *dso = NULL;

	if (machine__resolve(&s->machine, NULL, UINT32_MAX - 1, PERF_RECORD_MISC_KERNEL, address, &at)) {
		dso = s->machine.dsos.v.v[at.dso];
		sym = symbolizer__find(&s->symbolizer, dso, at.addr);
	} else {
		sym = symbolizer__find_kernel(&s->symbolizer, address, &dso);
	}
	if (!sym)
		return NULL;
	*start = address - (at.addr - sym->start);
	return symtab__name(&dso->symtab, sym);
}

void traces__init(struct traces *t, struct session *s, const struct trace_keys *keys)
{
	*t = (struct traces){ .session = s, .keys = keys };
	strpool__init(&t->strings);
	array__add(&t->v, ((struct trace){ .text = strpool__intern(&t->strings, "N/A") }));
	if (keys && keys->formats)
		trace_formats__set_functions(keys->formats, name_function, s);
}

void traces__exit(struct traces *t)
{
	array__exit(&t->v);
	hash_table__exit(&t->by_payload);
	strpool__exit(&t->strings);
	arena__exit(&t->arena);
}

/* ---- texts and values ---- */

static void trace__make_value(struct traces *t, const struct trace *trace, const struct trace_key *key)
{
	struct trace_value *v = &trace->values[key->slot];
	struct strbuf text = STRBUF_INIT;

	trace_event__print_field(key->format, key->field, trace->payload, trace->size, key->raw, &text);
	v->is_number = trace_event__number(key->format, key->field, trace->payload, trace->size, &v->number);
	v->text = strpool__internn(&t->strings, text.buf, text.len);
	v->width = (u32)text.len;
	strbuf__exit(&text);
}

static void trace__make(struct traces *t, struct trace *trace)
{
	const struct trace_keys *keys = t->keys;
	const struct evsel *e = keys->evlist->evsels.v[trace->event];
	struct trace_event *format = trace_formats__event(keys->formats, e->attr.config);
	struct strbuf text = STRBUF_INIT;

	if (keys->has_text && format)
		trace_event__print(format, trace->payload, trace->size, keys->raw, &text);
	trace->text = strpool__internn(&t->strings, text.buf, text.len);
	strbuf__exit(&text);
	trace->values = arena__zalloc(&t->arena, keys->nr_of_event[trace->event] * sizeof(*trace->values));
	for (size_t i = 0; i < keys->v.nr; i++)
		if (keys->v.v[i]->event == trace->event)
			trace__make_value(t, trace, keys->v.v[i]);
}

u32 traces__of_row(struct traces *t, const struct row *row)
{
	const u64 *words = row->chain + row->key.nr_chain;
	struct trace trace = { .event = row->key.event };
	u64 hash;
	u32 i;

	if (!row->key.nr_payload)
		return TRACE_NONE;
	trace.size = (size_t)words[0];
	trace.payload = words + 1;
	hash = hash__words(words, row->key.nr_payload, row->key.event);
	hash_table__for_each (&t->by_payload, hash, i)
		if (t->v.v[i].event == trace.event && t->v.v[i].size == trace.size &&
		    !memcmp(t->v.v[i].payload, trace.payload, trace.size))
			return i;
	trace__make(t, &trace);
	i = (u32)t->v.nr;
	hash_table__insert(&t->by_payload, hash, i);
	array__add(&t->v, trace);
	return i;
}

const char *traces__text(const struct traces *t, u32 trace)
{
	return traces__str(t, t->v.v[trace].text);
}

const struct trace_value *traces__value(const struct traces *t, const struct trace_key *key, u32 trace)
{
	return t->v.v[trace].event == key->event && t->v.v[trace].values ? &t->v.v[trace].values[key->slot]
									 : NULL;
}

unsigned trace_key__width(const struct trace_key *key)
{
	size_t nr;
	const struct trace_field *f = trace_event__fields(key->format, &nr) + key->field;
	unsigned name = (unsigned)strlen(f->name);

	if (f->is_dynamic)
		return name;
	return MAX(name, f->is_text ? f->size : 2 * f->size + 2); /* as 0x... */
}
