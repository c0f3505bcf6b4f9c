/* The table of build-ids at the end of a recording: one line per binary that was mapped. */
#include "record/describe/build_id_list.h"

#include "base/memory/arena.h"
#include "binary/elf/kept_files.h"
#include "binary/symbols/vdso.h"
#include "format/records/build.h"
#include "record/describe/kept_jit.h"
#include "record/describe/map_build_id.h"
#include "record/describe/text_copies.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define KERNEL_NAME "[kernel.kallsyms]"

struct seen_file {
	const char *name;
	u32 maj, min; /* of the map; 0 if the record has the build-id instead */
	u64 ino, ino_generation;
	u32 pid; /* a process that mapped it */
	u8 cpumode;
	struct build_id id;
};

struct build_id_list {
	struct arena names;
	struct hash_table table;
	ARRAY(struct seen_file) files;
	struct map_viewers viewers;
};

struct build_id_list *build_id_list__new(const struct map_viewers *viewers)
{
	struct build_id_list *b = xcalloc(1, sizeof(*b));

	if (viewers)
		b->viewers = *viewers;
	return b;
}

void build_id_list__delete(struct build_id_list *b)
{
	if (!b)
		return;
	array__exit(&b->files);
	hash_table__exit(&b->table);
	arena__exit(&b->names);
	free(b);
}

static bool seen_file__same(const struct seen_file *a, const struct seen_file *b)
{
	return a->ino == b->ino && a->maj == b->maj && a->min == b->min &&
	       a->ino_generation == b->ino_generation && a->id.size == b->id.size &&
	       !memcmp(a->id.data, b->id.data, a->id.size) && !strcmp(a->name, b->name);
}

static struct kept_id seen_file__kept_id(const struct seen_file *f)
{
	return (struct kept_id){ .name = f->name,
				 .maj = f->maj,
				 .min = f->min,
				 .ino = f->ino,
				 .ino_generation = f->ino_generation,
				 .build_id = f->id };
}

/* Copy f.name if the file is new. Return whether it is. */
static bool build_id_list__add(struct build_id_list *b, const struct seen_file *f)
{
	u64 hash = hash__add(hash__bytes(f->name, strlen(f->name), f->ino), (u64)f->maj << 32 | f->min);
	struct seen_file *new_file;
	u32 i;

	hash = hash__bytes(f->id.data, f->id.size, hash);
	hash_table__for_each (&b->table, hash, i)
		if (seen_file__same(&b->files.v[i], f))
			return false;
	hash_table__insert(&b->table, hash, (u32)b->files.nr);
	new_file = array__push(&b->files);
	*new_file = *f;
	new_file->name = arena__strdup(&b->names, f->name);
	return true;
}

/* Data, and memory without a file, cannot have a build-id. */
static bool name__is_binary(const char *name, u8 cpumode)
{
	if (cpumode == PERF_RECORD_MISC_KERNEL)
		/* the kernel is always written */
		return strncmp(name, KERNEL_NAME, strlen(KERNEL_NAME)) != 0;
	return (name[0] == '/' && name[1] != '/') || vdso__is_name(name);
}

void build_id_list__see(struct build_id_list *b, const struct perf_event_header *h)
{
	struct seen_file f = { 0 };
	struct mmap_record m;

	if ((h->type != PERF_RECORD_MMAP2 && h->type != PERF_RECORD_MMAP) ||
	    !record__mmap(&(struct record){ .header = h }, &m) || m.is_data)
		return;
	if (b->viewers.jit)
		kept_jit__see(b->viewers.jit, &m);
	if (b->viewers.copies)
		text_copies__see(b->viewers.copies, h, &m);
	if (!name__is_binary(m.filename, m.cpumode))
		return;
	if (m.is_mmap2 && !m.has_build_id && m.cpumode == PERF_RECORD_MISC_USER && !(m.prot & PROT_EXEC))
		return;
	f.name = vdso__name_at(m.filename, m.start, sizeof(void *) == 8);
	vdso__see(f.name, (pid_t)m.pid, m.start, m.start + m.len);
	f.pid = m.pid;
	f.cpumode = m.cpumode;
	if (m.has_build_id) {
		f.id.size = MIN(m.build_id_size, BUILD_ID_MAX);
		memcpy(f.id.data, m.build_id, f.id.size);
	} else if (m.cpumode == PERF_RECORD_MISC_USER) {
		f.maj = m.maj;
		f.min = m.min;
		f.ino = m.ino;
		f.ino_generation = m.ino_generation;
	}
	if (build_id_list__add(b, &f) && b->viewers.kept && f.cpumode == PERF_RECORD_MISC_USER) {
		const struct kept_id id = seen_file__kept_id(&f);

		kept_files__add(b->viewers.kept, &id, f.pid, m.start, m.start + m.len);
	}
}

