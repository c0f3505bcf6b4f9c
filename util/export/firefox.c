/*
 * Firefox Profiler's processed format, version 60: tables that all threads share, and the samples of each
 * thread, which is a track. The header of the recording is in meta.extra, lost samples are markers.
 *
 * The reader takes a sample for what was since the one before; threadCPUDelta says for how much of that time
 * the thread ran. A wait is two samples: one without weight where it begins, and its own at its end, without
 * CPU time. Two samples without a stack enclose the time in which the thread did not run, if the recording
 * has switches.
 */
#include "export/export_formats.h"

#include "base/text/put.h"
#include "format/read/features.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX /* in tables: null or -1 */

/* Shorter idle time is not shown, only missing from the CPU time; ns. */
enum { IDLE_SHOWN = 1000000 };

/* Colours of frames; the reader wants one category that is grey. */
static const struct {
	const char *name, *color;
} categories[] = {
	{ "User", "yellow" },
	{ "Kernel", "orange" },
	{ "JIT", "green" },
	{ "Other", "grey" },
};
enum { CATEGORY_USER, CATEGORY_KERNEL, CATEGORY_JIT, CATEGORY_OTHER };

struct firefox_frame {
	s64 addr;         /* -1: in no binary */
	u32 func, native; /* native: of the function that is not inlined; NONE */
	u32 line, category, depth;
};

struct firefox_func {
	u32 name, resource, source; /* source: NONE */
};

struct firefox_native { /* a function of a binary */
	u32 lib, name;
	u64 addr, size;
};

struct firefox {
	struct strpool strings;
	ARRAY(struct firefox_frame) frames;
	ARRAY(struct firefox_func) funcs;
	ARRAY(struct firefox_native) natives;
	ARRAY(u32) sources; /* strings */
	struct hash_table by_func, by_native, by_source;
	ARRAY(u32) thread_of_gap; /* thread ids */
	/* of the current thread */
	const struct export_thread *thread;
	u32 thread_id;
	const struct export_event *event;        /* the first one of the track; NULL: no sample yet */
	const struct task_step *step, *end_step; /* the next switch */
	bool has_switches, is_off;
	u64 off_since, ran;                     /* ns; of the time since the last sample */
	struct strbuf stack, time, weight, cpu; /* JSON of its samples, without the brackets */
	u64 nr, last_time;
	bool has_threads, has_marks;
};

static u32 firefox__string(struct firefox *f, const char *text)
{
	return strpool__intern(&f->strings, text);
}

static int firefox__begin(struct export *x, struct err *err)
{
	struct firefox *f = xcalloc(1, sizeof(*f));

	(void)err;
	strpool__init(&f->strings);
	strbuf__init(&f->stack);
	strbuf__init(&f->time);
	strbuf__init(&f->weight);
	strbuf__init(&f->cpu);
	x->data = f;
	return 0;
}

/* ---- tables ---- */

static u32 firefox__source(struct firefox *f, const char *file)
{
	u32 name, i;

	if (!file)
		return NONE;
	name = firefox__string(f, file);
	hash_table__for_each (&f->by_source, hash__u64(name), i)
		if (f->sources.v[i] == name)
			return i;
	i = (u32)f->sources.nr;
	hash_table__insert(&f->by_source, hash__u64(name), i);
	array__add(&f->sources, name);
	return i;
}

static u32 firefox__func(struct firefox *f, const struct export_frame *frame)
{
	const struct firefox_func func = { firefox__string(f, frame->function), frame->binary,
					   firefox__source(f, frame->file) };
	u64 hash = hash__add(hash__add(func.name, func.resource), func.source);
	u32 i;

	hash_table__for_each (&f->by_func, hash, i)
		if (!memcmp(&f->funcs.v[i], &func, sizeof(func)))
			return i;
	i = (u32)f->funcs.nr;
	hash_table__insert(&f->by_func, hash, i);
	array__add(&f->funcs, func);
	return i;
}

