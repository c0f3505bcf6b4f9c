#include "model/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

void machine__init(struct machine *m)
{
	struct thread_state swapper = { .comm = 0 };
	struct thread_history *h;

	*m = (struct machine){ .guest_kernel.is_guest = true };
	strpool__init(&m->names);
	dsos__init(&m->dsos, &m->names);
	/* Nobody announces the idle thread. */
	swapper.comm = strpool__intern(&m->names, "swapper");
	h = array__push(&m->tids);
	*h = (struct thread_history){ .tid = 0 };
	array__add(&h->states, swapper);
	hash_table__insert(&m->by_tid, hash__u64(0), 0);
	m->nr_threads = 1;
}

void machine__exit(struct machine *m)
{
	for (size_t i = 0; i < m->spaces.nr; i++) {
		maps__exit(m->spaces.v[i]);
		free(m->spaces.v[i]);
	}
	array__exit(&m->spaces);
	for (size_t i = 0; i < m->tids.nr; i++)
		array__exit(&m->tids.v[i].states);
	array__exit(&m->tids);
	hash_table__exit(&m->by_tid);
	array__exit(&m->times);
	kernel_maps__exit(&m->kernel);
	kernel_maps__exit(&m->guest_kernel);
	dsos__exit(&m->dsos);
	strpool__exit(&m->names);
}

static struct thread_history *machine__history(const struct machine *m, u32 tid)
{
	u32 i;

	hash_table__for_each (&m->by_tid, hash__u64(tid), i)
		if (m->tids.v[i].tid == tid)
			return &m->tids.v[i];
	return NULL;
}

static struct maps *machine__new_space(struct machine *m, u32 pid, struct maps *parent, u32 parent_rank)
{
	struct maps *maps = xcalloc(1, sizeof(*maps));

	/* Through parents that have nothing of their own, so that chains of forks stay short. */
	while (parent && !parent->v.nr) {
		parent_rank = parent->parent_rank;
		parent = (struct maps *)parent->parent;
	}
	maps->idx = (u32)m->spaces.nr;
	maps->pid = pid;
	maps->parent = parent;
	maps->parent_rank = parent_rank;
	array__add(&m->spaces, maps);
	return maps;
}

/* The newest state of tid. The pointer is good until the next call. NULL if the tid is new. */
static struct thread_state *machine__last_state(struct machine *m, u32 tid)
{
	struct thread_history *h = machine__history(m, tid);

	return h && h->states.nr ? &h->states.v[h->states.nr - 1] : NULL;
}

static struct thread_state *machine__push_state(struct machine *m, const struct thread_state *s)
{
	struct thread_history *h = machine__history(m, s->tid);
	struct thread_state *last;

	if (!h) {
		hash_table__insert(&m->by_tid, hash__u64(s->tid), (u32)m->tids.nr);
		h = array__push(&m->tids);
		*h = (struct thread_history){ .tid = s->tid };
	}
	last = h->states.nr ? &h->states.v[h->states.nr - 1] : NULL;
	if (last && last->rank == s->rank) {
		*last = *s;
		return last;
	}
	last = array__push(&h->states);
	*last = *s;
	return last;
}

/*
 * The thread that a record speaks of, as of now. One that was never announced is taken to
 * have been there from the start; it lives in its process's space.
 */
static struct thread_state machine__thread(struct machine *m, u32 pid, u32 tid)
{
	struct thread_state *s = machine__last_state(m, tid), new;

	if (s && (s->pid == pid || s->pid != UINT32_MAX)) {
		if (!s->maps && pid)
			s->maps = machine__new_space(m, s->pid, NULL, 0);
		return *s;
	}
	new = (struct thread_state){
		.thread = m->nr_threads++, .pid = pid, .tid = tid, .comm = COMM_UNKNOWN
	};
	if (pid != tid)
		new.maps = machine__thread(m, pid, pid).maps;
	else
		new.maps = machine__new_space(m, pid, NULL, 0);
	return *machine__push_state(m, &new);
}

static void machine__comm(struct machine *m, const struct comm_record *c, u32 rank)
{
	struct thread_state s = machine__thread(m, c->pid, c->tid);
	bool was_unknown = s.comm == COMM_UNKNOWN;
	struct thread_history *h;

	s.comm = strpool__intern(&m->names, c->comm);
	if (was_unknown) {
		/* The first name a thread gets is its name from the start. */
		h = machine__history(m, c->tid);
		for (size_t i = h->states.nr; i-- > 0 && h->states.v[i].thread == s.thread;) {
			h->states.v[i].comm = s.comm;
			h->states.v[i].named = rank;
		}
	}
	/* The new program's first map will begin its space. */
	if (c->exec && s.maps)
		s.maps->exec_done = true;
	if (was_unknown)
		return;
	s.rank = rank;
	machine__push_state(m, &s);
}

