#include "record/recorder_private.h"

#include "base/system/clock.h"
#include "base/message/msg.h"
#include "base/command/term.h"
#include "format/records/build.h"
#include "record/describe/kallsyms_copy.h"
#include "record/describe/kept_jit.h"
#include "record/describe/text_copies.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
	WATCH_MS = 5,    /* ms; longest wait while a watched variable's library is not mapped yet */
	SHORT_MS = 50,   /* ms; ... while the size of stack copies follows the stacks, or programs are new */
	NEW_MS = 1000,   /* ms; so long a program is new: short ones are gone when a longer round ends */
	DEPTHS_FEW = 8,  /* chains; fewer in a round: wait up to DRAIN_MS instead of SHORT_MS ... */
	LOOKS_SOON = 10, /* ... but not after the first so many rounds: chains cut there stay cut */
	/* bytes in a ring are enough for a round: so many for each ring, or one in so many of its own */
	ROUND_BYTES = 512,
	ROUND_PART = 8,
	SIGNAL_TOKEN = -1,
	CONTROL_TOKEN = -2,
	TRIGGER_TOKEN = -3, /* and lower numbers: one for each trigger's counter */
};

/* ---- the rings ---- */

/*
 * A round drains all rings. Return whether the ring of a counter that has woken us holds enough for one: each
 * ring wakes us for so many new bytes, also for those that the last round took. With many CPUs, each ring
 * would else cause rounds over all the others.
 */
static bool recorder__has_enough(const struct recorder *r, size_t counter)
{
	const struct counters *c = &r->counters;
	const struct ring *ring = &c->rings.v[c->v.v[counter].ring];
	size_t i = 0;

	if (!r->opts->flush_bytes)
		return r->opts->attrs.no_buffering ||
		       ring__ready(ring) >= MIN(c->rings.nr * ROUND_BYTES, ring->size / ROUND_PART);
	while (i < c->rings.nr && /* --mmap-flush: any ring */
	       ring__ready(&c->rings.v[i]) < MIN(r->opts->flush_bytes, c->rings.v[i].size / 4))
		i++;
	return i < c->rings.nr;
}

