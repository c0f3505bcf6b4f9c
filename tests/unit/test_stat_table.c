/* perf stat: means, sums of counters in rows, what is computed from several events, and the three views. */
#include "unit.h"

#include "base/text/strbuf.h"
#include "event/evsel/event_request.h"
#include "event/parse/parse.h"
#include "stat/metrics.h"
#include "stat/stat_print.h"
#include "stat/stat_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MSEC = 1000000, NO_CPU = 500000 /* no machine has it: its files in /sys are missing */ };

/* ---- a table with counts by hand ---- */

static struct {
	struct evlist events;
	struct counting_opts opts;
	struct target target;
	struct counting counting;
	struct stat_rows rows;
	struct stat_table table;
	struct stat_print_opts print;
} f;

static void begin_places(const char *events, enum aggregation by, const int *places, size_t nr)
{
	static const struct parse_opts no_pmus = { .sysfs = "/nonexistent" }; /* of one kind of cores */
	struct err err = ERR_INIT;

	memset(&f, 0, sizeof(f));
	evlist__init(&f.events);
	assert_int_equal(parse_events_with(&f.events, events, &no_pmus, &err), 0);
	err__exit(&err);
	f.target.system_wide = by != AGGREGATE_THREAD;
	for (size_t i = 0; i < nr; i++)
		if (f.target.system_wide)
			array__add(&f.target.cpus, places[i]);
		else
			array__add(&f.target.tids, places[i]);
	counting__init(&f.counting, &f.events, &f.opts, &f.target);
	stat_rows__init(&f.rows, by, 0, &f.counting, NULL);
	stat_table__init(&f.table, &f.counting, &f.rows);
}

static void begin(const char *events)
{
	static const int cpu = 0;

	begin_places(events, AGGREGATE_ALL, &cpu, 1);
}

static void end(void)
{
	stat_table__exit(&f.table);
	stat_rows__exit(&f.rows);
	counting__exit(&f.counting);
	array__exit(&f.target.cpus);
	array__exit(&f.target.tids);
	evlist__exit(&f.events);
}

/* The counter of an event at a place has this reading. */
static void set_part(size_t event, size_t place, u64 value, u64 enabled, u64 running)
{
	struct stat_counter *counter = counting__counter(&f.counting, event, place);

	counter->is_there = true;
	counter->now = (struct count){ value, enabled, running };
}

static void set(size_t event, u64 value)
{
	set_part(event, 0, value, 10 * MSEC, 10 * MSEC);
}

static void run_of(u64 elapsed)
{
	stat_table__add_run(&f.table, &(struct run_times){ .elapsed = elapsed, .user = 3, .system = 0 });
}

static double mean(size_t event, size_t row)
{
	return stat_table__value(&f.table, event, row)->value.mean;
}

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9 * (1 + fabs((double)(b))))

/* ---- numbers ---- */

static void mean_and_error_are_those_of_the_textbook(void **state)
{
	static const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 }; /* mean 5; squares 32 */
	struct run_mean m = { 0 }, zero = { 0 }, negative = { 0 };

	(void)state;
	assert_near(run_mean__error(&m), 0);
	assert_near(run_mean__percent(&m), 0);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		run_mean__add(&m, values[i]);
	assert_near(m.mean, 5);
	assert_near(m.squares, 32);
	assert_near(run_mean__error(&m), sqrt(32.0 / 7 / 8));
	assert_near(run_mean__percent(&m), 20 * sqrt(32.0 / 7 / 8));
	run_mean__add(&zero, 0);
	assert_near(run_mean__error(&zero), 0);
	run_mean__add(&zero, 0);
	assert_near(run_mean__percent(&zero), 0);
	run_mean__add(&negative, -1);
	run_mean__add(&negative, -3);
	assert_near(run_mean__percent(&negative), 50);
}

static void large_numbers_with_small_differences_keep_their_error(void **state)
{
	struct run_mean m = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		run_mean__add(&m, 1e15 + i % 2);
	assert_true(fabs(run_mean__error(&m) - 0.5 / sqrt(999)) < 1e-4);
}

static void counts_of_a_part_of_the_time_are_scaled_to_all_of_it(void **state)
{
	(void)state;
	assert_near(count__scaled(&(struct count){ 100, 10, 10 }), 100);
	assert_near(count__scaled(&(struct count){ 100, 40, 10 }), 400);
	assert_near(count__scaled(&(struct count){ 100, 3, 2 }), 150);
	assert_near(count__scaled(&(struct count){ 0, 10, 0 }), 0); /* it never counted */
	assert_near(count__scaled(&(struct count){ 7, 5, 10 }), 7);
}

