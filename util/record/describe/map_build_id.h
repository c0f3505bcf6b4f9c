/*
 * Build-ids of files that running processes have mapped. The id is that of the mapped inode; if the file has
 * been replaced since, there is none. Each inode is read once. Thread-safe.
 */
#ifndef RECORD_MAP_BUILD_ID_H
#define RECORD_MAP_BUILD_ID_H

#include "binary/elf/build_id.h"

#include <sys/types.h>

struct build_id_cache;
struct build_id_cache *build_id_cache__new(void);
void build_id_cache__delete(struct build_id_cache *c);

struct mapped_file {
	pid_t pid;      /* a process that has mapped it; 0: only the name is known */
	u64 start, end; /* addresses in pid, if pid is not 0 */
	u32 maj, min;
	u64 ino;
	const char *name;
	const char *kept; /* as in struct file_query */
};
/* Return true and fill *id if the file has a build-id and could be read. */
bool build_id_cache__get(struct build_id_cache *c, const struct mapped_file *f, struct build_id *id);

#endif
