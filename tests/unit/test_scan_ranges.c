/*
 * The first pass: the ranges that it notes for later passes, when it gives these up, and what it counts where
 * records are not plain, so that the walker reads them.
 */
#include "unit.h"

#include "image.h"
#include "format/read/reader_piece.h"
#include "format/read/reader_private.h"

#include <malloc.h>

enum { DATA = 104 + 128, ID = 100 };

#define SAMPLE_TYPE PERF_SAMPLE_IDENTIFIER

/* ---- recordings ---- */

/* A recording of one event. */
static void begin(struct image *im)
{
	struct perf_event_attr a = image__cpu_clock(SAMPLE_TYPE);

	image__init(im, false);
	image__file_header(im, 1, 112, 0);
	image__attr_entry(im, &a, 112, 0, 0);
	assert_int_equal(im->b.len, DATA);
}

static void add(struct image *im, u32 type, size_t size)
{
	image__begin(im, type, 0);
	strbuf__addchars(&im->b, '\0', size - sizeof(struct perf_event_header));
	image__end(im);
}

static void add_sample(struct image *im, u64 id)
{
	image__begin(im, PERF_RECORD_SAMPLE, 0);
	image__u64(im, id);
	image__end(im);
}

static void add_attr(struct image *im, u64 id)
{
	struct perf_event_attr a = image__cpu_clock(SAMPLE_TYPE);

	image__begin(im, RECORD_HEADER_ATTR, 0);
	image__attr(im, &a, 112);
	image__u64(im, id);
	image__end(im);
}

static void add_payload(struct image *im, size_t size)
{
	image__begin(im, RECORD_AUXTRACE, 0);
	image__u64(im, size);
	for (int i = 0; i < 4; i++)
		image__u64(im, 0);
	image__end(im);
	strbuf__addchars(&im->b, '\1', size);
}

struct scanned {
	struct reader *r;
	struct record_counts c;
	u64 nr_runs, run_bytes, nr_unread; /* of the callback for runs */
};

static void see_run(void *ctx, const struct block *b)
{
	struct scanned *s = ctx;
	struct record rec;

	s->nr_runs++;
	s->nr_unread += !b;
	for (size_t pos = 0; b && block__next(b, &pos, &rec);)
		s->run_bytes += rec.header->size;
}

static void scan(struct scanned *s, const struct image *im, unsigned nr_threads)
{
	const struct reader_opts opts = { .nr_threads = nr_threads };

	*s = (struct scanned){ 0 };
	assert_int_equal(image__open_with(im->b.buf, im->b.len, &s->r, &opts, NULL), 0);
	assert_int_equal(
		reader__scan(s->r,
			     &(struct reader_scan_opts){ .count_per_event = true, .run = see_run, .ctx = s },
			     &s->c, NULL),
		0);
}

static void end(struct scanned *s)
{
	free(s->c.by_event);
	reader__close(s->r);
}

/* ---- ranges ---- */

/* May later passes read these two ranges at once? */
static bool may_be_one(const struct reader_range *a, const struct reader_range *b)
{
	return !a->payload && !a->packed && !b->packed && a->segment == b->segment &&
	       a->offset + a->size == b->offset && a->size % 8 == 0 && a->size + b->size <= BLOCK_SIZE;
}

/*
 * The ranges have all records of the recording once and in order, and between them there is payload only. In
 * a range, records begin at multiples of 8. No two ranges could be one.
 */
static void expect_ranges(const struct scanned *s, const struct image *im)
{
	const struct reader_private *priv = s->r->priv;
	u64 at = DATA, nr = 0;

	assert_false(priv->walk_again);
	for (size_t i = 0; i < priv->ranges.nr; i++) {
		const struct reader_range *range = &priv->ranges.v[i];
		u64 pos = 0;

		assert_int_equal(range->offset, at);
		assert_in_range(range->size, sizeof(struct perf_event_header), BLOCK_SIZE + RECORD_SIZE_MAX);
		if (i)
			assert_false(may_be_one(range - 1, range));
		while (pos < range->size) {
			struct perf_event_header h;

			assert_int_equal(pos % 8, 0);
			memcpy(&h, im->b.buf + at + pos, sizeof(h));
			pos += h.size;
			if (h.type == RECORD_AUXTRACE)
				assert_int_equal(pos, range->size);
			nr++;
		}
		assert_int_equal(pos, range->size);
		at += pos + range->payload;
	}
	assert_int_equal(at, im->b.len);
	assert_int_equal(nr, s->c.nr_records);
}