void build_id_list__add_all(struct build_id_list *b, const struct build_id_list *other)
{
	for (size_t i = 0; i < other->files.nr; i++)
		build_id_list__add(b, &other->files.v[i]);
}

/* Read the build-id of a file that was mapped by a process. */
static bool seen_file__read_id(struct seen_file *f, struct build_id_cache *ids, struct kept_files *kept)
{
	const struct kept_id id = seen_file__kept_id(f);
	char *path = kept_files__path(kept, &id);
	const struct mapped_file m = { .pid = (pid_t)f->pid,
				       .maj = f->maj,
				       .min = f->min,
				       .ino = f->ino,
				       .name = f->name,
				       .kept = path };
	bool found = build_id_cache__get(ids, &m, &f->id);

	free(path);
	return found;
}

static bool seen_file__find_id(struct seen_file *f, struct build_id_cache *ids, struct kept_files *kept)
{
	if (f->id.size)
		return true;
	if (f->cpumode == PERF_RECORD_MISC_KERNEL)
		return !build_id__of_module_file(f->name, &f->id);
	if (f->cpumode != PERF_RECORD_MISC_USER)
		return false; /* guest kernel or module */
	if (f->name[0] == '[')
		return vdso__build_id(f->name, &f->id);
	return seen_file__read_id(f, ids, kept);
}

static int seen_file__cmp(const void *a, const void *b)
{
	return strcmp(((const struct seen_file *)a)->name, ((const struct seen_file *)b)->name);
}

/*
 * The table identifies a binary by name alone. Leave out a name that meant several binaries during the
 * recording, or one whose id is known in some records only.
 */
static size_t same_name(const struct seen_file *f, size_t nr, bool *agree)
{
	size_t n = 1;

	*agree = f->id.size > 0;
	for (; n < nr && !strcmp(f[n].name, f->name); n++)
		*agree = *agree && build_id__equal(&f[n].id, &f->id);
	return n;
}

int build_id_list__write(struct build_id_list *b, struct writer *w)
{
	struct build_id_cache *ids = build_id_cache__new();
	struct strbuf out = STRBUF_INIT;
	struct build_id kernel;
	size_t n;
	int ret = 0;

	if (!build_id__of_kernel(&kernel))
		build__build_id(&out, PERF_RECORD_MISC_KERNEL, UINT32_MAX, kernel.data, kernel.size,
				KERNEL_NAME);
	for (size_t i = 0; i < b->files.nr; i++)
		seen_file__find_id(&b->files.v[i], ids, b->viewers.kept);
	if (b->files.nr)
		qsort(b->files.v, b->files.nr, sizeof(b->files.v[0]), seen_file__cmp);
	/* its indices refer to the old order; nothing is added from here on */
	hash_table__exit(&b->table);
	for (size_t i = 0; i < b->files.nr; i += n) {
		const struct seen_file *f = &b->files.v[i];
		bool agree;

		n = same_name(f, b->files.nr - i, &agree);
		if (agree)
			build__build_id(&out, f->cpumode, UINT32_MAX, f->id.data, f->id.size, f->name);
	}
	if (out.len)
		ret = writer__feature(w, FEATURE_BUILD_ID, out.buf, out.len);
	strbuf__exit(&out);
	build_id_cache__delete(ids);
	return ret;
}
