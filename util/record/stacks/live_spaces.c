#include "record/stacks/live_spaces.h"

#include "base/system/clock.h"
#include "binary/symbols/vdso.h"
#include "live/proc.h"

#include <string.h>
#include <sys/mman.h>

enum {
	RECENT_MAX = 256,   /* recent maps of a space that are searched linearly */
	PAST_MAX = 4096,    /* replaced maps of a space, which are searched linearly, too */
	READ_AGAIN_MS = 10, /* minimum time between reads of /proc/PID/maps, doubled after each read */
	READ_AGAIN_MAX_MS = 10000,
	TIDY_S = 10,
	UNUSED_MAX = 1024,  /* binaries that no process has mapped, beside as many as are mapped */
	MAPS_MAX = 1 << 14, /* maps of a space, or twice as many as are there: then it is trimmed */
};

bool live_spaces__is_vdso(const struct live_spaces *l, const struct live_map *m)
{
	return m->binary && vdso__is_name(live_binaries__name(&l->binaries, m->binary));
}

/* ---- one space ---- */

static struct live_space *live_space__new(struct live_spaces *l, u64 since)
{
	struct live_space *s = xcalloc(1, sizeof(*s));

	s->id = ++l->next_id;
	l->made++;
	s->since = since;
	s->maps_max = MAPS_MAX;
	return s;
}

static void live_space__delete(struct live_space *s)
{
	array__exit(&s->maps);
	array__exit(&s->recent);
	array__exit(&s->past);
	free(s);
}

static bool live_map__covers(const struct live_map *m, u64 addr)
{
	return addr >= m->start && addr < m->end;
}

/* Return the index in s->maps of the first map that ends after addr. */
static size_t live_space__lower_bound(const struct live_space *s, u64 addr)
{
	return bisect(i, 0, s->maps.nr, s->maps.v[i].end <= addr);
}

static void live_space__retire(struct live_space *s, const struct live_map *m, u64 until)
{
	struct live_map old = *m;

	old.until = until;
	if (s->past.nr == PAST_MAX) { /* such as in a program that compiles all the time */
		s->past.nr /= 2;
		memmove(s->past.v, s->past.v + s->past.nr, s->past.nr * sizeof(*s->past.v));
	}
	array__add(&s->past, old);
}

/* Return the part of m from start on. */
static struct live_map live_map__from(const struct live_map *m, u64 start)
{
	struct live_map part = *m;

	part.pgoff += start - m->start;
	part.start = start;
	return part;
}

/*
 * Insert newer maps, which must be sorted by address like maps, in place of the parts that they cover. Keep
 * the covered maps in s->past.
 */
static void live_space__overlay(struct live_space *s, live_map_array *maps, const struct live_map *newer,
				size_t nr)
{
	live_map_array out = { 0 };
	size_t k = 0;

	array__reserve(&out, maps->nr + 2 * nr);
	for (size_t i = 0; i < maps->nr; i++) {
		struct live_map rest = maps->v[i];
		bool is_cut = false;

		while (k < nr && newer[k].end <= rest.start)
			array__add(&out, newer[k++]);
		for (; k < nr && newer[k].start < rest.end; is_cut = true) {
			if (!is_cut)
				live_space__retire(s, &rest, newer[k].since);
			if (newer[k].start > rest.start) {
				array__add(&out, rest);
				out.v[out.nr - 1].end = newer[k].start;
			}
			rest = live_map__from(&rest, MIN(newer[k].end, rest.end));
			if (rest.start == rest.end) /* the newer map may cover the next ones as well */
				break;
			array__add(&out, newer[k++]);
		}
		if (rest.start < rest.end)
			array__add(&out, rest);
	}
	while (k < nr)
		array__add(&out, newer[k++]);
	array__exit(maps);
	*maps = out;
}

/* Merge the recent maps into those sorted by address. */
static void live_space__file_recent(struct live_space *s)
{
	live_map_array newer = { 0 };

	for (size_t i = 0; i < s->recent.nr; i++)
		live_space__overlay(s, &newer, &s->recent.v[i], 1);
	live_space__overlay(s, &s->maps, newer.v, newer.nr);
	s->recent.nr = 0;
	array__exit(&newer);
}

static void live_space__add(struct live_spaces *l, struct live_space *s, const struct live_map *m)
{
	if (m->end <= m->start)
		return;
	array__add(&s->recent, *m);
	l->made++;
	s->changed = MAX(s->changed, m->since);
	s->id = ++l->next_id;
	if (s->recent.nr == RECENT_MAX)
		live_space__file_recent(s);
}

