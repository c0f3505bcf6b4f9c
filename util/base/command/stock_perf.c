#include "base/command/stock_perf.h"

#include "base/memory/array.h"
#include "base/system/file.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Commands of stock perf 6.1, 6.12 and 7.x that perf.c does not have. */
static const char *const commands[] = {
	"bench", "c2c",  "check", "daemon", "ftrace", "iostat", "kallsyms",  "kmem",  "kvm",
	"kwork", "lock", "mem",   "probe",  "sched",  "test",   "timechart", "trace",
};

/* Paths that distributions install it at, searched after PATH. */
static const char *const places[] = {
	"/usr/bin/perf",
	"/usr/lib/linux-tools/*/perf",
	"/usr/lib/linux-tools-*/perf",
	"/usr/bin/perf_[0-9]*",
};

bool stock_perf__has(const char *command)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i], command))
			return true;
	return false;
}

/* Run "PATH --list-cmds" and append what it prints, up to 4 KiB. */
static void ask_for_commands(const char *path, struct strbuf *out)
{
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	if (access(path, X_OK) || pipe2(fds, O_CLOEXEC))
		return;
	pid = fork();
	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, STDIN_FILENO);
		dup2(fds[1], STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execl(path, path, "--list-cmds", (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	strbuf__grow(out, 4096);
	n = pid < 0 ? 0 : file__read_all(fds[0], out->buf + out->len, 4096);
	strbuf__setlen(out, out->len + (size_t)MAX(n, (ssize_t)0));
	close(fds[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
}

static bool lists_command(const char *path, const char *command)
{
	struct strbuf list = STRBUF_INIT;
	bool found = false;

	ask_for_commands(path, &list);
	for (char *next = list.buf, *word; !found && (word = strsep(&next, " \n"));)
		found = !strcmp(word, command);
	strbuf__exit(&list);
	return found;
}

static bool find_on_path(const char *command, struct strbuf *out)
{
	const char *path = getenv("PATH");
	size_t start = out->len;

	while (path && *path) {
		size_t len = strcspn(path, ":");

		strbuf__setlen(out, start);
		strbuf__add(out, path, len);
		strbuf__addstr(out, "/perf");
		if (*path == '/' && lists_command(out->buf + start, command))
			return true;
		path += len + (path[len] == ':');
	}
	strbuf__setlen(out, start);
	return false;
}

bool stock_perf__find(const char *command, struct strbuf *out)
{
	bool found = find_on_path(command, out);

	for (size_t i = 0; i < ARRAY_SIZE(places) && !found; i++) {
		glob_t g;

		if (glob(places[i], 0, NULL, &g))
			continue;
		for (size_t j = g.gl_pathc; j-- > 0 && !found;) { /* the highest version first */
			found = lists_command(g.gl_pathv[j], command);
			if (found)
				strbuf__addstr(out, g.gl_pathv[j]);
		}
		globfree(&g);
	}
	return found;
}