static u32 firefox__native(struct firefox *f, const struct export_frame *frame)
{
	const struct firefox_native native = { frame->binary,
					       firefox__string(f, frame->symbol ? frame->symbol : ""),
					       frame->function_addr, frame->function_size };
	u64 hash = hash__add(native.lib, native.addr);
	u32 i;

	if (frame->binary == NONE || !frame->function_size)
		return NONE;
	hash_table__for_each (&f->by_native, hash, i)
		if (f->natives.v[i].lib == native.lib && f->natives.v[i].addr == native.addr)
			return i;
	i = (u32)f->natives.nr;
	hash_table__insert(&f->by_native, hash, i);
	array__add(&f->natives, native);
	return i;
}

static void firefox__frame(struct export *x, u32 id, const struct export_frame *frame)
{
	struct firefox *f = x->data;

	(void)id;
	array__add(&f->frames, ((struct firefox_frame){ .addr = frame->binary == NONE ? -1 : (s64)frame->addr,
							.func = firefox__func(f, frame),
							.native = firefox__native(f, frame),
							.line = frame->line,
							.category = frame->is_kernel ? CATEGORY_KERNEL
								    : frame->is_jit  ? CATEGORY_JIT
										     : CATEGORY_USER,
							.depth = frame->is_inlined }));
}

/* ---- threads ---- */

enum { NUMBER_MAX = PUT_DEC_MAX + 10 }; /* bytes of put_ms and a comma */

/* Write ns as milliseconds. */
static char *put_ms(char *p, s64 ns)
{
	u64 positive = ns < 0 ? -(u64)ns : (u64)ns;

	if (ns < 0)
		*p++ = '-';
	p = put_dec(p, positive / 1000000);
	if (!(positive % 1000000))
		return p;
	*p++ = '.';
	return put_digits(p, positive % 1000000, 6);
}

static void add_ms(struct strbuf *sb, s64 ns)
{
	strbuf__end(sb, put_ms(strbuf__begin(sb, NUMBER_MAX), ns));
}

/* Begin a number of a column, after a comma if it is not the first one. */
static char *begin_number(struct strbuf *column)
{
	char *p = strbuf__begin(column, NUMBER_MAX);

	if (column->len)
		*p++ = ',';
	return p;
}

/*
 * Get the life of a thread. One that began before the recording begins with it; *end UINT64_MAX: it did not
 * end.
 */
static void thread_span(const struct export *x, const struct export_thread *t, u32 tid, u64 *begin, u64 *end)
{
	size_t nr;
	const struct task_step *s = task_times__of(&x->tasks, tid, &nr);

	*begin = MIN(x->first, t->first);
	*end = UINT64_MAX;
	for (size_t i = 0; i < nr && *end == UINT64_MAX; i++) {
		if (s[i].kind == TASK_BEGINS && s[i].time <= t->first)
			*begin = s[i].time;
		if (s[i].kind == TASK_ENDS && s[i].time >= t->last)
			*end = s[i].time;
	}
}

static void add_span(struct strbuf *sb, const struct export *x, const struct export_thread *t, u32 tid,
		     const char *begin_name, const char *end_name)
{
	u64 begin, end;

	thread_span(x, t, tid, &begin, &end);
	strbuf__addf(sb, ",\"%s\":", begin_name);
	add_ms(sb, (s64)(begin - x->first));
	strbuf__addf(sb, ",\"%s\":", end_name);
	if (end == UINT64_MAX)
		strbuf__addstr(sb, "null");
	else
		add_ms(sb, (s64)(end - x->first));
}

/* Assign lost samples to the thread that ran then, or to the first one. */
static void firefox__assign_gaps(const struct export *x, struct firefox *f)
{
	for (size_t i = 0; i < x->tasks.gaps.nr; i++) {
		const struct lost_gap *gap = &x->tasks.gaps.v[i];
		u32 thread = 0;

		for (u32 k = 0; k < x->threads.nr; k++)
			if (x->threads.v[k].tid == gap->tid &&
			    (x->threads.v[thread].tid != gap->tid || x->threads.v[k].first <= gap->time))
				thread = k;
		array__add(&f->thread_of_gap, thread);
	}
}

