#include "inject/jit.h"

#include "base/memory/hash.h"
#include "base/system/file.h"
#include "base/system/output_file.h"
#include "binary/symbols/jitdump.h"
#include "format/records/build.h"
#include "inject/jit_elf.h"
#include "model/jit_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

void jit_maps__exit(struct jit_maps *j)
{
	for (size_t i = 0; i < j->files.nr; i++)
		free(j->files.v[i].path);
	array__exit(&j->files);
	array__exit(&j->processes);
	array__exit(&j->v);
}

/* ---- one dump ---- */

struct dump {
	struct jit_maps *maps;
	struct strbuf image;
	const char *path;
	int fd;
	u32 pid;
	u16 machine;
	u64 size;                   /* of the file */
	struct hash_table by_index; /* its functions in maps->files */
	struct err *err;
	int ret;
};

/* Return the file of function index, or UINT32_MAX if it was not loaded. */
static u32 dump__file(const struct dump *d, u64 index)
{
	u32 i;

	hash_table__for_each (&d->by_index, hash__u64(index), i)
		if (d->maps->files.v[i].index == index)
			return i;
	return UINT32_MAX;
}

/* A link of that name is replaced, not followed; its mode allows no more than that of the dump. */
static int write_file(const struct dump *d, const char *path, struct stat *st)
{
	struct stat dump;
	int ret;

	if (fstat(d->fd, &dump))
		return -errno;
	if (!lstat(path, st) && S_ISLNK(st->st_mode))
		unlink(path);
	ret = output_file__write(path, d->image.buf, d->image.len, dump.st_mode & 0666, NULL);
	return ret || !stat(path, st) ? ret : -errno;
}

static int dump__add_file(struct dump *d, const struct jitdump_code *c, const void *code, const void *frames)
{
	const struct jit_function f = { .name = c->name,
					.code = code,
					.size = c->size,
					.frames = frames,
					.frames_size = frames ? c->frames_size : 0,
					.machine = d->machine };
	struct jit_file file = { .index = c->index };
	struct stat st;
	int ret;

	file.path = xasprintf("%.*s/jitted-%u-%llu.so", (int)(strrchr(d->path, '/') - d->path), d->path,
			      d->pid, (unsigned long long)c->index);
	strbuf__reset(&d->image);
	jit_elf__build(&f, &d->image, &file.id);
	ret = write_file(d, file.path, &st);
	if (ret) {
		err__set(d->err, ret, "cannot write '%s': %s", file.path, err__str(ret));
		free(file.path);
		return ret;
	}
	file.maj = major(st.st_dev);
	file.min = minor(st.st_dev);
	file.ino = st.st_ino;
	hash_table__insert(&d->by_index, hash__u64(c->index), (u32)d->maps->files.nr);
	array__add(&d->maps->files, file);
	return 0;
}

/* Return bytes of the dump, to be freed, or NULL if it does not have them all. */
static char *dump__bytes(const struct dump *d, u64 offset, u64 size)
{
	char *bytes;

	if (offset > d->size || size > d->size - offset)
		return NULL;
	bytes = xmalloc(size);
	if (file__pread_all(d->fd, bytes, size, offset) == (ssize_t)size)
		return bytes;
	free(bytes);
	return NULL;
}

static int dump__load(struct dump *d, const struct jitdump_code *c)
{
	char *code = dump__bytes(d, c->offset, c->size), *frames;
	int ret;

	if (!code)
		return 0; /* truncated dump */
	frames = c->frames_size ? dump__bytes(d, c->frames_offset, c->frames_size) : NULL;
	ret = dump__add_file(d, c, code, frames);
	free(code);
	free(frames);
	return ret;
}

static void dump__see(const struct jitdump_code *c, void *ctx)
{
	struct dump *d = ctx;
	u64 time = clock_pairs__to_recording(&d->maps->clocks, c->time);
	u32 file;

	if (!d->ret && !c->is_move)
		d->ret = dump__load(d, c);
	file = dump__file(d, c->index);
	if (!d->ret && file != UINT32_MAX)
		array__add(&d->maps->v, ((struct jit_map){ .time = time,
							   .addr = c->addr,
							   .size = c->size,
							   .pid = d->pid,
							   .file = file }));
}

static int dump__read(struct dump *d)
{
	struct jitdump_header h;
	struct stat st;

	if (fstat(d->fd, &st) || jitdump__read_header(d->fd, &h))
		return err__set(d->err, -EINVAL, "'%s' is not a jitdump", d->path);
	if (h.has_arch_times)
		return err__set(d->err, -ENOTSUP, "the times in '%s' are of the processor's counter",
				d->path);
	d->machine = h.machine;
	d->size = (u64)st.st_size;
	jitdump__read(d->fd, &h, dump__see, d);
	return d->ret;
}

