/* Where the time of spans goes: of recordings whose threads do what the test says. */
#include "unit.h"

#include "profile/causes/span_times.h"
#include "waits_image.h"

#include <errno.h>
#include <stdlib.h>

enum { SPANS = NR_EVENTS, NR };
enum { A = 10, B, HOLDER };

static const char *const names[] = { "cpu-clock", "offcpu-time", "ended-waits", "ready-time", "span:handle" };
static const char *const no_waits[] = { "cpu-clock", "span:handle" };

static struct waits_image w;
static struct session *session;
static struct span_set set;
static struct span_times times;

static int read_times(struct err *err)
{
	struct session_opts sopts = { .symbols.symfs = "/nowhere", .samples_follow = true };
	const struct evsel *event;
	char path[64];
	int fd;

	waits__end(&w);
	image__path(w.im.b.buf, w.im.b.len, &fd, path);
	assert_int_equal(session__open(&session, path, &sopts, err), 0);
	close(fd);
	assert_int_equal(span_set__choose_event(&session->reader->evlist, NULL, &event, err), 0);
	assert_int_equal(span_set__read(&set, session, event, err), 0);
	return span_times__read(&times, session, err);
}

static void close_times(void)
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
	waits__comm(&w, HOLDER, "holder", false, 0);
}

/* Check the parts of a span: "on the CPU 10, sleep 20". They are in the order of their reasons. */
static void expect_parts(struct span_cursor *c, size_t span, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;
	u64 sum = 0;

	span_cursor__seek(c, &set.v.v[span]);
	for (size_t i = 0; i < c->parts.nr; i++) {
		strbuf__addstr(&sb, i ? "; " : "");
		span_reason__add_words(&times.reasons.v[c->parts.v[i].reason], &times.locks, &sb);
		strbuf__addf(&sb, ": %llu", (unsigned long long)c->parts.v[i].ns);
		sum += c->parts.v[i].ns;
		assert_true(!i || c->parts.v[i].reason > c->parts.v[i - 1].reason);
	}
	assert_string_equal(sb.buf, expected);
	assert_int_equal(sum, span__ns(&set.v.v[span]));
	strbuf__exit(&sb);
}

static void test_parts_are_exact(void **state)
{
	struct err err = ERR_INIT;
	struct span_cursor c;

	(void)state;
	begin();
	waits__span(&w, SPANS, A, 100, 200);
	waits__wait(&w, A, 210, 240, 250, HOLDER, WOKEN_BY_THREAD);
	waits__wait(&w, A, 260, 270, 270, HOLDER, WOKEN_BY_THREAD);
	waits__wait(&w, A, 280, 285, 285, B, WOKEN_BY_THREAD);
	waits__wait(&w, A, 290, 295, 295, 0, WOKEN_BY_HARDIRQ | WOKEN_BY_THREAD);
	waits__span(&w, SPANS, A, 200, 300);
	waits__ready(&w, A, 320, 310, 320);
	waits__wait(&w, A, 330, 350, 350, 0, 0);
	waits__span(&w, SPANS, A, 305, 340); /* ends while the thread waits */
	waits__span(&w, SPANS, A, 342, 345); /* all of it */
	waits__span(&w, SPANS, A, 347, 360);
	waits__wait(&w, A, 380, 390, 400, B, WOKEN_BY_THREAD);
	waits__span(&w, SPANS, A, 393, 397); /* while it is ready */
	waits__span(&w, SPANS, B, 100, 500); /* it only ran */
	assert_int_equal(read_times(&err), 0);
	span_cursor__init(&c, &times);
	for (int i = 0; i < 2; i++) { /* in any order */
		expect_parts(&c, 0, "on the CPU: 100");
		expect_parts(&c, 1,
			     "on the CPU: 40; ready, not running: 10; wait, woken by holder 12: 40; "
			     "wait, woken by second 11: 5; wait, interrupt: 5");
		expect_parts(&c, 2, "on the CPU: 15; ready, not running: 10; wait: 10");
		expect_parts(&c, 3, "wait: 3");
		expect_parts(&c, 4, "on the CPU: 10; wait: 3");
		expect_parts(&c, 5, "ready, not running: 4");
		expect_parts(&c, 6, "on the CPU: 400");
		expect_parts(&c, 4, "on the CPU: 10; wait: 3");
	}
	span_cursor__exit(&c);
	close_times();
}

