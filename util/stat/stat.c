#include "stat/stat.h"

#include "base/message/msg.h"
#include "base/system/clock.h"
#include "base/system/file.h"
#include "event/evsel/event_request.h"
#include "live/checks.h"
#include "live/proc.h"
#include "record/flow/control.h"
#include "record/target/workload.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INTERVALS_PER_HEADING = 25, LOOK_MS = 100 };

struct stat_job {
	struct stat_opts *opts;
	struct evlist *l;
	char *const *argv;
	struct target target;
	struct counting counting;
	struct stat_rows rows;
	struct stat_table table, interval;
	struct signals_before before;
	struct workload command;
	struct control *control;
	int signal_fd, signo;
	u64 start, next_interval, end; /* ns of the monotonic clock; end 0: no timeout */
	u64 enable_at;                 /* of -D; 0: not waiting */
	u64 nr_intervals;
	bool is_over;
	bool is_terminated; /* the command, by --timeout, --interval-count or a command of --control */
};

/* ---- output ---- */

static void print(struct stat_job *j, struct strbuf *out)
{
	if (!j->opts->is_quiet)
		file__write_all(j->opts->out_fd, out->buf, out->len);
	strbuf__exit(out);
}

static void add_what(struct stat_job *j, struct strbuf *out)
{
	const struct target_opts *t = &j->opts->target;

	if (t->system_wide && !t->cpus) {
		strbuf__addstr(out, "'system wide'");
	} else if (t->cpus && j->target.system_wide) {
		strbuf__addf(out, "'CPU(s) %s'", t->cpus);
	} else if (t->pids || t->tids) {
		strbuf__addf(out, "%s id '%s'", t->pids ? "process" : "thread", t->pids ? t->pids : t->tids);
	} else if (t->user) {
		strbuf__addf(out, "user '%s'", t->user);
	} else {
		strbuf__addch(out, '\'');
		for (size_t i = 0; j->argv[i]; i++) {
			strbuf__addstr(out, i ? " " : "");
			strbuf__add_masked(out, j->argv[i]);
		}
		strbuf__addch(out, '\'');
	}
}

static void print_table(struct stat_job *j, const struct stat_table *t, bool is_summary)
{
	struct stat_print_opts o = j->opts->print;
	struct strbuf out = STRBUF_INIT, what = STRBUF_INIT;

	add_what(j, &what);
	if (!is_summary)
		stat_print__add_title(&out, &o, what.buf, t->elapsed.nr);
	o.names_summary = is_summary && o.names_summary;
	stat_print__add_table(&out, &o, t, 0);
	stat_print__add_times(&out, &o, t);
	strbuf__exit(&what);
	print(j, &out);
}

static void print_interval(struct stat_job *j, u64 since_start)
{
	struct strbuf out = STRBUF_INIT;

	if (j->opts->clears_screen)
		strbuf__addstr(&out, "\033[2J\033[H");
	if (j->nr_intervals++ % INTERVALS_PER_HEADING == 0 || j->opts->clears_screen)
		stat_print__add_interval_heading(&out, &j->opts->print, &j->interval);
	stat_print__add_table(&out, &j->opts->print, &j->interval, since_start);
	print(j, &out);
}

static void print_counts(const struct stat_job *j)
{
	for (size_t i = 0; i < j->l->evsels.nr; i++) {
		struct count sum = { 0 };

		for (size_t p = 0; p < j->counting.places.nr; p++) {
			struct count n = cell__since(counting__cell(&j->counting, i, p));

			sum.value += n.value;
			sum.enabled += n.enabled;
			sum.running += n.running;
		}
		info("%s: %llu %llu %llu", j->l->evsels.v[i]->name, (unsigned long long)sum.value,
		     (unsigned long long)sum.enabled, (unsigned long long)sum.running);
	}
}

/* ---- why numbers are missing ---- */

