#include "model/jit_files.h"

#include "binary/elf/file_search.h"
#include "binary/elf/kept_files.h"
#include "binary/symbols/jitdump.h"
#include "binary/symbols/perf_map.h"
#include "live/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a process's files ---- */

/* Start a search. p: status of the process; all zero if it has ended or ran on another machine. */
static void search_process(struct file_search *s, enum file_kind kind, const struct dso_file_opts *opts,
			   u32 pid, const char *name, struct proc_status *p)
{
	bool is_local = !opts->foreign_host && !(opts->symfs && *opts->symfs);
	struct file_query q = { .root = opts->symfs, .path = name, .is_flat = opts->symfs_is_flat };

	if (is_local && !proc__status((pid_t)pid, (pid_t)pid, p) && p->ns_pid) {
		q.pid = pid;
		q.ns_pid = (u32)p->ns_pid;
	} else {
		*p = (struct proc_status){ .uid = 0 };
	}
	file_search__start(s, kind, &q);
}

static u32 owner_of(const struct dso_file_opts *opts, u32 uid)
{
	return opts->any_owner ? (u32)PERF_MAP_OF_ANYBODY : uid;
}

static int check_host(const struct dso_file_opts *opts, const char *name, struct err *err)
{
	if (opts->foreign_host && !(opts->symfs && *opts->symfs))
		return err__set(err, -ESTALE, "'%s' is of another machine's process: use --symfs", name);
	return 0;
}

static int open_checked(const char *path, u32 uid, u64 ino, struct err *err)
{
	int fd = perf_map__open(path, uid);
	struct stat st;

	if (fd == -EPERM)
		return err__set(err, fd, PERF_MAP_BAD_OWNER, path);
	if (fd < 0)
		return err__set(err, fd, "cannot open '%s': %s", path, err__str(fd));
	if (!fstat(fd, &st) && (!ino || st.st_ino == ino))
		return fd;
	close(fd);
	return err__set(err, -ESTALE, "'%s' is not the recorded file: it has another inode", path);
}

/* Open the file that the recorder kept, or made itself: then pid is 0. Return -1 if there is none. */
static int open_kept(const struct dso_file_opts *opts, const char *name, u32 pid, u64 ino)
{
	char *path = kept_files__path(opts->kept, &(struct kept_id){ .name = name, .pid = pid, .ino = ino });
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	free(path);
	return fd;
}

int jit_files__open_dump(const struct dso_file_opts *opts, const struct jitdump *d, struct err *err)
{
	bool has_symfs = opts->symfs && *opts->symfs, is_made = jitdump__is_made(d->name);
	struct proc_status p = { .uid = 0 };
	struct file_search s;
	int fd = open_kept(opts, d->name, is_made ? 0 : d->pid, d->ino);

	if (fd >= 0)
		return fd;
	if (is_made)
		return err__set(err, -ENOENT,
				"the recording has no machine code of this method: it was interpreted or "
				"inlined, or its code was not stored");
	fd = -ENOENT;
	if (check_host(opts, d->name, err))
		return -ESTALE;
	search_process(&s, FILE_JITDUMP, opts, d->pid, d->name, &p);
	while (fd == -ENOENT && file_search__next(&s))
		fd = open_checked(s.full.buf, owner_of(opts, p.uid), has_symfs ? 0 : d->ino, err);
	file_search__end(&s);
	return fd;
}

/* ---- merging: code ---- */

/* Is it a "jit-PID.dump" mapped as code? JIT compilers announce their dump by this map. */
static bool is_dump(const struct mmap_record *m)
{
	return (!m->is_mmap2 || m->prot & PROT_EXEC) && jitdump__is_name(m->filename);
}

struct code_place {
	u64 index, offset;
};

struct merge {
	struct side_band *side_band;
	u32 source;                       /* the map of the dump itself */
	const struct clock_pairs *clocks; /* NULL: times are the recording's */
	struct hash_table by_index;
	ARRAY(struct code_place) codes;
};

static bool merge__offset(const struct merge *m, u64 index, u64 *offset)
{
	u32 i;

	hash_table__for_each (&m->by_index, hash__u64(index), i)
		if (m->codes.v[i].index == index) {
			*offset = m->codes.v[i].offset;
			return true;
		}
	return false;
}

