/*
 * What samples stand for in report --blocked-by and --critical-path. The threads of each recording do what
 * the test says, so that the right times follow from what they do, without what is tested.
 */
#include "unit.h"

#include "profile/gather/profile.h"
#include "profile/waits/sample_weights.h"
#include "waits_image.h"

#include <errno.h>
#include <stdlib.h>

enum { MAIN = 10, H, V, W, X };

static struct waits_image w;
static struct sample_weights weights;

/* Count the samples as a report does: all ns are in rows, which have a thread. */
static void count_samples(struct session *s)
{
	const struct profile_opts opts = { .weights = &weights };
	struct profile p;
	u64 sum = 0, of_lone = 0;

	assert_int_equal(profile__collect(&p, s, &opts, NULL), 0);
	for (size_t i = 0; i < p.rows.rows.nr; i++) {
		const struct row *row = row_table__get(&p.rows, i);

		for (size_t k = 0; k < weights.lone.nr && !row->key.ip; k++)
			if (row->first_tid == weights.lone.v[k].tid) {
				of_lone++;
				break;
			}
		sum += row->period;
	}
	assert_int_equal(sum, weights.facts.ns);
	assert_true(!weights.lone.nr == !of_lone);
	profile__exit(&p);
}

static int read_weights(enum weights_of of, const char *thread, struct err *err)
{
	static const bool on_cpu[] = { [ON_CPU] = true, [NR_EVENTS] = false };
	const struct weights_opts opts = {
		.of = of, .thread = thread, .waits = &plain_wait_rule, .on_cpu = on_cpu
	};
	struct session_opts sopts = { .symbols.symfs = "/nowhere", .samples_follow = true };
	struct session *s;
	char path[64];
	int fd, ret;

	waits__end(&w);
	image__path(w.im.b.buf, w.im.b.len, &fd, path);
	assert_int_equal(session__open(&s, path, &sopts, err), 0);
	close(fd);
	ret = sample_weights__read(&weights, s, &opts, err);
	if (!ret)
		count_samples(s);
	session__delete(s);
	image__exit(&w.im);
	return ret;
}

static void open_weights(enum weights_of of, const char *thread)
{
	struct err err = ERR_INIT;

	assert_int_equal(read_weights(of, thread, &err), 0);
	assert_string_equal(err.text.buf, "");
	err__exit(&err);
}

/* Check that samples have weights, and that there are no others. */
static void close_weights(const u32 *numbers, const u64 *ns, size_t nr)
{
	u64 sum = 0;

	for (size_t i = 0; i < nr; i++) {
		if (weights.ns[numbers[i]] != ns[i])
			fail_msg("sample %u stands for %llu ns, not %llu", numbers[i],
				 (unsigned long long)weights.ns[numbers[i]], (unsigned long long)ns[i]);
		sum += ns[i];
	}
	for (size_t i = 0; i < weights.lone.nr; i++)
		sum += weights.lone.v[i].ns;
	assert_int_equal(weights.facts.ns, sum);
	sample_weights__exit(&weights);
}

#define CLOSE(numbers, ...) \
	close_weights(numbers, (const u64[]){ __VA_ARGS__ }, ARRAY_SIZE(((const u64[]){ __VA_ARGS__ })))

static u64 lone_ns(u32 tid, enum lone_kind kind)
{
	for (size_t i = 0; i < weights.lone.nr; i++)
		if (weights.lone.v[i].tid == tid && weights.lone.v[i].kind == kind)
			return weights.lone.v[i].ns;
	return 0;
}

static void begin_threads(void)
{
	waits__begin(&w);
	waits__comm(&w, MAIN, "main", false, 0);
	waits__comm(&w, H, "holder", false, 0);
	waits__comm(&w, V, "victim", false, 0);
	waits__comm(&w, W, "victim", false, 0);
	waits__comm(&w, X, "other", false, 0);
}

/* ---- blocked by ---- */

