/*
 * Tar archives as far as perf archive needs them (POSIX ustar; long names as GNU tar writes them): files and
 * symbolic links.
 */
#ifndef CACHE_TAR_H
#define CACHE_TAR_H

#include "cache/packed.h"

#include "base/memory/types.h"

/* A regular file of size bytes from fd's beginning; -EIO if there are fewer. */
int tar__add_fd(struct packed_out *out, const char *name, u32 mode, s64 mtime, int fd, u64 size);
int tar__add_image(struct packed_out *out, const char *name, u32 mode, s64 mtime, const void *image,
		   size_t size);
int tar__add_link(struct packed_out *out, const char *name, const char *target, s64 mtime);
int tar__end(struct packed_out *out);

struct tar_member {
	char *name;   /* as in the archive: hostile; good until the next call */
	u64 size;     /* bytes of content */
	bool is_file; /* a regular one: nothing else has content */
};

struct tar_in {
	struct packed_in *in; /* not owned */
	struct tar_member member;
	/* bytes that may still be unpacked, beyond which reading fails with -E2BIG; NULL: no limit */
	u64 *room;
	u64 left; /* of the member's content, and its padding behind that */
	u32 padding;
};
/*
 * Skips what is left of a member, and reads the header of the next one into t->member. Returns 1; 0 at the
 * end; a negative errno with err, or -E2BIG without err.
 */
int tar_in__next(struct tar_in *t, struct err *err);
/* The content goes on: bytes read, 0 at its end, a negative errno. */
ssize_t tar_in__read(struct tar_in *t, void *data, size_t size);
void tar_in__exit(struct tar_in *t);

#endif
