/* The files of the page (page_parts.h), as they are. PAGE_DIR: the folder where the Makefile made them. */
#include "export/page_parts.h"

#define PART(name, file)                                  \
	__asm__(".section .rodata\n"                      \
		".global " #name "\n" #name ":\n"         \
		".incbin \"" PAGE_DIR "/" file "\"\n"     \
		".global " #name "_end\n" #name "_end:\n" \
		".byte 0\n"                               \
		".previous\n")

PART(page_head, "head.html");
PART(page_tail, "tail.html");