static void expect_holder(u32 reason, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	span_reason__add_holder_name(&times.reasons.v[reason], &times.locks, &sb);
	assert_string_equal(sb.buf, expected);
	strbuf__exit(&sb);
}

static void test_names_of_holders(void **state)
{
	struct err err = ERR_INIT;
	struct span_cursor c;

	(void)state;
	begin();
	waits__wait(&w, A, 100, 110, 110, HOLDER, WOKEN_BY_THREAD);
	waits__wait(&w, A, 120, 130, 130, 0, 0);
	waits__wait(&w, A, 140, 150, 150, 0, WOKEN_BY_HARDIRQ);
	waits__span(&w, SPANS, A, 90, 160);
	assert_int_equal(read_times(&err), 0);
	span_cursor__init(&c, &times);
	span_cursor__seek(&c, &set.v.v[0]);
	assert_int_equal(c.parts.nr, 4);
	assert_int_equal(times.reasons.v[c.parts.v[1].reason].tid, HOLDER);
	expect_holder(c.parts.v[0].reason, "");
	expect_holder(c.parts.v[1].reason, "woken by holder");
	expect_holder(c.parts.v[2].reason, "");
	expect_holder(c.parts.v[3].reason, "interrupt");
	/* the number is cut off only if it is the thread's */
	times.reasons.v[1] =
		(struct span_reason){ .tid = 12, .holder = strpool__intern(&times.locks.texts, "flush 99") };
	expect_holder(1, "flush 99");
	times.reasons.v[1].holder = strpool__intern(&times.locks.texts, "flush 12");
	expect_holder(1, "flush");
	times.reasons.v[1].holder = strpool__intern(&times.locks.texts, " 12");
	expect_holder(1, " 12");
	times.reasons.v[1].holder = strpool__intern(&times.locks.texts, "12");
	expect_holder(1, "12");
	times.reasons.v[1] = (struct span_reason){ .holder = strpool__intern(&times.locks.texts, "flush 0") };
	expect_holder(1, "flush 0");
	span_cursor__exit(&c);
	close_times();
}

/* A thread of which nothing is known ran. */
static void test_without_waits(void **state)
{
	struct err err = ERR_INIT;
	struct span_cursor c;

	(void)state;
	begin();
	waits__span(&w, SPANS, B, 100, 500);
	assert_int_equal(read_times(&err), 0);
	span_cursor__init(&c, &times);
	expect_parts(&c, 0, "on the CPU: 400");
	span_cursor__exit(&c);
	close_times();
}

/* Waits of one reason are one, whoever waits; each other thread that ends them is another reason. */
static void test_reasons(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	begin();
	waits__wait(&w, A, 110, 120, 120, HOLDER, WOKEN_BY_THREAD);
	waits__wait(&w, B, 110, 120, 120, HOLDER, WOKEN_BY_THREAD);
	waits__wait(&w, A, 130, 140, 140, B, WOKEN_BY_THREAD);
	waits__wait(&w, A, 150, 160, 160, 0, 0);
	waits__wait(&w, B, 150, 160, 160, 0, 0);
	waits__wait(&w, B, 170, 180, 180, HOLDER, WOKEN_BY_THREAD);
	waits__span(&w, SPANS, A, 100, 200);
	assert_int_equal(read_times(&err), 0);
	assert_int_equal(times.reasons.nr, SPAN_FIRST_WAIT + 3);
	assert_int_equal(times.of_waits.nr, 6);
	assert_int_equal(times.of_waits.v[0], times.of_waits.v[1]);
	assert_int_equal(times.of_waits.v[0], times.of_waits.v[5]);
	assert_int_equal(times.of_waits.v[3], times.of_waits.v[4]);
	assert_int_not_equal(times.of_waits.v[0], times.of_waits.v[2]);
	close_times();
}

static void test_refused(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	waits__begin_events(&w, no_waits, ARRAY_SIZE(no_waits));
	waits__span(&w, 1, A, 100, 500);
	assert_int_equal(read_times(&err), -ENOENT);
	assert_non_null(strstr(err.text.buf, "does not know when threads waited"));
	assert_non_null(strstr(err.text.buf, "--off-cpu=locks"));
	err__exit(&err);
	close_times();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts_are_exact), cmocka_unit_test(test_names_of_holders),
		cmocka_unit_test(test_without_waits),   cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
