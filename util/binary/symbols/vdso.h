/* The vdso: the library that the kernel maps into every program. It has no file. */
#ifndef BINARY_VDSO_H
#define BINARY_VDSO_H

#include "binary/elf/build_id.h"

/* Where this very process has it: an ELF image, mapped as long as the process lives. False if it has none. */
bool vdso__image(const void **image, size_t *size);
bool vdso__build_id(struct build_id *id);

#endif
