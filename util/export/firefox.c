/*
 * Firefox Profiler's processed format, version 60: tables that all threads share, and the samples of each
 * thread, which is a track. A wait is a sample without CPU time. What is known of the recording is in
 * meta.extra.
 */
#include "export/export_formats.h"

#include "format/read/features.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX /* in tables: null or -1 */

/* Colours of frames; the reader wants one category that is grey. */
static const struct {
	const char *name, *color;
} categories[] = {
	{ "User", "yellow" },
	{ "Kernel", "orange" },
	{ "JIT", "green" },
	{ "Other", "grey" },
};
enum { CATEGORY_USER, CATEGORY_KERNEL, CATEGORY_JIT };

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
	/* of the current thread: JSON of its samples, without the brackets */
	const struct export_thread *thread;
	const struct export_event *event; /* the first one of the track; NULL: no sample yet */
	bool has_threads;
	struct strbuf stack, time, weight, cpu;
	u64 nr, last_time;
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

static void firefox__end_thread(struct export *x, struct firefox *f)
{
	const struct export_thread *t = f->thread;
	struct strbuf *sb = &x->out->text, name = STRBUF_INIT;
	double begin;

	if (!f->event)
		return;
	begin = (double)(t->first - x->first) / 1e6;
	strbuf__addstr(&name, t->name);
	if (!f->event->is_time && x->nr_events > 1)
		strbuf__addf(&name, " (%s)", f->event->name);
	strbuf__addstr(sb, f->has_threads ? ",\n{\"name\":" : "\n{\"name\":");
	strbuf__add_json(sb, name.buf);
	strbuf__exit(&name);
	strbuf__addstr(sb, ",\"processName\":");
	strbuf__add_json(sb, t->process);
	strbuf__addf(
		sb,
		",\"pid\":\"%d\",\"tid\":%d,\"isMainThread\":%s,\"processType\":\"default\","
		"\"processStartupTime\":%.6f,\"processShutdownTime\":null,\"registerTime\":%.6f,"
		"\"unregisterTime\":%.6f,\"pausedRanges\":[],\"markers\":{\"length\":0,\"data\":[],\"name\":["
		"],"
		"\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[]},\"samples\":{\"length\":%llu,",
		(int)t->pid, (int)t->tid, t->pid == t->tid ? "true" : "false", begin, begin,
		(double)(t->last - x->first) / 1e6, (unsigned long long)f->nr);
	strbuf__addf(sb,
		     "\"weightType\":\"%s\",\"stack\":[%s],\"time\":[%s],\"weight\":[%s],"
		     "\"threadCPUDelta\":[%s]}}",
		     f->event->is_time ? "tracing-ms" : "samples", f->stack.buf, f->time.buf, f->weight.buf,
		     f->cpu.buf);
	strbuf__reset(&f->stack);
	strbuf__reset(&f->time);
	strbuf__reset(&f->weight);
	strbuf__reset(&f->cpu);
	f->event = NULL;
	f->has_threads = true;
	f->nr = 0;
}

static void firefox__thread(struct export *x, u32 id, const struct export_thread *t)
{
	struct firefox *f = x->data;

	if (!id)
		strbuf__addstr(&x->out->text, "{\"threads\":[");
	firefox__end_thread(x, f);
	f->thread = t;
}

