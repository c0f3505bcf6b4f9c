/* The table of spans: counted from a recording whose threads do what the test says, and its text and JSON. */
#include "unit.h"

#include "profile/causes/span_table.h"
#include "ui/span_json.h"
#include "ui/stdio/span_text.h"
#include "waits_image.h"

#include <stdlib.h>

enum { SPANS = NR_EVENTS, NR };
enum { A = 10, B, FLUSH, OTHER };
enum { US = 1000, MS = 1000000 };

static const char *const names[] = { "cpu-clock", "offcpu-time", "ended-waits", "ready-time", "span:handle" };
static const char *const no_waits[] = { "cpu-clock", "span:handle" };
static const struct span_limit fast = { .is_quantile = true, .share = 0.5 },
			       slow = { .is_quantile = true, .share = 0.9 };

static struct waits_image w;
static struct session *session;
static struct span_set set;
static struct span_times times;
static struct span_table table;

static void read_spans(bool has_waits)
{
	struct session_opts sopts = { .symbols.symfs = "/nowhere", .samples_follow = true };
	struct err err = ERR_INIT;
	const struct evsel *event;
	char path[64];
	int fd;

	waits__end(&w);
	image__path(w.im.b.buf, w.im.b.len, &fd, path);
	assert_int_equal(session__open(&session, path, &sopts, &err), 0);
	close(fd);
	assert_int_equal(span_set__choose_event(&session->reader->evlist, NULL, &event, &err), 0);
	assert_int_equal(span_set__read(&set, session, event, &err), 0);
	if (has_waits)
		assert_int_equal(span_times__read(&times, session, &err), 0);
}

static void close_spans(bool has_waits)
{
	span_table__exit(&table);
	if (has_waits)
		span_times__exit(&times);
	span_set__exit(&set);
	session__delete(session);
	image__exit(&w.im);
}

/* The names of locks come of symbols: give the waits that a thread ended a lock. */
static void name_lock(u32 tid, const char *lock, const char *holder)
{
	for (size_t i = SPAN_FIRST_WAIT; i < times.reasons.nr; i++) {
		struct span_reason *r = &times.reasons.v[i];

		if (r->tid != tid)
			continue;
		r->kind = WAIT_LOCK;
		r->lock_kind = LOCK_MUTEX;
		r->role = ROLE_HOLDER;
		r->lock = strpool__intern(&times.locks.texts, lock);
		r->holder = strpool__intern(&times.locks.texts, holder);
	}
}

static void begin_threads(const char *const *events, u32 nr)
{
	waits__begin_events(&w, events, nr);
	waits__comm(&w, A, "main", false, 0);
	waits__comm(&w, B, "worker", false, 0);
	waits__comm(&w, FLUSH, "flush_log", false, 0);
	waits__comm(&w, OTHER, "flush_log", false, 0);
}

/*
 * Nine spans of 100 to 116 us of A, which run, but for one that sleeps for 10 us; two of 30 ms of B, which
 * wait 20 and 25 ms for a lock that two threads of the same name hold, are ready for 1 ms, and run.
 */
static void begin_server(void)
{
	const struct span_detail d = { .step = 1,
				       .cost = 1900,
				       .losses = { .unfinished = 2, .left = 3, .strays = 1 } };
	struct span_time spans[9];

	begin_threads(names, NR);
	waits__run(&w, A, 0);
	for (u32 i = 0; i < 9; i++)
		spans[i] = (struct span_time){ i * MS, i * MS + (100 + 2 * i) * US };
	waits__spans(&w, SPANS, A, 10 * MS, &d, spans, 9);
	waits__wait(&w, A, 10 * US, 20 * US, 20 * US, 0, WOKEN_BY_HARDIRQ);
	waits__wait(&w, B, 22 * MS, 42 * MS, 43 * MS, FLUSH, WOKEN_BY_THREAD);
	waits__span(&w, SPANS, B, 20 * MS, 50 * MS);
	waits__wait(&w, B, 61 * MS, 86 * MS, 87 * MS, OTHER, WOKEN_BY_THREAD);
	waits__span(&w, SPANS, B, 60 * MS, 90 * MS);
	waits__run(&w, B, 100 * MS);
	read_spans(true);
	name_lock(FLUSH, "mutex db_lock", "flush_log 12");
	name_lock(OTHER, "mutex db_lock", "flush_log 13");
	span_table__init(&table, &set, &times, &session->machine, &fast, &slow);
}

