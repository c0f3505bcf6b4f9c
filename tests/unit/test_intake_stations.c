/*
 * The way of records from the rings to the file, station by station: what each of them leaves out,
 * changes, keeps back or looks at. Expected bytes are built record by record.
 */
#include "unit.h"

#include "event/evsel/event_request.h"
#include "format/read/features.h"
#include "format/records/build.h"
#include "live/perf_clock.h"
#include "record/flow/intake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ID = 7, OTHER_ID = 8, PID = 4242 };

#define SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

static char path[] = "/tmp/perf-stations-XXXXXX";
static struct evlist events;
static struct writer *writer;
static struct intake in;
static struct strbuf records, expected;

static int setup(void **state)
{
	int fd;

	(void)state;
	strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	evlist__init(&events);
	strbuf__init(&records);
	strbuf__init(&expected);
	return 0;
}

static struct evsel *add_event(u64 id, u64 sample_type)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_type = sample_type,
					.sample_id_all = 1 };
	struct evsel *e = evlist__add_request(&events, &attr, "event");

	evlist__add_id(&events, e, id);
	return e;
}

static void begin(const struct writer_opts *opts)
{
	assert_int_equal(writer__open(&writer, path, opts, NULL), 0);
	assert_int_equal(writer__begin(writer, &events, NULL), 0);
	intake__init(&in, &events);
}

/* A file of records without header. */
static void begin_records(void)
{
	begin(&(struct writer_opts){ .records_only = true });
}

static int teardown(void **state)
{
	(void)state;
	intake__exit(&in);
	writer__delete(writer);
	evlist__exit(&events);
	strbuf__exit(&records);
	strbuf__exit(&expected);
	unlink(path);
	return 0;
}

/* A record of 64-bit words. */
static void add(struct strbuf *out, u32 type, u16 misc, const u64 *words, size_t nr)
{
	const struct perf_event_header h = { .type = type, .misc = misc, .size = (u16)(sizeof(h) + 8 * nr) };

	strbuf__add(out, &h, sizeof(h));
	strbuf__add(out, words, 8 * nr);
}

static void add_sample(struct strbuf *out, u64 id, u32 tid, u64 time)
{
	add(out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
	    (const u64[]){ id, 0x1000, (u64)tid << 32 | tid, time }, 4);
}

static void take(void)
{
	assert_int_equal(intake__take(&in, records.buf, records.len), 0);
	strbuf__reset(&records);
}

static void expect_file(void)
{
	struct strbuf file = STRBUF_INIT;

	assert_int_equal(writer__finish(writer, NULL), 0);
	assert_int_equal(file__read(path, &file, 0), 0);
	assert_int_equal(file.len, expected.len);
	assert_memory_equal(file.buf, expected.buf, file.len);
	strbuf__exit(&file);
}

/* A record too short to have a thread is not one of this process. */
static void samples_without_a_thread_stay(void **state)
{
	(void)state;
	add_event(ID, SAMPLE_TYPE);
	begin_records();
	in.own_pid = PID;
	intake__begin_file(&in, writer, NULL);
	add(&records, PERF_RECORD_SAMPLE, 0, NULL, 0);
	strbuf__add(&expected, records.buf, records.len);
	add_sample(&records, ID, PID, 1);
	take();
	expect_file();
}

/* A header alone is a record; what is beyond the size is not looked at. */
static void the_last_record_may_be_a_header(void **state)
{
	(void)state;
	add_event(ID, SAMPLE_TYPE);
	begin_records();
	intake__begin_file(&in, writer, NULL);
	add_sample(&records, ID, PID, 1);
	add(&records, RECORD_FINISHED_ROUND, 0, NULL, 0);
	strbuf__add(&expected, records.buf, records.len);
	add_sample(&records, ID, PID, 1);
	assert_int_equal(intake__take(&in, records.buf, expected.len), 0);
	assert_int_equal(in.tally.records, 2);
	expect_file();
}