static void machine__fork(struct machine *m, const struct task_record *t, u32 rank)
{
	struct thread_state parent = machine__thread(m, t->ppid, t->ptid);
	struct thread_state child = { .rank = rank, .thread = m->nr_threads++, .pid = t->pid, .tid = t->tid };

	child.comm = parent.comm;
	if (t->pid != t->tid)
		child.maps = machine__thread(m, t->pid, t->pid).maps;
	else if (t->pid == t->ppid)
		child.maps = parent.maps;
	else if (t->synthesized)
		child.maps = machine__new_space(m, t->pid, NULL, 0);
	else
		child.maps = machine__new_space(m, t->pid, parent.maps, rank);
	machine__push_state(m, &child);
}

static bool is_anonymous(const struct mmap_record *m)
{
	return (m->flags & MAP_HUGETLB) || !strcmp(m->filename, "//anon") ||
	       !strncmp(m->filename, "/dev/zero", 9) || !strncmp(m->filename, "/anon_hugepage", 14);
}

static bool has_no_file(const char *name)
{
	return !strncmp(name, "[stack", 6) || !strncmp(name, "/SYSV", 5) || !strcmp(name, "[heap]");
}

/* The dso of a user map, and in map->pgoff how its addresses count. */
static struct dso *machine__user_dso(struct machine *m, const struct mmap_record *r, struct map *map)
{
	bool anon = is_anonymous(r) || has_no_file(r->filename);
	struct dso_id id = { .maj_min = (u64)r->maj << 32 | r->min,
			     .ino = r->ino,
			     .ino_generation = r->ino_generation };
	char jit[32];

	map->pgoff = r->pgoff;
	if (anon) {
		struct dso *dso;

		map->pgoff = r->start; /* perf-PID.map has memory addresses */
		if (!(r->prot & PROT_EXEC))
			return dsos__find_add(&m->dsos, r->filename, DSO_NONE, NULL);
		snprintf(jit, sizeof(jit), "/tmp/perf-%u.map", r->pid);
		dso = dsos__find_add(&m->dsos, jit, DSO_JIT, NULL);
		dso->pid = r->pid;
		return dso;
	}
	if (r->has_build_id && r->build_id_size <= BUILD_ID_MAX) {
		id.build_id.size = r->build_id_size;
		memcpy(id.build_id.data, r->build_id, r->build_id_size);
	}
	if (!strncmp(r->filename, "[vdso", 5)) {
		map->pgoff = 0;
		return dsos__find_add(&m->dsos, r->filename, DSO_VDSO, &id);
	}
	return dsos__find_add(&m->dsos, r->filename, DSO_ELF, &id);
}

/*
 * While an exec maps the program, its loader and last the vdso, the thread is still in the kernel with the
 * frames of the program before below it. That one's maps count until the new program maps something itself.
 */
enum { EXEC_RUNNING = UINT32_MAX, EXEC_MAPS_MAX = 4 };

static bool machine__exec_is_over(const struct machine *m, const struct maps *maps)
{
	size_t nr = maps->v.nr;

	return nr > EXEC_MAPS_MAX || (nr && m->dsos.v.v[maps->v.v[nr - 1].dso]->kind == DSO_VDSO);
}

static void machine__mmap(struct machine *m, const struct mmap_record *r, u32 rank)
{
	struct map map = { .start = r->start, .rank = rank, .prot = r->prot, .flags = r->flags };
	struct thread_state s;

	if (r->cpumode == PERF_RECORD_MISC_KERNEL) {
		kernel_maps__mmap(&m->kernel, &m->dsos, r, rank);
		return;
	}
	if (r->cpumode == PERF_RECORD_MISC_GUEST_KERNEL) {
		kernel_maps__mmap(&m->guest_kernel, &m->dsos, r, rank);
		return;
	}
	if (r->cpumode == PERF_RECORD_MISC_GUEST_USER || !r->len)
		return;
	if (__builtin_add_overflow(r->start, r->len, &map.end))
		map.end = UINT64_MAX;
	map.dso = machine__user_dso(m, r, &map)->idx;
	s = machine__thread(m, r->pid, r->tid);
	if (s.maps && s.maps->exec_done) {
		s.maps = machine__new_space(m, s.pid, s.maps, rank);
		s.maps->parent_end = EXEC_RUNNING;
		s.rank = rank;
		machine__push_state(m, &s);
	}
	if (!s.maps)
		return;
	if (s.maps->parent_end == EXEC_RUNNING && machine__exec_is_over(m, s.maps))
		s.maps->parent_end = rank;
	maps__add(s.maps, &map);
}

static void replay_mmap(struct machine *m, const struct record *r, u32 rank)
{
	struct mmap_record mmap;

	if (record__mmap(r, &mmap))
		machine__mmap(m, &mmap, rank);
}

static void replay_comm(struct machine *m, const struct record *r, u32 rank)
{
	struct comm_record comm;

	if (record__comm(r, &comm))
		machine__comm(m, &comm, rank);
}