static void test_numbers(void **state)
{
	u64 sums[NR_TABLE_GROUPS] = { 0 };

	(void)state;
	begin_server();
	assert_int_equal(set.nr, 11);
	assert_int_equal(table.quantiles[0], 110 * US);
	assert_int_equal(table.quantiles[1], 30 * MS);
	assert_int_equal(table.max, 30 * MS);
	assert_int_equal(table.limits[GROUP_FAST], 110 * US);
	assert_int_equal(table.nr[GROUP_FAST], 6);
	assert_int_equal(table.nr[GROUP_SLOW], 2);
	assert_int_equal(table.ns[GROUP_SLOW], 60 * MS);
	for (size_t i = 0; i < table.rows.nr; i++)
		for (enum table_group g = 0; g < NR_TABLE_GROUPS; g++)
			sums[g] += table.rows.v[i].is_part ? 0 : table.rows.v[i].ns[g];
	for (enum table_group g = 0; g < NR_TABLE_GROUPS; g++)
		assert_int_equal(sums[g], table.ns[g]);
	assert_int_equal(table.rows.v[SPAN_ON_CPU].ns[GROUP_SLOW], 13 * MS);
	assert_int_equal(table.rows.v[SPAN_READY].ns[GROUP_SLOW], 2 * MS);
	assert_int_equal(table.rows.v[SPAN_FIRST_WAIT].ns[GROUP_SLOW], 45 * MS);
	assert_false(table.rows.v[SPAN_FIRST_WAIT].is_part);
	assert_true(table.rows.v[SPAN_FIRST_WAIT + 1].is_part);
	assert_int_equal(table.rows.v[SPAN_FIRST_WAIT + 1].nr_threads, 2);
	assert_int_equal(table.slowest.nr, 10);
	assert_int_equal(table.slowest.v[0].most_ns, 25 * MS);
	close_spans(true);
}

static void test_text(void **state)
{
	const struct span_text_opts opts = { .path = "my file" };
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	begin_server();
	span_text__add(&table, &session->machine, &opts, &sb);
	assert_string_equal(
		sb.buf, "# Spans 'handle': 11 of 2 threads in 100.0 ms, 110 a second\n"
			"#\n"
			"#      p50        p90        p99      p99.9        max       mean\n"
			"  110.0 us    30.0 ms    30.0 ms    30.0 ms    30.0 ms    5.54 ms\n"
			"#\n"
			"#     from      spans\n"
			"  100.0 us          9  81.82%  ####################################\n"
			"  200.0 us          0   0.00%\n"
			"  500.0 us          0   0.00%\n"
			"   1.00 ms          0   0.00%\n"
			"   2.00 ms          0   0.00%\n"
			"   5.00 ms          0   0.00%\n"
			"   10.0 ms          0   0.00%\n"
			"   20.0 ms          2  18.18%  ########\n"
			"#\n"
			"# Missing: 2 cut off by the end of the recording or of the thread; 3 left by an\n"
			"#   exception, a longjmp or another begin; 1 that began before the recording\n"
			"# Not followed: coroutines, and work handed to other threads\n"
			"# Recording takes 1.90 us of each call, part of it in the span\n"
			"#\n"
			"# Where the time of a span goes (mean)                 all      fast      slow\n"
			"#                                                         <=110.0 us >=30.0 ms\n"
			"  number                                                11         6         2\n"
			"  duration                                         5.54 ms  105.0 us   30.0 ms\n"
			"  on the CPU                                       1.27 ms  103.3 us   6.50 ms\n"
			"  ready, not running                              181.8 us         0   1.00 ms\n"
			"  mutex db_lock                                    4.09 ms         0   22.5 ms\n"
			"    held by flush_log (2 threads)                  4.09 ms         0   22.5 ms\n"
			"  wait                                            909.1 ns   1.67 us         0\n"
			"    interrupt                                     909.1 ns   1.67 us         0\n"
			"#\n"
			"#  Slowest          at  thread                  most of it\n"
			"   30.0 ms     0.060 s  worker 11               25.0 ms mutex db_lock, held by "
			"flush_log 13\n"
			"   30.0 ms     0.020 s  worker 11               20.0 ms mutex db_lock, held by "
			"flush_log 12\n"
			"  116.0 us     0.008 s  main 10                 116.0 us on the CPU\n"
			"  114.0 us     0.007 s  main 10                 114.0 us on the CPU\n"
			"  112.0 us     0.006 s  main 10                 112.0 us on the CPU\n"
			"  110.0 us     0.005 s  main 10                 110.0 us on the CPU\n"
			"  108.0 us     0.004 s  main 10                 108.0 us on the CPU\n"
			"  106.0 us     0.003 s  main 10                 106.0 us on the CPU\n"
			"  104.0 us     0.002 s  main 10                 104.0 us on the CPU\n"
			"  102.0 us     0.001 s  main 10                 102.0 us on the CPU\n"
			"#\n"
			"# Next: perf report -i 'my file' --slower p99   (what slow ones did)\n"
			"#       perf report -i 'my file' --span --why   (what slow ones have more of)\n");
	strbuf__exit(&sb);
	close_spans(true);
}

