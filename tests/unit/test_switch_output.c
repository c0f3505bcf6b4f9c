/* --switch-output: its argument, the names of its files; the processes that a next file describes. */
#include "unit.h"

#include "record/flow/switch_output.h"
#include "record/target/tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void reasons_are_understood(void **state)
{
	struct switch_output s = { 0 };

	(void)state;
	assert_int_equal(switch_output__parse(&s, "signal", NULL), 0);
	assert_true(s.is_on && !s.size && !s.ms);
	assert_int_equal(switch_output__parse(&s, "10M", NULL), 0);
	assert_true(s.is_on && s.size == 10 << 20 && !s.ms);
	assert_int_equal(switch_output__parse(&s, "5m", NULL), 0);
	assert_true(s.is_on && !s.size && s.ms == 300000);
	assert_int_equal(switch_output__parse(&s, "1d", NULL), 0);
	assert_true(s.ms == 86400000);
	assert_int_equal(switch_output__parse(&s, "1B", NULL), 0);
	assert_true(s.size == 1);
}

static void other_texts_are_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"signals",
		"SIGNAL",
		"10",
		"0",
		"0s",
		"0M",
		"-1s",
		"+1s",
		" 1s",
		"1 s",
		"1ss",
		"1S",
		"1D",
		"1k",
		"s",
		"M",
		"99999999999999999999s",
		"9999999999999999G",
		"1.5s",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct err err = ERR_INIT;
		struct switch_output s = { 0 };

		assert_int_equal(switch_output__parse(&s, wrong[i], &err), -EINVAL);
		assert_false(s.is_on);
		err__exit(&err);
	}
}

static void make_file(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0600);

	assert_true(fd >= 0);
	close(fd);
}

/* More in a hundredth of a second than there are names for it: each gets one of its own, in their order. */
static void files_have_names_of_their_own(void **state)
{
	struct left_files f = { .max = 3 };
	char last[3][64] = { "" };

	(void)state;
	for (int i = 0; i < 20; i++) {
		make_file("row.data");
		assert_int_equal(left_files__add(&f, "row.data", NULL), 0);
		assert_true(strcmp(left_files__last(&f), last[2]) > 0);
		assert_int_equal(strlen(left_files__last(&f)), strlen("row.data.") + 16);
		assert_int_equal(access(left_files__last(&f), F_OK), 0);
		assert_int_equal(access("row.data", F_OK), -1);
		if (i >= 3)
			assert_int_equal(access(last[0], F_OK), -1); /* the oldest of four */
		memmove(last[0], last[1], sizeof(last[0]));
		memmove(last[1], last[2], sizeof(last[0]));
		snprintf(last[2], sizeof(last[2]), "%s", left_files__last(&f));
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(unlink(last[i]), 0);
	left_files__exit(&f);
}

static void a_file_that_is_gone_is_an_error(void **state)
{
	struct left_files f = { 0 };
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(left_files__add(&f, "no/such/file", &err), -ENOENT);
	assert_null(left_files__last(&f));
	left_files__exit(&f);
	err__exit(&err);
}

static void see_fork(struct tasks *t, u32 pid, u32 ppid, u16 size)
{
	struct {
		struct perf_event_header h;
		u32 pid, ppid, tid, ptid;
		u64 time;
	} fork = { { .type = PERF_RECORD_FORK, .size = size }, pid, ppid, pid, ppid, 0 };

	tasks__see(t, &fork.h);
}

static void processes_are_known_while_they_run(void **state)
{
	struct tasks t = { 0 };
	const int_array *alive;
	pid_t gone = fork();

	(void)state;
	if (!gone)
		_exit(0);
	assert_true(gone > 0);
	waitpid(gone, NULL, 0);
	see_fork(&t, (u32)getpid(), 1, 32);
	see_fork(&t, (u32)getpid(), 1, 32);
	see_fork(&t, (u32)gone, 1, 32);
	see_fork(&t, (u32)getppid(), (u32)getppid(), 32); /* a thread */
	see_fork(&t, (u32)getppid(), 1, 16);              /* cut */
	see_fork(&t, 0, 1, 32);
	see_fork(&t, UINT32_MAX, 1, 32);
	alive = tasks__alive(&t);
	assert_int_equal(alive->nr, 1);
	assert_int_equal(alive->v[0], getpid());
	/* However many come and go, memory stays small. */
	for (int i = 0; i < 100000; i++)
		see_fork(&t, (u32)gone, 1, 32);
	assert_true(t.pids.alloc < 20000);
	assert_int_equal(tasks__alive(&t)->nr, 1);
	tasks__exit(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reasons_are_understood),
		cmocka_unit_test(other_texts_are_refused),
		cmocka_unit_test(files_have_names_of_their_own),
		cmocka_unit_test(a_file_that_is_gone_is_an_error),
		cmocka_unit_test(processes_are_known_while_they_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
