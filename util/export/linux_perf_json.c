/*
 * The format of stock perf's data convert --to-json, version 1, with its tabs: an object for each sample, in
 * the order of time. A call chain has the addresses as recorded, from the innermost one on, with symbol and
 * binary if they are known. Fields of tracepoints are texts.
 */
#include "export/export_formats.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

struct perf_json_frame {
	u32 symbol, dso; /* JSON texts; symbol 0: unknown */
};

struct perf_json {
	struct strpool texts;
	ARRAY(struct perf_json_frame) frames;
	bool has_samples;
};

static int perf_json__begin(struct export *x, struct err *err)
{
	struct perf_json *j = xcalloc(1, sizeof(*j));
	struct strbuf *sb = &x->out->text;

	(void)err;
	strpool__init(&j->texts);
	x->data = j;
	strbuf__addstr(sb, "{\n\t\"linux-perf-json-version\": 1,\n\t\"headers\": {");
	if (!x->args->redact) /* they have the command line */
		features__add_json(x->session->reader, "\n\t\t", sb);
	strbuf__addstr(sb, "\n\t},\n\t\"samples\": [");
	return 0;
}

static u32 perf_json__text(struct perf_json *j, const char *text)
{
	struct strbuf json = STRBUF_INIT;
	u32 id;

	strbuf__add_json(&json, text);
	id = strpool__intern(&j->texts, json.buf);
	strbuf__exit(&json);
	return id;
}

static void perf_json__frame(struct export *x, u32 id, const struct export_frame *frame)
{
	struct perf_json *j = x->data;
	struct perf_json_frame f = { 0 };

	(void)id;
	if (frame->symbol && !frame->is_unknown)
		f = (struct perf_json_frame){ perf_json__text(j, frame->function),
					      perf_json__text(j, x->binaries.v[frame->binary].name) };
	array__add(&j->frames, f);
}

static void add_frame(struct strbuf *sb, const struct perf_json *j, u64 ip, u32 frame, bool is_first)
{
	const struct perf_json_frame *f = &j->frames.v[frame];

	strbuf__addf(sb, "%s\n\t\t\t\t{\n\t\t\t\t\t\"ip\": \"0x%llx\"", is_first ? "" : ",", (ull)ip);
	if (f->symbol)
		strbuf__addf(sb, ",\n\t\t\t\t\t\"symbol\": %s,\n\t\t\t\t\t\"dso\": %s",
			     strpool__get(&j->texts, f->symbol), strpool__get(&j->texts, f->dso));
	strbuf__addstr(sb, "\n\t\t\t\t}");
}

/*
 * Append a call chain: each address is a frame, without inlined functions. A sample without a chain has one
 * frame.
 */
static void add_chain(struct strbuf *sb, const struct export *x, const struct row *row, u32 stack)
{
	const struct row_key *key = &row->key;
	u32 nr = 0;

	strbuf__addstr(sb, "\"callchain\": [");
	for (u32 i = 0; i < key->nr_chain && stack; i++) {
		if (row->chain[i] >= PERF_CONTEXT_MAX)
			continue;
		add_frame(sb, x->data, row->chain[i], x->tree.v[stack].frame, !nr++);
		stack = x->tree.v[stack].parent;
	}
	if (!nr && stack)
		add_frame(sb, x->data, key->ip, x->tree.v[stack].frame, true);
	strbuf__addstr(sb, "\n\t\t\t]");
}

/* A name that a sample has anyway gets that of the event before it: an object has a name once. */
static void add_fields(struct strbuf *sb, struct export *x, const struct row *row)
{
	static const char *const taken[] = { "timestamp", "pid", "tid", "cpu", "comm", "callchain" };
	const struct trace_value *value;
	const char *name;
	size_t at = 0;

	while ((value = payloads__next(&x->payloads, row, &at, &name))) {
		struct strbuf key = STRBUF_INIT;

		for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
			if (!strcmp(name, taken[i]))
				strbuf__addf(&key, "%s.", x->events.v[row->key.event].name);
		strbuf__addstr(&key, name);
		strbuf__addstr(sb, ",\n\t\t\t");
		strbuf__add_json(sb, key.buf);
		strbuf__addstr(sb, ": ");
		strbuf__add_json(sb, extras__str(&x->payloads.extras, value->text));
		strbuf__exit(&key);
	}
}

static void perf_json__sample(struct export *x, const struct export_sample *s)
{
	const struct export_thread *t = &x->threads.v[s->thread];
	const struct row *row = export__row(x, s);
	struct strbuf *sb = &x->out->text;
	struct perf_json *j = x->data;

	strbuf__addf(sb, "%s\n\t\t{\n\t\t\t\"timestamp\": %llu", j->has_samples ? "," : "", (ull)s->time);
	j->has_samples = true;
	strbuf__addf(sb, ",\n\t\t\t\"pid\": %d,\n\t\t\t\"tid\": %d", (int)t->pid, (int)t->tid);
	if (s->cpu != STREAM_NO_CPU)
		strbuf__addf(sb, ",\n\t\t\t\"cpu\": %u", s->cpu);
	strbuf__addstr(sb, ",\n\t\t\t\"comm\": ");
	strbuf__add_json(sb, s->comm);
	strbuf__addstr(sb, ",\n\t\t\t");
	add_chain(sb, x, row, s->stack);
	add_fields(sb, x, row);
	strbuf__addstr(sb, "\n\t\t}");
}

static void perf_json__end(struct export *x)
{
	struct perf_json *j = x->data;

	strbuf__addstr(&x->out->text, "\n\t]\n}\n");
	strpool__exit(&j->texts);
	array__exit(&j->frames);
	free(j);
}

const struct export_format export_linux_perf_json = {
	.name = "linux-perf-json",
	.suffix = ".perf.json",
	.help = "as perf data convert --to-json",
	.is_timed = true,
	.has_rows = true,
	.only_symbols = true,
	.parts = EXPORT_PAYLOADS,
	.is_text = true,
	.begin = perf_json__begin,
	.frame = perf_json__frame,
	.sample = perf_json__sample,
	.end = perf_json__end,
};