/* Write lost samples as markers of a thread, in its first track. */
static void firefox__write_markers(const struct export *x, struct firefox *f, struct strbuf *sb)
{
	struct strbuf data = STRBUF_INIT, names = STRBUF_INIT, times = STRBUF_INIT, ends = STRBUF_INIT;
	struct strbuf phases = STRBUF_INIT, marks = STRBUF_INIT;
	u64 nr = 0;

	for (size_t i = 0; i < f->thread_of_gap.nr && !f->has_marks; i++) {
		const struct lost_gap *gap = &x->tasks.gaps.v[i];
		const char *comma = nr ? "," : "";

		if (f->thread_of_gap.v[i] != f->thread_id)
			continue;
		strbuf__addf(&data, "%s{\"type\":\"LostSamples\",\"samples\":%llu}", comma,
			     (unsigned long long)gap->nr);
		strbuf__addf(&names, "%s%u", comma, firefox__string(f, "Lost samples"));
		strbuf__addstr(&times, comma);
		add_ms(&times, (s64)(MIN(gap->time, x->last) - x->first));
		strbuf__addf(&ends, "%snull", comma);
		strbuf__addf(&phases, "%s0", comma);
		strbuf__addf(&marks, "%s%d", comma, CATEGORY_OTHER);
		nr++;
	}
	strbuf__addf(sb,
		     ",\"markers\":{\"length\":%llu,\"data\":[%s],\"name\":[%s],\"startTime\":[%s],"
		     "\"endTime\":[%s],\"phase\":[%s],\"category\":[%s]}",
		     (unsigned long long)nr, data.buf, names.buf, times.buf, ends.buf, phases.buf, marks.buf);
	f->has_marks = true;
	strbuf__exit(&data);
	strbuf__exit(&names);
	strbuf__exit(&times);
	strbuf__exit(&ends);
	strbuf__exit(&phases);
	strbuf__exit(&marks);
}

static void add_column(struct export_out *out, const char *name, struct strbuf *column)
{
	strbuf__addf(&out->text, ",\"%s\":[", name);
	export_out__add(out, column->buf, column->len);
	strbuf__addch(&out->text, ']');
	strbuf__reset(column);
}

static void firefox__end_track(struct export *x, struct firefox *f)
{
	const struct export_thread *t = f->thread;
	struct strbuf *sb = &x->out->text, name = STRBUF_INIT;

	if (!f->event)
		return;
	strbuf__addstr(&name, t->name);
	if (!f->event->is_time && x->nr_events > 1)
		strbuf__addf(&name, " (%s)", f->event->name);
	strbuf__addstr(sb, f->has_threads ? ",\n{\"name\":" : "\n{\"name\":");
	strbuf__add_json(sb, name.buf);
	strbuf__exit(&name);
	strbuf__addstr(sb, ",\"processName\":");
	strbuf__add_json(sb, t->process);
	strbuf__addf(sb,
		     ",\"pid\":\"%d\",\"tid\":%d,\"isMainThread\":%s,\"processType\":\"default\","
		     "\"pausedRanges\":[]",
		     (int)t->pid, (int)t->tid, t->pid == t->tid ? "true" : "false");
	add_span(sb, x, t, t->pid, "processStartupTime", "processShutdownTime");
	add_span(sb, x, t, t->tid, "registerTime", "unregisterTime");
	firefox__write_markers(x, f, sb);
	strbuf__addf(sb, ",\"samples\":{\"length\":%llu,\"weightType\":\"%s\"", (unsigned long long)f->nr,
		     f->event->is_time ? "tracing-ms" : "samples");
	add_column(x->out, "stack", &f->stack);
	add_column(x->out, "time", &f->time);
	add_column(x->out, "weight", &f->weight);
	add_column(x->out, "threadCPUDelta", &f->cpu);
	strbuf__addstr(sb, "}}");
	f->event = NULL;
	f->has_threads = true;
	f->nr = 0;
}

static void firefox__thread(struct export *x, u32 id, const struct export_thread *t)
{
	struct firefox *f = x->data;

	if (!id) {
		strbuf__addstr(&x->out->text, "{\"threads\":[");
		firefox__assign_gaps(x, f);
	}
	firefox__end_track(x, f);
	f->thread = t;
	f->thread_id = id;
	f->has_marks = false;
}

