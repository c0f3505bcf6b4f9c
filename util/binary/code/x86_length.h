/*
 * The length of x86 instructions that the disassembler does not know, or reads wrongly: those with a VEX or
 * an EVEX prefix, and newer ones of the maps 0F, 0F38 and 0F3A. (Intel SDM, volume 2, chapters 2.1 to 2.7)
 */
#ifndef BINARY_X86_LENGTH_H
#define BINARY_X86_LENGTH_H

#include "base/memory/types.h"

/* Does an EVEX instruction begin here? */
bool x86__is_evex(const u8 *code, size_t size, bool is_64bit);
/* Return the length of the instruction in bytes; 0: unknown, or longer than size. */
size_t x86__length(const u8 *code, size_t size, bool is_64bit);

#endif
