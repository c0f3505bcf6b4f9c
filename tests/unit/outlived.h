/* A process whose first thread has ended, and whose second one still runs. */
#ifndef TESTS_UNIT_OUTLIVED_H
#define TESTS_UNIT_OUTLIVED_H

#include "unit.h"

#include "live/proc.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int outlived_pipe[2];

static inline void *outlived__run(void *arg)
{
	char c;

	(void)arg;
	close(outlived_pipe[1]);
	_exit(read(outlived_pipe[0], &c, 1) == 0 ? 0 : 1);
}

static inline pid_t outlived__start(void)
{
	struct proc_status s = { .has_ended = false };
	pthread_t thread;
	pid_t pid;

	assert_int_equal(pipe(outlived_pipe), 0);
	pid = fork();
	if (!pid) {
		if (pthread_create(&thread, NULL, outlived__run, NULL))
			_exit(2);
		syscall(SYS_exit, 0);
	}
	assert_true(pid > 0);
	close(outlived_pipe[0]);
	while (!s.has_ended) {
		assert_int_equal(proc__status(pid, pid, &s), 0);
		usleep(1000);
	}
	return pid;
}

/* End the second thread. The process stays a zombie: reap it with waitpid. */
static inline void outlived__end(pid_t pid)
{
	siginfo_t info;

	close(outlived_pipe[1]);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(info.si_code, CLD_EXITED);
	assert_int_equal(info.si_status, 0);
}

#endif
