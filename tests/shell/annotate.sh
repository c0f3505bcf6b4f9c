# perf annotate: costs are those of the raw samples, instructions those of objdump, names, lines, missing files
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc objdump strip
"$PERF" version --build-options | grep -q 'on .*HAVE_CAPSTONE' || skip "perf was built without libcapstone"

cat >prog.c <<'END'
#include <stdio.h>
#include <string.h>

volatile unsigned table[256];
static inline unsigned mix(unsigned a, unsigned b)
{
	for (int i = 0; i < 3; i++)
		a = (a ^ b) * 31 + i;
	return a;
}

__attribute__((noinline)) unsigned work(unsigned n)
{
	unsigned s = 0;

	for (unsigned i = 0; i < n; i++) {
		s += mix(i, s) / (1 + (s & 7));
		table[s & 255]++;
		if (s == 123456789)
			puts("hello from work");
	}
	return s;
}

int main(void)
{
	unsigned s = 0;

	for (int i = 0; i < 60; i++)
		s += work(300000);
	return s == 1;
}
END
cc -g -O2 -no-pie -fno-pie -o prog prog.c
"$PERF" record -o a.data -e cpu-clock:u -F 2000 ./prog 2>/dev/null

# rows FILE: address and cost of each instruction
rows() {
	sed -n 's/^ *\([0-9.]*\) : *\([0-9a-f]*\):.*/\2 \1/p' "$1"
}

# ---- costs, addresses, mnemonics ----

expect_status 0 "$PERF" annotate --stdio -i a.data -n work
cp out work
rows work | awk '$2 > 0' | sort >ours
set -- $(nm -S prog | awk '$4 == "work" { print $1, $2 }')
"$PERF" report -D -i a.data 2>/dev/null | sed -n 's/.*PERF_RECORD_SAMPLE.*: 0x\([0-9a-f]*\) period.*/\1/p' |
	awk -v start="$1" -v size="$2" 'BEGIN { cmd = "printf %d 0x" start; cmd | getline from; cmd = "printf %d 0x" size; cmd | getline n }
	{ cmd = "printf %d 0x" $1; cmd | getline at; close(cmd); if (at >= from && at < from + n) nr[$1]++ }
	END { for (a in nr) print a, nr[a] }' | sort >raw
[ -s raw ] || fail "no samples of work"
diff raw ours || fail "costs that are not those of the samples"

# listing SYNTAX: address and mnemonic as objdump has them, after the few spellings that differ
listing() {
	objdump -d -M "$1" --no-show-raw-insn --disassemble=work prog |
		sed -n 's/^ *\([0-9a-f]*\):\t\([a-z0-9]*\).*/\1 \2/p'
}
for syntax in att intel; do
	[ "$(uname -m)" = x86_64 ] || break
	"$PERF" annotate -i a.data -M $syntax work | sed -n 's/^ *[0-9.]* : *\([0-9a-f]*\):   \([a-z0-9]*\).*/\1 \2/p' >ours
	listing $syntax | sed 's/ data16$/ nopw/; s/ cs$/ nopw/; s/ xchg$/ nop/' >theirs
	sed -i 's/ nop$/ nopw/; s/ data16$/ nopw/' ours
	sed -i 's/ nop$/ nopw/' theirs
	diff theirs ours || fail "other instructions than objdump's ($syntax)"
done

# ---- names, lines ----

grep -q 'call  *[0-9a-f]* <puts@plt>' work || [ "$(uname -m)" != x86_64 ] || { cat work; fail "puts@plt is not named"; }
expect_text work '"hello from work"'
expect_text work 'mix():'
grep -q ': 8  *.*a = (a ^ b) \* 31 + i;' work || { cat work; fail "no source line of mix"; }
grep -q '# loop from' work || { cat work; fail "no loop"; }
expect_text work 'the event is not precise'
if [ "$(uname -m)" = x86_64 ]; then
	grep -A1 ' div ' work | grep -q '# perhaps the cost of div' || { cat work; fail "the cost of a division"; }
fi
expect_status 0 "$PERF" annotate -i a.data --no-source -q work
if grep -q -e '31 + i' -e 'not precise' out; then fail "source lines or notes"; fi
expect_text out "mix():"

