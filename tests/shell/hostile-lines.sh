# debug information with the largest line numbers: annotate, the page and stored source end, and show the code
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc
[ "$(uname -m)" = x86_64 ] || skip "its program is assembly for x86-64"

cat >spin.s <<'E'
	.file 1 "odd.c"
	.text
	.globl main
	.type main, @function
main:
	mov $100000000, %rdi
	.loc 1 4294967295
1:	dec %rdi
	.loc 1 4294967290
	nop
	.loc 1 2
	jnz 1b
	xor %eax, %eax
	ret
	.size main, .-main
	.section .note.GNU-stack,"",@progbits
E
printf 'int one;\nint two;\nint three;\n' >odd.c
gcc -g -o spin spin.s
"$PERF" record -q -e cpu-clock:u -F 2000 -o a.data ./spin
expect_status 0 timeout 600 "$PERF" annotate --stdio -i a.data main
expect_text out "dec"
expect_text out "int two;"
expect_status 0 timeout 600 "$PERF" report --html -o a.html -i a.data
expect_status 0 timeout 600 "$PERF" report --stdio -s srcline -i a.data
expect_text out "odd.c:4294967295"
expect_status 0 timeout 600 "$PERF" script -F ip,sym,srcline,srccode -i a.data
expect_status 0 timeout 600 "$PERF" record -q --embed-source -e cpu-clock:u -F 2000 -o b.data ./spin
rm odd.c spin
expect_status 0 timeout 600 "$PERF" annotate --stdio -i b.data main
expect_text out "int two;"
