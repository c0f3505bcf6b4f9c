#include "agent/sender.h"

#include "base/memory/mem.h"
#include "base/message/msg.h"
#include "model/session.h"
#include "profile/embed/embed.h"
#include "push/push.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SENDER_NICE = 10, NO_CODE = 1 /* bytes of code that are stored in what waits: too few for any */ };

static void tell(int to, char word)
{
	ssize_t n = write(to, &word, 1);

	(void)n;
}

/*
 * Put the names into a slice that has to wait: its binaries may be gone, or be others, when it is sent. The
 * file's time stays: it is that of the last sample.
 */
static void embed_names(const struct agent_args *args, const char *path)
{
	const struct embed_opts opts = { .buildid_dir = args->push.export.symbols_of.buildid_dir,
					 .nr_threads = 1,
					 .spares_memory = true,
					 .code_budget = NO_CODE };
	struct embed_result stored;
	struct err err = ERR_INIT;
	struct timespec times[2];
	struct stat st;

	if (stat(path, &st))
		return;
	if (embed__store(path, &opts, &stored, &err))
		warning("%s", err.text.buf);
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	utimensat(AT_FDCWD, path, times, 0);
	err__exit(&err);
}

/* Remove a slice from the spool and report it, with signals blocked, so that none goes without a report. */
static void take_out(const char *path, enum sender_word word, int words)
{
	sigset_t all, none;
	char *aside = NULL;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &none);
	if (word == SENDER_ASIDE)
		aside = spool__set_aside(path);
	if (aside || (word != SENDER_ASIDE && !unlink(path)))
		tell(words, (char)word);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (aside)
		warning("'%s' is not sent any more; it was set aside as '%s'", path, aside);
	else if (word == SENDER_ASIDE && !access(path, F_OK))
		warning("'%s' cannot be set aside; the slices after it are sent", path);
	free(aside);
}

/* Put names into slices that have none; set those aside that cannot be read. */
static void embed_all(const struct agent_args *args, const spool_paths *paths, int words)
{
	const struct session_opts opts = { .header_only = true };

	for (size_t i = paths->nr; i-- > 0;) {
		struct err err = ERR_INIT;
		struct session *s = NULL;
		int ret = session__open(&s, paths->v[i], &opts, &err);
		bool has = !ret && reader__extension_offset(s->reader, EXTENSION_NAMES) > 0;

		session__delete(s);
		if (push__is_unreadable(ret) && !access(paths->v[i], F_OK)) {
			error__print(&err);
			take_out(paths->v[i], SENDER_ASIDE, words);
		} else if (!has) {
			embed_names(args, paths->v[i]);
		}
		err__exit(&err);
	}
}

/*
 * Return whether it was sent, or -1: the server is away, and the rest waits. Say nothing of a slice that the
 * agent has dropped in the meantime.
 */
static int send_one(const struct push_args *push, const char *path, int words)
{
	struct err err = ERR_INIT;
	int ret = push__file(push, path, &err);

	if (ret < 0 && access(path, F_OK)) {
		err__exit(&err);
		return 0;
	}
	if (ret < 0)
		error__print(&err);
	err__exit(&err);
	if (ret >= 0) {
		take_out(path, SENDER_SENT, words);
	} else if (ret == -ENODATA) {
		take_out(path, SENDER_EMPTY, words);
	} else if (ret == -EUCLEAN || ret == -EBADMSG) {
		take_out(path, SENDER_ASIDE, words);
	} else {
		tell(words, SENDER_FAILED);
		return -1;
	}
	return ret >= 0;
}

static void send_all(const struct agent_args *args, const spool_paths *paths, u64 untold, int words)
{
	struct push_args push = args->push;
	char *label = xasprintf("dropped_slices=%llu", (unsigned long long)untold);
	size_t nr_labels = push.labels.nr;

	/* a copy of the list: its texts stay the agent's */
	push.labels.v = xmemdup(push.labels.v, (nr_labels + 1) * sizeof(*push.labels.v));
	push.labels.v[nr_labels] = label;
	push.labels.nr = nr_labels + (untold > 0);
	push.export.threads = 1;
	push.export.symbols_of.spares_memory = true;
	for (size_t i = 0; i < paths->nr; i++) {
		int ret = send_one(&push, paths->v[i], words);

		if (ret < 0) {
			embed_all(args, paths, words);
			break;
		}
		if (ret > 0 && push.labels.nr > nr_labels) {
			tell(words, SENDER_TOLD);
			push.labels.nr = nr_labels;
		}
	}
	free(push.labels.v);
	free(label);
}

static void run_sender(const struct agent_args *args, struct spool *spool, u64 untold, int words,
		       pid_t parent)
{
	spool_paths paths = { 0 };
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpriority(PRIO_PROCESS, 0, SENDER_NICE);
	mem__return_freed();
	spool__list(spool, &paths);
	send_all(args, &paths, untold, words);
	spool_paths__exit(&paths);
	_exit(0);
}

void sender__start(struct sender *s, const struct agent_args *args, struct spool *spool)
{
	pid_t parent = getpid();
	int ends[2];

	if (s->pid || !spool->nr_waiting || pipe2(ends, O_CLOEXEC))
		return;
	fflush(NULL);
	s->untold = spool->untold;
	s->pid = fork();
	if (!s->pid) {
		close(ends[0]);
		run_sender(args, spool, s->untold, ends[1], parent);
	}
	close(ends[1]);
	s->words = ends[0];
	if (s->pid < 0) {
		close(ends[0]);
		s->pid = 0;
	}
}
