/* merge: functions of jitdumps are known by their names, wherever and whenever they were in memory. */
#include "embed_recording.h"

#include "merge/merge.h"

static __attribute__((noinline)) void hot_function(void **state)
{
	*state = NULL;
}

static __attribute__((noinline)) void seldom_function(void **state)
{
	*state = &records;
}

static void functions_of_jitdumps_are_their_names(void **state)
{
	static const char *const names[] = { "z_first", "unused", "a_third", NULL };
	const struct merge_opts opts = { .nr_threads = 1 };
	struct strbuf text = STRBUF_INIT;
	struct merge_totals totals;
	struct merge *m = merge__new(&opts);

	(void)state;
	write_dump(names, 0x100);
	add_map(PID, JIT_START + 0x100000, 0x1000, 0, dump_path, 100);
	add_own_map(PID, 100);
	for (u64 i = 0; i < 3; i++)
		add_sample(PID, JIT_START + 4 + i, JIT_START + 0x208 + i, 1000 + i);
	add_sample(PID, in(hot_function), JIT_START + 0x208, 1010);
	add_sample(PID, in(seldom_function), in(hot_function), 1011);
	for (int i = 0; i < 2; i++) {
		write_recording(path);
		assert_int_equal(merge__add(m, path, NULL), 0);
	}
	assert_int_equal(merge__write(m, other_path, &totals, NULL), 0);
	merge__delete(m);
	assert_int_equal(totals.nr_samples, 2 * 5);
	assert_int_equal(totals.nr_stacks, 3); /* three addresses of a function are one frame */
	show_stored(other_path, &text);
	assert_string_equal(text.buf, "hot_function of 0\n"
				      "seldom_function of 0\n"
				      "a_third of 5000000\n"
				      "z_first of 5000000\n");
	strbuf__exit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(
		functions_of_jitdumps_are_their_names, setup, teardown) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