static int recorder__watch(struct recorder *r, int fd, u32 what, s64 token)
{
	struct epoll_event e = { .events = what, .data.u64 = (u64)token };

	return epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

/* Wait for data of a counter; with a flight ring, or a thread for the ring, for its end only. */
static int recorder__watch_counter(struct recorder *r, size_t i)
{
	const struct counter *c = &r->counters.v.v[i];
	bool is_flight = r->l->evsels.v[c->evsel]->attr.write_backward;

	return recorder__watch(r, c->fd, is_flight || r->files.drain->ops->waits ? 0 : EPOLLIN, (s64)i);
}

/* Watch the counters of CPUs that came back: they were opened again. */
static void recorder__follow_cpus(struct recorder *r)
{
	index_array reopened = { 0 };

	counters__follow_cpus(&r->counters, r->l, r->epoll_fd, &reopened);
	for (size_t i = 0; i < reopened.nr; i++) {
		recorder__watch_counter(r, reopened.v[i]); /* without it, rings are drained twice a second */
		if (r->files.drain->ops->watch)
			r->files.drain->ops->watch(r->files.drain, reopened.v[i]);
	}
	array__exit(&reopened);
}

static void recorder__file_is_full(struct recorder *r)
{
	if (recorder_files__go_on(&r->files)) {
		r->steering.wishes |= STEERING_DUMP;
		return;
	}
	r->result->at_max_size = true;
	r->done = true;
}

/* Do one round over all rings. With is_last, take all that they hold, including the flight rings. */
static int recorder__drain(struct recorder *r, bool is_last, struct err *err)
{
	int ret;

	loss_count__round(&r->files.loss_count, clock__ms());
	recorder__follow_cpus(r);
	ret = recorder_files__add_new_maps(&r->files, is_last, err);
	if (ret)
		return ret;
	ret = is_last ? drain__take_last(r->files.drain) : r->files.drain->ops->round(r->files.drain);
	if (!ret && r->files.drain->ops->is_full(r->files.drain))
		recorder__file_is_full(r);
	return recorder_files__wrote(&r->files, ret, err);
}

/* ---- what ran before the recording ---- */

static int recorder__synthesize(struct recorder *r, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = inventory__add_basics(&r->files.inventory, !r->opts->is_told, &out, err);

	if (!ret && !r->opts->tail_synthesize)
		ret = inventory__add_tasks(&r->files.inventory, &out, err);
	if (ret) {
		strbuf__exit(&out);
		return ret;
	}
	build__finished_init(&out);
	ret = intake__take_synthesized(&r->files.intake, out.buf, out.len);
	if (r->files.intake.stack_samples)
		stack_samples__see(r->files.intake.stack_samples, out.buf, out.len);
	if (r->files.intake.java_names)
		java_names__see(r->files.intake.java_names, out.buf, out.len);
	strbuf__exit(&out);
	if (!ret)
		ret = writer__sync(r->files.intake.writer); /* from here on the file is complete */
	return recorder_files__wrote(&r->files, ret, err);
}

/* ---- setting up ---- */

static void recorder__block_signals(struct recorder *r)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN }, normal = { .sa_handler = SIG_DFL };
	struct sigaction now;
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	if (!sigaction(SIGHUP, NULL, &now) && now.sa_handler != SIG_IGN) /* not if nohup ignores it */
		sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGCHLD);
	sigaddset(&mask, SIGUSR2);
	sigprocmask(SIG_BLOCK, &mask, &r->before.mask);
	r->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	sigaction(SIGPIPE, &ignore, &r->before.pipe);
	sigaction(SIGXFSZ, &ignore,
		  &r->before.xfsz); /* writes then fail with EFBIG, as with ENOSPC on a full disk */
	sigaction(SIGCHLD, &normal, &r->before.child); /* if it were ignored, there would be no exit status */
}

static int recorder__watch_triggers(struct recorder *r, struct err *err)
{
	const struct counters *c = &r->triggers.counters;
	int ret = 0;

	for (size_t i = 0; !ret && i < c->v.nr; i++)
		ret = recorder__watch(r, c->v.v[i].fd, EPOLLIN, TRIGGER_TOKEN - (s64)i);
	return ret ? err__set(err, ret, "cannot watch the events of --switch-output-event: %s", err__str(ret))
		   : 0;
}

/*
 * Watch every counter for data. The counters of a ring share one "data available" flag, and polling any of
 * them clears it; and a counter's thread may exit while others still write to the ring.
 */
static int recorder__watch_all(struct recorder *r, struct err *err)
{
	int ret;

	r->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	ret = r->epoll_fd < 0 ? -errno : recorder__watch(r, r->signal_fd, EPOLLIN, SIGNAL_TOKEN);
	for (size_t i = 0; !ret && i < r->counters.v.nr; i++) {
		ret = recorder__watch_counter(r, i);
		r->nr_alive += r->counters.v.v[i].tid >= 0;
	}
	if (ret)
		return err__set(err, ret, "cannot watch the counters: %s", err__str(ret));
	ret = recorder__watch_triggers(r, err);
	if (!ret && r->steering.control)
		ret = recorder__watch(r, control__fd(r->steering.control), EPOLLIN, CONTROL_TOKEN);
	return ret ? err__set(err, ret, "cannot wait for commands of --control %s: %s", r->opts->control,
			      err__str(ret))
		   : 0;
}

/* ---- the loop ---- */

static void recorder__read_signals(struct recorder *r)
{
	struct signalfd_siginfo info;

	while (read(r->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGUSR2)
			r->steering.wishes |= STEERING_DUMP;
		if (info.ssi_signo == SIGCHLD || info.ssi_signo == SIGUSR2)
			continue;
		r->result->interrupted = true;
		r->result->signo = (int)info.ssi_signo;
		r->done = true;
	}
	if (workload__poll(&r->workload))
		r->done = true;
}

