/*
 * When the recorder looks for the call frame information of a binary again: one that only a process leads to,
 * as in a container.
 */
#include "unit.h"

#include "record/stacks/live_binaries.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { ANOTHER = 4000001, START = 0x10000, END = 0x11000 }; /* a pid beyond pid_max on most machines */

struct fixture {
	struct live_binaries l;
	u32 binary; /* this program, by a name that no file has */
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct live_binary b = { .asked = 0 };
	struct stat st;

	assert_non_null(f);
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	b.maj = major(st.st_dev);
	b.min = minor(st.st_dev);
	b.ino = st.st_ino;
	live_binaries__init(&f->l);
	f->binary = live_binaries__add(&f->l, "/no such folder/program", &b);
	assert_int_equal(f->binary, 1);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	live_binaries__exit(&f->l);
	free(f);
	return 0;
}

static bool has_cfi(struct fixture *f, u32 pid)
{
	return live_binaries__cfi(&f->l, f->binary, pid, START, END);
}

/* Return whether there is more to find in a round. */
static bool next_round(struct fixture *f)
{
	return live_binaries__begin_round(&f->l);
}

/* Was the file looked for in this round? */
static bool is_tried(const struct fixture *f)
{
	return f->l.v.v[f->binary].tried == f->l.round;
}

/* No process leads to the file: the first one that runs is asked at once. */
static void ended_process(void **state)
{
	struct fixture *f = *state;

	next_round(f);
	assert_false(has_cfi(f, 0));
	assert_false(has_cfi(f, 0));
	assert_false(next_round(f));
	assert_false(has_cfi(f, 0));
	assert_false(is_tried(f));
	assert_true(has_cfi(f, (u32)getpid()));
	assert_true(has_cfi(f, 0));
	/* those that asked before ask again, once */
	assert_true(next_round(f));
	assert_false(next_round(f));
	assert_true(has_cfi(f, 0));
}

/* The file is found at first: nobody has to ask again. */
static void found_at_once(void **state)
{
	struct fixture *f = *state;

	assert_true(has_cfi(f, (u32)getpid()));
	assert_false(next_round(f));
	assert_true(has_cfi(f, 0));
	assert_true(has_cfi(f, ANOTHER));
}

/* A process that runs does not lead to the file: another one is asked in the next round. */
static void running_process(void **state)
{
	struct fixture *f = *state;

	next_round(f);
	assert_false(has_cfi(f, ANOTHER));
	assert_true(is_tried(f));
	assert_false(has_cfi(f, (u32)getpid()));
	assert_true(next_round(f));
	assert_false(has_cfi(f, 0));
	assert_true(has_cfi(f, (u32)getpid()));
	assert_true(next_round(f));
	assert_false(next_round(f));
}

/* As long as no process leads to the file, it is looked for in rounds that get rarer. */
static void rarer_and_rarer(void **state)
{
	struct fixture *f = *state;
	unsigned nr = 0, nr_late = 0;
	u32 pid = ANOTHER;
	bool is_more;

	for (unsigned i = 0; i < 1024; i++) {
		next_round(f);
		assert_false(has_cfi(f, ++pid));
		assert_false(has_cfi(f, ++pid));
		nr += is_tried(f);
		nr_late += i >= 512 && is_tried(f);
	}
	assert_int_equal(nr_late, 512 / 32);
	assert_in_range(nr, 1024 / 32, 1024 / 32 + 6);
	/* one that leads there is asked when the time comes, and not before */
	while (!has_cfi(f, (u32)getpid())) {
		assert_true(nr++ < 1024 / 32 + 6 + 32);
		is_more = next_round(f);
		assert_int_equal(is_more, f->l.round % 32 == 0);
	}
	assert_int_equal(f->l.round % 32, 0);
}

/* A process that asks in few rounds does not have to ask in the very round in which the next try is due. */
static void asks_now_and_then(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 96; i++) {
		next_round(f);
		has_cfi(f, ANOTHER + i);
	}
	while (f->l.round < 129)
		next_round(f);
	assert_true(has_cfi(f, (u32)getpid()));
}

/* A process that asks for itself only, time and again, makes nobody else ask. */
static void same_process(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 100; i++) {
		assert_false(next_round(f));
		assert_false(has_cfi(f, ANOTHER));
	}
	assert_false(has_cfi(f, 0)); /* nor does one that has ended */
	for (unsigned i = 0; i < 100; i++)
		assert_false(next_round(f));
}

/* Dropping other binaries changes nothing. */
static void others_are_dropped(void **state)
{
	struct fixture *f = *state;
	u32 numbers[] = { 0, 1, 0 };

	live_binaries__add(&f->l, "/another", &(struct live_binary){ .ino = 7 });
	for (unsigned i = 0; i < 100; i++) {
		next_round(f);
		has_cfi(f, ANOTHER);
	}
	assert_false(has_cfi(f, (u32)getpid()));
	live_binaries__keep(&f->l, numbers);
	f->binary = numbers[1];
	assert_int_equal(f->l.v.nr, 2);
	assert_int_equal(f->l.round, 100);
	while (f->l.round < 127)
		assert_false(next_round(f));
	assert_false(has_cfi(f, (u32)getpid()));
	assert_true(next_round(f));
	assert_true(has_cfi(f, (u32)getpid()));
	numbers[f->binary] = 1;
	live_binaries__keep(&f->l, numbers);
	assert_true(next_round(f));
	assert_true(has_cfi(f, 0));
}

/* Memory without a file has none, whoever asks. */
static void no_file(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < 3; i++) {
		assert_null(live_binaries__cfi(&f->l, 0, ANOTHER + i, START, END));
		assert_null(live_binaries__cfi(&f->l, 0, (u32)getpid(), START, END));
		assert_false(next_round(f));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ended_process, setup, teardown),
		cmocka_unit_test_setup_teardown(found_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(running_process, setup, teardown),
		cmocka_unit_test_setup_teardown(rarer_and_rarer, setup, teardown),
		cmocka_unit_test_setup_teardown(asks_now_and_then, setup, teardown),
		cmocka_unit_test_setup_teardown(same_process, setup, teardown),
		cmocka_unit_test_setup_teardown(others_are_dropped, setup, teardown),
		cmocka_unit_test_setup_teardown(no_file, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
