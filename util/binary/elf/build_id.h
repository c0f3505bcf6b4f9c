/*
 * Build-ids: the bytes that a linker leaves in an NT_GNU_BUILD_ID note, so that a binary, its debug file and
 * a recording can be matched.
 */
#ifndef BINARY_BUILD_ID_H
#define BINARY_BUILD_ID_H

#include "base/memory/types.h"

/* Size of the field in a perf.data record. Longer ids (SHA-256) are cut to it. */
enum { BUILD_ID_MAX = 20 };

struct build_id {
	u8 size; /* bytes used; 0: unknown */
	u8 data[BUILD_ID_MAX];
};

/*
 * Are the ids equal? Older recorders padded ids of under 20 bytes with zeroes, so the longer id may have
 * zeroes after the shorter one. An empty id is equal to none.
 */
bool build_id__equal(const struct build_id *a, const struct build_id *b);
/* Write the id to buf in lower-case hex and return buf; it needs at least 2 * BUILD_ID_MAX + 1 bytes. */
char *build_id__str(const struct build_id *id, char *buf);

/* Get the id of a file that is open with libelf. Return as build_id__of_fd. */
struct Elf;
int build_id__of_elf(struct Elf *elf, struct build_id *id);
/*
 * Get the id of an ELF file that is open on fd; fd stays open. Return 0, -ENOENT: it has none, -EINVAL: not
 * ELF.
 */
int build_id__of_fd(int fd, struct build_id *id);
/* Does the file on fd have this id? */
bool build_id__is_of_fd(const struct build_id *id, int fd);
/* Get the id of an ELF image in memory. Return as build_id__of_fd. */
int build_id__from_image(const void *image, size_t size, struct build_id *id);
/*
 * Get the id of a regular file; other files are not opened. Return as build_id__of_fd, or another negative
 * errno.
 */
int build_id__of_file(const char *path, struct build_id *id);
/* Get the id of the running kernel (/sys/kernel/notes). */
int build_id__of_kernel(struct build_id *id);
/*
 * Get the id of a module of the running kernel, by its name in a map: "[ext4]" or
 * "/lib/modules/.../ext4.ko.xz".
 */
int build_id__of_module_file(const char *filename, struct build_id *id);

#endif
