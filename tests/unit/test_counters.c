/* Opening the counters of a recording: what is found out holds for those that live. */
#include "unit.h"
#include "may_open.h"

#include "event/parse/parse.h"
#include "live/counter.h"
#include "record/options/attr_opts.h"
#include "record/events/counters.h"

#include <sys/wait.h>
#include <unistd.h>

/* A pid that nobody has any more. */
static pid_t gone(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

/*
 * The first thread ends after it was listed: whether there is hardware for cycles is asked of the next one.
 */
static void the_dead_do_not_decide(void **state)
{
	static const char *const events[] = { "cycles:u", "{cycles:u,page-faults:u}:W" };
	const struct attr_opts opts = { .rate.freq = 100 }; /* slow machines lower the highest rate */

	(void)state;
	if (!may_open())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		struct counters_settled settled;
		struct counters c = { 0 };
		struct target t = { 0 };
		struct err err = ERR_INIT;
		bool broke_up;
		struct evlist l;

		evlist__init(&l);
		assert_int_equal(parse_events(&l, events[i], &err), 0);
		array__add(&t.tids, gone());
		array__add(&t.tids, getpid());
		array__add(&t.cpus, 0);
		attr_opts__apply(&opts, &l);
		assert_int_equal(counters__settle(&c, &l, &t, &settled, &err), 0);
		assert_int_equal(counters__settle_groups(&c, &l, &t, &broke_up, &err), 0);
		if (counters__open(&c, &l, &t, 1, &err))
			fail_msg("%s: %s", events[i], err.text.buf);
		assert_int_equal(c.v.v[0].tid, getpid());
		counters__exit(&c);
		evlist__exit(&l);
		array__exit(&t.tids);
		array__exit(&t.cpus);
		err__exit(&err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_dead_do_not_decide) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
