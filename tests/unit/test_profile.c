/*
 * A whole report in memory: a recording of a few samples is counted, by one worker and by several, and seen
 * through different views. Nothing in it can be resolved, so that rows are known by their addresses.
 */
#include "unit.h"

#include "image.h"
#include "profile/hists/hists.h"

enum { PID = 40, MAP_START = 0x400000, MAP_LEN = 0x10000, MAP_PGOFF = 0x1000 };

static void image__mmap(struct image *im, const char *name)
{
	image__begin(im, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	image__u32(im, PID);
	image__u32(im, PID);
	image__u64(im, MAP_START);
	image__u64(im, MAP_LEN);
	image__u64(im, MAP_PGOFF);
	image__str(im, name, ROUND_UP(strlen(name) + 1, 8));
	image__end(im);
}

/*
 * The first of chain is the sampled address; all but it are callers in the map, given by their offset in it.
 */
static void image__sample(struct image *im, u64 period, const u32 *chain, u32 nr)
{
	image__begin(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	image__u64(im, MAP_START + chain[0]);
	image__u32(im, PID);
	image__u32(im, PID);
	image__u64(im, period);
	image__u64(im, nr + 1);
	image__u64(im, PERF_CONTEXT_USER);
	for (u32 i = 0; i < nr; i++)
		image__u64(im, MAP_START + chain[i]);
	image__end(im);
}

enum { MAIN = 0x10, F = 0x20, G = 0x30, NR_ROUNDS = 3000 };

static void image__fill(struct image *im)
{
	static const u32 in_g[] = { G, F, MAIN }, in_f[] = { F, MAIN }, recursive[] = { G, F, F, MAIN };
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD |
						    PERF_SAMPLE_CALLCHAIN);

	image__init(im, false);
	image__file_header(im, 1, 112, 0);
	image__attr_entry(im, &a, 112, 0, 0);
	image__comm(im, PID, "prog");
	image__mmap(im, "/nowhere/prog");
	for (u32 i = 0; i < NR_ROUNDS; i++) {
		image__sample(im, 10, in_g, 3);
		image__sample(im, 5, in_f, 2);
		image__sample(im, 2, recursive, 4);
		image__sample(im, 0, in_f, 2);
	}
	image__end_data(im);
}

struct fixture {
	struct session *s;
	struct profile p;
	struct layout layout;
	struct view v;
};

static void fixture__open(struct fixture *f, unsigned nr_threads)
{
	struct session_opts opts = { .symbols = { .symfs = "/nowhere", .no_made_up_names = true } };
	struct profile_opts popts = { .nr_threads = nr_threads };
	struct image im;
	char path[64];
	int fd;

	image__fill(&im);
	image__path(im.b.buf, im.b.len, &fd, path);
	assert_int_equal(session__open(&f->s, path, &opts, NULL), 0);
	assert_int_equal(profile__collect(&f->p, f->s, &popts, NULL), 0);
	close(fd);
	image__exit(&im);
}

static void fixture__view(struct fixture *f, const char *sort, struct view_opts *opts)
{
	struct layout_opts lopts = { .sort = sort, .children = opts->children };

	assert_int_equal(layout__parse(&f->layout, &lopts, NULL), 0);
	opts->layout = &f->layout;
	opts->chain.max_stack = 127;
	view__build(&f->v, &f->p, opts);
}

static void fixture__close_view(struct fixture *f)
{
	view__exit(&f->v);
	layout__exit(&f->layout);
}

static void fixture__close(struct fixture *f)
{
	profile__exit(&f->p);
	session__delete(f->s);
}

/* The entry of an address as it is shown. */
static const struct hist_entry *entry(const struct fixture *f, u64 ip)
{
	const struct hists *h = &f->v.hists.v[0];

	for (size_t i = 0; i < h->entries.nr; i++)
		if (places__get(&f->v.places, h->entries.v[i]->place)->ip == ip)
			return h->entries.v[i];
	fail();
	return NULL;
}

static void rows_are_the_same_with_any_number_of_workers(void **state)
{
	(void)state;
	for (unsigned nr = 1; nr < 5; nr++) {
		struct fixture f;
		u64 period = 0, samples = 0;

		fixture__open(&f, nr);
		assert_int_equal(f.p.nr_samples, 4 * NR_ROUNDS);
		assert_int_equal(f.p.rows.rows.nr, 3);
		for (size_t i = 0; i < 3; i++) {
			period += row_table__get(&f.p.rows, i)->period;
			samples += row_table__get(&f.p.rows, i)->nr;
		}
		assert_int_equal(period, 17 * NR_ROUNDS);
		assert_int_equal(samples, 4 * NR_ROUNDS);
		fixture__close(&f);
	}
}

static void leaves_are_known_by_their_place_in_the_file(void **state)
{
	struct view_opts opts = { .group = true };
	struct fixture f;

	(void)state;
	fixture__open(&f, 1);
	fixture__view(&f, "sym", &opts);
	assert_int_equal(f.v.hists.v[0].entries.nr, 2);
	assert_int_equal(entry(&f, MAP_PGOFF + G)->stats[0].period, 12 * NR_ROUNDS);
	assert_int_equal(entry(&f, MAP_PGOFF + G)->stats[0].nr, 2 * NR_ROUNDS);
	assert_int_equal(entry(&f, MAP_PGOFF + F)->stats[0].period, 5 * NR_ROUNDS);
	assert_ptr_equal(f.v.hists.v[0].entries.v[0], entry(&f, MAP_PGOFF + G));
	assert_int_equal(hists__total(&f.v, &f.v.hists.v[0], 0), 17 * NR_ROUNDS);
	fixture__close_view(&f);
	fixture__close(&f);
}

static void callers_are_charged_once_per_sample(void **state)
{
	struct view_opts opts = { .children = true, .graph = GRAPH_ABSOLUTE, .chain.caller_first = true };
	struct fixture f;
	struct call_trees trees = CALL_TREES_INIT;
	const struct call_node *tree;

	(void)state;
	fixture__open(&f, 1);
	fixture__view(&f, "sym", &opts);
	assert_int_equal(entry(&f, MAP_START + MAIN)->stats[0].period_children, 17 * NR_ROUNDS);
	assert_int_equal(entry(&f, MAP_START + MAIN)->stats[0].period, 0);
	assert_int_equal(entry(&f, MAP_START + F)->stats[0].period_children, 17 * NR_ROUNDS);
	assert_int_equal(entry(&f, MAP_PGOFF + F)->stats[0].period, 5 * NR_ROUNDS);
	tree = view__call_tree(&f.v, entry(&f, MAP_START + MAIN), false, &trees);
	assert_int_equal(tree->nr_children, 1); /* MAIN, F; then what ends there, and G or F, G */
	assert_int_equal(tree->children[0]->nr_places, 2);
	assert_int_equal(tree->children[0]->self, 5 * NR_ROUNDS);
	assert_int_equal(tree->children[0]->nr_children, 2);
	assert_int_equal(tree->children[0]->children[0]->total, 10 * NR_ROUNDS);
	assert_int_equal(tree->children[0]->children[1]->nr_places, 2);
	call_trees__exit(&trees);
	fixture__close_view(&f);
	fixture__close(&f);
}

static void see_row(void *ctx, const struct row *row)
{
	u64 *sums = ctx;

	sums[0]++;
	sums[1] += row->nr;
	sums[2] += row->period;
}

static void taken_rows_are_all_rows(void **state)
{
	(void)state;
	for (unsigned nr_threads = 1; nr_threads <= 3; nr_threads++) {
		u64 sums[3] = { 0 }, nr_rows;
		struct fixture f;

		fixture__open(&f, nr_threads);
		nr_rows = f.p.rows.rows.nr;
		profile__take_rows(&f.p, see_row, sums);
		assert_int_equal(sums[0], nr_rows);
		assert_int_equal(sums[1], f.p.nr_samples);
		assert_int_equal(sums[2], 17 * NR_ROUNDS);
		assert_int_equal(f.p.rows.rows.nr, 0);
		fixture__close(&f);
	}
}

static void filters_keep_the_total(void **state)
{
	struct view_opts opts = { .group = true };
	struct fixture f;

	(void)state;
	fixture__open(&f, 1);
	assert_int_equal(name_list__parse(&opts.filter.comms, "other", NULL), 0);
	fixture__view(&f, "comm", &opts);
	assert_int_equal(f.v.hists.v[0].totals[0].period, 17 * NR_ROUNDS);
	assert_int_equal(f.v.hists.v[0].shown[0].period, 0);
	assert_int_equal(f.v.hists.v[0].entries.v[0]->filtered, HIST_FILTER_THREAD);
	fixture__close_view(&f);
	fixture__close(&f);
	name_list__exit(&opts.filter.comms);
	fixture__open(&f, 1);
	assert_int_equal(name_list__parse(&opts.filter.dsos, "prog", NULL), 0);
	fixture__view(&f, "dso", &opts);
	assert_int_equal(f.v.hists.v[0].shown[0].period, 17 * NR_ROUNDS);
	fixture__close_view(&f);
	name_list__exit(&opts.filter.dsos);
	fixture__close(&f);
}

/* Sums of entries that are shown. */
static struct hist_stat shown(const struct fixture *f)
{
	struct hist_stat sum = { 0 };

	for (size_t i = 0; i < f->v.hists.v[0].entries.nr; i++) {
		const struct hist_entry *e = f->v.hists.v[0].entries.v[i];

		sum.period += e->filtered ? 0 : e->stats[0].period;
		sum.period_children += e->filtered ? 0 : e->stats[0].period_children;
		sum.nr += e->filtered ? 0 : e->stats[0].nr;
	}
	return sum;
}

static void counting_again_filters_and_restores(void **state)
{
	struct view_opts opts = { .children = true, .graph = GRAPH_ABSOLUTE, .chain.caller_first = true };
	struct sample_filter comm = { 0 }, dso = { 0 }, other = { 0 };
	struct hist_stat all, zoomed;
	struct fixture f;

	(void)state;
	fixture__open(&f, 1);
	assert_int_equal(name_list__parse(&comm.comms, "prog", NULL), 0);
	assert_int_equal(name_list__parse(&dso.dsos, "prog", NULL), 0);
	assert_int_equal(name_list__parse(&other.comms, "other", NULL), 0);
	fixture__view(&f, "comm,dso,sym", &opts);
	all = shown(&f);
	assert_int_equal(all.period, 17 * NR_ROUNDS);
	view__recount(&f.v, &other);
	assert_int_equal(shown(&f).period_children, 0);
	assert_int_equal(f.v.hists.v[0].totals[0].period, 17 * NR_ROUNDS);
	assert_int_equal(f.v.hists.v[0].shown[0].period, 0);
	view__recount(&f.v, &comm);
	zoomed = shown(&f);
	assert_memory_equal(&zoomed, &all, sizeof(all));
	view__recount(&f.v, &dso);
	assert_int_equal(shown(&f).period, 17 * NR_ROUNDS);
	view__recount(&f.v, NULL);
	zoomed = shown(&f);
	assert_memory_equal(&zoomed, &all, sizeof(all));
	fixture__close_view(&f);
	fixture__close(&f);
	sample_filter__exit(&comm);
	sample_filter__exit(&dso);
	sample_filter__exit(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_the_same_with_any_number_of_workers),
		cmocka_unit_test(leaves_are_known_by_their_place_in_the_file),
		cmocka_unit_test(callers_are_charged_once_per_sample),
		cmocka_unit_test(taken_rows_are_all_rows),
		cmocka_unit_test(filters_keep_the_total),
		cmocka_unit_test(counting_again_filters_and_restores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
