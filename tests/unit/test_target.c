/* target: the words for what is recorded. */
#include "unit.h"

#include "base/memory/array.h"
#include "record/target/target.h"

static void processors_are_named_in_ranges(void **state)
{
	static const int cpus[] = { 0, 1, 2, 5, 7, 8 };
	struct strbuf text = STRBUF_INIT;
	struct target t = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
		array__add(&t.cpus, cpus[i]);
	array__add(&t.side_band_cpus, 3);
	target__describe(&t, false, &text);
	assert_string_equal(text.buf, "all processes on CPUs 0-2,5,7-8");
	strbuf__exit(&text);
	target__exit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(processors_are_named_in_ranges) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
