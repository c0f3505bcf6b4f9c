/*
 * A copy of /proc/kallsyms in the build-id cache, for reports: the kernel takes tens of milliseconds to make
 * that text, and another kernel may be running by then. The layout is stock perf's:
 *
 *	CACHE/[kernel.kallsyms]/BUILDID/kallsyms
 *	CACHE/.build-id/BU/ILDID -> ../../[kernel.kallsyms]/BUILDID
 */
#ifndef RECORD_KALLSYMS_COPY_H
#define RECORD_KALLSYMS_COPY_H

#include "base/message/err.h"
#include "binary/elf/build_id.h"

/*
 * Copies the file source (/proc/kallsyms) unless the cache has a copy for this id, and makes the folders that
 * are missing. A copy is there as a whole or not at all. 0; a negative errno with err: -EPERM when addresses
 * are hidden, -EACCES when the cache belongs to another user.
 */
int kallsyms_copy__leave(const char *cache, const char *source, const struct build_id *id, struct err *err);

#endif
