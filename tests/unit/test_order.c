/* Records in the order in which they happened: rounds, odd times, little memory, files that change. */
#include "unit.h"

#include "image.h"
#include "format/read/order.h"

#include <errno.h>
#include <stdlib.h>

enum { SAMPLE_TYPE = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW };

static const u64 MARK = UINT64_MAX - 1;

struct order_case {
	const u64 *times; /* MARK: the end of a round */
	size_t nr;
	size_t padding; /* bytes in each record */
	size_t memory;
	bool swap;
};

static void order_case__image(const struct order_case *c, struct image *im)
{
	struct perf_event_attr a = image__cpu_clock(SAMPLE_TYPE);

	a.sample_id_all = 1;
	image__init(im, c->swap);
	image__file_header(im, 1, 112, 0);
	image__attr_entry(im, &a, 112, 0, 0);
	for (size_t i = 0; i < c->nr; i++) {
		image__begin(im, c->times[i] == MARK ? RECORD_FINISHED_ROUND : PERF_RECORD_SAMPLE, 0);
		if (c->times[i] != MARK) {
			image__u64(im, i);
			image__u64(im, 0);
			image__u64(im, c->times[i]);
			image__u32(im, (u32)c->padding + 4);
			image__str(im, "", c->padding + 4);
		}
		image__end(im);
	}
	image__end_data(im);
}

static void first_pass(struct reader *r)
{
	struct reader_pass *pass = reader_pass__new(r);
	struct block block = BLOCK_INIT;

	while (reader_pass__next(pass, &block, NULL) > 0)
		;
	block__exit(&block);
	reader_pass__delete(pass);
}

/* Appends the times of the batch's records, "|" for marks. */
static void add_times(const struct order_case *c, const struct order_batch *batch, struct strbuf *out)
{
	u64 before = 0, last = 0;

	for (size_t i = 0; i < batch->records.nr; i++) {
		const struct ordered_record *v = &batch->records.v[i];
		u64 seq;

		if (v->record.header->type == RECORD_FINISHED_ROUND) {
			strbuf__addstr(out, "| ");
			continue;
		}
		memcpy(&seq, (const u8 *)v->record.header + 8, sizeof(seq));
		assert_true(seq < c->nr);
		strbuf__addf(out, "%lld ", (long long)c->times[seq]);
		assert_true(v->time == (c->times[seq] ? c->times[seq] : UINT64_MAX));
		assert_true(v->time != before || seq > last); /* equal times: as in the file */
		before = v->time;
		last = seq;
	}
}

static void order_of(const struct order_case *c, struct strbuf *out)
{
	struct order_opts opts = { .memory = c->memory };
	struct order_batch batch = ORDER_BATCH_INIT;
	struct sample_decoder decoder;
	struct order *order;
	struct reader *r;
	struct image im;
	int ret;

	order_case__image(c, &im);
	assert_int_equal(image__open(im.b.buf, im.b.len, &r, NULL), 0);
	first_pass(r);
	sample_decoder__init(&decoder, &r->evlist);
	order = order__new(r, &decoder, &opts);
	while ((ret = order__next(order, &batch, NULL)) > 0)
		add_times(c, &batch, out);
	assert_int_equal(ret, 0);
	order_batch__exit(&batch);
	order__delete(order);
	sample_decoder__exit(&decoder);
	reader__close(r);
	image__exit(&im);
}

/* From memory, from the file again, and, for the other byte order, from the temporary file. */
static const struct {
	size_t memory;
	bool swap;
} order_ways[] = { { 0, false }, { 1, false }, { 0, true }, { 1, true } };

static void expect_order(const u64 *times, size_t nr, const char *expected)
{
	struct order_case c = { .times = times, .nr = nr };
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(order_ways); i++) {
		c.memory = order_ways[i].memory;
		c.swap = order_ways[i].swap;
		strbuf__reset(&out);
		order_of(&c, &out);
		assert_string_equal(out.buf, expected);
	}
	strbuf__exit(&out);
}