static void holders_samples_share_the_wait(void **state)
{
	static const u64 times[] = { 50, 150, 250, 350, 450, 600 };
	u32 nr[ARRAY_SIZE(times)];

	(void)state;
	begin_threads();
	waits__lock(&w, V, 100, 500, 520, 0x10, H, 7);
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		nr[i] = waits__run(&w, H, times[i]);
	waits__ended(&w, H, 500, 7);
	open_weights(WEIGHTS_BLOCKED_BY, NULL);
	CLOSE(nr, 0, 100, 100, 100, 100, 0);
}

/* What does not divide evenly gets lost nowhere. */
static void sums_are_exact(void **state)
{
	u32 nr[7];
	u64 sum = 0;

	(void)state;
	begin_threads();
	waits__lock(&w, V, 100, 1101, 1101, 0x10, H, 7);
	for (u32 i = 0; i < 7; i++)
		nr[i] = waits__run(&w, H, 200 + 10 * i);
	open_weights(WEIGHTS_BLOCKED_BY, NULL);
	for (u32 i = 0; i < 7; i++) {
		assert_in_range(weights.ns[nr[i]], 143, 143);
		sum += weights.ns[nr[i]];
	}
	assert_int_equal(sum, 1001);
	CLOSE(nr, 143, 143, 143, 143, 143, 143, 143);
	begin_threads();
	waits__lock(&w, V, 100, 200, 200, 0x10, H, 7);
	for (u32 i = 0; i < 3; i++)
		nr[i] = waits__run(&w, H, 110 + 10 * i);
	open_weights(WEIGHTS_BLOCKED_BY, NULL);
	CLOSE(nr, 33, 33, 34);
}

static void waits_of_holders_count_by_overlap(void **state)
{
	u32 nr[5];

	(void)state;
	begin_threads();
	nr[0] = waits__wait(&w, H, 50, 140, 150, 0, WOKEN_BY_HARDIRQ); /* 40 waiting, 10 ready */
	nr[1] = waits__ready(&w, H, 155, 0, 0);
	nr[2] = waits__wait(&w, H, 200, 300, 320, 0, WOKEN_BY_HARDIRQ); /* all of it */
	nr[3] = waits__run(&w, H, 400);
	waits__lock(&w, V, 100, 500, 500, 0x10, H, 7);
	nr[4] = waits__ready(&w, H, 510, 450, 480); /* and it was preempted */
	open_weights(WEIGHTS_BLOCKED_BY, NULL);
	CLOSE(nr, 40, 10, 100, 400 - 40 - 10 - 120 - 30, 20 + 30);
}

static void without_samples_it_is_where_the_lock_was_let_go(void **state)
{
	u32 nr[3];

	(void)state;
	begin_threads();
	waits__lock(&w, V, 100, 500, 500, 0x10, H, 7);
	waits__lock(&w, V, 600, 650, 650, 0x10, H, 8);
	waits__run(&w, H, 90);
	nr[0] = waits__ended(&w, H, 510, 7);
	nr[1] = waits__ended(&w, H, 700, 8);
	nr[2] = waits__ended(&w, W, 500, 7);
	open_weights(WEIGHTS_BLOCKED_BY, NULL);
	CLOSE(nr, 400, 50, 0);
	/* not even that */
	begin_threads();
	waits__run(&w, H, 90);
	nr[0] = waits__lock(&w, V, 100, 500, 500, 0x10, H, 7);
	open_weights(WEIGHTS_BLOCKED_BY, NULL);
	assert_int_equal(lone_ns(H, LONE_RAN), 400);
	CLOSE(nr, 0);
}

