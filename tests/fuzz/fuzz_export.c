/*
 * Any names, stacks and weights through a format of perf export, which the first byte chooses, or
 * $FUZZ_FORMAT by its name: what was written is well-formed, has all names of the stacks, and the same sum of
 * weights. The readers are in read_back.h. Seeds: see seeds_export.
 */
#include "export/export_formats.h"
#include "fuzz.h"
#include "read_back.h"
#include "read_back_page.h"
#include "read_back_sqlite.h"

#include <linux/perf_event.h>
#include <unistd.h>

enum {
	FRAMES_MAX = 16,
	NODES_MAX = 64,
	THREADS_MAX = 4,
	SAMPLES_MAX = 64,
	LONG_NAME = 100 << 10,
	EVENTS = 2,
	FIRST_TIME = 1000,
	STEP = 7000000, /* ns between samples: some in each cell of the page */
};

struct input {
	const u8 *p, *end;
};

struct used_sample {
	u32 thread, event, stack;
	u64 weight;
};

struct export_input {
	struct export_frame frames[FRAMES_MAX];
	struct used_sample samples[SAMPLES_MAX];
	u32 nr_frames, nr_samples;
};

static u8 take(struct input *in)
{
	return in->p < in->end ? *in->p++ : 0;
}

/* The first name of 255 bytes by its length is repeated up to 100 KB. */
static char *take_name(struct input *in, bool *has_long)
{
	size_t len = take(in), size = MIN(len, (size_t)(in->end - in->p)),
	       n = len == 255 && !*has_long ? LONG_NAME : size;
	char *name = xcalloc(n + 2, 1);

	*has_long |= len == 255;
	for (size_t i = 0; i < n && size; i++)
		name[i] = (char)(in->p[i % size] ? in->p[i % size] : '?');
	in->p += size;
	if (!*name)
		*name = 'f';
	return name;
}

static void as_folded(struct read_back *to, const struct export *x, const char *data, size_t size)
{
	(void)x;
	read_folded(to, data, size);
}

static void as_pprof(struct read_back *to, const struct export *x, const char *data, size_t size)
{
	(void)x;
	read_pprof(to, data, size);
}

static void as_otlp(struct read_back *to, const struct export *x, const char *data, size_t size)
{
	(void)x;
	read_otlp(to, data, size);
}

static void as_json(struct read_back *to, const struct export *x, const char *data, size_t size)
{
	(void)x;
	read_json(to, data, size);
}

static void as_page(struct read_back *to, const struct export *x, const char *data, size_t size)
{
	u64 periods[EVENTS];

	for (u32 i = 0; i < EVENTS; i++)
		periods[i] = x->events.v[i].period;
	read_page(to, periods, EVENTS, data, size);
}

static void as_sqlite(struct read_back *to, const struct export *x, const char *data, size_t size)
{
	(void)data;
	expect(!size);
	read_sqlite(to, x->args->output);
}

static const struct {
	const struct export_format *format;
	void (*read)(struct read_back *to, const struct export *x, const char *data, size_t size);
} kinds[] = {
	{ &export_folded, as_folded },   { &export_pprof, as_pprof },   { &export_otlp, as_otlp },
	{ &export_speedscope, as_json }, { &export_jsonl, as_json },    { &export_firefox, as_json },
	{ &export_html, as_page },       { &export_sqlite, as_sqlite }, { &export_linux_perf_json, as_json },
};