static void sorts_within_rounds(void **state)
{
	static const u64 late[] = { 10, 30, 20, MARK, 15, 40, MARK, 35, 5, MARK, 50, MARK };
	static const u64 empty[] = { 10, 30, MARK, MARK, MARK, 20, 31, MARK, 29, MARK, MARK, 1 };
	static const u64 no_time[] = { 10, 9, 0, 8, UINT64_MAX, 7, MARK, 7 };
	static const u64 equal[] = { 5, 9, 9, 5, 9, 5, 7, MARK, 9, 5, 9, MARK, MARK, 9 };
	static const u64 between[] = { 1, 5, 0, 9, 2, 0, 6, 0, 7, MARK, 4, 8, MARK };

	(void)state;
	expect_order(late, ARRAY_SIZE(late), "| | 10 15 20 30 | 5 35 40 | 50 ");
	expect_order(empty, ARRAY_SIZE(empty), "| | 10 30 | | 20 | 29 31 | 1 ");
	expect_order(no_time, ARRAY_SIZE(no_time), "0 -1 | 7 7 8 9 10 ");
	expect_order(equal, ARRAY_SIZE(equal), "| | 5 5 5 5 7 9 9 9 9 9 | 9 ");
	expect_order(between, ARRAY_SIZE(between), "0 0 0 | | 1 2 4 5 6 7 8 9 ");
	expect_order(NULL, 0, "");
}

/* Times of rings that stand one after the other in the file, each with every nr_rings-th time. */
static u64 *times_of_rings(size_t nr, size_t nr_rings)
{
	u64 *times = xcalloc(nr, sizeof(*times));

	for (size_t i = 0; i < nr; i++)
		times[i] = 1 + i / (nr / nr_rings) + (i % (nr / nr_rings)) * nr_rings;
	return times;
}

/* Large enough for many blocks; without marks all must wait. */
static void sorts_more_than_fits_into_memory(void **state)
{
	enum { NR = 4000, BYTES = 2000 };
	static const size_t rings[] = { 8, 1000 };
	struct strbuf out = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rings) * ARRAY_SIZE(order_ways); i++) {
		struct order_case c = { .nr = NR,
					.padding = BYTES,
					.memory = order_ways[i / 2].memory << 20,
					.swap = order_ways[i / 2].swap };
		u64 *times = times_of_rings(NR, rings[i % 2]);
		long long before = 0;
		char *p;

		c.times = times;
		strbuf__reset(&out);
		order_of(&c, &out);
		p = out.buf;
		for (size_t j = 0; j < NR; j++) {
			long long time = strtoll(p, &p, 10);

			assert_true(time == before + 1);
			before = time;
		}
		free(times);
	}
	strbuf__exit(&out);
}

/* What waits is read again; by then the file may be another one. */
static void notices_a_file_that_changes(void **state)
{
	enum { NR = 4000, BYTES = 400, NR_CHANGES = 4 };
	u64 *times = times_of_rings(NR, 4);
	struct order_case c = { .times = times, .nr = NR, .padding = BYTES };
	struct order_opts opts = { .memory = 1 };
	u8 garbage[4096];

	(void)state;
	for (int change = 0; change < NR_CHANGES; change++) {
		struct order_batch batch = ORDER_BATCH_INIT;
		struct strbuf out = STRBUF_INIT;
		struct sample_decoder decoder;
		struct err err = ERR_INIT;
		struct order *order;
		struct reader *r;
		struct image im;
		char path[64];
		int fd, ret;

		order_case__image(&c, &im);
		image__path(im.b.buf, im.b.len, &fd, path);
		assert_int_equal(reader__open(&r, path, &err), 0);
		first_pass(r);
		sample_decoder__init(&decoder, &r->evlist);
		order = order__new(r, &decoder, &opts);
		assert_int_equal(order__next(order, &batch, &err), 1); /* all have been seen */
		add_times(&c, &batch, &out);
		memset(garbage, change == 1 ? 0 : change == 2 ? 0xff : 0x11, sizeof(garbage));
		if (change == 0)
			assert_int_equal(ftruncate(fd, 300000), 0);
		for (u64 at = 0; change && at < im.b.len; at += sizeof(garbage))
			assert_int_equal(file__pwrite_all(fd, garbage, sizeof(garbage), at), 0);
		while ((ret = order__next(order, &batch, &err)) > 0)
			;
		assert_int_equal(ret, -EIO);
		assert_non_null(strstr(err.text.buf, "the file has changed"));
		order_batch__exit(&batch);
		strbuf__exit(&out);
		order__delete(order);
		sample_decoder__exit(&decoder);
		reader__close(r);
		close(fd);
		err__exit(&err);
		image__exit(&im);
	}
	free(times);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts_within_rounds),
		cmocka_unit_test(sorts_more_than_fits_into_memory),
		cmocka_unit_test(notices_a_file_that_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
