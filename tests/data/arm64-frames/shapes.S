// More frames of arm64, for tests/unit/test_unwind_shapes.c, which finds places in them by these names. Never run.
//   clang --target=aarch64-linux-gnu -nostdlib -shared -fuse-ld=lld -Wl,-Bsymbolic,--no-rosegment,--build-id=none,-z,max-page-size=4096,-e,entry -o shapes.so shapes.S
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
	bl by_fp
	place after_by_fp
	bl apart
	place after_apart
	bl apart
	place after_apart_2
	bl upside_down
	place after_upside_down
	bl leaf
	place after_leaf
	bl unknown_size
	place after_unknown_size
	bl by_value
	place after_by_value
	bl by_expr
	place after_by_expr
	bl with_record
	place after_with_record
	bl entry
	place after_entry
	nop
	.cfi_endproc
	.size outermost, . - outermost

	// the CFA depends on the frame pointer, as with alloca
	function by_fp
	.cfi_startproc
	.cfi_def_cfa x29, 32
	.cfi_offset x29, -32
	.cfi_offset x30, -24
	bl without_cfi
	place in_by_fp
	nop
	.cfi_endproc
	.size by_fp, . - by_fp

	// the saved frame pointer and return address are not neighbours: no frame record
	function apart
	.cfi_startproc
	.cfi_def_cfa sp, 48
	.cfi_offset x29, -48
	.cfi_offset x30, -24
	bl without_cfi
	place in_apart
	nop
	.cfi_endproc
	.size apart, . - apart

	// neighbours in the other order
	function upside_down
	.cfi_startproc
	.cfi_def_cfa sp, 48
	.cfi_offset x30, -48
	.cfi_offset x29, -40
	bl without_cfi
	place in_upside_down
	nop
	.cfi_endproc
	.size upside_down, . - upside_down

	// saves the frame pointer only
	function only_fp
	.cfi_startproc
	.cfi_def_cfa sp, 32
	.cfi_offset x29, -32
	bl without_cfi
	place in_only_fp
	nop
	.cfi_endproc
	.size only_fp, . - only_fp

	function leaf
	.cfi_startproc
	nop
	place in_leaf
	ret
	.cfi_endproc
	.size leaf, . - leaf

	// a leaf whose CFA is unknown without the vectors' length, and that has saved x30
	function unknown_size
	.cfi_startproc
	.cfi_escape 0x0f, 0x08, 0x8f, 0x00, 0x92, 0x2e, 0x00, 0x48, 0x1e, 0x22 // CFA: sp + VG * 24
	.cfi_offset x30, -8
	place in_unknown_size
	nop
	.cfi_endproc
	.size unknown_size, . - unknown_size

	// the same, and x30 still has the return address
	function unknown_leaf
	.cfi_startproc
	.cfi_escape 0x0f, 0x08, 0x8f, 0x00, 0x92, 0x2e, 0x00, 0x48, 0x1e, 0x22
	place in_unknown_leaf
	nop
	.cfi_endproc
	.size unknown_leaf, . - unknown_leaf

	// the CFA is in memory after the stack pointer: its word 32
	function far_size
	.cfi_startproc
	.cfi_escape 0x0f, 0x04, 0x8f, 0x80, 0x02, 0x06 // *(sp + 256)
	.cfi_offset x30, -8
	place in_far_size
	nop
	.cfi_endproc
	.size far_size, . - far_size

	// its frame record is in the middle of its frame
	function with_record
	.cfi_startproc
	.cfi_def_cfa sp, 64
	.cfi_offset x29, -48
	.cfi_offset x30, -40
	bl without_cfi
	place in_with_record
	nop
	.cfi_endproc
	.size with_record, . - with_record

	// x29 and x30 by expressions of the stack pointer, as GCC writes them; CFA: sp + 64
	function by_expr
	.cfi_startproc
	.cfi_escape 0x0f, 0x03, 0x8f, 0xc0, 0x00
	.cfi_escape 0x10, 0x1d, 0x02, 0x8f, 0x10 // at sp + 16
	.cfi_escape 0x10, 0x1e, 0x02, 0x8f, 0x18 // at sp + 24
	bl without_cfi
	place in_by_expr
	nop
	.cfi_endproc
	.size by_expr, . - by_expr

	// the same with a longer expression of the CFA, as of frames with scalable vectors
	function by_long_expr
	.cfi_startproc
	.cfi_escape 0x0f, 0x04, 0x8f, 0x20, 0x23, 0x20 // sp + 32 + 32
	.cfi_escape 0x10, 0x1d, 0x02, 0x8f, 0x10
	.cfi_escape 0x10, 0x1e, 0x02, 0x8f, 0x18
	place in_by_long_expr
	nop
	.cfi_endproc
	.size by_long_expr, . - by_long_expr

	// the frame pointer's value is told by an expression, so it is saved nowhere
	function by_value
	.cfi_startproc
	.cfi_def_cfa sp, 64
	.cfi_escape 0x16, 0x1d, 0x02, 0x8f, 0x10 // is sp + 16
	.cfi_offset x30, -40
	bl without_cfi
	place in_by_value
	nop
	.cfi_endproc
	.size by_value, . - by_value

	// the frame pointer is an address in the frame, and saved nowhere
	function by_offset
	.cfi_startproc
	.cfi_def_cfa sp, 64
	.cfi_escape 0x14, 29, 4 // x29: CFA - 16
	.cfi_offset x30, -40
	bl without_cfi
	place in_by_offset
	nop
	.cfi_endproc
	.size by_offset, . - by_offset

	// the CFA is an expression of the frame pointer alone
	function by_fp_expr
	.cfi_startproc
	.cfi_escape 0x0f, 0x02, 0x8d, 0x20 // x29 + 32
	.cfi_offset x30, -24
	bl without_cfi
	place in_by_fp_expr
	nop
	.cfi_endproc
	.size by_fp_expr, . - by_fp_expr

	// has a frame, and its return address in x30
	function moves
	.cfi_startproc
	.cfi_def_cfa sp, 16
	nop
	place in_moves
	nop
	.cfi_endproc
	.size moves, . - moves

	// a handler's return, with CFI: the kernel's frame record is above the signal frame
	function restorer
	.cfi_startproc
	.cfi_signal_frame
	.cfi_escape 0x0f, 0x03, 0x8f, 0x80, 0x01 // CFA: sp + 128
	.cfi_escape 0x10, 0x1d, 0x02, 0x8f, 0x00 // x29 at sp
	.cfi_escape 0x10, 0x1e, 0x02, 0x8f, 0x08 // x30 at sp + 8
	nop
	place in_restorer
	nop
	.cfi_endproc
	.size restorer, . - restorer

	// as a JIT compiler's code: a frame pointer, and nothing that says so; it jumps away, so its instructions do not tell
	function without_cfi
	stp x29, x30, [sp, #-48]!
	mov x29, sp
	place in_without_cfi
	br x16
	.size without_cfi, . - without_cfi

	// the program begins here; its caller's address is 0
	function entry
	.cfi_startproc
	nop
	place in_entry
	bl leaf
	nop
	.cfi_endproc
	.size entry, . - entry