static void explain_refusals(struct stat_job *j)
{
	struct strbuf said = STRBUF_INIT;

	for (size_t i = 0; i < j->l->evsels.nr; i++) {
		struct err err = ERR_INIT;

		if (!j->counting.refusals[i])
			continue;
		checks__explain_open(j->l->evsels.v[i], j->counting.refusals[i], 0, &err);
		/* many events are missing for one reason, which the first of them tells */
		if (!strchr(err.text.buf, ':') || !strstr(said.buf, strchr(err.text.buf, ':')))
			info("%s", err.text.buf);
		strbuf__addstr(&said, err.text.buf);
		err__exit(&err);
	}
	strbuf__exit(&said);
}

static void explain_missing(struct stat_job *j)
{
	bool idle = false, crowded = false;

	explain_refusals(j);
	for (size_t i = 0; i < j->l->evsels.nr; i++) {
		for (size_t r = 0; r < j->rows.v.nr; r++) {
			const struct stat_value *v = stat_table__value(&j->table, i, r);

			if (stat_table__state(&j->table, i, r) != STAT_NOT_COUNTED)
				continue;
			idle |= v->enabled <= 0;
			crowded |= v->enabled > 0;
		}
	}
	if (crowded)
		info("<not counted>: no counter was free for the event: it is in a group that is larger than "
		     "the "
		     "processor's counters, or others (the NMI watchdog, another profiler) hold them");
	else if (idle)
		info("<not counted>: what was counted did not run in this time");
}

/* ---- one period of counting ---- */

static void take_times(const struct stat_job *j, u64 since, struct run_times *times)
{
	const struct rusage *u = &j->command.usage;

	*times = (struct run_times){ .elapsed = clock__ns() - since };
	if (!j->command.exited)
		return;
	times->user = (u64)u->ru_utime.tv_sec * 1000000000 + (u64)u->ru_utime.tv_usec * 1000;
	times->system = (u64)u->ru_stime.tv_sec * 1000000000 + (u64)u->ru_stime.tv_usec * 1000;
}

static void end_interval(struct stat_job *j, u64 *last)
{
	struct run_times times;

	counting__read(&j->counting);
	take_times(j, *last, &times);
	*last += times.elapsed;
	stat_table__reset(&j->interval);
	stat_table__add_run(&j->interval, &times);
	counting__begin(&j->counting);
	print_interval(j, *last - j->start);
	if (j->opts->interval_count && j->nr_intervals >= j->opts->interval_count)
		j->is_over = true;
}

static bool target_is_alive(const struct stat_job *j)
{
	if (j->argv || j->target.system_wide)
		return true;
	for (size_t i = 0; i < j->target.tids.nr; i++)
		if (!kill(j->target.tids.v[i], 0) || errno == EPERM)
			return true;
	return false;
}

static void take_signals(struct stat_job *j)
{
	struct signalfd_siginfo info;

	while (read(j->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		j->signo = (int)info.ssi_signo;
		j->is_over = true;
	}
}

static void take_commands(struct stat_job *j)
{
	struct control_command cmd;
	bool more = control__receive(j->control);

	while (control__next(j->control, &cmd)) {
		if (cmd.kind == CONTROL_ENABLE || cmd.kind == CONTROL_DISABLE)
			counting__enable(&j->counting, cmd.kind == CONTROL_ENABLE);
		else if (cmd.kind == CONTROL_STOP)
			j->is_over = true;
		control__ack(j->control);
	}
	if (!more) {
		control__delete(j->control);
		j->control = NULL;
	}
}

/* Return how long to wait for a signal or a command, in ns; UINT64_MAX: until one comes. */
static u64 wait_time(const struct stat_job *j)
{
	u64 now = clock__ns(), next = UINT64_MAX;

	if (j->opts->interval_ms)
		next = MIN(next, j->next_interval);
	if (j->end)
		next = MIN(next, j->end);
	if (j->enable_at)
		next = MIN(next, j->enable_at);
	if (!j->argv && !j->target.system_wide)
		next = MIN(next, now + LOOK_MS * 1000000ull);
	return next == UINT64_MAX ? next : next > now ? next - now : 0;
}

static void wait_for_something(struct stat_job *j)
{
	struct pollfd fds[2] = { { .fd = j->signal_fd, .events = POLLIN },
				 { .fd = j->control ? control__fd(j->control) : -1, .events = POLLIN } };
	u64 ns = wait_time(j);
	const struct timespec t = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };

	ppoll(fds, 2, ns == UINT64_MAX ? NULL : &t, NULL);
	take_signals(j);
	if (j->control && fds[1].revents)
		take_commands(j);
}

