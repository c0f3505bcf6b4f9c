/* What slow spans have more of: of recordings whose threads do what the test says. */
#include "unit.h"

#include "profile/causes/span_samples.h"
#include "profile/compare/distributions.h"
#include "profile/causes/span_why.h"
#include "profile/causes/why_text.h"
#include "waits_image.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { SPANS = NR_EVENTS, NR };
enum { A = 10, B, C, HOLDER };

static const char *const names[] = { "cpu-clock", "offcpu-time", "ended-waits", "ready-time", "span:handle" };
static const char *const no_waits[] = { "cpu-clock", "span:handle" };
static const struct span_limits from_1000 = { .slower = { .ns = 1000 }, .faster = { .ns = 500 } };

static struct waits_image w;
static struct session *session;
static struct span_set set;
static struct span_times times;
static struct span_groups groups;

static void open_recording(bool has_waits)
{
	struct session_opts sopts = { .symbols.symfs = "/nowhere", .samples_follow = true };
	const struct evsel *event;
	struct err err = ERR_INIT;
	char path[64];
	int fd;

	waits__end(&w);
	image__path(w.im.b.buf, w.im.b.len, &fd, path);
	assert_int_equal(session__open(&session, path, &sopts, &err), 0);
	close(fd);
	assert_int_equal(span_set__choose_event(&session->reader->evlist, NULL, &event, &err), 0);
	assert_int_equal(span_set__read(&set, session, event, &err), 0);
	times = (struct span_times){ .of_waits.nr = 0 };
	if (has_waits)
		assert_int_equal(span_times__read(&times, session, &err), 0);
}

static void close_recording(void)
{
	span_times__exit(&times);
	span_set__exit(&set);
	session__delete(session);
	image__exit(&w.im);
}

static void begin(void)
{
	waits__begin_events(&w, names, NR);
	waits__comm(&w, A, "first", false, 0);
	waits__comm(&w, B, "second", false, 0);
	waits__comm(&w, C, "third", false, 0);
	waits__comm(&w, HOLDER, "holder", false, 0);
}

/* ---- locks that go from hand to hand ---- */

/* Let all waits that threads ended be for one lock, as symbols would tell. */
static void make_locks(void)
{
	u32 lock = strpool__intern(&times.locks.texts, "mutex db_lock"),
	    holder = strpool__intern(&times.locks.texts, "holder 13");

	for (size_t i = SPAN_FIRST_WAIT; i < times.reasons.nr; i++)
		if (times.reasons.v[i].tid) {
			times.reasons.v[i].role = ROLE_HOLDER;
			times.reasons.v[i].lock_kind = LOCK_MUTEX;
			times.reasons.v[i].lock = lock;
			times.reasons.v[i].holder = times.reasons.v[i].tid == HOLDER ? holder : 0;
		}
}

static u32 waker_of(const struct span_item *i)
{
	return i->ended == NO_WAIT ? 0 : times.lines.waits.v[i->ended].waker_tid;
}

/* A, B and C wait for HOLDER, and get the lock one after the other. */
static void pieces_belong_to_who_let_the_lock_go(void **state)
{
	static const struct {
		u32 waker;
		u64 ns;
	} expected[] = { { HOLDER, 900 }, { A, 10 }, { B, 10 }, { 0, 5 } };
	struct err err = ERR_INIT;
	struct span_samples x;

	(void)state;
	begin();
	waits__wait(&w, A, 90, 1000, 1000, HOLDER, WOKEN_BY_THREAD);
	waits__wait(&w, B, 95, 1010, 1010, A, WOKEN_BY_THREAD);
	waits__wait(&w, C, 100, 1020, 1025, B, WOKEN_BY_THREAD);
	waits__wait(&w, HOLDER, 200, 700, 720, 0, 0);
	waits__run(&w, HOLDER, 150);
	waits__run(&w, HOLDER, 800);
	waits__run(&w, HOLDER, 1500);
	waits__span(&w, SPANS, C, 50, 1100);
	open_recording(true);
	make_locks();
	assert_int_equal(span_groups__divide(&groups, &set, &from_1000, &err), 0);
	assert_int_equal(span_samples__read(&x, session, &times, &set, &groups, &err), 0);
	assert_int_equal(x.items.nr, ARRAY_SIZE(expected));
	for (size_t i = 0; i < x.items.nr; i++) {
		assert_int_equal(waker_of(&x.items.v[i]), expected[i].waker);
		assert_int_equal(x.items.v[i].ns, expected[i].ns);
	}
	assert_int_equal(x.items.v[3].wait, ITEM_READY);
	assert_int_equal(x.on_cpu.v[0], 1050 - 925);
	/*
	 * what HOLDER did: 500 waiting, 20 ready, 380 on the CPU with two samples; the others ran, without
	 * samples
	 */
	assert_int_equal(x.holders.nr, 6);
	assert_int_equal(x.holders.v[0].ns, 500);
	assert_int_equal(x.holders.v[1].wait, ITEM_READY);
	assert_int_equal(x.holders.v[1].ns, 20);
	assert_int_equal(x.holders.v[2].ns + x.holders.v[3].ns, 380);
	assert_int_not_equal(x.holders.v[3].number, NO_ROW);
	assert_int_equal(x.holders.v[4].number, NO_ROW);
	assert_int_equal(x.holders.v[4].ns, 10);
	span_samples__exit(&x);
	span_groups__exit(&groups);
	close_recording();
}

