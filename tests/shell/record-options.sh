# perf record: what each option does to the recording
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_record

cat >busy.sh <<'S'
i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done
S
record() { # options...
	rm -f o.data
	expect_status 0 "$PERF" record -o o.data "$@" sh busy.sh
}
count() { # NAME of records
	"$PERF" report --stats -i o.data 2>/dev/null | awk -v n="$1" '$1 == n { print $3; f = 1; exit } END { if (!f) print 0 }'
}
header() {
	"$PERF" report --header-only -i o.data | grep '^# event :'
}

# ---- rates ----
record -e cpu-clock -F 200
few=$(count SAMPLE)
record -e cpu-clock -F 4000
many=$(count SAMPLE)
[ "$many" -gt $((few * 2)) ] || fail "$few samples at 200 Hz, $many at 4000" # slow machines lower the rate
record -e cpu-clock -F max
record -e cpu-clock -c 5000000
expect_text err "samples)"
n=$(count SAMPLE)
# On an emulated machine a timer of 100 us takes longer than that.
record -e cpu-clock -c 500000
[ "$(count SAMPLE)" -gt $((n * 3)) ] || fail "-c 500000 is not ten times -c 5000000: $(count SAMPLE), $n"

# ---- several events, in one option or more; nothing is lost at a moderate rate ----
record -e cpu-clock,task-clock -e page-faults -F 1000
expect_status 0 "$PERF" report --stdio -i o.data
for e in cpu-clock task-clock page-faults; do
	expect_text out "event '$e"
done
record -e cpu-clock,task-clock -c 20000
if grep -q " lost " err; then fail "records were lost: $(cat err)"; fi
record -e page-faults -c 1 -e cpu-clock:u

# ---- call chains ----
record -e cpu-clock -g
expect_status 0 "$PERF" report --stdio -g caller -i o.data
grep -q -e '--' out || fail "no chains with -g: $(cat out)"
expect_text out "Children"
record -e cpu-clock --call-graph fp
expect_status 0 "$PERF" report --stdio -i o.data
expect_text out "Children"
record -e cpu-clock -g --user-callchains
record -e cpu-clock -g --kernel-callchains

# ---- what a sample holds ----
record -e cpu-clock
record -e cpu-clock -d
record -e cpu-clock -T -P -R
record -e cpu-clock -n
[ "$(count SAMPLE)" = 0 ] || fail "-n has samples"
[ "$(count COMM)" != 0 ] || fail "-n has no comm"
expect_status 0 "$PERF" record -s -e cpu-clock -o o.data sh -c 'sh busy.sh; :' # the kernel tells when a child ends
if [ "$(count READ)" = 0 ]; then # Debian's 6.1.176 ends a task's events too early: its exit is not seen either
	expect_status 0 "$PERF" record -e sched:sched_process_exit -o o.data sh -c 'sh busy.sh; :'
	[ "$(count SAMPLE)" = 0 ] || fail "-s has no READ records"
fi
record -e cpu-clock --per-thread
[ "$(count SAMPLE)" -gt 5 ] || fail "no samples with --per-thread"

# ---- -i: children are left out ----
rm -f o.data
expect_status 0 "$PERF" record -i -e cpu-clock:u -o o.data sh -c 'sh busy.sh; :'
inherited=$(count SAMPLE)
expect_status 0 "$PERF" record -e cpu-clock:u -o o.data sh -c 'sh busy.sh; :'
[ "$(count SAMPLE)" -gt $((inherited * 2)) ] || fail "-i: $inherited samples, without: $(count SAMPLE)"

