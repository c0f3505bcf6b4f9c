/* What perf says about Java processes whose memory it may not read. */
#include "unit.h"

#include "base/system/file.h"
#include "record/hotspot/unread_memory.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static u64 scope; /* of this machine's Yama */

static void expect_text(const struct unread_memory *u, const char *first_line, const char *advice)
{
	struct strbuf got = STRBUF_INIT, expected = STRBUF_INIT;

	unread_memory__tell(u, &got);
	strbuf__addf(&expected, "%s: perf may not read the memory\n  ", first_line);
	if (scope > 2)
		strbuf__addf(&expected, "kernel.yama.ptrace_scope is %llu: nobody may, until the next boot\n",
			     (unsigned long long)scope);
	else
		strbuf__addstr(&expected, advice);
	assert_string_equal(got.buf, expected.buf);
	strbuf__exit(&got);
	strbuf__exit(&expected);
}

static const char *advice_for_own(void)
{
	return scope ? "run perf as root, or as root: sysctl -w kernel.yama.ptrace_scope=0\n"
		     : "run perf as root: the process has rights or a container of its own\n";
}

static const char docker[] = "give perf CAP_SYS_PTRACE (docker run --cap-add SYS_PTRACE)\n";

static void processes_are_listed(void **state)
{
	struct unread_memory u = { .nr = 0 };
	struct strbuf out = STRBUF_INIT;
	const char *advice = geteuid() ? advice_for_own() : docker;
	char line[100];

	(void)state;
	unread_memory__tell(&u, &out);
	assert_int_equal(out.len, 0);
	unread_memory__add(&u, (u32)getpid());
	assert_int_equal(u.nr, 1);
	assert_int_equal(u.uid, getuid());
	snprintf(line, sizeof(line), "Names of Java methods are missing in process %d", getpid());
	expect_text(&u, line, advice);
	u.pids[0] = 101;
	unread_memory__add(&u, 102);
	expect_text(&u, "Names of Java methods are missing in processes 101, 102", advice);
	unread_memory__add(&u, 103);
	unread_memory__add(&u, 104);
	assert_int_equal(u.uid, getuid());
	expect_text(&u, "Names of Java methods are missing in processes 101, 102, 103, 104", advice);
	unread_memory__add(&u, 105);
	unread_memory__add(&u, 106);
	assert_int_equal(u.uid, getuid());
	expect_text(&u, "Names of Java methods are missing in processes 101, 102, 103, 104 and 2 more",
		    advice);
}

/* Of other users, and of this one. */
static void who_may_is_told(void **state)
{
	struct unread_memory u = { .nr = 1, .pids = { 101 }, .uid = 12345 };
	const char *line = "Names of Java methods are missing in process 101";

	(void)state;
	if (geteuid())
		skip();
	expect_text(&u, line, docker);
	assert_int_equal(seteuid(12346), 0);
	expect_text(&u, line, "run perf as root or as the process's user, or give it CAP_SYS_PTRACE\n");
	u.uid = 12346;
	expect_text(&u, line, advice_for_own());
	assert_int_equal(seteuid(0), 0);
}

/* The user of a process that has ended is not known; the user of the first one counts. */
static void the_first_user_counts(void **state)
{
	struct unread_memory u = { .nr = 0 };
	int ready[2];

	(void)state;
	if (!geteuid() && pipe(ready) == 0) {
		pid_t pid = fork();
		char c;

		if (!pid) {
			c = setuid(12345) ? 'n' : 'y';
			(void)!write(ready[1], &c, 1);
			pause();
		}
		assert_int_equal(read(ready[0], &c, 1), 1);
		unread_memory__add(&u, (u32)pid);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(ready[0]);
		close(ready[1]);
		if (c == 'y')
			assert_int_equal(u.uid, 12345);
	} else {
		unread_memory__add(&u, 1);
	}
	u.uid = 12345;
	unread_memory__add(&u, (u32)getpid());
	assert_int_equal(u.uid, 12345);
	assert_int_equal(u.pids[1], getpid());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_are_listed),
		cmocka_unit_test(who_may_is_told),
		cmocka_unit_test(the_first_user_counts),
	};

	if (file__read_u64("/proc/sys/kernel/yama/ptrace_scope", &scope))
		scope = 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