/* Each waiter gets the lock from the one before. */
static void a_lock_is_handed_on(void **state)
{
	u32 nr[4];

	(void)state;
	begin_threads();
	waits__lock(&w, V, 100, 300, 300, 0x10, H, 1);
	waits__lock(&w, W, 120, 400, 400, 0x10, V, 2);
	waits__lock(&w, X, 150, 500, 500, 0x10, W, 3);
	nr[0] = waits__run(&w, H, 200);
	nr[1] = waits__run(&w, V, 350);
	nr[2] = waits__run(&w, W, 450);
	nr[3] = waits__run(&w, X, 550);
	open_weights(WEIGHTS_BLOCKED_BY, NULL);
	CLOSE(nr, 200 + 180 + 150, 100 + 100, 100, 0);
}

/* H lets go and wakes V, but X is faster: V waits again, for X. */
static void another_thread_was_faster(void **state)
{
	u32 nr[2];

	(void)state;
	begin_threads();
	waits__lock(&w, V, 100, 300, 310, 0x10, H, 1);
	waits__lock(&w, V, 315, 500, 500, 0x10, X, 2);
	waits__lock(&w, W, 100, 500, 500, 0x10, X, 2);
	nr[0] = waits__run(&w, H, 200);
	nr[1] = waits__run(&w, X, 400);
	open_weights(WEIGHTS_BLOCKED_BY, NULL);
	CLOSE(nr, 200 + 200, 185 + 200);
}

static void a_sample_delays_two(void **state)
{
	u32 nr[3];

	(void)state;
	begin_threads();
	waits__lock(&w, V, 100, 300, 300, 0x10, H, 1);
	waits__lock(&w, W, 200, 400, 400, 0x20, H, 1); /* another lock */
	nr[0] = waits__run(&w, H, 150);
	nr[1] = waits__run(&w, H, 250);
	nr[2] = waits__run(&w, H, 350);
	open_weights(WEIGHTS_BLOCKED_BY, NULL);
	CLOSE(nr, 100, 200, 100);
}

static void only_holders_count(void **state)
{
	u32 nr[2];

	(void)state;
	begin_threads();
	waits__lock(&w, V, 100, 300, 300, 0x10, H, 1);
	waits__lock(&w, W, 100, 400, 450, 0x10, 0, 0);         /* nobody knows */
	waits__wait(&w, X, 100, 200, 200, H, WOKEN_BY_THREAD); /* for no lock */
	nr[0] = waits__run(&w, H, 150);
	nr[1] = waits__run(&w, H, 350);
	open_weights(WEIGHTS_BLOCKED_BY, NULL);
	assert_int_equal(weights.facts.unknown.nr, 1);
	assert_int_equal(weights.facts.unknown.ns, 300);
	CLOSE(nr, 200, 0);
	/* a holder of whom nothing is recorded */
	begin_threads();
	nr[0] = waits__lock(&w, V, 100, 300, 300, 0x10, 77, 1);
	open_weights(WEIGHTS_BLOCKED_BY, NULL);
	assert_int_equal(lone_ns(77, LONE_NOT_RECORDED), 200);
	assert_int_equal(weights.facts.others.nr, 1);
	assert_int_equal(weights.facts.others.ns, 200);
	CLOSE(nr, 0);
}

static void one_sample_has_many_waits(void **state)
{
	const struct wait_detail d = {
		.futex_op = PRIVATE_WAIT, .flags = BY_FUTEX, .pid = WAITS_PID, .tid = H, .place = 7
	};
	struct wait_span spans[50];
	u32 nr[50];

	(void)state;
	begin_threads();
	for (u32 i = 0; i < 50; i++) {
		spans[i] = (struct wait_span){ 1000 * i + 100, 1000 * i + 200, 1000 * i + 250 };
		nr[i] = waits__run(&w, H, 1000 * i + (i % 2 ? 150 : 300));
	}
	waits__details(&w, WAITS, V, 50000, 0x10, &d, spans, 50);
	open_weights(WEIGHTS_BLOCKED_BY, NULL);
	for (u32 i = 0; i < 50; i++)
		assert_int_equal(weights.ns[nr[i]], i % 2 ? 200 : 0);
	assert_int_equal(weights.facts.ns, 5000);
	sample_weights__exit(&weights);
}