/* The counter's thread and all threads that inherited the counter have exited. */
static void recorder__counter_ended(struct recorder *r, size_t i)
{
	epoll_ctl(r->epoll_fd, EPOLL_CTL_DEL, r->counters.v.v[i].fd, NULL);
	if (!--r->nr_alive && !r->target.is_workload)
		r->done = true;
}

/*
 * Note whether few chains came. Then look at stacks less often: on an idle machine most samples would
 * otherwise be the recorder's own.
 */
static void recorder__see_depths(struct recorder *r)
{
	u64 nr;

	if (!r->files.intake.stack_samples)
		return;
	nr = stack_depths__total(stack_samples__depths(r->files.intake.stack_samples));
	r->depths.are_few = r->depths.nr_looks++ >= LOOKS_SOON && nr - r->depths.nr < DEPTHS_FEW;
	r->depths.nr = nr;
}

/* Return the longest time between two rounds, in ms. */
static u64 recorder__round_ms(const struct recorder *r)
{
	bool follows = r->counters.levels.nr > 1 && !r->opts->flush_bytes && !r->depths.are_few;
	bool is_new = !r->opts->flush_bytes && clock__ms() - r->files.intake.program_at < NEW_MS;
	bool is_short = is_new || kept_jit__wants_short_rounds(r->files.output.opts.viewers.jit);

	if (r->watches && watches__are_waiting(r->watches))
		return WATCH_MS;
	return follows || is_short ? SHORT_MS : DRAIN_MS;
}

/* Return how many ms to wait at most. drained: when the last round ended, in ms. */
static u64 recorder__timeout(const struct recorder *r, u64 drained)
{
	u64 now = clock__ms();

	return (u64)steering__timeout(&r->steering, now, MAX(drained + recorder__round_ms(r), now) - now);
}

static void recorder__obey(struct recorder *r)
{
	if (!steering__obey(&r->steering))
		epoll_ctl(r->epoll_fd, EPOLL_CTL_DEL, control__fd(r->steering.control), NULL);
}

static void recorder__take_trigger(struct recorder *r, size_t i, u32 what)
{
	if (what & EPOLLIN) {
		triggers__drain(&r->triggers);
		r->steering.wishes |= STEERING_DUMP;
	} else {
		epoll_ctl(r->epoll_fd, EPOLL_CTL_DEL, r->triggers.counters.v.v[i].fd, NULL);
	}
}

/* Unwinding takes too much CPU time to come before all ordinary threads. */
static int recorder__take_snapshot(struct recorder *r, struct err *err)
{
	int ret;

	priority__lower(&r->priority);
	ret = recorder__drain(r, true, err);
	priority__come_first(&r->priority);
	return ret;
}

/* Write all that the rings of the current file hold, unless ret is an error already, and end the drain. */
static int recorder__take_rest(struct recorder *r, int ret, struct err *err)
{
	int failed;

	if (!ret && r->opts->tail_synthesize)
		ret = recorder_files__synthesize_tail(&r->files, err);
	if (!ret)
		ret = recorder__drain(r, true, err);
	failed = recorder_files__end_drain(&r->files);
	return ret ? ret : recorder_files__wrote(&r->files, failed, err);
}

/* End the file with all that is in the rings, and append their side-band to side_band. */
static int recorder__end_file(struct recorder *r, struct strbuf *side_band, struct err *err)
{
	const u64 last = r->files.output.files.last;
	int ret;

	intake__copy_side_band(&r->files.intake, side_band);
	ret = recorder__take_rest(r, drain__start(r->files.drain, err), err);
	intake__copy_side_band(&r->files.intake, NULL);
	if (!ret)
		ret = recorder_files__end(&r->files, err);
	if (!ret && !r->opts->slices)
		recorder_files__tell(&r->files, last);
	return ret;
}

