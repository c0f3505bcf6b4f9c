/*
 * Archives of binaries for the build-id cache of another machine: a tar file with the links and files of
 * cache entries, for `tar x -C ~/.debug`, as stock's perf archive writes it. Or a tar file of both the
 * recording and that archive.
 */
#ifndef CACHE_ARCHIVE_H
#define CACHE_ARCHIVE_H

#include "cache/cache.h"

struct archive_item {
	const char *name; /* as for cache__put */
	struct build_id id;
	bool is_missing; /* set: no file with this build-id was found here */
};

/*
 * Write the archive to path. A file is taken from the cache, or from its own path if the build-id matches;
 * its separate debug file is included. The running kernel's symbols and vdso come from the kernel. An
 * existing file at path is replaced once the archive is complete. recording: path of a recording to include
 * as perf.data, or NULL. with_zstd: compress with zstd, not bzip2. Return 0 or a negative errno with err.
 */
int archive__create(const char *path, struct archive_item *items, size_t nr, const struct cache *cache,
		    const char *recording, bool with_zstd, struct err *err);

struct unpacked {
	size_t nr_entries;  /* files added to the cache */
	size_t nr_refused;  /* members skipped for a wrong name or build-id */
	bool has_recording; /* the archive contained perf.data */
};
/*
 * Unpack an archive into the cache. Each file is checked: its name must be that of a file of a cache entry,
 * and a binary must have the build-id in its name. A recording in the archive is written to `recording`,
 * which must not exist. Unless any_size is set, at most 256 MiB or 100 times the archive's size (the larger
 * of both) is unpacked; files added before the limit is reached stay in the cache. Return 0 or a negative
 * errno with err; -E2BIG: the limit was exceeded.
 */
int archive__unpack(const char *path, struct cache *cache, const char *recording, bool any_size,
		    struct unpacked *u, struct err *err);

#endif
