/* Branch stacks: counted branch by branch, kept apart by what is asked for; and as call chains (LBR). */
#include "unit.h"

#include "binary/symbols/elf_symbols.h"
#include "view_image.h"

enum { PID = 40, MAP_START = 0x400000, MAP_LEN = 0x10000, MAP_PGOFF = 0x1000, NR_ROUNDS = 500 };
enum { OUTSIDE = 0x900000 }; /* in no map */

static u64 flags_of(u64 cycles, u64 flags)
{
	return cycles << BRANCH_CYCLES_SHIFT | flags;
}

static void image__map(struct image *im)
{
	image__begin(im, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	image__u32(im, PID);
	image__u32(im, PID);
	image__u64(im, MAP_START);
	image__u64(im, MAP_LEN);
	image__u64(im, MAP_PGOFF);
	image__str(im, "/nowhere/prog", 16);
	image__end(im);
}

/* words: from, to, flags of each branch. */
static void image__sample(struct image *im, const u64 *chain, u64 nr_chain, const u64 *words, u64 nr)
{
	image__begin(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	image__u64(im, MAP_START + 1);
	image__u32(im, PID);
	image__u32(im, PID);
	image__u64(im, 1000);
	if (chain) {
		image__u64(im, nr_chain);
		for (u64 i = 0; i < nr_chain; i++)
			image__u64(im, chain[i]);
	}
	image__u64(im, nr);
	for (u64 i = 0; i < 3 * nr; i++)
		image__u64(im, words[i]);
	image__end(im);
}

static void image__start(struct image *im, u64 chain_type, u64 branch_type)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD |
						    PERF_SAMPLE_BRANCH_STACK | chain_type);

	a.branch_sample_type = branch_type;
	image__init(im, false);
	image__file_header(im, 1, 112, 0);
	image__attr_entry(im, &a, 112, 0, 0);
	image__comm(im, PID, "prog");
	image__map(im);
}

static void image__fill(struct image *im)
{
	const u64 branches[] = {
		MAP_START + 0x10,
		MAP_START + 0x20,
		flags_of(3, BRANCH_PREDICTED),
		MAP_START + 0x10,
		MAP_START + 0x20,
		flags_of(5, BRANCH_MISPREDICTED),
		OUTSIDE,
		MAP_START + 0x20,
		flags_of(0, BRANCH_PREDICTED | BRANCH_IN_TX | BRANCH_ABORT),
	};

	image__start(im, 0, PERF_SAMPLE_BRANCH_ANY);
	for (u32 i = 0; i < NR_ROUNDS; i++) {
		image__sample(im, NULL, 0, branches, 3);
		image__sample(im, NULL, 0, branches, 1);
		image__sample(im, NULL, 0, branches, 0); /* counts for nothing */
	}
	image__end_data(im);
}

static const char *symfs = "/nowhere";

static void fixture__open(struct fixture *f, struct image *im, const char *sort, struct view_opts *opts,
			  unsigned nr_threads)
{
	struct session_opts sopts = { .symbols = { .symfs = symfs, .no_made_up_names = true } };
	struct layout_opts lopts = { .sort = sort, .branches = opts->branches };
	struct profile_opts popts = { .nr_threads = nr_threads,
				      .branches = opts->branches,
				      .lbr_chains = true,
				      .no_chains = !view_opts__need_chains(opts) };

	assert_int_equal(layout__parse(&f->layout, &lopts, NULL), 0);
	popts.split = f->layout.split;
	fixture__read(f, im, &sopts, &popts, opts);
	image__exit(im);
}

static const struct hist_entry *entry(const struct fixture *f, size_t i)
{
	return f->v.hists.v[0].entries.v[i];
}

static const struct branch *entry_branch(const struct fixture *f, size_t i)
{
	return branches__get(&f->v.branches, entry(f, i)->branch);
}