/* --switch-output: end the current file and begin the next one. */
static int recorder__switch_file(struct recorder *r, struct err *err)
{
	struct strbuf tasks = STRBUF_INIT, side_band = STRBUF_INIT;
	int ret = recorder__drain(r, false, err);

	affinity__restore(&r->affinity);
	/* switching files and unwinding do not need a high priority */
	priority__lower(&r->priority);
	if (!ret)
		ret = recorder_files__wrote(&r->files, recorder_files__end_drain(&r->files), err);
	if (!ret && !r->opts->tail_synthesize)
		ret = inventory__add_tasks(&r->files.inventory, &tasks, err);
	if (!ret)
		ret = recorder__end_file(r, &side_band, err);
	if (!ret)
		ret = recorder_files__begin_next(&r->files, &tasks, &side_band, err);
	if (!ret)
		ret = drain__start(r->files.drain, err);
	priority__come_first(&r->priority);
	strbuf__exit(&tasks);
	strbuf__exit(&side_band);
	return ret;
}

static int recorder__steer(struct recorder *r, struct err *err)
{
	int ret = 0;

	steering__step(&r->steering, clock__ms());
	while (!ret && (r->steering.wishes & (STEERING_SNAPSHOT | STEERING_DUMP))) {
		if (r->opts->switch_output.is_on)
			ret = recorder__switch_file(r, err);
		else if (r->files.drain->ops->snapshot)
			ret = recorder__take_snapshot(r, err);
		else if (r->steering.wishes & STEERING_SNAPSHOT)
			warning("control: there is nothing to take a snapshot of: record with --overwrite, "
				"or --switch-output");
		steering__snapshot_done(&r->steering);
	}
	if (r->steering.wishes & STEERING_STOP)
		r->done = true;
	return ret;
}

static int recorder__loop(struct recorder *r, struct err *err)
{
	struct epoll_event events[64];
	u64 drained = clock__ms();
	int ret = 0;

	priority__come_first(&r->priority);
	loss_count__round(&r->files.loss_count, drained);
	r->files.intake.program_at = drained; /* the workload, and short programs that already run */
	while (!ret && !r->done) {
		u64 wait = recorder__timeout(r, drained), until = vary__timeout(r->vary, wait);
		int nr = epoll_wait(r->epoll_fd, events, ARRAY_SIZE(events), (int)until);
		/* also when other events keep the loop busy */
		bool is_due = (nr <= 0 && until == wait) || clock__ms() - drained >= recorder__round_ms(r);
		bool data = false;

		for (int i = 0; i < nr; i++) {
			s64 token = (s64)events[i].data.u64;

			if (token == SIGNAL_TOKEN)
				recorder__read_signals(r);
			else if (token == CONTROL_TOKEN)
				recorder__obey(r);
			else if (token <= TRIGGER_TOKEN)
				recorder__take_trigger(r, (size_t)(TRIGGER_TOKEN - token), events[i].events);
			else if (events[i].events & EPOLLIN)
				data = data || recorder__has_enough(r, (size_t)token);
			else if (events[i].events & (EPOLLHUP | EPOLLERR))
				recorder__counter_ended(r, (size_t)token);
		}
		r->result->wakeups += nr > 0;
		vary__step(r->vary);
		ret = recorder__steer(r, err);
		if (!ret && (is_due || data)) {
			ret = recorder__drain(r, false, err);
			drained = clock__ms();
			recorder__see_depths(r);
		}
	}
	return ret;
}

/* Print on a terminal that the recording of running processes has started, which has no other output. */
static void recorder__tell_start(const struct recorder *r)
{
	struct strbuf what = STRBUF_INIT;

	if (r->workload.pid || !term__is_tty(STDERR_FILENO))
		return;
	target__describe(&r->target, r->opts->target.tids && !r->opts->target.pids, &what);
	info("recording %s; Ctrl-C ends it", what.buf);
	strbuf__exit(&what);
}