# A summary by line: as many samples as addr2line finds for each.
if command -v eu-addr2line >/dev/null; then
	expect_status 0 "$PERF" annotate -i a.data -l work
	sed -n '/^Sorted/,/^ Percent/s/^ *\([0-9.]*\) \(prog.c:[0-9]*\)$/\2 \1/p' out | sort >ours
	awk '{ print "0x" $1 }' raw | eu-addr2line -s -e prog | sed 's/^\([^:]*:[0-9]*\).*/\1/' | paste -d' ' - raw |
		awk '{ nr[$1] += $3; all += $3 } END { for (l in nr) if (nr[l] / all >= 0.005) printf "%s %.2f\n", l, 100 * nr[l] / all }' |
		sort >theirs
	diff theirs ours || fail "costs by line that are not those of eu-addr2line"
fi

# ---- options ----

expect_status 0 "$PERF" annotate -i a.data --asm-raw work
grep -q ' c3  *ret' out || [ "$(uname -m)" != x86_64 ] || { cat out; fail "no bytes of ret"; }
expect_status 0 "$PERF" annotate -i a.data --show-total-period work
[ "$(rows out | awk '{ n += $2 } END { print n }')" = "$("$PERF" report -i a.data -F period,sym --stdio 2>/dev/null | awk '/ work$/ { print $1 }')" ] ||
	fail "periods"
expect_status 0 "$PERF" annotate -i a.data --percent-type global-hits work
expect_text out "percent: global hits"
expect_status 0 "$PERF" annotate -i a.data --stdio2 work
expect_text out "↑ "
expect_status 0 "$PERF" annotate -i a.data --stdio-color always work
expect_text out "$(printf '\033[31m')"
expect_status 1 "$PERF" annotate -i a.data wrk
expect_text err "no sample of 'a.data' is in a function 'wrk'"
expect_text err "work"
expect_status 1 "$PERF" annotate -i a.data quite_another_name
expect_line err "to see the functions: perf report -s symbol"
expect_status 1 "$PERF" annotate -i a.data -M arm work
expect_text err "'arm' is neither"
expect_status 0 "$PERF" annotate -i a.data -d prog --percent-limit 10
expect_text out "<work>:"
expect_status 0 "$PERF" annotate -i a.data
expect_status 0 sh -c "\"$PERF\" annotate -i - work <a.data"

"$PERF" record -o two.data -e cpu-clock:u,task-clock:u -F 1000 ./prog 2>/dev/null
expect_status 0 "$PERF" annotate -i two.data work
expect_text out "for cpu-clock:u, task-clock:u ("
expect_status 0 "$PERF" annotate -i two.data --no-group work
[ "$(grep -c 'Source code & Disassembly' out)" = 2 ] || fail "not a table for each event"

# ---- sources elsewhere, newer ----

mkdir -p moved/src
mv prog.c moved/src/
expect_status 0 "$PERF" annotate -i a.data work
if grep -q '31 + i' out; then fail "a source that is not there"; fi
depth=$(pwd | tr -cd / | wc -c)
expect_status 0 "$PERF" annotate -i a.data --prefix "$PWD/moved/src" --prefix-strip "$depth" work
expect_text out '31 + i'
mv moved/src/prog.c .
if "$PERF" annotate -i a.data work | grep 'lines may have moved'; then fail "a source that was not changed"; fi
touch prog.c
expect_status 0 "$PERF" annotate -i a.data work
expect_text out "prog.c' was changed after the program was built: lines may have moved"
# built again: the binary is newer, but not the recorded one
{ printf '/* moved */\n\n' && cat prog.c; } >changed.c
mv prog.c kept.c
mv prog kept
mv changed.c prog.c
cc -O2 -g -o prog prog.c
touch -d '1 hour' prog.c
touch -d '2 hours' prog
expect_status 0 "$PERF" annotate -i a.data work
expect_text out "prog.c' was changed after the program was built: lines may have moved"
mv kept.c prog.c
mv kept prog

# ---- no symbols, no file ----

strip prog
expect_status 0 "$PERF" annotate -i a.data work
expect_text out "<work>:"
mv prog gone
"$PERF" inject --no-embed -i a.data -o bare.data
expect_status 0 "$PERF" annotate -i bare.data -n work
expect_text out "no instructions: no such file: '$PWD/prog'"
rows out | sort | cut -d' ' -f2 >ours
cut -d' ' -f2 raw | diff - ours || fail "costs without the binary"
expect_status 0 "$PERF" annotate -i bare.data --skip-missing work
expect_empty out
