/*
 * Recordings of waits: where a wait begins, which waits are idle, the table of times, and who ended waits.
 * The chains are those of the kernel's functions that wait.
 */
#include "unit.h"

#include "fold_image.h"

enum { ON_CPU, WAITING, ELSE, NR_EVENTS }; /* events */

#define K(name) kernel(name)
#define USER PERF_CONTEXT_USER
#define KERNEL PERF_CONTEXT_KERNEL

static u8 roles[] = { TIME_ON_CPU, TIME_WAITING, TIME_OTHER };

static struct time_table times_at(u64 hz)
{
	struct time_table t = { .hz = hz };

	t.roles.v = roles;
	t.roles.nr = t.roles.alloc = NR_EVENTS;
	return t;
}

static void put_wait(struct recording *r, u32 tid, const char *function, u64 ns)
{
	recording__put(
		r, &(struct put){ .event = WAITING,
				  .misc = PERF_RECORD_MISC_KERNEL,
				  .ip = K("schedule"),
				  .tid = tid,
				  .period = ns,
				  .chain = { KERNEL, K("schedule"), K(function), USER, apart, leaf + 2 } });
}

static void put_run(struct recording *r, u32 tid, u64 period)
{
	recording__put(r, &(struct put){ .event = ON_CPU,
					 .ip = by_fp,
					 .tid = tid,
					 .period = period,
					 .chain = { USER, by_fp, leaf + 2 } });
}

static void open_waits(struct fixture *f, struct recording *r, const char *sort, const char *fields,
		       struct view_opts *o)
{
	struct layout_opts l = {
		.sort = sort, .fields = fields, .waits = true, .times = o->waits.one_table, .on_cpu = true
	};
	struct profile_opts p = { .nr_threads = 1, .split = PROFILE_SPLIT_THREAD };

	fixture__open(f, r, &l, &p, o);
}

/* The entry of the function in which a wait of this kind begins. */
static const struct hist_entry *wait_of(const struct fixture *f, enum wait_kind kind, bool is_idle)
{
	for (size_t h = 0; h < f->v.hists.nr; h++)
		for (size_t i = 0; i < f->v.hists.v[h].entries.nr; i++) {
			const struct hist_entry *e = f->v.hists.v[h].entries.v[i];

			if (e->wait == kind && e->is_idle == is_idle)
				return e;
		}
	return NULL;
}

/*
 * A wait begins in the function that called into the kernel. Half a thread's time in one wait for work is
 * idle, less is not; waits that something else must end never are.
 */
