/* Which rows of a view are shown: limits, the most and the least number of rows, and what is left out. */
#include "unit.h"

#include "ui/stdio/report_ui.h"

enum { NR = 40 };

static struct hist_stat stats[NR], total;
static struct hist_entry entries[NR], *order[NR];
static size_t nr_shown;
static struct report_ui_rest rest;

static void on_begin(struct report_ui *ui, struct view *v)
{
	(void)ui;
	(void)v;
}

static void on_event(struct report_ui *ui, struct view *v, const struct hists *h)
{
	(void)v;
	(void)h;
	rest = ui->rest;
}

static void on_entry(struct report_ui *ui, struct view *v, const struct hists *h, const struct hist_entry *e)
{
	assert_true(report_ui__shows(ui, v, h, nr_shown));
	assert_ptr_equal(e, order[nr_shown]);
	nr_shown++;
}

/* Show rows with these periods, of 1000 in all; those from nr on have period 1. */
static void show(const u64 *periods, size_t nr, double limit, size_t max_rows)
{
	struct report_ui ui = { .begin = on_begin,
				.event_begin = on_event,
				.entry = on_entry,
				.event_end = on_event,
				.end = on_begin,
				.percent_limit = limit,
				.max_rows = max_rows };
	struct hists h = { .nr_members = 1, .totals = &total, .entries = { order, NR, NR } };
	struct view v = { .hists = { &h, 1, 1 } };

	total = (struct hist_stat){ .period = 1000, .nr = 1000 };
	for (size_t i = 0; i < NR; i++) {
		stats[i] = (struct hist_stat){ .period = i < nr ? periods[i] : 1, .nr = 1 };
		entries[i] = (struct hist_entry){ .stats = &stats[i] };
		order[i] = &entries[i];
	}
	nr_shown = 0;
	report_ui__show(&ui, &v);
	assert_int_equal(nr_shown, rest.nr_shown);
	assert_int_equal(nr_shown + rest.nr, NR);
}

static const u64 periods[] = { 500, 200, 100, 50, 5, 4 };

static void without_a_limit_all_rows_are_shown(void **state)
{
	(void)state;
	show(periods, ARRAY_SIZE(periods), -1, 0);
	assert_int_equal(nr_shown, NR);
	show(periods, ARRAY_SIZE(periods), 0, 0);
	assert_int_equal(nr_shown, NR);
}

static void rows_below_the_limit_are_counted(void **state)
{
	(void)state;
	show(periods, ARRAY_SIZE(periods), 0.5, 0);
	assert_int_equal(nr_shown, 5);
	assert_float_equal(rest.percent, 3.8, 1e-9);
	assert_float_equal(rest.largest, 0.4, 1e-9);
	show(periods, ARRAY_SIZE(periods), 60, 0);
	assert_int_equal(nr_shown, 0);
}

static void a_screen_has_no_more_rows(void **state)
{
	(void)state;
	show(periods, ARRAY_SIZE(periods), 0.5, 3);
	assert_int_equal(nr_shown, 3);
	assert_float_equal(rest.largest, 5, 1e-9);
	assert_float_equal(rest.percent, 9.3, 1e-9);
	show(periods, ARRAY_SIZE(periods), 0.5, 5);
	assert_int_equal(nr_shown, 5);
}

/* Equal rows below the limit: some are shown all the same, but only with a default limit. */
static void a_flat_profile_is_not_empty(void **state)
{
	(void)state;
	show(NULL, 0, 0.5, 30);
	assert_int_equal(nr_shown, 10);
	assert_float_equal(rest.percent, 3, 1e-9);
	assert_float_equal(rest.largest, 0.1, 1e-9);
	show(NULL, 0, 0.5, 0);
	assert_int_equal(nr_shown, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_limit_all_rows_are_shown),
		cmocka_unit_test(rows_below_the_limit_are_counted),
		cmocka_unit_test(a_screen_has_no_more_rows),
		cmocka_unit_test(a_flat_profile_is_not_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