# ---- -D ----
rm -f o.data
expect_status 0 "$PERF" record -D 60000 -e cpu-clock -o o.data sh busy.sh
[ "$(count SAMPLE)" = 0 ] || fail "samples before the delay is over"
expect_status 0 "$PERF" record -D -1 -e cpu-clock -o o.data sh busy.sh
[ "$(count SAMPLE)" = 0 ] || fail "-D -1 has samples"
[ "$(count COMM)" != 0 ] || fail "-D -1 has no comm"
expect_status 0 "$PERF" record -D 500 -e cpu-clock:u -o o.data sh -c 'sleep 1; . ./busy.sh'
[ "$(count SAMPLE)" -gt 5 ] || fail "no samples after -D 500"
expect_status 0 "$PERF" report --stdio -s sym -i o.data
if grep -q "dl_relocate" out; then fail "-D 500 sampled the start"; fi

# ---- build-ids ----
table() { "$PERF" report --header-only -I -i o.data | grep -c "build_id\|build-id" || :; }
record -e cpu-clock -B
record -e cpu-clock -N
record -e cpu-clock --buildid-all
record -e cpu-clock --buildid-mmap
expect_status 0 "$PERF" report --stdio -i o.data
expect_empty err

# ---- -m ----
for m in 1 2 3 64 4K 1M; do
	record -e cpu-clock -m $m
	[ "$(count SAMPLE)" -gt 5 ] || fail "no samples with -m $m"
done

# ---- --max-size ----
rm -f o.data
# (the command is ended, and its status says so, as in stock)
expect_status 143 timeout 600 "$PERF" record -e cpu-clock -c 10000 --max-size 200K -o o.data sh -c 'while :; do :; done'
expect_text err "perf size limit reached"
[ "$(stat -c %s o.data)" -gt 200000 ] || fail "ended before the limit"
[ "$(stat -c %s o.data)" -lt 5000000 ] || fail "$(stat -c %s o.data) bytes with --max-size 200K"
expect_status 0 "$PERF" report --stdio -i o.data

# ---- --timestamp-filename ----
expect_status 0 "$PERF" record --timestamp-filename -e cpu-clock -o ts.data true
set -- ts.data.2*
[ -s "$1" ] || fail "no file with the date in its name"

# ---- -q, -v ----
expect_status 0 "$PERF" record -q -o o.data true
expect_empty err
expect_empty out
expect_status 0 "$PERF" record -v -o o.data true

# ---- a pipe ----
"$PERF" record -e cpu-clock -o - sh busy.sh 2>err | "$PERF" report --stdio -i - >out 2>err2
expect_text out "event 'cpu-clock"
grep -Eq '% +sh ' out || fail "no sh through the pipe: $(cat out err err2)"
expect_empty err2
"$PERF" record -e cpu-clock sh busy.sh 2>err | "$PERF" report --stdio -i - >out 2>err2
expect_text out "event 'cpu-clock"
# what the command prints does not get between
"$PERF" record -e cpu-clock -o - echo hello 2>err | "$PERF" report --stats -i - >out 2>err2
expect_line err hello
expect_empty err2
# a reader that goes away ends it without fuss
"$PERF" record -e cpu-clock -F 20000 -o - sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done' 2>err | head -c 100 >/dev/null

# ---- nonsense: a few lines and status 129 ----
for o in "-F 0" "-F -1" "-F x" "-F 10x" "-c x" "-c -5" "-m 0" "-m x" "-m 3Q" "-m 9999999" "--max-size 0" "--max-size x" \
	"--max-size 10X" "-D x" "-D -2" "--call-graph nonsense" "-e no-such-event-here" "-e mem:0zz" "-c 5 -F 5" "--no-such-option"; do
	# shellcheck disable=SC2086
	expect_status 129 "$PERF" record $o -o bad.data true
	grep -q '^perf: error: ' err || fail "no error line for $o: $(cat err)"
	[ "$(grep -c . err)" -le 5 ] || fail "many lines for $o: $(cat err)"
done
[ ! -e bad.data ] || fail "a file was written for a wrong option"

# ---- few descriptors ----
(ulimit -n 64 && "$PERF" record -e cpu-clock -o o.data sh busy.sh) >out 2>err || fail "with 64 descriptors: $(cat err)"
exit 0