static void merge__code(const struct jitdump_code *c, void *ctx)
{
	struct merge *m = ctx;
	u64 offset = c->offset;

	if (c->is_move && !merge__offset(m, c->index, &offset))
		return;
	if (!c->is_move) {
		hash_table__insert(&m->by_index, hash__u64(c->index), (u32)m->codes.nr);
		array__add(&m->codes, ((struct code_place){ c->index, offset }));
	}
	side_band__add_map(m->side_band,
			   &(struct waiting_map){ c->addr, c->addr + c->size, offset, m->source },
			   m->clocks ? clock_pairs__to_recording(m->clocks, c->time) : c->time);
}

struct dump_mark {
	u32 source;
	u64 time;
};

/* A process that has map records of named code. */
struct named_process {
	u32 pid;
	u64 time; /* of the first record */
};

/* ---- merging: memory ---- */

struct move {
	const struct machine *machine;
	u32 pid;
	u64 time;
	bool with_data; /* move maps of data, too */
	ARRAY(struct waiting_map *) maps;
};

static void move__look_at(struct waiting_map *w, u64 time, void *ctx)
{
	struct move *m = ctx;
	const struct map_source *source = &m->machine->files.sources.v[w->source];

	if (source->pid == m->pid && time > m->time &&
	    (mmap_record__is_anonymous(&source->file->record) ||
	     (m->with_data && source->file->record.is_data)))
		array__add(&m->maps, w);
}

/*
 * The kernel reports executable memory when it becomes executable: maybe after its code was announced, and
 * again whenever its protection changes. Move these maps to the time from which on code is known.
 */
static void move_maps(struct side_band *b, struct move *m)
{
	side_band__for_each_map(b, move__look_at, m);
	for (size_t i = 0; i < m->maps.nr; i++) {
		struct waiting_map *w = m->maps.v[i], copy = *w;

		w->end = w->start; /* empty: no map any more */
		side_band__add_map(b, &copy, m->time);
	}
	array__exit(&m->maps);
}

/*
 * Move them to the time of the dump's own map, before all its code. A dump of the recorder has bytecodes,
 * which are data, also of files (Java's class data sharing).
 */
static void move_memory(struct side_band *b, u32 pid, const struct dump_mark *mark)
{
	const struct map_source *dump = &b->machine->files.sources.v[mark->source];

	move_maps(b, &(struct move){ .machine = b->machine,
				     .pid = pid,
				     .time = mark->time,
				     .with_data = jitdump__is_made(dump->file->record.filename) });
}

/* ---- merging: records of named code ---- */

struct named_map {
	struct waiting_map *map;
	u64 time;
};

struct named_maps {
	const struct machine *machine;
	ARRAY(struct named_map) v;
};

static void named_maps__look_at(struct waiting_map *w, u64 time, void *ctx)
{
	struct named_maps *n = ctx;

	if (jitdump__code_name(n->machine->files.sources.v[w->source].file->record.filename))
		array__add(&n->v, ((struct named_map){ w, time }));
}

/* Move the memory of these processes to before all their code. Code comes after memory of the same time. */
static void merge_named(struct side_band *b, const struct named_process *v, size_t nr)
{
	struct named_maps names = { .machine = b->machine };

	for (size_t i = 0; i < nr; i++)
		move_maps(b, &(struct move){ .machine = b->machine,
					     .pid = v[i].pid,
					     .time = v[i].time,
					     .with_data = true });
	if (nr)
		side_band__for_each_map(b, named_maps__look_at, &names);
	for (size_t i = 0; i < names.v.nr; i++) {
		struct waiting_map *w = names.v.v[i].map, copy = *w;

		w->end = w->start;
		side_band__add_map(b, &copy, names.v.v[i].time);
	}
	array__exit(&names.v);
}

/* ---- merging: dumps ---- */

struct search {
	const struct machine *machine;
	ARRAY(struct dump_mark) found;
	ARRAY(struct named_process) named;
};

static void search__note_named(struct search *s, u32 pid, u64 time)
{
	size_t i = 0;

	while (i < s->named.nr && s->named.v[i].pid != pid)
		i++;
	if (i == s->named.nr)
		array__add(&s->named, ((struct named_process){ pid, time }));
	s->named.v[i].time = MIN(s->named.v[i].time, time);
}

