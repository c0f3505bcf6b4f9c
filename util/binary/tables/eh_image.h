/*
 * A large .eh_frame for libdw, which wants sections whole in memory: an ELF image of this section and of its
 * search table, .eh_frame_hdr. Only the pages of .eh_frame with entries that are used are read from the file,
 * a few in a hundred for a compiler. They are read, not mapped, so a file that is truncated meanwhile lacks
 * entries instead of ending the program. Private to binary/tables.
 */
#ifndef BINARY_EH_IMAGE_H
#define BINARY_EH_IMAGE_H

#include "binary/elf/elf_file.h"

struct eh_image;

/*
 * Return the image of the file's sections, or NULL: .eh_frame is small, or of a form that is not read here.
 * The image keeps a descriptor of the file open.
 */
struct eh_image *eh_image__open(const struct elf_file *f);
void eh_image__delete(struct eh_image *im); /* accepts NULL */
Elf *eh_image__elf(struct eh_image *im);    /* ends with the image */
/* Read the entry for a virtual address, and the one that it refers to. Call it before libdw looks for it. */
void eh_image__need(struct eh_image *im, u64 vaddr);
/* Return the bytes that are in memory. */
u64 eh_image__bytes(const struct eh_image *im);

#endif
