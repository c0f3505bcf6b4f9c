#include "base/system/run.h"

#include "base/system/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ENVIRONMENT = 16 };

/* Start it in a process group of its own, so that Ctrl-C at the terminal ends perf only. */
static int start(const char *path, char *const *argv, int in, int out, char *const *more, pid_t *pid)
{
	char *environment[MAX_ENVIRONMENT + 2] = { (char *)"LC_ALL=C" };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int ret;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr,
				 POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setsigmask(&attr, &none);
	for (size_t i = 0; more && more[i] && i < MAX_ENVIRONMENT; i++)
		environment[i + 1] = more[i];
	ret = posix_spawn(pid, path, &files, &attr, argv, environment);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return -ret;
}

/* Append what comes until the end of it. Return 0 or a negative errno. */
static int read_output(int fd, u64 end, size_t bytes, struct strbuf *out)
{
	enum { PIECE = 1 << 16 };
	size_t start = out->len;

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		u64 now = clock__ms();
		ssize_t n;

		if (now >= end)
			return -ETIMEDOUT;
		if (poll(&p, 1, (int)(end - now)) <= 0)
			continue;
		strbuf__grow(out, PIECE);
		n = read(fd, out->buf + out->len, PIECE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		strbuf__setlen(out, out->len + (size_t)n);
		if (out->len - start > bytes)
			return -E2BIG;
	}
}

/* Wait until it has ended, at most until then. Return false if it has not. */
static bool wait_until(pid_t pid, u64 end, int *status)
{
	const struct timespec pause = { .tv_nsec = 500000 };

	for (;;) {
		pid_t ended = waitpid(pid, status, WNOHANG);

		if (ended == pid || (ended < 0 && errno != EINTR))
			return ended == pid;
		if (clock__ms() >= end)
			return false;
		nanosleep(&pause, NULL);
	}
}

int run__output(const char *path, char *const *argv, int in, const struct run_limits *limits,
		struct strbuf *out)
{
	u64 end = clock__ms() + limits->ms;
	int fds[2], status = 0, ret;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	ret = start(path, argv, in, fds[1], limits->environment, &pid);
	close(fds[1]);
	if (ret) {
		close(fds[0]);
		return ret;
	}
	ret = read_output(fds[0], end, limits->bytes, out);
	close(fds[0]);
	if (!ret && !wait_until(pid, end, &status))
		ret = -ETIMEDOUT;
	if (ret) {
		kill(-pid, SIGKILL); /* with its children */
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		return ret;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EIO;
}