static int read_dump(struct jit_maps *j, const struct jitdump *from, bool any_owner, struct err *err)
{
	const struct dso_file_opts opts = { .any_owner = any_owner };
	const struct jitdump wanted = { from->pid, from->name, any_owner ? 0 : from->ino, false };
	struct dump d = { .maps = j, .image = STRBUF_INIT, .path = from->name, .pid = from->pid, .err = err };
	int ret;

	if (jitdump__is_made(from->name)) /* the recording has what it has of that */
		return 0;
	d.fd = jit_files__open_dump(&opts, &wanted, err);
	if (d.fd < 0)
		return d.fd;
	ret = dump__read(&d);
	close(d.fd);
	hash_table__exit(&d.by_index);
	strbuf__exit(&d.image);
	return ret;
}

/* ---- all dumps of a recording ---- */

static int jit_map__cmp(const void *a, const void *b)
{
	u64 x = ((const struct jit_map *)a)->time, y = ((const struct jit_map *)b)->time;

	return x < y ? -1 : x > y;
}

/* Add memory that was ever executable as maps that come before all code. */
static void add_memory(struct jit_maps *j, u32 pid, size_t first)
{
	const struct machine *m = j->machine;
	u64 since = UINT64_MAX;

	for (size_t i = first; i < j->v.nr; i++)
		since = MIN(since, j->v.v[i].time);
	if (first == j->v.nr || !since)
		return;
	array__add(&j->processes, ((struct jit_process){ .pid = pid, .since = since }));
	for (size_t i = 0; i < m->spaces.nr; i++) {
		const struct maps *maps = m->spaces.v[i];

		for (size_t k = 0; maps->pid == pid && k < maps->v.nr; k++) {
			const struct map *map = maps->v.v[k].map;

			if (m->dsos.v.v[map->dso]->kind == DSO_JIT && map->end > map->start)
				array__add(&j->v, ((struct jit_map){ .time = since - 1,
								     .addr = map->start,
								     .size = map->end - map->start,
								     .pid = pid,
								     .file = JIT_MEMORY }));
		}
	}
}

int jit_maps__make(struct jit_maps *j, const struct session *s, bool any_owner, struct err *err)
{
	const struct machine *m = &s->machine;
	int ret = 0;

	j->machine = m;
	if (m->jitdumps.nr && !session__clocks(s, &j->clocks))
		ret = err__set(err, -EINVAL, "'%s' does not have the times of jitdumps: record with -k mono",
			       s->reader->path);
	for (size_t i = 0; !ret && i < m->jitdumps.nr; i++) {
		size_t first = j->v.nr;

		ret = read_dump(j, &m->jitdumps.v[i], any_owner, err);
		add_memory(j, m->jitdumps.v[i].pid, first);
	}
	if (j->v.nr)
		qsort(j->v.v, j->v.nr, sizeof(j->v.v[0]), jit_map__cmp);
	return ret;
}

bool jit_maps__replace(const struct jit_maps *j, const struct mmap_record *m, u64 time)
{
	for (size_t i = 0; i < j->machine->jitdumps.nr; i++)
		if (!strcmp(m->filename, j->machine->jitdumps.v[i].name))
			return true;
	if (!mmap_record__is_anonymous(m))
		return false;
	for (size_t i = 0; i < j->processes.nr; i++)
		if (j->processes.v[i].pid == m->pid && time >= j->processes.v[i].since)
			return true;
	return false;
}

/* ---- records ---- */

void jit_maps__add_records(struct jit_maps *j, const struct evlist *l, u64 until, struct strbuf *out)
{
	static const struct jit_file memory = { .path = (char *)(uintptr_t) "//anon" };
	size_t id_size = build__id_size(l);

	for (; j->next < j->v.nr && j->v.v[j->next].time <= until; j->next++) {
		const struct jit_map *map = &j->v.v[j->next];
		const struct jit_file *f = map->file == JIT_MEMORY ? &memory : &j->files.v[map->file];
		const struct mmap_record m = { .pid = map->pid,
					       .tid = map->pid,
					       .start = map->addr,
					       .len = map->size,
					       .pgoff = map->file == JIT_MEMORY ? map->addr : JIT_ELF_TEXT,
					       .maj = f->maj,
					       .min = f->min,
					       .ino = f->ino,
					       .prot = PROT_EXEC,
					       .flags = map->file == JIT_MEMORY ? MAP_PRIVATE : MAP_SHARED,
					       .filename = f->path };

		build__mmap2(out, PERF_RECORD_MISC_USER, &m, id_size);
		if (id_size) {
			const struct evsel *e = l->evsels.v[0];
			u64 id = e->ids.nr ? e->ids.v[0] : 0;

			strbuf__setlen(out, out->len - id_size);
			build__trailer(out, e,
				       &(struct sample_id){ .pid = map->pid,
							    .tid = map->pid,
							    .time = map->time,
							    .id = id,
							    .stream_id = id });
		}
	}
}