static const struct live_map *live_space__find(const struct live_space *s, u64 addr, u64 time)
{
	const struct live_map *later = NULL;
	size_t i;

	for (i = s->recent.nr; i-- > 0;) {
		const struct live_map *m = &s->recent.v[i];

		if (!live_map__covers(m, addr))
			continue;
		if (m->since <= time)
			return m;
		later = m;
	}
	i = live_space__lower_bound(s, addr);
	if (i < s->maps.nr && live_map__covers(&s->maps.v[i], addr)) {
		if (s->maps.v[i].since <= time)
			return &s->maps.v[i];
		later = later ? later : &s->maps.v[i];
	}
	for (i = s->past.nr; i-- > 0;) {
		const struct live_map *m = &s->past.v[i];

		if (live_map__covers(m, addr) && m->since <= time && time < m->until)
			return m;
	}
	return later; /* a map from shortly after the sample is a better guess than none */
}

static void live_space__copy_maps(struct live_spaces *l, struct live_space *to, struct live_space *from,
				  u64 time)
{
	live_space__file_recent(from);
	for (size_t i = 0; i < from->maps.nr; i++)
		if (from->maps.v[i].since <= time)
			array__add(&to->maps, from->maps.v[i]);
	l->made += to->maps.nr;
	to->id = ++l->next_id;
}

/* ---- processes ---- */

void live_spaces__init(struct live_spaces *l)
{
	*l = (struct live_spaces){ .next_id = 0 };
	live_binaries__init(&l->binaries);
}

static void live_process__delete(struct live_process *p)
{
	for (size_t i = 0; i < p->spaces.nr; i++)
		live_space__delete(p->spaces.v[i]);
	array__exit(&p->spaces);
	free(p);
}

void live_spaces__exit(struct live_spaces *l)
{
	for (size_t i = 0; i < l->processes.nr; i++)
		live_process__delete(l->processes.v[i]);
	for (size_t i = 0; i < ARRAY_SIZE(l->by_pid); i++)
		free(l->by_pid[i]);
	array__exit(&l->processes);
	live_binaries__exit(&l->binaries);
}

static struct live_process **live_spaces__slot(struct live_spaces *l, u32 pid)
{
	struct live_process ***table = &l->by_pid[pid / LIVE_PIDS_PER_TABLE % ARRAY_SIZE(l->by_pid)];

	if (!*table)
		*table = xcalloc_table(LIVE_PIDS_PER_TABLE, sizeof(**table));
	return &(*table)[pid % LIVE_PIDS_PER_TABLE];
}

/* Return a process, made on first use. */
static struct live_process *live_spaces__add_process(struct live_spaces *l, u32 pid)
{
	struct live_process **slot = live_spaces__slot(l, pid), *p = *slot;

	if (p)
		return p;
	p = xcalloc(1, sizeof(*p));
	p->pid = pid;
	array__add(&p->spaces, live_space__new(l, 0));
	*slot = p;
	array__add(&l->processes, p);
	return p;
}

/* Likewise, of a process that may have run before: the EXIT record of its first thread may never come. */
static struct live_process *live_spaces__process(struct live_spaces *l, u32 pid)
{
	bool is_new = !*live_spaces__slot(l, pid);
	struct live_process *p = live_spaces__add_process(l, pid);

	if (is_new && pid && proc__outlives_first_thread((pid_t)pid)) {
		p->exited = MAX(l->newest, 1);
		p->outlived = true;
	}
	return p;
}

static struct live_space *live_process__space(const struct live_process *p, u64 time)
{
	size_t i = p->spaces.nr - 1;

	while (i && p->spaces.v[i]->since > time)
		i--;
	return p->spaces.v[i];
}

/* Begin another program after an exec, or another process with a reused pid. */
static struct live_space *live_process__begin(struct live_spaces *l, struct live_process *p, u64 time)
{
	struct live_space *s = live_space__new(l, time);

	p->nr_reads = 0;
	p->exited = 0;
	p->has_threads = p->outlived = false;
	array__add(&p->spaces, s);
	return s;
}

static const char *name_at(const char *name, u64 start)
{
	return vdso__name_at(name, start, sizeof(void *) == 8);
}

/* ---- /proc ---- */