/* So many bytes of records and of payload, in blocks of a pass. */
static void expect_pass(struct scanned *s, u64 nr_records)
{
	struct reader_pass *p = reader_pass__new(s->r);
	struct block b = BLOCK_INIT;
	struct record rec;
	u64 nr = 0;

	while (reader_pass__next(p, &b, NULL) > 0)
		for (size_t pos = 0; block__next(&b, &pos, &rec); nr++)
			;
	assert_int_equal(nr, nr_records);
	assert_int_equal(s->r->damage.code, 0);
	block__exit(&b);
	reader_pass__delete(p);
}

static const struct {
	const char *what; /* a record for each letter: plain, odd size, with payload, large */
	u64 times;
} mixtures[] = {
	{ "p", 1 },       { "pppp", 1 },      { "o", 3 },      { "po", 5 },    { "opp", 5 },   { "a", 4 },
	{ "pap", 5 },     { "poaop", 5 },     { "ppaapo", 9 }, { "p", 40000 }, { "op", 5000 }, { "l", 40 },
	{ "pplpoa", 60 }, { "ppppppppp", 9 }, { "ol", 40 },    { "al", 40 },
};

static u64 add_mixture(struct image *im, const char *what, u64 times)
{
	u64 nr = 0;

	while (times--) {
		for (const char *c = what; *c; c++, nr++) {
			if (*c == 'a')
				add_payload(im, 24);
			else
				add(im, 60, *c == 'o' ? 13 : *c == 'l' ? 65528 : 16);
		}
	}
	return nr;
}

static void ranges_have_all_records(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(mixtures); i++) {
		for (unsigned nr_threads = 1; nr_threads <= 3; nr_threads += 2) {
			struct scanned s;
			struct image im;
			u64 nr;

			begin(&im);
			nr = add_mixture(&im, mixtures[i].what, mixtures[i].times);
			image__end_data(&im);
			scan(&s, &im, nr_threads);
			assert_int_equal(s.r->damage.code, 0);
			assert_int_equal(s.c.nr_records, nr);
			assert_int_equal(s.c.nr_unknown + s.c.by_type[RECORD_AUXTRACE], nr);
			expect_ranges(&s, &im);
			expect_pass(&s, nr);
			end(&s);
			image__exit(&im);
		}
	}
}

/* Of how many records of an odd size, one a range, are the ranges more than they are worth? */
static u64 too_many(u64 size, bool *is_exact)
{
	for (u64 nr = 1;; nr++) {
		u64 worth = BLOCK_SIZE + (DATA + size * (nr - 1)) / 8;

		*is_exact |= nr * sizeof(struct reader_range) == worth;
		if (nr * sizeof(struct reader_range) > worth)
			return nr;
	}
}

/* Later passes walk again, once the ranges take more memory than a block and an eighth of what was read. */
static void ranges_of_tiny_runs_are_given_up(void **state)
{
	static const size_t sizes[] = { 9, 31, 0 };
	u64 exact_size = 9;
	bool is_exact = false;

	(void)state;
	for (; exact_size < 250 && !is_exact; exact_size += is_exact ? 0 : 2)
		too_many(exact_size, &is_exact);
	assert_true(is_exact); /* a size with which they once take just as much */
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		u64 size = sizes[i] ? sizes[i] : exact_size;
		u64 limit = too_many(size, &is_exact);

		for (u64 nr = limit - 1; nr <= limit + 1; nr++) {
			struct scanned s;
			struct image im;

			begin(&im);
			for (u64 k = 0; k < nr; k++)
				add(&im, 60, size);
			image__end_data(&im);
			scan(&s, &im, 1);
			assert_int_equal(s.r->priv->walk_again, nr >= limit);
			assert_int_equal(s.r->priv->ranges.nr, nr > limit ? 0 : nr);
			expect_pass(&s, nr);
			end(&s);
			image__exit(&im);
		}
	}
}

/* ---- runs ---- */

