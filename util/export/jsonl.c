/*
 * JSON lines: an object for each sample, in the order of time. Stacks are arrays of the same length, from
 * the innermost frame: functions, their binaries, their source lines ("" where unknown). Where samples were
 * lost, there is an object of the kind "lost" with their number.
 */
#include "export/export_formats.h"

#include <stdlib.h>

struct jsonl_frame {
	u32 function, binary, line; /* JSON texts */
};

struct jsonl {
	struct strpool texts;
	size_t gap; /* the next one to write */
	ARRAY(struct jsonl_frame) frames;
};

static int jsonl__begin(struct export *x, struct err *err)
{
	struct jsonl *j = xcalloc(1, sizeof(*j));

	(void)err;
	strpool__init(&j->texts);
	x->data = j;
	return 0;
}

static u32 jsonl__text(struct jsonl *j, const char *text)
{
	struct strbuf json = STRBUF_INIT;
	u32 id;

	strbuf__add_json(&json, text);
	id = strpool__intern(&j->texts, json.buf);
	strbuf__exit(&json);
	return id;
}

static void jsonl__frame(struct export *x, u32 id, const struct export_frame *frame)
{
	struct jsonl *j = x->data;
	struct strbuf line = STRBUF_INIT;

	(void)id;
	if (frame->file)
		strbuf__addf(&line, "%s:%u", frame->file, frame->line);
	array__add(
		&j->frames,
		((struct jsonl_frame){
			jsonl__text(j, frame->function),
			jsonl__text(j, frame->binary == UINT32_MAX ? "" : x->binaries.v[frame->binary].name),
			jsonl__text(j, line.buf) }));
	strbuf__exit(&line);
}

static void jsonl__add_array(struct strbuf *sb, const struct export *x, const char *name, u32 stack,
			     size_t member)
{
	const struct jsonl *j = x->data;

	strbuf__addf(sb, ",\"%s\":[", name);
	for (u32 i = stack; i; i = x->tree.v[i].parent) {
		const struct jsonl_frame *f = &j->frames.v[x->tree.v[i].frame];

		if (i != stack)
			strbuf__addch(sb, ',');
		strbuf__addstr(sb, strpool__get(&j->texts, *(const u32 *)((const char *)f + member)));
	}
	strbuf__addch(sb, ']');
}

static void add_time(struct strbuf *sb, u64 time)
{
	strbuf__addf(sb, "{\"time\":%llu.%09llu", (unsigned long long)(time / 1000000000),
		     (unsigned long long)(time % 1000000000));
}

/* Write the gaps up to a time. */
static void jsonl__write_gaps(struct export *x, struct jsonl *j, u64 until)
{
	struct strbuf *sb = &x->out->text;

	for (; j->gap < x->tasks.gaps.nr && x->tasks.gaps.v[j->gap].time <= until; j->gap++) {
		const struct lost_gap *gap = &x->tasks.gaps.v[j->gap];

		if (gap->time == UINT64_MAX)
			strbuf__addstr(sb, "{\"time\":null");
		else
			add_time(sb, gap->time);
		strbuf__addf(sb, ",\"weight\":%llu,\"kind\":\"lost\"}\n", (unsigned long long)gap->nr);
	}
}

static void jsonl__add_fields(struct strbuf *sb, struct export *x, const struct export_sample *s)
{
	const struct trace_value *value;
	const char *name;
	bool any = false;
	size_t at = 0;

	while ((value = payloads__next(&x->payloads, s->row, &at, &name))) {
		strbuf__addstr(sb, any ? "," : ",\"fields\":{");
		strbuf__add_json(sb, name);
		strbuf__addch(sb, ':');
		trace_value__add_json(value, &x->payloads.extras, sb);
		any = true;
	}
	strbuf__addstr(sb, any ? "}" : "");
}

static void jsonl__sample(struct export *x, const struct export_sample *s)
{
	const struct export_event *e = &x->events.v[s->event];
	const struct export_thread *t = &x->threads.v[s->thread];
	struct strbuf *sb = &x->out->text;

	jsonl__write_gaps(x, x->data, s->time);
	add_time(sb, s->time);
	strbuf__addstr(sb, ",\"comm\":");
	strbuf__add_json(sb, s->comm);
	strbuf__addf(sb, ",\"pid\":%d,\"tid\":%d", (int)t->pid, (int)t->tid);
	if (s->cpu != STREAM_NO_CPU)
		strbuf__addf(sb, ",\"cpu\":%u", s->cpu);
	strbuf__addstr(sb, ",\"event\":");
	strbuf__add_json(sb, e->name);
	strbuf__addf(sb, ",\"weight\":%llu,\"kind\":\"%s\"", (unsigned long long)s->weight,
		     e->kind == SAMPLE_WAITING ? "waiting" : "running");
	jsonl__add_array(sb, x, "stack", s->stack, offsetof(struct jsonl_frame, function));
	jsonl__add_array(sb, x, "binary", s->stack, offsetof(struct jsonl_frame, binary));
	jsonl__add_array(sb, x, "line", s->stack, offsetof(struct jsonl_frame, line));
	jsonl__add_fields(sb, x, s);
	strbuf__addstr(sb, "}\n");
}

static void jsonl__end(struct export *x)
{
	struct jsonl *j = x->data;

	jsonl__write_gaps(x, j, UINT64_MAX);
	strpool__exit(&j->texts);
	array__exit(&j->frames);
	free(j);
}

const struct export_format export_jsonl = {
	.name = "jsonl",
	.suffix = ".jsonl",
	.help = "JSON lines: an object for each sample",
	.is_timed = true,
	.has_tasks = true,
	.parts = EXPORT_LOST | EXPORT_PAYLOADS,
	.is_text = true,
	.begin = jsonl__begin,
	.frame = jsonl__frame,
	.sample = jsonl__sample,
	.end = jsonl__end,
};
