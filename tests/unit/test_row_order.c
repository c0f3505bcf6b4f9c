/*
 * The order of rows: by the overhead, then by each sort key in its own direction. Many rows of a few
 * values, so that each key decides somewhere.
 */
#include "unit.h"

#include "view_image.h"
#include "profile/hists/columns_private.h"

enum { MAP_START = 0x400000, MAP_LEN = 0x10000, NR_SAMPLES = 3000 };

struct put {
	u64 ip, time, period, weight;
	u32 tid, cpu;
};

static u32 seed;

static u32 rnd(u32 below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static void image__put(struct image *im, const struct put *p)
{
	image__begin(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	image__u64(im, p->ip);
	image__u32(im, p->tid);
	image__u32(im, p->tid);
	image__u64(im, p->time);
	image__u32(im, p->cpu);
	image__u32(im, 0);
	image__u64(im, p->period);
	image__u64(im, p->weight);
	image__end(im);
}

static void image__start(struct image *im)
{
	static const char *const comms[] = { "bb", "aa", "cc" };
	struct perf_event_attr a =
		image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
				 PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT);

	image__init(im, false);
	image__file_header(im, 1, 112, 0);
	image__attr_entry(im, &a, 112, 0, 0);
	for (u32 i = 0; i < 3; i++)
		image__comm(im, 40 + i, comms[i]);
}

static void fixture__open(struct fixture *f, struct image *im, const char *sort, unsigned nr_threads)
{
	struct session_opts opts = { .symbols = { .symfs = "/nowhere", .no_made_up_names = true } };
	struct profile_opts popts = { .nr_threads = nr_threads };
	struct layout_opts lopts = { .sort = sort };
	struct view_opts vopts = { .layout = NULL };

	assert_int_equal(layout__parse(&f->layout, &lopts, NULL), 0);
	popts.split = f->layout.split;
	popts.words = f->layout.words.nr ? &f->layout.words : NULL;
	fixture__read(f, im, &opts, &popts, &vopts);
}

/* Which of two entries a key shows first: below 0: a. */
static int key_says(struct fixture *f, const struct column *c, const struct hist_entry *a,
		    const struct hist_entry *b)
{
	bool is_text = !strcmp(c->name, "comm"), is_larger = !strcmp(c->name, "local_weight");
	s64 x, y;

	if (is_text)
		return strcmp(machine__str(&f->s->machine, a->comm), machine__str(&f->s->machine, b->comm));
	if (!strcmp(c->name, "overhead")) {
		x = (s64)a->stats[0].period;
		y = (s64)b->stats[0].period;
		is_larger = true;
	} else if (!strcmp(c->name, "cpu")) {
		x = a->cpu;
		y = b->cpu;
	} else if (!strcmp(c->name, "pid")) {
		x = a->tid;
		y = b->tid;
	} else {
		x = (s64)c->value(c, &f->v, a);
		y = (s64)c->value(c, &f->v, b);
	}
	return is_larger ? (x < y) - (x > y) : (x > y) - (x < y);
}

static void rows_are_in_the_order_of_their_keys(void **state)
{
	static const struct {
		const char *sort;
		size_t nr_rows, nr_keys;
	} rows[] = {
		{ "cpu,pid,local_weight", 4 * 3 * 6, 3 },
		{ "local_weight,cpu", 6 * 4, 2 },
		{ "addr,cpu", 5 * 4, 2 },
		{ "pid,addr", 3 * 5, 2 },
		{ "comm,local_weight,cpu", 3 * 6 * 4, 3 },
		{ "comm,addr", 3 * 5, 2 },
		{ "cpu", 4, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fixture f;
		struct image im;
		const struct hists *h;
		u64 period = 0;

		seed = 7;
		image__start(&im);
		for (u32 n = 0; n < NR_SAMPLES; n++) {
			const struct put p = { .ip = MAP_START + 16 * rnd(5),
					       .time = 1000 + n,
					       .period = 10,
					       .weight = rnd(6),
					       .tid = 40 + rnd(3),
					       .cpu = rnd(4) };

			image__put(&im, &p);
		}
		image__end_data(&im);
		fixture__open(&f, &im, rows[i].sort, 1 + (unsigned)i % 3);
		h = &f.v.hists.v[0];
		assert_int_equal(h->entries.nr, rows[i].nr_rows);
		assert_int_equal(h->nr_sorts, rows[i].nr_keys + 1);
		assert_string_equal(h->sorts[0]->name, "overhead");
		for (size_t k = 0; k < h->entries.nr; k++) {
			int order = 0;

			period += h->entries.v[k]->stats[0].period;
			for (size_t s = 0; k && s < h->nr_sorts && !order; s++)
				order = key_says(&f, h->sorts[s], h->entries.v[k - 1], h->entries.v[k]);
			assert_true(!k || order < 0);
		}
		assert_int_equal(period, 10 * NR_SAMPLES);
		fixture__close(&f);
		image__exit(&im);
	}
}

/* One sample each with equal overhead: only the keys decide, whatever the order of the samples. */
static void equal_rows_are_in_the_order_of_their_keys(void **state)
{
	static const char *const sorts[] = { "cpu,pid,local_weight", "local_weight,pid,cpu",
					     "addr,local_weight,cpu", "comm,cpu,local_weight", "time,cpu" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		struct fixture f;
		struct image im;
		const struct hists *h;

		seed = 9;
		image__start(&im);
		for (u32 n = 0; n < 72; n++) {
			u32 k = n * 29 % 72; /* all of 72 */
			const struct put p = { .ip = MAP_START + 16 * (k % 6),
					       .time = (u64)(1 + k) * 1000000000,
					       .period = 10,
					       .weight = k / 12,
					       .tid = 40 + k / 4 % 3,
					       .cpu = k % 4 };

			image__put(&im, &p);
		}
		image__end_data(&im);
		fixture__open(&f, &im, sorts[i], 1);
		h = &f.v.hists.v[0];
		assert_true(h->entries.nr >= 36);
		for (size_t k = 1; k < h->entries.nr; k++) {
			int order = 0;

			for (size_t s = 0; s < h->nr_sorts && !order; s++)
				order = key_says(&f, h->sorts[s], h->entries.v[k - 1], h->entries.v[k]);
			assert_true(order < 0);
		}
		fixture__close(&f);
		image__exit(&im);
	}
}

/*
 * Three addresses so far apart that each is below the next one, the last below the first: stock perf
 * compares their difference as a signed number. Then the order depends on that of the earliest
 * samples.
 */
static void distant_addresses_are_in_the_order_of_samples(void **state)
{
	static const u64 addrs[] = { 0x10, 0x6000000000000000, 0xc000000000000000 };
	/* by the address that came first; found by inserting into a tree by hand */
	static const u8 expected[3][3] = { { 2, 0, 1 }, { 0, 1, 2 }, { 1, 2, 0 } };

	(void)state;
	for (u32 first = 0; first < 3; first++) {
		const struct hists *h;
		struct fixture f;
		struct image im;

		image__start(&im);
		for (u32 n = 0; n < 3; n++)
			image__put(&im, &(struct put){ .ip = addrs[(first + n) % 3],
						       .time = 1000 + n,
						       .period = 10,
						       .tid = 40 });
		image__end_data(&im);
		fixture__open(&f, &im, "addr", 1);
		h = &f.v.hists.v[0];
		assert_int_equal(h->entries.nr, 3);
		for (u32 n = 0; n < 3; n++)
			assert_int_equal(places__get(&f.v.places, h->entries.v[n]->place)->ip,
					 addrs[expected[first][n]]);
		fixture__close(&f);
		image__exit(&im);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_in_the_order_of_their_keys),
		cmocka_unit_test(equal_rows_are_in_the_order_of_their_keys),
		cmocka_unit_test(distant_addresses_are_in_the_order_of_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
