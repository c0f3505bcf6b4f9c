# report: Ctrl-C while reading ends with a report of what was read; what a pipe still sends is waited for
. "$PERF_SRC/tests/lib.sh"
need_command timeout
need_record

"$PERF" record -o - -e cpu-clock -F 20000 -- sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done' >p.data 2>record.out ||
	fail "cannot record: $(cat record.out)"
half=$(($(wc -c <p.data) / 2))
"$PERF" report --stats -i p.data >all

interrupted() { # SECONDS of pause in the middle, options: a signal comes after half a second
	pause=$1
	shift
	status=0
	(head -c $half p.data; sleep "$pause"; tail -c +$((half + 1)) p.data 2>/dev/null) |
		timeout --foreground --preserve-status -s INT 0.5 "$PERF" report -i - "$@" >out 2>err || status=$?
}

interrupted 1.2 --stats
[ $status = 0 ] || fail "exit status $status of a stream that ends soon after the signal: $(cat err)"
cmp all out || fail "another result: $(diff all out)"
expect_empty err

interrupted 4 --stats
[ $status = 130 ] || fail "exit status $status of a stream that does not end, expected 130"
expect_text err "interrupted"
expect_text out "SAMPLE events:"
if cmp -s all out; then fail "all was read of a stream that does not end"; fi

interrupted 4 --stdio
[ $status = 130 ] || fail "exit status $status, expected 130"
expect_text out "stopped by the user"

# not even the header comes
status=0
sleep 4 | timeout --foreground --preserve-status -s INT 0.5 "$PERF" report -i - >out 2>err || status=$?
[ $status = 130 ] || fail "exit status $status without a header, expected 130"
expect_empty out
expect_text err "interrupted"