static void a_period_counts_from_its_beginning(void **state)
{
	(void)state;
	begin("page-faults");
	set_part(0, 0, 100, 10, 10);
	counting__begin(&f.counting);
	set_part(0, 0, 130, 30, 15); /* 30 in a quarter of 20 */
	run_of(1);
	assert_near(mean(0, 0), 120);
	assert_near(stat_value__percent(stat_table__value(&f.table, 0, 0)), 25);
	end();
}

static void each_run_counts_once_in_the_mean(void **state)
{
	(void)state;
	begin("page-faults,task-clock");
	for (u64 i = 1; i <= 3; i++) {
		set(0, i * 10);
		set(1, 5 * MSEC);
		run_of(i * MSEC);
	}
	assert_near(mean(0, 0), 20);
	assert_near(run_mean__error(&stat_table__value(&f.table, 0, 0)->value), 10 / sqrt(3));
	assert_near(f.table.elapsed.mean, 2 * MSEC);
	assert_int_equal(f.table.each_elapsed.nr, 3);
	assert_int_equal(f.table.each_elapsed.v[2], 3 * MSEC);
	stat_table__reset(&f.table);
	assert_int_equal(f.table.each_elapsed.nr, 0);
	assert_int_equal(f.table.elapsed.nr, 0);
	assert_int_equal(stat_table__value(&f.table, 0, 0)->value.nr, 0);
	end();
}

static void events_without_a_number_have_a_state(void **state)
{
	(void)state;
	begin("page-faults,cycles,faults,duration_time,system_time");
	set(0, 0);
	f.counting.refusals[1] = -ENOENT;
	set_part(2, 0, 0, 10, 0);
	run_of(77);
	assert_int_equal(stat_table__state(&f.table, 0, 0), STAT_COUNTED); /* 0 is a count */
	assert_int_equal(stat_table__state(&f.table, 1, 0), STAT_NOT_SUPPORTED);
	assert_int_equal(stat_table__state(&f.table, 2, 0), STAT_NOT_COUNTED);
	assert_int_equal(stat_table__state(&f.table, 3, 0), STAT_COUNTED);
	assert_int_equal(stat_table__state(&f.table, 4, 0), STAT_COUNTED);
	assert_near(mean(3, 0), 77);
	assert_near(mean(4, 0), 0);
	end();
}

/* ---- rows ---- */

static void places_add_up_in_their_rows(void **state)
{
	static const int cpus[] = { 12, 3 }, same[] = { NO_CPU, NO_CPU + 1 };

	(void)state;
	begin_places("page-faults", AGGREGATE_CPU, cpus, 2);
	assert_int_equal(f.rows.v.nr, 2);
	assert_string_equal(f.rows.v.v[0].name, "CPU3"); /* in the order of CPUs */
	assert_string_equal(f.rows.v.v[1].name, "CPU12");
	set_part(0, 0, 5, 1, 1);
	set_part(0, 1, 70, 2, 1);
	run_of(1);
	assert_near(mean(0, 0), 140);
	assert_near(mean(0, 1), 5);
	end();

	for (enum aggregation by = AGGREGATE_CORE; by <= AGGREGATE_NODE; by++) {
		static const char *const names[] = { [AGGREGATE_CORE] = "S0-D0-C0",
						     [AGGREGATE_CLUSTER] = "S0-D0-CLS0",
						     [AGGREGATE_DIE] = "S0-D0",
						     [AGGREGATE_SOCKET] = "S0",
						     [AGGREGATE_NODE] = "N0" };

		if (by == AGGREGATE_CACHE) /* without /sys, each CPU has its own */
			continue;
		begin_places("page-faults", by, same, 2);
		assert_int_equal(f.rows.v.nr, 1);
		assert_string_equal(f.rows.v.v[0].name, names[by]);
		set_part(0, 0, 5, 1, 1);
		set_part(0, 1, 70, 1, 1);
		run_of(1);
		assert_near(mean(0, 0), 75);
		assert_int_equal(stat_table__value(&f.table, 0, 0)->nr_places, 2);
		end();
	}
}

static void caches_of_a_level_have_a_row_for_each_first_cpu(void **state)
{
	static const int cpus[] = { NO_CPU, NO_CPU + 1 };

	(void)state;
	begin_places("page-faults", AGGREGATE_CACHE, cpus, 2);
	assert_int_equal(f.rows.v.nr, 2);
	assert_string_equal(f.rows.v.v[1].name, "S0-D0-L0-ID500001");
	end();
}

