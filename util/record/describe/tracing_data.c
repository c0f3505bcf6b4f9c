#include "record/describe/tracing_data.h"

#include "base/message/msg.h"
#include "event/tracepoint/trace_header.h"
#include "event/tracepoint/tracefs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define VERSION "0.6" /* the version that has the process names at the end */

struct tracepoint {
	u64 id;
	char *system, *name; /* NULL: not found (yet) */
	struct strbuf format;
};

typedef ARRAY(struct tracepoint) tracepoint_array;

static void tracepoints__exit(tracepoint_array *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		free(t->v[i].system);
		free(t->v[i].name);
		strbuf__exit(&t->v[i].format);
	}
	array__exit(t);
}

/* ---- which tracepoints ---- */

static bool tracepoints__has(const tracepoint_array *t, u64 id)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->v[i].id == id)
			return true;
	return false;
}

static void tracepoint__set(struct tracepoint *t, const char *system, size_t system_len, const char *name,
			    size_t len)
{
	t->system = xasprintf("%.*s", (int)system_len, system);
	t->name = xasprintf("%.*s", (int)len, name);
}

/* Try the event's name, "SYSTEM:NAME" or "SYSTEM:NAME:MODIFIERS": is that the tracepoint with this id? */
static void tracepoint__guess(struct tracepoint *t, const char *tracefs, const char *event)
{
	size_t system_len = strcspn(event ? event : "", ":");
	const char *name = event ? event + system_len : "";
	u64 id;

	if (*name++ != ':')
		return;
	tracepoint__set(t, event, system_len, name, strcspn(name, ":"));
	if (!tracefs__event_id(tracefs, t->system, t->name, &id, NULL) && id == t->id)
		return;
	free(t->system);
	free(t->name);
	t->system = t->name = NULL;
}

struct search {
	const char *tracefs;
	tracepoint_array *tracepoints;
};

static int search_event(const char *system, const char *event, void *ctx)
{
	struct search *s = ctx;
	bool missing = false;
	u64 id;

	if (tracefs__event_id(s->tracefs, system, event, &id, NULL))
		return 0;
	for (size_t i = 0; i < s->tracepoints->nr; i++) {
		struct tracepoint *t = &s->tracepoints->v[i];

		if (!t->name && t->id == id)
			tracepoint__set(t, system, strlen(system), event, strlen(event));
		missing |= !t->name;
	}
	return !missing;
}

/* Search all of tracefs for the tracepoints whose id alone is known. */
static int tracepoints__find(tracepoint_array *tps, const char *tracefs, const struct evlist *l,
			     struct err *err)
{
	struct search search = { tracefs, tps };

	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i];
		struct tracepoint t = { .id = e->attr.config, .format = STRBUF_INIT };

		if (e->attr.type != PERF_TYPE_TRACEPOINT || tracepoints__has(tps, t.id))
			continue;
		tracepoint__guess(&t, tracefs, e->name);
		array__add(tps, t);
	}
	for (size_t i = 0; i < tps->nr; i++) {
		if (!tps->v[i].name)
			(void)tracefs__for_each_event(tracefs, NULL, NULL, search_event, &search);
		if (!tps->v[i].name)
			return err__set(err, -ESRCH, "no tracepoint in '%s' has the id %llu", tracefs,
					(unsigned long long)tps->v[i].id);
	}
	return 0;
}

static int tracepoints__read(tracepoint_array *tps, const char *tracefs, struct err *err)
{
	for (size_t i = 0; i < tps->nr; i++) {
		struct tracepoint *t = &tps->v[i];
		int ret = tracefs__event_format(tracefs, t->system, t->name, &t->format);

		if (ret)
			return err__set(err, ret, "cannot read '%s/events/%s/%s/format': %s", tracefs,
					t->system, t->name, err__str(ret));
	}
	return 0;
}

/* ---- the bytes ---- */

static void add_u32(struct strbuf *out, size_t value)
{
	u32 x = (u32)value;

	strbuf__add(out, &x, sizeof(x));
}

static void add_sized(struct strbuf *out, const struct strbuf *text)
{
	u64 size = text->len;

	strbuf__add(out, &size, sizeof(size));
	strbuf__add(out, text->buf, text->len);
}