/* A recording of two events without samples: formats ask for its header. */
static struct session *open_session(void)
{
	static struct session *s;
	const struct perf_event_attr attrs[EVENTS] = {
		{ .type = PERF_TYPE_SOFTWARE,
		  .size = sizeof(*attrs),
		  .config = PERF_COUNT_SW_CPU_CLOCK,
		  .sample_type = PERF_SAMPLE_IDENTIFIER,
		  .freq = 1,
		  .sample_freq = 4000 },
		{ .type = PERF_TYPE_SOFTWARE,
		  .size = sizeof(*attrs),
		  .config = PERF_COUNT_SW_PAGE_FAULTS,
		  .sample_type = PERF_SAMPLE_IDENTIFIER,
		  .sample_period = 1 },
	};
	const u64 entry = sizeof(*attrs) + 16,
		  head[] = { 104, entry, 104, EVENTS * entry, 104 + EVENTS * entry, 8, 0, 0, 0, 0, 0, 0 };
	const struct session_opts opts = { .reader = { .nr_threads = 1 } };
	struct strbuf file = STRBUF_INIT;
	struct err err = ERR_INIT;
	char path[64];

	if (s)
		return s;
	strbuf__add(&file, "PERFILE2", 8);
	strbuf__add(&file, head, sizeof(head));
	for (unsigned i = 0; i < EVENTS; i++) {
		strbuf__add(&file, &attrs[i], sizeof(*attrs));
		strbuf__addchars(&file, '\0', 16);
	}
	strbuf__add_u32(&file, 68); /* FINISHED_ROUND */
	strbuf__add_u32(&file, 8 << 16);
	fuzz__file(file.buf, file.len, path);
	if (session__open(&s, path, &opts, &err))
		abort();
	strbuf__exit(&file);
	return s;
}