static void threads_have_names(void **state)
{
	const int tids[] = { getpid() };
	char name[64];

	(void)state;
	begin_places("page-faults", AGGREGATE_THREAD, tids, 1);
	assert_int_equal(f.rows.v.nr, 1);
	snprintf(name, sizeof(name), "test_stat_table-%d", getpid());
	assert_string_equal(f.rows.v.v[0].name, name);
	assert_int_equal(f.rows.v.v[0].tid, getpid());
	end();
}

/* ---- what is computed ---- */

static unsigned nr_found;

static struct metric find(size_t event)
{
	struct metric m[METRICS_MAX] = { { .unit = "" } };

	nr_found = metrics__find(&f.table, event, 0, m);
	return m[0];
}

static void expect_metric(size_t event, double value, const char *unit)
{
	struct metric m = find(event);

	assert_int_equal(nr_found, 1);
	assert_string_equal(m.unit, unit);
	assert_near(m.value, value);
}

static void expect_none(size_t event)
{
	find(event);
	assert_int_equal(nr_found, 0);
}

static void clocks_are_cpus_and_make_rates(void **state)
{
	(void)state;
	begin("task-clock,page-faults,cs,cycles,duration_time,dummy");
	set(0, 4 * MSEC);
	set(1, 1000);
	set(2, 3);
	set(3, 12 * MSEC);
	set(5, 8000000000);
	run_of(8 * MSEC);
	expect_metric(0, 0.5, "CPUs utilized");
	expect_metric(1, 250, "K/sec");
	expect_metric(2, 750, "/sec");
	expect_metric(3, 3, "GHz");
	expect_none(4);
	expect_metric(5, 2000, "G/sec"); /* there is no larger unit */
	end();

	begin("page-faults,cpu-clock"); /* the clock may come later */
	set(0, 1000000);
	set(1, 1000 * MSEC);
	run_of(500 * MSEC);
	expect_metric(0, 1, "M/sec");
	expect_metric(1, 2, "CPUs utilized");
	end();

	begin("page-faults");
	set(0, 1000);
	run_of(MSEC);
	expect_none(0);
	end();
}

static void ratios_are_of_two_events(void **state)
{
	static const struct {
		const char *events;
		double ratio; /* of 30 and 40 */
		const char *unit;
	} rows[] = {
		{ "instructions,cycles", 0.75, "insn per cycle" },
		{ "stalled-cycles-frontend,cycles", 75, "frontend cycles idle" },
		{ "stalled-cycles-backend,cycles", 75, "backend cycles idle" },
		{ "branch-misses,branches", 75, "of all branches" },
		{ "cache-misses,cache-references", 75, "of all cache refs" },
		{ "L1-dcache-load-misses,L1-dcache-loads", 75, "of all L1-dcache accesses" },
		{ "L1-icache-load-misses,L1-icache-loads", 75, "of all L1-icache accesses" },
		{ "dTLB-load-misses,dTLB-loads", 75, "of all dTLB cache accesses" },
		{ "iTLB-load-misses,iTLB-loads", 75, "of all iTLB cache accesses" },
		{ "LLC-load-misses,LLC-loads", 75, "of all LL-cache accesses" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin(rows[i].events);
		set(0, 30);
		set(1, 40);
		run_of(MSEC);
		expect_metric(0, rows[i].ratio, rows[i].unit);
		expect_none(1);
		end();
	}
}

static void stalled_cycles_of_an_instruction_are_those_of_the_slower_part(void **state)
{
	struct metric m[METRICS_MAX];

	(void)state;
	begin("instructions,cycles,stalled-cycles-frontend,stalled-cycles-backend");
	set(0, 100);
	set(1, 200);
	set(2, 20);
	set(3, 50);
	run_of(MSEC);
	assert_int_equal(metrics__find(&f.table, 0, 0, m), 2);
	assert_near(m[0].value, 0.5);
	assert_string_equal(m[1].unit, "stalled cycles per insn");
	assert_near(m[1].value, 0.5);
	end();
}

static void parts_of_slots_are_of_all_four(void **state)
{
	static const char *const names[] = { "cpu/topdown-be-bound/", "cpu/topdown-retiring/u",
					     "cpu/topdown-bad-spec/", "cpu/topdown-fe-bound/" };
	static const struct {
		double percent;
		const char *unit;
	} parts[] = { { 40, "backend bound" },
		      { 10, "retiring" },
		      { 20, "bad speculation" },
		      { 30, "frontend bound" } };

	(void)state;
	begin("r1,r2,r3,r4");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		free(f.events.evsels.v[i]->name);
		f.events.evsels.v[i]->name = xstrdup(names[i]);
		set(i, (u64)parts[i].percent * 5);
	}
	run_of(MSEC);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		expect_metric(i, parts[i].percent, parts[i].unit);
	f.counting.refusals[2] = -ENOENT;
	expect_none(0);
	end();
}