/* A lock that goes through many hands: so many pieces are told apart, the rest is of the last waker. */
static void many_pieces(void **state)
{
	enum { NR_HANDS = 20, FIRST = 100, MOST_PIECES = 16 };
	struct err err = ERR_INIT;
	struct span_samples x;

	(void)state;
	begin();
	for (u32 i = 0; i < NR_HANDS; i++) {
		u32 tid = FIRST + NR_HANDS - 1 - i; /* the last one comes first in the file's order */

		waits__comm(&w, tid, "hand", false, 0);
		waits__wait(&w, tid, 50, 1000 + 10 * i, 1000 + 10 * i, i ? tid + 1 : HOLDER, WOKEN_BY_THREAD);
	}
	waits__wait(&w, C, 60, 2000, 2000, FIRST, WOKEN_BY_THREAD);
	/* wakings at its very begin, and of what is no lock */
	waits__wait(&w, A, 40, 60, 60, HOLDER, WOKEN_BY_THREAD);
	waits__wait(&w, B, 60, 500, 500, 0, 0);
	waits__span(&w, SPANS, C, 50, 2100);
	open_recording(true);
	make_locks();
	assert_int_equal(span_groups__divide(&groups, &set, &from_1000, &err), 0);
	assert_int_equal(span_samples__read(&x, session, &times, &set, &groups, &err), 0);
	assert_int_equal(x.items.nr, MOST_PIECES);
	for (u32 i = 0; i < MOST_PIECES; i++) {
		bool is_last = i == MOST_PIECES - 1;

		assert_int_equal(waker_of(&x.items.v[i]), is_last ? FIRST
							  : i     ? FIRST + NR_HANDS - i
								  : HOLDER);
		assert_int_equal(x.items.v[i].ns, is_last ? 2000 - 1140 : i ? 10 : 940);
	}
	span_samples__exit(&x);
	span_groups__exit(&groups);
	close_recording();
}

/* ---- reasons ---- */

static void add_fast(u32 tid, u64 nr, u64 *at)
{
	for (u64 i = 0; i < nr; i++, *at += 1000) {
		waits__run(&w, tid, *at + 50);
		waits__wait(&w, tid, *at + 100, *at + 120, *at + 125, B, WOKEN_BY_THREAD);
		waits__span(&w, SPANS, tid, *at, *at + 200 + i % 7);
	}
}

static void expect_answer(const char *part)
{
	struct strbuf answer = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct span_why why;

	assert_int_equal(
		span_why__find(&why, session, times.of_waits.nr ? &times : NULL, &set, &from_1000, 1, &err),
		0);
	why_text__add_answer(&why, &answer);
	if (!strstr(answer.buf, part))
		fail_msg("'%s' is not in: %s", part, answer.buf);
	strbuf__exit(&answer);
	span_why__exit(&why);
}

