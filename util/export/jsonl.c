/*
 * JSON lines: an object for each sample, in the order of time. Stacks are arrays of the same length, from the
 * innermost frame: functions, their binaries, their source lines ("" where unknown). An object of the kind
 * "lost" has the number of samples that were lost there.
 */
#include "export/export_formats.h"

#include <stdlib.h>
#include <string.h>

struct jsonl_text { /* JSON, in texts */
	const char *text;
	size_t len;
};

struct jsonl_frame {
	struct jsonl_text function, binary, line;
};

struct jsonl {
	struct strpool texts;
	size_t gap; /* the next one to write */
	ARRAY(struct jsonl_frame) frames;
	ARRAY(struct jsonl_text) events;
	/* names of threads that were used last, by their addresses */
	struct {
		const char *comm;
		struct jsonl_text json;
	} comms[64];
};

/* Return the text as JSON. */
static struct jsonl_text jsonl__text(struct jsonl *j, const char *text)
{
	struct strbuf json = STRBUF_INIT;
	struct jsonl_text t;

	strbuf__add_json(&json, text);
	t = (struct jsonl_text){ strpool__get(&j->texts, strpool__intern(&j->texts, json.buf)), json.len };
	strbuf__exit(&json);
	return t;
}

static int jsonl__begin(struct export *x, struct err *err)
{
	struct jsonl *j = xcalloc(1, sizeof(*j));

	(void)err;
	strpool__init(&j->texts);
	for (size_t i = 0; i < x->events.nr; i++)
		array__add(&j->events, jsonl__text(j, x->events.v[i].name));
	x->data = j;
	return 0;
}

static void jsonl__add_comm(struct strbuf *sb, struct jsonl *j, const char *comm)
{
	size_t at = hash__u64((uintptr_t)comm) % ARRAY_SIZE(j->comms);

	if (j->comms[at].comm != comm) {
		j->comms[at].comm = comm;
		j->comms[at].json = jsonl__text(j, comm);
	}
	strbuf__add(sb, j->comms[at].json.text, j->comms[at].json.len);
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

/* Append an array of the texts that are member of the frames of a stack. */
static void jsonl__add_array(struct strbuf *sb, const struct export *x, const char *name, u32 stack,
			     size_t member)
{
	const struct jsonl *j = x->data;
#define TEXT_AT(i) ((const struct jsonl_text *)((const char *)&j->frames.v[x->tree.v[i].frame] + member))
	size_t len = 0;
	char *end;

	strbuf__addstr(sb, name);
	for (u32 i = stack; i; i = x->tree.v[i].parent)
		len += TEXT_AT(i)->len + 1;
	strbuf__grow(sb, len);
	end = sb->buf + sb->len;
	for (u32 i = stack; i; i = x->tree.v[i].parent) {
		memcpy(end, TEXT_AT(i)->text, TEXT_AT(i)->len);
		end += TEXT_AT(i)->len;
		*end++ = ',';
	}
#undef TEXT_AT
	strbuf__setlen(sb, sb->len + len - (len > 0));
	strbuf__addch(sb, ']');
}

static void add_time(struct strbuf *sb, u64 time)
{
	strbuf__addstr(sb, "{\"time\":");
	strbuf__add_number(sb, time / 1000000000);
	strbuf__addch(sb, '.');
	strbuf__add_digits(sb, time % 1000000000, 9);
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
	const struct row *row = x->payloads.has_fields ? export__row(x, s) : NULL;
	const struct trace_value *value;
	const char *name;
	bool any = false;
	size_t at = 0;

	while ((value = payloads__next(&x->payloads, row, &at, &name))) {
		strbuf__addstr(sb, any ? "," : ",\"fields\":{");
		strbuf__add_json(sb, name);
		strbuf__addch(sb, ':');
		trace_value__add_json(value, &x->payloads.extras, sb);
		any = true;
	}
	strbuf__addstr(sb, any ? "}" : "");
}

/* -1: unknown */
static void add_id(struct strbuf *sb, const char *name, u32 id)
{
	strbuf__addstr(sb, name);
	if (id == UINT32_MAX)
		strbuf__addstr(sb, "-1");
	else
		strbuf__add_number(sb, id);
}

static void jsonl__sample(struct export *x, const struct export_sample *s)
{
	const struct export_event *e = &x->events.v[s->event];
	const struct export_thread *t = &x->threads.v[s->thread];
	struct strbuf *sb = &x->out->text;
	struct jsonl *j = x->data;

	jsonl__write_gaps(x, j, s->time);
	add_time(sb, s->time);
	strbuf__addstr(sb, ",\"comm\":");
	jsonl__add_comm(sb, j, s->comm);
	add_id(sb, ",\"pid\":", t->pid);
	add_id(sb, ",\"tid\":", t->tid);
	if (s->cpu != STREAM_NO_CPU)
		add_id(sb, ",\"cpu\":", s->cpu);
	strbuf__addstr(sb, ",\"event\":");
	strbuf__add(sb, j->events.v[s->event].text, j->events.v[s->event].len);
	strbuf__addstr(sb, ",\"weight\":");
	strbuf__add_number(sb, s->weight);
	strbuf__addstr(sb, e->kind == SAMPLE_WAITING ? ",\"kind\":\"waiting\"" : ",\"kind\":\"running\"");
	jsonl__add_array(sb, x, ",\"stack\":[", s->stack, offsetof(struct jsonl_frame, function));
	jsonl__add_array(sb, x, ",\"binary\":[", s->stack, offsetof(struct jsonl_frame, binary));
	jsonl__add_array(sb, x, ",\"line\":[", s->stack, offsetof(struct jsonl_frame, line));
	jsonl__add_fields(sb, x, s);
	strbuf__addstr(sb, "}\n");
}

static void jsonl__end(struct export *x)
{
	struct jsonl *j = x->data;

	jsonl__write_gaps(x, j, UINT64_MAX);
	strpool__exit(&j->texts);
	array__exit(&j->frames);
	array__exit(&j->events);
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