static void both_events_of_a_ratio_count_the_same(void **state)
{
	static const int cpus[] = { 0, 1 };
	struct metric m[METRICS_MAX];

	(void)state;
	begin("instructions:u,cycles");
	set(0, 30);
	set(1, 40);
	run_of(MSEC);
	expect_none(0);
	end();

	begin("instructions:u,cycles,cycles:u"); /* the one at the same level, not the first */
	set(0, 30);
	set(1, 40);
	set(2, 60);
	run_of(MSEC);
	expect_metric(0, 0.5, "insn per cycle");
	end();

	begin("instructions,cycles,instructions,cycles");
	f.events.evsels.v[0]->request->cgroup = strdup("a");
	f.events.evsels.v[1]->request->cgroup = strdup("b");
	f.events.evsels.v[3]->request->cgroup = strdup("a");
	for (size_t i = 0; i < 4; i++)
		set(i, 10 + i);
	run_of(MSEC);
	expect_metric(0, 10.0 / 13, "insn per cycle");
	expect_none(2); /* of all groups */
	end();

	begin_places("instructions,cycles", AGGREGATE_CPU, cpus, 2);
	set_part(0, 0, 10, 1, 1);
	set_part(1, 0, 10, 1, 1);
	set_part(0, 1, 10, 1, 1);
	set_part(1, 1, 40, 1, 1);
	run_of(MSEC);
	assert_int_equal(metrics__find(&f.table, 0, 0, m), 1);
	assert_near(m[0].value, 1);
	assert_int_equal(metrics__find(&f.table, 0, 1, m), 1);
	assert_near(m[0].value, 0.25);
	end();
}

static void each_level_of_privilege_must_be_the_same(void **state)
{
	(void)state;
	for (int level = 0; level < 5; level++) {
		struct perf_event_attr *a;

		begin("instructions,cycles");
		set(0, 30);
		set(1, 40);
		run_of(MSEC);
		expect_metric(0, 0.75, "insn per cycle");
		a = &f.events.evsels.v[0]->attr;
		a->exclude_user ^= level == 0;
		a->exclude_kernel ^= level == 1;
		a->exclude_hv ^= level == 2;
		a->exclude_idle ^= level == 3;
		a->exclude_host ^= level == 4;
		expect_none(0);
		end();
	}
}

static void nothing_is_computed_from_numbers_that_are_missing(void **state)
{
	(void)state;
	begin("instructions,cycles,task-clock");
	set(0, 30);
	f.counting.refusals[1] = -ENOENT;
	set_part(2, 0, 0, 5, 0);
	run_of(MSEC);
	expect_none(0);
	expect_none(1);
	expect_none(2);
	end();

	begin("instructions,cycles");
	set(0, 30);
	set(1, 0);
	run_of(MSEC);
	expect_none(0); /* nothing is divided by 0 */
	end();
}

/* ---- views ---- */

static void expect_view(enum stat_form form, const char *expected)
{
	struct strbuf out = STRBUF_INIT;

	f.print.form = form;
	f.print.separator = ",";
	stat_print__add_table(&out, &f.print, &f.table, f.print.is_interval ? 1234567890 : 0);
	assert_string_equal(out.buf, expected);
	strbuf__exit(&out);
}

static void expect_views(const char *text, const char *csv, const char *json)
{
	expect_view(STAT_TEXT, text);
	expect_view(STAT_CSV, csv);
	expect_view(STAT_JSON, json);
}