static int recorder__start(struct recorder *r, struct err *err)
{
	bool by_exec = r->target.is_workload;
	bool threads = !r->target.system_wide && !by_exec;
	int ret;

	/*
	 * Enable the events of attached threads before reading /proc, so that nothing is missed in between.
	 * On CPUs, the tracking event is enabled already; enable the others later, so that reading /proc is
	 * not sampled.
	 */
	if (threads && !r->opts->delay.is_given)
		counters__enable(&r->counters, r->l, true);
	ret = recorder__synthesize(r, err);
	r->files.inventory.tasks = r->files.intake.tasks;
	recorder_files__limit(&r->files);
	if (!ret)
		ret = drain__start(r->files.drain, err);
	if (ret)
		return ret;
	if (r->target.system_wide && !r->opts->delay.is_given)
		counters__enable(&r->counters, r->l, true);
	r->counters.armed |= by_exec && !r->opts->delay.is_given;
	if (r->counters.armed)
		counters__enable_everywhere(&r->counters, r->l);
	if (r->watches)
		ret = watches__trace(r->watches, &r->workload, err);
	if (ret)
		return ret;
	triggers__enable(&r->triggers);
	ret = workload__start(&r->workload, err);
	if (ret)
		r->result->exit_status = ret == -ENOENT ? 127 : 126;
	steering__start(&r->steering, clock__ms());
	if (!ret)
		recorder__tell_start(r);
	return ret;
}

/*
 * End the workload if at_once, as stock perf does, and wait for it. A full disk is no reason to end it. If
 * it does not end, a second signal to perf stops the wait.
 */
static void recorder__end_workload(struct recorder *r, bool at_once)
{
	struct pollfd p = { .fd = r->signal_fd, .events = POLLIN };
	struct signalfd_siginfo info;
	bool told = false, again = false;

	while (r->workload.pid && !again && !workload__poll(&r->workload)) {
		if (at_once && !told)
			kill(r->workload.pid, SIGTERM); /* kill(1) signals perf only, unlike Ctrl-C */
		told = at_once;
		if (poll(&p, 1, -1) < 0 && errno != EINTR)
			return;
		while (read(r->signal_fd, &info, sizeof(info)) == sizeof(info)) {
			bool is_end = info.ssi_signo != SIGCHLD && info.ssi_signo != SIGUSR2;

			again |= told && is_end;
			at_once |= is_end;
		}
	}
}

/* After an error: stop sampling, and complete the file so that it is readable. */
static void recorder__fail(struct recorder *r, struct err *err)
{
	counters__enable(&r->counters, r->l, false);
	recorder_files__end_drain(&r->files);
	/* not if finishing the file, or opening the next one, failed */
	if (output__is_open(&r->files.output))
		recorder_files__write_end(&r->files);
	output__save(&r->files.output, &r->files.intake, err);
	counters__exit(&r->counters);
	if (!r->opts->tell_failure || !r->workload.pid || workload__poll(&r->workload))
		return;
	r->opts->tell_failure(err);
	r->result->failure_told = true;
	info("[ perf record: The command goes on without being recorded ]");
}

/* Leave a copy of kallsyms for reports. It is optional: a failure is only a debug message. */
static void recorder__leave_kallsyms(const struct recorder *r)
{
	struct err err = ERR_INIT;
	struct build_id id;

	if (!r->files.intake.tally.saw_kernel || !r->opts->build_id_cache || build_id__of_kernel(&id))
		return;
	if (kallsyms_copy__leave(r->opts->build_id_cache, "/proc/kallsyms", &id, &err)) {
		err__prefix(&err, "no copy of the kernel's symbols is left for reports");
		debug(1, "record", "%s", err.text.buf);
	}
	err__exit(&err);
}

