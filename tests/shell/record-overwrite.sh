# perf record --overwrite: the newest records of each processor, whole, without gaps, in the order of time; snapshots
# timeout: 180
. "$PERF_SRC/tests/lib.sh"
need_record

program ramp progs/ramp -O1 -pthread
last_cpu=$(($(nproc) - 1)) # of those that we may use; elsewhere ramp fails
cpus=0
[ $last_cpu = 0 ] || cpus="0 $last_cpu"
# shellcheck disable=SC2086
./ramp 1 $cpus >out 2>&1 || skip "no thread can be bound to processors $cpus"

# One line for each sample: thread, address in pages, size. A thread stays on its processor.
samples() { # FILE
	"$PERF" report -D -i "$1" 2>/dev/null |
		sed -n 's/^[0-9 ]* 0x[0-9a-f]* \[0x\([0-9a-f]*\)\]: PERF_RECORD_SAMPLE[^:]*: [0-9]*\/\([0-9]*\): .* addr: 0x\([0-9a-f]*\)000$/\2 \3 \1/p'
}

# Checks that each thread's addresses count up without a gap, and ends with the last page. Prints "tid samples first last size".
runs() { # FILE: of samples
	awk 'function hex(s,   i, n) { n = 0; for (i = 1; i <= length(s); i++) n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return n }
		{ a = hex($2); if (($1 in last) && a != last[$1] + 1) { print "gap in", $1, "at", $2; bad = 1 }
		  if (!($1 in last)) first[$1] = $2; last[$1] = a; text[$1] = $2; nr[$1]++; size[$1] = hex($3) }
		END { for (t in nr) print t, nr[t], first[t], text[t], size[t]; exit bad }' "$1"
}

# ---- rings of 16 pages, a workload 100 times larger ----
# shellcheck disable=SC2086
expect_status 0 "$PERF" record --overwrite -m 16 -e page-faults:u -c 1 -d -o o.data ./ramp 120000 $cpus
ends=$(awk '{ print substr($2, 1, length($2) - 3) }' out)
samples o.data >o.txt
for end in $ends; do
	tid=$(awk -v e="$end" '$2 == e { print $1; exit }' o.txt)
	[ -n "$tid" ] || fail "the newest record (page $end) is not there"
	awk -v t="$tid" '$1 == t' o.txt >one.txt
	runs one.txt >run.txt || fail "$(cat run.txt)"
	read -r tid nr first last size <run.txt
	[ "$last" = "$end" ] || fail "records end with page $last, not $end"
	page=$(getconf PAGESIZE)
	# The ring is full of them, but for a record that was overwritten in part and the few of the end of the program.
	[ $((nr * size)) -gt $((16 * page - 40 * size)) ] && [ $((nr * size)) -le $((16 * page)) ] ||
		fail "$nr records of $size bytes from a ring of $((16 * page))"
done
# Libraries may be stripped.
expect_status 0 "$PERF" report --stdio -i o.data -s comm,dso,sym
expect_text out "climb"
! grep -Eq '% +ramp +ramp .*0x|unknown' out || fail "addresses without a name: $(cat out)"

# ---- a span of time: at least so much of a processor's time is kept, and not all ----
cat >spin.c <<'C'
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
	volatile unsigned long sum = 0;
	clock_t end = clock() + CLOCKS_PER_SEC / 1000 * atoi(argv[argc - 1]);

	while (clock() < end)
		for (int i = 0; i < 10000; i++)
			sum += i;
	return 0;
}
C
"$CC" -O1 -o spin spin.c
for options in '' '-g'; do
	# A ring has a power of two of pages: up to twice as much as a second's samples. The rest is for late timers.
	ms=4000
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" record --overwrite=1s $options -e cpu-clock:u -F 1000 -o s.data taskset -c $last_cpu ./spin $ms
	grep -Eq 'keeps the newest [1-9][0-9.]* s or more, at 1000 samples a second$' err || fail "no span is told: $(cat err)"
	kept=$("$PERF" report -D -i s.data 2>/dev/null | grep -c PERF_RECORD_SAMPLE) # each is a millisecond of spin
	[ "$kept" -ge 950 ] && [ "$kept" -lt $((ms - 300)) ] || fail "--overwrite=1s $options kept $kept ms"
done
expect_status 1 "$PERF" record --overwrite=1s -e page-faults -c 1 -o s.data true
expect_text err "for events with a frequency"
expect_status 1 "$PERF" record --overwrite=99999h -c 1 -g -e cpu-clock -o s.data true # more bytes than 64 bits count
expect_text err "give a shorter time"
expect_status 129 "$PERF" record --overwrite=1x -o s.data true
expect_status 129 "$PERF" record --overwrite=1s -m 4 -o s.data true
expect_status 1 "$PERF" record --overwrite=9999h -g -o s.data true
expect_text err "give a shorter time"

