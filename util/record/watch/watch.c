#include "record/watch/watch.h"

#include "base/message/msg.h"
#include "base/system/file.h"
#include "event/evsel/event_request.h"
#include "format/records/record.h"
#include "live/counter.h"
#include "record/watch/cover.h"
#include "record/target/process_maps.h"
#include "record/target/tracer.h"
#include "record/watch/watch_name.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* A process of one target, in which a variable is watched. */
struct watched_process {
	pid_t target; /* whose counters; 0: the workload, all counters */
	pid_t pid;    /* 0: not watched yet */
	u64 bias;
	bool told; /* reported why a process is not watched */
};

struct watch {
	struct evsel *e;
	struct watch_name name;
	struct perf_event_attr opened;           /* e's attr as the kernel has it */
	ARRAY(struct watched_process) processes; /* empty: in the kernel */
};

struct watches {
	struct scope *scope;
	struct counters *counters; /* NULL: not opened yet */
	struct tracer *tracer;
	bool told_early;
	ARRAY(struct watch) v;
};

/* ---- finding ---- */

static int too_long(const struct evsel *e, const struct watch_name *n, size_t needed, size_t left,
		    struct err *err)
{
	err__set(err, -ENOSPC,
		 "'%s' is %llu bytes long, which takes %zu watchpoints: %zu are left, for at most %llu bytes "
		 "from there on",
		 e->name, (unsigned long long)n->size, needed, left,
		 (unsigned long long)cover__reach(n->addr, left));
	err__advise(err, "watch a part of it: mem:%s+OFFSET/LENGTH, mem:%s[START:COUNT] or mem:%s.MEMBER",
		    e->request->watch->symbol, e->request->watch->symbol, e->request->watch->symbol);
	return -ENOSPC;
}

static int watch__set_attr(struct watch *w, size_t *left, struct err *err)
{
	struct evsel *e = w->e;
	struct watch_spec *spec = e->request->watch;
	struct watch_piece pieces[BREAKPOINTS_MAX];
	size_t nr = 1;

	e->attr.bp_type = spec->access ? spec->access : w->name.is_code ? HW_BREAKPOINT_X : HW_BREAKPOINT_RW;
	if (e->request->span) { /* its own pieces: record/watch/span_points.c */
		e->attr.bp_addr = spec->pieces.v[0].addr;
		e->attr.bp_len = spec->pieces.v[0].len;
		*left -= MIN(*left, spec->pieces.nr);
		return 0;
	}
	if (w->name.is_code)
		pieces[0] = (struct watch_piece){ w->name.addr, sizeof(long) };
	else
		nr = cover(w->name.addr, w->name.size, pieces, *left);
	if (nr > *left)
		return too_long(e, &w->name, nr, *left, err);
	*left -= nr;
	spec->is_absolute = !w->name.object;
	for (size_t i = 0; i < nr; i++)
		array__add(&spec->pieces, pieces[i]);
	e->attr.bp_addr = pieces[0].addr;
	e->attr.bp_len = pieces[0].len;
	return 0;
}

static void watch__add_processes(struct watch *w, const struct target *t)
{
	if (!w->name.object)
		return;
	if (t->is_workload)
		array__add(&w->processes, ((struct watched_process){ .target = 0 }));
	for (size_t i = 0; !t->is_workload && i < t->pids.nr; i++)
		array__add(&w->processes, ((struct watched_process){ .target = t->pids.v[i] }));
}

/* A program that uses a variable of a library may have its own copy of it (a copy relocation). */
static void watch__follow_export(struct watch *w, const struct scope *s)
{
	struct watch_name *n = &w->name;
	struct elf_name taken;

	for (size_t i = 0; n->exported && i < s->objects.nr; i++) {
		struct elf_object *program = s->objects.v[i].elf;

		if (!s->objects.v[i].is_program || program == n->object ||
		    !elf_object__find_exported(program, n->exported, &taken))
			continue;
		n->addr += taken.addr - n->symbol;
		n->symbol = taken.addr;
		n->object = program;
	}
}

static int watches__add(struct watches *ws, struct evsel *e, size_t *left, struct err *err)
{
	struct watch *w = array__push(&ws->v);
	int ret;

	*w = (struct watch){ .e = e };
	ret = watch_name__find(&w->name, e->request->watch, ws->scope,
			       e->attr.exclude_kernel ? WATCH_USER : WATCH_ANY, err);
	if (ret)
		return ret;
	watch__follow_export(w, ws->scope);
	watch__add_processes(w, ws->scope->target);
	return watch__set_attr(w, left, err);
}