static void firefox__begin_track(struct export *x, struct firefox *f, const struct export_event *e)
{
	u64 begin, end;
	size_t nr;

	f->event = e;
	f->step = task_times__of(&x->tasks, f->thread->tid, &nr);
	f->end_step = nr ? f->step + nr : f->step;
	thread_span(x, f->thread, f->thread->tid, &begin, &end);
	while (f->step < f->end_step && f->step->time < begin)
		f->step++;
	while (f->end_step > f->step && f->end_step[-1].time > end)
		f->end_step--;
	f->has_switches = false;
	for (const struct task_step *s = f->step; s < f->end_step; s++)
		f->has_switches |= s->kind == TASK_RUNS || s->kind == TASK_STOPS;
	for (size_t i = 0; i < x->events.nr; i++) /* waits say the same, with stacks */
		f->has_switches &= !x->events.v[i].nr || x->events.v[i].kind == SAMPLE_RUNNING;
	f->is_off = false;
	f->ran = 0;
	f->last_time = begin;
}

/* stack STACK_NONE: none */
static void firefox__add(const struct export *x, struct firefox *f, u32 stack, u64 time, u64 weight, u64 cpu)
{
	char *p = begin_number(&f->stack);

	strbuf__end(&f->stack, stack ? put_dec(p, stack - 1) : put_text(p, "null"));
	strbuf__end(&f->time, put_ms(begin_number(&f->time), (s64)(time - x->first)));
	p = begin_number(&f->weight);
	strbuf__end(&f->weight, f->event->is_time ? put_ms(p, (s64)weight) : put_dec(p, weight));
	strbuf__end(&f->cpu, put_dec(begin_number(&f->cpu), cpu));
	f->last_time = time;
	f->nr++;
}

/* Follow the thread's switches up to a time. Return for how long it ran since the last sample. */
static u64 firefox__run(const struct export *x, struct firefox *f, u64 time)
{
	u64 since = f->last_time;

	for (; f->step < f->end_step && f->step->time <= time; f->step++) {
		if (f->step->kind == TASK_STOPS && !f->is_off) {
			f->is_off = true;
			f->off_since = MAX(f->step->time, since);
			f->ran += f->off_since - since;
		} else if (f->step->kind == TASK_RUNS && f->is_off) {
			f->is_off = false;
			since = f->step->time;
			if (since - f->off_since < IDLE_SHOWN)
				continue;
			firefox__add(x, f, STACK_NONE, f->off_since, 0, f->ran);
			firefox__add(x, f, STACK_NONE, since, 0, 0);
			f->ran = 0;
		}
	}
	since = f->ran + (f->is_off || time < since ? 0 : time - since);
	f->ran = 0;
	return since;
}

/*
 * Guess how long the thread ran since the sample before, in a recording without switches: at most the weight
 * of a clock's sample, or one period of an event with a frequency.
 */
static u64 firefox__guess_run(const struct firefox *f, const struct export_sample *s,
			      const struct export_event *e, u64 time)
{
	u64 since = time - MIN(f->last_time, time), freq = e->evsel->attr.sample_freq;

	if (e->is_time)
		return e->kind == SAMPLE_RUNNING ? MIN(since, s->weight) : since;
	return e->evsel->attr.freq && freq ? MIN(since, 1000000000 / freq) : since;
}

static void firefox__sample(struct export *x, const struct export_sample *s)
{
	const struct export_event *e = &x->events.v[s->event];
	struct firefox *f = x->data;
	u64 begin, ran;

	if (f->event && f->event->track != e->track)
		firefox__end_track(x, f);
	if (!f->event)
		firefox__begin_track(x, f, e);
	if (e->kind == SAMPLE_WAITING) {
		begin = s->time - MIN(s->time, s->weight);
		begin = f->nr ? MAX(begin, f->last_time) : begin;
		ran = begin - MIN(begin, f->last_time);
		if (begin < s->time)
			firefox__add(x, f, s->stack, begin, 0, MIN(ran, (u64)IDLE_SHOWN));
		firefox__add(x, f, s->stack, s->time, s->weight, 0);
		return;
	}
	firefox__add(x, f, s->stack, s->time, s->weight,
		     f->has_switches ? firefox__run(x, f, s->time) : firefox__guess_run(f, s, e, s->time));
}