/* Types beyond those of the kernel pass no station, whatever their number. */
static void types_of_recorders_pass_no_station(void **state)
{
	const u64 words[] = { ID, 0x1000, PID, 5 };

	(void)state;
	add_event(ID, SAMPLE_TYPE);
	begin_records();
	intake__begin_file(&in, writer, NULL);
	for (u32 type = INTAKE_TYPES - 3; type < INTAKE_TYPES + 40; type++)
		add(&records, type, MISC_MMAP_BUILD_ID, words, 4);
	strbuf__add(&expected, records.buf, records.len);
	take();
	assert_int_equal(in.tally.samples, 0);
	expect_file();
}

static void add_map(struct strbuf *out, const char *name, u8 id_byte)
{
	u8 id[20];
	const struct mmap_record m = { .pid = PID,
				       .tid = PID,
				       .start = 0x1000,
				       .len = 0x1000,
				       .prot = 5,
				       .filename = name,
				       .has_build_id = id_byte,
				       .build_id = id,
				       .build_id_size = sizeof(id) };

	memset(id, id_byte, sizeof(id));
	build__mmap2(out, PERF_RECORD_MISC_USER, &m, 32);
}

/* Events that ask for build-ids keep the bit that says so, whichever of them asks. */
static void asked_build_ids_stay(void **state)
{
	struct evsel *e = add_event(ID, SAMPLE_TYPE);

	(void)state;
	e->attr.build_id = 1;
	add_event(OTHER_ID, SAMPLE_TYPE);
	begin_records();
	intake__begin_file(&in, writer, NULL);
	add_map(&records, "/bin/a", 1);
	strbuf__add(&expected, records.buf, records.len);
	strbuf__add(&expected, records.buf, records.len);
	take();
	add_map(&records, "/bin/a", 1);
	assert_int_equal(intake__take_synthesized(&in, records.buf, records.len), 0);
	expect_file();
}

/* Binaries of the rings and of the recorder's own records are in the table of build-ids. */
static void maps_are_listed_with_their_build_ids(void **state)
{
	static const char *const names[] = { "/bin/a", "/bin/b" };
	struct build_id_list *ids = build_id_list__new(NULL);
	struct strbuf synthesized = STRBUF_INIT;
	struct build_id_table t;
	struct reader *r;
	size_t size, nr = 0;

	(void)state;
	add_event(ID, SAMPLE_TYPE)->attr.build_id = 1;
	begin(&(struct writer_opts){ 0 });
	intake__begin_file(&in, writer, ids);
	build__comm(&synthesized, 0, PID, PID, "x", 32);
	add_map(&synthesized, "/bin/a", 1);
	size = synthesized.len;
	add_map(&synthesized, "/bin/beyond", 3);
	assert_int_equal(intake__take_synthesized(&in, synthesized.buf, size), 0);
	add_map(&records, "/bin/b", 2);
	take();
	assert_int_equal(build_id_list__write(ids, writer), 0);
	assert_int_equal(writer__finish(writer, NULL), 0);
	assert_int_equal(reader__open(&r, path, NULL), 0);
	assert_int_equal(features__build_ids(r, &t), 0);
	for (size_t i = 0; i < t.entries.nr; i++) {
		if (t.entries.v[i].cpumode != PERF_RECORD_MISC_USER)
			continue;
		assert_true(nr < ARRAY_SIZE(names));
		assert_string_equal(t.entries.v[i].filename, names[nr]);
		assert_int_equal(t.entries.v[i].id.data[0], ++nr);
	}
	assert_int_equal(nr, 2);
	/* another file may have no table */
	intake__begin_file(&in, writer, NULL);
	assert_int_equal(intake__take_synthesized(&in, NULL, 0), 0);
	build_id_table__exit(&t);
	reader__close(r);
	build_id_list__delete(ids);
	strbuf__exit(&synthesized);
}