static void waits_are_told_apart(void **state)
{
	static const struct {
		const char *function;
		enum wait_kind kind;
		u64 run, wait;
		u32 nr;
		bool is_idle;
	} rows[] = {
		{ "do_poll", WAIT_POLL, 1000, 997, 1, false },
		{ "do_poll", WAIT_POLL, 1000, 1000, 1, true },
		{ "do_poll", WAIT_POLL, 1001, 1000, 1, true },
		{ "do_nanosleep", WAIT_SLEEP, 10, 1000, 2, false },
		{ "do_nanosleep", WAIT_SLEEP, 10, 1000, 3, true },
		{ "do_wait", WAIT_CHILD, 5000, 10, 1, true },
		{ "futex_wait", WAIT_FUTEX, 10, 1000, 5, false },
		{ "vfs_work", WAIT_OTHER, 10, 1000, 5, false },
	};

	(void)state;
	for (size_t i = 0; i < 3 * ARRAY_SIZE(rows); i++) {
		size_t k = i / 3;
		struct time_table t = times_at(0);
		struct view_opts o = { .waits = { .times = &t, .one_table = i % 3, .no_idle = i % 3 == 2 },
				       .graph = i % 2 ? GRAPH_ABSOLUTE : GRAPH_NONE };
		bool dropped = rows[k].is_idle && i % 3 == 2;
		const struct hist_entry *e;
		struct recording r;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_CALLCHAIN, NR_EVENTS);
		put_run(&r, PID, rows[k].run);
		for (u32 n = 0; n < rows[k].nr; n++)
			put_wait(&r, PID, rows[k].function, rows[k].wait);
		put_wait(&r, PID, "do_task_dead", 1 << 20); /* it has ended: no wait */
		recording__put(&r, &(struct put){ .event = ELSE,
						  .ip = OTHER_AT,
						  .period = 77,
						  .chain = { USER, OTHER_AT } });
		open_waits(&f, &r, i % 3 ? "symbol" : "symbol,wait", NULL, &o);
		e = wait_of(&f, rows[k].kind, rows[k].is_idle);
		assert_int_equal(!e, dropped);
		assert_null(wait_of(&f, rows[k].kind, !rows[k].is_idle));
		assert_null(wait_of(&f, WAIT_FOR_EVER, false));
		assert_int_equal(f.v.idle_ns, rows[k].is_idle ? rows[k].wait * rows[k].nr : 0);
		assert_int_equal(f.v.hists.nr, i % 3 ? 2 : 3);
		if (i % 3) {
			const struct hist_stat *s = &f.v.hists.v[0].totals[0];

			assert_true(f.v.hists.v[0].is_of_times);
			assert_int_equal(s->period, rows[k].run + (dropped ? 0 : rows[k].wait * rows[k].nr));
			assert_int_equal(s->waiting, dropped ? 0 : rows[k].wait * rows[k].nr);
			assert_int_equal(f.v.hists.v[0].shown[0].waiting, s->waiting);
			assert_int_equal(f.v.hists.v[1].totals[0].period, 77);
			assert_int_equal(f.v.hists.v[1].totals[0].waiting, 0);
		}
		if (e) {
			assert_string_equal(place_name(&f, e->place),
					    rows[k].kind == WAIT_OTHER ? "vfs_work" : "apart");
			assert_int_equal(e->level, rows[k].kind == WAIT_OTHER ? 'k' : '.');
			assert_int_equal(e->stats[0].nr, rows[k].nr);
			assert_int_equal(e->stats[0].period, rows[k].wait * rows[k].nr);
			assert_int_equal(e->stats[0].waiting, i % 3 ? rows[k].wait * rows[k].nr : 0);
			assert_int_equal(e->stats[0].waiting_children, e->stats[0].waiting);
		}
		for (size_t n = 0; n < f.v.folds.nr; n++)
			assert_int_equal(f.v.folds.v[n].chain != 0, i % 2);
		fixture__close(&f);
	}
}

/* Threads are kept apart to find what is idle, and shown apart only if the keys say so. */
static void waits_of_threads_are_one_row(void **state)
{
	static const char *const sorts[] = { "symbol", "tid,symbol" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct time_table t = times_at(0);
		struct view_opts o = { .waits = { .times = &t, .one_table = true } };
		struct recording r;
		size_t nr_shown = 0;
		struct fixture f;

		recording__begin(&r, PERF_SAMPLE_CALLCHAIN, NR_EVENTS);
		for (u32 n = 0; n < 3; n++)
			recording__comm(&r, PID, PID + n, "one");
		for (u32 n = 0; n < 3; n++) {
			put_run(&r, PID + n, 100);
			put_wait(&r, PID + n, "futex_wait", 50);
			put_wait(&r, PID + n, "do_poll", n ? 10 : 1000); /* idle in the first thread only */
		}
		open_waits(&f, &r, sorts[i], NULL, &o);
		assert_int_equal(f.v.idle_ns, 1000);
		assert_int_equal(wait_of(&f, WAIT_POLL, true)->stats[0].period, 1000);
		assert_int_equal(wait_of(&f, WAIT_POLL, true)->tid, PID);
		assert_int_equal(wait_of(&f, WAIT_POLL, false)->stats[0].period, i ? 10 : 20);
		assert_int_equal(wait_of(&f, WAIT_FUTEX, false)->stats[0].period, i ? 50 : 150);
		assert_int_equal(entry_named(&f, "by_fp")->stats[0].period, i ? 100 : 300);
		for (size_t n = 0; n < f.v.folds.nr; n++) {
			const struct fold *fold = &f.v.folds.v[n];
			const struct fold_kind *kind = fold__kind(&f.v, fold);
			bool is_split = i || places__get(&f.v.places, fold->place)->wait == WAIT_POLL;

			assert_int_equal(kind->tid != 0, is_split);
			assert_int_equal(kind->pid, is_split ? PID : 0);
			nr_shown += fold->nr;
		}
		assert_int_equal(nr_shown, 9);
		assert_int_equal(f.v.folds.nr, i ? 9 : 1 + 1 + 3);
		fixture__close(&f);
	}
}

