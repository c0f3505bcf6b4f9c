/*
 * The order of rows that are equal in what a report shows: entries and places are made by hand, so that one
 * value decides, and all that come after it say the opposite.
 */
#include "unit.h"

#include "profile/places/places_private.h"
#include "profile/hists/columns_private.h"
#include "profile/hists/hists_private.h"

#include <string.h>

enum { ROWS_MAX = 8, SORTS_MAX = 4 };

struct rows {
	struct session session; /* has the binary of the places */
	struct layout layout;
	struct view v;
	struct hist_stat stats[ROWS_MAX][2];
	struct hist_entry entries[ROWS_MAX];
	const struct column *sorts[SORTS_MAX], *shown[SORTS_MAX];
};

static const struct column *column_of(const char *name)
{
	const struct column *c = columns;

	while (strcmp(c->name, name))
		c++;
	return c;
}

/* Start with no rows; the sort keys, of which all are shown. */
static struct hists *rows__init(struct rows *r, const char *const *sorts, size_t nr_sorts)
{
	struct hists *h;

	memset(r, 0, sizeof(*r));
	machine__init(&r->session.machine);
	r->v.opts.layout = &r->layout;
	r->session.symbolizer.opts.no_demangle = true;
	places__init(&r->v.places, &r->session, &(struct places_opts){ 0 });
	h = array__push(&r->v.hists);
	*h = (struct hists){ .nr_members = 1, .sorts = r->sorts, .shown_sorts = r->shown };
	for (size_t i = 0; i < nr_sorts; i++)
		r->sorts[i] = r->shown[i] = column_of(sorts[i]);
	h->nr_sorts = h->nr_shown_sorts = nr_sorts;
	return h;
}

static void rows__exit(struct rows *r)
{
	array__exit(&r->v.hists.v[0].entries);
	array__exit(&r->v.hists);
	places__exit(&r->v.places);
	machine__exit(&r->session.machine);
}

/* Add a row with an overhead of 10. place NULL: it does not matter. */
static struct hist_entry *rows__add(struct rows *r, const struct place *place)
{
	struct hists *h = &r->v.hists.v[0];
	size_t i = h->entries.nr;
	struct hist_entry *e = &r->entries[i];

	assert_true(i < ROWS_MAX);
	*e = (struct hist_entry){ .stats = r->stats[i] };
	e->stats[0].period = 10;
	e->stats[1].period = i + 1; /* of no member, unless there are two */
	e->place = places__intern(&r->v.places, place ? place : &(struct place){ 0 });
	array__add(&h->entries, e);
	return e;
}

static void rows__swap(struct rows *r, size_t i, size_t k)
{
	struct hist_entry **v = r->v.hists.v[0].entries.v, *e = v[i];

	v[i] = v[k];
	v[k] = e;
}

/* Sort two rows from both initial orders: the first one added comes first. */
static void check_pair(struct rows *r)
{
	const struct hists *h = &r->v.hists.v[0];

	assert_int_equal(h->entries.nr, 2);
	for (int k = 0; k < 2; k++) {
		hists__sort(&r->v.hists.v[0], &r->v);
		assert_ptr_equal(h->entries.v[0], &r->entries[0]);
		assert_ptr_equal(h->entries.v[1], &r->entries[1]);
		rows__swap(r, 0, 1);
	}
}

/* What the earliest sample and the place of a row are. */
enum decides { BY_TIME, BY_OFFSET, BY_DSO, BY_IP, BY_SYMBOL, BY_INLINED, BY_LINE, NR_DECIDES };

static void add_row(struct rows *r, const bool *later, const struct symbol *syms)
{
	static const char *const texts[] = { "aa", "bb" };
	struct strpool *pool = &r->v.places.texts;
	struct place place = { .dso = 3 + later[BY_DSO],
			       .ip = 0x1000 + later[BY_IP],
			       .sym = syms ? &syms[later[BY_SYMBOL]] : NULL };
	struct hist_entry *e;

	strpool__intern(pool, "bb"); /* a smaller number than that of "aa" */
	place.inlined = strpool__intern(pool, texts[later[BY_INLINED]]);
	place.line = strpool__intern(pool, texts[later[BY_LINE]]);
	e = rows__add(r, &place);
	e->first_time = 5000 + later[BY_TIME];
	e->first_offset = 700 + later[BY_OFFSET];
}

static void equal_rows_are_in_the_order_of_what_differs_first(void **state)
{
	static const char *const sorts[] = { "overhead" };
	/* in memory the later one is first */
	static const struct symbol syms[] = { { .start = 0x100, .size = 8 }, { .start = 0x200, .size = 8 } };

	(void)state;
	for (int with_symbols = 0; with_symbols < 2; with_symbols++)
		for (int d = 0; d < NR_DECIDES; d++) {
			bool later[2][NR_DECIDES] = { { false } };
			struct rows r;

			if (d == BY_SYMBOL && !with_symbols)
				continue;
			for (int i = d; i < NR_DECIDES; i++)
				later[i == d][i] = true;
			rows__init(&r, sorts, 1);
			add_row(&r, later[0], with_symbols ? syms : NULL);
			add_row(&r, later[1], with_symbols ? syms : NULL);
			check_pair(&r);
			rows__exit(&r);
		}
}

