#include "model/machine.h"

#include "base/message/bug.h"
#include "binary/symbols/jitdump.h"
#include "binary/symbols/vdso.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* No record announces the idle thread. */
static void machine__add_swapper(struct machine *m)
{
	const struct thread_state swapper = { .comm = strpool__intern(&m->names, "swapper") };
	struct thread_history *h = array__push(&m->tids);

	*h = (struct thread_history){ .tid = 0 };
	*arena__array_push(&m->arena, &h->states) = swapper;
	hash_table__insert(&m->by_tid, hash__u64(0), 0);
	m->nr_threads = 1;
}

void machine__init(struct machine *m)
{
	*m = (struct machine){ .arena.grows = true,
			       .guest_kernel.is_guest = true,
			       .template.source = UINT32_MAX };
	strpool__init(&m->names);
	dsos__init(&m->dsos, &m->names);
	machine__add_swapper(m);
}

static void machine__exit_tasks(struct machine *m)
{
	for (size_t i = 0; i < m->spaces.nr; i++)
		maps__exit(m->spaces.v[i]);
	array__exit(&m->spaces);
	array__exit(&m->jitdumps);
	array__exit(&m->cgroups);
	hash_table__exit(&m->by_cgroup);
	arena__exit(&m->arena);
	map_files__exit(&m->files);
	array__exit(&m->tids);
	hash_table__exit(&m->by_tid);
	kernel_maps__exit(&m->kernel);
	kernel_maps__exit(&m->guest_kernel);
}

void machine__forget_tasks(struct machine *m)
{
	const struct machine kept = { .arena.grows = true,
				      .guest_kernel.is_guest = true,
				      .template.source = UINT32_MAX,
				      .names = m->names,
				      .dsos = m->dsos };

	machine__exit_tasks(m);
	*m = kept;
	machine__add_swapper(m);
}