# ---- what a larger ring holds is all there ----
expect_status 0 "$PERF" record --overwrite -e page-faults:u -c 1 -d -o a.data ./ramp 2000 0
samples a.data | awk -v e="$(awk '{ print substr($2, 1, length($2) - 3) }' out)" '
	$2 == e { t = $1 } { nr[$1]++ } END { exit !(t && nr[t] >= 2000) }' || fail "records are missing where all have room"

# ---- one event keeps the newest, the other all (or what a busy machine lets pass) ----
count() { # FILE: samples by event
	"$PERF" report -D -i "$1" 2>/dev/null | grep -c 'PERF_RECORD_SAMPLE' || :
}

expect_status 0 "$PERF" record -m 32 -e page-faults/overwrite/u -c 1 -o m.data ./ramp 40000 0
[ "$(count m.data)" -lt 4000 ] || fail "$(count m.data) samples of a ring with room for 3300"
expect_status 0 "$PERF" record --overwrite -m 32 -e page-faults/no-overwrite/u -c 1 -o n.data ./ramp 40000 0
[ "$(count n.data)" -gt 5000 ] || fail "$(count n.data) samples: no-overwrite was not heeded"
expect_status 0 "$PERF" record -m 32 -e page-faults/overwrite/u -e minor-faults:u -c 1 -o b.data ./ramp 40000 0
[ "$(count b.data)" -gt 5000 ] || fail "$(count b.data) samples: one of two events is to be written as it comes"

# ---- 50 snapshots by signal, of a process that runs for long; each record once, in order ----
"$PERF" record --overwrite -m 64 -e page-faults:u -c 1 -d -o s.data sh -c "
	for i in \$(seq 50); do kill -USR2 \$PPID; sleep 0.02; done & while kill -0 \$! 2>/dev/null; do ./ramp 3000 0; done; wait" >out 2>err ||
	fail "status $?: $(cat err)"
"$PERF" report -D -i s.data >dump 2>/dev/null || fail "the file with snapshots cannot be read"
rounds=$(grep -c PERF_RECORD_FINISHED_ROUND dump)
[ "$rounds" -ge 40 ] || fail "$rounds snapshots of about 50"
samples s.data >s.txt
nr=$(sort s.txt | uniq -d | wc -l)
[ "$nr" = 0 ] || fail "$nr records twice"
"$PERF" report --stdio -i s.data -s comm,sym >report 2>err || fail "$(cat err)"
grep -q 'ramp.*climb' report || fail "no names: $(cat report)"

# ---- and by commands, of a process that was there before ----
sh -c 'while :; do i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); done; sleep 0.02; done' &
busy=$!
trap 'kill $busy 2>/dev/null || :' EXIT
mkfifo ctl ack
exec 3<>ctl 4<>ack
"$PERF" record --overwrite --control fifo:ctl,ack -e cpu-clock:u -p $busy -o c.data >out 2>err 3>&- 4>&- &
recorder=$!
i=0
while [ $i -lt 50 ]; do
	echo snapshot >&3
	answer=$(timeout 600 dd bs=5 count=1 <&4 2>/dev/null | tr -d '\000')
	[ "$answer" = ack ] || fail "no answer to snapshot $i: $(cat err)"
	i=$((i + 1))
done
for _ in $(seq 600); do # what was acknowledged may still wait for the disk
	"$PERF" report -D -i c.data >dump 2>/dev/null || :
	[ "$(grep -c PERF_RECORD_FINISHED_ROUND dump)" -lt 50 ] || break
	sleep 0.1
done
[ "$(grep -c PERF_RECORD_FINISHED_ROUND dump)" = 50 ] || fail "$(grep -c PERF_RECORD_FINISHED_ROUND dump) rounds after 50 snapshots"
echo stop >&3
wait $recorder || fail "status $?: $(cat err)"
"$PERF" report --stdio -i c.data -s comm,dso >report 2>err || fail "$(cat err)"
grep -Eq ' sh +(dash|bash|busybox|sh)' report || fail "the process is not known: $(cat report)"

# ---- --tail-synthesize: what runs is described at the end ----
expect_status 0 "$PERF" record --overwrite --tail-synthesize -e cpu-clock:u -p $busy -o t.data sleep 0.3
"$PERF" report -D -i t.data >dump 2>/dev/null
awk '/FINISHED_INIT/ { init = NR } /PERF_RECORD_MMAP2.*(sh|box)$/ { map = NR } END { exit !(init && map) }' dump ||
	fail "no maps with --tail-synthesize"
"$PERF" report --stdio -i t.data -s comm,dso >report 2>/dev/null
grep -Eq ' sh +(dash|bash|busybox|sh)' report || fail "the process is not known: $(cat report)"

# ---- a signal where nothing is kept does no harm ----
"$PERF" record -e cpu-clock:u -o u.data sh -c 'kill -USR2 $PPID; sleep 0.2' >out 2>err || fail "SIGUSR2: $? $(cat err)"