/* ---- the rest ---- */

/* Append "name":[...] with what the expression of i says for each row; none as the text none. */
#define ADD_COLUMN(sb, name, table, none, value)                             \
	do {                                                                 \
		strbuf__addstr(sb, ",\"" name "\":[");                       \
		for (size_t i = 0; i < (table)->nr; i++) {                   \
			s64 value_ = (s64)(value);                           \
			if (i)                                               \
				strbuf__addch(sb, ',');                      \
			if (value_ == (s64)NONE)                             \
				strbuf__addstr(sb, none);                    \
			else                                                 \
				strbuf__addf(sb, "%lld", (long long)value_); \
		}                                                            \
		strbuf__addch(sb, ']');                                      \
	} while (0)

/* Set the depth of inlined frames: one more than that of the frame into which they are inlined. */
static void firefox__set_depths(const struct export *x, struct firefox *f)
{
	for (size_t i = 1; i < x->tree.nr; i++) {
		const struct export_stack *at = &x->tree.v[i];

		if (f->frames.v[at->frame].depth && at->parent)
			f->frames.v[at->frame].depth = f->frames.v[x->tree.v[at->parent].frame].depth + 1;
	}
}

/* Write the stacks. The first one of the tree has no frames, and is null here. */
static void firefox__write_stacks(const struct export *x, struct strbuf *sb)
{
	const struct {
		size_t nr;
	} stacks = { x->tree.nr - 1 };

	strbuf__addf(sb, "\"stackTable\":{\"length\":%zu", stacks.nr);
	ADD_COLUMN(sb, "prefix", &stacks, "null",
		   x->tree.v[i + 1].parent ? x->tree.v[i + 1].parent - 1 : NONE);
	ADD_COLUMN(sb, "frame", &stacks, "null", x->tree.v[i + 1].frame);
}

static void firefox__write_frames(struct firefox *f, struct strbuf *sb)
{
	strbuf__addf(sb, "},\n\"frameTable\":{\"length\":%zu", f->frames.nr);
	ADD_COLUMN(sb, "address", &f->frames, "-1", f->frames.v[i].addr);
	ADD_COLUMN(sb, "inlineDepth", &f->frames, "0", f->frames.v[i].depth);
	ADD_COLUMN(sb, "category", &f->frames, "0", f->frames.v[i].category);
	ADD_COLUMN(sb, "subcategory", &f->frames, "0", 0);
	ADD_COLUMN(sb, "func", &f->frames, "0", f->frames.v[i].func);
	ADD_COLUMN(sb, "nativeSymbol", &f->frames, "null", f->frames.v[i].native);
	ADD_COLUMN(sb, "innerWindowID", &f->frames, "0", 0);
	ADD_COLUMN(sb, "line", &f->frames, "null", f->frames.v[i].line ? f->frames.v[i].line : NONE);
	ADD_COLUMN(sb, "column", &f->frames, "null", NONE);
}

static void firefox__write_funcs(struct firefox *f, struct strbuf *sb)
{
	strbuf__addf(sb, "},\n\"funcTable\":{\"length\":%zu", f->funcs.nr);
	ADD_COLUMN(sb, "name", &f->funcs, "0", f->funcs.v[i].name);
	ADD_COLUMN(sb, "isJS", &f->funcs, "false", NONE);
	ADD_COLUMN(sb, "relevantForJS", &f->funcs, "false", NONE);
	ADD_COLUMN(sb, "resource", &f->funcs, "-1", f->funcs.v[i].resource);
	ADD_COLUMN(sb, "source", &f->funcs, "null", f->funcs.v[i].source);
	ADD_COLUMN(sb, "lineNumber", &f->funcs, "null", NONE);
	ADD_COLUMN(sb, "columnNumber", &f->funcs, "null", NONE);
}