static void lines_have_value_unit_name_and_what_is_computed(void **state)
{
	(void)state;
	begin("task-clock,page-faults,cycles,faults");
	set(0, 4500000);
	set(1, 9);
	f.counting.refusals[2] = -ENOENT;
	set_part(3, 0, 0, 100, 0);
	run_of(9000000);
	expect_views(
		"              4.50 msec task-clock                       #    0.500 CPUs utilized           "
		"  \n"
		"                 9      page-faults                      #    2.000 K/sec                   "
		"  \n"
		"   <not supported>      cycles                                                              "
		"  \n"
		"     <not counted>      faults                                                              "
		"  \n",
		"4.50,msec,task-clock,10000000,100.00,0.500,CPUs utilized\n"
		"9,,page-faults,10000000,100.00,2.000,K/sec\n"
		"<not supported>,,cycles,0,100.00,,\n"
		"<not counted>,,faults,0,0.00,,\n",
		"{\"counter-value\" : \"4.500000\", \"unit\" : \"msec\", \"event\" : \"task-clock\", "
		"\"event-runtime\" : 10000000, \"pcnt-running\" : 100.00, \"metric-value\" : \"0.500000\", "
		"\"metric-unit\" : \"CPUs utilized\"}\n"
		"{\"counter-value\" : \"9.000000\", \"unit\" : \"\", \"event\" : \"page-faults\", "
		"\"event-runtime\" : 10000000, \"pcnt-running\" : 100.00, \"metric-value\" : \"2.000000\", "
		"\"metric-unit\" : \"K/sec\"}\n"
		"{\"counter-value\" : \"<not supported>\", \"unit\" : \"\", \"event\" : \"cycles\", "
		"\"event-runtime\" : 0, \"pcnt-running\" : 100.00, \"metric-value\" : \"0.000000\", "
		"\"metric-unit\" : \"\"}\n"
		"{\"counter-value\" : \"<not counted>\", \"unit\" : \"\", \"event\" : \"faults\", "
		"\"event-runtime\" : 0, \"pcnt-running\" : 0.00, \"metric-value\" : \"0.000000\", "
		"\"metric-unit\" : \"\"}\n");
	end();
}

static void events_that_took_turns_show_their_part_of_the_time(void **state)
{
	(void)state;
	begin("page-faults");
	set_part(0, 0, 21, 1000, 500);
	run_of(1);
	expect_views("                42      page-faults                                                    "
		     "         (50.00%)\n",
		     "42,,page-faults,500,50.00,,\n",
		     "{\"counter-value\" : \"42.000000\", \"unit\" : \"\", \"event\" : \"page-faults\", "
		     "\"event-runtime\" : 500, \"pcnt-running\" : 50.00, \"metric-value\" : \"0.000000\", "
		     "\"metric-unit\" : \"\"}\n");
	end();
}

static void repeated_runs_show_how_far_they_differ(void **state)
{
	(void)state;
	begin("page-faults");
	f.print.is_repeated = true;
	set(0, 90);
	run_of(1);
	set(0, 110);
	run_of(1);
	expect_views("               100      page-faults                                                    "
		     "         ( +- 10.00% )\n",
		     "100,,page-faults,10.00%,10000000,100.00,,\n",
		     "{\"counter-value\" : \"100.000000\", \"unit\" : \"\", \"event\" : \"page-faults\", "
		     "\"variance\" : 10.00, \"event-runtime\" : 10000000, \"pcnt-running\" : 100.00, "
		     "\"metric-value\" : \"0.000000\", \"metric-unit\" : \"\"}\n");
	end();
}

static void rows_begin_with_their_name(void **state)
{
	static const int cpus[] = { 0, 1 }, same[] = { NO_CPU, NO_CPU + 1 };

	(void)state;
	begin_places("page-faults,cs", AGGREGATE_CPU, cpus, 2);
	for (size_t i = 0; i < 2; i++)
		for (size_t p = 0; p < 2; p++)
			set_part(i, p, i * 10 + p, 1, 1);
	run_of(1);
	expect_view(STAT_CSV, "CPU0,0,,page-faults,1,100.00,,\nCPU1,1,,page-faults,1,100.00,,\n"
			      "CPU0,10,,cs,1,100.00,,\nCPU1,11,,cs,1,100.00,,\n");
	f.print.is_interval = true;
	expect_view(STAT_TEXT, "     1.234567890 CPU0                    0      page-faults                  "
			       "                                         \n"
			       "     1.234567890 CPU1                    1      page-faults                  "
			       "                                         \n"
			       "     1.234567890 CPU0                   10      cs                           "
			       "                                         \n"
			       "     1.234567890 CPU1                   11      cs                           "
			       "                                         \n");
	end();

	begin_places("page-faults", AGGREGATE_SOCKET, same, 2);
	set_part(0, 0, 5, 1, 1);
	set_part(0, 1, 6, 1, 1);
	run_of(1);
	f.print.names_summary = true;
	expect_views("S0        2                 11      page-faults                                        "
		     "                   \n",
		     "summary,S0,2,11,,page-faults,2,100.00,,\n",
		     "{\"socket\" : \"S0\", \"aggregate-number\" : 2, \"counter-value\" : \"11.000000\", "
		     "\"unit\" : "
		     "\"\", \"event\" : \"page-faults\", \"event-runtime\" : 2, \"pcnt-running\" : 100.00, "
		     "\"metric-value\" : \"0.000000\", \"metric-unit\" : \"\"}\n");
	f.print.is_interval = true;
	expect_view(STAT_CSV, "1.234567890,S0,2,11,,page-faults,2,100.00,,\n");
	end();
}

