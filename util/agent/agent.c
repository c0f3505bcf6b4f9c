#include "agent/agent.h"

#include "agent/figures.h"
#include "agent/sender.h"
#include "base/message/msg.h"
#include "base/system/clock.h"
#include "record/slices.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { END_MS = 10000 /* for the last slice, and then to send it */ };

struct agent {
	const struct agent_args *args;
	struct slices *slices; /* NULL: the recording has ended */
	struct spool spool;
	struct sender sender;
	struct figures figures;
	u64 recorder_ns; /* processor time of the recorder */
	int timer_fd, signal_fd;
	bool is_asked;     /* a slice is on its way */
	u64 ends;          /* clock__ns: when to stop waiting for the end; 0: it goes on */
	bool wants_sender; /* something new waits */
	bool is_told;      /* that figures cannot be written */
};

/* ---- figures ---- */

/* Return the resident memory of a process, in bytes. */
static u64 memory_of(pid_t pid)
{
	char path[64];
	unsigned long pages = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	f = fopen(path, "re");
	if (f) {
		if (fscanf(f, "%*u %lu", &pages) != 1)
			pages = 0;
		fclose(f);
	}
	return (u64)pages * (u64)sysconf(_SC_PAGESIZE);
}

static u64 timeval__ns(const struct timeval *t)
{
	return (u64)t->tv_sec * NS_PER_SECOND + (u64)t->tv_usec * 1000;
}

static u64 rusage__ns(int who, u64 *most_memory)
{
	struct rusage used;

	getrusage(who, &used);
	if (most_memory)
		*most_memory = (u64)used.ru_maxrss * 1024;
	return timeval__ns(&used.ru_utime) + timeval__ns(&used.ru_stime);
}

static void agent__write_figures(struct agent *a)
{
	struct figures *f = &a->figures;
	struct err err = ERR_INIT;

	f->waiting = a->spool.nr_waiting;
	f->spool_size = a->spool.size;
	f->memory = memory_of(getpid()) + (a->slices ? memory_of(slices__pid(a->slices)) : 0);
	f->cpu_ns = a->recorder_ns + rusage__ns(RUSAGE_SELF, NULL) +
		    rusage__ns(RUSAGE_CHILDREN, &f->sender_memory);
	if (a->args->figures && figures__write(f, a->args->figures, &err) && !a->is_told) {
		error__print(&err);
		a->is_told = true;
	}
	err__exit(&err);
}

/* ---- slices ---- */

static void agent__survey_spool(struct agent *a)
{
	spool_paths paths = { 0 };

	spool__list(&a->spool, &paths);
	spool_paths__exit(&paths);
}

static void agent__note_dropped(struct agent *a, u64 nr)
{
	a->figures.dropped += nr;
	spool__note_dropped(&a->spool, nr);
}

/* A slice without samples is no profile. */
static void agent__take(struct agent *a, int fd, const struct slice *slice)
{
	struct err err = ERR_INIT;
	u64 nr_dropped = 0;

	a->recorder_ns = slice->cpu_ns;
	a->figures.samples += slice->samples;
	a->figures.lost += slice->lost;
	if (slice->samples) {
		a->figures.made++;
		a->wants_sender = true;
		if (spool__add(&a->spool, fd, &nr_dropped, &err))
			error__print(&err);
		else if (nr_dropped)
			warning("the spool is full: dropped %llu slices", (unsigned long long)nr_dropped);
		agent__note_dropped(a, nr_dropped);
	}
	close(fd);
	err__exit(&err);
}

/* Return 0, or a negative errno with err: the recorder failed. */
static int agent__receive(struct agent *a, struct err *err)
{
	struct slice slice;
	int fd, ret;

	while ((ret = slices__receive(a->slices, &fd, &slice, err)) > 0) {
		agent__take(a, fd, &slice);
		a->is_asked = false;
	}
	if (!ret)
		return 0;
	slices__delete(a->slices);
	a->slices = NULL;
	return ret == -ENODATA ? 0 : ret;
}

/* ---- sending ---- */

