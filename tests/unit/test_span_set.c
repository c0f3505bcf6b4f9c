/* Spans of recordings (perf record --span): their RAW data, and limits of durations. */
#include "unit.h"

#include "format/records/span_detail.h"
#include "profile/spans/span_set.h"
#include "waits_image.h"

#include <errno.h>
#include <string.h>

#define TIME 1000000000000ull

static const struct span_time spans[] = {
	{ TIME - 900000000000, TIME - 800000000000 },
	{ TIME - 500000, TIME - 300000 },
	{ TIME - 64, TIME },
};

static const struct span_detail detail = { .step = 3, .cost = 1900, .losses = { 1, 2, 3, 4 } };

static void test_there_and_back(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct span_detail d;
	struct span_time span;
	u32 size;

	(void)state;
	span_detail__encode(&detail, spans, ARRAY_SIZE(spans), TIME, &sb);
	memcpy(&size, sb.buf, sizeof(size));
	assert_int_equal(sb.len % 8, 0);
	assert_int_equal(size, sb.len - sizeof(size));
	assert_true(span_detail__decode(&d, sb.buf + sizeof(size), size, TIME, false));
	assert_int_equal(d.step, 3);
	assert_int_equal(d.cost, 1900);
	assert_memory_equal(&d.losses, &detail.losses, sizeof(d.losses));
	for (size_t i = 0; i < ARRAY_SIZE(spans); i++) {
		assert_true(span_detail__next(&d, &span));
		assert_int_equal(span.begin, spans[i].begin);
		assert_int_equal(span.end, spans[i].end);
	}
	assert_false(span_detail__next(&d, &span));
	strbuf__exit(&sb);
}

/* Whatever the bytes say: nothing behind them is read, and no span ends before it begins. */
static void test_lies(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct span_detail d;
	struct span_time span;

	(void)state;
	span_detail__encode(&detail, spans, ARRAY_SIZE(spans), TIME, &sb);
	for (size_t i = 4; i < sb.len; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			char *copy = xmemdup(sb.buf + 4, sb.len - 4);
			u32 nr = 0;

			copy[i - 4] ^= (char)(1 << bit);
			if (span_detail__decode(&d, copy, sb.len - 4, TIME, false))
				while (span_detail__next(&d, &span)) {
					assert_true(span.begin <= span.end && span.end <= TIME);
					nr++;
				}
			assert_true(nr <= sb.len);
			free(copy);
		}
	for (size_t size = 0; size < sb.len - 4; size++) {
		char *copy = xmemdup(sb.buf + 4, size + 1);

		if (span_detail__decode(&d, copy, size, TIME, false))
			while (span_detail__next(&d, &span))
				;
		free(copy);
	}
	strbuf__exit(&sb);
}

static void expect_limit(const char *text, bool is_quantile, double share, u64 ns)
{
	struct err err = ERR_INIT;
	struct span_limit l;

	assert_int_equal(span_limit__parse(&l, "--slower", text, &err), 0);
	assert_int_equal(l.is_quantile, is_quantile);
	assert_true(l.share > share - 1e-9 && l.share < share + 1e-9);
	assert_int_equal(l.ns, ns);
}

static void test_limits(void **state)
{
	static const char *const wrong[] = { "",    "p",     "p101", "p-1",  "20",   "ms",  "20m",
					     "-1s", "20 ms", "p99x", "nans", "pnan", "infs" };

	(void)state;
	expect_limit("p99", true, 0.99, 0);
	expect_limit("p99.9", true, 0.999, 0);
	expect_limit("p0", true, 0, 0);
	expect_limit("20ms", false, 0, 20000000);
	expect_limit("1.5s", false, 0, 1500000000);
	expect_limit("0.25us", false, 0, 250);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct err err = ERR_INIT;
		struct span_limit l;

		assert_int_equal(span_limit__parse(&l, "--slower", wrong[i], &err), -EINVAL);
		assert_non_null(strstr(err.text.buf, "--slower: '"));
		assert_non_null(
			strstr(err.text.buf, "' is neither a quantile such as p99 nor a time such as 20ms"));
		err__exit(&err);
	}
}

/* Quantiles count a span as often as its step says. */
static void test_quantiles(void **state)
{
	static struct span v[] = { { 0, 10, 1, 1, 1 }, { 20, 40, 1, 1, 98 }, { 50, 150, 1, 1, 1 } };
	static u32 order[] = { 0, 1, 2 };
	struct span_set s = { .nr = 100 };

	(void)state;
	assert_int_equal(span_set__quantile(&s, 0.5), 0);
	s.v.v = v;
	s.by_duration.v = order;
	s.v.nr = s.by_duration.nr = 3;
	assert_int_equal(span_set__quantile(&s, 0), 10);
	assert_int_equal(span_set__quantile(&s, 0.01), 10);
	assert_int_equal(span_set__quantile(&s, 0.011), 20);
	assert_int_equal(span_set__quantile(&s, 0.99), 20);
	assert_int_equal(span_set__quantile(&s, 0.999), 100);
	assert_int_equal(span_set__quantile(&s, 1), 100);
}

