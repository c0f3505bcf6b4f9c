/*
 * From rows to folds: what is kept apart, which sample is the first one, the modes of the processor, filters
 * by what samples have, branches, blocks, data, and rows with parts.
 */
#include "unit.h"

#include "fold_image.h"
#include "profile/gather/sample_context.h"

#define OTHER (OTHER_AT + 0x20)

static void periods_are_divided_by_the_mode(void **state)
{
	static const struct {
		u16 misc;
		char level;
		u64 ip, period;
	} rows[] = {
		{ PERF_RECORD_MISC_USER, '.', OTHER, 1 },
		{ PERF_RECORD_MISC_KERNEL, 'k', KERNEL_AT + 0x7010, 2 },
		{ PERF_RECORD_MISC_GUEST_KERNEL, 'g', 0xffffffff90000000, 4 },
		{ PERF_RECORD_MISC_GUEST_USER, 'u', 0x5000, 8 },
		{ PERF_RECORD_MISC_HYPERVISOR, 'H', 0x6000, 16 },
		{ 6, 'H', 0x7000, 32 },
		{ 7, 'H', 0x8000, 64 },
	};
	const struct hist_stat *s;

	(void)state;
	for (int by_address = 0; by_address < 2; by_address++) {
		struct view_opts o = { .ignore_guest = true };
		struct recording r;
		struct fixture f;

		recording__begin(&r, 0, 1);
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
			recording__put(&r, &(struct put){ .misc = rows[i].misc,
							  .ip = rows[i].ip,
							  .period = rows[i].period });
		fixture__sort(&f, &r, by_address ? "symbol" : "comm", &o);
		assert_int_equal(f.v.hists.v[0].totals[0].period, 127);
		assert_int_equal(f.v.hists.v[0].totals[0].nr, 7);
		assert_int_equal(f.v.hists.v[0].shown[0].period, 127 - 4 - 8);
		assert_int_equal(f.v.hists.v[0].shown[0].nr, 5);
		for (size_t i = 0; i < f.v.hists.v[0].entries.nr; i++) {
			const struct hist_entry *e = f.v.hists.v[0].entries.v[i];
			size_t k = 0;

			s = &e->stats[0];
			if (!by_address) {
				assert_int_equal(e->filtered, s->period == 12 ? HIST_FILTER_GUEST : 0);
				assert_int_equal(s->period_sys, s->period == 12 ? 0 : 2);
				assert_int_equal(s->period_user, s->period == 12 ? 0 : 1);
				assert_int_equal(s->period_guest_sys, s->period == 12 ? 4 : 0);
				assert_int_equal(s->period_guest_user, s->period == 12 ? 8 : 0);
				continue;
			}
			while (rows[k].period != s->period)
				assert_true(++k < ARRAY_SIZE(rows));
			assert_int_equal(e->level, rows[k].level);
			assert_int_equal(s->nr, 1);
		}
		assert_int_equal(f.v.hists.v[0].entries.nr, by_address ? 7 : 2);
		fixture__close(&f);
	}
}