/* A file that does not exist or may not be read counts as empty. */
static void read_file(const char *tracefs, const char *file, struct strbuf *text)
{
	strbuf__reset(text);
	if (tracefs__read(tracefs, file, text))
		strbuf__reset(text);
}

static void add_start(struct strbuf *out, const char *tracefs)
{
	struct strbuf text = STRBUF_INIT;

	strbuf__add(out, TRACE_HEADER_MAGIC, sizeof(TRACE_HEADER_MAGIC) - 1);
	strbuf__add(out, VERSION, sizeof(VERSION));
	strbuf__addch(out, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	strbuf__addch(out, sizeof(long));
	add_u32(out, (size_t)sysconf(_SC_PAGESIZE));
	read_file(tracefs, "events/header_page", &text);
	strbuf__add(out, "header_page", sizeof("header_page"));
	add_sized(out, &text);
	read_file(tracefs, "events/header_event", &text);
	strbuf__add(out, "header_event", sizeof("header_event"));
	add_sized(out, &text);
	strbuf__exit(&text);
}

static bool tracepoint__is_tracers_own(const struct tracepoint *t)
{
	return !strcmp(t->system, "ftrace");
}

/* Append the tracepoints of the system of tps[first]; return how many. */
static size_t add_system(struct strbuf *out, const tracepoint_array *tps, size_t first)
{
	size_t at = out->len;
	u32 nr = 0;

	add_u32(out, 0);
	for (size_t i = first; i < tps->nr; i++)
		if (!strcmp(tps->v[i].system, tps->v[first].system)) {
			add_sized(out, &tps->v[i].format);
			nr++;
		}
	memcpy(out->buf + at, &nr, sizeof(nr));
	return nr;
}

static bool is_first_of_system(const tracepoint_array *tps, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (!strcmp(tps->v[j].system, tps->v[i].system))
			return false;
	return true;
}

static void add_formats(struct strbuf *out, const tracepoint_array *tps)
{
	size_t own = 0, at;
	u32 nr = 0;

	while (own < tps->nr && !tracepoint__is_tracers_own(&tps->v[own]))
		own++;
	if (own < tps->nr)
		add_system(out, tps, own);
	else
		add_u32(out, 0);
	at = out->len;
	add_u32(out, 0);
	for (size_t i = 0; i < tps->nr; i++) {
		const char *system = tps->v[i].system;

		if (tracepoint__is_tracers_own(&tps->v[i]) || !is_first_of_system(tps, i))
			continue;
		strbuf__add(out, system, strlen(system) + 1);
		add_system(out, tps, i);
		nr++;
	}
	memcpy(out->buf + at, &nr, sizeof(nr));
}

static void add_end(struct strbuf *out, const char *tracefs)
{
	struct strbuf text = STRBUF_INIT;

	add_u32(out, 0); /* no kallsyms: reports take the kernel's symbols from elsewhere */
	read_file(tracefs, "printk_formats", &text);
	add_u32(out, text.len);
	strbuf__add(out, text.buf, text.len);
	read_file(tracefs, "saved_cmdlines", &text);
	add_sized(out, &text);
	strbuf__exit(&text);
}

int tracing_data__build(const char *tracefs, const struct evlist *l, struct strbuf *out, struct err *err)
{
	tracepoint_array tps = { 0 };
	int ret = tracepoints__find(&tps, tracefs, l, err);

	if (!ret)
		ret = tracepoints__read(&tps, tracefs, err);
	if (!ret) {
		add_start(out, tracefs);
		add_formats(out, &tps);
		add_end(out, tracefs);
	}
	tracepoints__exit(&tps);
	return ret;
}

int tracing_data__write(struct writer *w, const struct evlist *l)
{
	struct strbuf tracefs = STRBUF_INIT, data = STRBUF_INIT;
	struct err err = ERR_INIT;
	int ret = 0;

	if (!evlist__has_tracepoints(l))
		return 0;
	if (tracefs__find(&tracefs, &err) || tracing_data__build(tracefs.buf, l, &data, &err)) {
		err__prefix(&err, "the fields of tracepoints will not be readable");
		warning("%s", err.text.buf);
	} else {
		ret = writer__feature(w, FEATURE_TRACING_DATA, data.buf, data.len);
	}
	strbuf__exit(&tracefs);
	strbuf__exit(&data);
	err__exit(&err);
	return ret;
}