static void live_spaces__add_proc_map(struct live_spaces *l, struct live_space *s, const struct proc_map *map)
{
	const char *name = name_at(map->name, map->start);
	struct live_binary b = { .maj = map->maj, .min = map->min, .ino = map->ino };
	struct live_map m = { .start = map->start,
			      .end = map->end,
			      .pgoff = vdso__is_name(name) ? 0 : map->pgoff,
			      .until = UINT64_MAX };

	if (!(map->prot & PROT_EXEC) || live_space__find(s, map->start, UINT64_MAX))
		return;
	m.binary = live_binaries__add(&l->binaries, name, &b);
	live_space__add(l, s, &m);
}

/* Add what /proc says is mapped now, where no map is known. */
static void live_spaces__read_maps(struct live_spaces *l, u32 pid, struct live_space *s)
{
	struct strbuf text = STRBUF_INIT;
	struct proc_map map;
	char *at;

	if (!proc__maps((pid_t)pid, &text)) {
		at = text.buf;
		while (at < text.buf + text.len)
			if (proc_map__parse(&at, text.buf + text.len, &map))
				live_spaces__add_proc_map(l, s, &map);
	}
	strbuf__exit(&text);
}

/* Likewise, with a minimum interval. Return whether there was anything to add. */
static bool live_spaces__read_proc(struct live_spaces *l, struct live_process *p, struct live_space *s)
{
	u64 now = clock__ns(),
	    wait_ms = MIN((u64)READ_AGAIN_MS << MIN(p->nr_reads, 12u), (u64)READ_AGAIN_MAX_MS);
	u64 id = s->id;

	if (!p->pid || (p->nr_reads && now - p->read_at < wait_ms * 1000000))
		return false;
	p->nr_reads++;
	p->read_at = now;
	if (p->exited && !proc__outlives_first_thread((pid_t)p->pid))
		return false; /* another process may have its number */
	live_spaces__read_maps(l, p->pid, s);
	return s->id != id;
}

/* ---- maps that are gone ---- */

/* Is a part of the map in s, whose maps are all filed? */
static bool live_space__has(const struct live_space *s, const struct live_map *m)
{
	size_t i = live_space__lower_bound(s, m->start);

	return i < s->maps.nr && s->maps.v[i].start < m->end;
}

/*
 * Drop what is not mapped any more: the kernel does not report that. Where /proc does not say what is mapped,
 * as of pid 0, keep the maps of files, or nothing if they are many.
 */
static void live_spaces__trim(struct live_spaces *l, struct live_process *p, struct live_space *s, u64 time)
{
	struct live_space *now = live_space__new(l, 0);
	live_map_array maps;
	size_t nr_files = 0;

	if (p->pid && s == live_process__space(p, UINT64_MAX))
		live_spaces__read_maps(l, p->pid, now);
	live_space__file_recent(now);
	live_space__file_recent(s);
	maps = s->maps;
	s->maps = (live_map_array){ 0 };
	for (size_t i = 0; i < maps.nr; i++)
		nr_files += maps.v[i].binary != 0;
	for (size_t i = 0; i < maps.nr; i++) {
		const struct live_map *m = &maps.v[i];

		if (now->maps.nr ? live_space__has(now, m) : m->binary && nr_files <= MAPS_MAX / 2)
			array__add(&s->maps, *m);
		else
			live_space__retire(s, m, time);
	}
	s->maps_max = MAX((size_t)MAPS_MAX, 2 * s->maps.nr);
	s->changed = MAX(s->changed, time);
	s->id = ++l->next_id;
	array__exit(&maps);
	live_space__delete(now);
}

/* ---- records ---- */

static void see_mmap(struct live_spaces *l, const struct record *r, u64 time)
{
	struct live_map m = { .since = time, .until = UINT64_MAX };
	struct live_binary b;
	struct live_process *p;
	struct live_space *s;
	struct mmap_record map;
	const char *name;

	if (!record__mmap(r, &map) || map.is_data || map.cpumode != PERF_RECORD_MISC_USER ||
	    !(map.prot & PROT_EXEC))
		return;
	m.start = map.start;
	m.end = map.start + map.len < map.start ? UINT64_MAX : map.start + map.len;
	name = name_at(map.filename, map.start);
	m.pgoff = vdso__is_name(name) ? 0 : map.pgoff; /* the vdso is not a file with offsets */
	b = (struct live_binary){
		.maj = map.maj, .min = map.min, .ino = map.ino, .ino_generation = map.ino_generation
	};
	if (map.has_build_id) {
		b.build_id.size = map.build_id_size;
		memcpy(b.build_id.data, map.build_id, map.build_id_size);
	}
	m.binary = live_binaries__add(&l->binaries, name, &b);
	p = live_spaces__process(l, map.pid);
	s = live_process__space(p, time ? time : UINT64_MAX);
	if (s->maps.nr >= s->maps_max)
		live_spaces__trim(l, p, s, time);
	live_space__add(l, s, &m);
}