/* ---- critical path ---- */

/* Three threads, each of which waits for the one before. */
static void a_pipeline_leads_to_its_bottleneck(void **state)
{
	u32 nr[7];

	(void)state;
	waits__begin(&w);
	waits__comm(&w, MAIN, "main", true, 1);
	waits__fork(&w, H, MAIN, 20);
	waits__fork(&w, V, MAIN, 25);
	nr[0] = waits__run(&w, MAIN, 10);
	nr[1] = waits__run(&w, H, 270);
	waits__wait(&w, V, 40, 600, 610, H, WOKEN_BY_THREAD);
	nr[2] = waits__ready(&w, V, 620, 0, 0);
	nr[3] = waits__run(&w, V, 800);
	nr[4] = waits__wait(&w, H, 650, 900, 900, 0, WOKEN_BY_HARDIRQ); /* not on the path */
	waits__wait(&w, MAIN, 50, 950, 960, V, WOKEN_BY_THREAD);
	nr[5] = waits__ready(&w, MAIN, 970, 0, 0);
	nr[6] = waits__run(&w, MAIN, 980);
	waits__exit(&w, MAIN, 1000);
	open_weights(WEIGHTS_CRITICAL_PATH, NULL);
	assert_int_equal(weights.facts.end - weights.facts.begin, 999);
	assert_int_equal(weights.facts.unknown.nr, 0);
	/* main: 1..20 and 960..1000, over two samples */
	CLOSE(nr, 29, 580, 10, 340, 0, 10, 30);
}

/* make: the job that ends last is the one that counts, and what it waited for. */
static void a_tree_of_processes(void **state)
{
	u32 nr[6];

	(void)state;
	waits__begin(&w);
	waits__comm(&w, MAIN, "make", true, 1);
	waits__fork(&w, H, MAIN, 100);
	waits__fork(&w, V, MAIN, 200);
	nr[0] = waits__run(&w, MAIN, 50);
	nr[1] = waits__run(&w, H, 300);
	waits__exit(&w, H, 500);
	waits__wait(&w, MAIN, 250, 500, 510, H, WOKEN_BY_THREAD);
	nr[2] = waits__wait(&w, V, 300, 800, 820, 0, WOKEN_BY_HARDIRQ); /* a disk */
	nr[3] = waits__run(&w, V, 900);
	nr[5] = waits__run(&w, V, 250);
	waits__wait(&w, MAIN, 530, 1000, 1000, V, WOKEN_BY_THREAD);
	waits__exit(&w, V, 1001);
	nr[4] = waits__run(&w, MAIN, 1050);
	waits__exit(&w, MAIN, 1101);
	open_weights(WEIGHTS_CRITICAL_PATH, NULL);
	assert_int_equal(weights.facts.end - weights.facts.begin, 1100);
	assert_int_equal(lone_ns(V, LONE_READY), 20);
	/* main 1..200, 1000..1101; V 200..300, 820..1000; H does not matter */
	CLOSE(nr, 150, 0, 500, 140, 150, 140);
	/* and of the other one */
	waits__begin(&w);
	waits__comm(&w, MAIN, "make", true, 1);
	waits__fork(&w, H, MAIN, 100);
	nr[0] = waits__run(&w, MAIN, 50);
	nr[1] = waits__run(&w, H, 300);
	waits__exit(&w, H, 500);
	waits__exit(&w, MAIN, 900);
	open_weights(WEIGHTS_CRITICAL_PATH, "11");
	assert_int_equal(weights.facts.tid, H);
	CLOSE(nr, 99, 400);
}