/* Equal in all else, what has no symbol comes first; where one of two has none, symbols do not decide. */
static void symbols_decide_if_both_rows_have_one(void **state)
{
	static const char *const sorts[] = { "overhead" };
	static const struct symbol sym = { .start = 0x100, .size = 8 };

	(void)state;
	for (int decides = 0; decides < 3; decides++)
		for (int first_has = 0; first_has < 2; first_has++) {
			struct place first = { .ip = 0x1000 }, second = first;
			struct strpool *pool;
			struct rows r;
			u32 aa, bb;

			if (!decides && first_has)
				continue;
			rows__init(&r, sorts, 1);
			pool = &r.v.places.texts;
			bb = strpool__intern(pool, "bb");
			aa = strpool__intern(pool, "aa");
			*(first_has ? &first.sym : &second.sym) = &sym;
			if (decides == 1) {
				first.inlined = aa;
				second.inlined = bb;
			} else if (decides == 2) {
				first.line = aa;
				second.line = bb;
			}
			rows__add(&r, &first);
			rows__add(&r, &second);
			check_pair(&r);
			rows__exit(&r);
		}
}

/* More rows than two, of which each is before the next one by another value. */
static void many_equal_rows_are_in_order(void **state)
{
	static const char *const sorts[] = { "overhead" };
	struct rows r;
	const struct hists *h;

	(void)state;
	rows__init(&r, sorts, 1);
	h = &r.v.hists.v[0];
	for (size_t i = 0; i < ROWS_MAX; i++) {
		struct hist_entry *e = rows__add(&r, &(struct place){ .ip = 0x1000 + i % 2 });

		e->first_time = 100 + i / 4;
		e->first_offset = 10 + i / 2 % 2;
	}
	for (size_t i = 0; i < ROWS_MAX; i++)
		rows__swap(&r, i, i * 5 % ROWS_MAX);
	hists__sort(&r.v.hists.v[0], &r.v);
	for (size_t i = 0; i < ROWS_MAX; i++)
		assert_ptr_equal(h->entries.v[i], &r.entries[i]);
	rows__exit(&r);
}

/* Values of sort keys are signed: a thread -1, of samples without one, comes before thread 0. */
static void negative_numbers_come_first(void **state)
{
	static const char *const sorts[] = { "overhead", "tid" };
	struct rows r;

	(void)state;
	rows__init(&r, sorts, 2);
	rows__add(&r, NULL)->tid = UINT32_MAX;
	rows__add(&r, NULL)->tid = 7;
	r.entries[0].first_time = 1; /* the keys decide, not the time */
	rows__add(&r, NULL)->tid = 9;
	r.entries[2].first_time = 2;
	for (int k = 0; k < 3; k++) {
		const struct hists *h = &r.v.hists.v[0];

		hists__sort(&r.v.hists.v[0], &r.v);
		for (size_t i = 0; i < 3; i++)
			assert_ptr_equal(h->entries.v[i], &r.entries[i]);
		rows__swap(&r, 0, 1 + (size_t)k % 2);
	}
	rows__exit(&r);
}

/*
 * The first member in which two rows differ decides, alone or in a group; with --group-sort-idx the wanted
 * member does.
 */
