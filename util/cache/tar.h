/*
 * Tar archives of files and symbolic links, compressed with bzip2 or zstd, for perf archive. libarchive does
 * the work; it is loaded when an archive is opened.
 */
#ifndef CACHE_TAR_H
#define CACHE_TAR_H

#include "base/message/err.h"

#include <stdbool.h>

/*
 * Create an archive that is written to fd, which must stay open until tar__finish. Return 0, or a negative
 * errno with err: -ENOTSUP without libarchive. The other functions return 0 or a negative errno.
 */
struct archive;
int tar__create(struct archive **tar, int fd, bool with_zstd, struct err *err);
/* Add a regular file: size bytes from the beginning of fd; -EIO if there are fewer. */
int tar__add_fd(struct archive *tar, const char *name, u32 mode, s64 mtime, int fd, u64 size);
int tar__add_image(struct archive *tar, const char *name, const void *image, size_t size);
int tar__add_link(struct archive *tar, const char *name, const char *target);
/*
 * Write the archive's end, unless ret is an earlier failure, and free tar (may be NULL). Return ret, or a
 * negative errno with err.
 */
int tar__finish(struct archive *tar, int ret, struct err *err);

struct tar_in {
	struct archive *tar;
	const char *name; /* of the member, as in the archive (untrusted); valid until the next call */
	bool is_file;     /* a regular file */
	/* bytes that may still be unpacked; then reading fails with -E2BIG. NULL: no limit */
	u64 *room;
	u64 seen; /* bytes of the archive already subtracted from room */
};
/* Open an archive on fd, which must stay open until tar_in__close. It may be uncompressed. */
int tar_in__open(struct tar_in *t, int fd, u64 *room, struct err *err);
/* Go to the next member. Return 1; 0 at the end; a negative errno with err, but -E2BIG without err. */
int tar_in__next(struct tar_in *t, struct err *err);
/*
 * Copy the rest of the member's content to fd (-1: discard it). Return 0, or a negative errno as
 * tar_in__next.
 */
int tar_in__copy(struct tar_in *t, int fd, struct err *err);
void tar_in__close(struct tar_in *t); /* accepts an all-zero t */

#endif