static void a_second_metric_has_a_line_with_empty_fields(void **state)
{
	(void)state;
	begin("instructions,cycles,stalled-cycles-backend");
	set(0, 100);
	set(1, 200);
	set(2, 50);
	run_of(1);
	expect_view(STAT_CSV, "100,,instructions,10000000,100.00,0.50,insn per cycle\n"
			      ",,,,,0.50,stalled cycles per insn\n"
			      "200,,cycles,10000000,100.00,,\n"
			      "50,,stalled-cycles-backend,10000000,100.00,25.00,backend cycles idle\n");
	f.print.metric_only = true;
	expect_view(STAT_CSV,
		    "insn per cycle,stalled cycles per insn,backend cycles idle,\n0.50,0.50,25.00,\n");
	end();
}

/* The number of fields is that of the heading, whatever a name has. */
static void names_with_control_characters_cannot_reach_a_terminal(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	begin("page-faults");
	free(f.events.evsels.v[0]->name);
	f.events.evsels.v[0]->name = strdup("a\033[31m\n\"b");
	set(0, 1);
	run_of(1);
	f.print.separator = ",";
	for (enum stat_form form = STAT_TEXT; form <= STAT_JSON; form++) {
		f.print.form = form;
		strbuf__setlen(&out, 0);
		stat_print__add_table(&out, &f.print, &f.table, 0);
		assert_null(strchr(out.buf, '\033'));
		assert_ptr_equal(strchr(out.buf, '\n'), out.buf + out.len - 1); /* one line */
		if (form == STAT_JSON)
			assert_non_null(strstr(out.buf, "\"a\\u001b[31m\\u000a\\\"b\""));
	}
	strbuf__exit(&out);
	end();
}

static void without_a_ratio_metric_only_has_an_empty_line(void **state)
{
	(void)state;
	begin("page-faults");
	set(0, 1);
	run_of(1);
	f.print.metric_only = true;
	expect_view(STAT_TEXT, "\n\n");
	expect_view(STAT_JSON, "{\"metric-value\" : \"none\"}\n");
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mean_and_error_are_those_of_the_textbook),
		cmocka_unit_test(large_numbers_with_small_differences_keep_their_error),
		cmocka_unit_test(counts_of_a_part_of_the_time_are_scaled_to_all_of_it),
		cmocka_unit_test(a_period_counts_from_its_beginning),
		cmocka_unit_test(each_run_counts_once_in_the_mean),
		cmocka_unit_test(events_without_a_number_have_a_state),
		cmocka_unit_test(places_add_up_in_their_rows),
		cmocka_unit_test(caches_of_a_level_have_a_row_for_each_first_cpu),
		cmocka_unit_test(threads_have_names),
		cmocka_unit_test(clocks_are_cpus_and_make_rates),
		cmocka_unit_test(ratios_are_of_two_events),
		cmocka_unit_test(stalled_cycles_of_an_instruction_are_those_of_the_slower_part),
		cmocka_unit_test(parts_of_slots_are_of_all_four),
		cmocka_unit_test(both_events_of_a_ratio_count_the_same),
		cmocka_unit_test(each_level_of_privilege_must_be_the_same),
		cmocka_unit_test(nothing_is_computed_from_numbers_that_are_missing),
		cmocka_unit_test(lines_have_value_unit_name_and_what_is_computed),
		cmocka_unit_test(events_that_took_turns_show_their_part_of_the_time),
		cmocka_unit_test(repeated_runs_show_how_far_they_differ),
		cmocka_unit_test(rows_begin_with_their_name),
		cmocka_unit_test(a_second_metric_has_a_line_with_empty_fields),
		cmocka_unit_test(names_with_control_characters_cannot_reach_a_terminal),
		cmocka_unit_test(without_a_ratio_metric_only_has_an_empty_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