/* The sample with the earliest time names the row; of equal times the first one in the file. */
static void the_earliest_sample_is_the_first(void **state)
{
	static const struct {
		u64 times[3];
		u32 first;
	} rows[] = {
		{ { 1000, 2000, 3000 }, 0 }, { { 3000, 2000, 1000 }, 2 }, { { 2000, 1000, 3000 }, 1 },
		{ { 2000, 1000, 1000 }, 1 }, { { 1000, 1000, 1000 }, 0 }, { { 2000, 2000, 1000 }, 2 },
	};

	static const char *const comms[] = { "first", "second", "third" };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		bool one_fold = i % 2;
		struct view_opts o = { .children = false };
		struct layout_opts l = { .sort = "symbol" };
		struct profile_opts p = { .nr_threads = 1 };
		const struct hist_entry *e;
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, 1);
		for (u32 n = 0; n < 3; n++)
			recording__comm(&r, PID, 50 + n, "first");
		for (u32 n = 0; n < 3; n++)
			recording__put(&r, &(struct put){ .ip = one_fold ? by_fp + n : by_fp,
							  .time = rows[i / 2].times[n],
							  .period = 1 + n,
							  .pid = one_fold ? PID : PID + n,
							  .tid = one_fold ? 50 + n : 0,
							  .cpu = n });
		p.split = one_fold ? 0 : PROFILE_SPLIT_THREAD | PROFILE_SPLIT_CPU;
		fixture__open(&f, &r, &l, &p, &o);
		assert_int_equal(f.v.folds.nr, one_fold ? 1 : 3);
		assert_int_equal(f.v.hists.v[0].entries.nr, 1);
		e = f.v.hists.v[0].entries.v[0];
		assert_int_equal(e->stats[0].period, 6);
		assert_int_equal(e->stats[0].nr, 3);
		assert_int_equal(e->first_time, rows[i / 2].times[rows[i / 2].first]);
		assert_int_equal(e->tid, one_fold ? 50 + rows[i / 2].first : PID + rows[i / 2].first);
		assert_int_equal(e->pid, one_fold ? PID : PID + rows[i / 2].first);
		assert_int_equal(e->cpu, one_fold ? 0 : rows[i / 2].first);
		if (!one_fold)
			assert_string_equal(machine__str(&f.s->machine, e->comm), comms[rows[i / 2].first]);
		fixture__close(&f);
	}
}

/* Addresses of one function are one fold, whose first sample is the earliest of its rows. */
static void rows_of_one_function_are_one_fold(void **state)
{
	static const u64 times[][3] = {
		{ 1000, 2000, 3000 }, { 3000, 2000, 1000 }, { 2000, 1000, 3000 }, { 1000, 1000, 1000 }
	};
	static const u32 firsts[] = { 0, 2, 1, 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		struct view_opts o = { .children = false };
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_TIME, 1);
		for (u32 n = 0; n < 3; n++)
			recording__put(
				&r, &(struct put){ .ip = by_fp + n, .time = times[i][n], .period = 1 + n });
		recording__put(&r, &(struct put){ .ip = apart, .time = 500, .period = 8 });
		fixture__sort(&f, &r, "symbol", &o);
		assert_int_equal(f.v.kinds.nr, 1);
		assert_int_equal(f.v.firsts.nr, 1);
		assert_int_equal(f.v.folds.nr, 2);
		for (size_t k = 0; k < 2; k++) {
			const struct fold *fold = &f.v.folds.v[k];

			assert_int_equal(fold->period, fold->nr == 3 ? 6 : 8);
			assert_int_equal(fold->nr == 3 || fold->nr == 1, 1);
			if (fold->nr == 3)
				assert_int_equal(fold->first_time, times[i][firsts[i]]);
			if (fold->nr == 3)
				assert_int_equal(entry_named(&f, "by_fp")->first_offset, fold->first_offset);
		}
		fixture__close(&f);
	}
}

/* A row's earliest sample may be later in the file than its first one, as in rings of several CPUs. */
static void the_earliest_may_be_later_in_the_file(void **state)
{
	static const struct {
		u64 times[3]; /* of the first address, another one, the first one again */
		u32 first;
	} rows[] = { { { 5000, 3000, 1100 }, 2 },
		     { { 5000, 3000, 3000 }, 1 },
		     { { 5000, 3000, 4000 }, 1 },
		     { { 1100, 3000, 3000 }, 0 },
		     { { 3000, 3000, 1100 }, 2 } };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		bool one_fold = i % 2;
		struct view_opts o = { .children = false };
		struct recording r;
		struct fixture f;
		u32 tid = 50 + rows[i / 2].first;

		recording__begin(&r, PERF_SAMPLE_TIME, 1);
		for (u32 n = 0; n < 3; n++)
			recording__comm(&r, PID, 50 + n, n % 2 && !one_fold ? "other" : "first");
		for (u32 n = 0; n < 3; n++)
			recording__put(&r, &(struct put){ .ip = by_fp + n % 2,
							  .time = rows[i / 2].times[n],
							  .pid = PID,
							  .tid = 50 + n,
							  .period = 1 });
		fixture__sort(&f, &r, "symbol", &o);
		assert_int_equal(f.v.folds.nr, one_fold ? 1 : 2);
		assert_int_equal(f.v.hists.v[0].entries.nr, 1);
		assert_int_equal(f.v.hists.v[0].entries.v[0]->tid, tid);
		assert_int_equal(f.v.hists.v[0].entries.v[0]->first_time, rows[i / 2].times[tid - 50]);
		fixture__close(&f);
	}
}

