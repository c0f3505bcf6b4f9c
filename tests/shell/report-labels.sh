# perf report: labels without a type name code in sections of any name, in all kinds of files
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc objcopy strip nm
case $(uname -m) in
x86_64) loop='dec %rdi; jnz 1b; ret' ;;
aarch64) loop='subs x0, x0, #1; b.ne 1b; ret' ;;
*) skip "no assembler code for this machine" ;;
esac

cat >main.c <<EOF
void hot_label(long n);
void other_label(long n);
__asm__(".section .hot_code,\"ax\"\n.globl other_label\nother_label:\n1: $loop\n"
	".globl hot_label\nhot_label:\n1: $loop\nafter_label:\n nop\n.text\n");
int main(void) { other_label(1); hot_label(400000000); return 0; }
EOF
HOME=$PWD/home
export HOME
gcc -O1 -g -o full main.c
nm full | grep -q '[tT] hot_label$' || fail "nm does not know the label: $(nm full)"
cp full prog
"$PERF" record -q --no-embed -o d.data -e cpu-clock:u ./prog 2>err
first() { "$PERF" report --stdio -g none -s sym "$@" 2>err | grep -v '^#' | awk 'NF { print $NF; exit }'; }
[ "$(first -i d.data)" = hot_label ] || fail "the binary: $(first -i d.data)"
# A debug file, whose section has no bytes.
objcopy --only-keep-debug full prog.debug
strip prog
objcopy --add-gnu-debuglink=prog.debug prog
[ "$(first -i d.data)" = hot_label ] || fail "the debug file: $(first -i d.data)"

# The compiler's own labels, which the table has where relocations name them, are inside of functions.
cat >inner.c <<'END'
volatile long sum;
int main(void)
{
	for (long i = 0; i < 100000000; i++)
		sum += i;
	return 0;
}
END
gcc -O1 -Wa,--keep-locals -o inner inner.c
nm inner | grep -q ' t \.L' || skip "the assembler keeps no local labels"
"$PERF" record -q -o i.data -e cpu-clock:u ./inner 2>err
[ "$(first -i i.data)" = main ] || fail "a label in main: $(first -i i.data)"
