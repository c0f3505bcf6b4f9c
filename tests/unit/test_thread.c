/* thread__start: where threads begin, and where they may go. */
#include "unit.h"

#include "base/system/thread.h"

#include <sched.h>

struct seen {
	int cpu;
	cpu_set_t cpus;
};

static void *look(void *arg)
{
	struct seen *s = arg;

	s->cpu = sched_getcpu();
	CPU_ZERO(&s->cpus);
	return sched_getaffinity(0, sizeof(s->cpus), &s->cpus) ? NULL : s;
}

static void start_and_look(struct seen *s)
{
	pthread_t thread;
	void *value;

	assert_int_equal(thread__start(&thread, look, s), 0);
	assert_int_equal(pthread_join(thread, &value), 0);
	assert_ptr_equal(value, s);
}

static void threads_may_go_where_the_caller_may(void **state)
{
	cpu_set_t mine;
	struct seen s;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(mine), &mine), 0);
	start_and_look(&s);
	assert_true(CPU_EQUAL(&s.cpus, &mine));
	assert_int_equal(sched_getaffinity(0, sizeof(s.cpus), &s.cpus), 0); /* the caller's is as before */
	assert_true(CPU_EQUAL(&s.cpus, &mine));
}

static void one_cpu_is_enough(void **state)
{
	cpu_set_t before, one;
	struct seen s;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	start_and_look(&s);
	assert_true(CPU_EQUAL(&s.cpus, &one) && CPU_ISSET(s.cpu, &one));
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_may_go_where_the_caller_may),
		cmocka_unit_test(one_cpu_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
