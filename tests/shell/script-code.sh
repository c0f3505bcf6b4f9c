# perf script -F insn, disasm, srccode, brstackinsn: instructions are objdump's, and the text is stock perf's
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
own_folder # stock perf has no symbols for programs in /tmp/perf-*
[ "$(uname -m)" = x86_64 ] || skip "the recordings are made by single steps on x86-64"
need_command "${CC:-cc}" awk objdump
"$PERF" version --build-options | grep -q 'on .*HAVE_CAPSTONE' || skip "built without capstone"
program trace progs/trace_branches -O1
cat >prog.c <<'CODE'
static volatile long sum;

__attribute__((noinline)) static void leaf(long n)
{
	for (long i = 0; i < n; i++)
		sum += i;
}

int main(void)
{
	__asm__ volatile("int3");
	for (long i = 20;; i++, sum++)
		leaf(i & 7);
}
CODE
"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -no-pie -o prog prog.c || skip "no compiler"
./trace b.data 0 100 97 ./prog >out 2>&1 || skip "no single steps: $(cat out)"
script() { "$PERF" script -G -i b.data "$@" 2>err || fail "script $*: $(cat err)"; }

# Each instruction has the bytes that objdump shows at its address.
objdump -d -w prog | awk -F'\t' '/^ +[0-9a-f]+:/ { sub(/:/, "", $1); gsub(/ /, "", $1); sub(/ +$/, "", $2); print $1, $2 }' | sort >objdump
script -F ip,brstackinsn >code
awk -F'\t' '/\tinsn: / { sub(/^0+/, "", $2); sub(/insn: /, "", $3); sub(/ +$/, "", $3); print $2, $3 }' code | sort -u >ours
[ "$(wc -l <ours)" -ge 10 ] || fail "few instructions: $(head -n 40 code)"
comm -23 ours objdump >out
[ ! -s out ] || fail "not objdump's: $(cat out)"
# Branches are all there, their cycles add up, and IPC is the number of instructions in a cycle.
script -F brstack | grep -o '0x[0-9a-f]*/0x' | wc -l >expected
grep -c '# .*cycles' code | cmp - expected || fail "$(grep -c '# ' code) branches instead of $(cat expected)"
awk -F'\t' '
/^ / { total = 0; n = 0; first = 1 }
/\tinsn: / { n++ }
/# / { split($4, w, " "); for (i in w) if (w[i] == "cycles") { c = w[i - 1]; t = w[i + 1] }
	total += c
	if (t != "[" total "]") { print "sum", $0; exit 1 }
	if (!first && index($4, sprintf("%.2f IPC", n / c)) == 0) { print "IPC", n, $0; exit 1 }
	n = 0; first = 0 }' code >out || fail "$(cat out)"
grep -q '^	leaf+[0-9]*:$' code || fail "no function: $(head -n 20 code)"
script -F ip,brstackinsn --max-blocks 2 | awk '/# / { if (++n > 3) exit 1 } /^ / { n = 0 }' || fail "--max-blocks 2"
# What speculation led to follows the type, where the processor says it, as in stock perf 7.x.
for outcome in SPEC_WRONG_PATH NON_SPEC_CORRECT_PATH SPEC_CORRECT_PATH; do
	script -F brstack | grep -q "[0-9]//$outcome " || fail "no $outcome: $(script -F brstack | head -n 1)"
done
script -F brstack | grep -q '[0-9]/ ' || fail "no branch without speculation"
script -F ip,brstackinsnlen,srccode | grep -q '^|6        		sum += i;$' || fail "no source: $(script -F ip,brstackinsnlen,srccode | head)"
script -F ip,brstackdisasm | grep -q '	jmp\|	j[a-z]* 0x[0-9a-f]* .*# ' || fail "no text: $(script -F ip,brstackdisasm | head)"
script -F ip,insn,insnlen,disasm | awk 'NF && $2 == "ilen:" && $3 >= 1 && $4 == "insn:" { n++ } END { exit n != 100 }' ||
	fail "insn: $(script -F ip,insn,insnlen,disasm | head)"
script -F ip,brstackinsn,srccode --threads 4 >four
script -F ip,brstackinsn,srccode --threads 1 | cmp - four || fail "other lines with four threads"

# From the recording alone, when the program is gone
sed 's/__asm__ volatile("int3");/if (sum) return 0;/; s/for (long i = 20;; i++, sum++)/for (long i = 20; i < 2000000; i++, sum++)/' prog.c >free.c
"${CC:-cc}" -O1 -g -o free free.c
if "$PERF" record -q -e cpu-clock:u -F 5000 -o r.data ./free >out 2>&1; then
	"$PERF" script -F ip,sym,insn,disasm -i r.data >there 2>err || fail "script of free: $(cat err)"
	grep -q ' leaf insn: [0-9a-f ]*	[a-z]' there || fail "no instructions: $(head there)"
	mv free gone
	"$PERF" script -F ip,sym,insn,disasm -i r.data 2>err | cmp there - || fail "other code without the program"
fi
mv prog gone
[ -z "$(script -F brstackinsn | tr -d '\n')" ] || fail "code of a file that is gone: $(script -F brstackinsn | head)"
mv gone prog

# --stitch-lbr: callers that are no longer in the ring of 8
cat >deep.c <<'CODE'
static volatile long sum;
#define LEVEL(n, next) __attribute__((noinline)) static void f##n(long k) { next(k); sum++; next(k / 2); sum++; }
__attribute__((noinline)) static void f12(long k) { sum += k; }
LEVEL(11, f12) LEVEL(10, f11) LEVEL(9, f10) LEVEL(8, f9) LEVEL(7, f8) LEVEL(6, f7)
LEVEL(5, f6) LEVEL(4, f5) LEVEL(3, f4) LEVEL(2, f3) LEVEL(1, f2)
int main(void)
{
	__asm__ volatile("int3");
	for (;; sum++)
		f1(9);
}
CODE
"${CC:-cc}" -O1 -fno-omit-frame-pointer -no-pie -o deep deep.c && ./trace lbr.data 8 200 97 ./deep >out 2>&1 || fail "$(cat out)"
lbr() { "$PERF" script -F ip,sym -i lbr.data "$@" 2>err | grep -c ' f[1-3]$'; }
[ "$(lbr --stitch-lbr)" -gt "$(lbr)" ] || fail "no callers are added: $(lbr)"

need_stock
# 6.1 leaves out what comes between the last branch and the sample where a branch was not taken.
to_last_branch() { awk '/^ |^$/ { hold = "" } { hold = hold $0 "\n" } /# / { printf "%s", hold; hold = "" }'; }
"$STOCK" script -G -F ip,brstackinsn -i b.data 2>/dev/null | to_last_branch >stock
to_last_branch <code | diff - stock >out || fail "not stock's: $(head -n 20 out)"
"$STOCK" script -G -F ip,brstackinsn --max-blocks 3 -i b.data 2>/dev/null | to_last_branch >stock
script -F ip,brstackinsn --max-blocks 3 | to_last_branch | diff - stock >out || fail "--max-blocks is not stock's: $(head -n 20 out)"
"$STOCK" script -G -F ip,brstack -i b.data 2>/dev/null >stock
script -F ip,brstack | sed "s,/[A-Z_]*SPEC_[A-Z_]*PATH , ,g" | cmp - stock || fail "brstack is not stock's"