static void agent__hear_sender(struct agent *a)
{
	char words[256];
	ssize_t n = read(a->sender.words, words, sizeof(words));

	for (ssize_t i = 0; i < n; i++)
		switch (words[i]) {
		case SENDER_SENT:
			a->figures.sent++;
			break;
		case SENDER_ASIDE:
			a->figures.aside++;
			agent__note_dropped(a, 1);
			break;
		case SENDER_EMPTY:
			agent__note_dropped(a, 1);
			break;
		case SENDER_FAILED:
			a->figures.failures++;
			break;
		case SENDER_TOLD:
			spool__tell(&a->spool, a->sender.untold);
			break;
		}
	if (n > 0 || (n < 0 && errno == EINTR))
		return;
	close(a->sender.words);
	waitpid(a->sender.pid, NULL, 0);
	a->sender.pid = 0;
}

/* ---- the loop ---- */

static void agent__ask(struct agent *a)
{
	u64 nr;

	if (read(a->timer_fd, &nr, sizeof(nr)) != sizeof(nr) || a->is_asked || !a->slices || a->ends)
		return;
	slices__ask(a->slices);
	a->is_asked = true;
}

/* Ask for the last slice. */
static void agent__stop(struct agent *a)
{
	struct signalfd_siginfo info;

	if (read(a->signal_fd, &info, sizeof(info)) != sizeof(info) || a->ends)
		return;
	a->ends = clock__ns() + (u64)END_MS * NS_PER_MS;
	if (a->slices && !a->is_asked)
		slices__ask(a->slices);
	a->is_asked = a->slices;
}

static bool agent__is_done(const struct agent *a)
{
	bool has_all = !a->slices || (a->ends && !a->is_asked);

	return (has_all && !a->sender.pid) || (a->ends && clock__ns() > a->ends);
}

static int agent__loop(struct agent *a, struct err *err)
{
	int ret = 0;

	while (!ret) {
		struct pollfd fds[] = { { .fd = a->timer_fd, .events = POLLIN },
					{ .fd = a->signal_fd, .events = POLLIN },
					{ .fd = a->slices ? slices__fd(a->slices) : -1, .events = POLLIN },
					{ .fd = a->sender.pid ? a->sender.words : -1, .events = POLLIN } };

		/* send at once what an earlier agent left */
		poll(fds, ARRAY_SIZE(fds), a->ends ? 100 : a->wants_sender && !a->sender.pid ? 0 : -1);
		if (fds[0].revents)
			agent__ask(a);
		if (fds[1].revents)
			agent__stop(a);
		if (fds[2].revents)
			ret = agent__receive(a, err);
		if (fds[3].revents)
			agent__hear_sender(a);
		agent__survey_spool(a);
		if (a->wants_sender && !a->sender.pid) {
			a->wants_sender = false;
			sender__start(&a->sender, a->args, &a->spool);
		}
		agent__write_figures(a);
		if (agent__is_done(a))
			break;
	}
	return ret;
}

static int agent__open(struct agent *a, struct err *err)
{
	const struct itimerspec times = { .it_value = { .tv_sec = a->args->interval },
					  .it_interval = { .tv_sec = a->args->interval } };
	const struct record_args *r = &a->args->record;
	sigset_t ends;
	int ret = spool__open(&a->spool, &a->args->spool, err);

	if (ret)
		return ret;
	agent__survey_spool(a);
	ret = slices__start(&a->slices, (struct evlist *)&r->events.list, NULL, &r->opts, true, err);
	if (ret)
		return ret;
	/* after the recorder has begun, which has signals of its own */
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	a->signal_fd = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	a->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (a->signal_fd < 0 || a->timer_fd < 0 || timerfd_settime(a->timer_fd, 0, &times, NULL))
		return err__set(err, -errno, "cannot wait for signals and times: %s", err__str(-errno));
	a->wants_sender = true; /* of what an earlier agent left */
	return 0;
}

int agent__run(const struct agent_args *args, struct err *err)
{
	struct agent a = { .args = args, .timer_fd = -1, .signal_fd = -1, .spool = { .lock = -1 } };
	int ret = agent__open(&a, err);

	if (!ret)
		ret = agent__loop(&a, err);
	if (a.sender.pid)
		kill(a.sender.pid, SIGTERM);
	while (a.sender.pid) /* count what it has sent */
		agent__hear_sender(&a);
	slices__delete(a.slices);
	a.slices = NULL;
	if (a.spool.lock >= 0) {
		agent__survey_spool(&a);
		agent__write_figures(&a);
	}
	file__close(a.timer_fd);
	file__close(a.signal_fd);
	spool__close(&a.spool);
	return ret;
}