/* Who is not known to have ended a wait does not lead on: the wait is part of the path. */
static void the_path_goes_on_before_a_wait(void **state)
{
	u32 nr[6];

	(void)state;
	begin_threads();
	nr[0] = waits__run(&w, MAIN, 1);
	nr[1] = waits__wait(&w, MAIN, 100, 200, 200, 0, 0);
	nr[2] = waits__wait(&w, MAIN, 300, 450, 450, 77, WOKEN_BY_THREAD);
	nr[3] = waits__wait(&w, MAIN, 500, 600, 600, H, WOKEN_BY_THREAD | WOKEN_BY_SOFTIRQ);
	nr[4] = waits__ready(&w, MAIN, 660, 650, 660);
	nr[5] = waits__run(&w, MAIN, 701);
	open_weights(WEIGHTS_CRITICAL_PATH, NULL);
	assert_int_equal(weights.facts.unknown.nr, 1);
	assert_int_equal(weights.facts.unknown.ns, 100);
	assert_int_equal(weights.facts.others.nr, 1);
	assert_int_equal(weights.facts.others.ns, 150);
	assert_int_equal(weights.facts.circles.nr, 0);
	CLOSE(nr, 0, 100, 150, 100, 10, 700 - 360);
}

/* Two threads that woke each other at the same time: the path ends nowhere, and goes on before both waits. */
static void a_circle_is_part_of_the_path(void **state)
{
	u32 nr[4];

	(void)state;
	begin_threads();
	nr[0] = waits__run(&w, MAIN, 1);
	waits__run(&w, H, 1);
	nr[1] = waits__wait(&w, H, 100, 300, 300, V, WOKEN_BY_THREAD);
	nr[2] = waits__wait(&w, V, 100, 300, 300, H, WOKEN_BY_THREAD);
	nr[3] = waits__run(&w, H, 401);
	open_weights(WEIGHTS_CRITICAL_PATH, NULL);
	assert_int_equal(weights.facts.circles.nr, 1);
	assert_int_equal(weights.facts.circles.ns, 200);
	/* H ran 1..100 and 300..401 */
	CLOSE(nr, 0, 200, 0, 200);
}

/* Of a recording of a whole machine, only the time of the program counts. */
static void the_path_begins_with_the_program(void **state)
{
	u32 nr[3];

	(void)state;
	waits__begin(&w);
	waits__comm(&w, X, "other", false, 0);
	nr[0] = waits__run(&w, X, 10);
	waits__comm(&w, MAIN, "main", true, 100);
	waits__wait(&w, MAIN, 200, 300, 300, X, WOKEN_BY_THREAD);
	nr[1] = waits__run(&w, X, 250);
	nr[2] = waits__run(&w, MAIN, 350);
	waits__exit(&w, MAIN, 400);
	open_weights(WEIGHTS_CRITICAL_PATH, NULL);
	assert_int_equal(weights.facts.end - weights.facts.begin, 300);
	CLOSE(nr, 0, 200, 100);
}

/* A thread that was there before may have waited from then on. */
static void the_path_begins_where_its_thread_is_seen(void **state)
{
	u32 nr[3];

	(void)state;
	waits__begin(&w);
	waits__comm(&w, MAIN, "main", false, 0);
	waits__comm(&w, X, "other", false, 0);
	nr[0] = waits__run(&w, X, 1);
	nr[1] = waits__run(&w, MAIN, 5000);
	nr[2] = waits__run(&w, MAIN, 5100);
	open_weights(WEIGHTS_CRITICAL_PATH, NULL);
	assert_int_equal(weights.facts.uncovered, 4999 - RUN_NS);
	assert_int_equal(lone_ns(MAIN, LONE_NOT_RECORDED), 4999 - RUN_NS);
	CLOSE(nr, 0, (RUN_NS + 100) / 2, (RUN_NS + 100) / 2);
}

