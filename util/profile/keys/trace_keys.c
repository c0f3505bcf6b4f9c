#include "profile/keys/trace_keys.h"

#include "base/text/glob.h"

#include <errno.h>
#include <string.h>

struct trace_formats *reader__trace_formats(const struct reader *r, struct err *why)
{
	struct trace_formats *formats = NULL;
	struct strbuf data = STRBUF_INIT;

	if (!evlist__has_tracepoints(&r->evlist))
		return NULL;
	if (reader__feature(r, FEATURE_TRACING_DATA, &data))
		err__set(why, -ENOENT, "'%s' has no formats of its tracepoints", r->path);
	else
		(void)trace_formats__new(&formats, data.buf, data.len, why);
	strbuf__exit(&data);
	return formats;
}

void trace_keys__init(struct trace_keys *k, const struct evlist *l, struct trace_formats *formats,
		      const char *missing, bool raw)
{
	*k = (struct trace_keys){ .evlist = l, .formats = formats, .missing = missing, .raw = raw };
	k->nr_of_event = xcalloc(l->evsels.nr + 1, sizeof(*k->nr_of_event));
	k->spans = xcalloc(l->evsels.nr + 1, sizeof(*k->spans));
}

void trace_keys__exit(struct trace_keys *k)
{
	for (size_t i = 0; i < k->v.nr; i++)
		free(k->v.v[i]);
	array__exit(&k->v);
	for (size_t i = 0; k->spans && i < k->evlist->evsels.nr; i++)
		array__exit(&k->spans[i]);
	free(k->spans);
	free(k->nr_of_event);
	*k = (struct trace_keys){ .evlist = NULL };
}

static struct trace_event *keys__format(const struct trace_keys *k, const struct evsel *e)
{
	if (e->attr.type != PERF_TYPE_TRACEPOINT || !(e->attr.sample_type & PERF_SAMPLE_RAW) || !k->formats)
		return NULL;
	return trace_formats__event(k->formats, e->attr.config);
}

bool trace_keys__is_all(const struct trace_keys *k)
{
	bool known = false;

	for (size_t i = 0; i < k->evlist->evsels.nr; i++) {
		if (k->evlist->evsels.v[i]->attr.type != PERF_TYPE_TRACEPOINT)
			return false;
		known |= keys__format(k, k->evlist->evsels.v[i]) != NULL;
	}
	return known;
}

/* ---- from words to keys ---- */

struct key_word {
	char *event; /* NULL: all events that have the field */
	char *field;
	bool raw;
};

/* Parse "[EVENT.]FIELD[/raw]". Return false if something else follows the slash, or EVENT is empty. */
static bool key_word__parse(struct key_word *w, const char *word, size_t len, bool raw)
{
	char *text = xasprintf("%.*s", (int)len, word), *slash = strrchr(text, '/'), *dot;
	bool ok = !slash || !strcmp(slash, "/raw");

	if (slash)
		*slash = '\0';
	dot = strrchr(text, '.');
	if (dot)
		*dot = '\0';
	*w = (struct key_word){ .field = xstrdup(dot ? dot + 1 : text), .raw = raw || slash };
	w->event = dot ? xstrdup(text) : NULL;
	ok &= !dot || dot > text;
	free(text);
	return ok;
}

static void key_word__exit(struct key_word *w)
{
	free(w->event);
	free(w->field);
}

static bool event__matches(const struct evsel *e, const char *event)
{
	char *end;

	if (!event)
		return true;
	if (*event == '%')
		return strtoul(event + 1, &end, 10) == e->idx + 1u && !*end;
	if (glob__is_pattern(event))
		return glob__match(event, e->name);
	return strchr(event, ':') ? !strcmp(event, e->name) : strstr(e->name, event) != NULL;
}