/* Kinds, threads and folds are found again, in whatever order rows come. */
static void what_is_equal_is_kept_once(void **state)
{
	struct view_opts o = { .children = false };
	struct layout_opts l = { .sort = "pid,cpu,symbol" };
	struct profile_opts p = { .nr_threads = 1 };
	struct recording r;
	struct fixture f;

	(void)state;
	recording__begin(&r, PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, 1);
	for (u32 n = 0; n < 4 * 3 * 2 * 3; n++) { /* bytes of a function, functions, threads, CPUs */
		static u64 *const functions[] = { &by_fp, &apart, &leaf };

		recording__put(&r, &(struct put){ .ip = *functions[n / 4 % 3] + n % 4,
						  .time = 1000 + n * 29 % 72,
						  .period = 1,
						  .pid = PID + n / 12 % 2,
						  .cpu = n / 24 });
	}
	fixture__open(&f, &r, &l, &p, &o);
	assert_int_equal(f.v.kinds.nr, 2 * 3);
	assert_int_equal(f.v.firsts.nr, 2);
	assert_int_equal(f.v.folds.nr, 2 * 3 * 3);
	assert_int_equal(f.v.hists.v[0].entries.nr, 2 * 3 * 3);
	for (size_t i = 0; i < f.v.folds.nr; i++) {
		const struct fold *fold = &f.v.folds.v[i];

		assert_int_equal(fold->nr, 4);
		assert_int_equal(f.v.firsts.v[fold->first].tid, fold__kind(&f.v, fold)->tid);
		for (size_t k = 0; k < i; k++)
			assert_false(f.v.folds.v[k].kind == fold->kind &&
				     f.v.folds.v[k].place == fold->place);
	}
	for (size_t i = 0; i < f.v.hists.v[0].entries.nr; i++)
		assert_int_equal(f.v.hists.v[0].entries.v[i]->stats[0].nr, 4);
	fixture__close(&f);
}

static void samples_of_other_sockets_are_left_out(void **state)
{
	(void)state;
	for (int socket = -1; socket < 2; socket++) {
		struct view_opts o = { .socket = socket < 0 ? NULL : &socket };
		struct layout_opts l = { .sort = "comm" };
		struct profile_opts p = { .nr_threads = 1, .split = PROFILE_SPLIT_CPU };
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_CPU, 1);
		for (u32 cpu = 0; cpu < 4; cpu++)
			recording__put(&r, &(struct put){ .ip = OTHER, .cpu = cpu, .period = 1u << cpu });
		r.has_sockets = true;
		fixture__open(&f, &r, &l, &p, &o);
		assert_int_equal(shown_of(&f, 0).period, socket < 0 ? 15 : socket ? 12 : 3);
		assert_int_equal(f.v.hists.v[0].totals[0].period, 15);
		for (size_t i = 0; i < f.v.hists.v[0].entries.nr; i++)
			if (f.v.hists.v[0].entries.v[i]->filtered)
				assert_int_equal(f.v.hists.v[0].entries.v[i]->filtered, HIST_FILTER_SOCKET);
		for (size_t i = 0; i < f.v.folds.nr; i++) {
			u32 cpu = fold__kind(&f.v, &f.v.folds.v[i])->cpu;

			assert_int_equal(view__fold_filters(&f.v, &f.v.folds.v[i]),
					 socket < 0 || (int)cpu / 2 == socket ? 0 : HIST_FILTER_SOCKET);
		}
		fixture__close(&f);
	}
}

/* From times 100, 200 and 300 on, 1, 2 and 3 threads run. */
static void make_context(struct sample_context *c)
{
	for (u32 i = 1; i <= 3; i++)
		array__add(&c->parallelism, ((struct parallelism_step){ .time = 100 * i, .nr = i }));
}