/* Wait until the period is over, and print intervals meanwhile. */
static void count(struct stat_job *j)
{
	u64 last = j->start, interval_ns = j->opts->interval_ms * 1000000ull;

	j->next_interval = j->start + interval_ns;
	j->end = j->opts->timeout_ms ? j->start + j->opts->timeout_ms * 1000000ull : 0;
	while (!j->is_over) {
		wait_for_something(j);
		if (workload__poll(&j->command) || !target_is_alive(j))
			break;
		if (j->enable_at && clock__ns() >= j->enable_at) {
			counting__enable(&j->counting, true);
			info("Events enabled");
			j->enable_at = 0;
			j->start = last = clock__ns();
			j->next_interval = j->start + interval_ns;
		}
		if (j->end && clock__ns() >= j->end)
			break;
		if (interval_ns && clock__ns() >= j->next_interval) {
			end_interval(j, &last);
			while (j->next_interval <= clock__ns())
				j->next_interval += interval_ns;
		}
	}
	if (interval_ns && !(j->opts->interval_count && j->nr_intervals >= j->opts->interval_count))
		end_interval(j, &last);
}

/* ---- one run ---- */

static int start_command(struct stat_job *j, struct err *err)
{
	int ret = j->argv ? workload__prepare(&j->command, j->argv, &j->before, false, err) : 0;

	if (ret || !j->argv || j->target.system_wide)
		return ret;
	j->target.tids.nr = 0;
	array__add(&j->target.tids, j->command.pid);
	return 0;
}

/* Wait for the end of the command, which is terminated if it was interrupted or out of time. */
static void end_command(struct stat_job *j)
{
	if (!j->command.pid || j->command.exited)
		return;
	j->is_terminated = true;
	kill(j->command.pid, SIGTERM);
	while (!workload__poll(&j->command)) {
		struct pollfd fd = { .fd = j->signal_fd, .events = POLLIN };

		poll(&fd, 1, LOOK_MS);
		take_signals(j);
	}
}

static void enable(struct stat_job *j)
{
	const struct stat_opts *o = j->opts;

	if (o->has_delay) {
		info("Events disabled");
		j->enable_at = o->delay_ms > 0 ? clock__ns() + (u64)o->delay_ms * 1000000 : 0;
	} else if (!o->counting.on_exec) {
		counting__enable(&j->counting, true);
	}
}

static int run_once(struct stat_job *j, struct err *err)
{
	struct run_times times;
	int ret = start_command(j, err);

	if (!ret && j->command.pid && !j->target.system_wide)
		for (size_t p = 0; p < j->counting.places.nr; p++)
			j->counting.places.v[p].tid = j->command.pid;
	if (!ret)
		ret = counting__open(&j->counting, err);
	if (!ret) {
		if (j->opts->syncs)
			sync();
		enable(j);
		j->start = clock__ns();
		ret = workload__start(&j->command, err);
	}
	if (!ret) {
		count(j);
		if (!j->command.pid || j->target.system_wide || !j->command.exited)
			counting__enable(&j->counting, false);
		end_command(j);
		take_times(j, j->start, &times);
		counting__read(&j->counting);
		if (j->opts->interval_ms) /* the summary is of all intervals */
			for (size_t i = 0; i < j->l->evsels.nr * j->counting.places.nr; i++)
				j->counting.cells[i].start = (struct count){ 0 };
		stat_table__add_run(&j->table, &times);
		if (j->opts->verbose > 0)
			print_counts(j);
	}
	counting__close(&j->counting);
	counting__forget(&j->counting);
	return ret;
}

