/* What a sample of --off-cpu=locks says of its waits. */
#include "unit.h"

#include "format/records/wait_detail.h"

#include <string.h>

#define TIME 1000000000000ull

static const struct wait_span spans[] = {
	{ TIME - 900000000000, TIME - 800000000000, TIME - 800000000000 }, /* nobody knows who woke it */
	{ TIME - 500000, TIME - 400000, TIME - 300000 },
	{ TIME - 127, TIME - 128 + 64, TIME },
};

static const struct wait_detail detail = { .futex_op = 128,
					   .flags = WOKEN_BY_FUTEX | WOKEN_BY_THREAD,
					   .pid = 4711,
					   .tid = 4712,
					   .place = 0x0123456789abcdef };

static void encode(struct strbuf *sb)
{
	wait_detail__encode(&detail, spans, ARRAY_SIZE(spans), TIME, sb);
}

static void test_there_and_back(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct wait_detail d;
	struct wait_span span;
	u32 size;

	(void)state;
	encode(&sb);
	memcpy(&size, sb.buf, sizeof(size));
	assert_int_equal(sb.len % 8, 0);
	assert_int_equal(size, sb.len - sizeof(size));
	assert_true(wait_detail__decode(&d, sb.buf + sizeof(size), size, TIME, false));
	assert_int_equal(d.futex_op, detail.futex_op);
	assert_int_equal(d.flags, detail.flags);
	assert_int_equal(d.pid, detail.pid);
	assert_int_equal(d.tid, detail.tid);
	assert_int_equal(d.place, detail.place);
	assert_int_equal(d.nr_spans, ARRAY_SIZE(spans));
	for (size_t i = 0; i < ARRAY_SIZE(spans); i++) {
		assert_true(wait_detail__next(&d, &span));
		assert_int_equal(span.begin, spans[i].begin);
		assert_int_equal(span.woken, spans[i].woken);
		assert_int_equal(span.end, spans[i].end);
	}
	assert_false(wait_detail__next(&d, &span));
	strbuf__exit(&sb);
}

/* Whatever the bytes say: nothing behind them is read, and no span ends before it begins. */
static void test_lies(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct wait_detail d;
	struct wait_span span;

	(void)state;
	encode(&sb);
	assert_false(wait_detail__decode(&d, sb.buf, sb.len, TIME, false)); /* the magic is elsewhere */
	for (size_t size = 0; size < sb.len - 4; size++) {
		char *exact = malloc(size ? size : 1);
		u32 nr = 0;

		memcpy(exact, sb.buf + 4, size);
		if (wait_detail__decode(&d, exact, size, TIME, false))
			while (wait_detail__next(&d, &span))
				nr++;
		assert_true(nr <= ARRAY_SIZE(spans));
		free(exact);
	}
	for (size_t i = 4; i < sb.len; i++) {
		u8 was = (u8)sb.buf[i];

		sb.buf[i] = (char)0xff;
		if (wait_detail__decode(&d, sb.buf + 4, sb.len - 4, TIME, false))
			while (wait_detail__next(&d, &span)) {
				assert_true(span.begin <= span.woken && span.woken <= span.end);
				assert_true(span.end <= TIME);
			}
		sb.buf[i] = (char)was;
	}
	strbuf__exit(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_lies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
