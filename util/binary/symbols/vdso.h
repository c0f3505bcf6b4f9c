/*
 * The vdso: a library that the kernel maps into every program. It has no file. A 64-bit kernel has another
 * one for 32-bit programs. Their maps call it "[vdso]", too, but it is at an address of 32 bits.
 */
#ifndef BINARY_VDSO_H
#define BINARY_VDSO_H

#include "binary/elf/build_id.h"

#include <sys/types.h>

#define VDSO_NAME "[vdso]"
#define VDSO32_NAME "[vdso32]" /* of 32-bit programs under a 64-bit kernel, as in stock perf */

/* Return the name of what is mapped as name at start, by a 64-bit kernel or not. */
const char *vdso__name_at(const char *name, u64 start, bool is_64bit);
bool vdso__is_name(const char *name);
/*
 * Get the running kernel's vdso with this name, an ELF image that stays mapped as long as this process lives.
 * Return false if there is none, or if it cannot be read. Thread-safe.
 */
bool vdso__image(const char *name, const void **image, size_t *size);
/*
 * A process has mapped this name from start to end: keep the image if it is that of a vdso which cannot be
 * had otherwise (VDSO32_NAME, where the kernel is not x86-64's or was built without CRIU). Thread-safe.
 */
void vdso__see(const char *name, pid_t pid, u64 start, u64 end);
bool vdso__build_id(const char *name, struct build_id *id);

#endif