static int run_beside(const char *command)
{
	int status = command ? system(command) : 0; /* the user's own line, for the shell */

	return status ? 1 : 0;
}

static int run_all(struct stat_job *j, struct err *err)
{
	const struct stat_opts *o = j->opts;
	int ret = 0;

	for (u64 i = 0; (!o->nr_runs || i < o->nr_runs) && !ret && !j->signo; i++) {
		if (run_beside(o->before))
			return err__set(err, -ECANCELED, "the command of --pre failed: %s", o->before);
		workload__exit(&j->command);
		j->command = (struct workload){ .go_fd = -1, .error_fd = -1 };
		j->is_over = false;
		ret = run_once(j, err);
		if (!ret && run_beside(o->after))
			return err__set(err, -ECANCELED, "the command of --post failed: %s", o->after);
		if (!ret && !o->nr_runs) {
			print_table(j, &j->table, false);
			stat_table__reset(&j->table);
		}
	}
	return ret;
}

/* ---- all ---- */

static void take_over_signals(struct stat_job *j)
{
	static const int taken[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
	sigset_t mask;

	sigaction(SIGPIPE, NULL, &j->before.pipe);
	sigaction(SIGXFSZ, NULL, &j->before.xfsz);
	sigaction(SIGCHLD, NULL, &j->before.child);
	signal(SIGCHLD, SIG_DFL); /* ignored, it would lose the status of the command */
	sigemptyset(&mask);
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		sigaddset(&mask, taken[i]);
	sigprocmask(SIG_BLOCK, &mask, &j->before.mask);
	j->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int prepare(struct stat_job *j, struct err *err)
{
	int ret = target__init(&j->target, &j->opts->target, err);

	if (!ret && j->opts->control)
		ret = control__open(&j->control, j->opts->control, err);
	if (ret)
		return ret;
	if (j->target.is_workload)
		array__add(&j->target.tids, 0); /* until the command has its number */
	j->opts->counting.on_exec = j->target.is_workload && !j->opts->has_delay;
	counting__init(&j->counting, j->l, &j->opts->counting, &j->target);
	stat_rows__init(&j->rows, j->opts->by, j->opts->cache_level, &j->counting);
	stat_table__init(&j->table, &j->counting, &j->rows);
	stat_table__init(&j->interval, &j->counting, &j->rows);
	take_over_signals(j);
	return 0;
}

static void finish(struct stat_job *j)
{
	if (j->counting.cells) {
		stat_table__exit(&j->interval);
		stat_table__exit(&j->table);
		stat_rows__exit(&j->rows);
		counting__exit(&j->counting);
		close(j->signal_fd);
		sigprocmask(SIG_SETMASK, &j->before.mask, NULL);
	}
	control__delete(j->control);
	workload__exit(&j->command);
	target__exit(&j->target);
}

int stat__run(struct stat_opts *opts, struct evlist *l, char *const *argv, int *signo, struct err *err)
{
	struct stat_job j = {
		.opts = opts, .l = l, .argv = argv, .command = { .go_fd = -1, .error_fd = -1 }
	};
	int ret = prepare(&j, err);

	if (!ret)
		ret = run_all(&j, err);
	if (!ret && j.table.elapsed.nr && (!opts->interval_ms || opts->summary))
		print_table(&j, &j.table, opts->interval_ms);
	if (!ret && opts->explains)
		explain_missing(&j);
	if (!ret) {
		if (j.command.exited && WIFSIGNALED(j.command.status) && !j.is_terminated && !j.signo)
			info("%s: %s", argv[0], strsignal(WTERMSIG(j.command.status)));
		ret = j.is_terminated ? 0 : workload__exit_status(&j.command);
	}
	*signo = j.signo;
	finish(&j);
	return ret;
}