int watches__new(struct watches **watches, struct evlist *l, struct scope *scope, struct err *err)
{
	struct watches *ws = NULL;
	size_t left = 0;
	int ret = 0;

	for (size_t i = 0; !ret && i < l->evsels.nr; i++) {
		if (!l->evsels.v[i]->request->watch)
			continue;
		if (!ws) {
			ws = xcalloc(1, sizeof(*ws));
			ws->scope = scope;
			left = counter__breakpoints_to_try();
		}
		ret = watches__add(ws, l->evsels.v[i], &left, err);
	}
	if (ret) {
		watches__delete(ws);
		ws = NULL;
	}
	*watches = ws;
	return ret;
}

void watches__delete(struct watches *ws)
{
	if (!ws)
		return;
	for (size_t i = 0; i < ws->v.nr; i++) {
		watch_name__exit(&ws->v.v[i].name);
		array__exit(&ws->v.v[i].processes);
	}
	array__exit(&ws->v);
	tracer__delete(ws->tracer);
	free(ws);
}

/* ---- placing ---- */

/* Does the process still have the variable at this address? */
static bool watched_process__holds(const struct watched_process *p, const struct watch_name *n)
{
	struct process_maps maps;
	bool holds;
	u64 bias;

	if (!p->pid || process_maps__read(&maps, p->pid))
		return false;
	holds = process_maps__bias(&maps, n->object, n->symbol, &bias) && bias == p->bias;
	process_maps__exit(&maps);
	return holds;
}

static void tell_other(const struct watch *w, struct watched_process *p, pid_t pid)
{
	if (!p->told)
		warning("'%s' is watched in process %d only: process %d has it elsewhere; record that one "
			"with -p, or start them with setarch -R",
			w->e->name, p->pid, pid);
	p->told = true;
}

static int watches__move(struct watches *ws, struct watch *w, struct watched_process *p, pid_t pid, u64 bias)
{
	int_array tids = { 0 };
	int ret = p->target ? proc__tids(p->target, &tids) : 0;

	if (!ret)
		ret = counters__place(ws->counters, w->e, &w->opened, p->target ? &tids : NULL, bias);
	array__exit(&tids);
	if (ret) {
		warning("'%s' cannot be placed in process %d: %s", w->e->name, pid, err__str(ret));
		return ret;
	}
	p->pid = pid;
	p->bias = bias;
	debug(1, "watch", "'%s' is at 0x%llx in process %d", w->e->name,
	      (unsigned long long)(w->name.addr + bias), pid);
	return 0;
}

/*
 * Does the program of a process have its own copy of the variable, of a library not known to be one of its
 * libraries?
 */
static bool watched_process__is_taken_over(struct watched_process *p, const struct watch *w, pid_t pid)
{
	char *path = w->name.exported ? file__link_target("/proc/%d/exe", pid) : NULL;
	struct elf_object *program;
	struct elf_name taken;
	bool is_so = false;

	if (path && strcmp(path, elf_object__path(w->name.object)) != 0 &&
	    !elf_object__open(&program, "", path, NULL)) {
		is_so = elf_object__find_exported(program, w->name.exported, &taken);
		elf_object__delete(program);
	}
	if (is_so && !p->told)
		warning("'%s': '%s' has the variable in the library's place: mem:%s@%s", w->e->name, path,
			w->name.exported, path);
	p->told |= is_so;
	free(path);
	return is_so;
}

/* Return whether the process has the variable; watch it, unless another process is already watched. */
static bool watches__place_one(struct watches *ws, struct watch *w, struct watched_process *p, pid_t pid,
			       const struct process_maps *maps)
{
	u64 bias;

	if (!process_maps__bias(maps, w->name.object, w->name.symbol, &bias))
		return false;
	if (p->pid && p->bias == bias)
		return true;
	if (!p->pid && watched_process__is_taken_over(p, w, pid))
		return false;
	if (p->pid != pid && watched_process__holds(p, &w->name))
		tell_other(w, p, pid);
	else
		watches__move(ws, w, p, pid, bias);
	return true;
}

/* Look for the variables in a process of target (0: the workload). Return whether it has any. */
static bool watches__look_into(struct watches *ws, pid_t target, pid_t pid)
{
	struct process_maps maps;
	bool any = false;

	if (process_maps__read(&maps, pid))
		return false;
	for (size_t i = 0; i < ws->v.nr; i++)
		for (size_t k = 0; k < ws->v.v[i].processes.nr; k++)
			if (ws->v.v[i].processes.v[k].target == target)
				any |= watches__place_one(ws, &ws->v.v[i], &ws->v.v[i].processes.v[k], pid,
							  &maps);
	process_maps__exit(&maps);
	return any;
}

void watches__place(struct watches *ws, struct counters *c)
{
	const struct target *t = ws->scope->target;

	ws->counters = c;
	for (size_t i = 0; i < ws->v.nr; i++)
		ws->v.v[i].opened = ws->v.v[i].e->attr;
	for (size_t i = 0; !t->is_workload && i < t->pids.nr; i++)
		watches__look_into(ws, t->pids.v[i], t->pids.v[i]);
	for (size_t i = 0; !t->is_workload && i < ws->v.nr; i++) {
		struct watch *w = &ws->v.v[i];

		if (!w->processes.nr)
			continue;
		if (w->processes.v[0].pid) /* the file has the address in the first process */
			w->e->attr.bp_addr += w->processes.v[0].bias;
		else
			info("'%s' waits until '%s' is mapped", w->e->name, elf_object__path(w->name.object));
	}
}