/* Samples divide their periods by how many threads ran, and only those of these numbers are shown. */
static void parallelism_divides_and_filters(void **state)
{
	static const struct {
		int wanted[2];
		u64 shown;
	} rows[] = { { { 0, 0 }, 36 }, { { 1, 0 }, 6 }, { { 2, 0 }, 12 }, { { 1, 3 }, 24 }, { { 4, 0 }, 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct view_opts o = { .children = true };
		struct layout_opts l = {
			.sort = "symbol", .fields = NULL, .latency = true, .parallelism = true
		};
		struct sample_context c = { .parallelism.v = NULL };
		struct profile_opts p = { .nr_threads = 1, .context = &c };
		struct recording r;
		struct fixture f;

		make_context(&c);
		for (int k = 0; k < 2; k++)
			if (rows[i].wanted[k])
				array__add(&o.filter.parallelism, rows[i].wanted[k]);
		recording__begin(&r, PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN, 1);
		for (u32 n = 1; n <= 3; n++)
			recording__put(&r, &(struct put){ .ip = leaf,
							  .time = 100 * n + 50,
							  .period = 6 * n,
							  .chain = { PERF_CONTEXT_USER, leaf, by_fp + 2 } });
		fixture__open(&f, &r, &l, &p, &o);
		assert_int_equal(shown_of(&f, 0).period, rows[i].shown);
		assert_int_equal(f.v.hists.v[0].totals[0].latency, 6 + 6 + 6);
		assert_int_equal(f.v.hists.v[0].shown[0].latency, rows[i].wanted[0] ? rows[i].shown / 6 == 4
											      ? 12
										      : rows[i].shown ? 6
												      : 0
										    : 18);
		if (!rows[i].wanted[0]) {
			assert_int_equal(entry_named(&f, "leaf")->stats[0].latency, 18);
			assert_int_equal(entry_named(&f, "leaf")->stats[0].latency_children, 18);
			assert_int_equal(entry_named(&f, "by_fp")->stats[0].latency, 0);
			assert_int_equal(entry_named(&f, "by_fp")->stats[0].latency_children, 18);
		}
		for (size_t k = 0; k < f.v.hists.v[0].entries.nr; k++)
			if (f.v.hists.v[0].entries.v[k]->filtered)
				assert_int_equal(f.v.hists.v[0].entries.v[k]->filtered, HIST_FILTER_CONTEXT);
		fixture__close(&f);
		sample_filter__exit(&o.filter);
		sample_context__exit(&c);
	}
}

/* -U counts what it leaves out; what has no symbol or no map is counted with and without it. */
static void samples_without_a_symbol_are_counted(void **state)
{
	(void)state;
	for (int hidden = 0; hidden < 2; hidden++) {
		struct view_opts o = { .chain.hide_unresolved = hidden };
		struct recording r;
		struct fixture f;

		recording__begin(&r, 0, 1);
		for (int i = 0; i < 3; i++)
			recording__put(&r, &(struct put){ .ip = by_fp, .period = 10 });
		for (int i = 0; i < 2; i++)
			recording__put(&r, &(struct put){ .ip = OTHER, .period = 100 });
		for (int i = 0; i < 4; i++)
			recording__put(&r, &(struct put){ .ip = 0x900000, .period = 1000 });
		fixture__sort(&f, &r, "symbol", &o);
		assert_int_equal(f.v.nr.unresolved, 2);
		assert_int_equal(f.v.nr.unmapped, 4);
		assert_int_equal(f.v.nr.made_up, 0);
		assert_int_equal(f.p.unwinding.samples, 3 + 2 + 4);
		assert_int_equal(f.v.nr.hidden, hidden ? 6 : 0);
		assert_int_equal(f.v.hists.v[0].totals[0].period, hidden ? 30 : 4230);
		assert_int_equal(f.v.hists.v[0].entries.nr, hidden ? 1 : 3);
		fixture__close(&f);
	}
}

/* Names that are made up count as resolved, and are counted. */
static void samples_with_made_up_names_are_counted(void **state)
{
	char dir[] = "/tmp/perf-unit-fold.XXXXXX", text[512], path[64];
	u64 shown = 0;
	struct symtab t;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/lib.so", dir);
	snprintf(text, sizeof(text),
		 "echo '__attribute__((used)) static int hidden(int x) { return x * 3; } int shown(int x) { "
		 "return hidden(x) - 1; "
		 "}' | "
		 "cc -x c -shared -fPIC -O0 -fasynchronous-unwind-tables -s -o %s - 2>/dev/null",
		 path);
	if (system(text)) {
		rmdir(dir);
		skip();
	}
	symtab__init(&t);
	assert_int_equal(elf_symbols__load(&t, path, NULL, NULL, NULL), 0);
	for (size_t i = 0; i < t.syms.nr; i++)
		if (!strcmp(symtab__name(&t, &t.syms.v[i]), "shown"))
			shown = t.syms.v[i].start;
	symtab__exit(&t);
	for (int made_up = 0; made_up < 2; made_up++) {
		struct view_opts o = { .chain.hide_unresolved = true };
		struct recording r;
		struct fixture f;

		makes_up_names = made_up;
		recording__begin(&r, 0, 1);
		recording__map(&r, PERF_RECORD_MISC_USER, PID, 0x50000000, 0x10000, 0, path);
		for (int i = 0; i < 3; i++)
			recording__put(&r, &(struct put){ .ip = 0x50000000 + shown - 1, .period = 10 });
		recording__put(&r, &(struct put){ .ip = 0x50000000 + shown + 1, .period = 1 });
		fixture__sort(&f, &r, "symbol", &o);
		assert_int_equal(f.v.nr.made_up, made_up ? 3 : 0);
		assert_int_equal(f.v.nr.unresolved, made_up ? 0 : 3);
		assert_int_equal(f.v.nr.hidden, made_up ? 0 : 3);
		assert_int_equal(entry_named(&f, "shown")->stats[0].period, 1);
		fixture__close(&f);
	}
	makes_up_names = false;
	unlink(path);
	rmdir(dir);
}

/* A branch is hidden by -U if either end has no function. */
static void branches_need_both_ends(void **state)
{
	(void)state;
	for (int hidden = 0; hidden < 2; hidden++) {
		struct view_opts o = { .branches = true, .chain.hide_unresolved = hidden };
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_BRANCH_STACK, 1);
		recording__put(&r, &(struct put){ .ip = by_fp,
						  .period = 77,
						  .nr_branches = 4,
						  .branches = { by_fp, apart, 0, OTHER, leaf, 0, leaf, OTHER,
								0, 0x900000, OTHER, 0 } });
		fixture__sort(&f, &r, "symbol_from,symbol_to", &o);
		assert_int_equal(f.v.hists.v[0].totals[0].period, hidden ? 1 : 4);
		assert_int_equal(f.v.nr.hidden, hidden ? 3 : 0);
		assert_int_equal(f.v.nr.unresolved, 2);
		if (hidden) {
			const struct branch *b =
				branches__get(&f.v.branches, f.v.hists.v[0].entries.v[0]->branch);

			assert_string_equal(place_name(&f, b->from.place), "by_fp");
			assert_string_equal(place_name(&f, b->to.place), "apart");
		}
		fixture__close(&f);
	}
}

