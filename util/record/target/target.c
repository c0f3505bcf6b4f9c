#include "record/target/target.h"

#include "base/message/msg.h"
#include "base/text/number.h"
#include "live/checks.h"
#include "live/counter.h"
#include "live/limits.h"
#include "live/proc.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <pwd.h>

static int parse_list(const char *what, const char *text, int_array *list, struct err *err)
{
	int ret = int_list__parse(text, INT_MAX, list);

	if (ret)
		return err__set(err, -EINVAL, "'%s' is not a list of %s such as 0,2-3", text, what);
	return 0;
}

static void append(int_array *to, const int_array *from)
{
	for (size_t i = 0; i < from->nr; i++)
		array__add(to, from->v[i]);
}

/* Add all threads of the processes, skipping processes that have ended. */
static void target__add_processes(struct target *t, const int_array *pids)
{
	for (size_t i = 0; i < pids->nr; i++) {
		int_array tids = { 0 };

		if (!proc__tids(pids->v[i], &tids) && tids.nr) {
			append(&t->tids, &tids);
			array__add(&t->pids, pids->v[i]);
		}
		array__exit(&tids);
	}
}

static int target__add_pids(struct target *t, const char *text, struct err *err)
{
	int_array pids = { 0 };
	int ret = parse_list("process ids", text, &pids, err);

	if (!ret) {
		target__add_processes(t, &pids);
		if (!t->tids.nr)
			ret = checks__explain_to(
				&(struct failure){ .attempt = ATTEMPT_FIND, .error = -ESRCH, .name = text },
				err);
	}
	array__exit(&pids);
	return ret;
}

static int target__add_tids(struct target *t, const char *text, struct err *err)
{
	int_array tids = { 0 };
	int ret = parse_list("thread ids", text, &tids, err);

	for (size_t i = 0; !ret && i < tids.nr; i++) {
		struct proc_status s;

		if (proc__status(tids.v[i], tids.v[i], &s))
			continue;
		array__add(&t->tids, tids.v[i]);
		array__add(&t->pids, s.tgid);
	}
	array__exit(&tids);
	if (!ret && !t->tids.nr)
		ret = err__set(err, -ESRCH, "no such thread: %s", text);
	return ret;
}

static int find_user(const char *name, u32 *uid, struct err *err)
{
	const struct passwd *pw = getpwnam(name);
	u64 n;

	if (pw) {
		*uid = pw->pw_uid;
		return 0;
	}
	if (!number__parse(name, 0, UINT_MAX - 1, &n))
		return err__set(err, -ENOENT, "no such user: '%s'", name);
	*uid = (u32)n;
	return 0;
}

static bool may_count(int pid)
{
	const struct perf_event_attr dummy = { .type = PERF_TYPE_SOFTWARE,
					       .size = sizeof(dummy),
					       .config = PERF_COUNT_SW_DUMMY,
					       .exclude_kernel = 1 };
	int ret = counter__try(dummy, pid, -1);

	return ret != -EACCES && ret != -EPERM;
}

/* Leave out the user's processes that nobody but root may look at, such as ssh-agent, if there are others. */
static void leave_out_private(int_array *pids, const char *user)
{
	size_t nr = 0, all = pids->nr;

	for (size_t i = 0; i < all; i++)
		if (may_count(pids->v[i])) {
			int pid = pids->v[i];

			pids->v[i] = pids->v[nr];
			pids->v[nr++] = pid;
		}
	if (!nr || nr == all)
		return;
	pids->nr = nr;
	warning("%zu of %zu processes of user %s cannot be recorded: they have privileges, their programs "
		"are "
		"unreadable, or they asked for this (PR_SET_DUMPABLE)",
		all - nr, all, user);
}

static int target__add_user(struct target *t, const char *name, struct err *err)
{
	int_array pids = { 0 };
	u32 uid = 0;
	int ret = find_user(name, &uid, err);

	if (!ret)
		ret = proc__pids_of_user(uid, &pids);
	if (!ret) {
		leave_out_private(&pids, name);
		target__add_processes(t, &pids);
		if (!t->tids.nr)
			ret = err__set(err, -ESRCH, "user '%s' has no processes", name);
	}
	array__exit(&pids);
	return ret;
}