static void the_reason_is_named(void **state)
{
	u64 at = 1000;

	(void)state;
	begin();
	for (int i = 0; i < 8; i++) {
		add_fast(A, 20, &at);
		waits__wait(&w, A, at + 10, at + 5010, at + 5015, HOLDER, WOKEN_BY_THREAD);
		waits__span(&w, SPANS, A, at, at + 5200);
		at += 10000;
	}
	open_recording(true);
	make_locks();
	expect_answer("slow spans (1.00 us and above: 5.20 us, 8 of 168) wait 5.00 us longer for mutex "
		      "db_lock, held by "
		      "thread holder; ");
	expect_answer("8 of the 8 have it");
	close_recording();
	/* the same without waits */
	at = 1000;
	waits__begin_events(&w, no_waits, ARRAY_SIZE(no_waits));
	waits__comm(&w, A, "first", false, 0);
	for (int i = 0; i < 8; i++) {
		for (int k = 0; k < 20; k++, at += 1000)
			waits__span(&w, 1, A, at, at + 200);
		waits__run(&w, A, at + 50);
		waits__span(&w, 1, A, at, at + 5200);
		at += 10000;
	}
	open_recording(false);
	expect_answer("are off the CPU for 4.75 us longer; why was not recorded");
	close_recording();
}

/* Who computes for longer is preempted for longer: that is one reason. */
static void ready_time_belongs_to_the_cpu(void **state)
{
	u64 at = 1000;

	(void)state;
	begin();
	for (u64 i = 0; i < 8; i++) {
		add_fast(A, 20, &at);
		for (u64 k = 0; k < 4 + i; k++) {
			waits__run(&w, A, at + 1000 * k + 100);
			waits__run(&w, A, at + 1000 * k + 350);
			waits__ready(&w, A, at + 1000 * k + 999, at + 1000 * k + 500, at + 1000 * k + 999);
		}
		waits__span(&w, SPANS, A, at, at + (4 + i) * 1000);
		at += 20000;
	}
	open_recording(true);
	expect_answer("more on the CPU");
	expect_answer("and so are ready for ");
	close_recording();
}

/* The host stopped the machine: no samples. */
static void time_without_samples_is_told(void **state)
{
	struct strbuf callers = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct span_why why;
	u64 at = 1000;

	(void)state;
	begin();
	for (u64 i = 0; i < 8; i++) {
		add_fast(A, 20, &at);
		waits__run(&w, A, at + 100);
		waits__span(&w, SPANS, A, at, at + 5000);
		at += 10000;
	}
	open_recording(true);
	expect_answer(" more without waits and without samples on the CPU: a virtual machine was stopped");
	assert_int_equal(span_why__find(&why, session, &times, &set, &from_1000, 1, &err), 0);
	why_text__add_callers(&why, &why.rows.v[0], &callers);
	assert_string_equal(callers.buf, "");
	span_why__exit(&why);
	strbuf__exit(&callers);
	close_recording();
}

/* ---- whole answers ---- */

/* The answer, what the holder did, the advice, and all that slow spans have more of; a line each. */
static void expect_all(const struct span_limits *limits, const char *expected)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct span_why why;

	assert_int_equal(
		span_why__find(&why, session, times.of_waits.nr ? &times : NULL, &set, limits, 1, &err), 0);
	why_text__add_answer(&why, &text);
	strbuf__addch(&text, '\n');
	for (size_t i = 0; i < why.rows.nr; i++) {
		why_text__add_row(&why, &why.rows.v[i], &text);
		strbuf__addstr(&text, " | ");
		why_text__add_meanwhile(&why, &why.rows.v[i], &text);
		strbuf__addstr(&text, " | ");
		why_text__add_callers(&why, &why.rows.v[i], &text);
		strbuf__addch(&text, '\n');
	}
	why_text__add_advice(&why, &text);
	if (strcmp(text.buf, expected) != 0)
		fail_msg("%s\n instead of:\n%s", text.buf, expected);
	strbuf__exit(&text);
	span_why__exit(&why);
	err__exit(&err);
}

enum what { HOLDER_WAITS, HOLDER_RUNS, HOLDER_HAS_NO_LOCK, WAITS_ALONE };

/* Each 21st span of A waits for 5 us: for HOLDER, which waits itself or runs, or for nobody. */
static void open_slow(u32 nr, enum what what, enum wait_kind kind)
{
	u64 at = 1000;

	begin();
	for (u32 i = 0; i < nr; i++) {
		add_fast(A, 20, &at);
		waits__wait(&w, A, at + 10, at + 5010, at + 5010, what == WAITS_ALONE ? 0 : HOLDER,
			    what == WAITS_ALONE ? 0 : WOKEN_BY_THREAD);
		if (what == HOLDER_WAITS)
			waits__wait(&w, HOLDER, at + 100, at + 4900, at + 4950, 0, 0);
		for (u64 k = 0; k < 20; k++)
			waits__run(&w, HOLDER, at + 4955 - (what == HOLDER_RUNS) * 240 * k);
		waits__span(&w, SPANS, A, at, at + 5200);
		at += 10000;
	}
	open_recording(true);
	if (what != HOLDER_HAS_NO_LOCK)
		make_locks();
	for (size_t i = SPAN_FIRST_WAIT; i < times.reasons.nr; i++)
		if (!times.reasons.v[i].tid || what == HOLDER_HAS_NO_LOCK)
			times.reasons.v[i].kind = kind;
}