/* ---- commands ---- */

static bool see_stopped(pid_t pid, void *ctx)
{
	struct watches *ws = ctx;

	if (tracer__was_early(ws->tracer) && !ws->told_early)
		warning("programs cannot be stopped after their loader on this machine: its writes are "
			"counted, "
			"too, and variables of libraries are watched from a little later on");
	ws->told_early = tracer__was_early(ws->tracer);
	return watches__look_into(ws, 0, pid) && !watches__are_waiting(ws);
}

/* A program that gains privileges at its exec does not gain them when an ordinary user traces it. */
static int check_privileges(char *const *argv, struct err *err)
{
	char *path = NULL;
	struct stat st;
	bool gains;

	if (!geteuid() || command__find(argv[0], &path))
		return 0;
	gains = !stat(path, &st) &&
		((st.st_mode & (S_ISUID | S_ISGID)) || getxattr(path, "security.capability", NULL, 0) > 0);
	if (gains) {
		err__set(err, -EPERM,
			 "'%s' runs with privileges of its own: its variables can be watched by root only",
			 path);
		err__advise(err, "record it as root");
	}
	free(path);
	return gains ? -EPERM : 0;
}

/* Are all the variables in the program that the command starts, or in the libraries it starts with? */
static bool watches__are_of_command(const struct watches *ws)
{
	for (size_t i = 0; i < ws->v.nr; i++) {
		bool known = !ws->v.v[i].name.object;

		for (size_t k = 0; !known && k < ws->scope->objects.nr; k++)
			known = ws->scope->objects.v[k].elf == ws->v.v[i].name.object;
		if (!known)
			return false;
	}
	return true;
}

int watches__trace(struct watches *ws, struct workload *w, struct err *err)
{
	struct tracer_opts opts = { .stopped = see_stopped, .ctx = ws };
	bool any = false;
	int ret;

	for (size_t i = 0; i < ws->v.nr; i++)
		any |= ws->v.v[i].processes.nr != 0;
	if (!any || !w->pid || !ws->scope->target->is_workload)
		return 0;
	opts.follow = !watches__are_of_command(ws);
	if (opts.follow && !ws->v.v[0].opened.inherit)
		warning("-i and --per-thread leave out what the command starts: variables there are not "
			"watched");
	ret = check_privileges(ws->scope->argv, err);
	if (!ret)
		ret = tracer__new(&ws->tracer, w->pid, &opts, err);
	w->tracer = ws->tracer;
	return ret;
}

/* ---- while recording ---- */

static bool watches__is_wanted(const struct watches *ws, const char *file)
{
	for (size_t i = 0; i < ws->v.nr; i++)
		if (ws->v.v[i].name.object && !strcmp(elf_object__path(ws->v.v[i].name.object), file))
			return true;
	return false;
}

void watches__see(struct watches *ws, const struct perf_event_header *h)
{
	struct record r = { .header = h };
	struct mmap_record m;

	if ((h->type != PERF_RECORD_MMAP && h->type != PERF_RECORD_MMAP2) || !record__mmap(&r, &m) ||
	    !watches__is_wanted(ws, m.filename))
		return;
	if (ws->tracer && !tracer__is_past(ws->tracer, (pid_t)m.pid))
		/* do not count the loader's own accesses; the process will be stopped after them */
		return;
	watches__look_into(ws, ws->scope->target->is_workload ? 0 : (pid_t)m.pid, (pid_t)m.pid);
}

/* Not found yet, or its process has ended and another one may follow. */
static bool watched_process__is_waiting(const struct watched_process *p)
{
	return !p->pid || (kill(p->pid, 0) && errno == ESRCH);
}

bool watches__are_waiting(const struct watches *ws)
{
	for (size_t i = 0; i < ws->v.nr; i++)
		for (size_t k = 0; k < ws->v.v[i].processes.nr; k++)
			if (watched_process__is_waiting(&ws->v.v[i].processes.v[k]))
				return true;
	return false;
}

void watches__tell_unplaced(const struct watches *ws)
{
	for (size_t i = 0; i < ws->v.nr; i++) {
		const struct watch *w = &ws->v.v[i];
		bool placed = !w->processes.nr;

		for (size_t k = 0; k < w->processes.nr; k++)
			placed |= w->processes.v[k].pid || w->processes.v[k].told;
		if (!placed)
			warning("'%s' was never watched: '%s' was not mapped", w->e->name,
				elf_object__path(w->name.object));
	}
}