/* With cycles the row's period is their sum; the branch still counts for one. */
static void cycles_are_no_overhead_of_branches(void **state)
{
	struct view_opts o = { .branches = true };
	struct recording r;
	struct fixture f;
	const u64 cycles = 50ull << BRANCH_CYCLES_SHIFT;

	(void)state;
	recording__begin(&r, PERF_SAMPLE_BRANCH_STACK, 1);
	for (int i = 0; i < 3; i++)
		recording__put(&r,
			       &(struct put){ .ip = by_fp,
					      .period = 1,
					      .nr_branches = 2,
					      .branches = { apart, by_fp, cycles, leaf, apart, cycles } });
	fixture__sort(&f, &r, "symbol_to,ipc_lbr", &o);
	assert_int_equal(f.v.hists.v[0].totals[0].period, 6);
	assert_int_equal(f.v.hists.v[0].entries.nr, 2);
	assert_int_equal(f.v.hists.v[0].entries.v[0]->stats[0].period, 3);
	fixture__close(&f);
}

/* Of blocks, periods are cycles; how often they took how many is kept for those that are shown. */
static void blocks_keep_their_cycles(void **state)
{
	static const char *const comms[] = { NULL, "first", "second" };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(comms); i++) {
		struct view_opts o = { .blocks = true, .block_cycles = i % 2 };
		struct layout_opts l = { .sort = NULL };
		struct profile_opts p = { .nr_threads = 1, .split = PROFILE_SPLIT_CYCLES };
		u64 sum = 0, nr = 0;
		struct recording r;
		struct fixture f;

		if (comms[i / 2])
			assert_int_equal(name_list__parse(&o.filter.comms, comms[i / 2], NULL), 0);
		recording__begin(&r, PERF_SAMPLE_BRANCH_STACK, 1);
		for (u64 cycles = 5; cycles <= 7; cycles++)
			recording__put(&r, &(struct put){ .ip = by_fp,
							  .pid = PID,
							  .period = 1,
							  .nr_branches = 2,
							  .branches = { apart + 3, leaf,
									cycles << BRANCH_CYCLES_SHIFT, leaf,
									apart, 0 } });
		fixture__open(&f, &r, &l, &p, &o);
		assert_int_equal(f.v.hists.v[0].totals[0].period, 18);
		assert_int_equal(f.v.hists.v[0].totals[0].nr, 3);
		assert_int_equal(f.v.hists.v[0].shown[0].period, i / 2 == 2 ? 0 : 18);
		for (size_t b = 0; b < f.v.blocks.nr; b++)
			for (size_t k = 0; k < f.v.blocks.v[b].counts.nr; k++) {
				nr += f.v.blocks.v[b].counts.v[k].nr;
				sum += f.v.blocks.v[b].counts.v[k].nr * f.v.blocks.v[b].counts.v[k].cycles;
			}
		assert_int_equal(nr, i % 2 && i / 2 < 2 ? 3 : 0);
		assert_int_equal(sum, i % 2 && i / 2 < 2 ? 18 : 0);
		assert_string_equal(place_name(&f, f.v.hists.v[0].entries.v[0]->place), "apart");
		fixture__close(&f);
		sample_filter__exit(&o.filter);
	}
}