/* Names of any length and content: lines fit a terminal, and have no control characters. */
static void test_names(void **state)
{
	const struct span_text_opts opts = { .path = "perf.data", .name = "a b", .is_screen = true };
	struct strbuf sb = STRBUF_INIT, lock = STRBUF_INIT;

	(void)state;
	begin_server();
	strbuf__addstr(&lock, "mutex \033[31m");
	strbuf__addchars(&lock, 'x', 300);
	name_lock(FLUSH, lock.buf, "flush\nlog 12");
	name_lock(OTHER, lock.buf, lock.buf);
	span_table__exit(&table);
	span_table__init(&table, &set, &times, &session->machine, &fast, &slow);
	span_text__add(&table, &session->machine, &opts, &sb);
	assert_null(strchr(sb.buf, '\033'));
	assert_non_null(strstr(sb.buf, "flush?log"));
	assert_non_null(strstr(sb.buf, " --span='a b' --why"));
	for (char *line = sb.buf, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		if (end - line > 80 && strncmp(line, "# Next", 6) != 0)
			fail_msg("%.*s", (int)(end - line), line);
	}
	strbuf__exit(&sb);
	strbuf__exit(&lock);
	close_spans(true);
}

static void test_without_waits(void **state)
{
	const struct span_detail d = { .step = 8, .losses = { .lost = 7 } };
	const struct span_text_opts opts = { .path = "perf.data" };
	struct span_time spans[] = { { 100, 1100 }, { 2000, 4000 } };
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	begin_threads(no_waits, ARRAY_SIZE(no_waits));
	waits__run(&w, A, 0);
	waits__spans(&w, 1, A, 5000, &d, spans, 2);
	waits__span(&w, 1, 99, 10000, 13000);
	read_spans(false);
	span_table__init(&table, &set, NULL, &session->machine, &fast, &slow);
	assert_int_equal(table.nr[GROUP_ALL], 17);
	assert_int_equal(table.ns[GROUP_ALL], 8 * 3000 + 3000);
	assert_int_equal(table.quantiles[0], 2000);
	assert_int_equal(table.rows.nr, 0);
	span_text__add(&table, &session->machine, &opts, &sb);
	assert_non_null(strstr(sb.buf, "# Spans 'handle': 17 of 2 threads in 13.0 us"));
	assert_non_null(strstr(sb.buf, "\n# Recorded: 3; the others are like them"));
	assert_non_null(strstr(sb.buf, "\n# Missing: 7 whose begin or end was lost\n"));
	assert_non_null(strstr(sb.buf, "--off-cpu=locks"));
	assert_non_null(strstr(sb.buf, ":99\n"));
	assert_null(strstr(sb.buf, "on the CPU"));
	assert_null(strstr(sb.buf, "--why"));
	strbuf__exit(&sb);
	close_spans(false);
}