static const struct span_limits by_quantile = { .slower = { .is_quantile = true, .share = 0.96 },
						.faster = { .is_quantile = true, .share = 0.5 } };

#define EIGHT "slow spans (1.00 us and above: 5.20 us, 8 of 168) "
#define THAT_MANY "; 8 of the 8 have it\n"
#define FOR_LOCK "wait 5.00 us longer for mutex db_lock, held by thread holder"

static void expect_slow(enum what what, enum wait_kind kind, const char *expected)
{
	open_slow(8, what, kind);
	expect_all(&from_1000, expected);
	close_recording();
}

static void whole_answers(void **state)
{
	(void)state;
	expect_slow(HOLDER_WAITS, WAIT_SLEEP,
		    EIGHT FOR_LOCK "; it slept meanwhile" THAT_MANY FOR_LOCK " | it slept | \n");
	expect_slow(HOLDER_WAITS, WAIT_IO,
		    EIGHT FOR_LOCK "; it waited for the disk meanwhile" THAT_MANY FOR_LOCK
				   " | it waited for the disk | \n");
	expect_slow(HOLDER_RUNS, WAIT_IO,
		    EIGHT FOR_LOCK "; it was on the CPU meanwhile" THAT_MANY FOR_LOCK
				   " | it was on the CPU | \n");
	expect_slow(HOLDER_HAS_NO_LOCK, WAIT_SOCKET,
		    EIGHT "wait 4.98 us longer for a socket, ended by thread holder" THAT_MANY
			  "wait 4.98 us longer for a socket, ended by thread holder |  | \n");
	expect_slow(WAITS_ALONE, WAIT_SLEEP,
		    EIGHT "sleep 5.00 us longer" THAT_MANY "sleep 5.00 us longer |  | \n");
	expect_slow(WAITS_ALONE, WAIT_IO,
		    EIGHT "wait 5.00 us longer for the disk" THAT_MANY
			  "wait 5.00 us longer for the disk |  | \n");
	expect_slow(WAITS_ALONE, WAIT_STOPPED,
		    EIGHT "are stopped for 5.00 us longer" THAT_MANY
			  "are stopped for 5.00 us longer |  | \n");
}

static void whole_answers_of_other_limits(void **state)
{
	static const struct span_limits near = { .slower = { .ns = 204 }, .faster = { .ns = 202 } };

	(void)state;
	open_slow(8, WAITS_ALONE, WAIT_IO);
	expect_all(&by_quantile,
		   "slow spans (p96 and above: 5.20 us, 8 of 168) wait 5.00 us longer for the disk" THAT_MANY
		   "wait 5.00 us longer for the disk |  | \n");
	close_recording();
	open_slow(3, WAITS_ALONE, WAIT_IO);
	expect_all(&from_1000,
		   "cannot tell, there are too few: slow spans (1.00 us and above: 5.20 us, 3 of 63)\n"
		   "wait 5.00 us longer for the disk |  | \n"
		   "a reason is named if at least 5 slow spans of different times have it: record for "
		   "longer, or "
		   "choose more spans, such as --slower p95");
	close_recording();
	begin();
	for (u64 i = 0; i < 140; i++)
		waits__span(&w, SPANS, A, 1000 * i, 1000 * i + 200 + i % 7);
	open_recording(true);
	expect_all(&near,
		   "slow spans (204.0 ns and above: 204.0 ns to 206.0 ns, 60 of 140) are off the CPU for "
		   "4.00 ns "
		   "longer; why was not recorded; 60 of the 60 have it\n"
		   "are off the CPU for 4.00 ns longer; why was not recorded |  | \n"
		   "to see why spans are off the CPU, record as root: perf record --span FUNCTION ...");
	expect_all(&by_quantile,
		   "nothing to explain: slow spans (p96 and above: 206.0 ns, 20 of 140) are only 1.0 times "
		   "as long "
		   "as fast ones, which is ordinary\n"
		   "are off the CPU for 4.50 ns longer; why was not recorded |  | \n"
		   "to see why spans are off the CPU, record as root: perf record --span FUNCTION ...");
	close_recording();
}