/* The callback sees the bytes of each run once, or is told that they were not read: large records are not. */
static void runs_are_shown_once(void **state)
{
	(void)state;
	for (unsigned nr_threads = 1; nr_threads <= 3; nr_threads++) {
		struct scanned s;
		struct image im;

		begin(&im);
		add_mixture(&im, "ppopa", 100);
		add_mixture(&im, "p", 100000);
		image__end_data(&im);
		scan(&s, &im, nr_threads);
		assert_int_equal(s.run_bytes, im.b.len - DATA - 100 * 24);
		assert_in_range(s.nr_runs, 2, 1000);
		assert_int_equal(s.nr_unread, 0);
		end(&s);
		image__exit(&im);

		begin(&im);
		for (int i = 0; i < 100; i++)
			add(&im, PERF_RECORD_SAMPLE, 65528);
		image__end_data(&im);
		scan(&s, &im, nr_threads);
		assert_in_range(s.nr_runs, 20, 30);
		assert_in_range(s.nr_unread, 1, s.nr_runs);
		end(&s);
		image__exit(&im);
	}
}

/* ---- counts ---- */

/*
 * Samples count for events that come after them, also if it is only one, and those of no event for none; in
 * pieces, and where a record of an odd size at the beginning leaves all to the walker.
 */
static void late_events_count(void **state)
{
	enum { EVENTS = 100 };
	static const struct {
		u64 before, after; /* samples of the second event, and where they are */
	} cases[] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 }, { 2, 3 } };

	(void)state;
	for (size_t i = 0; i < 4 * ARRAY_SIZE(cases); i++) {
		u64 before = cases[i / 4].before, after = cases[i / 4].after;
		bool is_odd = i & 1;
		struct scanned s;
		struct image im;

		image__init(&im, false);
		image__pipe_header(&im);
		if (is_odd)
			add(&im, 60, 9);
		add_attr(&im, ID);
		add_attr(&im, ID + 1);
		for (u64 k = 0; k < before; k++)
			add_sample(&im, ID + 2);
		for (u64 id = ID + 2; id < ID + EVENTS; id++)
			add_attr(&im, id);
		for (u64 k = 0; k < after; k++)
			add_sample(&im, ID + 2);
		add_sample(&im, ID);
		add_sample(&im, 999);
		scan(&s, &im, 1 + (i & 2));
		assert_int_equal(s.r->damage.code, 0);
		assert_int_equal(s.c.by_type[PERF_RECORD_SAMPLE], before + after + 2);
		assert_int_equal(s.c.by_type[RECORD_HEADER_ATTR], EVENTS);
		assert_int_equal(s.c.nr_unknown, is_odd);
		assert_int_equal(s.r->evlist.evsels.nr, EVENTS);
		assert_int_equal(s.c.by_event[0], 1);
		assert_int_equal(s.c.by_event[1], 0);
		assert_int_equal(s.c.by_event[2], before + after);
		for (u64 k = 3; k < EVENTS; k++)
			assert_int_equal(s.c.by_event[k], 0);
		end(&s);
		image__exit(&im);
	}
}

/* A record too short for its type is damage; those of the smallest size are not. */
static void short_records_are_damage(void **state)
{
	static const u32 types[] = { PERF_RECORD_LOST, PERF_RECORD_EXIT, PERF_RECORD_MMAP };

	(void)state;
	for (size_t i = 0; i < 4 * ARRAY_SIZE(types); i++) {
		u32 type = types[i / 4], least = record_type__size_min(type);
		bool is_odd = i & 1, is_short = i & 2;
		struct strbuf text = STRBUF_INIT;
		struct scanned s;
		struct image im;

		begin(&im);
		if (is_odd)
			add(&im, 60, 9);
		strbuf__addf(&text, "offset %zu: a record of type %s and %u bytes, expected at least %u",
			     im.b.len, record_type__name(type), least - 8, least);
		add(&im, type, is_short ? least - 8 : least);
		image__end_data(&im);
		scan(&s, &im, 1);
		assert_int_equal(s.c.by_type[type], 1);
		assert_int_equal(s.r->damage.code != 0, is_short);
		if (is_short)
			assert_non_null(strstr(s.r->damage.text.buf, text.buf));
		strbuf__exit(&text);
		end(&s);
		image__exit(&im);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_have_all_records),
		cmocka_unit_test(ranges_of_tiny_runs_are_given_up),
		cmocka_unit_test(runs_are_shown_once),
		cmocka_unit_test(late_events_count),
		cmocka_unit_test(short_records_are_damage),
	};

	mallopt(M_PERTURB, 0x5a); /* so that counters that nobody clears are not 0 by chance */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
