# See known.s.
	.globl	far
	.type	far, @function
	.type	leaf, @function
far:	call	leaf
	ret
	.size	far, . - far
leaf:	nop
	ret
	.size	leaf, . - leaf
