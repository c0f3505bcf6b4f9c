/*
 * Archives of binaries for the build-id cache of another machine: a tar file with the links and files of
 * cache entries, for `tar x -C ~/.debug`, as stock's perf archive makes it; or, with the recording beside it,
 * a tar file of both.
 */
#ifndef CACHE_ARCHIVE_H
#define CACHE_ARCHIVE_H

#include "cache/cache.h"

struct archive_item {
	const char *name; /* as for cache__put */
	struct build_id id;
	bool is_missing; /* set: there is no file of that build here */
};

/*
 * Writes the archive to path. A file is taken from the cache, or from where its name says if it is of that
 * build, with its separate debug file; the running kernel's symbols and vdso from the kernel. Other builds
 * are never taken. An existing file at path is replaced when all is written. recording: the path of a
 * recording to be packed, too, as perf.data; NULL: none. 0 or a negative errno with err.
 */
int archive__create(const char *path, struct archive_item *items, size_t nr, const struct cache *cache,
		    const char *recording, struct err *err);

struct unpacked {
	size_t nr_entries;  /* files that went into the cache */
	size_t nr_refused;  /* members that have no place there: other names, other builds */
	bool has_recording; /* perf.data was in it */
};
/*
 * Puts the files of an archive into the cache, each checked: its name must be that of a file of an entry, a
 * binary must have the build-id that its name claims. A recording in the archive becomes the file
 * `recording`, which must not exist. Unless any_size is set, at most 256 MiB or 100 times the archive's size,
 * whichever is more, is unpacked; files that are in the cache by then stay there. Returns 0 or a negative
 * errno with err; -E2BIG: more than the limit.
 */
int archive__unpack(const char *path, struct cache *cache, const char *recording, bool any_size,
		    struct unpacked *u, struct err *err);

#endif
