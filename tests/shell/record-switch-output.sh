# perf record --switch-output: a row of files, each complete; nothing between them is lost
# timeout: 180
. "$PERF_SRC/tests/lib.sh"
need_record

spin='while :; do :; done'
program ramp progs/ramp -O1 -pthread

files() { # of the row NAME, in the order of time
	ls "$1".2* 2>/dev/null
}

faults() { # FILE...: times, and the pages that ramp touched; where the kernel is busy, it takes some faults twice
	for f_; do
		"$PERF" report -D -i "$f_" 2>dump.err || fail "'$f_' cannot be read: $(cat dump.err)"
	done | sed -n 's/^\([0-9 ]*\) 0x.*PERF_RECORD_SAMPLE.* addr: \(0x[0-9a-f]*\)000$/\1 \2/p'
}

wait_for() { # what command...
	what_=$1
	shift
	i_=0
	while ! "$@"; do
		i_=$((i_ + 1))
		[ $i_ -lt 3000 ] || fail "$what_ did not happen: $(cat err)"
		sleep 0.1
	done
}

has_files() { # NAME N
	[ "$(files "$1" | wc -l)" -ge "$2" ]
}

# ---- by signal, while records come all the time: each is in one of the files ----
expect_status 0 "$PERF" record --switch-output -m 4M -e page-faults:u -c 1 -d -o s.data sh -c \
	'./ramp 60000 0 & for i in 1 2 3 4 5; do kill -USR2 $PPID; sleep 0.03; done; wait'
# shellcheck disable=SC2046
faults $(files s.data) | sort >all
[ "$(files s.data | wc -l)" -ge 2 ] || fail "one file only: $(cat err)"
[ -z "$(uniq -d all | head -n 1)" ] || fail "records in two files"
end=$(sed 's/.* \(.*\)000$/0x\1/' out)
grep -q " $end$" all || fail "the last page is not there"
[ "$(wc -l <all)" -ge 60000 ] || grep -q " lost " err || fail "$(wc -l <all) of 60000 records: $(cat err)"
[ "$(grep -c '^\[ perf record: dump data: Woken up [0-9]* times \]$' err)" = $(($(files s.data | wc -l) - 1)) ] ||
	fail "not a line for each file: $(cat err)"
for f in $(files s.data); do
	expect_line err "[ perf record: Dump $f ]"
	echo "$f" | grep -Eqx 's\.data\.20[0-9]{14}' || fail "the name $f"
done
grep -Eq '^\[ perf record: Captured and wrote [0-9.]* MB s\.data\.<timestamp> \([0-9]+ samples\) \]$' err || fail "$(cat err)"
[ ! -e s.data ] || fail "a file without a time in its name is left"

# ---- each file names what was there before: an old process, its children of other files' times, the command ----
sh -c "sleep 0.2; (sleep 0.4; timeout 10 sh -c '$spin') & $spin" &
old=$!
trap 'kill $old $(cat child 2>/dev/null) 2>/dev/null || :' EXIT
"$PERF" record --switch-output=1s -e cpu-clock:u -F 500 -o t.data -p $old sleep 2.6 >out 2>err || fail "$(cat err)"
pkill -P $old 2>/dev/null || :
kill $old
[ "$(files t.data | wc -l)" = 3 ] || fail "not 3 files in 2.6 s: $(cat err)"
for f in $(files t.data); do
	expect_status 0 "$PERF" report --stdio -i "$f" -s pid,dso
	expect_empty err
	[ "$("$PERF" report -D -i "$f" | grep -c PERF_RECORD_SAMPLE)" -gt 50 ] || continue # a busy machine
	[ "$(grep -Ec '%  +[0-9]+:sh .*(dash|bash|busybox|sh)' out)" -ge 2 ] || fail "parent and child are not both known in $f: $(cat out)"
	! grep -Eq '\[unknown\]|:[0-9]+:-1' out || fail "unknown binaries in $f: $(cat out)"
done

# Their work is the same on a busy machine, which takes longer for it.
work='i=0; while [ $i -lt 800000 ]; do i=$((i + 1)); done'
expect_status 0 "$PERF" record --switch-output=100K -g -e cpu-clock:u -F 4000 -o w.data sh -c "sh -c '$work' & $work; wait"
n=$(files w.data | wc -l)
[ "$n" -ge 2 ] || fail "$n files by size: $(cat err)"
for f in $(files w.data); do
	[ "$(stat -c %s "$f")" -lt 1000000 ] || fail "$f has $(stat -c %s "$f") bytes"
	# Not the callers, which are guessed where there are no frame pointers.
	expect_status 0 "$PERF" report --stdio -g none --no-children -i "$f" -s comm,dso
	# The last file may have come to be right before the end.
	grep -Eq '% .* sh +(dash|bash|busybox|sh)' out || ! grep -q '%' out || fail "the command is not known in $f: $(cat out)"
	! grep -q '\[unknown\]' out || fail "unknown binaries in $f: $(cat out)"
done