/* Data is a place, too: that of its address. */
static void data_has_places(void **state)
{
	static const char *const sorts[] = { "symbol_daddr", "dso_daddr", "symbol_daddr,comm" };
	static const size_t nr_entries[] = { 3, 2, 3 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		struct view_opts o = { .children = false };
		u64 period = 0;
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_ADDR, 1);
		for (u32 n = 0; n < 6; n++)
			recording__put(&r, &(struct put){ .ip = n % 2 ? by_fp : OTHER,
							  .addr = n < 3   ? apart
								  : n < 5 ? leaf
									  : OTHER,
							  .period = n < 3   ? 1
								    : n < 5 ? 10
									    : 100 });
		fixture__sort(&f, &r, sorts[i], &o);
		assert_int_equal(f.v.hists.v[0].entries.nr, nr_entries[i]);
		for (size_t k = 0; k < f.v.hists.v[0].entries.nr; k++) {
			const struct hist_entry *e = f.v.hists.v[0].entries.v[k];
			const char *name = place_name(&f, e->data);

			period += e->stats[0].period;
			if (i == 1)
				continue;
			assert_int_equal(e->stats[0].period, !strcmp(name, "apart")  ? 3
							     : !strcmp(name, "leaf") ? 20
										     : 100);
		}
		assert_int_equal(period, 123);
		fixture__close(&f);
	}
}

/*
 * With the time among the keys rows have parts: equal times of one function are one row, however many
 * addresses it has; filters, data and the first samples are as without parts.
 */