void machine__exit(struct machine *m)
{
	machine__exit_tasks(m);
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

/* Make a space that sees its parent's maps as they are now. parent may be NULL. */
static struct maps *machine__new_space(struct machine *m, u32 pid, const struct maps *parent)
{
	struct maps *maps = arena__zalloc(&m->arena, sizeof(*maps));

	maps->idx = (u32)m->spaces.nr;
	maps->pid = pid;
	maps->parent_version = parent ? (u32)parent->v.nr : 0;
	/* Skip parents without maps, so that chains of forks stay short. */
	while (parent && !parent->v.nr) {
		maps->parent_version = parent->parent_version;
		parent = parent->parent;
	}
	maps->parent = parent;
	array__add(&m->spaces, maps);
	return maps;
}

/* Return the newest state of tid, valid until the next call, or NULL if the tid is new. */
static struct thread_state *machine__last_state(struct machine *m, u32 tid)
{
	struct thread_history *h = &m->tids.v[m->last_history];

	if (h->tid != tid)
		h = machine__history(m, tid);
	if (!h)
		return NULL;
	m->last_history = (size_t)(h - m->tids.v);
	return h->states.nr ? &h->states.v[h->states.nr - 1] : NULL;
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
	if (last && BUG_UNLESS(s->rank > last->rank, "rank %u after %u", s->rank, last->rank))
		return last;
	last = arena__array_push(&m->arena, &h->states);
	*last = *s;
	return last;
}

/*
 * Return the current state of the thread of a record. A thread without a FORK record exists from the
 * beginning, in its process's space.
 */
static struct thread_state machine__thread(struct machine *m, u32 pid, u32 tid)
{
	struct thread_state *s = machine__last_state(m, tid), new;

	if (s && (s->pid == pid || s->pid != UINT32_MAX)) {
		if (!s->maps && pid)
			s->maps = machine__new_space(m, s->pid, NULL);
		return *s;
	}
	new = (struct thread_state){
		.thread = m->nr_threads++, .pid = pid, .tid = tid, .comm = COMM_UNKNOWN
	};
	if (pid != tid)
		new.maps = machine__thread(m, pid, pid).maps;
	else
		new.maps = machine__new_space(m, pid, NULL);
	return *machine__push_state(m, &new);
}

/* Make this the name from the beginning, for a thread that had none. */
static void machine__name_thread(struct machine *m, const struct thread_state *s, u32 comm, u32 rank)
{
	struct thread_history *h = machine__history(m, s->tid);

	for (size_t i = h->states.nr; i-- > 0 && h->states.v[i].thread == s->thread;) {
		h->states.v[i].comm = comm;
		h->states.v[i].named = rank;
	}
}

static void machine__comm(struct machine *m, const struct comm_record *c, u32 rank)
{
	struct thread_state s = machine__thread(m, c->pid, c->tid);
	u32 comm;

	/* The new program's first map begins its space. Pid 0: other processes still have their maps. */
	if (c->exec && c->pid)
		s.maps->exec_done = true;
	if (s.comm == COMM_UNKNOWN) {
		machine__name_thread(m, &s, strpool__intern(&m->names, c->comm), rank);
		return;
	}
	if (machine__history(m, c->tid)->states.nr >= THREAD_STATES_MAX)
		return;
	comm = strpool__intern(&m->names, c->comm);
	if (comm == s.comm && !c->exec)
		return;
	s.comm = comm;
	s.rank = rank;
	machine__push_state(m, &s);
}

static void machine__fork(struct machine *m, const struct task_record *t, u32 rank)
{
	struct thread_state parent = machine__thread(m, t->ppid, t->ptid);
	struct thread_state child = { .rank = rank, .thread = m->nr_threads++, .pid = t->pid, .tid = t->tid };

	child.comm = parent.comm;
	if (t->pid != t->tid) {
		child.maps = machine__thread(m, t->pid, t->pid).maps;
	} else if (t->pid == t->ppid) {
		child.maps = parent.maps;
	} else {
		child.maps = machine__new_space(m, t->pid, t->synthesized ? NULL : parent.maps);
		child.maps->ppid = t->synthesized ? t->ppid : 0;
	}
	machine__push_state(m, &child);
}

static bool begins_with(const char *name, const char *beginning)
{
	return !strncmp(name, beginning, strlen(beginning));
}

/* Is it memory of the process that has a name: a stack, what prctl(PR_SET_VMA) named, shared memory? */
static bool has_no_file(const char *name)
{
	return begins_with(name, "[stack") || begins_with(name, "/SYSV") || !strcmp(name, "[heap]") ||
	       begins_with(name, "[anon:") || begins_with(name, "[anon_shmem:");
}

/*
 * Runtimes make code in files that are memory, which they map twice, and remove: .NET, Erlang (asmjit), QEMU.
 * A program or library may be in such a file, too, so files of other names are binaries.
 */
static bool is_file_of_code(const struct mmap_record *r)
{
	static const char *const names[] = { "/memfd:doublemapper", "/memfd:vmem", "/memfd:tcg-jit",
					     "/dev/shm/" };
	const char *deleted = strstr(r->filename, " (deleted)");

	if (r->has_build_id || !(r->prot & PROT_EXEC) || !deleted)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (begins_with(r->filename, names[i]))
			return true;
	return false;
}

static struct dso *machine__jit_dso(struct machine *m, u32 pid)
{
	struct dso *dso;
	char name[32];

	snprintf(name, sizeof(name), "/tmp/perf-%u.map", pid);
	dso = dsos__find_add(&m->dsos, name, DSO_JIT, NULL);
	dso->pid = pid;
	return dso;
}

/* Reports tell symbols of equal binaries' names apart by their addresses, so no two names have the same. */
static u64 named_code__start(u32 dso)
{
	return (u64)dso << 32;
}

/* The dso of all code that has this name, as of the versions of a method. */
static struct dso *machine__named_code(struct machine *m, const char *path, const char *name)
{
	struct dso *dso = dsos__find_add(&m->dsos, path, DSO_JITDUMP, NULL);

	if (!dso->loaded) {
		symtab__add(&dso->symtab, named_code__start(dso->idx), SYMBOL_SIZE_MAX, name, SYMBOL_GLOBAL);
		symtab__finish(&dso->symtab);
		dso->symtab.source = "the map record";
		dso->loaded = true;
	}
	return dso;
}

/* Set the dso of a file's maps, and how their addresses count. */
static struct dso *machine__user_dso(struct machine *m, struct map_file *f, u32 pid)
{
	const struct mmap_record *r = &f->record;
	struct dso_id id = { .build_id = mmap_record__build_id(r),
			     .maj_min = (u64)r->maj << 32 | r->min,
			     .ino = r->ino,
			     .ino_generation = r->ino_generation };

	if (mmap_record__is_anonymous(r) || has_no_file(r->filename) || is_file_of_code(r)) {
		f->addressing = MAP_ADDRESS_IN_MEMORY; /* as in perf-PID.map */
		if (!(r->prot & PROT_EXEC))
			return dsos__find_add(&m->dsos, r->filename, DSO_NONE, NULL);
		return machine__jit_dso(m, pid);
	}
	if (!strncmp(r->filename, "[vdso", 5)) {
		f->addressing = MAP_ADDRESS_FROM_START;
		return dsos__find_add(&m->dsos, r->filename, DSO_VDSO, &id);
	}
	if (jitdump__code_name(r->filename)) {
		f->addressing = MAP_ADDRESS_OF_NAME;
		return machine__named_code(m, r->filename, jitdump__code_name(r->filename));
	}
	f->addressing = MAP_ADDRESS_IN_FILE;
	if (f->is_jitdump) {
		struct dso *dso = dsos__find_add(&m->dsos, r->filename, DSO_JITDUMP, &id);

		dso->pid = pid;
		return dso;
	}
	return dsos__find_add(&m->dsos, r->filename, DSO_ELF, &id);
}

/*
 * A file has one dso for all its maps: the result of the first search stays right, since dsos only get more
 * specific.
 */
static u32 machine__dso_of_file(struct machine *m, struct map_file *f, u32 pid)
{
	const struct dso *dso = f->dso == MAP_FILE_NO_DSO ? NULL : m->dsos.v.v[f->dso];

	if (!dso || (dso->kind == DSO_JIT && f->dso_pid != pid)) {
		f->dso = machine__user_dso(m, f, pid)->idx;
		f->dso_pid = pid;
	}
	return f->dso;
}

/*
 * During an exec, the kernel maps the program, its loader and the vdso while the thread still has frames of
 * the old program. The old maps count until the new program maps something itself.
 */
enum { EXEC_RUNNING = UINT32_MAX, EXEC_MAPS_MAX = 4 };

static bool machine__exec_is_over(const struct machine *m, const struct maps *maps)
{
	size_t nr = maps->v.nr;

	return nr > EXEC_MAPS_MAX || (nr && m->dsos.v.v[maps->v.v[nr - 1].map->dso]->kind == DSO_VDSO);
}

/* Return the space that a thread's new map belongs to. */
static struct maps *machine__space_of_new_map(struct machine *m, u32 pid, u32 tid, u32 rank)
{
	const struct thread_state *last = machine__last_state(m, tid);
	struct thread_state s;

	if (likely(last && last->pid == pid && last->maps && !last->maps->exec_done))
		return last->maps;
	s = machine__thread(m, pid, tid);
	if (!s.maps) { /* pid 0: all processes outside of the recorder's PID namespace */
		s.maps = machine__new_space(m, pid, NULL);
		machine__last_state(m, tid)->maps = s.maps;
	} else if (s.maps->exec_done) {
		s.maps = machine__new_space(m, s.pid, s.maps);
		s.maps->parent_end = EXEC_RUNNING;
		s.rank = rank;
		machine__push_state(m, &s);
	}
	return s.maps;
}

static u64 waiting_map__pgoff(const struct waiting_map *w, u32 dso, enum map_addressing addressing)
{
	switch (addressing) {
	case MAP_ADDRESS_IN_MEMORY:
		return w->start;
	case MAP_ADDRESS_FROM_START:
		return 0;
	case MAP_ADDRESS_OF_NAME:
		return named_code__start(dso);
	case MAP_ADDRESS_IN_FILE:
		break;
	}
	return w->pgoff;
}

_Static_assert(sizeof(struct waiting_map) == sizeof(struct map), "one becomes the other in its place");

static struct map *waiting_map__become(struct waiting_map *w, const struct map *like,
				       enum map_addressing addressing)
{
	const struct waiting_map was = *w;
	struct map *map = (struct map *)(void *)w;

	*map = *like;
	map->start = was.start;
	map->end = was.end;
	map->pgoff = waiting_map__pgoff(&was, like->dso, addressing);
	return map;
}

/*
 * Does a map belong to a guest's process? perf inject --mmap2-buildids of 7.x writes a guest cpumode for
 * maps that only callers are in, so the cpumode counts only in recordings of a guest: they all have the
 * guest kernel's map.
 */
static bool machine__is_guest_map(const struct machine *m, const struct mmap_record *r)
{
	return r->cpumode == PERF_RECORD_MISC_GUEST_USER && m->guest_kernel.has_text;
}

/* As machine__dso_of_file, for a map at start: the vdso of 32-bit programs has a name of its own. */
static u32 machine__dso_at(struct machine *m, struct map_file *f, u32 pid, u64 start)
{
	const char *name = vdso__name_at(f->record.filename, start, m->is_64bit);
	u32 dso = machine__dso_of_file(m, f, pid);

	return name == f->record.filename ? dso : dsos__find_add(&m->dsos, name, DSO_VDSO, NULL)->idx;
}

/* Begin a template: the source differs from the one before, or another record came between. */
static void machine__begin_template(struct machine *m, struct waiting_map *w, u32 rank)
{
	const struct map_source source = m->files.sources.v[w->source];
	const struct mmap_record *r = &source.file->record;
	struct map_template template = { .source = w->source };

	if (machine__is_guest_map(m, r)) {
		m->template = template;
		return;
	}
	template.like = (struct map){ .dso = machine__dso_at(m, source.file, source.pid, w->start),
				      .prot = (u8)r->prot,
				      .flags = r->flags & 0xffffff };
	template.addressing = source.file->addressing;
	template.maps = machine__space_of_new_map(m, source.pid, source.tid, rank);
	if (template.maps->parent_end == EXEC_RUNNING) {
		if (machine__exec_is_over(m, template.maps))
			template.maps->parent_end = (u32) template.maps->v.nr + 1;
		else
			template.source = UINT32_MAX; /* the exec may be over with the next map */
	}
	m->template = template;
}

static void machine__add_user_map(struct machine *m, struct waiting_map *w, u32 rank)
{
	const struct map_template *template = &m->template;
	struct map *map;

	if (unlikely(w->source != template->source))
		machine__begin_template(m, w, rank);
	map = waiting_map__become(w, &template->like, template->addressing);
	if (likely(template->maps))
		maps__add(template->maps, &m->arena, map, rank);
}

/* The fields that MMAP and MMAP2 share. */
struct map_head {
	struct perf_event_header header;
	u32 pid, tid;
	u64 start, len, pgoff;
};
_Static_assert(sizeof(struct map_head) == MAP_BYTES_START, "the rest is what map_files tell apart");

bool machine__take_map(struct machine *m, const struct record *r, size_t trailer, struct waiting_map *w)
{
	struct map_file *file = map_files__find_add(&m->files, r, trailer);
	struct map_head head;

	if (unlikely(!file))
		return false;
	memcpy(&head, r->header, sizeof(head)); /* safe: the record has a file, so it is long enough */
	if (unlikely(!head.len))
		return false;
	*w = (struct waiting_map){ .start = head.start,
				   .end = head.start + head.len,
				   .pgoff = head.pgoff,
				   .source = map_files__source(&m->files, file, head.pid, head.tid) };
	if (unlikely(w->end < w->start))
		w->end = UINT64_MAX;
	return true;
}

void machine__expect(struct machine *m, size_t nr)
{
	size_t want = m->times.nr + nr;

	if (want <= m->times.alloc)
		return;
	m->times.v = arena__regrow(&m->arena, m->times.v, m->times.nr * sizeof(*m->times.v),
				   want * sizeof(*m->times.v));
	m->times.alloc = want;
}

/* Take the next rank. */
static u32 machine__advance(struct machine *m, u64 time)
{
	*arena__array_push(&m->arena, &m->times) = time;
	return (u32)m->times.nr;
}

void machine__replay_map(struct machine *m, struct waiting_map *w, u64 time)
{
	machine__add_user_map(m, w, machine__advance(m, time));
}

static void replay_mmap(struct machine *m, const struct record *r, u32 rank)
{
	struct waiting_map w;
	struct mmap_record mmap;

	if (machine__is_user_map(r)) {
		if (machine__take_map(m, r, 0, &w))
			machine__add_user_map(m, arena__memdup(&m->arena, &w, sizeof(w)), rank);
	} else if (record__mmap(r, &mmap)) {
		kernel_maps__mmap(mmap.cpumode == PERF_RECORD_MISC_KERNEL ? &m->kernel : &m->guest_kernel,
				  &m->dsos, &mmap, rank);
	}
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

static void replay_cgroup(struct machine *m, const struct record *r, u32 rank)
{
	struct cgroup_record cgroup;

	(void)rank;
	if (!record__cgroup(r, &cgroup) || machine__cgroup(m, cgroup.id))
		return;
	hash_table__insert(&m->by_cgroup, hash__u64(cgroup.id), (u32)m->cgroups.nr);
	array__add(&m->cgroups, ((struct cgroup_name){ cgroup.id, strpool__intern(&m->names, cgroup.path) }));
}

const char *machine__cgroup(const struct machine *m, u64 id)
{
	u32 i;

	hash_table__for_each (&m->by_cgroup, hash__u64(id), i)
		if (m->cgroups.v[i].id == id)
			return machine__str(m, m->cgroups.v[i].path);
	return NULL;
}

u32 machine__program(const struct machine *m, const struct maps *maps)
{
	while (maps->parent && !maps->parent_end) /* forked, and no exec since */
		maps = maps->parent;
	for (size_t i = 0; i < maps->v.nr; i++)
		if (m->dsos.v.v[maps->v.v[i].map->dso]->kind == DSO_ELF)
			return maps->v.v[i].map->dso;
	return DSO_IDX_NONE;
}

/* The effect of each record type on the machine; types without a row have none. */
static void (*const replay[])(struct machine *m, const struct record *r, u32 rank) = {
	[PERF_RECORD_MMAP] = replay_mmap,       [PERF_RECORD_MMAP2] = replay_mmap,
	[PERF_RECORD_COMM] = replay_comm,       [PERF_RECORD_FORK] = replay_fork,
	[PERF_RECORD_KSYMBOL] = replay_ksymbol, [PERF_RECORD_CGROUP] = replay_cgroup,
};

bool machine__wants(u32 type)
{
	return type < ARRAY_SIZE(replay) && replay[type];
}

void machine__replay(struct machine *m, const struct record *r, u64 time)
{
	u32 rank = machine__advance(m, time);

	m->template.source = UINT32_MAX;
	if (machine__wants(r->header->type))
		replay[r->header->type](m, r, rank);
}

void machine__finish(struct machine *m)
{
	map_files__exit(&m->files);
	m->template.source = UINT32_MAX; /* sources are numbered anew */
}

/* Return the rank in force at a time if it is between lo and hi. */
static u32 machine__rank_between(const struct machine *m, u64 time, size_t lo, size_t hi)
{
	return (u32)bisect(i, lo, hi, m->times.v[i] <= time);
}

void machine_cursor__init(struct machine_cursor *c, const struct machine *m)
{
	memset(c, 0, sizeof(*c));
	c->m = m;
	machine_cursor__seek(c, 0);
}

void machine_cursor__seek_slow(struct machine_cursor *c, u64 time)
{
	size_t lo = time >= c->time_first ? c->rank : 0, hi = c->m->times.nr;
	u32 rank;

	/* The next time is usually a little later: search from here. */
	for (size_t step = 8; lo == c->rank && hi - lo > step; step *= 8)
		if (c->m->times.v[lo + step] > time)
			hi = lo + step;
	rank = machine__rank_between(c->m, time, lo, hi);
	c->rank = rank;
	c->time_first = rank ? c->m->times.v[rank - 1] : 0;
	c->time_end = rank < c->m->times.nr ? c->m->times.v[rank] : UINT64_MAX;
}

/* Return the index of the last state with a rank of at most rank, or -1. */
static ssize_t thread_history__at(const struct thread_history *h, u32 rank)
{
	return (ssize_t)bisect(i, 0, h->states.nr, h->states.v[i].rank <= rank) - 1;
}

/* The state of a tid that no record mentions, or none up to this rank. */
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
		/* Valid for this rank only: any record may change the leader's address space. */
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

u32 machine_cursor__version_slow(struct machine_cursor *c, const struct maps *maps)
{
	struct machine_cursor_version *e = machine_cursor__version_entry(c, maps);
	u32 nr = (u32)maps->v.nr, version;

	if (e->maps == maps && c->rank >= e->rank_first) /* each rank adds at most one map */
		version = maps__version_between(maps, c->rank, e->version,
						MIN(nr, e->version + (c->rank - e->rank_first)));
	else
		version = maps__version(maps, c->rank);
	*e = (struct machine_cursor_version){
		.maps = maps,
		.version = version,
		.rank_first = version ? maps->v.v[version - 1].rank : 0,
		.rank_end = version < maps->v.nr ? maps->v.v[version].rank : UINT32_MAX,
	};
	return version;
}

const struct maps *machine__maps(const struct machine *m, const struct maps *maps, u8 cpumode)
{
	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		return &m->kernel.maps;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return &m->guest_kernel.maps;
	case PERF_RECORD_MISC_USER:
		return maps;
	}
	return NULL;
}

static char cpumode__level(u8 cpumode)
{
	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		return 'k';
	case PERF_RECORD_MISC_USER:
		return '.';
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return 'g';
	case PERF_RECORD_MISC_GUEST_USER:
		return 'u';
	}
	return 'H';
}