static void each_branch_counts_for_one(void **state)
{
	(void)state;
	for (unsigned nr = 1; nr < 4; nr++) {
		struct view_opts opts = { .branches = true };
		struct image im;
		struct fixture f;
		const struct branch *b;

		image__fill(&im);
		fixture__open(&f, &im, NULL, &opts, nr);
		assert_int_equal(f.p.nr_samples, 4 * NR_ROUNDS);
		assert_int_equal(f.v.hists.v[0].totals[0].period, 4 * NR_ROUNDS);
		assert_int_equal(f.v.hists.v[0].entries.nr, 3);
		assert_int_equal(entry(&f, 0)->stats[0].period, 2 * NR_ROUNDS);
		assert_int_equal(entry(&f, 0)->stats[0].nr, 2 * NR_ROUNDS);
		b = entry_branch(&f, 0);
		assert_int_equal(b->flags, flags_of(3, 0)); /* what nobody asks for is left out */
		assert_int_equal(places__get(&f.v.places, b->from.place)->ip, MAP_PGOFF + 0x10);
		assert_int_equal(places__get(&f.v.places, b->to.place)->ip, MAP_PGOFF + 0x20);
		assert_int_equal(b->from.level, '.');
		/* Of equal ones what is in no map comes first, as in stock perf. */
		b = entry_branch(&f, 1);
		assert_int_equal(b->from.level, 'H');
		assert_int_equal(places__get(&f.v.places, b->from.place)->ip, OUTSIDE);
		assert_false(places__get(&f.v.places, b->from.place)->mapped);
		assert_int_equal(entry_branch(&f, 2)->flags, flags_of(5, 0));
		fixture__close(&f);
	}
}