/* ---- recordings that lie ---- */

static struct waits_image w;

static void begin_image(void)
{
	static const char *const names[] = { "cpu-clock", "span:f" };

	waits__begin_events(&w, names, ARRAY_SIZE(names));
}

static void read_image(struct span_set *s)
{
	struct session_opts opts = { .symbols.symfs = "/nowhere", .samples_follow = true };
	const struct evsel *event;
	struct session *session;
	struct err err = ERR_INIT;
	char path[64];
	int fd;

	waits__end(&w);
	image__path(w.im.b.buf, w.im.b.len, &fd, path);
	assert_int_equal(session__open(&session, path, &opts, &err), 0);
	close(fd);
	assert_int_equal(span_set__choose_event(&session->reader->evlist, NULL, &event, NULL), 0);
	assert_int_equal(span_set__choose_event(&session->reader->evlist, "g", &event, NULL), -ENOENT);
	assert_int_equal(span_set__read(s, session, event, &err), 0);
	session__delete(session);
	image__exit(&w.im);
}

/* Of spans that are more than a u64 together, those that fit count. */
static void test_large_sums(void **state)
{
	const struct span_detail large = { .step = UINT32_MAX }, none = { .step = 0 };
	const struct span_time long_ago = { 0, 1ull << 62 };
	struct span_set s;

	(void)state;
	begin_image();
	for (u32 tid = 1; tid <= 4; tid++)
		waits__spans(&w, 1, tid, 1ull << 62, &(struct span_detail){ .step = 1 }, &long_ago, 1);
	waits__spans(&w, 1, 5, 1ull << 62, &large, &long_ago, 1);
	waits__spans(&w, 1, 6, 1ull << 62, &none, &long_ago, 1);
	waits__spans(&w, 1, 7, 1000, &large, &(struct span_time){ 998, 1000 }, 1);
	read_image(&s);
	assert_int_equal(s.v.nr, 4);
	assert_int_equal(s.nr_bad, 3);
	assert_true(s.ns == (3ull << 62) + 2ull * UINT32_MAX);
	assert_int_equal(s.nr, 3 + (u64)UINT32_MAX);
	span_set__exit(&s);
}

/* A sum that just fits counts. */
static void test_largest_sum(void **state)
{
	const u64 half = 1ull << 63;
	struct span_set s;

	(void)state;
	begin_image();
	waits__span(&w, 1, 1, 0, half);
	waits__span(&w, 1, 2, 0, half - 1);
	waits__span(&w, 1, 3, 0, 1);
	read_image(&s);
	assert_int_equal(s.v.nr, 2);
	assert_true(s.ns == UINT64_MAX);
	assert_int_equal(s.nr_bad, 1);
	span_set__exit(&s);
}

/* The recorder writes the outermost of nested calls only. */
static void test_nested(void **state)
{
	enum { NR = 100000 };
	struct span_set s;

	(void)state;
	begin_image();
	for (u64 i = 0; i < NR; i++)
		waits__span(&w, 1, 1, NR - i, NR + i + 1);
	read_image(&s);
	assert_int_equal(s.v.nr, 1);
	assert_int_equal(s.ns, 2 * NR - 1);
	assert_int_equal(s.nr_bad, NR - 1);
	span_set__exit(&s);
}

/* Spans that the data of a sample does not have are counted as bad, and so are samples of other data. */
static void test_cut(void **state)
{
	const struct span_detail d = { .step = 1, .cost = 5, .losses = { 1, 2, 3, 4 } };
	struct span_set s;
	size_t at;

	(void)state;
	begin_image();
	waits__spans(&w, 1, 1, 1000, &d, (const struct span_time[]){ { 10, 20 }, { 900, 1000 } }, 2);
	at = w.im.b.len;
	waits__spans(&w, 1, 2, 1000, &(struct span_detail){ .step = 1 },
		     (const struct span_time[]){ { 10, 20 }, { 30, 40 } }, 2);
	for (; memcmp(w.im.b.buf + at, (const u32[]){ 1, 2 }, 8) != 0; at += 4)
		;
	image__put_u64(&w.im, at, 1 | 7ull << 32); /* a step of 1, seven spans */
	waits__span(&w, 1, 3, 10, 20);
	read_image(&s);
	/* two are there, three of no time are the zeroes at the end of the data, and two are missing */
	assert_int_equal(s.nr_bad, 2);
	assert_int_equal(s.v.nr, 2 + 5 + 1);
	assert_int_equal(s.cost, 5);
	assert_int_equal(s.losses.unfinished, 1);
	assert_int_equal(s.losses.left, 2);
	assert_int_equal(s.losses.lost, 3);
	assert_int_equal(s.losses.strays, 4);
	assert_int_equal(s.first, START + 20);
	assert_int_equal(s.last, START + 1000);
	assert_int_equal(s.nr_threads, 3);
	span_set__exit(&s);
}

