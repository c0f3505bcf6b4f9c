#include "base/command/pager.h"

#include "base/command/term.h"
#include "base/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Global, for the signal handler. */
static volatile pid_t running;

/* Return the command to run, or NULL. */
static const char *pager__command(void)
{
	const char *command = getenv("PERF_PAGER");
	char *less = NULL;

	if (!command)
		command = getenv("PAGER");
	if (!command && !command__find("less", &less))
		command = "less";
	free(less);
	if (!command || !*command || !strcmp(command, "cat"))
		return NULL;
	return command;
}

static void wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}

static void pager__on_signal(int sig)
{
	pid_t pid = running;

	if (pid) {
		close(STDOUT_FILENO);
		close(STDERR_FILENO);
		wait_for(pid);
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

static const int fatal_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static void set_handlers(void (*handler)(int))
{
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++)
		signal(fatal_signals[i], handler);
}

static void pager__run(const char *command, int from)
{
	dup2(from, STDIN_FILENO);
	close(from);
	setenv("LESS", "FRSX", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

void pager__start(struct pager *p)
{
	const char *command;
	int fds[2];

	if (!term__is_tty(STDOUT_FILENO))
		return;
	command = pager__command();
	if (!command || pipe2(fds, O_CLOEXEC) < 0)
		return;
	fflush(stdout);
	p->pid = fork();
	if (!p->pid)
		pager__run(command, fds[0]);
	close(fds[0]);
	if (p->pid < 0) {
		p->pid = 0;
		close(fds[1]);
		return;
	}
	p->saved_stdout = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	dup2(fds[1], STDOUT_FILENO);
	if (term__is_tty(STDERR_FILENO)) {
		p->saved_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
		dup2(fds[1], STDERR_FILENO);
	}
	close(fds[1]);
	running = p->pid;
	set_handlers(pager__on_signal);
	/* After the user leaves the pager early, SIGPIPE ends perf. */
}

static void give_back(int *saved, int fd)
{
	if (*saved < 0)
		return;
	dup2(*saved, fd);
	close(*saved);
	*saved = -1;
}

void pager__finish(struct pager *p)
{
	if (!p->pid)
		return;
	fflush(stdout);
	give_back(&p->saved_stdout, STDOUT_FILENO);
	give_back(&p->saved_stderr, STDERR_FILENO);
	wait_for(p->pid);
	running = 0;
	set_handlers(SIG_DFL);
	p->pid = 0;
}
