/*
 * speedscope's file format (www.speedscope.app/file-format-schema.json): a sampled profile for each
 * thread and event, in the order of time. Frames are functions; samples in a row with one stack are one.
 */
#include "export/export_formats.h"

#include <stdlib.h>
#include <string.h>

struct speedscope_number { /* as text, with a comma before it */
	char text[12];
	u32 len;
};

struct speedscope_path {
	u32 at, len;
};

struct speedscope {
	struct strpool names;                     /* JSON of the frames */
	ARRAY(struct speedscope_number) of_frame; /* index of its name, from 0 on */
	ARRAY(u32) frames;                        /* scratch: of a stack */
	struct strbuf paths;                      /* texts of stacks, one after the other */
	ARRAY(struct speedscope_path) of_stack;   /* position of the text of a stack; len 0: not made yet */
	struct strbuf weights;
	const struct export_thread *thread;
	bool has_profile, has_profiles;
	u32 event;
	u32 stack;                   /* of the samples whose weight is not written yet */
	struct speedscope_path path; /* ... its text */
	u64 weight;                  /* ... their sum */
	u64 total;                   /* of the profile */
};

static int speedscope__begin(struct export *x, struct err *err)
{
	struct speedscope *s = xcalloc(1, sizeof(*s));

	(void)err;
	strpool__init(&s->names);
	strbuf__init(&s->weights);
	strbuf__init(&s->paths);
	x->data = s;
	strbuf__addstr(&x->out->text, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
				      "\"exporter\":\"perf\",\"name\":");
	strbuf__add_json(&x->out->text, x->session->reader->path);
	strbuf__addstr(&x->out->text, ",\"shared\":{\"frames\":[");
	return 0;
}

static void speedscope__frame(struct export *x, u32 id, const struct export_frame *frame)
{
	struct speedscope *s = x->data;
	struct strbuf text = STRBUF_INIT;
	size_t nr = s->names.strings.nr;
	struct speedscope_number *number;
	u32 name;

	(void)id;
	strbuf__addstr(&text, "{\"name\":");
	strbuf__add_json(&text, frame->function);
	if (frame->file) {
		strbuf__addstr(&text, ",\"file\":");
		strbuf__add_json(&text, frame->file);
	} else if (frame->binary != UINT32_MAX) {
		strbuf__addstr(&text, ",\"file\":");
		strbuf__add_json(&text, x->binaries.v[frame->binary].name);
	}
	strbuf__addch(&text, '}');
	name = strpool__intern(&s->names, text.buf);
	if (name >= nr) {
		if (name > 1)
			strbuf__addch(&x->out->text, ',');
		strbuf__add(&x->out->text, text.buf, text.len);
	}
	strbuf__reset(&text);
	strbuf__addf(&text, ",%u", name - 1);
	number = array__push(&s->of_frame);
	*number = (struct speedscope_number){ .len = (u32)text.len };
	memcpy(number->text, text.buf, text.len);
	strbuf__exit(&text);
}

/*
 * Append the frames of the path, outermost first. A number is copied with what follows it in its array,
 * which the next one overwrites.
 */
static void speedscope__add_path(struct strbuf *sb, const struct speedscope *s)
{
	char *end;

	strbuf__grow(sb, (s->frames.nr + 1) * sizeof(s->of_frame.v->text));
	end = sb->buf + sb->len;
	for (size_t i = s->frames.nr; i-- > 0;) {
		const struct speedscope_number *number = &s->of_frame.v[s->frames.v[i]];

		memcpy(end, number->text, sizeof(number->text));
		end += number->len;
	}
	if (s->frames.nr) /* the first one has no comma before it */
		sb->buf[sb->len] = '[';
	else
		*end++ = '[';
	*end++ = ']';
	strbuf__setlen(sb, (size_t)(end - sb->buf));
}

/* Return where the stack has its text in paths. Samples of one stack are many. */
static struct speedscope_path speedscope__path(const struct export *x, struct speedscope *s, u32 stack)
{
	struct speedscope_path *path;

