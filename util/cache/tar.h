/*
 * Tar archives, compressed with bzip2, as perf archive needs them: files and symbolic links. libarchive does
 * the work; it is loaded when an archive is opened.
 */
#ifndef CACHE_TAR_H
#define CACHE_TAR_H

#include "base/message/err.h"

/*
 * A new archive that is written to fd, which stays open until tar__finish. 0, or a negative errno with err:
 * -ENOTSUP without libarchive. The other functions return 0 or a negative errno.
 */
struct archive;
int tar__create(struct archive **tar, int fd, struct err *err);
/* A regular file of size bytes from fd's beginning; -EIO if there are fewer. */
int tar__add_fd(struct archive *tar, const char *name, u32 mode, s64 mtime, int fd, u64 size);
int tar__add_image(struct archive *tar, const char *name, const void *image, size_t size);
int tar__add_link(struct archive *tar, const char *name, const char *target);
/*
 * Writes the end, unless ret is an earlier failure, and frees tar (NULL: nothing). Returns ret, or a negative
 * errno with err.
 */
int tar__finish(struct archive *tar, int ret, struct err *err);

struct tar_in {
	struct archive *tar;
	const char *name; /* of the member, as in the archive: hostile; good until the next call */
	bool is_file;     /* a regular one */
	/* Bytes that may still be unpacked, beyond which reading fails with -E2BIG; NULL: no limit. */
	u64 *room;
	u64 seen; /* bytes of the archive that are taken off room already */
};
/* fd: open for reading, until tar_in__close. Bytes that are not compressed are read as they are. */
int tar_in__open(struct tar_in *t, int fd, u64 *room, struct err *err);
/* Goes to the next member. 1; 0 at the end; a negative errno with err, or -E2BIG without err. */
int tar_in__next(struct tar_in *t, struct err *err);
/* Writes what is left of the member's content to fd; -1: nowhere. 0, or a negative errno as tar_in__next. */
int tar_in__copy(struct tar_in *t, int fd, struct err *err);
void tar_in__close(struct tar_in *t); /* accepts an all-zero t */

#endif
