/* The vdso: a library that the kernel maps into every program. It has no file. */
#ifndef BINARY_VDSO_H
#define BINARY_VDSO_H

#include "binary/elf/build_id.h"

/*
 * Get this process's vdso, an ELF image that stays mapped as long as the process lives. Return false if
 * there is none.
 */
bool vdso__image(const void **image, size_t *size);
bool vdso__build_id(struct build_id *id);

#endif