/* What the totals leave out is not in the idle time, either. */
static void idle_time_is_that_of_the_totals(void **state)
{
	static const struct {
		bool relative, children, no_idle;
		const char *comms, *symbols;
		u64 idle;
	} rows[] = {
		{ false, false, false, "first", NULL, 3000 }, { true, false, false, "first", NULL, 1000 },
		{ true, false, true, "second", NULL, 2000 },  { true, true, false, "third", NULL, 0 },
		{ true, false, false, NULL, "leaf", 0 },      { true, true, false, NULL, "leaf", 3000 },
		{ true, true, false, NULL, "by_fp", 0 },      { true, false, false, NULL, "apart", 3000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct time_table t = times_at(0);
		struct view_opts o = {
			.waits = { .times = &t, .one_table = true, .no_idle = rows[i].no_idle },
			.graph = GRAPH_ABSOLUTE,
			.children = rows[i].children,
			.relative = rows[i].relative,
		};
		struct recording r;
		struct fixture f;

		if (rows[i].comms)
			assert_int_equal(name_list__parse(&o.filter.comms, rows[i].comms, NULL), 0);
		if (rows[i].symbols)
			assert_int_equal(name_list__parse(&o.filter.symbols, rows[i].symbols, NULL), 0);
		recording__begin(&r, PERF_SAMPLE_CALLCHAIN, NR_EVENTS);
		for (u32 n = 0; n < 2; n++)
			recording__put(&r, &(struct put){ .event = WAITING,
							  .misc = PERF_RECORD_MISC_KERNEL,
							  .ip = K("schedule"),
							  .pid = PID + n,
							  .period = 1000 + 1000 * n,
							  .chain = { KERNEL, K("schedule"), K("do_poll"),
								     USER, apart, leaf + 2 } });
		open_waits(&f, &r, "symbol", NULL, &o);
		assert_int_equal(f.v.idle_ns, rows[i].idle);
		if (!rows[i].no_idle && rows[i].relative)
			assert_int_equal(f.v.hists.v[0].shown[0].waiting, rows[i].idle);
		fixture__close(&f);
		sample_filter__exit(&o.filter);
	}
}

/* Time without a place in the code has none in the process, either, whatever is at address 0 there. */
static void time_without_a_place_has_a_name(void **state)
{
	static const char *const names[] = { "[not sampled]", "[not recorded]", "[ready, not running]" };

	(void)state;
	for (u32 at_0 = 0; at_0 < 2; at_0++) {
		struct sample_weights w = { .of = WEIGHTS_CRITICAL_PATH };
		struct time_table t = times_at(0);
		struct view_opts o = { .waits = { .times = &t, .weights = &w }, .graph = GRAPH_ABSOLUTE };
		struct recording r;
		struct fixture f;

		t.ready_event = ELSE + 1;
		recording__begin(&r, 0, NR_EVENTS);
		if (at_0)
			recording__map(&r, PERF_RECORD_MISC_USER, PID, 0, 1ull << 32, 0, "//anon");
		for (u32 event = 0; event < NR_EVENTS; event++)
			recording__put(&r, &(struct put){ .event = event, .period = 100 });
		open_waits(&f, &r, "symbol", NULL, &o);
		assert_int_equal(f.v.hists.nr, NR_EVENTS);
		for (u32 event = 0; event < NR_EVENTS; event++) {
			const struct hist_entry *e = f.v.hists.v[event].entries.v[0];

			assert_string_equal(place__stand_in(places__get(&f.v.places, e->place)),
					    names[event]);
		}
		assert_int_equal(f.v.nr.unmapped + f.v.nr.unresolved, 0);
		fixture__close(&f);
	}
}

/* A sample of thread 0, which runs when a CPU has no work. */
static void put_of_cpu(struct recording *r, u32 event, const char *function, u64 period)
{
	const u64 chain[] = { KERNEL, K(function) };

	image__begin(&r->im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	image__u64(&r->im, 100 + event);
	image__u64(&r->im, K(function));
	image__u64(&r->im, 0);
	image__u64(&r->im, period);
	recording__put_some(&r->im, chain, ARRAY_SIZE(chain));
	image__end(&r->im);
}

/* What runs on a CPU without work is idle; samples at a rate stand for time. */
static void idle_cpus_and_rates(void **state)
{
	(void)state;
	for (u64 hz = 0; hz <= 1000; hz += 1000) {
		struct time_table t = times_at(hz);
		struct view_opts o = { .waits = { .times = &t, .one_table = true }, .graph = GRAPH_ABSOLUTE };
		struct recording r;
		struct fixture f;
		struct put p = { .event = ON_CPU,
				 .misc = PERF_RECORD_MISC_KERNEL,
				 .ip = K("vfs_work"),
				 .chain = { KERNEL, K("vfs_work") },
				 .period = 300 };
		u64 each = hz ? 1000000 : 300;

		recording__begin(&r, PERF_SAMPLE_CALLCHAIN, NR_EVENTS);
		recording__put(&r, &p); /* of PID */
		put_run(&r, PID, 300);
		put_wait(&r, PID, "do_poll", each); /* a third of its time */
		put_wait(&r, PID + 1, "do_poll", 5);
		put_run(&r, PID + 1, 300);
		put_of_cpu(&r, ON_CPU, "vfs_work", 300);
		put_of_cpu(&r, WAITING, "futex_wait", 7); /* it does not run then */
		open_waits(&f, &r, "symbol", NULL, &o);
		assert_int_equal(f.v.idle_ns, each);
		assert_int_equal(wait_of(&f, WAIT_NONE, true)->stats[0].period, each);
		assert_string_equal(place_name(&f, wait_of(&f, WAIT_NONE, true)->place), "vfs_work");
		assert_null(wait_of(&f, WAIT_POLL, true));
		assert_int_equal(wait_of(&f, WAIT_POLL, false)->stats[0].period, each + 5);
		assert_int_equal(entry_named(&f, "by_fp")->stats[0].period, 2 * each);
		assert_int_equal(wait_of(&f, WAIT_FUTEX, false)->stats[0].period, 7);
		assert_int_equal(f.v.hists.v[0].totals[0].period, 5 * each + 5 + 7);
		assert_int_equal(f.v.hists.v[0].totals[0].waiting, each + 5 + 7);
		fixture__close(&f);
	}
}

/* Callers of waits have their time, too: as much as their callees waited. Trees count the waits. */
static void callers_wait_with_their_callees(void **state)
{
	struct time_table t = times_at(0);
	struct view_opts o = { .waits = { .times = &t, .one_table = true },
			       .graph = GRAPH_ABSOLUTE,
			       .children = true };
	struct call_trees trees = CALL_TREES_INIT;
	const struct call_node *tree;
	const struct hist_entry *e;
	struct recording r;
	struct fixture f;

	(void)state;
	recording__begin(&r, PERF_SAMPLE_CALLCHAIN, NR_EVENTS);
	put_run(&r, PID, 100);
	put_run(&r, PID, 100);
	put_wait(&r, PID, "futex_wait", 1000);
	put_wait(&r, PID, "futex_wait", 3000);
	for (int i = 0; i < 2; i++)
		recording__put(
			&r,
			&(struct put){ .event = ELSE, .ip = by_fp, .period = 50, .chain = { USER, by_fp } });
	open_waits(&f, &r, "symbol", NULL, &o);
	e = entry_named(&f, "leaf");
	assert_int_equal(e->stats[0].period, 0);
	assert_int_equal(e->stats[0].waiting, 0);
	assert_int_equal(e->stats[0].period_children, 4200);
	assert_int_equal(e->stats[0].waiting_children, 4000);
	assert_int_equal(e->wait, WAIT_FUTEX); /* of its earliest sample */
	e = entry_named(&f, "apart");
	assert_int_equal(e->stats[0].waiting, 4000);
	assert_int_equal(e->stats[0].waiting_children, 4000);
	tree = view__whole_tree(&f.v, &f.v.hists.v[0], &trees);
	assert_int_equal(tree->nr_children, 2);
	assert_int_equal(tree->children[0]->total, 4000);
	assert_int_equal(tree->children[0]->nr_total, 4000); /* the part of it that is waiting */
	assert_int_equal(tree->children[1]->total, 200);
	assert_int_equal(tree->children[1]->nr_total, 0);
	tree = view__whole_tree(&f.v, &f.v.hists.v[1], &trees);
	assert_int_equal(tree->children[0]->nr_total, 2); /* samples of an event without times */
	call_trees__exit(&trees);
	fixture__close(&f);
}

static u32 add_waker(struct wakers *w, u32 comm, const struct row_key *like, const u64 *chain, u64 nr)
{
	static const struct row_extra none;
	struct row_key key = *like;

	key.comm = comm;
	key.nr_chain = nr;
	return row_table__count(&w->rows, row_key__hash(&key, chain, &none), &key, chain, &none,
				&(struct row_sample){ .nr = 1, .period = 1 });
}

/* A waker is shown by its thread and the functions of user space on its chain, else those of the kernel. */
static void wakers_have_names(void **state)
{
	const u64 user[] = { KERNEL, K("vfs_work"), USER, apart, leaf + 2 },
		  in_kernel[] = { KERNEL, K("vfs_work"), K("schedule") }, unknown[] = { USER, OTHER_AT + 8 },
		  wrong[] = { (u64)-3000, by_fp };
	static const char *const expected[] = {
		"waker: apart < leaf", "waker: vfs_work < schedule", "waker: [unknown]", "waker", "waker",
		":-1: apart < leaf"
	};
	struct time_table t = times_at(0);
	struct wakers w = { .wakings.v = NULL };
	struct view_opts o = { .waits = { .times = &t, .wakers = &w } };
	struct layout_opts l = { .sort = "waker", .waits = true };
	struct profile_opts p = { .nr_threads = 1 };
	struct session_opts sopts = { .symbols = { .no_made_up_names = true, .kallsyms = kallsyms } };
	struct recording r;
	struct fixture f;
	struct row_key key;
	char path[64];
	u32 comm;
	int fd;

	(void)state;
	recording__begin(&r, PERF_SAMPLE_CALLCHAIN, NR_EVENTS);
	recording__comm(&r, PID, PID, "waker");
	put_run(&r, PID, 100);
	image__end_data(&r.im);
	assert_int_equal(layout__parse(&f.layout, &l, NULL), 0);
	image__path(r.im.b.buf, r.im.b.len, &fd, path);
	assert_int_equal(session__open(&f.s, path, &sopts, NULL), 0);
	assert_int_equal(profile__collect(&f.p, f.s, &p, NULL), 0);
	close(fd);
	key = row_table__get(&f.p.rows, 0)->key;
	comm = key.comm;
	row_table__init(&w.rows, true);
	assert_int_equal(add_waker(&w, comm, &key, user, ARRAY_SIZE(user)), 0);
	assert_int_equal(add_waker(&w, comm, &key, in_kernel, ARRAY_SIZE(in_kernel)), 1);
	assert_int_equal(add_waker(&w, comm, &key, unknown, ARRAY_SIZE(unknown)), 2);
	assert_int_equal(add_waker(&w, comm, &key, wrong, ARRAY_SIZE(wrong)), 3);
	assert_int_equal(add_waker(&w, comm, &key, wrong, 0), 4);
	assert_int_equal(add_waker(&w, UINT32_MAX, &key, user, ARRAY_SIZE(user)), 5);
	row_table__end(&w.rows);
	o.layout = &f.layout;
	o.chain.max_stack = 127;
	view__build(&f.v, &f.p, &o);
	assert_int_equal(f.v.waker_texts.nr, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_string_equal(places__text(&f.v.places, f.v.waker_texts.v[i]), expected[i]);
	fixture__close(&f);
	image__exit(&r.im);
	wakers__exit(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_are_told_apart),
		cmocka_unit_test(waits_of_threads_are_one_row),
		cmocka_unit_test(idle_cpus_and_rates),
		cmocka_unit_test(callers_wait_with_their_callees),
		cmocka_unit_test(wakers_have_names),
		cmocka_unit_test(idle_time_is_that_of_the_totals),
		cmocka_unit_test(time_without_a_place_has_a_name),
	};

	return cmocka_run_group_tests(tests, find_symbols, forget_symbols);
}