static void the_beginning_of_a_thread_is_missing(void **state)
{
	u32 nr[2];

	(void)state;
	waits__begin(&w);
	waits__comm(&w, MAIN, "main", false, 0);
	nr[0] = waits__run(&w, MAIN, 1);
	waits__run(&w, X, 500);
	nr[1] = waits__run(&w, X, 600);
	open_weights(WEIGHTS_CRITICAL_PATH, NULL);
	assert_int_equal(weights.facts.uncovered, 499);
	assert_int_equal(lone_ns(X, LONE_NOT_RECORDED), 499);
	CLOSE(nr, 0, 100);
}

/* A time without a sample is counted at the end of the recording, whenever that is. */
static void a_recording_ends_at_the_last_time(void **state)
{
	(void)state;
	waits__begin(&w);
	waits__comm(&w, MAIN, "main", false, 0);
	waits__run(&w, MAIN, 700);
	waits__run(&w, MAIN, 1);
	waits__wait(&w, MAIN, 550, 600, 600, X, WOKEN_BY_THREAD);
	waits__run(&w, X, 500);
	waits__run(&w, X, 590);
	waits__run(&w, MAIN, UINT64_MAX - START);
	open_weights(WEIGHTS_CRITICAL_PATH, NULL);
	assert_true(weights.lone.nr > 0);
	sample_weights__exit(&weights);
}

static void threads_are_named(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	begin_threads();
	waits__run(&w, MAIN, 1);
	waits__run(&w, V, 100);
	waits__run(&w, W, 100);
	assert_int_equal(read_weights(WEIGHTS_CRITICAL_PATH, "victim", &err), -EINVAL);
	assert_non_null(strstr(err.text.buf, "2 threads are called 'victim'"));
	assert_non_null(strstr(err.text.buf, "12 victim, 13 victim"));
	sample_weights__exit(&weights);
	err__exit(&err);
	err = (struct err)ERR_INIT;
	begin_threads();
	waits__run(&w, X, 1);
	assert_int_equal(read_weights(WEIGHTS_CRITICAL_PATH, "nobody", &err), -ENOENT);
	assert_non_null(strstr(err.text.buf, "no thread 'nobody'"));
	assert_non_null(strstr(err.text.buf, "14 other"));
	sample_weights__exit(&weights);
	err__exit(&err);
	begin_threads();
	waits__run(&w, MAIN, 1);
	waits__run(&w, X, 51);
	open_weights(WEIGHTS_CRITICAL_PATH, "other");
	assert_int_equal(weights.facts.tid, X);
	assert_int_equal(weights.facts.ns, 50);
	sample_weights__exit(&weights);
}

/* ---- what is not recorded ---- */

/* MAIN creates H at 100, which ends at 2000; then MAIN waits for it. */
static void begin_child(void)
{
	waits__begin(&w);
	waits__comm(&w, MAIN, "main", true, 1);
	waits__run(&w, MAIN, 50);
	waits__fork(&w, H, MAIN, 100);
	waits__wait(&w, MAIN, 200, 2000, 2000, H, WOKEN_BY_THREAD);
	waits__exit(&w, H, 2000);
	waits__exit(&w, MAIN, 2001);
}

static void end_child(u64 ran, u64 ready, u64 unknown)
{
	u64 sampled = 0, was_ready = 0;

	open_weights(WEIGHTS_CRITICAL_PATH, NULL);
	for (u32 i = 0; i < weights.lines.nr_samples; i++)
		sampled += weights.ns[i];
	for (size_t i = 0; i < weights.lines.waits.nr; i++)
		if (weights.lines.waits.v[i].is_ready)
			was_ready += weights.ns[weights.lines.waits.v[i].number];
	/* MAIN ran 1..100 and 2000..2001 */
	assert_int_equal(sampled - was_ready + lone_ns(H, LONE_RAN), 100 + ran);
	assert_int_equal(was_ready, ready);
	assert_int_equal(lone_ns(H, LONE_NOT_RECORDED), unknown);
	assert_int_equal(weights.facts.ns, 2000);
	sample_weights__exit(&weights);
}

