# perf record -e mem:ADDR:w: counts exactly the writes
. "$PERF_SRC/tests/lib.sh"
need_record
need_command "${CC:-cc}" nm

cat >writes.c <<'C'
volatile int counter;
volatile int other;
int main(void)
{
	for (int i = 0; i < 1000; i++) {
		counter = i;
		other = counter;
	}
	return 0;
}
C
"${CC:-cc}" -O1 -no-pie -o writes writes.c 2>/dev/null || skip "the compiler makes no program with fixed addresses"
addr=$(nm writes | awk '$3 == "counter" { print $1 }')
"$PERF" record -e "mem:0x$addr:w:u" -c 1 -o b.data true >out 2>err || skip "no breakpoints here: $(head -n 1 err)"

samples() {
	"$PERF" report --stats -i "$1" | awk '/SAMPLE events:/ { print $3; exit }'
}

# On some virtual machines the kernel ends a watched program with a SIGTRAP now and then, whoever records it.
recorded() { # COMMAND...
	for try_ in 1 2 3 4 5 6 7 8 9 10; do
		status=0
		"$@" >out 2>err || status=$?
		[ "$status" = 133 ] || break
	done
	[ "$status" = 0 ] || fail "status $status: $*"
}
recorded "$PERF" record -e "mem:0x$addr:w:u" -c 1 -o b.data ./writes
[ "$(samples b.data)" = 1000 ] || fail "$(samples b.data) writes, expected 1000"
expect_text err "(1000 samples)"
expect_status 0 "$PERF" report --stdio -s sym -i b.data
grep -Eq '100\.00%  \[\.\] main' out || fail "not all of them in main: $(cat out)"

# Every write without being asked; every 10th; reads and writes; by frequency only when -F says so.
recorded "$PERF" record -e "mem:0x$addr:w:u" -o b.data ./writes
[ "$(samples b.data)" = 1000 ] || fail "$(samples b.data) writes by default, expected 1000"
recorded "$PERF" record -e "mem:0x$addr:w:u" -c 10 -o b.data ./writes
# Each CPU counts for itself: what is left over on one is no sample.
n=$(samples b.data)
[ "$n" -le 100 ] && [ "$n" -gt $((100 - $(getconf _NPROCESSORS_ONLN))) ] || fail "$n with -c 10, expected 100"
recorded "$PERF" record -e "mem:0x$addr/4:rw:u" -c 1 -o b.data ./writes
[ "$(samples b.data)" = 2000 ] || fail "$(samples b.data) reads and writes, expected 2000"
recorded "$PERF" record -e "mem:0x$addr:w:u" -F 99 -o b.data ./writes
[ "$(samples b.data)" -lt 1000 ] || fail "-F 99 did not sample a breakpoint by frequency"

# beside another event
recorded "$PERF" record -e "mem:0x$addr:w:u,cpu-clock:u" -o b.data ./writes
"$PERF" report --stats -i b.data >out
expect_text out "1000"

# More than the processor has registers
events=mem:0x$addr:w:u
for i in $(seq 40); do events=$events,mem:0x$addr:w:u; done
expect_status 1 "$PERF" record -e "$events" -o many.data ./writes
sed -i '/perf_event_max_sample_rate/d' err # the kernel lowers it where interrupts take long
expect_lines err 2
expect_text err "no free breakpoint register for 'mem:0x$addr:w:u'"
[ ! -e many.data ] || fail "a file was written all the same"
if "$PERF" doctor | grep -q ' 0 breakpoint registers'; then fail "they are still held"; fi
recorded "$PERF" record -e "mem:0x$addr:w:u" -o b.data ./writes