/* A wait is recorded at its end; the reader takes a sample for what was until then. */
static void firefox__sample(struct export *x, const struct export_sample *s)
{
	const struct export_event *e = &x->events.v[s->event];
	struct firefox *f = x->data;
	const char *comma;

	if (f->event && f->event->track != e->track)
		firefox__end_thread(x, f);
	if (!f->event) {
		f->event = e;
		f->last_time = f->thread->first;
	}
	comma = f->nr++ ? "," : "";
	if (s->stack)
		strbuf__addf(&f->stack, "%s%u", comma, s->stack - 1);
	else
		strbuf__addf(&f->stack, "%snull", comma);
	strbuf__addf(&f->time, "%s%.6f", comma, (double)(s->time - x->first) / 1e6);
	if (e->is_time)
		strbuf__addf(&f->weight, "%s%.6f", comma, (double)s->weight / 1e6);
	else
		strbuf__addf(&f->weight, "%s%llu", comma, (unsigned long long)s->weight);
	strbuf__addf(&f->cpu, "%s%llu", comma,
		     e->kind == SAMPLE_WAITING ? 0 : (unsigned long long)(s->time - f->last_time));
	f->last_time = s->time;
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

/* The depth of an inlined frame is one more than that of the frame it is inlined into. */
static void firefox__set_depths(const struct export *x, struct firefox *f)
{
	for (size_t i = 1; i < x->tree.nr; i++) {
		const struct export_stack *at = &x->tree.v[i];

		if (f->frames.v[at->frame].depth && at->parent)
			f->frames.v[at->frame].depth = f->frames.v[x->tree.v[at->parent].frame].depth + 1;
	}
}

/* The first stack of the tree is that without frames, which is null here. */
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

/* A resource is a library. */
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

/* The first 16 bytes of a build-id as a GUID, its first three numbers little-endian, then an age of 0. */
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
	strbuf__addf(sb, "%s{\"label\":\"%s\",\"format\":\"string\",\"value\":",
		     sb->buf[sb->len - 1] == '[' ? "" : ",", label);
	strbuf__add_json(sb, value);
	strbuf__addch(sb, '}');
}

/* The reader shows extra as a table. */
static void firefox__write_extra(struct export *x, struct strbuf *sb)
{
	static const struct {
		enum feature feature;
		const char *label;
	} facts[] = { { FEATURE_HOSTNAME, "Host" },
		      { FEATURE_OSRELEASE, "Kernel" },
		      { FEATURE_CPUDESC, "Processor" },
		      { FEATURE_VERSION, "Version of perf" } };
	char text[32];

	strbuf__addstr(sb, ",\"extra\":[{\"label\":\"Recording\",\"entries\":[");
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		char *value = NULL;

		if (!features__string(x->session->reader, facts[i].feature, &value))
			add_fact(sb, facts[i].label, value);
		free(value);
	}
	for (size_t i = 0; i < x->events.nr; i++)
		if (x->events.v[i].nr)
			add_fact(sb, "Event", x->events.v[i].name);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)x->nr_lost);
	add_fact(sb, "Lost samples", text);
	strbuf__addstr(sb, "]}]");
}

static void firefox__write_meta(struct export *x, struct strbuf *sb)
{
	const struct export_event *e = x->events.v;

	while (e + 1 < x->events.v + x->events.nr && !e->nr)
		e++;
	strbuf__addf(sb,
		     ",\n\"meta\":{\"version\":24,\"preprocessedProfileVersion\":60,\"interval\":%.6f,"
		     "\"startTime\":%.3f,\"processType\":0,\"stackwalk\":1,\"symbolicated\":true,"
		     "\"markerSchema\":[],"
		     "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,\"pausedRanges\":[],"
		     "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},"
		     "\"extensions\":{\"length\":0,\"id\":[],\"name\":[],\"baseURL\":[]},\"product\":",
		     x->events.nr && e->nr && e->is_time ? (double)e->weight / (double)e->nr / 1e6 : 1.0,
		     (double)x->epoch / 1e6);
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
	firefox__end_thread(x, f);
	firefox__write_shared(x, f);
	firefox__write_libs(x, &x->out->text);
	firefox__write_meta(x, &x->out->text);
	strpool__exit(&f->strings);
	array__exit(&f->frames);
	array__exit(&f->funcs);
	array__exit(&f->natives);
	array__exit(&f->sources);
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
	.begin = firefox__begin,
	.frame = firefox__frame,
	.thread = firefox__thread,
	.sample = firefox__sample,
	.end = firefox__end,
};
