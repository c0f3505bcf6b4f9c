/*
 * Section headers for a program or library that has none (llvm-objcopy --strip-sections, sstrip). The loader
 * needs only segments, and they lead to what names and call chains need: the dynamic symbols, the tables for
 * unwinding, and code. Every number in the file is checked. Private to util/binary.
 */
#ifndef BINARY_ELF_SEGMENTS_H
#define BINARY_ELF_SEGMENTS_H

#include "base/memory/types.h"
#include "base/text/strbuf.h"

#include <gelf.h>

/* Has the file no section headers, but segments? size: bytes of the file. */
bool elf_segments__are_all(Elf *elf, const GElf_Ehdr *ehdr, u64 size);
/*
 * Append section headers for the file's segments to its image, and note them in the image's header: .text,
 * .note, .dynsym, .dynstr, .rela.dyn, .eh_frame_hdr, .eh_frame, .ARM.exidx and .gopclntab, as far as there
 * are any.
 * elf: the file. image: all of its bytes. Return false, with the image unchanged, if nothing was found.
 */
bool elf_segments__add_sections(Elf *elf, struct strbuf *image);

#endif
