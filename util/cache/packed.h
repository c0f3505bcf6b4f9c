/*
 * A file that is compressed while it is written, and one that is decompressed while it is read: bzip2, or
 * nothing at all where libbz2 is missing.
 */
#ifndef CACHE_PACKED_H
#define CACHE_PACKED_H

#include "base/message/err.h"

#include <sys/types.h>

/* What is put behind ".tar" in the name of an archive: ".bz2", or "" without libbz2. */
const char *packed__suffix(void);

struct packed_out;
/* fd: open for writing; consumed by __close. */
int packed_out__open(struct packed_out **p, int fd, struct err *err);
int packed_out__write(struct packed_out *p, const void *data, size_t size);
/* Writes what is left and frees p (NULL: nothing). 0, or a negative errno, also for earlier failures. */
int packed_out__close(struct packed_out *p);

struct packed_in;
/* fd: open for reading, at the beginning; consumed, also by a failure. Plain content is read as it is. */
int packed_in__open(struct packed_in **p, int fd, struct err *err);
/* Fewer bytes than asked for only at the end; a negative errno (-EBADMSG: damage). */
ssize_t packed_in__read(struct packed_in *p, void *data, size_t size);
void packed_in__close(struct packed_in *p);

#endif