static void replay_fork(struct machine *m, const struct record *r, u32 rank)
{
	struct task_record task;

	if (record__task(r, &task))
		machine__fork(m, &task, rank);
}

static void replay_ksymbol(struct machine *m, const struct record *r, u32 rank)
{
	struct ksymbol_record ksymbol;

	if (record__ksymbol(r, &ksymbol))
		kernel_maps__ksymbol(&m->kernel, &m->dsos, &ksymbol, rank);
}

/* What a record type does to the machine; types without a row do nothing. */
static void (*const replay[])(struct machine *m, const struct record *r, u32 rank) = {
	[PERF_RECORD_MMAP] = replay_mmap,       [PERF_RECORD_MMAP2] = replay_mmap,
	[PERF_RECORD_COMM] = replay_comm,       [PERF_RECORD_FORK] = replay_fork,
	[PERF_RECORD_KSYMBOL] = replay_ksymbol,
};

bool machine__wants(u32 type)
{
	return type < ARRAY_SIZE(replay) && replay[type];
}

void machine__replay(struct machine *m, const struct record *r, u64 time)
{
	array__add(&m->times, time);
	if (machine__wants(r->header->type))
		replay[r->header->type](m, r, (u32)m->times.nr);
}

void machine__finish(struct machine *m)
{
	kernel_maps__finish(&m->kernel);
	kernel_maps__finish(&m->guest_kernel);
	for (size_t i = 0; i < m->spaces.nr; i++)
		maps__finish(m->spaces.v[i]);
}

u32 machine__rank_at(const struct machine *m, u64 time)
{
	size_t lo = 0, hi = m->times.nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->times.v[mid] <= time)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (u32)lo;
}

void machine_cursor__init(struct machine_cursor *c, const struct machine *m)
{
	memset(c, 0, sizeof(*c));
	c->m = m;
	machine_cursor__seek(c, 0);
}

void machine_cursor__seek_slow(struct machine_cursor *c, u64 time)
{
	u32 rank = machine__rank_at(c->m, time);

	c->rank = rank;
	c->time_first = rank ? c->m->times.v[rank - 1] : 0;
	c->time_end = rank < c->m->times.nr ? c->m->times.v[rank] : UINT64_MAX;
}

/* The last state of rank <= rank, or -1. */
static ssize_t thread_history__at(const struct thread_history *h, u32 rank)
{
	size_t lo = 0, hi = h->states.nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (h->states.v[mid].rank <= rank)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (ssize_t)lo - 1;
}

/* The state of a tid that no record mentions (yet). */
static struct thread_state unknown_thread(const struct machine *m, u32 pid, u32 tid, u32 rank)
{
	struct thread_state s = { .thread = UINT32_MAX, .pid = pid, .tid = tid, .comm = COMM_UNKNOWN };
	const struct thread_history *leader = pid != tid ? machine__history(m, pid) : NULL;
	ssize_t i = leader ? thread_history__at(leader, rank) : -1;

	if (i >= 0)
		s.maps = leader->states.v[i].maps;
	return s;
}

const struct thread_state *machine_cursor__thread_slow(struct machine_cursor *c, u32 pid, u32 tid)
{
	struct machine_cursor_entry *e = &c->cached[tid % ARRAY_SIZE(c->cached)];
	const struct thread_history *h = machine__history(c->m, tid);
	ssize_t i = h ? thread_history__at(h, c->rank) : -1;

	*e = (struct machine_cursor_entry){ .tid = tid, .pid = pid };
	if (i < 0) {
		/* Good for this rank only: the leader's space may change with any. */
		e->state = unknown_thread(c->m, pid, tid, c->rank);
		e->rank_first = c->rank;
		e->rank_end = c->rank + 1;
		return &e->state;
	}
	e->state = h->states.v[i];
	e->rank_first = e->state.rank;
	e->rank_end = (size_t)i + 1 < h->states.nr ? h->states.v[i + 1].rank : UINT32_MAX;
	return &e->state;
}

const struct map *machine__resolve(const struct machine *m, const struct maps *maps, u32 rank, u8 cpumode,
				   u64 ip, struct dso_addr *out)
{
	const struct map *map = NULL;

	out->level = 'H';
	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		out->level = 'k';
		map = kernel_maps__find(&m->kernel, ip, rank);
		break;
	case PERF_RECORD_MISC_USER:
		out->level = '.';
		map = maps ? maps__find(maps, ip, rank) : NULL;
		break;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		out->level = 'g';
		map = kernel_maps__find(&m->guest_kernel, ip, rank);
		break;
	case PERF_RECORD_MISC_GUEST_USER:
		out->level = 'u';
		break;
	}
	out->dso = map ? map->dso : DSO_IDX_NONE;
	out->addr = map ? map__dso_addr(map, ip) : ip;
	return map;
}
