/* Names of what is to be watched, looked up in this very process. */
#include "unit.h"

#include "record/watch/watch_name.h"

#include <linux/hw_breakpoint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
extern volatile struct watched { long before; int here[4]; } watched_variable;
volatile struct watched watched_variable = { .before = 1 };
extern __thread int watched_thread;
__thread int watched_thread = 1;
int watched_function(int n);
__attribute__((noinline)) int watched_function(int n) { __asm__ volatile(""); return n; }
/* clang-format on */

/* The specs own their strings, but these are not freed. */
#define OWN(text) ((char *)(uintptr_t)(text))

static struct target target;
static struct scope scope;
static struct err err = ERR_INIT;

static int setup(void **state)
{
	(void)state;
	array__add(&target.pids, getpid());
	array__add(&target.tids, getpid());
	scope__init(&scope, &target, NULL);
	__asm__ volatile("" : : "r"(&watched_thread), "r"(watched_function(1)) : "memory");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	scope__exit(&scope);
	array__exit(&target.pids);
	array__exit(&target.tids);
	err__exit(&err);
	return 0;
}

static int find(struct watch_name *n, struct watch_spec spec)
{
	return watch_name__find(n, &spec, &scope, WATCH_USER, &err);
}

#define refused(code, says, ...)                                                       \
	do {                                                                           \
		struct watch_name n_;                                                  \
                                                                                       \
		assert_int_equal(find(&n_, (struct watch_spec){ __VA_ARGS__ }), code); \
		if (!strstr(err.text.buf, says))                                       \
			fail_msg("'%s' is not in: %s", says, err.text.buf);            \
		watch_name__exit(&n_);                                                 \
	} while (0)

static void test_variable(void **state)
{
	struct watch_name n;
	u64 start;

	(void)state;
	assert_int_equal(find(&n, (struct watch_spec){ .symbol = OWN("watched_variable") }), 0);
	assert_int_equal(n.size, sizeof(watched_variable));
	assert_false(n.is_code);
	assert_int_equal(n.addr, n.symbol);
	start = n.addr;
	watch_name__exit(&n);

	assert_int_equal(
		find(&n, (struct watch_spec){ .symbol = OWN("watched_variable"), .offset = 8, .length = 4 }),
		0);
	assert_int_equal(n.addr, start + 8);
	assert_int_equal(n.symbol, start);
	assert_int_equal(n.size, 4);
	watch_name__exit(&n);

	assert_int_equal(find(&n, (struct watch_spec){ .symbol = OWN("watched_variable"), .offset = 20 }), 0);
	assert_int_equal(n.size, sizeof(watched_variable) - 20);
	watch_name__exit(&n);
}

static void test_ranges_stay_inside(void **state)
{
	(void)state;
	refused(-ERANGE, "is 24 bytes long", .symbol = OWN("watched_variable"), .offset = 24);
	refused(-ERANGE, "is 24 bytes long", .symbol = OWN("watched_variable"), .offset = UINT64_MAX,
		.length = 2);
	refused(-ERANGE, "is 24 bytes long", .symbol = OWN("watched_variable"), .offset = 1,
		.length = UINT64_MAX);
	refused(-ERANGE, "is outside", .symbol = OWN("watched_function"), .offset = 100000);
}

static void test_functions(void **state)
{
	struct watch_name n;

	(void)state;
	assert_int_equal(find(&n, (struct watch_spec){ .symbol = OWN("watched_function") }), 0);
	assert_true(n.is_code);
	watch_name__exit(&n);
	/* Its bytes, when reading or writing is asked for */
	assert_int_equal(
		find(&n, (struct watch_spec){ .symbol = OWN("watched_function"), .access = HW_BREAKPOINT_W }),
		0);
	assert_false(n.is_code);
	watch_name__exit(&n);
	refused(-EINVAL, "is data, not a function", .symbol = OWN("watched_variable"),
		.access = HW_BREAKPOINT_X);
	refused(-EINVAL, "is code: it has no members", .symbol = OWN("watched_function"),
		.members = OWN("x"));
}

static void test_binaries(void **state)
{
	struct watch_name n;

	(void)state;
	assert_int_equal(find(&n, (struct watch_spec){ .symbol = OWN("watched_variable"),
						       .dso = OWN("test_watch_name") }),
			 0);
	watch_name__exit(&n);
	assert_int_equal(find(&n, (struct watch_spec){ .symbol = OWN("watched_variable"),
						       .dso = OWN("/proc/self/exe") }),
			 0);
	watch_name__exit(&n);
	refused(-ENOENT, "there is no library or command 'nosuchbinary'", .symbol = OWN("watched_variable"),
		.dso = OWN("nosuchbinary"));
	refused(-ENOENT, "cannot open './nosuch'", .symbol = OWN("watched_variable"), .dso = OWN("./nosuch"));
	refused(-ENOENT, "no source file 'nosuch.c'", .symbol = OWN("watched_variable"),
		.dso = OWN("nosuch.c"));
}

static void test_refusals(void **state)
{
	(void)state;
	refused(-ENOENT, "did you mean 'watched_variable'?", .symbol = OWN("watched_varaible"));
	refused(-EINVAL, "is thread-local", .symbol = OWN("watched_thread"));
}

static void test_all_of_the_system_has_no_variables(void **state)
{
	struct target all = { .system_wide = true };
	struct watch_spec spec = { .symbol = OWN("watched_variable") };
	struct watch_name n;
	struct scope s;

	(void)state;
	scope__init(&s, &all, NULL);
	assert_int_equal(watch_name__find(&n, &spec, &s, WATCH_USER, &err), -ENOENT);
	assert_non_null(strstr(err.text.buf, "in their processes only"));
	watch_name__exit(&n);
	scope__exit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variable),  cmocka_unit_test(test_ranges_stay_inside),
		cmocka_unit_test(test_functions), cmocka_unit_test(test_binaries),
		cmocka_unit_test(test_refusals),  cmocka_unit_test(test_all_of_the_system_has_no_variables),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