static void see_comm(struct live_spaces *l, const struct record *r, u64 time)
{
	struct comm_record comm;

	if (record__comm(r, &comm) && comm.exec && comm.pid)
		live_process__begin(l, live_spaces__process(l, comm.pid), time);
}

static void see_thread(struct live_spaces *l, u32 pid)
{
	struct live_process *p = *live_spaces__slot(l, pid);

	if (p)
		p->has_threads = true;
}

static void see_fork(struct live_spaces *l, const struct record *r, u64 time)
{
	struct task_record t;
	struct live_space *parent, *child;

	if (!record__task(r, &t))
		return;
	if (t.pid == t.ppid)
		see_thread(l, t.pid);
	if (t.synthesized || t.pid == t.ppid)
		return;
	parent = live_process__space(live_spaces__process(l, t.ppid), time);
	child = live_process__begin(l, live_spaces__add_process(l, t.pid), time);
	live_space__copy_maps(l, child, parent, time);
}

/* The first thread has ended. The process may go on: live_process__is_over looks again. */
static void see_exit(struct live_spaces *l, const struct record *r, u64 time)
{
	struct live_process *p;
	struct task_record t;

	if (!record__task(r, &t) || t.pid != t.tid || !t.pid)
		return;
	p = live_spaces__process(l, t.pid);
	if (live_process__space(p, UINT64_MAX)->since > time)
		return;
	p->exited = time;
	p->outlived = p->has_threads && proc__outlives_first_thread((pid_t)t.pid);
}

void live_spaces__see(struct live_spaces *l, const struct record *r, u64 time)
{
	l->newest = MAX(l->newest, time);
	switch (r->header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		see_mmap(l, r, time);
		break;
	case PERF_RECORD_COMM:
		see_comm(l, r, time);
		break;
	case PERF_RECORD_FORK:
		see_fork(l, r, time);
		break;
	case PERF_RECORD_EXIT:
		see_exit(l, r, time);
		break;
	}
}

static void live_space__forget(struct live_space *s, u64 time)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->past.nr; i++)
		if (s->past.v[i].until >= time)
			s->past.v[nr++] = s->past.v[i];
	s->past.nr = nr;
}

static void live_process__forget(struct live_process *p, u64 time)
{
	size_t over = 0;

	while (over + 1 < p->spaces.nr && p->spaces.v[over + 1]->since < time)
		live_space__delete(p->spaces.v[over++]);
	if (over) {
		p->spaces.nr -= over;
		memmove(p->spaces.v, p->spaces.v + over, p->spaces.nr * sizeof(*p->spaces.v));
	}
	for (size_t i = 0; i < p->spaces.nr; i++)
		live_space__forget(p->spaces.v[i], time);
}

/*
 * Did the process end before a time? It ends with its last thread; EXIT records may be lost, and do not tell
 * how many threads there were, so ask /proc. Samples from before the end may still come.
 */
static bool live_process__is_over(const struct live_spaces *l, struct live_process *p, u64 time)
{
	bool was_outlived = p->outlived;

	if (!p->exited || p->exited >= time)
		return false;
	p->outlived = proc__outlives_first_thread((pid_t)p->pid);
	if (was_outlived && !p->outlived)
		p->exited = MAX(l->newest, time);
	return !was_outlived && !p->outlived;
}

void live_spaces__forget(struct live_spaces *l, u64 time)
{
	size_t nr = 0;

	for (size_t i = 0; i < l->processes.nr; i++) {
		struct live_process *p = l->processes.v[i];

		if (live_process__is_over(l, p, time)) {
			*live_spaces__slot(l, p->pid) = NULL;
			live_process__delete(p);
			continue;
		}
		live_process__forget(p, time);
		l->processes.v[nr++] = p;
	}
	l->processes.nr = nr;
}

/* ---- binaries that are not used any more ---- */

/* Mark the binaries of the maps in numbers, or take their new numbers from there. */
static void live_maps__visit(live_map_array *maps, u32 *numbers, bool takes)
{
	for (size_t i = 0; i < maps->nr; i++) {
		u32 *binary = &maps->v[i].binary;

		if (takes)
			*binary = numbers[*binary];
		else
			numbers[*binary] = 1;
	}
}