/* A thread does not run as soon as it is created. */
static void a_new_thread_need_not_run(void **state)
{
	(void)state;
	begin_child(); /* nothing is known */
	end_child(0, 0, 1900);
	begin_child(); /* it is sampled, so it ran in the time between two samples before */
	waits__run(&w, H, 1500);
	end_child(500 + RUN_NS, 0, 1400 - RUN_NS);
	begin_child();
	waits__run(&w, H, 100 + RUN_NS / 2);
	end_child(1900, 0, 0);
	begin_child(); /* it ran until it waited, but not for how long */
	waits__wait(&w, H, 500, 700, 700, 0, WOKEN_BY_HARDIRQ);
	end_child(1300 + 200, 0, 400);
	begin_child(); /* it was ready, and then it ran */
	waits__ready(&w, H, 1200, 100, 1200);
	end_child(800, 1100, 0);
	begin_child(); /* it does something itself */
	waits__fork(&w, V, H, 900);
	end_child(1100, 0, 800);
	begin_child();
	waits__comm(&w, H, "program", true, 600);
	end_child(1400, 0, 500);
	begin_child(); /* another thread may give it a name */
	waits__comm(&w, H, "worker", false, 600);
	end_child(0, 0, 1900);
}

/* Who did not run all the time was not sampled as often as a thread that runs is. */
static void losses_leave_gaps(void **state)
{
	enum { GAP = 2 * RUN_NS + 1, LATER = 1000000 };

	(void)state;
	for (u64 lost = 0; lost < 3; lost++) {
		begin_child();
		waits__ready(&w, H, 200, 100, 200);
		waits__run(&w, H, 300);
		waits__run(&w, H, 300 + GAP);
		for (u64 at = 300 + GAP; at < 2000; at += RUN_NS)
			waits__run(&w, H, at);
		if (lost)
			waits__lost(&w, lost == 1 ? 400 : 2001 + LATER);
		end_child(lost == 1 ? 1800 - GAP + RUN_NS : 1800, 100, lost == 1 ? GAP - RUN_NS : 0);
	}
	begin_child(); /* a wait and another are near each other */
	waits__ready(&w, H, 200, 100, 200);
	waits__lost(&w, 250);
	waits__wait(&w, H, 200 + 2 * RUN_NS, 900, 900, 0, WOKEN_BY_HARDIRQ);
	waits__run(&w, H, 1300);
	end_child(1800, 100, 0);
	begin_child(); /* or not */
	waits__ready(&w, H, 200, 100, 200);
	waits__lost(&w, 250);
	waits__wait(&w, H, 200 + GAP, 900, 900, 0, WOKEN_BY_HARDIRQ);
	waits__run(&w, H, 1300);
	end_child(1800 - GAP, 100, GAP);
}

/* The holder is recorded from 400 on, or not at all. */
static void a_holder_may_not_be_recorded(void **state)
{
	u32 nr[2];

	(void)state;
	begin_threads();
	waits__lock(&w, V, 100, 1000, 1000, 0x10, H, 7);
	nr[0] = waits__run(&w, H, 400 + RUN_NS);
	nr[1] = waits__ended(&w, H, 1000, 7);
	open_weights(WEIGHTS_BLOCKED_BY, NULL);
	assert_int_equal(lone_ns(H, LONE_NOT_RECORDED), 300);
	assert_int_equal(weights.facts.others.nr, 0);
	CLOSE(nr, 600, 0);
	begin_threads();
	waits__lock(&w, V, 100, 1000, 1000, 0x10, H, 7);
	waits__lock(&w, W, 700, 900, 900, 0x10, H, 7);
	nr[0] = waits__ended(&w, H, 1000, 7);
	open_weights(WEIGHTS_BLOCKED_BY, NULL);
	assert_int_equal(lone_ns(H, LONE_NOT_RECORDED), 900 + 200);
	assert_int_equal(weights.facts.others.nr, 2);
	assert_int_equal(weights.facts.others.ns, 900 + 200);
	CLOSE(nr, 0);
}