static void search__look_at(struct waiting_map *w, u64 time, void *ctx)
{
	struct search *s = ctx;
	const struct map_source *new = &s->machine->files.sources.v[w->source];

	if (jitdump__code_name(new->file->record.filename))
		search__note_named(s, new->pid, time);
	if (!new->file->is_jitdump)
		return;
	for (size_t i = 0; i < s->found.nr; i++) {
		const struct map_source *old = &s->machine->files.sources.v[s->found.v[i].source];

		if (old->file == new->file && old->pid == new->pid)
			return;
	}
	array__add(&s->found, ((struct dump_mark){ w->source, time }));
}

/* Add maps for the dump's loads. Return false if the dump cannot be used. */
static bool merge_dump(const struct dso_file_opts *opts, struct side_band *b, const struct jitdump *d,
		       const struct dump_mark *mark, const struct clock_pairs *clocks)
{
	struct merge m = { .side_band = b, .source = mark->source };
	struct jitdump_header h;
	int fd = jit_files__open_dump(opts, d, NULL);
	bool merged =
		fd >= 0 && !jitdump__read_header(fd, &h) && !h.has_arch_times && (clocks || h.has_own_times);

	if (merged) {
		m.clocks = h.has_own_times ? NULL : clocks;
		move_memory(b, d->pid, mark);
		jitdump__read(fd, &h, merge__code, &m);
	}
	hash_table__exit(&m.by_index);
	array__exit(&m.codes);
	file__close(fd);
	return merged;
}

/* As merge_dump, with the loads stored in the recording. */
static bool merge_stored(struct embedded *stored, struct side_band *b, const struct dump_mark *mark)
{
	const struct map_source *from = &b->machine->files.sources.v[mark->source];
	const struct names_entry *e =
		embedded__find_loads(stored, from->file->record.filename, from->pid, from->file->record.ino);

	if (!e)
		return false;
	move_memory(b, from->pid, mark);
	for (u32 i = 0; i < e->nr_loads; i++) {
		struct names_load l = names_entry__load(&stored->names_section, e, i);

		if (l.size && l.addr + l.size > l.addr)
			side_band__add_map(
				b, &(struct waiting_map){ l.addr, l.addr + l.size, l.offset, mark->source },
				l.time);
	}
	return true;
}

void jit_files__merge(const struct dso_file_opts *opts, struct embedded *stored, struct side_band *b,
		      const struct clock_pairs *clocks)
{
	struct machine *machine = b->machine;
	struct search dumps = { .machine = machine };
	bool any = false;

	for (size_t i = 0; i < machine->files.v.nr; i++) {
		struct map_file *f = machine->files.v.v[i];

		f->is_jitdump = is_dump(&f->record);
		any |= f->is_jitdump || jitdump__code_name(f->record.filename);
	}
	if (any)
		side_band__for_each_map(b, search__look_at, &dumps);
	for (size_t i = 0; i < dumps.found.nr; i++) {
		const struct map_source *from = &machine->files.sources.v[dumps.found.v[i].source];
		struct jitdump d = { .pid = from->pid, .ino = from->file->record.ino };

		d.name = arena__strdup(&machine->arena, from->file->record.filename);
		d.is_merged = merge_dump(opts, b, &d, &dumps.found.v[i], clocks) ||
			      merge_stored(stored, b, &dumps.found.v[i]);
		array__add(&machine->jitdumps, d);
	}
	merge_named(b, dumps.named.v, dumps.named.nr);
	array__exit(&dumps.found);
	array__exit(&dumps.named);
}

/* ---- names ---- */

static void add_by_offset(const struct jitdump_code *c, void *ctx)
{
	if (!c->is_move)
		symtab__add(ctx, c->offset, c->size, c->name, SYMBOL_GLOBAL);
}

static void add_by_address(const struct jitdump_code *c, void *ctx)
{
	if (!c->is_move)
		symtab__add(ctx, c->addr, c->size, c->name, SYMBOL_GLOBAL);
}

static int load_dump(const struct dso_file_opts *opts, struct symtab *t, const struct jitdump *d,
		     jitdump_fn fn, struct err *err)
{
	struct jitdump_header h;
	int fd = jit_files__open_dump(opts, d, err), ret;

	if (fd < 0)
		return fd;
	ret = jitdump__read(fd, &h, fn, t);
	close(fd);
	t->source = "jitdump";
	return ret ? err__set(err, ret, "'%s' is not a jitdump of version 1", d->name) : 0;
}

int jit_files__load_dump(const struct dso_file_opts *opts, const struct machine *m, struct dso *dso,
			 struct err *err)
{
	struct jitdump d = { .pid = dso->pid, .name = dso__long_name(&m->dsos, dso), .ino = dso->ino };
	int ret = load_dump(opts, &dso->symtab, &d, add_by_offset, err);