static const struct column *keys__add(struct trace_keys *k, const struct evsel *e, struct trace_event *format,
				      size_t field, bool raw)
{
	const struct trace_field *f;
	struct trace_key *key;
	size_t nr;

	for (size_t i = 0; i < k->v.nr; i++) {
		key = k->v.v[i];
		if (key->event == e->idx && key->field == field && key->raw == raw)
			return &key->column;
	}
	f = trace_event__fields(format, &nr) + field;
	key = xcalloc(1, sizeof(*key));
	*key = (struct trace_key){ .column = trace_field_column,
				   .event = e->idx,
				   .format = format,
				   .field = field,
				   .raw = raw,
				   .slot = k->nr_of_event[e->idx]++ };
	key->column.name = key->column.header = f->name;
	key->column.trace = key;
	array__add(&k->v, key);
	if (raw)
		trace_spans__add(&k->spans[e->idx],
				 &(struct trace_span){ f->offset, f->size, f->is_dynamic, f->is_relative });
	else
		trace_event__field_needs(format, field, &k->spans[e->idx]);
	return &key->column;
}

/* Add the fields of one event that the word names. Return how many. */
static size_t keys__add_of_event(struct trace_keys *k, const struct evsel *e, const struct key_word *w,
				 void (*add)(void *ctx, const struct column *c), void *ctx)
{
	struct trace_event *format = keys__format(k, e);
	size_t nr = 0, found = 0;
	const struct trace_field *fields = format ? trace_event__fields(format, &nr) : NULL;

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(w->field, "*") || !strcmp(w->field, fields[i].name)) {
			add(ctx, keys__add(k, e, format, i, w->raw));
			found++;
		}
	return found;
}

/* Is event a partial name that matches several tracepoints? */
static bool is_ambiguous(const struct trace_keys *k, const char *event)
{
	size_t nr = 0;

	if (!event || *event == '%' || strchr(event, ':') || glob__is_pattern(event))
		return false;
	for (size_t i = 0; i < k->evlist->evsels.nr; i++)
		nr += k->evlist->evsels.v[i]->attr.type == PERF_TYPE_TRACEPOINT &&
		      event__matches(k->evlist->evsels.v[i], event);
	return nr > 1;
}

int trace_keys__find(struct trace_keys *k, const char *word, size_t len,
		     void (*add)(void *ctx, const struct column *c), void *ctx, struct err *err)
{
	static const char all[] = "trace_fields";
	struct key_word w;
	size_t found = 0;
	int ret = 0;

	if (len == sizeof(all) - 1 && !strncmp(word, all, len)) {
		w = (struct key_word){ .field = xstrdup("*"), .raw = k->raw };
		found = !k->missing; /* fine if there are no tracepoints */
	} else if (!key_word__parse(&w, word, len, k->raw) || (!w.event && !strcmp(w.field, "*"))) {
		ret = -ENOENT;
	} else if (is_ambiguous(k, w.event)) {
		ret = err__set(err, -EINVAL, "'%s' in '%.*s' is part of the names of several tracepoints",
			       w.event, (int)len, word);
	}
	for (size_t i = 0; !ret && i < k->evlist->evsels.nr; i++)
		if (event__matches(k->evlist->evsels.v[i], w.event))
			found += keys__add_of_event(k, k->evlist->evsels.v[i], &w, add, ctx);
	key_word__exit(&w);
	return ret ? ret : found ? 0 : -ENOENT;
}

void trace_keys__offer(const struct trace_keys *k, struct suggest *s)
{
	for (size_t i = 0; i < k->evlist->evsels.nr; i++) {
		struct trace_event *format = keys__format(k, k->evlist->evsels.v[i]);
		size_t nr = 0;
		const struct trace_field *fields = format ? trace_event__fields(format, &nr) : NULL;

		for (size_t j = 0; j < nr; j++)
			suggest__offer(s, fields[j].name);
	}
}

void trace_keys__want_text(struct trace_keys *k)
{
	k->has_text = true;
	for (size_t i = 0; i < k->evlist->evsels.nr; i++) {
		struct trace_event *format = keys__format(k, k->evlist->evsels.v[i]);

		if (format)
			trace_event__needs(format, &k->spans[i]);
		if (format && !k->spans[i].nr) /* an event without fields has a text, too */
			trace_spans__add(&k->spans[i], &(struct trace_span){ .size = 0 });
	}
}

bool trace_keys__cuts(const struct trace_keys *k, struct payload_cuts *cuts)
{
	bool any = false;

	for (size_t i = 0; i < k->evlist->evsels.nr; i++)
		any |= k->spans[i].nr;
	if (any)
		*cuts = (struct payload_cuts){ k->spans, trace_formats__big_endian(k->formats) };
	return any;
}
