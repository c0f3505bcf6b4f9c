/*
 * The common part of map records: thousands of them differ only in addresses and process. The rest (device,
 * inode, protection, name, build-id) is decoded once for each distinct sequence of these bytes.
 */
#ifndef MODEL_MAP_FILES_H
#define MODEL_MAP_FILES_H

#include "base/memory/arena.h"
#include "base/memory/array.h"
#include "base/memory/hash.h"
#include "format/records/record.h"

#include <string.h>

/* Offset at which the shared bytes of both types begin: after header, pid, tid, addr, len, pgoff. */
enum { MAP_BYTES_START = 40 };

enum { MAP_FILE_NO_DSO = UINT32_MAX };

enum map_addressing { /* origin of a map's dso addresses */
		      MAP_ADDRESS_IN_FILE,
		      MAP_ADDRESS_IN_MEMORY,
		      MAP_ADDRESS_FROM_START,
		      MAP_ADDRESS_OF_NAME, /* named code: each name has a range of its own */
};

struct map_file {
	/* decoded; pid, tid, start, len and pgoff are those of one of the maps */
	struct mmap_record record;
	/* Used by the replay. */
	u32 dso;     /* idx, or MAP_FILE_NO_DSO if not looked up yet */
	u32 dso_pid; /* JIT code: the process that made it */
	enum map_addressing addressing;
	bool is_jitdump; /* see struct jitdump */
	/* The key: the header, and the bytes between pgoff and the trailer. */
	struct perf_event_header header;
	u32 nr_bytes;
	const u8 *bytes;
};

struct map_source { /* a file and the process that maps it; many consecutive records have the same */
	struct map_file *file;
	u32 pid, tid;
};

struct map_files {
	struct arena arena;
	struct hash_table table;
	ARRAY(struct map_file *) v;
	struct map_file *last;
	ARRAY(struct map_source) sources;
};

void map_files__exit(struct map_files *f);

static inline bool map_file__has(const struct map_file *file, const struct record *r, size_t nr_bytes)
{
	return !memcmp(&file->header, r->header, sizeof(file->header)) && file->nr_bytes == nr_bytes &&
	       !memcmp(file->bytes, (const u8 *)r->header + MAP_BYTES_START, nr_bytes);
}

struct map_file *map_files__find_add_slow(struct map_files *f, const struct record *r, size_t nr_bytes);

/*
 * Return the file of an MMAP or MMAP2 record whose last trailer bytes are its sample_id, or NULL if the
 * record is too short. Valid as long as f.
 */
static inline struct map_file *map_files__find_add(struct map_files *f, const struct record *r,
						   size_t trailer)
{
	size_t nr_bytes = r->header->size - MAP_BYTES_START - trailer;

	if (unlikely(r->header->size < MAP_BYTES_START + trailer))
		return NULL;
	return likely(f->last && map_file__has(f->last, r, nr_bytes))
		       ? f->last
		       : map_files__find_add_slow(f, r, nr_bytes);
}

/* Return the index in sources of the file mapped by the process. */
static inline u32 map_files__source(struct map_files *f, struct map_file *file, u32 pid, u32 tid)
{
	const struct map_source *last = f->sources.nr ? &f->sources.v[f->sources.nr - 1] : NULL;

	if (unlikely(!last || last->file != file || last->pid != pid || last->tid != tid))
		array__add(&f->sources, ((struct map_source){ file, pid, tid }));
	return (u32)f->sources.nr - 1;
}

#endif