	if (!ret)
		symtab__finish(&dso->symtab);
	return ret;
}

/* Load dumps that are not merged into the maps. */
static int load_unmerged_dumps(const struct dso_file_opts *opts, const struct machine *m, struct dso *dso,
			       struct err *err)
{
	int ret = -ENOENT;

	for (size_t i = 0; i < m->jitdumps.nr; i++) {
		const struct jitdump *d = &m->jitdumps.v[i];

		if (d->pid == dso->pid && !d->is_merged)
			ret = load_dump(opts, &dso->symtab, d, add_by_address, err);
	}
	if (!ret)
		symtab__finish_by_age(&dso->symtab);
	return ret;
}

/* ---- relatives: processes that have JIT code in common ---- */

enum {
	JIT_FAMILY_MAX = 16,
	BINARIES_COMPARED = 64,
	RANK_LAST = UINT32_MAX,
};

struct jit_relative {
	u32 pid;
	const struct maps *space; /* of the relative */
	bool only_shared;         /* has no more in common than shared memory */
};
struct jit_family {
	const struct machine *machine;
	const struct maps *space;              /* of the process; NULL: unknown, and there are no relatives */
	struct jit_relative v[JIT_FAMILY_MAX]; /* the nearest last */
	size_t nr;
};

/* Return the newest address space of a process, or NULL. */
static const struct maps *space_of(const struct machine *m, u32 pid)
{
	for (size_t i = m->spaces.nr; i-- > 0;)
		if (m->spaces.v[i]->pid == pid && (m->spaces.v[i]->v.nr || m->spaces.v[i]->parent))
			return m->spaces.v[i];
	return NULL;
}

/* Are the binaries of a at the same addresses in b? Else there was an exec: addresses are random. */
static bool has_same_binaries(const struct machine *m, const struct maps *a, const struct maps *b)
{
	size_t same = 0;

	for (size_t i = 0; i < a->v.nr && same < BINARIES_COMPARED; i++) {
		const struct map *x = a->v.v[i].map, *y;

		if (m->dsos.v.v[x->dso]->kind != DSO_ELF)
			continue;
		y = maps__find(b, x->start, RANK_LAST);
		if (y && y->dso == x->dso && y->start - y->pgoff == x->start - x->pgoff)
			same++;
		else if (!same || y) /* not what was loaded later */
			return false;
	}
	return same;
}

/* Return the space that this one was forked from without an exec, or NULL. */
static const struct maps *parent_of(const struct machine *m, const struct maps *s)
{
	const struct maps *parent;

	if (s->parent)
		return s->parent_end ? NULL : s->parent;
	parent = s->ppid ? space_of(m, s->ppid) : NULL;
	return parent && parent != s && has_same_binaries(m, s, parent) ? parent : NULL;
}

static bool has_shared_code(const struct machine *m, const struct maps *s)
{
	for (size_t i = 0; i < s->v.nr; i++)
		if (s->v.v[i].map->flags & MAP_SHARED && m->dsos.v.v[s->v.v[i].map->dso]->kind == DSO_JIT)
			return true;
	return false;
}

static void jit_family__add(struct jit_family *f, const struct maps *space, bool only_shared)
{
	if (f->nr < JIT_FAMILY_MAX && space->pid != f->space->pid)
		f->v[f->nr++] = (struct jit_relative){ space->pid, space, only_shared };
}

/* Add children, and processes with the same parent. */
static void jit_family__add_shared(struct jit_family *f, const struct maps *parent)
{
	const struct machine *m = f->machine;

	for (size_t i = m->spaces.nr; i-- > 0 && f->nr < JIT_FAMILY_MAX / 2;) {
		const struct maps *s = m->spaces.v[i], *p;

		if (s == f->space || s == parent || (!s->parent && !s->ppid))
			continue;
		p = s->parent ? s->parent : NULL;
		if (!p && s->ppid != f->space->pid && (!parent || s->ppid != parent->pid))
			continue;
		p = parent_of(m, s);
		if (p && (p == f->space || p == parent))
			jit_family__add(f, s, true);
	}
}

/*
 * Find the relatives of a process: its ancestors since the last exec, and for shared memory, processes with
 * the same parent and children. Of a process that ran before the recording, the parent is one if both have
 * the same binaries at the same addresses.
 */
