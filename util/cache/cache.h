/*
 * The build-id cache: a folder with copies of binaries, in stock perf's layout, so both programs can share
 * one:
 *
 *	CACHE/.build-id/xx/yyyy -> ../../NAME/xxyyyy       one link for each build-id
 *	CACHE/NAME/xxyyyy/elf                              the binary ("/usr/bin/ls", in "usr/bin/ls")
 *	CACHE/NAME/xxyyyy/debug                            its separate debug file
 *	CACHE/[kernel.kallsyms]/xxyyyy/kallsyms            a kernel's symbols
 *	CACHE/[vdso]/xxyyyy/vdso
 *	CACHE/NAME/xxyyyy/probes                           stock perf's list of markers; not touched here
 *
 * CACHE itself may be a link. Below it, links are never followed; those under .build-id are read, and
 * accepted only if they point to NAME/ID inside the cache. So names from a recording or an archive cannot
 * cause reads, writes or deletions outside the cache.
 */
#ifndef CACHE_CACHE_H
#define CACHE_CACHE_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "binary/elf/build_id.h"

struct cache {
	char *path;
	int fd; /* of the folder; -1: it does not exist (treated as empty) */
};

/*
 * Open the cache. create: create the folder (not its parents) if it does not exist; refuse a link that
 * belongs to another user. Return 0 or a negative errno with err.
 */
int cache__open(struct cache *c, const char *path, bool create, struct err *err);
void cache__close(struct cache *c);

struct cache_entry {
	struct build_id id;
	char *name; /* "/usr/bin/ls", "[kernel.kallsyms]"; owned by the entry */
};
typedef ARRAY(struct cache_entry) cache_entries;
/*
 * List the entries whose folder exists, sorted by build-id. Count the others in *broken, unless it is NULL.
 */
int cache__list(const struct cache *c, cache_entries *entries, size_t *broken, struct err *err);
void cache_entries__exit(cache_entries *entries);

enum cache_file { CACHE_ELF, CACHE_DEBUG, CACHE_KALLSYMS, CACHE_VDSO, CACHE_FILE_NR };
const char *cache_file__name(enum cache_file f);

/* Return the folder of an entry, relative to the cache ("usr/bin/ls/ID"), or NULL. The caller frees it. */
char *cache__entry_path(const struct cache *c, const struct build_id *id);
/* Open a regular file of an entry for reading. Return a descriptor or a negative errno. */
int cache__open_file(const struct cache *c, const struct build_id *id, const char *file);
/* Return whether the entry has a binary with this build-id, a kallsyms or a vdso. */
bool cache__has(const struct cache *c, const struct build_id *id);

/*
 * Copy the regular file open on fd (stays open) into the cache as file f of (name, id), and create the link.
 * An existing copy is replaced atomically. The copy shares disk blocks if the file system can do that. It is
 * never a hard link as in stock perf: a write to the original would change the copy. name: absolute without
 * "..", or in brackets. Return 0 or a negative errno with err.
 */
int cache__put(struct cache *c, const char *name, const struct build_id *id, enum cache_file f, int fd,
	       struct err *err);

/*
 * As cache__put, for the binary with build-id *id open on fd (stays open), and for its separate debug file
 * if this machine has one with the same build-id.
 */
int cache__put_binary(struct cache *c, const char *name, const struct build_id *id, int fd, struct err *err);

/*
 * Delete an entry, its files and the folders that become empty. Return 0 or a negative errno; -ENOENT: no
 * such entry.
 */
int cache__remove(struct cache *c, const struct build_id *id, struct err *err);
/* Delete all entries with this name (NULL: all entries). Return how many, or a negative errno with err. */
int cache__purge(struct cache *c, const char *name, struct err *err);

/*
 * Turn a name into a path below the cache: without leading and doubled slashes. Return it (the caller frees
 * it), or NULL if the name is not absolute or "[...]" without a slash, contains "..", or is too long.
 */
char *cache__name_to_path(const char *name);
/* Parse the hex digits of a build-id. Return false if hex is anything else. */
bool build_id__parse(const char *hex, struct build_id *id);

#endif
