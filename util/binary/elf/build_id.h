/*
 * Build-ids: the bytes that a linker leaves in a NT_GNU_BUILD_ID note so that a binary, its
 * debug file and a recording can be matched.
 */
#ifndef BINARY_BUILD_ID_H
#define BINARY_BUILD_ID_H

#include "base/memory/types.h"

enum { BUILD_ID_MAX = 20 }; /* what a perf.data record has room for */

struct build_id {
	u8 size; /* bytes used; 0: none known */
	u8 data[BUILD_ID_MAX];
};

/*
 * Equal ids. Older recorders wrote ids of under 20 bytes padded with zeroes, so the
 * shorter one may be continued by zeroes. Two empty ids are not equal to anything.
 */
bool build_id__equal(const struct build_id *a, const struct build_id *b);
/* Lower-case hex; buf: at least 2 * BUILD_ID_MAX + 1 bytes. */
char *build_id__str(const struct build_id *id, char *buf);

/* From an ELF note section's or segment's bytes (ELF gABI, "Note Section"). 0 or -ENOENT. */
int build_id__from_notes(const void *data, size_t size, bool swap, struct build_id *id);
/* Of a file that libelf has open. As build_id__of_fd. */
struct Elf;
int build_id__of_elf(struct Elf *elf, struct build_id *id);
/* Of an ELF file that is open on fd (not consumed). 0, -ENOENT: it has none, -EINVAL: not ELF. */
int build_id__of_fd(int fd, struct build_id *id);
/* Whether it is this one. */
bool build_id__is_of_fd(const struct build_id *id, int fd);
/* Of an ELF image in memory. As build_id__of_fd. */
int build_id__from_image(const void *image, size_t size, struct build_id *id);
/* Of a regular file; never opens anything else. 0 or a negative errno as above. */
int build_id__of_file(const char *path, struct build_id *id);
/* Of the running kernel (/sys/kernel/notes). */
int build_id__of_kernel(struct build_id *id);
/* Of one of its modules, as maps name it: "[ext4]", "/lib/modules/.../ext4.ko.xz". */
int build_id__of_module_file(const char *filename, struct build_id *id);

#endif
