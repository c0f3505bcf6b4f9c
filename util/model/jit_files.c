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

int jit_files__load_memory(const struct dso_file_opts *opts, const struct machine *m, struct dso *dso,
			   struct err *err)
{
	const char *name = dso__long_name(&m->dsos, dso);
	struct proc_status p = { .uid = 0 };
	int ret = check_host(opts, name, err), kept;
	struct file_search s;

	if (ret)
		return ret;
	kept = open_kept(opts, name, dso->pid, 0);
	if (kept >= 0) {
		ret = perf_map__load_fd(&dso->symtab, kept, name, err);
		close(kept);
		return ret;
	}
	search_process(&s, FILE_PERF_MAP, opts, dso->pid, name, &p);
	for (ret = -ENOENT; ret == -ENOENT && file_search__next(&s);)
		ret = perf_map__load(&dso->symtab, s.full.buf, owner_of(opts, p.uid), err);
	file_search__end(&s);
	return ret == -ENOENT ? load_unmerged_dumps(opts, m, dso, err) : ret;
}