/* Counts of inherited events become sums over threads, for whichever event wants them. */
static void counts_become_sums(void **state)
{
	struct evsel *e = add_event(ID, SAMPLE_TYPE | PERF_SAMPLE_READ);
	u64 words[] = { ID, 0x1000, 0, 1, 100 };

	(void)state;
	e->attr.inherit = 1;
	e->request->sums_reads = true;
	add_event(OTHER_ID, SAMPLE_TYPE);
	begin_records();
	intake__begin_file(&in, writer, NULL);
	for (u64 tid = 1; tid < 4; tid++) {
		words[2] = tid << 32 | PID;
		words[4] = 100;
		add(&records, PERF_RECORD_SAMPLE, 0, words, 5);
		words[4] = 100 * tid;
		add(&expected, PERF_RECORD_SAMPLE, 0, words, 5);
	}
	take();
	expect_file();
}

/* Samples come with a copy of the stack, and go on with a chain instead; others go on as they are. */
static void stack_copies_become_chains(void **state)
{
	const u64 chain[] = { ID, 0x1000, (u64)PID << 32 | PID, 5, 2, PERF_CONTEXT_USER, 0x1000 };
	const u64 rest[] = { PERF_SAMPLE_REGS_ABI_64, 1, 2, 3, 0 };
	const struct shared_stacks_opts opts = { 0 };
	struct evlist kernel;
	u64 words[12];

	(void)state;
	if (!unwind_arch__own())
		skip();
	add_event(ID, SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	events.evsels.v[0]->attr.sample_regs_user = 7;
	events.evsels.v[0]->attr.sample_stack_user = 512;
	stack_samples__split_events(&events, &kernel);
	begin_records();
	in.stack_samples = stack_samples__new(&kernel, unwind_arch__own(), &opts);
	in.own_pid = 1;
	intake__begin_file(&in, writer, NULL);
	memcpy(words, chain, sizeof(chain));
	memcpy(words + 7, rest, sizeof(rest));
	build__comm(&records, 0, PID, PID, "x", 32);
	strbuf__add(&expected, records.buf, records.len);
	for (int i = 0; i < 2; i++) {
		add(&records, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, words, 12);
		add(&expected, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, chain, 7);
	}
	words[2] = (u64)1 << 32 | 1; /* left out */
	add(&records, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, words, 12);
	take();
	assert_int_equal(in.tally.records, 4);
	assert_int_equal(in.tally.samples, 2);
	expect_file();
	evlist__exit(&kernel);
}

enum { WAITS_ID = ID, WAKINGS_ID = OTHER_ID };

/*
 * Add a sample of a switch away from a thread, or of it waking another one; its stack cannot be copied.
 * context: common_flags of the tracepoint.
 */
static void add_switch_or_waking(u64 id, u32 tid, u64 time, u32 woken, u8 context)
{
	u64 words[32] = { id, 0x1000, (u64)tid << 32 | PID, time, 1, 2, PERF_CONTEXT_USER, 0x1000 };
	size_t nr = 8;

	if (id == WAKINGS_ID) {
		u8 raw[40] = { 36 };

		raw[4 + 2] = context;
		memcpy(raw + 4 + 24, &woken, sizeof(woken));
		memcpy(words + nr, raw, sizeof(raw));
		nr += sizeof(raw) / 8;
	}
	words[nr++] = PERF_SAMPLE_REGS_ABI_64;
	nr += 3 + 1 + 1; /* registers, size of the stack, weight */
	add(&records, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, words, nr);
}

/*
 * Wakings are sampled on whole CPUs: chains of programs that are not recorded do not count. Neither do those
 * of threads that were interrupted.
 */
static void chains_of_other_programs_do_not_count(void **state)
{
	const u64 type = SAMPLE_TYPE | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
			 PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT;
	enum { HARDIRQ = 0x08, SOFTIRQ = 0x10 };
	static const struct {
		u64 id;
		u32 tid, woken;
		u8 context;
		u64 counted; /* chains so far */
	} samples[] = {
		{ WAKINGS_ID, 50, 51, 0, 0 },
		{ WAITS_ID, 51, 0, 0, 1 }, /* from now on the thread is a recorded one */
		{ WAKINGS_ID, 52, 53, 0, 1 },
		{ WAKINGS_ID, 52, 51, 0, 2 },
		{ WAKINGS_ID, 51, 52, 0, 3 },
		{ WAKINGS_ID, 52, 51, HARDIRQ, 3 }, /* who was interrupted does not matter */
		{ WAKINGS_ID, 51, 52, HARDIRQ, 3 },
		{ WAKINGS_ID, 52, 51, SOFTIRQ, 3 },
		{ WAKINGS_ID, 51, 52, SOFTIRQ, 4 },
	};
	const struct shared_stacks_opts stacks = { 0 };
	struct off_cpu_opts opts = { .d = &in.decoder, .threshold = 1, .fields = { .flags = 2, .pid = 24 } };
	struct evlist kernel;

	(void)state;
	if (!unwind_arch__own())
		skip();
	add_event(WAITS_ID, type);
	add_event(WAKINGS_ID, type | PERF_SAMPLE_RAW);
	for (size_t i = 0; i < 2; i++) {
		events.evsels.v[i]->attr.sample_regs_user = 7;
		events.evsels.v[i]->attr.sample_stack_user = 512;
	}
	stack_samples__split_events(&events, &kernel);
	begin_records();
	intake__begin_file(&in, writer, NULL); /* a row without the stations */
	in.stack_samples = stack_samples__new(&kernel, unwind_arch__own(), &stacks);
	opts.kernel = &kernel;
	opts.waits = events.evsels.v[0];
	opts.ended = events.evsels.v[1];
	in.off_cpu = off_cpu__new(&opts);
	intake__begin_file(&in, writer, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		add_switch_or_waking(samples[i].id, samples[i].tid, i + 1, samples[i].woken,
				     samples[i].context);
		take();
		if (stack_samples__stats(in.stack_samples)->no_stack != samples[i].counted)
			fail_msg("sample %zu", i);
	}
	evlist__exit(&kernel);
}

/* Samples that were unwound before pass all stations but that one, wherever it is in the row. */
static void unwound_samples_stay_as_they_are(u32 own_pid)
{
	const u64 rest[] = { 5, 2, PERF_CONTEXT_USER, 0x1000, PERF_SAMPLE_REGS_ABI_64, 1, 2, 3, 0 };
	const struct shared_stacks_opts opts = { 0 };
	struct evlist kernel;
	u64 words[12] = { ID, 0x1000, (u64)PID << 32 | PID };

	if (!unwind_arch__own())
		skip();
	add_event(ID, SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	events.evsels.v[0]->attr.sample_regs_user = 7;
	events.evsels.v[0]->attr.sample_stack_user = 512;
	stack_samples__split_events(&events, &kernel);
	begin_records();
	in.stack_samples = stack_samples__new(&kernel, unwind_arch__own(), &opts);
	in.own_pid = own_pid;
	intake__begin_file(&in, writer, NULL);
	memcpy(words + 3, rest, sizeof(rest));
	for (int i = 0; i < 2; i++)
		add(&records, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, words, 12);
	strbuf__add(&expected, records.buf, records.len);
	words[2] = (u64)own_pid << 32 | own_pid;
	if (own_pid)
		add(&records, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, words, 12);
	assert_int_equal(intake__take_unwound(&in, records.buf, records.len), 0);
	strbuf__reset(&records);
	assert_int_equal(in.tally.samples, 2);
	expect_file();
	evlist__exit(&kernel);
}

static void unwound_samples_are_left_alone(void **state)
{
	(void)state;
	unwound_samples_stay_as_they_are(0);
}

static void unwound_samples_of_perf_are_left_out(void **state)
{
	(void)state;
	unwound_samples_stay_as_they_are(1);
}

/* Stations before it must not keep samples back or change their stacks. */
static void samples_may_be_unwound_before(void **state)
{
	char any;

	(void)state;
	add_event(ID, SAMPLE_TYPE);
	begin_records();
	assert_false(intake__may_unwind_before(&in));
	in.stack_samples = (void *)&any;
	assert_true(intake__may_unwind_before(&in));
	in.spans = (void *)&any;
	assert_false(intake__may_unwind_before(&in));
	in.spans = NULL;
	in.off_cpu = (void *)&any;
	assert_false(intake__may_unwind_before(&in));
	in.off_cpu = NULL;
	in.probed_stacks = (void *)&any;
	assert_false(intake__may_unwind_before(&in));
	in.probed_stacks = NULL;
	in.stack_samples = NULL;
}

/* A program that starts and ends without a map of its own was hidden by the kernel. Its records go on. */
static void hidden_programs_are_noticed(void **state)
{
	const u64 exec[] = { (u64)PID << 32 | PID, 0x656d6f73 /* some */ };
	const u64 end[] = { (u64)PID << 32 | PID, (u64)PID << 32 | PID, 5 };

	(void)state;
	add_event(ID, SAMPLE_TYPE);
	begin_records();
	in.hidden.is_on = true;
	intake__begin_file(&in, writer, NULL);
	add(&records, PERF_RECORD_COMM, MISC_COMM_EXEC, exec, 2);
	add(&records, PERF_RECORD_EXIT, 0, end, 3);
	strbuf__add(&expected, records.buf, records.len);
	take();
	assert_int_equal(in.hidden.nr, 1);
	assert_string_equal(in.hidden.name, "some");
	expect_file();
}

enum { HZ = 1000, NS = 1000000000 / HZ };

/* Write two samples of a clock of HZ with the periods told, and store those in the file. */
static bool correct_periods(struct counters *c, struct counter *n, const u64 told[2], u64 written[2])
{
	struct evsel *e = add_event(ID, SAMPLE_TYPE | PERF_SAMPLE_PERIOD);
	u64 words[] = { ID, 0x1000, (u64)PID << 32 | PID, 5, 0 };
	struct strbuf file = STRBUF_INIT;

	e->attr.config = PERF_COUNT_SW_TASK_CLOCK;
	e->attr.freq = 1;
	e->attr.sample_freq = HZ;
	e->attr.disabled = e->attr.exclude_kernel = e->attr.exclude_hv = 1;
	begin_records();
	*n = (struct counter){ .tid = getpid(), .cpu = -1, .id = ID, .has_levels = n->has_levels };
	n->fd = (int)syscall(SYS_perf_event_open, &e->attr, 0, -1, -1, 0);
	c->v.v = n;
	c->v.nr = 1;
	in.vary = n->fd < 0 ? NULL : vary__new(c, &events, &(struct vary_opts){ .seed = 1 });
	if (!in.vary)
		return false; /* not permitted here */
	intake__begin_file(&in, writer, NULL);
	for (int i = 0; i < 2; i++) {
		words[4] = told[i];
		add(&records, PERF_RECORD_SAMPLE, 0, words, 5);
	}
	take();
	assert_int_equal(writer__finish(writer, NULL), 0);
	assert_int_equal(file__read(path, &file, 0), 0);
	assert_int_equal(file.len, 2 * 48);
	for (int i = 0; i < 2; i++)
		memcpy(&written[i], file.buf + i * 48 + 40, sizeof(written[i]));
	strbuf__exit(&file);
	vary__delete(in.vary);
	close(n->fd);
	return true;
}

/* A clock whose rate was changed tells the period that it was opened with: the true one is written. */
static void periods_are_corrected(void **state)
{
	const u64 told[] = { NS, NS + 1 };
	struct counter n = { 0 };
	struct counters c = { 0 };
	u64 written[2];

	(void)state;
	if (!correct_periods(&c, &n, told, written))
		skip();
	assert_int_not_equal(written[0], NS);
	assert_in_range(written[0], NS / 2, 2 * NS);
	assert_int_equal(written[1], NS + 1); /* it is not of the clock as it was opened */
}

/* The rings have room for a part of the frequency only. */
static const struct stack_levels slow = { .nr = 1, .v = { { .copy = 1536, .part = 8 } } };

static void periods_of_slow_copies_are_corrected(void **state)
{
	const u64 told[] = { 8 * NS, NS };
	struct counter n = { .has_levels = true };
	struct counters c = { .levels = slow };
	u64 written[2];

	(void)state;
	if (!correct_periods(&c, &n, told, written))
		skip();
	assert_int_not_equal(written[0], 8 * NS);
	assert_in_range(written[0], 4 * NS, 16 * NS);
	assert_int_equal(written[1], NS);
}

/* A group's events have one level: they keep the frequency that was asked for. */
static void periods_of_events_without_levels_are_corrected(void **state)
{
	const u64 told[] = { NS, 8 * NS };
	struct counter n = { .has_levels = false };
	struct counters c = { .levels = slow };
	u64 written[2];

	(void)state;
	if (!correct_periods(&c, &n, told, written))
		skip();
	assert_int_not_equal(written[0], NS);
	assert_in_range(written[0], NS / 2, 2 * NS);
	assert_int_equal(written[1], 8 * NS);
}

/* ---- records that are kept back ---- */

/* A sample of a task that may be the target's waits for the record that says so. */
static void samples_wait_for_their_task(void **state)
{
	struct evsel *e = add_event(ID, SAMPLE_TYPE);
	const u64 fork[] = { (u64)PID << 32 | 50, (u64)PID << 32 | 50, 4, 50ull << 32 | 50, 4, OTHER_ID };
	struct target target = { 0 };

	(void)state;
	e->request->probe = xcalloc(1, sizeof(*e->request->probe));
	e->request->probe->is_everywhere = true;
	add_event(OTHER_ID, SAMPLE_TYPE);
	array__add(&target.tids, PID);
	begin_records();
	in.task_filter = task_filter__new(&target);
	intake__begin_file(&in, writer, NULL);
	intake__begin_round(&in);
	add_sample(&records, ID, 50, 5);
	add_sample(&records, ID, 51, 5);
	add_sample(&records, ID, PID, 6);
	add_sample(&expected, ID, PID, 6);
	take();
	assert_int_equal(in.tally.samples, 1);
	assert_int_equal(intake__end_round(&in), 0);
	build__finished_round(&expected);
	intake__begin_round(&in);
	add(&records, PERF_RECORD_FORK, 0, fork, 6);
	strbuf__add(&expected, records.buf, records.len);
	take();
	assert_int_equal(intake__end_round(&in), 0);
	add_sample(&expected, ID, 50, 5);
	build__finished_round(&expected);
	assert_int_equal(in.tally.samples, 2);
	assert_int_equal(in.tally.events.v[0].samples, 2);
	assert_int_equal(in.tally.events.v[0].seen, 3); /* one is of another program */
	assert_int_equal(in.tally.events.v[1].seen, 0);
	assert_int_equal(intake__finish(&in), 0);
	expect_file();
	array__exit(&target.tids);
}

struct expected_wait {
	struct perf_event_header h;
	u64 id, ip;
	u32 pid, tid;
	u64 time, period, weight;
};

static struct evsel *add_wait_event(void)
{
	return add_event(ID, SAMPLE_TYPE | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT);
}

static void add_wait(struct strbuf *out, u32 tid, u64 begin, u64 period, u64 weight)
{
	const struct expected_wait w = {
		{ .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER, .size = sizeof(w) },
		ID,
		0x1000,
		PID,
		tid,
		begin,
		period,
		weight
	};

	strbuf__add(out, &w, sizeof(w));
}

static void begin_waits(void)
{
	begin_records();
	intake__begin_file(&in, writer, NULL); /* a row without the station */
	in.off_cpu = off_cpu__new(
		&(struct off_cpu_opts){ .waits = events.evsels.v[0], .d = &in.decoder, .threshold = 1 });
	intake__begin_file(&in, writer, NULL);
}

/* Waits that end in one round are all counted, and are not kept back again. */
static void ended_waits_pass_only_onlookers(void **state)
{
	(void)state;
	add_wait_event()->attr.build_id = 1;
	begin_waits();
	for (u32 tid = 1; tid < 4; tid++) {
		add_wait(&records, tid, 100 + tid, 1, 0);
		add_wait(&expected, tid, 1100 + tid, 1000, 1);
	}
	for (u64 tid = 1; tid < 4; tid++)
		add(&records, PERF_RECORD_SWITCH, 0, (const u64[]){ tid << 32 | PID, 1100 + tid, ID }, 3);
	for (int i = 0; i < 2; i++) {
		intake__begin_round(&in);
		take();
		assert_int_equal(intake__end_round(&in), 0);
	}
	build__finished_round(&expected);
	assert_int_equal(in.tally.samples, 3);
	assert_int_equal(in.tally.first_time, 1101);
	assert_int_equal(in.tally.last_time, 1103);
	expect_file();
}

/* The period of the only sample in the file. */
static u64 period_in_file(void)
{
	struct strbuf file = STRBUF_INIT;
	struct expected_wait w;

	assert_int_equal(writer__finish(writer, NULL), 0);
	assert_int_equal(file__read(path, &file, 0), 0);
	assert_int_equal(file.len, sizeof(w));
	memcpy(&w, file.buf, sizeof(w));
	strbuf__exit(&file);
	return w.period;
}

#define HOUR (3600 * 1000000000ull)

/* A wait that goes on ends with the recording, by the clock of the samples. */
static void waits_end_with_the_recording(void **state)
{
	struct timespec t;
	u64 period;

	(void)state;
	add_wait_event()->attr.use_clockid = 1;
	events.evsels.v[0]->attr.clockid = CLOCK_REALTIME;
	begin_waits();
	assert_int_equal(clock_gettime(CLOCK_REALTIME, &t), 0);
	add_wait(&records, 1, (u64)t.tv_sec * 1000000000 - HOUR, 1, 0);
	take();
	assert_int_equal(intake__finish(&in), 0);
	period = period_in_file();
	assert_true(period >= HOUR && period < 2 * HOUR);
}

static void waits_end_by_the_kernels_clock(void **state)
{
	u64 now = perf_clock__now(), period;

	(void)state;
	add_wait_event();
	begin_waits();
	if (!now)
		skip(); /* the kernel does not tell */
	add_wait(&records, 1, now, 1, 0);
	take();
	assert_int_equal(intake__finish(&in), 0);
	period = period_in_file();
	assert_true(period > 0 && period < HOUR);
}

/* What the file of waits has no room for is a failure of the round. */
static void failures_to_write_waits_are_returned(void **state)
{
	(void)state;
	add_wait_event();
	assert_int_equal(writer__open(&writer, "/dev/full", &(struct writer_opts){ .pipe = true }, NULL), 0);
	assert_int_equal(writer__begin(writer, &events, NULL), 0);
	assert_int_equal(writer__sync(writer), -ENOSPC);
	intake__init(&in, &events);
	in.off_cpu = off_cpu__new(
		&(struct off_cpu_opts){ .waits = events.evsels.v[0], .d = &in.decoder, .threshold = 1 });
	intake__begin_file(&in, writer, NULL);
	add_wait(&records, 1, 100, 1, 0);
	take();
	assert_int_equal(intake__finish(&in), -ENOSPC);
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(samples_without_a_thread_stay),
		test(the_last_record_may_be_a_header),
		test(types_of_recorders_pass_no_station),
		test(asked_build_ids_stay),
		test(maps_are_listed_with_their_build_ids),
		test(counts_become_sums),
		test(hidden_programs_are_noticed),
		test(periods_are_corrected),
		test(unwound_samples_are_left_alone),
		test(unwound_samples_of_perf_are_left_out),
		test(samples_may_be_unwound_before),
		test(stack_copies_become_chains),
		test(chains_of_other_programs_do_not_count),
		test(samples_wait_for_their_task),
		test(ended_waits_pass_only_onlookers),
		test(waits_end_with_the_recording),
		test(waits_end_by_the_kernels_clock),
		test(periods_of_slow_copies_are_corrected),
		test(periods_of_events_without_levels_are_corrected),
		test(failures_to_write_waits_are_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