# ---- the newest are kept ----
expect_status 0 "$PERF" record --switch-output=1s --switch-max-files=2 -e cpu-clock:u -o m.data sleep 2.5
[ "$(files m.data | wc -l)" = 2 ] || fail "$(files m.data | wc -l) files are left of the newest 2"
expect_line err "[ perf record: Dump $(files m.data | tail -n 1) ]"

# ---- flight recorder: a file for each snapshot, by signal and by command; 50 in a row ----
"$PERF" record --overwrite --switch-output -m 64 -e page-faults:u -c 1 -d -o f.data sh -c '
	for i in $(seq 50); do kill -USR2 $PPID; sleep 0.02; done & while kill -0 $! 2>/dev/null; do ./ramp 3000 0; sleep 0.03; done; wait' >out 2>err ||
	fail "status $?: $(cat err)"
[ "$(files f.data | wc -l)" -ge 25 ] || fail "$(files f.data | wc -l) files of 50 signals"
for f in $(files f.data); do
	"$PERF" report --stdio -i "$f" -s comm,dso,sym >report 2>err || fail "$f: $(cat err)"
	! grep -Eq '% +ramp +(ramp .*0x|.*unknown)' report || fail "no names in $f: $(cat report)"
done
rm -f f.data.*

# ---- processes that begin and end while files are switched are known in the file that has their samples ----
expect_status 0 timeout 600 "$PERF" record --overwrite --switch-output -m 1M -e page-faults:u -c 1 -o b.data sh -c '
	(for i in $(seq 20); do kill -USR2 $PPID; sleep 0.03; done; : >over) & while [ ! -e over ]; do /bin/true; /bin/true & done; wait'
for f in $(files b.data); do
	"$PERF" report --stdio -i "$f" -s pid,dso >report 2>err || fail "$f: $(cat err)"
	! grep -Eq '\[unknown\]|% +[0-9]+::' report || grep -q 'lost [1-9]' report || fail "an unknown process in $f: $(cat report)"
done

mkfifo ctl ack
exec 3<>ctl 4<>ack
"$PERF" record --overwrite --switch-output --control fifo:ctl,ack -e cpu-clock:u -o c.data sh -c \
	'while :; do i=0; while [ $i -lt 5000 ]; do i=$((i + 1)); done; sleep 0.1; done' >out 2>err 3>&- 4>&- &
recorder=$!
i=0
while [ $i -lt 50 ]; do
	echo snapshot >&3
	answer=$(timeout 600 dd bs=5 count=1 <&4 2>/dev/null | tr -d '\000')
	[ "$answer" = ack ] || fail "no answer to snapshot $i: $(cat err)"
	i=$((i + 1))
	[ "$(files c.data | wc -l)" = $i ] || fail "$(files c.data | wc -l) files after $i snapshots"
done
echo stop >&3
wait $recorder || :
[ "$(files c.data | wc -l)" = 51 ] || fail "$(files c.data | wc -l) files of 50 snapshots and the end"
for f in $(files c.data); do
	"$PERF" report --stdio -i "$f" >report 2>err || fail "$f: $(cat err)"
done

# ---- what cannot be ----
for s in x 10 10x 0 0s -1s 5S 99999999999999999999s; do
	expect_status 129 "$PERF" record --switch-output=$s -e cpu-clock:u -o x.data true
	expect_lines err 1
done
expect_status 1 "$PERF" record --switch-output -e cpu-clock:u -o - true
expect_empty out
expect_text err "--switch-output writes several files, but '-' is not a regular file"
# When the next file cannot be opened, the recording ends with a message, and the file before is whole.
mkdir moved
expect_status 1 "$PERF" record --switch-output -e cpu-clock:u -o next.data -- \
	sh -c 'mv next.data moved; mkdir next.data; kill -USR2 $PPID'
expect_text err "cannot write 'next.data': Is a directory"
if grep -F '(null)' err; then fail "a file without a name"; fi
expect_status 0 "$PERF" report --stdio -i moved/next.data
rm -r moved next.data
# A device stays where it is: as root, -o /dev/null would move it away for everybody.
if mknod null c 1 3 2>/dev/null; then
	expect_status 1 "$PERF" record --switch-output -e cpu-clock:u -o null true
	expect_text err "--switch-output writes several files, but 'null' is not a regular file"
	[ -c null ] || fail "the device was moved"
fi
"$PERF" record --switch-output --no-no-buildid --no-no-buildid-cache --timestamp-boundary -e cpu-clock:u true 2>err | cat ||
	fail "$(cat err)"
has_files perf.data 1 || fail "a row of files was not written where the output is a pipe: $(cat err)"

# ---- by an event, which is not recorded ----
(need_tracepoints) >/dev/null 2>&1 || exit 0
expect_status 0 "$PERF" record --switch-output-event sched:sched_process_exec -e cpu-clock:u -o e.data sh -c "sleep 0.3; sleep 0.3; :"
[ "$(files e.data | wc -l)" -ge 3 ] || fail "not a file for each program: $(cat err)"
for f in $(files e.data); do
	expect_status 0 "$PERF" report --stdio -i "$f"
	! grep -q sched_process_exec out || fail "the event was recorded: $(cat out)"
done
