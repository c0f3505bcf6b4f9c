// Frames of arm64 of many shapes, for tests/unit/test_unwind_arm64.c, which finds places in them by these names. Never run.
//   aarch64-linux-gnu-gcc -nostdlib -shared -Wl,-z,lazy,-z,max-page-size=4096,-Bsymbolic,--build-id=none -o frames.so frames.S
	.text
	.macro function name
	.globl \name
	.type \name, %function
\name:
	.endm
	.macro place name
	.globl \name
\name:
	.endm

	// ends every chain
	function outermost
	.cfi_startproc
	.cfi_undefined x30
	bl keeps_record
	place after_keeps_record
	bl keeps_no_record
	place after_keeps_no_record
	bl with_vectors
	place after_with_vectors
	bl without_cfi
	place after_without_cfi
	bl told_by_code
	place after_told_by_code
	bl leaf_without_cfi
	place after_leaf_without_cfi
	bl jumps
	place after_jumps
	bl calls_back
	place after_calls_back
	blr x1
	place after_pointer
	nop
	.cfi_endproc
	.size outermost, . - outermost

	// its frame record is at the bottom of its frame
	function keeps_record
	.cfi_startproc
	stp x29, x30, [sp, #-64]!
	.cfi_def_cfa_offset 64
	.cfi_offset 29, -64
	.cfi_offset 30, -56
	place record_is_saved
	mov x29, sp
	place record_is_set
	bl without_cfi
	place in_keeps_record
	bl external
	place after_stub
	bl leaf
	place after_leaf
	ldp x29, x30, [sp], #64
	.cfi_restore 30
	.cfi_restore 29
	.cfi_def_cfa_offset 0
	place record_is_restored
	ret
	.cfi_endproc
	.size keeps_record, . - keeps_record

	function keeps_no_record
	.cfi_startproc
	sub sp, sp, #48
	.cfi_def_cfa_offset 48
	str x30, [sp, #32]
	.cfi_offset 30, -16
	bl without_cfi
	place in_keeps_no_record
	bl leaf
	ldr x30, [sp, #32]
	add sp, sp, #48
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size keeps_no_record, . - keeps_no_record

	function leaf
	.cfi_startproc
	nop
	place in_leaf
	ret
	.cfi_endproc
	.size leaf, . - leaf

	// a frame record below two vectors, and how GCC describes it
	function with_vectors
	.cfi_startproc
	.inst 0x043f57df // addvl sp, sp, #-2
	stp x29, x30, [sp, #-16]!
	// CFA: sp + VG * 16 + 16; x29: at sp; x30: at sp + 8
	.cfi_escape 0x0f, 0x0a, 0x8f, 0x00, 0x92, 0x2e, 0x00, 0x40, 0x1e, 0x23, 0x10, 0x22
	.cfi_escape 0x10, 0x1d, 0x02, 0x8f, 0x00
	.cfi_escape 0x10, 0x1e, 0x02, 0x8f, 0x08
	mov x29, sp
	bl leaf_with_vectors
	place in_with_vectors
	nop
	.cfi_endproc
	.size with_vectors, . - with_vectors

	function leaf_with_vectors
	.cfi_startproc
	.inst 0x043f57bf // addvl sp, sp, #-3
	// CFA: sp + VG * 24
	.cfi_escape 0x0f, 0x08, 0x8f, 0x00, 0x92, 0x2e, 0x00, 0x48, 0x1e, 0x22
	place in_leaf_with_vectors
	ret
	.cfi_endproc
	.size leaf_with_vectors, . - leaf_with_vectors

	// as a JIT compiler's code: a frame pointer, and nothing that says so; it jumps away, so its instructions do not tell
	function without_cfi
	stp x29, x30, [sp, #-48]!
	mov x29, sp
	place in_without_cfi
	br x16
	.size without_cfi, . - without_cfi

	// without CFI and frame pointer
	function told_by_code
	sub sp, sp, #32
	place frame_is_made
	stp x30, x19, [sp, #16]
	place link_is_saved
	cbz x0, 1f
	bl leaf_without_cfi
	place in_told_by_code
	blr x1
	place in_told_by_pointer
	ldp x30, x19, [sp, #16]
	add sp, sp, #32
	place frame_is_gone
	ret
1:	bl never_returns
	place in_told_by_noreturn
	.size told_by_code, . - told_by_code

	// what runs over a call that does not return gets here
	function jumps
	b leaf_without_cfi
	.size jumps, . - jumps

	function never_returns
	stp x29, x30, [sp, #-16]!
	place in_never_returns
	ldp x29, x30, [sp], #16
	ret
	.size never_returns, . - never_returns

	function leaf_without_cfi
	nop
	place in_leaf_without_cfi
	ret
	.size leaf_without_cfi, . - leaf_without_cfi

	// its callee is close in front of it
	function calls_back
	bl leaf_without_cfi
	place in_calls_back
	br x16
	.size calls_back, . - calls_back
	.skip 64