static int target__take_cpu_list(struct target *t, const char *list, const int_array *online, struct err *err)
{
	int ret = parse_list("CPUs", list, &t->cpus, err);

	for (size_t i = 0; !ret && i < t->cpus.nr; i++)
		if (!int_list__has(online, t->cpus.v[i]))
			ret = err__set(err, -EINVAL, "CPU %d is not online", t->cpus.v[i]);
	for (size_t i = 0; !ret && i < online->nr; i++)
		if (!int_list__has(&t->cpus, online->v[i]))
			array__add(&t->side_band_cpus, online->v[i]);
	return ret;
}

static int target__choose_cpus(struct target *t, const struct target_opts *opts, struct err *err)
{
	int_array online = { 0 };
	int ret = 0;

	if (t->per_thread) {
		array__add(&t->cpus, -1);
		return 0;
	}
	limits__online_cpus(&online);
	t->has_cpu_list = opts->cpus;
	if (opts->cpus)
		ret = target__take_cpu_list(t, opts->cpus, &online, err);
	else
		append(&t->cpus, &online);
	array__exit(&online);
	return ret;
}

/* If options exclude each other, keep the narrower one and warn, as stock perf does. */
static int target__narrow(struct target_opts *o, struct err *err)
{
	bool threads = o->pids || o->tids;

	if (!threads && !o->user && !o->system_wide && !o->cpus && !o->has_workload)
		return err__set(err, -EINVAL,
				"nothing to record: give a command, -p PID, -t TID, -u USER or -a");
	if (threads && o->user)
		warning("-u is ignored beside -p and -t");
	if (threads)
		o->user = NULL;
	if ((threads || o->user) && o->system_wide) {
		warning("-a is ignored beside %s", threads ? "-p and -t" : "-u");
		o->system_wide = false;
	}
	if (o->per_thread && (o->system_wide || (o->cpus && !threads && !o->user)))
		warning("--per-thread is ignored beside -a and -C");
	return 0;
}

int target__init(struct target *t, const struct target_opts *given, struct err *err)
{
	struct target_opts opts = *given;
	int ret = target__narrow(&opts, err);

	*t = (struct target){ 0 };
	if (!ret && opts.pids)
		ret = target__add_pids(t, opts.pids, err);
	if (!ret && opts.tids)
		ret = target__add_tids(t, opts.tids, err);
	if (!ret && opts.user)
		ret = target__add_user(t, opts.user, err);
	if (ret)
		return ret;
	int_list__sort_unique(&t->tids); /* -p 5 -t 5 must not count anything twice */
	int_list__sort_unique(&t->pids);
	t->system_wide = opts.system_wide || (opts.cpus && !t->tids.nr);
	t->is_workload = !t->system_wide && !t->tids.nr;
	t->per_thread = opts.per_thread && !t->system_wide;
	return target__choose_cpus(t, &opts, err);
}

static void describe_tasks(const int_array *ids, const char *one, const char *many, struct strbuf *out)
{
	enum { NAMED_MAX = 3 };

	if (ids->nr == 1)
		strbuf__addstr(out, one);
	else
		strbuf__addf(out, "%zu %s:", ids->nr, many);
	for (size_t i = 0; i < ids->nr && i < NAMED_MAX; i++) {
		struct proc_status s;

		strbuf__addf(out, "%s %d", i ? "," : "", ids->v[i]);
		if (!proc__status(ids->v[i], ids->v[i], &s))
			strbuf__addf(out, " (%s)", s.comm);
	}
	if (ids->nr > NAMED_MAX)
		strbuf__addstr(out, ", ...");
}

void target__describe(const struct target *t, bool threads, struct strbuf *out)
{
	if (threads)
		describe_tasks(&t->tids, "thread", "threads", out);
	else if (t->tids.nr)
		describe_tasks(&t->pids, "process", "processes", out);
	else
		strbuf__addstr(out, "all processes");
	if (!t->side_band_cpus.nr)
		return;
	strbuf__addstr(out, t->cpus.nr > 1 ? " on CPUs" : " on CPU");
	for (size_t i = 0, last; i < t->cpus.nr; i = last + 1) {
		for (last = i; last + 1 < t->cpus.nr && t->cpus.v[last + 1] == t->cpus.v[last] + 1; last++)
			;
		strbuf__addf(out, "%s%d", i ? "," : " ", t->cpus.v[i]);
		if (last > i)
			strbuf__addf(out, "-%d", t->cpus.v[last]);
	}
}

void target__exit(struct target *t)
{
	array__exit(&t->tids);
	array__exit(&t->pids);
	array__exit(&t->cpus);
	array__exit(&t->side_band_cpus);
}
