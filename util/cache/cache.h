/*
 * The build-id cache: a folder with copies of binaries, in stock perf's layout, so that either program uses
 * the other's:
 *
 *	CACHE/.build-id/xx/yyyy -> ../../NAME/xxyyyy       one link for each build-id
 *	CACHE/NAME/xxyyyy/elf                              the binary ("/usr/bin/ls", in "usr/bin/ls")
 *	CACHE/NAME/xxyyyy/debug                            its separate debug file
 *	CACHE/[kernel.kallsyms]/xxyyyy/kallsyms            a kernel's symbols
 *	CACHE/[vdso]/xxyyyy/vdso
 *	CACHE/NAME/xxyyyy/probes                           stock perf's list of markers; left alone here
 *
 * CACHE itself may be a link; below it no link is ever followed, but those under .build-id are read, and
 * believed only when they lead to NAME/ID inside the cache. So nothing outside is read, written or deleted,
 * whatever names a recording or an archive brought.
 */
#ifndef CACHE_CACHE_H
#define CACHE_CACHE_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "binary/elf/build_id.h"

struct cache {
	char *path;
	int fd; /* of the folder; -1: it does not exist, and is as an empty one */
};

/* create: makes the folder (not its parents) when it is not there. 0 or a negative errno with err. */
int cache__open(struct cache *c, const char *path, bool create, struct err *err);
void cache__close(struct cache *c);

struct cache_entry {
	struct build_id id;
	char *name; /* "/usr/bin/ls", "[kernel.kallsyms]"; the entry's */
};
typedef ARRAY(struct cache_entry) cache_entries;
/* All entries whose folder is there, in the order of their build-ids. Others are counted, if broken is not
 * NULL. */
int cache__list(const struct cache *c, cache_entries *entries, size_t *broken, struct err *err);
void cache_entries__exit(cache_entries *entries);

enum cache_file { CACHE_ELF, CACHE_DEBUG, CACHE_KALLSYMS, CACHE_VDSO, CACHE_FILE_NR };
const char *cache_file__name(enum cache_file f);

/* The folder of an entry, relative to the cache ("usr/bin/ls/ID"), or NULL; the caller's. */
char *cache__entry_path(const struct cache *c, const struct build_id *id);
/* Opens a regular file of an entry for reading; a negative errno. */
int cache__open_file(const struct cache *c, const struct build_id *id, const char *file);
/* Whether there is a binary, a kallsyms or a vdso, and a binary is of this build. */
bool cache__has(const struct cache *c, const struct build_id *id);

/*
 * Puts a copy of what is open on fd (a regular file; not consumed) into the cache as file f of (name, id),
 * and the link. An existing copy is replaced. A copy shares the disk's blocks where the file system can do
 * that, but is never a hard link, as in stock perf: what is written into the original would change it. A copy
 * appears as a whole or not at all. name: absolute without "..", or in brackets. 0 or a negative errno with
 * err.
 */
int cache__put(struct cache *c, const char *name, const struct build_id *id, enum cache_file f, int fd,
	       struct err *err);

/*
 * Puts a binary of build-id *id (open on fd, not consumed) there under that name, and its separate debug file
 * if this machine has one of the same build-id. As cache__put.
 */
int cache__put_binary(struct cache *c, const char *name, const struct build_id *id, int fd, struct err *err);

/* Deletes an entry with its files, and folders that become empty. -ENOENT: there is none. */
int cache__remove(struct cache *c, const struct build_id *id, struct err *err);
/* Deletes all entries of a name, or with NULL all entries; returns how many, or a negative errno with err. */
int cache__purge(struct cache *c, const char *name, struct err *err);

/*
 * Whether a name may be used for a path below the cache: absolute, or "[...]" without a slash; no "..", not
 * longer than a path. Returns it without "/" in front and without doubled ones, the caller's, or NULL.
 */
char *cache__name_to_path(const char *name);
/* "1234abcd..." as the bytes it stands for; false when it is anything else. */
bool build_id__parse(const char *hex, struct build_id *id);

#endif
