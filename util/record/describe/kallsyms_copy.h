/*
 * A copy of /proc/kallsyms in the build-id cache, for reports: the kernel takes tens of milliseconds to
 * produce that text, and a report may run under another kernel. The layout is stock perf's:
 *
 *	CACHE/[kernel.kallsyms]/BUILDID/kallsyms
 *	CACHE/.build-id/BU/ILDID -> ../../[kernel.kallsyms]/BUILDID
 */
#ifndef RECORD_KALLSYMS_COPY_H
#define RECORD_KALLSYMS_COPY_H

#include "base/message/err.h"
#include "binary/elf/build_id.h"

/*
 * Copy the file source (/proc/kallsyms) unless the cache has a copy for this id; create missing directories.
 * A copy never becomes visible before it is complete. Return 0 or a negative errno with err: -EPERM: the
 * addresses are hidden; -EACCES: the cache belongs to another user.
 */
int kallsyms_copy__leave(const char *cache, const char *source, const struct build_id *id, struct err *err);

#endif