static void test_no_samples(void **state)
{
	struct span_set s;

	(void)state;
	begin_image();
	waits__comm(&w, 1, "idle", false, 0);
	read_image(&s);
	assert_int_equal(s.v.nr, 0);
	assert_int_equal(s.first, 0);
	assert_int_equal(s.last, 0);
	assert_int_equal(span_set__quantile(&s, 0.5), 0);
	span_set__exit(&s);
}

/* The event is the only one, or the one that is named; two of a name are one. */
static void test_choice_of_event(void **state)
{
	static const char *const names[] = { "span:f", "cpu-clock", "span:g", "span:g" };
	const struct evsel *event = NULL;
	struct err err = ERR_INIT;
	struct session *session;
	char path[64];
	int fd;

	(void)state;
	assert_int_equal(span_set__choose_event(&(struct evlist){ .evsels.nr = 0 }, NULL, &event, &err),
			 -ENOENT);
	assert_string_equal(err.text.buf, "the recording has no spans\nrecord the calls of a function with: "
					  "perf record --span FUNCTION ...");
	err__exit(&err);
	for (u32 nr = 2; nr <= 4; nr++) {
		waits__begin_events(&w, names, nr);
		w.attrs[0] = w.attrs[1];
		image__put_u64(&w.im, 104 + offsetof(struct perf_event_attr, config), w.attrs[0].config);
		image__put_u64(&w.im, 104 + offsetof(struct perf_event_attr, sample_type),
			       w.attrs[0].sample_type);
		waits__comm(&w, 1, "idle", false, 0);
		waits__end(&w);
		image__path(w.im.b.buf, w.im.b.len, &fd, path);
		assert_int_equal(session__open(&session, path, &(struct session_opts){ 0 }, NULL), 0);
		close(fd);
		assert_int_equal(span_set__choose_event(&session->reader->evlist, NULL, &event, NULL),
				 nr == 2 ? 0 : -EINVAL);
		assert_int_equal(span_set__choose_event(&session->reader->evlist, "f", &event, NULL), 0);
		assert_ptr_equal(event, session->reader->evlist.evsels.v[0]);
		assert_int_equal(span_set__choose_event(&session->reader->evlist, "g", &event, NULL),
				 nr == 2 ? -ENOENT : 0);
		assert_int_equal(span_set__choose_event(&session->reader->evlist, "h", &event, NULL),
				 -ENOENT);
		session__delete(session);
		image__exit(&w.im);
	}
}

static bool is_long(void *ctx, const struct span *span)
{
	return span__ns(span) >= *(const u64 *)ctx;
}

/* Spans in any order are read by thread, begin and end; some are kept. */
static void test_order(void **state)
{
	static const u64 expected[][3] = {
		{ 1, 10, 30 }, { 1, 40, 45 }, { 1, 50, 90 }, { 2, 5, 6 }, { 2, 20, 70 }
	};
	struct span_set s;
	u64 least = 20;

	(void)state;
	begin_image();
	waits__span(&w, 1, 2, 20, 70);
	waits__span(&w, 1, 1, 40, 45);
	waits__span(&w, 1, 1, 50, 90);
	waits__span(&w, 1, 2, 5, 6);
	waits__span(&w, 1, 1, 10, 30);
	read_image(&s);
	assert_int_equal(s.v.nr, ARRAY_SIZE(expected));
	for (size_t i = 0; i < s.v.nr; i++) {
		assert_int_equal(s.v.v[i].tid, expected[i][0]);
		assert_int_equal(s.v.v[i].begin, START + expected[i][1]);
		assert_int_equal(s.v.v[i].end, START + expected[i][2]);
		assert_int_equal(s.v.v[i].pid, WAITS_PID);
	}
	assert_int_equal(s.nr_threads, 2);
	assert_int_equal(s.nr_bad, 0);
	assert_int_equal(s.ns, 20 + 5 + 40 + 1 + 50);
	assert_int_equal(span_set__quantile(&s, 0.5), 20);
	assert_int_equal(span_set__quantile(&s, 1), 50);
	span_set__keep(&s, is_long, &least);
	assert_int_equal(s.nr, 3);
	assert_int_equal(s.by_duration.nr, 3);
	assert_int_equal(s.ns, 110);
	assert_int_equal(s.nr_threads, 2);
	assert_int_equal(span_set__quantile(&s, 0), 20);
	span_set__exit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),  cmocka_unit_test(test_lies),
		cmocka_unit_test(test_limits),          cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_large_sums),      cmocka_unit_test(test_nested),
		cmocka_unit_test(test_largest_sum),     cmocka_unit_test(test_cut),
		cmocka_unit_test(test_no_samples),      cmocka_unit_test(test_order),
		cmocka_unit_test(test_choice_of_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