/* ---- lies ---- */

static u64 seed;

static u64 dice(u64 nr)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % nr;
}

static void put_anything(void)
{
	u32 tid = MAIN + (u32)dice(5), other = MAIN + (u32)dice(6);
	u64 begin = dice(2000), end = begin + dice(500), woken = begin + dice(end - begin + 1);
	static const u32 flags[] = { 0, WOKEN_BY_THREAD, BY_FUTEX, BY_FUTEX | WOKEN_BY_HARDIRQ };

	switch (dice(9)) {
	case 0:
		waits__fork(&w, tid, other, begin);
		break;
	case 1:
		waits__exit(&w, tid, begin);
		break;
	case 2:
		waits__wait(&w, tid, begin, woken, end, other, flags[dice(4)]);
		break;
	case 3:
		waits__ready(&w, tid, end, begin, end);
		break;
	case 4:
		waits__ended(&w, tid, end, dice(3));
		break;
	case 5:
		waits__run(&w, tid, begin);
		break;
	case 6:
		waits__lost(&w, begin);
		break;
	default:
		waits__lock(&w, tid, begin, woken, end, 0x10 * dice(3), other, dice(3));
	}
}

/* Return the time of the waits for locks whose holders are known. */
static u64 locked_ns(void)
{
	const struct time_lines *t = &weights.lines;
	u64 sum = 0;

	for (size_t i = 0; i < t->v.nr; i++)
		for (size_t k = 0; k < t->v.v[i].spans.nr; k++) {
			const struct line_span *s = &t->v.v[i].spans.v[k];

			if (t->waits.v[s->wait].lock)
				sum += s->woken - s->begin;
		}
	return sum;
}

/* Threads that wait twice at a time, are born twice, wake each other in the past: sums stay what they are. */
static void lies_change_no_sum(void **state)
{
	(void)state;
	for (seed = 0; seed < 3000; seed++) {
		u64 first = seed, events;

		for (int of = WEIGHTS_BLOCKED_BY; of <= WEIGHTS_CRITICAL_PATH; of++) {
			seed = first;
			events = 1 + dice(60);
			begin_threads();
			for (u64 i = 0; i < events; i++)
				put_anything();
			open_weights((enum weights_of)of, NULL);
			if (of == WEIGHTS_BLOCKED_BY)
				assert_int_equal(weights.facts.ns, locked_ns());
			else
				assert_int_equal(weights.facts.ns, weights.facts.end - weights.facts.begin);
			sample_weights__exit(&weights);
		}
		seed = first;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holders_samples_share_the_wait),
		cmocka_unit_test(sums_are_exact),
		cmocka_unit_test(waits_of_holders_count_by_overlap),
		cmocka_unit_test(without_samples_it_is_where_the_lock_was_let_go),
		cmocka_unit_test(a_lock_is_handed_on),
		cmocka_unit_test(another_thread_was_faster),
		cmocka_unit_test(a_sample_delays_two),
		cmocka_unit_test(only_holders_count),
		cmocka_unit_test(one_sample_has_many_waits),
		cmocka_unit_test(a_pipeline_leads_to_its_bottleneck),
		cmocka_unit_test(a_tree_of_processes),
		cmocka_unit_test(the_path_goes_on_before_a_wait),
		cmocka_unit_test(a_circle_is_part_of_the_path),
		cmocka_unit_test(the_path_begins_with_the_program),
		cmocka_unit_test(the_path_begins_where_its_thread_is_seen),
		cmocka_unit_test(the_beginning_of_a_thread_is_missing),
		cmocka_unit_test(a_recording_ends_at_the_last_time),
		cmocka_unit_test(threads_are_named),
		cmocka_unit_test(a_new_thread_need_not_run),
		cmocka_unit_test(losses_leave_gaps),
		cmocka_unit_test(a_holder_may_not_be_recorded),
		cmocka_unit_test(lies_change_no_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
