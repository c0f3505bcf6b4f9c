# perf record on 64 CPUs: a part of the program tests/bench/rings stands in for the kernel
# timeout: 60
. "$PERF_SRC/tests/lib.sh"
need_record
rings=$PERF_BUILD/tests/bench/rings
[ -x "$rings" ] || skip "tests/bench/rings is not built"
may_record -a -e cpu-clock || skip "CPUs cannot be watched here: $(head -n 1 probe.out)"

cat >deep.c <<'C'
static volatile unsigned sum;
__attribute__((noinline)) void leaf(void) { for (unsigned i = 0; i < 1000; i++) sum += i; }
__attribute__((noinline)) void descend(int n) { if (n) descend(n - 1); else leaf(); sum++; }
int main(void) { for (;;) descend(12); }
C
cc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -g -o deep deep.c
./deep &
deep=$!
trap 'kill -9 $deep' EXIT

field() { # FILE NAME: the number after the name, in the line that the stand-in prints
	sed -n "s/^cpus.* $2 \([0-9.]*\).*/\1/p" "$1"
}

check() { # DATA: is each sample in the file, or counted as lost, and has each its chain?
	made=$(field out made) lost=$(field out lost)
	"$PERF" report --stats -i "$1" >stats 2>/dev/null
	samples=$(sed -n 's/^ *SAMPLE events: *\([0-9]*\) *(.*/\1/p' stats | head -n 1)
	[ "$made" -gt 0 ] || fail "the stand-in made no sample: $(cat out err)"
	[ "$samples" -eq $((made - lost)) ] || fail "$samples samples of $made, and $lost lost"
	"$PERF" report -i "$1" -s dso,sym -g caller --no-children --stdio >report 2>err
	"$PERF" script -i "$1" -F ip,sym >script 2>/dev/null
	awk -v RS= '{ if (/ leaf| descend/) nr++; if (/ main/) good++ } END { exit !(nr && good >= nr * 0.99) }' script ||
		fail "chains do not lead to main: $(head -n 30 script)"
}

# Each ring wakes the recorder, which empties them all: not for the few bytes that came after the last time. A round has
# 32 KB of some ring, which are 3 samples, or comes 50 ms after the one before: 700 in 2 seconds.
expect_status 0 "$rings" 64 2 $deep record -a -g -e cpu-clock -F 1000 -B -o a.data sleep 3
check a.data
rounds=$(sed -n 's/^ *FINISHED_ROUND events: *\([0-9]*\).*/\1/p' stats)
[ "$rounds" -le 900 ] || fail "$rounds rounds in 2 seconds"

# With little room for what waits to be unwound, several threads unwind it.
expect_status 0 "$rings" 64 2 $deep record -a -g -e cpu-clock -F 1000 -B --unwind-buffer 2M -o b.data sleep 3
check b.data
