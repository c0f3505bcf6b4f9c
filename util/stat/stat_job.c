#include "stat/stat_job.h"

#include "base/message/msg.h"
#include "base/system/clock.h"
#include "base/system/file.h"
#include "live/proc.h"
#include "stat/stat_print.h"
#include "stat/stat_text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { INTERVALS_PER_HEADING = 25, LOOK_MS = 100 };

/* ---- output ---- */

void command__add_words(char *const *argv, struct strbuf *out)
{
	for (size_t i = 0; argv[i]; i++) {
		strbuf__addstr(out, i ? " " : "");
		strbuf__add_masked(out, argv[i]);
	}
}

void stat_job__print(struct stat_job *j, struct strbuf *out)
{
	int ret = j->opts->is_quiet ? 0 : file__write_all(j->opts->out_fd, out->buf, out->len);

	if (ret && !j->outcome.cannot_print)
		error__say("cannot write the numbers: %s", err__str(ret));
	j->outcome.cannot_print |= ret;
	strbuf__exit(out);
}

static void print_interval(struct stat_job *j, u64 since_start)
{
	struct strbuf out = STRBUF_INIT;

	if (j->opts->clears_screen)
		strbuf__addstr(&out, "\033[2J\033[H");
	if (j->nr_intervals++ % INTERVALS_PER_HEADING == 0 || j->opts->clears_screen)
		stat_text__add_interval_heading(&out, &j->opts->print, &j->interval);
	stat_print__add_table(&out, &j->opts->print, &j->interval, since_start);
	stat_job__print(j, &out);
}

static void print_counts(const struct stat_job *j)
{
	for (size_t i = 0; i < j->l->evsels.nr; i++) {
		struct count sum = { 0 };

		for (size_t p = 0; p < j->counting.places.nr; p++) {
			struct count n = stat_counter__since(counting__counter(&j->counting, i, p));

			sum.value += n.value;
			sum.enabled += n.enabled;
			sum.running += n.running;
		}
		info("%s: %llu %llu %llu", j->l->evsels.v[i]->name, (unsigned long long)sum.value,
		     (unsigned long long)sum.enabled, (unsigned long long)sum.running);
	}
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

/* perf stat record: a failure is told once, and the command goes on. */
static void add_round(struct stat_job *j, u64 time, bool is_final)
{
	if (!j->file || j->file_error.code)
		return;
	if (stat_file__add_round(j->file, &j->counting, time, is_final, &j->file_error))
		error__print(&j->file_error);
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
	add_round(j, *last - j->start, false);
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
		j->outcome.signo = (int)info.ssi_signo;
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

	j->outcome.cannot_execute = ret;
	for (size_t p = 0; p < j->counting.places.nr && j->target.is_workload; p++)
		j->counting.places.v[p].tid = j->command.pid;
	return ret;
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

	if (!ret)
		ret = counting__open(&j->counting, err);
	if (!ret && j->opts->record.path)
		ret = stat_file__open(&j->file, &j->opts->record, &j->counting, err);
	if (!ret) {
		if (j->opts->syncs)
			sync();
		enable(j);
		j->start = clock__ns();
		ret = workload__start(&j->command, err);
		j->outcome.cannot_execute = ret;
	}
	if (!ret) {
		count(j);
		if (!j->target.is_workload || !j->command.exited)
			counting__enable(&j->counting, false);
		end_command(j);
		take_times(j, j->start, &times);
		counting__read(&j->counting);
		if (!j->opts->interval_ms)
			add_round(j, times.elapsed, true);
		if (j->opts->interval_ms) /* the summary is of all intervals */
			for (size_t i = 0; i < j->l->evsels.nr * j->counting.places.nr; i++)
				j->counting.counters[i].start = (struct count){ 0 };
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

int stat_job__run(struct stat_job *j, struct err *err)
{
	int ret;

	if (run_beside(j->opts->before))
		return err__set(err, -ECANCELED, "this command before the run failed: %s", j->opts->before);
	workload__exit(&j->command);
	j->command = (struct workload){ .go_fd = -1, .error_fd = -1 };
	j->is_over = false;
	ret = run_once(j, err);
	if (!ret && run_beside(j->opts->after))
		return err__set(err, -ECANCELED, "this command after the run failed: %s", j->opts->after);
	return ret;
}

/* ---- all ---- */

static void take_over_signals(struct stat_job *j)
{
	static const int taken[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
	sigset_t mask;
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGPIPE, &ignore, &j->before.pipe); /* a failed write is told */
	sigaction(SIGXFSZ, &ignore, &j->before.xfsz);
	sigaction(SIGCHLD, NULL, &j->before.child);
	signal(SIGCHLD, SIG_DFL); /* ignored, it would lose the status of the command */
	sigemptyset(&mask);
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		sigaddset(&mask, taken[i]);
	sigprocmask(SIG_BLOCK, &mask, &j->before.mask);
	j->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

int stat_job__init(struct stat_job *j, struct stat_opts *opts, struct evlist *l, char *const *argv,
		   struct err *err)
{
	int ret;

	*j = (struct stat_job){
		.opts = opts,
		.l = l,
		.argv = argv,
		.command = { .go_fd = -1, .error_fd = -1 },
		.file_error = ERR_INIT,
	};
	ret = target__init(&j->target, &opts->target, err);

	if (!ret && j->opts->control)
		ret = control__open(&j->control, j->opts->control, err);
	if (ret)
		return ret;
	if (j->target.is_workload)
		array__add(&j->target.tids, 0); /* until the command has its number */
	j->opts->counting.wants_ids = opts->record.path;
	j->opts->counting.on_exec = j->target.is_workload && !j->opts->has_delay;
	counting__init(&j->counting, j->l, &j->opts->counting, &j->target);
	stat_rows__init(&j->rows, j->opts->by, j->opts->cache_level, &j->counting, NULL);
	stat_table__init(&j->table, &j->counting, &j->rows);
	stat_table__init(&j->interval, &j->counting, &j->rows);
	take_over_signals(j);
	return 0;
}

void stat_job__exit(struct stat_job *j)
{
	if (j->counting.counters) {
		stat_table__exit(&j->interval);
		stat_table__exit(&j->table);
		stat_rows__exit(&j->rows);
		counting__exit(&j->counting);
		close(j->signal_fd);
		sigprocmask(SIG_SETMASK, &j->before.mask, NULL);
	}
	if (j->file && !j->file_error.code && stat_file__finish(j->file, &j->file_error))
		error__print(&j->file_error);
	stat_file__delete(j->file);
	err__exit(&j->file_error);
	control__delete(j->control);
	workload__exit(&j->command);
	target__exit(&j->target);
}
