/*
 * merge: so many stacks that some of their hashes are equal where the tables look. All are told apart.
 */
#include "unit.h"

#include "merge_runs.h"

enum { MANY = 1 << 18, WORDS_ROOM = 32 };

static struct stack *v;
static char *words;

/* The stacks of functions that nobody calls, and of one that is called by each of them. */
static int setup(void **state)
{
	(void)state;
	v = xcalloc(2 * (size_t)MANY, sizeof(*v));
	words = xcalloc(2 * (size_t)MANY, WORDS_ROOM);
	for (size_t i = 0; i < 2 * (size_t)MANY; i++) {
		char *w = words + i * WORDS_ROOM;

		snprintf(w, WORDS_ROOM, "%su%zx", i < MANY ? "" : "u10 ", 0x1000000 + 16 * (i % MANY));
		v[i] = (struct stack){ .nr = 1, .period = 1, .words = w };
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(v);
	free(words);
	return 0;
}

/* Expect that the first nr stacks are as many in the merged recording. */
static void expect_apart(const struct run *run, size_t nr)
{
	const struct stack **stacks = xcalloc(nr + 1, sizeof(*stacks));
	struct merge *m = merge__new(&run_opts);
	struct strbuf file = STRBUF_INIT;
	struct merge_totals totals;

	for (size_t i = 0; i < nr; i++)
		stacks[i] = &v[i];
	add_run(m, run, stacks);
	totals = finish_merge(m, &file);
	assert_int_equal(totals.nr_samples, nr);
	assert_int_equal(totals.nr_stacks, nr);
	strbuf__exit(&file);
	free(stacks);
}

static void stacks_are_told_apart(void **state)
{
	(void)state;
	expect_apart(&(struct run){ .pid = 100 }, 2 * MANY);
}

/* Only where the samples were taken is known. */
static void functions_are_told_apart(void **state)
{
	static const struct run_event events[] = { { .name = "a", .config = 4, .has_no_chains = true },
						   { 0 } };

	(void)state;
	expect_apart(&(struct run){ .pid = 100, .events = events }, MANY);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(stacks_are_told_apart),
					    cmocka_unit_test(functions_are_told_apart) };

	return cmocka_run_group_tests(tests, setup, teardown);
}