static void jit_family__find(struct jit_family *f, const struct machine *m, u32 pid)
{
	const struct maps *up[JIT_FAMILY_MAX / 2];
	const struct maps *s;
	size_t nr = 0;

	*f = (struct jit_family){ .machine = m, .space = space_of(m, pid) };
	if (!f->space)
		return;
	for (s = f->space; nr < ARRAY_SIZE(up) && (s = parent_of(m, s));)
		up[nr++] = s;
	if (has_shared_code(m, f->space) || (nr && has_shared_code(m, up[0])))
		jit_family__add_shared(f, nr ? up[0] : NULL);
	while (nr)
		jit_family__add(f, up[--nr], false);
}

/* Return the map of JIT code that has all of the memory, or NULL. */
static const struct map *code_at(const struct machine *m, const struct maps *s, u64 start, u64 end)
{
	const struct map *map = maps__find(s, start, RANK_LAST);

	return map && map->end >= end && m->dsos.v.v[map->dso]->kind == DSO_JIT ? map : NULL;
}

/* Does the process have the memory from start to end from this relative? */
static bool jit_family__has(const struct jit_family *f, const struct jit_relative *r, u64 start, u64 end)
{
	const struct map *own = code_at(f->machine, f->space, start, end),
			 *other = code_at(f->machine, r->space, start, end);

	return own && other && (own->flags & MAP_SHARED) == (other->flags & MAP_SHARED) &&
	       (!r->only_shared || own->flags & MAP_SHARED);
}

/* ---- names of memory ---- */

/* Load the perf-PID.map of a process. Return -ENOENT if there is none. */
static int load_map(const struct dso_file_opts *opts, struct symtab *t, u32 pid, const char *name,
		    struct err *err)
{
	struct proc_status p = { .uid = 0 };
	int kept = open_kept(opts, name, pid, 0), ret;
	struct file_search s;

	if (kept >= 0) {
		ret = perf_map__load_fd(t, kept, name, err);
		close(kept);
		return ret;
	}
	search_process(&s, FILE_PERF_MAP, opts, pid, name, &p);
	for (ret = -ENOENT; ret == -ENOENT && file_search__next(&s);)
		ret = perf_map__load(t, s.full.buf, owner_of(opts, p.uid), err);
	file_search__end(&s);
	return ret;
}

/* Add the names of a relative's code that the process has, too; of the process itself with r NULL. */
static void add_names(struct symtab *t, const struct symtab *from, const struct jit_family *f,
		      const struct jit_relative *r)
{
	for (size_t i = 0; i < from->syms.nr; i++) {
		const struct symbol *s = &from->syms.v[i];

		if (!r || jit_family__has(f, r, s->start, s->start + s->size))
			symtab__add(t, s->start, s->size, symtab__name(from, s), SYMBOL_GLOBAL);
	}
}

/* As load_map, with the names of code that the process has from others. Its own names come first. */
static int load_maps_of_family(const struct dso_file_opts *opts, const struct jit_family *f, struct dso *dso,
			       const char *name, struct err *err)
{
	int ret = -ENOENT;

	for (size_t i = 0; i <= f->nr; i++) { /* the process itself last: the newest name counts */
		const struct jit_relative *r = i < f->nr ? &f->v[i] : NULL;
		char *other = r ? xasprintf("/tmp/perf-%u.map", r->pid) : NULL;
		struct symtab t;

		symtab__init(&t);
		ret = load_map(opts, &t, r ? r->pid : dso->pid, r ? other : name, r ? NULL : err);
		if (!ret)
			add_names(&dso->symtab, &t, f, r);
		symtab__exit(&t);
		free(other);
	}
	if (!dso->symtab.syms.nr)
		return ret;
	dso->symtab.source = "perf map";
	symtab__finish_by_age(&dso->symtab);
	return 0;
}

int jit_files__load_memory(const struct dso_file_opts *opts, const struct machine *m, struct dso *dso,
			   struct err *err)
{
	const char *name = dso__long_name(&m->dsos, dso);
	int ret = check_host(opts, name, err);
	struct jit_family family;

	if (ret)
		return ret;
	jit_family__find(&family, m, dso->pid);
	ret = family.nr ? load_maps_of_family(opts, &family, dso, name, err)
			: load_map(opts, &dso->symtab, dso->pid, name, err);
	return ret == -ENOENT ? load_unmerged_dumps(opts, m, dso, err) : ret;
}