/* Write the libraries, which the format calls resources. */
static void firefox__write_libraries(struct export *x, struct firefox *f, struct strbuf *sb)
{
	strbuf__addf(sb, "},\n\"resourceTable\":{\"length\":%zu", x->binaries.nr);
	ADD_COLUMN(sb, "lib", &x->binaries, "null", i);
	ADD_COLUMN(sb, "name", &x->binaries, "0", firefox__string(f, x->binaries.v[i].name));
	ADD_COLUMN(sb, "host", &x->binaries, "null", NONE);
	ADD_COLUMN(sb, "type", &x->binaries, "1", 1);
	strbuf__addf(sb, "},\n\"nativeSymbols\":{\"length\":%zu", f->natives.nr);
	ADD_COLUMN(sb, "libIndex", &f->natives, "0", f->natives.v[i].lib);
	ADD_COLUMN(sb, "address", &f->natives, "0", f->natives.v[i].addr);
	ADD_COLUMN(sb, "name", &f->natives, "0", f->natives.v[i].name);
	ADD_COLUMN(sb, "functionSize", &f->natives, "null", f->natives.v[i].size);
	strbuf__addf(sb, "},\n\"sources\":{\"length\":%zu", f->sources.nr);
	ADD_COLUMN(sb, "uuid", &f->sources, "null", NONE);
	ADD_COLUMN(sb, "filename", &f->sources, "0", f->sources.v[i]);
}

static void firefox__write_shared(struct export *x, struct firefox *f)
{
	struct strbuf *sb = &x->out->text;

	strbuf__addstr(sb, "],\n\"shared\":{");
	firefox__set_depths(x, f);
	firefox__write_stacks(x, sb);
	export_out__flow(x->out);
	firefox__write_frames(f, sb);
	firefox__write_funcs(f, sb);
	export_out__flow(x->out);
	firefox__write_libraries(x, f, sb);
	strbuf__addstr(sb, "},\n\"stringArray\":[");
	for (u32 i = 0; i < f->strings.strings.nr; i++) {
		if (i)
			strbuf__addch(sb, ',');
		strbuf__add_json(sb, strpool__get(&f->strings, i));
		export_out__flow(x->out);
	}
	strbuf__addstr(sb, "]}");
}

/*
 * Append the first 16 bytes of a build-id as a GUID, its first three numbers little-endian, then an age of 0.
 */
static void add_breakpad_id(struct strbuf *sb, const struct build_id *id)
{
	static const u8 order[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };

	for (size_t i = 0; i < sizeof(order); i++)
		strbuf__addf(sb, "%02X", order[i] < id->size ? id->data[order[i]] : 0);
	strbuf__addch(sb, '0');
}

static void firefox__write_libs(struct export *x, struct strbuf *sb)
{
	strbuf__addstr(sb, ",\n\"libs\":[");
	for (size_t i = 0; i < x->binaries.nr; i++) {
		const struct export_binary *b = &x->binaries.v[i];
		const struct build_id *id = &b->dso->build_id;

		strbuf__addstr(sb, i ? ",{\"name\":" : "{\"name\":");
		strbuf__add_json(sb, b->name);
		strbuf__addstr(sb, ",\"debugName\":");
		strbuf__add_json(sb, b->name);
		strbuf__addstr(sb, ",\"path\":");
		strbuf__add_json(sb, b->path);
		strbuf__addstr(sb, ",\"debugPath\":");
		strbuf__add_json(sb, b->path);
		strbuf__addstr(sb, ",\"arch\":null,\"breakpadId\":\"");
		add_breakpad_id(sb, id);
		strbuf__addstr(sb, id->size ? "\",\"codeId\":\"" : "\",\"codeId\":null");
		for (size_t k = 0; k < id->size; k++)
			strbuf__addf(sb, "%02x", id->data[k]);
		strbuf__addstr(sb, id->size ? "\"}" : "}");
	}
	strbuf__addch(sb, ']');
}

static void add_fact(struct strbuf *sb, const char *label, const char *value)
{
	strbuf__addstr(sb, sb->buf[sb->len - 1] == '[' ? "{\"label\":" : ",{\"label\":");
	strbuf__add_json(sb, label);
	strbuf__addstr(sb, ",\"format\":\"string\",\"value\":");
	strbuf__add_json(sb, value);
	strbuf__addch(sb, '}');
}

