/* Broken invariants: they end unit tests, and are reported once at each place in a release. */
#include "unit.h"

#include "base/message/bug.h"
#include "base/message/msg.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int take(int rank, int last)
{
	return BUG_UNLESS(rank >= last, "rank %d after %d", rank, last) ? -1 : rank;
}

static int take_other(int rank)
{
	return BUG_UNLESS(rank, "rank %d", rank) ? -1 : rank;
}

/* Run fn in another process. Return its status as of waitpid(), and what it wrote to stderr. */
static int run(void (*fn)(void), char *text, size_t size)
{
	const struct rlimit none = { 0, 0 };
	int ends[2], status;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		setrlimit(RLIMIT_CORE, &none);
		signal(SIGABRT, SIG_DFL);
		dup2(ends[1], STDERR_FILENO);
		fn();
		_exit(0);
	}
	close(ends[1]);
	while ((n = read(ends[0], text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void break_it(void)
{
	take(3, 5);
}

static void in_release(void)
{
	bugs_are_fatal = false;
	for (int i = 0; i < 3; i++)
		if (take(i, 5) != -1)
			_exit(1);
	if (take_other(0) != -1 || take_other(0) != -1 || take(5, 5) != 5)
		_exit(2);
}

static size_t nr_lines(const char *text)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

static void tests_end(void **state)
{
	char text[4096];
	int status;

	(void)state;
	assert_true(bugs_are_fatal);
	assert_int_equal(take(5, 5), 5);
	status = run(break_it, text, sizeof(text));
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	assert_non_null(strstr(text, "tests/unit/test_bug.c:16: rank >= last (rank 3 after 5)\n"));
}

static void a_release_reports_once(void **state)
{
	char text[4096];

	(void)state;
	assert_int_equal(run(in_release, text, sizeof(text)), 0);
	assert_int_equal(nr_lines(text), 2);
	assert_non_null(strstr(text, "rank >= last (rank 0 after 5)\n"));
	assert_non_null(strstr(text, ": rank (rank 0)\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(tests_end),
					    cmocka_unit_test(a_release_reports_once) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
