# perf record -g with more to do than it can: smaller stack copies, then frame pointers, before any sample is lost
# serial: uses all CPUs; how much is lost depends on their other load
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
case $(uname -m) in x86_64 | aarch64) ;; *) skip "stacks of $(uname -m) are not unwound" ;; esac
program prog progs/stacks -O2 -fomit-frame-pointer -pthread

# number FILE TEXT: the number before the text in the output of --stack-stats
number() {
	awk -v text="$2" '{ n = $1; sub(/^ *[0-9]+ */, "") } index($0, text) == 1 { print n; exit }' "$1"
}

# stats FILE: sets samples, smaller, no_copy, lost from the recording, and checks that every sample is counted
stats() {
	"$PERF" report --stats -i "$1" >stats 2>err
	samples=$(sed -n 's/^ *SAMPLE events: *\([0-9]*\).*/\1/p' stats | head -n 1)
	lost=$(sed -n 's/.* lost \([0-9]*\) [a-z]* of.*/\1/p' "$1.err" | awk '{ n += $1 } END { print n + 0 }')
	expect_status 0 "$PERF" report --stack-stats -i "$1"
	cp out "$1.stats"
	smaller=$(number "$1.stats" "cut off at the end of such a copy")
	no_copy=$(number "$1.stats" "samples along frame pointers only")
	no_stack=$(number "$1.stats" "samples without a stack")
	chains=$(sed -n 's/^Call chains: \([0-9]*\) unwound.*/\1/p' "$1.stats")
	# Kernel threads have no registers; there are none in these recordings.
	[ $((chains + no_copy + no_stack)) -eq "$samples" ] ||
		fail "$chains chains, $no_copy without a copy and $no_stack without a stack are not $samples samples"
}

# Rings of 16 copies each, and a buffer of as many; samples without a period of their own, so that the frequency cannot give
# way: copies are made smaller, and that is said.
expect_status 0 "$PERF" record -c 50000 -e cpu-clock --call-graph auto,16384 -m 256K --unwind-buffer 64K -o a.data ./prog 200
cp err a.data.err
stats a.data
[ $((smaller + no_copy)) -gt 0 ] || fail "nothing was made smaller: $(cat a.data.stats)"
expect_text a.data.err "because of load: a lower -F"
expect_text a.data.err "--unwind-buffer 256K"
"$PERF" report --stdio -i a.data >report 2>err
tail -n 3 report | grep -q "because of load" || fail "the report does not say so: $(tail -n 3 report)"
"$PERF" report --header-only -i a.data >header
grep -Eq "^# call chains: .*(smaller|no-copy) [1-9]" header || fail "the header does not say so: $(cat header)"
[ "${lost:-0}" -lt $((samples / 20)) ] || fail "$lost records lost, $samples samples there"

# Callers are written alike in both kinds of chains: as the call's last byte, not as what is behind it.
# (No signals: what they interrupt was calling nothing.)
cat >pointers.c <<'C'
#include <time.h>
static volatile unsigned long sink;
__attribute__((noipa)) static void leaf(void) { for (int i = 0; i < 2000; i++) sink += i; }
__attribute__((noipa)) static void inner(int n) { if (n) inner(n - 1); else leaf(); sink++; }
__attribute__((noipa)) static void outer(void) { inner(5); sink++; leaf(); sink++; }
int main(void) { while (clock() < CLOCKS_PER_SEC / 4) outer(); return 0; }
C
cc -O2 -fno-omit-frame-pointer -o pointers pointers.c
expect_status 0 "$PERF" record -c 50000 -e cpu-clock:u --call-graph auto,16384 -m 256K --unwind-buffer 64K -o p.data ./pointers
cp err p.data.err
stats p.data
"$PERF" report -D -i p.data 2>err | awk '
	/^\.\.\.\.\. +[0-9]+: / { if ($3 == "fffffffffffffe00") n = 0; else if (n++) callers[$3]++; next }
	{ n = 0 }
	END { for (c in callers) print c }' >callers
while read -r c; do
	if grep -q "$(printf '%016x' $((0x$c + 1)))" callers; then fail "callers at $c and behind it"; fi
done <callers
[ "$(wc -l <callers)" -gt 3 ] || fail "no callers: $(cat callers)"

# The same with a frequency: it gives way, and that is said, with one that can be had. The chains stay whole.
expect_status 0 "$PERF" record -F 20000 -e cpu-clock --call-graph auto,16384 -m 256K --unwind-buffer 64K -o f.data ./prog 200
cp err f.data.err
stats f.data
told=$(sed -n 's/.*Sampled at \([0-9]*\) Hz for .* no room for more: type -F \([0-9]*\) .*/\1 \2/p' f.data.err)
[ "${told% *}" = "${told#* }" ] && [ "${told% *}" -lt 20000 ] || fail "that the frequency was lower is not said: $(cat f.data.err)"
[ "$no_copy" -lt $((samples / 3)) ] || fail "$no_copy of $samples samples have no stack, although the frequency gave way"

# Enough room: nothing of that, and no word of it.
expect_status 0 "$PERF" record -F 1000 -e cpu-clock --call-graph auto,16384 -m 8M -o b.data ./prog 200
cp err b.data.err
stats b.data
[ $((smaller + no_copy)) -eq 0 ] || fail "load where there is none: $(cat b.data.stats)"
if grep -q "because of load" b.data.err report.b 2>/dev/null; then fail "load where there is none"; fi

# The whole system, whose counters are those of processors.
if "$PERF" record -a -c 50000 -e cpu-clock:u --call-graph auto,16384 -m 256K --unwind-buffer 64K -o c.data ./prog 300 >out 2>c.data.err; then
	stats c.data
	[ $((smaller + no_copy)) -gt 0 ] || fail "nothing was made smaller: $(cat c.data.stats)"
fi

expect_status 129 "$PERF" record --unwind-buffer 1K true
expect_text err "'1K' is not a size such as 64M; the least is 64K"