static int recorder__finish(struct recorder *r, struct err *err)
{
	int ret;

	counters__enable(&r->counters, r->l, false);
	priority__lower(&r->priority);
	if (r->watches)
		watches__tell_unplaced(r->watches);
	ret = recorder__take_rest(r, 0, err);
	if (!ret)
		ret = intake__finish(&r->files.intake);
	if (!ret)
		ret = recorder_files__end(&r->files, err);
	if (ret)
		return ret;
	r->result->bytes = r->files.output.bytes;
	r->result->unpacked = r->files.output.unpacked;
	r->result->blocked_ms = r->files.output.blocked_ms;
	r->result->wakeups -= r->files.woken;
	r->result->wants_names = r->files.output.wants_names;
	r->result->files = r->files.output.files;
	r->files.output.files = (struct left_files){ 0 };
	r->result->samples = r->files.output.samples;
	r->result->side_band = r->files.output.side_band;
	r->result->hidden = r->files.intake.hidden;
	if (r->files.intake.spans)
		span_pairs__tell(r->files.intake.spans, &r->result->spans);
	return 0;
}

static void recorder__exit(struct recorder *r)
{
	drain__delete(r->files.drain);
	kept_jit__finish(r->files.output.opts.viewers.jit);
	text_copies__delete(r->files.output.opts.viewers.copies);
	workload__exit(&r->workload);
	steering__exit(&r->steering);
	watches__delete(r->watches);
	scope__exit(&r->scope);
	counters__exit(&r->counters);
	output__exit(&r->files.output);
	intake__exit(&r->files.intake);
	vary__delete(r->vary);
	evlist__exit(&r->kernel_events);
	target__exit(&r->target);
	strbuf__exit(&r->modules.maps);
	triggers__exit(&r->triggers);
	tasks__exit(&r->tasks);
	loss_count__exit(&r->files.loss_count);
	priority__lower(&r->priority);
	file__close(r->signal_fd);
	file__close(r->epoll_fd);
	affinity__exit(&r->affinity);
	sigaction(SIGPIPE, &r->before.pipe, NULL);
	sigaction(SIGXFSZ, &r->before.xfsz, NULL);
	sigaction(SIGCHLD, &r->before.child, NULL);
	sigprocmask(SIG_SETMASK, &r->before.mask, NULL);
}

int recorder__run(struct evlist *l, char *const *argv, const struct recorder_opts *opts,
		  struct recorder_result *result, struct err *err)
{
	struct recorder r = {
		.opts = opts,
		.result = result,
		.l = l,
		.signal_fd = -1,
		.epoll_fd = -1,
		.workload = { .go_fd = -1, .error_fd = -1 },
		.modules = { .maps = STRBUF_INIT },
	};
	int ret;

	*result = (struct recorder_result){ .spans = STRBUF_INIT };
	recorder__prepare_files(&r);
	affinity__init(&r.affinity, opts->affinity);
	recorder__block_signals(&r);
	recorder_files__read_clocks(&r.files, &r.files.clock.begin);
	steering__init(&r.steering, &r.counters, l, &opts->delay);
	r.steering.dump_every = opts->switch_output.ms;
	ret = steering__open(&r.steering, opts->control, err);
	if (!ret)
		ret = recorder__set_up(&r, argv, err);
	if (!ret)
		ret = priority__choose(&r.priority, opts->realtime, err);
	/* before the drain's threads start, so that they inherit the priority */
	priority__raise(&r.priority);
	result->priority_before = r.priority.nice_before;
	if (!ret)
		ret = output__open(&r.files.output, &r.files.intake, err);
	if (!ret)
		ret = recorder__watch_all(&r, err);
	if (!ret)
		ret = recorder__start(&r, err);
	if (!ret) {
		ret = recorder__loop(&r, err);
		if (!ret)
			ret = recorder__finish(&r, err);
		if (ret)
			recorder__fail(&r, err);
		recorder__end_workload(&r, !ret || result->interrupted);
		if (!ret)
			recorder__leave_kallsyms(&r);
		result->exit_status = workload__exit_status(&r.workload);
	} else {
		if (r.files.drain)
			recorder_files__end_drain(&r.files);
		output__save(&r.files.output, &r.files.intake, err);
	}
	recorder__exit(&r);
	return ret;
}
