/* Find out what the kernel accepts of events, before they are opened for all threads and CPUs. */
#include "record/events/counters_private.h"

#include "event/evsel/event_request.h"
#include "event/parse/parse.h"
#include "live/checks.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Store the attr that the kernel accepted. */
static void evsel__take_opened(struct evsel *e, const struct perf_event_attr *opened)
{
	const struct perf_event_attr before = e->attr;

	e->attr = *opened;
	e->attr.config1 = before.config1; /* also bp_addr */
	e->attr.config2 = before.config2; /* also bp_len */
	e->attr.read_format &= before.read_format;
}

/* ---- settling ---- */

/* Find the first of the target's CPUs that e is counted on. Return 0, or -ENOENT if there is none. */
static int first_cpu(const struct evsel *e, const struct target *t, int *cpu)
{
	for (size_t i = 0; i < t->cpus.nr; i++) {
		*cpu = t->cpus.v[i];
		if (evsel__counts_on(e, *cpu))
			return 0;
	}
	return -ENOENT;
}

/* Open e for the target's first thread that still exists. Return the descriptor or a negative errno. */
static int open_of_living(struct counters *c, const struct evsel *e, struct perf_event_attr *attr,
			  const struct target *t, int cpu)
{
	int fd = -ESRCH;

	if (!t->tids.nr)
		return counters__open_event(c, e, attr, -1, cpu, -1);
	for (size_t i = 0; fd == -ESRCH && i < t->tids.nr; i++)
		fd = counters__open_event(c, e, attr, t->tids.v[i], cpu, -1);
	return fd;
}

static int try_open(struct counters *c, struct evsel *e, const struct target *t)
{
	struct perf_event_attr attr = evsel__attr_to_open(e, 0);
	int cpu, fd;

	if (first_cpu(e, t, &cpu)) /* not counted on any of the CPUs */
		return 0;
	fd = open_of_living(c, e, &attr, t, cpu);
	if (fd == -ESRCH) /* all threads have exited, which is not the event's fault */
		return 0;
	if (fd < 0)
		return fd;
	close(fd);
	evsel__take_opened(e, &attr);
	return 0;
}

/* Return the target's pid for checks__explain_open, with 0 (this process) for a workload. */
static pid_t asked_pid(const struct target *t)
{
	if (t->is_workload)
		return 0;
	return t->tids.nr ? t->tids.v[0] : -1;
}

static int try_less_precise(struct counters *c, struct evsel *e, const struct target *t, int error)
{
	while (error && error != -EACCES && error != -EPERM && e->attr.precise_ip) {
		e->attr.precise_ip--;
		error = try_open(c, e, t);
	}
	return error;
}

static bool is_refused(int error)
{
	return error == -EACCES || error == -EPERM;
}

/*
 * Retry without the kernel part of call chains: newer kernels (seen with 6.12.117) refuse it to unprivileged
 * users even if the event excludes the kernel.
 */
static int try_user_chains(struct counters *c, struct evsel *e, const struct target *t, int error)
{
	if (!is_refused(error) || !e->attr.exclude_kernel || !(e->attr.sample_type & PERF_SAMPLE_CALLCHAIN) ||
	    e->attr.exclude_callchain_kernel)
		return error;
	e->attr.exclude_callchain_kernel = 1;
	error = try_open(c, e, t);
	e->attr.exclude_callchain_kernel = !is_refused(error);
	return error;
}

static int try_user_only(struct counters *c, struct evsel *e, const struct target *t, int error,
			 bool *user_only)
{
	error = try_user_chains(c, e, t, error);
	if (!is_refused(error) || e->attr.exclude_kernel || e->attr.exclude_user ||
	    counter__is_all_kernel(&e->attr, e->name))
		return error;
	e->attr.exclude_kernel = 1;
	e->attr.exclude_hv = 1;
	error = try_user_chains(c, e, t, try_open(c, e, t));
	if (!error) {
		*user_only = true;
		if (!counters__is_tracking(e))
			evsel__name_user_only(e);
	}
	return error;
}

static bool is_cycles(const struct evsel *e)
{
	/* the upper half names the kind of core on hybrid processors */
	return e->attr.type == PERF_TYPE_HARDWARE && (u32)e->attr.config == PERF_COUNT_HW_CPU_CYCLES;
}

/* Return whether cpu-clock can replace e. Software events have no branch stacks. */
static bool can_be_clock(const struct evsel *e)
{
	return is_cycles(e) && !(e->attr.sample_type & PERF_SAMPLE_BRANCH_STACK);
}

/* "cycles:ppp" -> "cpu-clock", "cycles:u" -> "cpu-clock:u", "cpu_atom/cycles/u" -> "cpu-clock:u" */
static void become_cpu_clock(struct evsel *e)
{
	const char *mods = strrchr(e->name, strchr(e->name, '/') ? '/' : ':');
	struct strbuf name = STRBUF_INIT;

	strbuf__addstr(&name, "cpu-clock:");
	for (; mods && *mods; mods++)
		if (!strchr("/:pP", *mods))
			strbuf__addch(&name, *mods);
	if (name.buf[name.len - 1] == ':')
		strbuf__setlen(&name, name.len - 1);
	free(e->name);
	e->name = strbuf__detach(&name);
	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	e->attr.precise_ip = 0;
}

/*
 * Return the event to name in the error. If access was denied, that is a probe, which needs more privileges
 * than other events.
 */
static const struct evsel *to_blame(const struct evlist *l, const struct evsel *e, int error)
{
	for (size_t i = 0; (error == -EACCES || error == -EPERM) && i < l->evsels.nr; i++)
		if (l->evsels.v[i]->request->probe || l->evsels.v[i]->request->span)
			return l->evsels.v[i];
	return e;
}

