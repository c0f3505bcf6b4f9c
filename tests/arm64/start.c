/*
 * The start of a program all of whose indirect calls must find landing pads (BTI): Debian's crt1.o and crti.o
 * have none.
 */
__asm__(".text\n"
	".global _start\n"
	".type _start, %function\n"
	"_start:\n"
	".cfi_startproc\n"
	".cfi_undefined x30\n"
	"	bti	c\n"
	"	mov	x29, #0\n"
	"	mov	x30, #0\n"
	"	mov	x5, x0\n"
	"	ldr	x1, [sp]\n"
	"	add	x2, sp, #8\n"
	"	mov	x6, sp\n"
	"	adrp	x0, main\n"
	"	add	x0, x0, :lo12:main\n"
	"	mov	x3, #0\n"
	"	mov	x4, #0\n"
	"	bl	__libc_start_main\n"
	"	bl	abort\n"
	".cfi_endproc\n"
	".size _start, . - _start\n");