static void keys_keep_branches_apart(void **state)
{
	static const struct {
		const char *sort;
		size_t nr_entries;
		u64 first; /* period, of NR_ROUNDS */
	} cases[] = {
		{ "symbol_to", 1, 4 }, { "dso_to", 1, 4 },     { "symbol_from", 2, 3 }, { "dso_from", 2, 3 },
		{ "cycles", 3, 2 },    { "mispredict", 2, 3 }, { "in_tx", 2, 3 },       { "abort", 2, 3 },
		{ "comm", 1, 4 },      { "sym", 1, 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct view_opts opts = { .branches = true };
		struct image im;
		struct fixture f;

		image__fill(&im);
		fixture__open(&f, &im, cases[i].sort, &opts, 1);
		assert_int_equal(f.v.hists.v[0].entries.nr, cases[i].nr_entries);
		assert_int_equal(entry(&f, 0)->stats[0].period, cases[i].first * NR_ROUNDS);
		fixture__close(&f);
	}
}

/* Where the function begins in the program, as the recording maps it. */
static u64 address_of(const struct symtab *t, const char *name)
{
	for (size_t i = 0; i < t->syms.nr; i++)
		if (!strcmp(symtab__name(t, &t->syms.v[i]), name))
			return t->syms.v[i].start - MAP_PGOFF + MAP_START;
	fail_msg("no function %s", name);
	return 0;
}

static const char *line_of(const struct fixture *f, u32 place)
{
	return places__text(&f->v.places, places__get(&f->v.places, place)->line);
}

static void ends_have_source_lines(void **state)
{
	struct view_opts opts = { .branches = true, .places.lines = true };
	char root[] = "/tmp/perf-unit-branches.XXXXXX", text[512], path[64];
	struct symtab t;
	struct image im;
	struct fixture f;
	u64 first, second;

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(text, sizeof(text),
		 /* code is behind MAP_PGOFF */
		 "cd %s && mkdir nowhere && printf '\nint first(int x) { return x * 2 + 1; }\n\nint "
		 "second(int x) { return x - 7; }\nint main(void) { return first(second(3)); }\n' >p.c && cc "
		 "-O0 -g -no-pie -Wl,-z,separate-code,-z,max-page-size=0x1000 -o nowhere/prog p.c",
		 root);
	if (system(text))
		skip();
	snprintf(path, sizeof(path), "%s/nowhere/prog", root);
	symtab__init(&t);
	assert_int_equal(elf_symbols__load(&t, path, NULL, NULL, NULL), 0);
	first = address_of(&t, "first");
	second = address_of(&t, "second");
	image__start(&im, 0, PERF_SAMPLE_BRANCH_ANY);
	image__sample(
		&im, NULL, 0,
		(const u64[]){ first, second, 0, first + 4, second, 0, second, first, 0, OUTSIDE, first, 0 },
		4);
	image__end_data(&im);
	symfs = root;
	fixture__open(&f, &im, "srcline_from,srcline_to", &opts, 1);
	symfs = "/nowhere";
	assert_int_equal(f.v.hists.v[0].entries.nr, 3);
	assert_int_equal(entry(&f, 0)->stats[0].period, 2); /* two addresses of one line */
	assert_string_equal(line_of(&f, entry_branch(&f, 0)->from.place), "p.c:2");
	assert_string_equal(line_of(&f, entry_branch(&f, 0)->to.place), "p.c:4");
	for (size_t i = 1; i < 3; i++) {
		assert_string_equal(line_of(&f, entry_branch(&f, i)->to.place), "p.c:2");
		if (places__get(&f.v.places, entry_branch(&f, i)->from.place)->ip != OUTSIDE)
			assert_string_equal(line_of(&f, entry_branch(&f, i)->from.place), "p.c:4");
	}
	fixture__close(&f);
	symtab__exit(&t);
	snprintf(text, sizeof(text), "rm -r %s", root);
	assert_int_equal(system(text), 0);
}

static void sym_is_the_target_in_memory(void **state)
{
	struct view_opts opts = { .branches = true };
	struct image im;
	struct fixture f;

	(void)state;
	image__fill(&im);
	fixture__open(&f, &im, "sym", &opts, 1);
	assert_int_equal(places__get(&f.v.places, entry(&f, 0)->place)->ip, MAP_START + 0x20);
	fixture__close(&f);
}

static void unresolved_branches_can_be_hidden(void **state)
{
	struct view_opts opts = { .branches = true, .chain.hide_unresolved = true };
	struct image im;
	struct fixture f;

	(void)state;
	image__fill(&im);
	fixture__open(&f, &im, NULL, &opts, 1);
	assert_int_equal(f.v.nr.hidden, 4 * NR_ROUNDS);
	assert_int_equal(f.v.hists.v[0].entries.nr, 0);
	fixture__close(&f);
}

static void samples_count_without_the_view(void **state)
{
	struct view_opts opts = { .branches = false };
	struct image im;
	struct fixture f;

	(void)state;
	image__fill(&im);
	fixture__open(&f, &im, NULL, &opts, 1);
	assert_int_equal(f.p.nr_samples, 3 * NR_ROUNDS);
	assert_int_equal(f.v.hists.v[0].totals[0].period, 3000 * NR_ROUNDS);
	fixture__close(&f);
}

/* The last call's target and where each call came from stand for the user's part of the chain. */
static void call_stacks_are_chains(void **state)
{
	static const u64 chain[] = { PERF_CONTEXT_USER, MAP_START + 1, 0xdead };
	static const u64 calls[] = { MAP_START + 0x100, MAP_START + 1,    0,
				     MAP_START + 0x200, MAP_START + 0x90, 0 };
	struct view_opts opts = { .graph = GRAPH_ABSOLUTE };
	struct chain c;
	struct image im;
	struct fixture f;

	(void)state;
	image__start(&im, PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK);
	for (u32 i = 0; i < 20; i++)
		image__sample(&im, chain, ARRAY_SIZE(chain), calls, 2);
	image__end_data(&im);
	fixture__open(&f, &im, "sym", &opts, 1);
	assert_int_equal(f.v.folds.nr, 1);
	c = chains__get(&f.v.chains, f.v.folds.v[0].chain);
	assert_int_equal(c.nr, 3);
	assert_int_equal(places__get(&f.v.places, c.places[0])->ip, MAP_START + 1);
	assert_int_equal(places__get(&f.v.places, c.places[1])->ip, MAP_START + 0x100);
	assert_int_equal(places__get(&f.v.places, c.places[2])->ip, MAP_START + 0x200);
	assert_int_equal(f.v.folds.v[0].period, 20 * 1000);
	fixture__close(&f);
}

/* The flag of a block's cycles is a bit of its own, beside those of the branch at its end. */
static void blocks_have_one_flag_of_cycles(void **state)
{
	const struct profile_opts popts = { .nr_threads = 1, .blocks = true, .all_blocks = true };
	const struct session_opts sopts = { .symbols = { .symfs = symfs, .no_made_up_names = true } };
	struct session *s;
	struct profile p;
	struct image im;
	char path[64];
	int fd;

	(void)state;
	image__fill(&im);
	image__path(im.b.buf, im.b.len, &fd, path);
	assert_int_equal(session__open(&s, path, &sopts, NULL), 0);
	assert_int_equal(profile__collect(&p, s, &popts, NULL), 0);
	close(fd);
	assert_int_equal(p.rows.rows.nr, 3);
	for (size_t i = 0; i < p.rows.rows.nr; i++) {
		const struct row *row = row_table__get(&p.rows, i);
		u64 expected = row->period ? 1ull << 31 : 0;

		assert_int_equal(row->chain[ROW_BLOCK_FLAGS] & ~0xffffull, expected);
	}
	profile__exit(&p);
	session__delete(s);
	image__exit(&im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_branch_counts_for_one),
		cmocka_unit_test(keys_keep_branches_apart),
		cmocka_unit_test(ends_have_source_lines),
		cmocka_unit_test(sym_is_the_target_in_memory),
		cmocka_unit_test(unresolved_branches_can_be_hidden),
		cmocka_unit_test(samples_count_without_the_view),
		cmocka_unit_test(call_stacks_are_chains),
		cmocka_unit_test(blocks_have_one_flag_of_cycles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
