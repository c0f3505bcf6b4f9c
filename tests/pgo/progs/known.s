# Code with known blocks: local functions of one name in two files, two names of one function, a part for what seldom runs, and an
# address that both a jump and a return lead to. Link it with known2.s.
	.globl	_start, twin, other
	.type	_start, @function
	.type	outer, @function
	.type	leaf, @function
	.type	twin, @function
	.type	other, @function
	.type	outer.cold, @function
_start:	mov	$64, %edi
1:	call	outer
	dec	%edi
	jnz	1b
	jmp	twin
	.size	_start, . - _start
	.p2align 4
outer:	test	$1, %edi
	je	1f
	call	leaf
1:	cmp	$3, %edi
	je	outer.cold
back:	cmp	$4, %edi
	jne	2f
	jmp	3f
2:	nop
3:	ret
	.size	outer, . - outer
	.p2align 4
leaf:	dec	%eax
	ret
	.size	leaf, . - leaf
	.p2align 4
twin:
other:	call	far
	mov	$60, %eax
	xor	%edi, %edi
	syscall
	.size	twin, . - twin
	.size	other, . - other
	.p2align 4
outer.cold:
	nop
	jmp	back
	.size	outer.cold, . - outer.cold