static int used_sample__compare(const void *a, const void *b)
{
	const struct used_sample *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

static void add_frames(struct export *x, struct export_input *e, struct input *in)
{
	bool has_long = false;
	u32 nr_nodes;

	e->nr_frames = take(in) % FRAMES_MAX + 1;
	for (u32 i = 0; i < e->nr_frames; i++) {
		struct export_frame *f = &e->frames[i];
		u8 bits = take(in);

		*f = (struct export_frame){ .function = take_name(in, &has_long),
					    .binary = bits & (1 | 64) ? (u32)(bits >> 1 & 1) : UINT32_MAX,
					    .addr = take(in),
					    .line = bits >> 2 & 1,
					    .is_inlined = bits & 8,
					    .is_kernel = bits & 16,
					    .is_jit = bits & 32 };
		f->symbol = bits & 64 ? f->function : NULL;
		f->own_symbol = f->symbol;
		f->start_line = f->line;
		f->file = bits & 128 ? f->function : NULL;
		f->function_size = f->symbol ? 16 : 0;
	}
	array__add(&x->tree, ((struct export_stack){ 0 }));
	nr_nodes = take(in) % NODES_MAX;
	for (u32 i = 1; i <= nr_nodes; i++)
		array__add(&x->tree, ((struct export_stack){ take(in) % i, take(in) % e->nr_frames }));
}

static u64 time_of(u32 sample)
{
	return FIRST_TIME + (u64)sample * STEP;
}

/* Threads have ids in the order of their first samples, as in an export. */
static void add_samples(struct export *x, struct export_input *e, struct input *in)
{
	u32 last = UINT32_MAX, nr_threads = 0;

	e->nr_samples = take(in) % SAMPLES_MAX + 1;
	for (u32 i = 0; i < e->nr_samples; i++) {
		u8 bits = take(in);

		e->samples[i] =
			(struct used_sample){ bits % THREADS_MAX, bits >> 7, take(in) % (u32)x->tree.nr,
					      (u64)take(in) << (bits >> 2 & 31) };
	}
	qsort(e->samples, e->nr_samples, sizeof(*e->samples), used_sample__compare);
	for (u32 i = 0; i < e->nr_samples; i++) {
		struct used_sample *s = &e->samples[i];
		struct export_event *event = &x->events.v[s->event];

		nr_threads += s->thread != last;
		last = s->thread;
		if (nr_threads > x->threads.nr)
			array__add(&x->threads, ((struct export_thread){ .pid = 10 + nr_threads / 2,
									 .tid = 10 + nr_threads,
									 .first = time_of(i) }));
		s->thread = nr_threads - 1;
		x->threads.v[s->thread].last = time_of(i);
		x->threads.v[s->thread].name = x->threads.v[s->thread].process = e->frames[0].function;
		event->period = !event->nr || event->period == s->weight ? s->weight : 0;
		event->nr++;
		event->weight += s->weight;
	}
	for (u32 i = 0; i < EVENTS; i++)
		x->nr_events += x->events.v[i].nr > 0;
}

/*
 * Make a row for each sample: formats that are near to the recording ask for the addresses of its chain, and
 * the page for what rows are exported as.
 */
static void add_rows(struct row_table *t, struct export *x, const struct export_input *e)
{
	row_table__init(t, true);
	array__add(&x->origins, ((struct export_origin){ NULL }));
	array__add(&x->use_words, ((struct use_words){ e->frames[0].function, 0 }));
	for (u32 i = 0; i < e->nr_samples; i++) {
		u64 chain[NODES_MAX];
		struct row_key key = { .ip = i, .event = e->samples[i].event };
		static const struct row_extra none;
		u64 hash;
		const struct row_sample sample = { .nr = 1,
						   .period = e->samples[i].weight,
						   .time = time_of(i) };

		for (u32 at = e->samples[i].stack; at; at = x->tree.v[at].parent)
			chain[key.nr_chain++] = at;
		hash = row_key__hash(&key, chain, &none);
		expect(row_table__count(t, hash, &key, chain, &none, &sample) == i);
		array__add(&x->uses, ((struct row_use){ .stack = e->samples[i].stack,
							.thread = e->samples[i].thread,
							.event = e->samples[i].event,
							.cpu = STREAM_NO_CPU }));
	}
}

static void pass_samples(struct export *x, const struct export_input *e)
{
	for (u32 i = 0; i < e->nr_samples; i++) {
		const struct used_sample *s = &e->samples[i];
		const u64 time = time_of(i);
		const struct export_sample sample = { .stack = s->stack,
						      .thread = s->thread,
						      .event = s->event,
						      .comm = x->threads.v[s->thread].name,
						      .weight = s->weight,
						      .nr = 1,
						      .time = time,
						      .times = &time,
						      .cpu = STREAM_NO_CPU,
						      .row = i };

		if (x->format->by_thread && (!i || s->thread != s[-1].thread))
			x->format->thread(x, s->thread, &x->threads.v[s->thread]);
		x->format->sample(x, &sample);
		export_out__flow(x->out);
	}
}

/* As export.c does it. False: the format needs a library that is not installed. */
static bool write_all(struct export *x, const struct export_input *e)
{
	const struct export_format *f = x->format;
	struct err err = ERR_INIT;
	int ret = f->begin(x, &err);

	err__exit(&err);
	if (ret)
		return false;
	for (u32 i = 0; f->binary && i < x->binaries.nr; i++)
		f->binary(x, i, &x->binaries.v[i]);
	for (u32 i = 0; f->frame && i < e->nr_frames; i++)
		f->frame(x, i, &e->frames[i]);
	for (u32 i = 0; f->thread && !f->by_thread && i < x->threads.nr; i++)
		f->thread(x, i, &x->threads.v[i]);
	if (f->measured) {
		x->is_measuring = true;
		pass_samples(x, e);
		x->is_measuring = false;
		f->measured(x);
	}
	pass_samples(x, e);
	expect(!f->commit || !f->commit(x, &err));
	f->end(x);
	export_out__write(x->out);
	return true;
}

static void check_names(const struct export *x, const struct export_input *e, const struct read_back *back)
{
	struct strbuf name = STRBUF_INIT;

	for (u32 i = 0; i < e->nr_samples && x->format != &export_folded; i++)
		for (u32 at = e->samples[i].stack; at; at = x->tree.v[at].parent) {
			const struct export_frame *f = &e->frames[x->tree.v[at].frame];

			if (x->format == &export_linux_perf_json && !f->symbol)
				continue;
			strbuf__reset(&name);
			strbuf__add_utf8(&name, f->function);
			expect(strpool__find(&back->texts, name.buf) != UINT32_MAX);
		}
	strbuf__exit(&name);
}

/* Folded stacks are those of one event. Stock perf's JSON has no weights: the times are added up. */
static void check_weight(const struct export *x, const struct export_input *e, const struct read_back *back)
{
	u64 weight = 0;

	for (u32 i = 0; i < EVENTS && x->format != &export_linux_perf_json; i++)
		weight += x->nr_left_out && i > 0 ? 0 : x->events.v[i].weight;
	for (u32 i = 0; i < e->nr_samples && x->format == &export_linux_perf_json; i++)
		weight += time_of(i);
	expect(back->weight == weight);
}

static void run(struct input *in, struct export *x, size_t kind)
{
	static struct dso dso = { .build_id = { .size = 4, .data = { 1, 2, 3, 4 } } };
	struct export_out out = { .text = STRBUF_INIT, .file.fd = memfd_create("output", MFD_CLOEXEC) };
	struct export_input *e = xcalloc(1, sizeof(*e));
	struct read_back back = { .weight = 0 };
	struct profile profile = { .session = x->session };
	char *data;

	x->format = kinds[kind].format;
	x->labels = x->format->labels;
	x->is_timed = x->format->is_timed;
	x->out = &out;
	for (u32 i = 0; i < EVENTS; i++) {
		const struct evsel *v = x->session->reader->evlist.evsels.v[i];
		u32 track = !i && !x->format->by_event ? 0 : i + 1;

		array__add(&x->events, ((struct export_event){
					       .evsel = v, .name = v->name, .track = track, .is_time = !i }));
	}
	x->nr_tracks = EVENTS + 1;
	add_frames(x, e, in);
	for (unsigned i = 0; i < 2; i++)
		array__add(&x->binaries, ((struct export_binary){ &dso, e->frames[0].function,
								  e->frames[0].function, 256 }));
	add_samples(x, e, in);
	add_rows(&profile.rows, x, e);
	x->profile = &profile;
	x->rows = &profile.rows;
	if (write_all(x, e)) {
		data = xmalloc(out.size + 1);
		expect(!out.error && pread(out.file.fd, data, out.size, 0) == (ssize_t)out.size);
		strpool__init(&back.texts);
		kinds[kind].read(&back, x, data, out.size);
		check_names(x, e, &back);
		check_weight(x, e, &back);
		strpool__exit(&back.texts);
		free(data);
	}
	profile__exit(&profile);
	for (u32 i = 0; i < e->nr_frames; i++)
		free((char *)e->frames[i].function);
	free(e);
	close(out.file.fd);
	strbuf__exit(&out.text);
}

static size_t choose_kind(u8 byte)
{
	const char *name = getenv("FUZZ_FORMAT");
	size_t kind = 0;

	if (!name)
		return byte % ARRAY_SIZE(kinds);
	while (strcmp(kinds[kind].format->name, name)) {
		kind++;
		if (kind == ARRAY_SIZE(kinds)) {
			fprintf(stderr, "FUZZ_FORMAT: unknown format '%s'\n", name);
			exit(1);
		}
	}
	return kind;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	size_t kind = choose_kind(take(&in));
	char *database = xasprintf("/dev/shm/perf-fuzz-%d.db", (int)getpid());
	const struct export_args args = { .max_stack = 1024, .output = database };
	struct export x = { .args = &args,
			    .session = open_session(),
			    .first = FIRST_TIME,
			    .last = time_of(SAMPLES_MAX),
			    .epoch = 5000 };

	run(&in, &x, kind);
	array__exit(&x.events);
	array__exit(&x.threads);
	array__exit(&x.binaries);
	array__exit(&x.tree);
	array__exit(&x.uses);
	array__exit(&x.use_words);
	array__exit(&x.origins);
	unlink(database);
	free(database);
	return 0;
}