static void parts_are_as_rows(void **state)
{
	static const struct {
		const char *sort;
		size_t nr_entries;
	} rows[] = {
		{ "time", 5 }, { "symbol,time", 10 }, { "time,comm,symbol", 20 }, { "symbol_daddr,time", 15 }
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		struct view_opts o = { .children = false };
		struct layout_opts l = { .sort = rows[i / 2].sort };
		struct profile_opts p = { .nr_threads = 1, .parts = i % 2 };
		u64 period = 0, nr = 0;
		struct recording r;
		struct fixture f;

		assert_int_equal(name_list__parse(&o.filter.symbols, "by_fp,apart", NULL), 0);
		recording__begin(&r, PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR, 1);
		for (u32 n = 0; n < 240; n++)
			recording__put(&r, &(struct put){ .ip = (n % 2 ? by_fp : apart) + n / 2 % 4,
							  .pid = PID + n / 8 % 2,
							  .time = 1000 * (1 + n / 48),
							  .addr = n % 3 ? n % 3 == 1 ? apart : OTHER : leaf,
							  .period = 1 + n % 2 });
		recording__put(&r, &(struct put){ .ip = leaf, .time = 1000, .addr = leaf, .period = 1000 });
		fixture__open(&f, &r, &l, &p, &o);
		assert_int_equal(f.v.hists.v[0].totals[0].period, 360 + 1000);
		assert_int_equal(shown_of(&f, 0).period, 360);
		assert_int_equal(f.p.parts.nr, 0);
		for (size_t k = 0; k < f.v.hists.v[0].entries.nr; k++) {
			const struct hist_entry *e = f.v.hists.v[0].entries.v[k];

			if (e->filtered)
				continue;
			nr++;
			assert_int_equal(e->stats[0].nr, 240 / rows[i / 2].nr_entries);
			assert_true(e->tid == PID || e->tid == PID + 1);
			assert_true(e->first_time >= 1000 && e->first_time <= 5000);
			assert_int_equal(e->tid, e->pid);
			period += e->stats[0].period;
			if (i / 2 != 3)
				assert_int_equal(
					extras__field(&f.v.extras, &sample_fields[FIELD_TIME], e->extra),
					e->first_time);
		}
		assert_int_equal(nr, rows[i / 2].nr_entries);
		assert_int_equal(period, 360);
		fixture__close(&f);
		sample_filter__exit(&o.filter);
	}
}

/* Of rows with parts, those that do not count have none. */
static void hidden_parts_do_not_count(void **state)
{
	struct view_opts o = { .chain.hide_unresolved = true };
	struct layout_opts l = { .sort = "symbol,time" };
	struct profile_opts p = { .nr_threads = 1, .parts = true };
	struct recording r;
	struct fixture f;

	(void)state;
	recording__begin(&r, PERF_SAMPLE_TIME, 1);
	for (u32 n = 0; n < 40; n++)
		recording__put(
			&r, &(struct put){ .ip = n % 2 ? by_fp : OTHER, .time = 1000 + n / 10, .period = 3 });
	fixture__open(&f, &r, &l, &p, &o);
	assert_int_equal(f.v.nr.hidden, 20);
	assert_int_equal(f.v.nr.unresolved, 20);
	assert_int_equal(f.v.hists.v[0].totals[0].period, 60);
	assert_int_equal(f.v.hists.v[0].entries.nr, 4);
	fixture__close(&f);
}