static void test_no_spans(void **state)
{
	const struct span_text_opts opts = { .path = "perf.data" };
	const struct span_detail d = { .step = 1, .losses = { .left = 4 } };
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	begin_threads(no_waits, ARRAY_SIZE(no_waits));
	waits__spans(&w, 1, A, 5000, &d, NULL, 0);
	read_spans(false);
	span_table__init(&table, &set, NULL, &session->machine, &fast, &slow);
	span_text__add(&table, &session->machine, &opts, &sb);
	assert_non_null(strstr(sb.buf, "# Spans 'handle': 0 "));
	assert_non_null(strstr(sb.buf, "# Missing: 4 left by an exception"));
	assert_null(strstr(sb.buf, "Slowest"));
	strbuf__reset(&sb);
	span_json__add(&table, &session->machine, &sb);
	assert_non_null(strstr(sb.buf, "\"histogram\":[]"));
	strbuf__exit(&sb);
	close_spans(false);
}

/* Few buckets, of as fine a scale as possible; each duration is in the one whose begin is not above it. */
static void test_histogram(void **state)
{
	static const u64 most[] = { 1000, 1500, 9000, 200000, 40000000, 3600000000000000, 1ull << 62 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(most); i++) {
		u64 nr = 0;

		begin_threads(no_waits, ARRAY_SIZE(no_waits));
		waits__span(&w, 1, A, 0, i % 2);
		waits__span(&w, 1, A, 1000, 2000);
		waits__span(&w, 1, A, 3000, 3000 + most[i]);
		read_spans(false);
		span_table__init(&table, &set, NULL, &session->machine, &fast, &slow);
		for (size_t k = 0; k < table.buckets.nr; k++) {
			nr += table.buckets.v[k].nr;
			assert_true(!k || table.buckets.v[k].begin > table.buckets.v[k - 1].begin);
		}
		assert_int_equal(nr, 3);
		assert_in_range(table.buckets.nr, 1, 20);
		assert_true(table.buckets.v[table.buckets.nr - 1].begin <= most[i]);
		assert_in_range(table.buckets.v[table.buckets.nr - 1].nr, 1, 2);
		close_spans(false);
	}
}

/* Durations and the begins of the buckets that they are in. */
static void expect_buckets(const u64 *ns, u32 nr_spans, const u64 *begins, u32 nr)
{
	u64 at = 0;

	begin_threads(no_waits, ARRAY_SIZE(no_waits));
	for (u32 i = 0; i < nr_spans; at += ns[i++] + 1)
		waits__span(&w, 1, A, at, at + ns[i]);
	read_spans(false);
	span_table__init(&table, &set, NULL, &session->machine, &fast, &slow);
	assert_int_equal(table.buckets.nr, nr);
	for (u32 i = 0; i < nr; i++) {
		u64 expected = 0;

		for (u32 k = 0; k < nr_spans; k++)
			expected += (!i || ns[k] >= begins[i]) && (i + 1 == nr || ns[k] < begins[i + 1]);
		assert_int_equal(table.buckets.v[i].begin, begins[i]);
		assert_int_equal(table.buckets.v[i].nr, expected);
	}
	close_spans(false);
}

#define LIST(...) (const u64[]){ __VA_ARGS__ }, sizeof((const u64[]){ __VA_ARGS__ }) / sizeof(u64)

static void test_buckets(void **state)
{
	(void)state;
	/* twenty of the finest scale, and one too many */
	expect_buckets(LIST(10, 11, 12, 799, 800), LIST(10, 12, 16, 20, 25, 32, 40, 50, 64, 80, 100, 120, 160,
							200, 250, 320, 400, 500, 640, 800));
	expect_buckets(LIST(10, 19, 20, 1000), LIST(10, 20, 50, 100, 200, 500, 1000));
	expect_buckets(LIST(70, 90), LIST(64, 80));
	/* the finest one has fractions of ns below 10 */
	expect_buckets(LIST(9, 10), LIST(5, 10));
	expect_buckets(LIST(0, 1, 2, 5, 30), LIST(1, 2, 5, 10, 20));
	expect_buckets(LIST(1, 2000000), LIST(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000,
					      20000, 50000, 100000, 200000, 500000, 1000000, 2000000));
	expect_buckets(LIST(1, 5000000), LIST(1, 10, 100, 1000, 10000, 100000, 1000000));
	expect_buckets(LIST(12000000000000000000u), LIST(10000000000000000000u));
	expect_buckets(LIST(1, 12000000000000000000u),
		       LIST(1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
			    10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
			    1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
			    10000000000000000000u));
}

