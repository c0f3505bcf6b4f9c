/* What is said of call chains that stopped too early. */
#include "unit.h"

#include "unwind/unwind_stats.h"

#include <string.h>

/* Return what is said when the binaries were counted in this order. */
static void details(const char *const *names, size_t nr, struct strbuf *out)
{
	struct unwind_stats s = { .nr = 10 };

	for (size_t i = 0; i < nr; i++)
		unwind_stats__add_culprit(&s, UNWIND_CORRUPT, names[i], 2);
	unwind_stats__add_culprit(&s, UNWIND_CORRUPT, "most", 3);
	unwind_stats__details(&s, out);
	unwind_stats__exit(&s);
}

static void binaries_are_in_one_order_whoever_counted_them_first(void **state)
{
	static const char *const one[] = { "b", "a", "c" }, *const other[] = { "c", "b", "a" };
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;

	(void)state;
	details(one, ARRAY_SIZE(one), &x);
	details(other, ARRAY_SIZE(other), &y);
	assert_string_equal(x.buf, y.buf);
	assert_true(strstr(x.buf, "in most\n") < strstr(x.buf, "in a\n"));
	assert_true(strstr(x.buf, "in a\n") < strstr(x.buf, "in b\n"));
	strbuf__exit(&x);
	strbuf__exit(&y);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(
		binaries_are_in_one_order_whoever_counted_them_first) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