/* Durations of one distribution, whose end is slow; and few spans of many kinds. */
static void answers_without_a_reason(void **state)
{
	static const struct span_limits p99 = { .slower = { .is_quantile = true, .share = 0.99 },
						.faster = { .is_quantile = true, .share = 0.5 } };
	u64 at = 1000;

	(void)state;
	begin();
	waits__wait(&w, B, 10, 20, 20, 0, 0);
	for (u32 i = 0; i < 1000; i++, at += 20000) {
		u64 ns = (u64)(1000 * exp(0.6 * normal__quantile((i * 389 % 1000 + 0.5) / 1000)));

		for (u64 k = 100; k < ns; k += 250)
			waits__run(&w, A, at + k);
		waits__span(&w, SPANS, A, at, at + ns);
	}
	open_recording(true);
	expect_all(&p99,
		   "no reason stands out: slow spans (p99 and above: 3.99 us to 7.20 us, 11 of 1000) are the "
		   "long end of how all spans vary; most of it: they spend 4.25 us more on the CPU\n"
		   "spend 4.25 us more on the CPU |  | \n"
		   "if some are too slow all the same, say which, such as --slower 3.99 us");
	close_recording();
	begin();
	for (u32 i = 0; i < 8; i++) {
		add_fast(A, 20, &at);
		if (i < 4)
			waits__wait(&w, A, at + 10, at + 5010, at + 5010, 0, 0);
		else
			waits__wait(&w, A, at + 10, at + 5010, at + 5010, HOLDER, WOKEN_BY_THREAD);
		waits__span(&w, SPANS, A, at, at + 5200);
		at += 10000;
	}
	open_recording(true);
	make_locks();
	expect_all(
		&from_1000,
		"cannot tell why slow spans (1.00 us and above: 5.20 us, 8 of 168) are slow: nothing that "
		"they have much more of is certain\n"
		"wait 2.50 us longer for something that is not known |  | \n"
		"wait 2.50 us longer for mutex db_lock, held by thread holder |  | \n"
		"a reason is named if at least 5 slow spans of different times have it: record for longer, "
		"or choose more spans, such as --slower p95");
	close_recording();
}

/* Without fast spans there are too few, but what slow ones have is known. */
static void only_slow_spans(void **state)
{
	u64 at = 1000;

	(void)state;
	begin();
	for (u32 i = 0; i < 8; i++, at += 10000) {
		waits__wait(&w, A, at + 10, at + 5010, at + 5010, HOLDER, WOKEN_BY_THREAD);
		waits__span(&w, SPANS, A, at, at + 5200);
	}
	open_recording(true);
	make_locks();
	expect_all(
		&from_1000,
		"cannot tell, there are too few: slow spans (1.00 us and above: 5.20 us, 8 of 8)\n"
		"wait 5.00 us longer for mutex db_lock, held by thread holder |  | \n"
		"spend 200.0 ns more without waits and without samples on the CPU: a virtual machine was "
		"stopped, or records are missing |  | \n"
		"a reason is named if at least 5 slow spans of different times have it: record for longer, "
		"or choose more spans, such as --slower p95");
	close_recording();
}

/* Locks that only numbers tell apart are one reason. */
static void numbers_of_locks(void **state)
{
	static const struct {
		const char *text, *expected;
	} locks[] = {
		{ "semaphore of wait #2", " for semaphore of wait, held by" },
		{ "mutex #12", " for mutex, held by" },
		{ "mutex #x", " for mutex #x, held by" },
		{ "mutex #1x", " for mutex #1x, held by" },
		{ "mutex#2", " for mutex#2, held by" },
		{ "#2", " for #2, held by" },
		{ "a #1 #2", " for a #1, held by" },
	};
	u64 at;

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(locks); k++) {
		at = 1000;
		begin();
		for (u32 i = 0; i < 8; i++) {
			add_fast(A, 20, &at);
			waits__wait(&w, A, at + 10, at + 5010, at + 5010, HOLDER, WOKEN_BY_THREAD);
			waits__span(&w, SPANS, A, at, at + 5200);
			at += 10000;
		}
		open_recording(true);
		make_locks();
		for (size_t i = SPAN_FIRST_WAIT; i < times.reasons.nr; i++)
			times.reasons.v[i].lock = strpool__intern(&times.locks.texts, locks[k].text);
		expect_answer(locks[k].expected);
		close_recording();
	}
}