/* A line for each row: its words and ns. */
static void add_rows(struct strbuf *sb)
{
	for (size_t i = 0; i < table.rows.nr; i++) {
		const struct span_row *r = &table.rows.v[i];

		strbuf__addstr(sb, r->is_part ? "  " : "");
		span_table__add_row_words(&table, r, sb);
		strbuf__addf(sb, ": %llu %llu %llu\n", (unsigned long long)r->ns[GROUP_ALL],
			     (unsigned long long)r->ns[GROUP_FAST], (unsigned long long)r->ns[GROUP_SLOW]);
	}
}

/* Rows by their largest mean; equal ones in the order of reasons. What no span waited for has none. */
static void test_rows(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	begin_threads(names, NR);
	waits__wait(&w, A, 100, 150, 150, FLUSH, WOKEN_BY_THREAD);
	waits__wait(&w, A, 200, 250, 250, B, WOKEN_BY_THREAD);
	waits__wait(&w, A, 300, 350, 360, 0, WOKEN_BY_HARDIRQ);
	waits__wait(&w, A, 400, 450, 450, 99, WOKEN_BY_THREAD);
	waits__wait(&w, A, 500, 550, 550, OTHER, WOKEN_BY_THREAD);
	waits__wait(&w, A, 600, 630, 630, 0, 0);
	waits__span(&w, SPANS, A, 0, 1000);
	waits__wait(&w, A, 1200, 1250, 1250, 98, WOKEN_BY_THREAD); /* in no span */
	waits__span(&w, SPANS, A, 2000, 2100);
	waits__span(&w, SPANS, A, 3000, 3100);
	read_spans(true);
	name_lock(FLUSH, "mutex a", "flush_log 12");
	name_lock(99, "mutex a", "");
	name_lock(B, "mutex b", "worker 11");
	name_lock(OTHER, "mutex b", "flush_log 13");
	span_table__init(&table, &set, &times, &session->machine, &fast, &slow);
	add_rows(&sb);
	assert_string_equal(sb.buf, "on the CPU: 910 200 710\n"
				    "ready, not running: 10 0 10\n"
				    "mutex a: 100 0 100\n"
				    "  by whom is not known: 50 0 50\n"
				    "  held by flush_log 12: 50 0 50\n"
				    "mutex b: 100 0 100\n"
				    "  held by flush_log 13: 50 0 50\n"
				    "  held by worker 11: 50 0 50\n"
				    "wait: 80 0 80\n"
				    "  interrupt: 50 0 50\n"
				    "  by whom is not known: 30 0 30\n");
	strbuf__exit(&sb);
	close_spans(true);
}

static void expect_rate(double rate, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	spans__add_rate(&sb, rate);
	assert_string_equal(sb.buf, expected);
	strbuf__exit(&sb);
}

static void test_rates(void **state)
{
	(void)state;
	expect_rate(99.94, "99.9 a second");
	expect_rate(1.234, "1.23 a second");
	expect_rate(1234.4, "1234 a second");
}

static void test_json(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	begin_server();
	span_json__add(&table, &session->machine, &sb);
	assert_non_null(strstr(sb.buf,
			       "{\"kind\":\"lock\",\"lock\":\"mutex db_lock\",\"ns\":[45000000,0,45000000],"
			       "\"ended_by\":[{\"role\":\"holder\",\"name\":\"flush_log\",\"threads\":2,"
			       "\"ns\":[45000000,0,45000000]}]}"));
	assert_non_null(strstr(sb.buf,
			       "\"groups\":[{\"name\":\"all\",\"number\":11,\"ns\":60972000},"
			       "{\"name\":\"fast\",\"at_most\":110000,\"number\":6,\"ns\":630000},"
			       "{\"name\":\"slow\",\"at_least\":30000000,\"number\":2,\"ns\":60000000}]"));
	assert_non_null(strstr(sb.buf,
			       "\"missing\":{\"unfinished\":2,\"left\":3,\"lost\":0,\"began_before\":1,"
			       "\"damaged\":0},\"cost\":1900"));
	strbuf__exit(&sb);
	close_spans(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),  cmocka_unit_test(test_text),
		cmocka_unit_test(test_names),    cmocka_unit_test(test_without_waits),
		cmocka_unit_test(test_no_spans), cmocka_unit_test(test_histogram),
		cmocka_unit_test(test_json),     cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_rows),     cmocka_unit_test(test_rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
