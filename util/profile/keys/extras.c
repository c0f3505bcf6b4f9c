#include "profile/keys/extras.h"

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

void extras__init(struct extras *x, struct session *s, const sample_words *words,
		  const struct trace_keys *keys)
{
	*x = (struct extras){ .session = s, .words = words, .keys = keys };
	strpool__init(&x->strings);
	array__add(&x->v, ((struct extra){ .text = strpool__intern(&x->strings, "N/A") }));
	if (keys && keys->formats)
		trace_formats__set_functions(keys->formats, name_function, s);
}

void extras__exit(struct extras *x)
{
	array__exit(&x->v);
	hash_table__exit(&x->by_words);
	strpool__exit(&x->strings);
	arena__exit(&x->arena);
}

/* ---- texts and values of payloads ---- */

static struct trace_value extras__make_value(struct extras *x, const struct trace_key *key,
					     const void *payload, size_t size)
{
	struct trace_value v = { 0 };
	struct strbuf text = STRBUF_INIT;

	trace_event__print_field(key->format, key->field, payload, size, key->raw, &text);
	v.is_number = trace_event__number(key->format, key->field, payload, size, &v.number);
	v.text = strpool__internn(&x->strings, text.buf, text.len);
	v.width = (u32)text.len;
	strbuf__exit(&text);
	return v;
}

static void extras__read_payload(struct extras *x, struct extra *extra)
{
	const struct trace_keys *keys = x->keys;
	const struct evsel *e = keys->evlist->evsels.v[extra->event];
	struct trace_event *format = trace_formats__event(keys->formats, e->attr.config);
	const void *payload = extra->words + x->words->nr + 1;
	size_t size = (size_t)extra->words[x->words->nr];
	struct strbuf text = STRBUF_INIT;

	if (keys->has_text && format)
		trace_event__print(format, payload, size, keys->raw, &text);
	extra->text = strpool__internn(&x->strings, text.buf, text.len);
	strbuf__exit(&text);
	extra->values = arena__zalloc(&x->arena, keys->nr_of_event[extra->event] * sizeof(*extra->values));
	for (size_t i = 0; i < keys->v.nr; i++)
		if (keys->v.v[i]->event == extra->event)
			extra->values[keys->v.v[i]->slot] =
				extras__make_value(x, keys->v.v[i], payload, size);
}

u32 extras__of_row(struct extras *x, const struct row *row)
{
	struct extra extra = { .event = row->key.event,
			       .nr_words = row->key.nr_extra,
			       .words = row->chain + row->key.nr_chain,
			       .text = x->v.v[EXTRA_NONE].text };
	u64 hash;
	u32 i;

	if (!extra.nr_words)
		return EXTRA_NONE;
	hash = hash__words(extra.words, extra.nr_words, extra.event);
	hash_table__for_each (&x->by_words, hash, i)
		if (x->v.v[i].event == extra.event && x->v.v[i].nr_words == extra.nr_words &&
		    !memcmp(x->v.v[i].words, extra.words, extra.nr_words * sizeof(*extra.words)))
			return i;
	extra.words = arena__memdup(&x->arena, extra.words, extra.nr_words * sizeof(*extra.words));
	if (extra.nr_words > x->words->nr)
		extras__read_payload(x, &extra);
	i = (u32)x->v.nr;
	hash_table__insert(&x->by_words, hash, i);
	array__add(&x->v, extra);
	return i;
}

u64 extras__word(const struct extras *x, sample_word word, u32 extra)
{
	for (size_t i = 0; extra != EXTRA_NONE && i < x->words->nr; i++)
		if (x->words->v[i] == word)
			return x->v.v[extra].words[i];
	return 0;
}

const struct trace_value *extras__value(const struct extras *x, const struct trace_key *key, u32 extra)
{
	const struct extra *e = &x->v.v[extra];

	return e->event == key->event && e->values ? &e->values[key->slot] : NULL;
}

void trace_value__add_json(const struct trace_value *value, const struct extras *x, struct strbuf *sb)
{
	const char *text = value ? extras__str(x, value->text) : NULL, *digits = text;

	if (text && *text == '-')
		digits++;
	if (!text)
		strbuf__addstr(sb, "null");
	else if (value->is_number && *digits && !digits[strspn(digits, "0123456789")] &&
		 (*digits != '0' || !digits[1]))
		strbuf__addstr(sb, text);
	else
		strbuf__add_json(sb, text);
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