static int settle_one(struct counters *c, struct evlist *l, struct evsel *e, const struct target *t,
		      struct counters_settled *settled, struct err *err)
{
	const struct perf_event_attr wanted = e->attr;
	bool user_only = false;
	int error;

	/* A probe has no fallbacks, and the kernel needs a tenth of a second to place and remove one. */
	if (e->request->probe || (e->request->span && !e->request->watch))
		return 0;
	error = try_less_precise(c, e, t, try_open(c, e, t));
	error = try_user_only(c, e, t, error, &user_only);
	if (error && can_be_clock(e) && counter__is_missing_hardware(-error) &&
	    (error != -EINVAL || !e->attr.use_clockid)) { /* hardware refuses some clocks of -k */
		e->attr = wanted;                         /* try with the kernel again, as asked */
		become_cpu_clock(e);
		error = try_user_only(c, e, t, try_open(c, e, t), &user_only);
		settled->fell_back |= !error;
	}
	settled->user_only |= user_only;
	if (!error) {
		evsel__name_less_precise(e, wanted.precise_ip - e->attr.precise_ip);
		return 0;
	}
	e->attr.precise_ip = wanted.precise_ip;
	return checks__explain_open(to_blame(l, e, error), error, asked_pid(t), err);
}

/*
 * Return whether the trial of e can be skipped. Opening and closing a tracepoint takes the kernel tens of
 * milliseconds, and -e 'syscalls:*' has hundreds, so after one tracepoint that opened as asked, skip the
 * others.
 */
static bool needs_no_try(const struct evsel *e, const struct counters_settled *settled)
{
	return e->attr.type == PERF_TYPE_TRACEPOINT && settled->had_tracepoint && !settled->user_only;
}

int counters__settle(struct counters *c, struct evlist *l, const struct target *t,
		     struct counters_settled *settled, struct err *err)
{
	int ret = 0;

	*settled = (struct counters_settled){ 0 };
	for (size_t i = 0; !ret && i < l->evsels.nr; i++) {
		struct evsel *e = l->evsels.v[i];

		if (e->request->tool != TOOL_NONE)
			return err__set(err, -EOPNOTSUPP,
					"'%s' is a number of the whole command: stat shows it", e->name);
		if (needs_no_try(e, settled))
			continue;
		ret = settle_one(c, l, e, t, settled, err);
		settled->had_tracepoint |= e->attr.type == PERF_TYPE_TRACEPOINT;
	}
	if (!ret)
		counters__apply_missing(c, l);
	return ret;
}

void counters__apply_missing(const struct counters *c, struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++)
		counter_missing__apply(&c->missing, &l->evsels.v[i]->attr);
}

/* ---- groups ---- */

/* Open the group of leader for tid and close it again. On failure, *refused is the member that failed. */
static int try_group_of(struct counters *c, struct evlist *l, const struct evsel *leader,
			const struct target *t, pid_t tid, const struct evsel **refused)
{
	int *fds = xcalloc(leader->nr_members, sizeof(*fds)), cpu, ret = 0;
	u32 nr = 0;

	*refused = leader;
	while (!first_cpu(leader, t, &cpu) && nr < leader->nr_members) {
		struct perf_event_attr attr = evsel__attr_to_open(l->evsels.v[leader->idx + nr], 0);

		*refused = l->evsels.v[leader->idx + nr];
		ret = counters__open_event(c, *refused, &attr, tid, cpu, nr ? fds[0] : -1);
		if (ret < 0)
			break;
		fds[nr++] = ret;
	}
	for (u32 i = 0; i < nr; i++)
		close(fds[i]);
	free(fds);
	return MIN(ret, 0);
}

static int try_group(struct counters *c, struct evlist *l, const struct evsel *leader, const struct target *t,
		     const struct evsel **refused)
{
	int ret = -ESRCH;

	if (!t->tids.nr)
		return try_group_of(c, l, leader, t, -1, refused);
	for (size_t i = 0; ret == -ESRCH && i < t->tids.nr; i++)
		ret = try_group_of(c, l, leader, t, t->tids.v[i], refused);
	return ret == -ESRCH ? 0 : ret;
}

static void break_up(struct evlist *l, struct evsel *leader)
{
	u32 nr = leader->nr_members;

	for (u32 i = leader->idx; i < leader->idx + nr; i++) {
		l->evsels.v[i]->leader = i;
		l->evsels.v[i]->nr_members = 1;
		l->evsels.v[i]->request->was_broken_up = true;
	}
}

static int explain_group(const struct evsel *leader, const struct evsel *e, int error, pid_t pid,
			 struct err *err)
{
	/* unrelated to the group */
	if (e == leader || error == -EACCES || error == -EPERM || error == -ENOSPC)
		return checks__explain_open(e, error, pid, err);
	err__set(err, error, "'%s' cannot be counted in one group with '%s' (%s)", e->name, leader->name,
		 err__str(error));
	err__advise(err, "a group has at most as many events as the processor has free counters, all of one "
			 "PMU; {...}:W lets perf break it up where it does not fit");
	return error;
}

int counters__settle_groups(struct counters *c, struct evlist *l, const struct target *t, bool *broke_up,
			    struct err *err)
{
	int ret = 0;

	*broke_up = false;
	for (size_t i = 0; !ret && i < l->evsels.nr; i++) {
		struct evsel *leader = l->evsels.v[i];
		const struct evsel *refused;

		if (leader->nr_members < 2)
			continue;
		ret = try_group(c, l, leader, t, &refused);
		if (ret && leader->request->is_weak) {
			break_up(l, leader);
			*broke_up = true;
			ret = 0;
		} else if (ret) {
			ret = explain_group(leader, refused, ret, asked_pid(t), err);
		}
	}
	return ret;
}
