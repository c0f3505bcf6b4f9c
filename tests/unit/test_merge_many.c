/*
 * merge: so many stacks that some of their hashes are equal where the tables look. All are told apart.
 */
#include "unit.h"

#include "merge_runs.h"

enum { MANY = 1 << 17, WORDS_ROOM = 32 };

/* Functions that are called by nobody, and one that is called by each of them. */
static void stacks_are_told_apart(void **state)
{
	static const struct run run = { .pid = 100 };
	const struct stack **stacks = xcalloc(2 * MANY + 1, sizeof(*stacks));
	struct stack *v = xcalloc(2 * (size_t)MANY, sizeof(*v));
	char *words = xcalloc(2 * (size_t)MANY, WORDS_ROOM);
	struct merge *m = merge__new(&run_opts);
	struct strbuf file = STRBUF_INIT;
	struct merge_totals totals;

	(void)state;
	for (size_t i = 0; i < 2 * (size_t)MANY; i++) {
		char *w = words + i * WORDS_ROOM;

		snprintf(w, WORDS_ROOM, "%su%zx", i < MANY ? "" : "u10 ", 0x1000000 + 16 * (i % MANY));
		v[i] = (struct stack){ .nr = 1, .period = 1, .words = w };
		stacks[i] = &v[i];
	}
	add_run(m, &run, stacks);
	totals = finish_merge(m, &file);
	assert_int_equal(totals.nr_samples, 2 * MANY);
	assert_int_equal(totals.nr_stacks, 2 * MANY);
	strbuf__exit(&file);
	free(words);
	free(v);
	free(stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(stacks_are_told_apart) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