const struct map *machine__resolve_at(const struct machine *m, const struct maps *maps, u32 version,
				      u8 cpumode, u64 ip, struct dso_addr *out, struct maps_span *span)
{
	const struct map *map = NULL;

	*span = (struct maps_span){ 0, UINT32_MAX };
	if (cpumode == PERF_RECORD_MISC_KERNEL)
		map = kernel_maps__find(&m->kernel, ip, version, span);
	else if (cpumode == PERF_RECORD_MISC_GUEST_KERNEL)
		map = kernel_maps__find(&m->guest_kernel, ip, version, span);
	else if (cpumode == PERF_RECORD_MISC_USER && maps)
		map = maps__find_version(maps, ip, version, span);
	*out = (struct dso_addr){ .dso = DSO_IDX_NONE, .level = cpumode__level(cpumode), .addr = ip };
	if (map) {
		out->dso = map->dso;
		out->addr = map__dso_addr(map, ip);
	}
	return map;
}

const struct map *machine__resolve(const struct machine *m, const struct maps *maps, u32 rank, u8 cpumode,
				   u64 ip, struct dso_addr *out)
{
	const struct maps *of_mode = machine__maps(m, maps, cpumode);
	struct maps_span span;

	return machine__resolve_at(m, maps, of_mode ? maps__version(of_mode, rank) : 0, cpumode, ip, out,
				   &span);
}