	while (s->of_stack.nr <= stack)
		array__add(&s->of_stack, ((struct speedscope_path){ 0 }));
	path = &s->of_stack.v[stack];
	if (path->len)
		return *path;
	s->frames.nr = 0;
	for (u32 i = stack; i; i = x->tree.v[i].parent)
		array__add(&s->frames, x->tree.v[i].frame);
	path->at = (u32)s->paths.len;
	speedscope__add_path(&s->paths, s);
	path->len = (u32)(s->paths.len - path->at);
	return *path;
}

/* The text will be copied when the next stack comes: it is fetched until then. */
static void speedscope__begin_samples(const struct export *x, struct speedscope *s, u32 stack)
{
	s->stack = stack;
	s->path = speedscope__path(x, s, stack);
	__builtin_prefetch(s->paths.buf + s->path.at);
	__builtin_prefetch(s->paths.buf + s->path.at + 64);
}

static void speedscope__end_samples(struct export *x, struct speedscope *s)
{
	struct strbuf *sb = &x->out->text;

	if (s->weights.len) {
		strbuf__addch(sb, ',');
		strbuf__addch(&s->weights, ',');
	}
	strbuf__add(sb, s->paths.buf + s->path.at, s->path.len);
	strbuf__add_number(&s->weights, s->weight);
	s->total += s->weight;
	s->weight = 0;
}

static void speedscope__end_profile(struct export *x, struct speedscope *s)
{
	struct strbuf *sb = &x->out->text;

	if (!s->has_profile)
		return;
	speedscope__end_samples(x, s);
	strbuf__addstr(sb, "],\"weights\":[");
	export_out__add(x->out, s->weights.buf, s->weights.len);
	strbuf__addf(sb, "],\"endValue\":%llu}", (unsigned long long)s->total);
	strbuf__reset(&s->weights);
	s->total = 0;
	s->has_profile = false;
}

static void speedscope__begin_profile(struct export *x, struct speedscope *s,
				      const struct export_sample *sample)
{
	const struct export_event *e = &x->events.v[sample->event];
	struct strbuf *sb = &x->out->text, name = STRBUF_INIT;

	strbuf__addf(&name, "%s (%d/%d)", s->thread->name, (int)s->thread->pid, (int)s->thread->tid);
	if (x->nr_events > 1)
		strbuf__addf(&name, " %s", e->name);
	strbuf__addstr(sb, s->has_profiles ? ",\n{\"type\":\"sampled\",\"name\":"
					   : "\n{\"type\":\"sampled\",\"name\":");
	strbuf__add_json(sb, name.buf);
	strbuf__addf(sb, ",\"unit\":\"%s\",\"startValue\":0,\"samples\":[",
		     e->is_time ? "nanoseconds" : "none");
	strbuf__exit(&name);
	s->has_profile = s->has_profiles = true;
	s->event = sample->event;
	speedscope__begin_samples(x, s, sample->stack);
}

static void speedscope__thread(struct export *x, u32 id, const struct export_thread *t)
{
	struct speedscope *s = x->data;

	if (!id)
		strbuf__addstr(&x->out->text, "]},\"profiles\":[");
	speedscope__end_profile(x, s);
	s->thread = t;
}

static void speedscope__sample(struct export *x, const struct export_sample *sample)
{
	struct speedscope *s = x->data;

	if (s->has_profile && s->event != sample->event)
		speedscope__end_profile(x, s);
	if (!s->has_profile)
		speedscope__begin_profile(x, s, sample);
	if (s->stack != sample->stack) {
		speedscope__end_samples(x, s);
		speedscope__begin_samples(x, s, sample->stack);
	}
	s->weight += sample->weight;
}

static void speedscope__end(struct export *x)
{
	struct speedscope *s = x->data;

	if (!x->threads.nr)
		strbuf__addstr(&x->out->text, "]},\"profiles\":[");
	speedscope__end_profile(x, s);
	strbuf__addstr(&x->out->text, "]}\n");
	strpool__exit(&s->names);
	array__exit(&s->of_frame);
	array__exit(&s->frames);
	array__exit(&s->of_stack);
	strbuf__exit(&s->paths);
	strbuf__exit(&s->weights);
	free(s);
}

const struct export_format export_speedscope = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.help = "for www.speedscope.app",
	.is_timed = true,
	.by_thread = true,
	.by_event = true,
	.begin = speedscope__begin,
	.frame = speedscope__frame,
	.thread = speedscope__thread,
	.sample = speedscope__sample,
	.end = speedscope__end,
};