static void members_decide_one_after_the_other(void **state)
{
	static const char *const sorts[] = { "overhead", "tid" };
	static const struct {
		u64 periods[2][2]; /* by row, then by member */
		u32 nr_members, sort_member;
	} rows[] = {
		{ { { 5, 0 }, { 4, 9 } }, 1, 0 }, { { { 5, 0 }, { 5, 9 } }, 1, 0 }, /* the tid decides */
		{ { { 5, 0 }, { 4, 9 } }, 2, 0 }, { { { 5, 9 }, { 5, 8 } }, 2, 0 },
		{ { { 5, 9 }, { 5, 9 } }, 2, 0 }, { { { 4, 9 }, { 5, 8 } }, 2, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool same = !memcmp(rows[i].periods[0], rows[i].periods[1],
				    rows[i].nr_members * sizeof(rows[i].periods[0][0]));
		struct rows r;

		rows__init(&r, sorts, 2)->nr_members = rows[i].nr_members;
		r.v.opts.group_sort_idx = rows[i].sort_member;
		for (u32 k = 0; k < 2; k++) {
			struct hist_entry *e = rows__add(&r, NULL);

			e->stats[0].period = rows[i].periods[k][0];
			e->stats[1].period = rows[i].periods[k][1];
			e->tid = same ? 10 + k : 10 - k;
			e->first_time = 10 - k;
		}
		check_pair(&r);
		rows__exit(&r);
	}
}

/* Add a function of one binary, with the overhead; its name is in the place. */
static void add_function(struct rows *r, const struct symbol *sym, const char *name)
{
	struct hist_entry *e = rows__add(r, &(struct place){ .sym = sym, .dso_name = 1, .mapped = true });

	r->v.places.v.v[e->place].name = xstrdup(name);
}

/*
 * Functions of equal cost are shown by their names. Where names are not shown, the addresses decide; what is
 * after the shown keys does not count.
 */
static void keys_that_are_not_shown_have_their_own_order(void **state)
{
	static const char *const sorts[] = { "overhead", "symbol" };
	static const struct symbol low = { .start = 0x100, .size = 8 }, high = { .start = 0x200, .size = 8 };

	(void)state;
	for (size_t nr_shown = 1; nr_shown <= 2; nr_shown++) {
		struct rows r;

		rows__init(&r, sorts, 2)->nr_shown_sorts = nr_shown;
		add_function(&r, nr_shown == 1 ? &low : &high, nr_shown == 1 ? "zeta" : "alpha");
		add_function(&r, nr_shown == 1 ? &high : &low, nr_shown == 1 ? "alpha" : "zeta");
		r.entries[0].first_time = 1;
		check_pair(&r);
		rows__exit(&r);
	}
}

/*
 * The order of rows with equal keys, which the shown keys do not change, does not depend on the initial
 * order: that of the earliest samples. Elided keys before and between shown ones are left out.
 */
static void elided_keys_are_left_out(void **state)
{
	static const char *const sorts[] = { "symbol", "cpu", "tid" };
	static const struct symbol low = { .start = 0x100, .size = 8 }, high = { .start = 0x200, .size = 8 };
	struct rows r;

	(void)state;
	/* symbol is elided; cpu and tid decide before it */
	rows__init(&r, sorts, 3)->nr_shown_sorts = 2;
	r.shown[0] = column_of("cpu");
	r.shown[1] = column_of("tid");
	add_function(&r, &high, "zeta");
	add_function(&r, &low, "alpha");
	r.entries[0].cpu = 2;
	r.entries[1].cpu = 3;
	r.entries[0].tid = 9;
	r.entries[1].tid = 8;
	check_pair(&r);
	r.entries[1].cpu = 2;
	r.entries[0].tid = 7;
	check_pair(&r);
	rows__exit(&r);
}

/* Sums do not decide where they are not shown: only keys do. */
static void sums_that_are_not_shown_do_not_count(void **state)
{
	static const char *const sorts[] = { "overhead", "cpu", "tid" };
	struct rows r;

	(void)state;
	rows__init(&r, sorts, 3)->nr_shown_sorts = 1;
	r.shown[0] = column_of("cpu");
	for (u32 k = 0; k < 2; k++) {
		struct hist_entry *e = rows__add(&r, NULL);

		e->stats[0].period = 10 + k;
		e->tid = 20 + k;
	}
	check_pair(&r);
	rows__exit(&r);
}

/* Two lines of the cache at one place are two rows if kernel and user code access them: the kernel first. */
static void more_than_the_place_of_data_decides(void **state)
{
	static const char *const sorts[] = { "overhead", "dcacheline" };
	struct rows r;

	(void)state;
	rows__init(&r, sorts, 2);
	for (u32 k = 0; k < 2; k++) {
		struct hist_entry *e = rows__add(&r, &(struct place){ .mapped = true, .ip = 0x1000 });

		e->data = e->place;
		e->level = "k."[k];
		e->first_time = 10 - k;
	}
	assert_int_equal(r.entries[0].data, r.entries[1].data);
	check_pair(&r);
	rows__exit(&r);
}

/* No row and one row stay as they are. */
static void few_rows_are_sorted(void **state)
{
	static const char *const sorts[] = { "overhead", "tid" };
	struct rows r;

	(void)state;
	rows__init(&r, sorts, 2);
	hists__sort(&r.v.hists.v[0], &r.v);
	assert_int_equal(r.v.hists.v[0].entries.nr, 0);
	rows__add(&r, NULL);
	hists__sort(&r.v.hists.v[0], &r.v);
	assert_int_equal(r.v.hists.v[0].entries.nr, 1);
	assert_ptr_equal(r.v.hists.v[0].entries.v[0], &r.entries[0]);
	rows__exit(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_rows_are_in_the_order_of_what_differs_first),
		cmocka_unit_test(symbols_decide_if_both_rows_have_one),
		cmocka_unit_test(many_equal_rows_are_in_order),
		cmocka_unit_test(negative_numbers_come_first),
		cmocka_unit_test(members_decide_one_after_the_other),
		cmocka_unit_test(keys_that_are_not_shown_have_their_own_order),
		cmocka_unit_test(elided_keys_are_left_out),
		cmocka_unit_test(sums_that_are_not_shown_do_not_count),
		cmocka_unit_test(more_than_the_place_of_data_decides),
		cmocka_unit_test(few_rows_are_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