static void live_spaces__visit_maps(struct live_spaces *l, u32 *numbers, bool takes)
{
	for (size_t i = 0; i < l->processes.nr; i++)
		for (size_t k = 0; k < l->processes.v[i]->spaces.nr; k++) {
			struct live_space *s = l->processes.v[i]->spaces.v[k];

			live_maps__visit(&s->maps, numbers, takes);
			live_maps__visit(&s->recent, numbers, takes);
			live_maps__visit(&s->past, numbers, takes);
		}
}

static void live_spaces__drop_unmapped(struct live_spaces *l)
{
	u32 *numbers = xcalloc(l->binaries.v.nr, sizeof(*numbers));

	live_spaces__visit_maps(l, numbers, false);
	live_binaries__keep(&l->binaries, numbers);
	live_spaces__visit_maps(l, numbers, true);
	l->nr_used = (u32)l->binaries.v.nr;
	free(numbers);
}

static void live_spaces__renew_keys(struct live_spaces *l)
{
	for (size_t i = 0; i < l->processes.nr; i++)
		for (size_t k = 0; k < l->processes.v[i]->spaces.nr; k++)
			l->processes.v[i]->spaces.v[k]->id = ++l->next_id;
}

void live_spaces__renew(struct live_spaces *l, u32 pid)
{
	struct live_process *p = *live_spaces__slot(l, pid);

	for (size_t i = 0; p && i < p->spaces.nr; i++)
		p->spaces.v[i]->id = ++l->next_id;
}

void live_spaces__tidy(struct live_spaces *l, u64 now)
{
	bool dropped = l->binaries.v.nr > 2 * (u64)l->nr_used + UNUSED_MAX;

	if (live_binaries__begin_round(&l->binaries))
		live_spaces__renew_keys(l);
	if (now - l->tidied < (u64)TIDY_S * NS_PER_SECOND)
		return;
	l->tidied = now;
	if (dropped)
		live_spaces__drop_unmapped(l);
	if (live_binaries__close_unused(&l->binaries) || dropped)
		live_spaces__renew_keys(l);
}

/* ---- lookup ---- */

struct live_space *live_spaces__find(struct live_spaces *l, u32 pid, u64 time)
{
	struct live_process *p;
	struct live_space *s;

	if (pid == UINT32_MAX)
		return NULL;
	p = live_spaces__process(l, pid);
	s = live_process__space(p, time);
	if (!pid && !s->maps.nr && !s->recent.nr)
		return NULL;
	if (!s->maps.nr && !s->recent.nr && s == p->spaces.v[p->spaces.nr - 1])
		live_spaces__read_proc(l, p, s);
	return s;
}

static bool live_process__runs(const struct live_process *p)
{
	return p && (!p->exited || p->outlived);
}

struct cfi *live_spaces__cfi(struct live_spaces *l, u32 pid, const struct live_map *m)
{
	const struct live_process *p = *live_spaces__slot(l, pid);

	if (!live_process__runs(p))
		pid = 0;
	else if (p->outlived) /* the first thread leads to no file any more */
		pid = (u32)proc__running_thread((pid_t)pid);
	return live_binaries__cfi(&l->binaries, m->binary, pid, m->start, m->end);
}

bool live_spaces__is_current(struct live_spaces *l, u32 pid, const struct live_space *s)
{
	const struct live_process *p = *live_spaces__slot(l, pid);

	return live_process__runs(p) && s == p->spaces.v[p->spaces.nr - 1];
}

u64 live_spaces__key(struct live_spaces *l, const struct live_space *s, u64 time)
{
	return time >= s->changed ? s->id : ++l->next_id;
}

const struct live_map *live_spaces__known_map_at(const struct live_space *s, u64 addr, u64 time)
{
	return live_space__find(s, addr, time);
}

const struct live_map *live_spaces__map_at(struct live_spaces *l, u32 pid, struct live_space *s, u64 addr,
					   u64 time)
{
	const struct live_map *m = live_space__find(s, addr, time);
	struct live_process *p;

	if (m)
		return m;
	p = live_spaces__process(l, pid);
	if (s != p->spaces.v[p->spaces.nr - 1] || !live_spaces__read_proc(l, p, s))
		return NULL;
	return live_space__find(s, addr, time);
}

bool rounds_left__end(u32 *left, u32 pid)
{
	if (*left == 1 && proc__outlives_first_thread((pid_t)pid))
		*left += ROUNDS_LEFT;
	if (*left == 1)
		return true;
	*left -= *left != 0;
	return false;
}