/* Write the lines "# LABEL : VALUE" of the header as extra, which the reader shows as a table. */
static void firefox__write_extra(struct export *x, struct strbuf *sb)
{
	struct strbuf header = STRBUF_INIT;
	char text[32], *next;

	if (!x->args->redact) /* it has the command line */
		features__print(x->session->reader, false, &header);
	strbuf__addstr(sb, ",\"extra\":[{\"label\":\"Recording\",\"entries\":[");
	snprintf(text, sizeof(text), "%llu", (unsigned long long)x->nr_lost);
	add_fact(sb, "lost samples", text);
	for (char *line = header.buf; line && *line; line = next) {
		char *value, *end;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		value = strstr(line, " : ");
		if (strncmp(line, "# ", 2) || !value)
			continue;
		for (end = value; end > line + 2 && end[-1] == ' ';)
			end--;
		*end = '\0';
		add_fact(sb, line + 2, value + 3);
	}
	strbuf__addstr(sb, "]}]");
	strbuf__exit(&header);
}

/* Time between samples in ms; 1 if they are not made by time. */
static double interval_ms(const struct export_event *e)
{
	const struct perf_event_attr *attr = &e->evsel->attr;

	if (e->nr && e->is_time && e->kind == SAMPLE_RUNNING)
		return (double)e->weight / (double)e->nr / 1e6;
	return attr->freq && attr->sample_freq ? 1e3 / (double)attr->sample_freq : 1;
}

static void firefox__write_meta(struct export *x, struct strbuf *sb)
{
	const struct export_event *e = x->events.v;

	while (e + 1 < x->events.v + x->events.nr && !e->nr)
		e++;
	strbuf__addf(
		sb,
		",\n\"meta\":{\"version\":24,\"preprocessedProfileVersion\":60,\"interval\":%.6f,"
		"\"startTime\":%.3f,\"processType\":0,\"stackwalk\":1,\"symbolicated\":true,"
		"\"markerSchema\":[{\"name\":\"LostSamples\",\"display\":[\"marker-chart\",\"marker-table\","
		"\"timeline-overview\"],\"tooltipLabel\":\"Lost samples\",\"fields\":[{\"key\":\"samples\","
		"\"label\":\"Samples\",\"format\":\"integer\"}]}],"
		"\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,\"pausedRanges\":[],"
		"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},"
		"\"extensions\":{\"length\":0,\"id\":[],\"name\":[],\"baseURL\":[]},\"product\":",
		x->events.nr ? interval_ms(e) : 1, (double)x->epoch / 1e6);
	strbuf__add_json(sb, x->threads.nr ? x->threads.v[0].process : "perf");
	strbuf__addstr(sb, ",\"categories\":[");
	for (size_t i = 0; i < ARRAY_SIZE(categories); i++)
		strbuf__addf(sb, "%s{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
			     i ? "," : "", categories[i].name, categories[i].color);
	strbuf__addch(sb, ']');
	firefox__write_extra(x, sb);
	strbuf__addstr(sb, "},\n\"pages\":[],\"counters\":[],\"profilerOverhead\":[]}\n");
}

static void firefox__end(struct export *x)
{
	struct firefox *f = x->data;

	if (!x->threads.nr)
		strbuf__addstr(&x->out->text, "{\"threads\":[");
	firefox__end_track(x, f);
	firefox__write_shared(x, f);
	firefox__write_libs(x, &x->out->text);
	firefox__write_meta(x, &x->out->text);
	strpool__exit(&f->strings);
	array__exit(&f->frames);
	array__exit(&f->funcs);
	array__exit(&f->natives);
	array__exit(&f->sources);
	array__exit(&f->thread_of_gap);
	hash_table__exit(&f->by_func);
	hash_table__exit(&f->by_native);
	hash_table__exit(&f->by_source);
	strbuf__exit(&f->stack);
	strbuf__exit(&f->time);
	strbuf__exit(&f->weight);
	strbuf__exit(&f->cpu);
	free(f);
}

const struct export_format export_firefox = {
	.name = "firefox",
	.suffix = ".firefox.json",
	.help = "for profiler.firefox.com",
	.is_timed = true,
	.by_thread = true,
	.has_tasks = true,
	.parts = EXPORT_LOST,
	.begin = firefox__begin,
	.frame = firefox__frame,
	.thread = firefox__thread,
	.sample = firefox__sample,
	.end = firefox__end,
};
