# record --repeat: a file for each run; --repeat-with takes turns; a failed or interrupted run ends the series
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
program old diff/work -O1 -DSORT=100 -DPARSE=100
program new diff/work -O1 -DSORT=100 -DPARSE=100
expect_status 0 "$PERF" record -q --repeat 3 -e cpu-clock:u -o runs.data ./old 50
[ "$(echo runs.data*)" = "runs.data.1 runs.data.2 runs.data.3" ] || fail "files: $(echo runs.data*)"
# A shorter series would be mixed with the rest of that one; an equally long one takes its place.
expect_status 129 "$PERF" record -q --repeat 2 -e cpu-clock:u -o runs.data ./old 50
expect_lines err 1
expect_text err "'runs.data.3' is of an earlier --repeat"
expect_status 0 "$PERF" record -q --repeat 3 -e cpu-clock:u -o runs.data ./old 50
[ "$(echo runs.data*)" = "runs.data.1 runs.data.2 runs.data.3" ] || fail "an earlier series was kept: $(echo runs.data*)"

expect_status 0 "$PERF" record --repeat 2 --repeat-with ./new -e cpu-clock:u -o turns.data ./old 50
expect_text err "compare them: perf diff turns.data.old.* -- turns.data.new.*"
sed -n 's/.*wrote .* MB \([^ ]*\).*/\1/p' err | tr '\n' ' ' >order
[ "$(cat order)" = "turns.data.old.1 turns.data.new.1 turns.data.new.2 turns.data.old.2 " ] || fail "order: $(cat order)"
expect_status 0 "$PERF" record -g --repeat 3 -o notes.data ./old 50
grep -v '^\[ perf record' err | sort | uniq -d >again
[ ! -s again ] || fail "each run says it: $(cat again)"
for side in old new; do
	for i in 1 2; do
		"$PERF" script -F comm -i turns.data.$side.$i | grep -qw "$side" || fail "turns.data.$side.$i is not of ./$side"
	done
done
expect_status 0 "$PERF" diff turns.data.old.* -- turns.data.new.*
expect_text out "turns.data.old.1 and 1 more"

# the first exit status that is not 0; all runs are there
expect_status 3 "$PERF" record -q --repeat 2 -e cpu-clock:u -o exits.data sh -c 'exit 3'
[ -f exits.data.2 ] || fail "the second run is missing"
# no run after one that was killed with its recorder, or that left no file
expect_status 127 "$PERF" record -q --repeat 2 -e cpu-clock:u -o none.data ./missing
expect_lines err 1
"$PERF" record -q --repeat 3 -e cpu-clock:u -o killed.data sh -c 'kill -INT $PPID; exec sleep 10' >out 2>err && fail "an interrupted series succeeds"
[ -f killed.data.1 ] && [ ! -e killed.data.2 ] || fail "files of an interrupted series: $(echo killed.data*)"

expect_status 129 "$PERF" record --repeat 2 -a
expect_status 129 "$PERF" record --repeat-with ./new ./old
expect_status 129 "$PERF" record --repeat 2 -o - ./old
expect_lines err 1
! grep -q '?' err || fail "a control character in a message: $(cat err)"
expect_status 129 "$PERF" record --repeat 2 --switch-output ./old
# more runs than 2^31, a device, which is not a regular file: nothing is run
run_nothing() {
	expect_status 129 "$PERF" record "$@" sh -c 'touch was-run; kill -9 $PPID'
	expect_lines err 1
	[ ! -e was-run ] || fail "the command was run: $*"
}
expect_status 137 "$PERF" record -q --repeat 2147483648 --repeat-with sh -e cpu-clock:u -o many.data sh -c 'touch was-run; kill -9 $PPID'
[ -e was-run ] || fail "2147483648 runs of two programs are none"
rm was-run
for n in 4294967296 18446744073709551616 -1 nan 2x; do run_nothing --repeat $n --repeat-with sh; done
# A copy of /dev/null, so that a wrong perf makes no file in /dev.
if mknod null c 1 3 2>/dev/null; then
	run_nothing --repeat 2 -o null
	run_nothing --repeat 2 --repeat-with sh -o null
fi
mkfifo fifo
run_nothing --repeat 2 -o fifo
ln -s fifo link
run_nothing --repeat 2 -o link
expect_text err "--repeat writes several files, but 'link' is not a regular file"
