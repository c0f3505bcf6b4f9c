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

void extras__init(struct extras *x, struct session *s, const sample_words *words, const sample_values *values,
		  const struct trace_keys *keys)
{
	*x = (struct extras){ .session = s, .words = words, .values = values, .keys = keys };
	x->nr_values = values ? values->nr : words->nr;
	for (size_t i = 0; values && i < values->nr; i++)
		x->value_of_field[values->v[i] - sample_fields] = (u8)(i + 1);
	strpool__init(&x->strings);
	array__add(&x->v, ((struct extra){ .text = strpool__intern(&x->strings, "N/A") }));
	if (keys && keys->formats)
		trace_formats__set_functions(keys->formats, name_function, s);
}

void extras__exit(struct extras *x)
{
	array__exit(&x->v);
	array__exit(&x->last_row);
	array__exit(&x->scratch);
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
	const void *payload = extra->words + x->nr_values + 1;
	size_t size = (size_t)extra->words[x->nr_values];
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

/* Set scratch to the extra of a row with the values of fields in place of the words that they are made of. */
static void extras__set_scratch(struct extras *x, u32 event, const struct row_extra *of_row)
{
	struct sample s = { .evsel = x->session->reader->evlist.evsels.v[event] };
	size_t nr_words = x->words->nr, nr_left = of_row->nr - nr_words;

	array__reserve(&x->scratch, x->nr_values + nr_left);
	for (size_t i = 0; i < nr_words; i++)
		*(u64 *)(void *)((u8 *)&s + x->words->v[i].offset) = of_row->v[i];
	for (size_t i = 0; i < x->nr_values; i++)
		x->scratch.v[i] = x->values ? x->values->v[i]->value(&s) : of_row->v[i];
	if (nr_left)
		memcpy(x->scratch.v + x->nr_values, of_row->v + nr_words, nr_left * sizeof(u64));
	x->scratch.nr = x->nr_values + nr_left;
}

/* Return the id of the extra in scratch. */
static u32 extras__intern(struct extras *x, u32 event)
{
	struct extra extra = { .event = event,
			       .nr_words = (u32)x->scratch.nr,
			       .text = x->v.v[EXTRA_NONE].text };
	size_t size = extra.nr_words * sizeof(u64);
	u64 hash = hash__words(x->scratch.v, extra.nr_words, event);
	u32 i;

	hash_table__for_each (&x->by_words, hash, i)
		if (x->v.v[i].event == event && x->v.v[i].nr_words == extra.nr_words &&
		    !memcmp(x->v.v[i].words, x->scratch.v, size))
			return i;
	extra.words = arena__memdup(&x->arena, x->scratch.v, size);
	if (extra.nr_words > x->nr_values)
		extras__read_payload(x, &extra);
	i = (u32)x->v.nr;
	hash_table__insert(&x->by_words, hash, i);
	array__add(&x->v, extra);
	return i;
}

u32 extras__of_row(struct extras *x, u32 event, const struct row *row)
{
	const struct row_extra *e = &row->extra;

	if (!e->nr)
		return EXTRA_NONE;
	if (x->last != EXTRA_NONE && x->v.v[x->last].event == event && x->last_row.nr == e->nr &&
	    !memcmp(x->last_row.v, e->v, e->nr * sizeof(u64)))
		return x->last;
	extras__set_scratch(x, event, e);
	array__reserve(&x->last_row, e->nr);
	memcpy(x->last_row.v, e->v, e->nr * sizeof(u64));
	x->last_row.nr = e->nr;
	return x->last = extras__intern(x, event);
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