static void names_of_verdicts(void **state)
{
	static const char *const words[] = { "too few", "alike", "ordinary", "unclear", "explained" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_string_equal(span_verdict__name((enum span_verdict)i), words[i]);
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
	static const u32 flags[] = { 0, WOKEN_BY_THREAD, BY_FUTEX, BY_FUTEX | WOKEN_BY_HARDIRQ };
	u32 tid = A + (u32)dice(4), other = A + (u32)dice(5);
	u64 from = dice(4000), end = from + dice(1000), woken = from + dice(end - from + 1);

	switch (dice(7)) {
	case 0:
		waits__wait(&w, tid, from, woken, end, other, flags[dice(4)]);
		break;
	case 1:
		waits__ready(&w, tid, end, from, end);
		break;
	case 2:
		waits__ended(&w, tid, end, dice(3));
		break;
	case 3:
		waits__run(&w, tid, from);
		break;
	case 4:
		waits__lock(&w, tid, from, woken, end, 0x10 * dice(3), other, dice(3));
		break;
	default:
		waits__span(&w, SPANS, tid, from, from + dice(2000));
	}
}

/* The causes of a span add up to its duration. */
static void expect_sums(const struct causes *c)
{
	double *sums = xcalloc(groups.v.nr + 1, sizeof(*sums));

	for (size_t i = 0; i < c->entries.nr; i++)
		if (c->nodes.v[c->entries.v[i].node].place == PLACE_ALL)
			sums[c->entries.v[i].span] += (double)c->entries.v[i].ns;
	for (size_t i = 0; i < groups.v.nr; i++)
		assert_true(fabs(sums[i] - (double)span__ns(&set.v.v[groups.v.v[i].span])) < 0.01);
	free(sums);
}

static void lies_change_no_sum(void **state)
{
	struct err err = ERR_INIT;
	struct span_why why;
	struct causes c;

	(void)state;
	for (u64 first = 0; first < 1000; first++) {
		seed = first;
		begin();
		waits__span(&w, SPANS, A, 1, 2);
		for (u64 i = 2 + dice(60); i > 0; i--)
			put_anything();
		open_recording(true);
		if (first % 2)
			make_locks();
		assert_int_equal(span_groups__divide(&groups, &set, &from_1000, &err), 0);
		assert_int_equal(causes__read(&c, session, &times, &set, &groups, 1, &err), 0);
		expect_sums(&c);
		causes__exit(&c);
		span_groups__exit(&groups);
		assert_int_equal(span_why__find(&why, session, &times, &set, &from_1000, 1, &err), 0);
		span_why__exit(&why);
		close_recording();
	}
}

static void limits_must_not_overlap(void **state)
{
	const struct span_limits wrong = { .slower = { .is_quantile = true, .share = 0.5 },
					   .faster = { .is_quantile = true, .share = 0.9 } };
	struct err err = ERR_INIT;
	struct span_why why;

	(void)state;
	begin();
	waits__span(&w, SPANS, A, 100, 200);
	open_recording(true);
	assert_int_equal(span_groups__divide(&groups, &set, &wrong, &err), -EINVAL);
	span_groups__exit(&groups);
	assert_int_equal(span_groups__divide(&groups, &set, &why_limits, &err),
			 0); /* one span, which is both */
	assert_int_equal(groups.facts[SPANS_SLOW].nr, 1);
	span_groups__exit(&groups);
	err__exit(&err);
	close_recording();
	/* nothing is compared then */
	begin();
	waits__span(&w, SPANS, A, 100, 200);
	open_recording(true);
	assert_int_equal(span_why__find(&why, session, &times, &set, &wrong, 1, &err), -EINVAL);
	assert_int_equal(why.rows.nr, 0);
	span_why__exit(&why);
	err__exit(&err);
	close_recording();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_belong_to_who_let_the_lock_go),
		cmocka_unit_test(many_pieces),
		cmocka_unit_test(the_reason_is_named),
		cmocka_unit_test(ready_time_belongs_to_the_cpu),
		cmocka_unit_test(time_without_samples_is_told),
		cmocka_unit_test(whole_answers),
		cmocka_unit_test(whole_answers_of_other_limits),
		cmocka_unit_test(answers_without_a_reason),
		cmocka_unit_test(only_slow_spans),
		cmocka_unit_test(numbers_of_locks),
		cmocka_unit_test(names_of_verdicts),
		cmocka_unit_test(lies_change_no_sum),
		cmocka_unit_test(limits_must_not_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