/* A live view adds rows to the folds that are there. The last sample added names them. */
static void a_live_view_adds_to_its_folds(void **state)
{
	static const char *const sorts[] = { "symbol", "symbol,time", "pid,symbol" };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(sorts); i++) {
		struct view_opts o = { .is_live = true, .graph = GRAPH_ABSOLUTE };
		struct layout_opts l = { .sort = sorts[i / 2] };
		struct profile_opts p = { .nr_threads = 1, .parts = i % 2 && i / 2 == 1 };
		size_t nr_folds, nr_kinds, nr_firsts, nr_chains;
		struct profile again = { .rows.slots = NULL };
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN, 1);
		for (u32 n = 0; n < 24; n++)
			recording__put(&r, &(struct put){ .ip = (n % 2 ? by_fp : apart) + n / 2 % 2,
							  .pid = PID + n / 4 % 2,
							  .time = 1000 + n / 8,
							  .period = 1,
							  .chain = { PERF_CONTEXT_USER, n % 2 ? by_fp : apart,
								     leaf } });
		fixture__open(&f, &r, &l, &p, &o);
		nr_folds = f.v.folds.nr;
		nr_kinds = f.v.kinds.nr;
		nr_firsts = f.v.firsts.nr;
		nr_chains = f.v.chains.v.nr;
		/* a kind for each thread name, and each time */
		assert_int_equal(nr_kinds, i / 2 == 1 ? 6 : 2);
		assert_int_equal(nr_folds, i / 2 == 1 ? 12 : 4);
		assert_int_equal(f.v.hists.v[0].totals[0].period, 24);
		assert_int_equal(profile__collect(&again, f.s, &p, NULL), 0);
		view__add(&f.v, &again, NULL);
		assert_int_equal(f.v.folds.nr, nr_folds);
		assert_int_equal(f.v.kinds.nr, nr_kinds);
		assert_int_equal(f.v.firsts.nr, nr_firsts);
		assert_int_equal(f.v.chains.v.nr, nr_chains);
		assert_int_equal(f.v.hists.v[0].totals[0].period, 48);
		assert_int_equal(f.v.hists.v[0].totals[0].nr, 48);
		for (size_t k = 0; k < f.v.folds.nr; k++) {
			assert_int_equal(f.v.folds.v[k].nr, 2 * 24 / nr_folds);
			assert_int_equal(fold__kind(&f.v, &f.v.folds.v[k])->thread, 0);
			assert_int_equal(f.v.firsts.v[f.v.folds.v[k].first].thread, UINT32_MAX);
		}
		fixture__close(&f);
		profile__exit(&again);
	}
}

/* The newest sample names a row of a live view: threads end. */
static void a_live_row_is_of_its_last_thread(void **state)
{
	static const int cpus[] = { 0, 1 };

	(void)state;
	for (int last = 0; last < 2; last++) {
		const int_array first_cpu = { .v = (int *)&cpus[!last], .nr = 1 },
				second_cpu = { .v = (int *)&cpus[last], .nr = 1 };
		struct view_opts o = { .is_live = true };
		struct layout_opts l = { .sort = "symbol" };
		struct profile_opts p = { .nr_threads = 1,
					  .split = PROFILE_SPLIT_THREAD,
					  .cpus = &first_cpu };
		struct profile again = { .rows.slots = NULL };
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, 1);
		for (u32 n = 0; n < 2; n++)
			recording__put(&r, &(struct put){ .ip = by_fp,
							  .tid = PID + n,
							  .pid = PID,
							  .cpu = n,
							  .time = 1000 + n,
							  .period = 1 });
		fixture__open(&f, &r, &l, &p, &o);
		assert_int_equal(f.v.hists.v[0].entries.v[0]->tid, PID + !last);
		p.cpus = &second_cpu;
		assert_int_equal(profile__collect(&again, f.s, &p, NULL), 0);
		view__add(&f.v, &again, NULL);
		assert_int_equal(f.v.hists.v[0].totals[0].period, 2);
		assert_int_equal(f.v.hists.v[0].entries.nr, 1);
		assert_int_equal(f.v.hists.v[0].entries.v[0]->stats[0].period, 2);
		fixture__close(&f);
		profile__exit(&again);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(periods_are_divided_by_the_mode),
		cmocka_unit_test(the_earliest_sample_is_the_first),
		cmocka_unit_test(rows_of_one_function_are_one_fold),
		cmocka_unit_test(the_earliest_may_be_later_in_the_file),
		cmocka_unit_test(what_is_equal_is_kept_once),
		cmocka_unit_test(samples_of_other_sockets_are_left_out),
		cmocka_unit_test(parallelism_divides_and_filters),
		cmocka_unit_test(samples_without_a_symbol_are_counted),
		cmocka_unit_test(samples_with_made_up_names_are_counted),
		cmocka_unit_test(branches_need_both_ends),
		cmocka_unit_test(cycles_are_no_overhead_of_branches),
		cmocka_unit_test(blocks_keep_their_cycles),
		cmocka_unit_test(data_has_places),
		cmocka_unit_test(parts_are_as_rows),
		cmocka_unit_test(hidden_parts_do_not_count),
		cmocka_unit_test(a_live_view_adds_to_its_folds),
		cmocka_unit_test(a_live_row_is_of_its_last_thread),
	};

	return cmocka_run_group_tests(tests, find_symbols, forget_symbols);
}
