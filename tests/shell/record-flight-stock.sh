# perf record --overwrite, --switch-output: stock perf reads the files
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record
need_stock

spin='while :; do :; done'
# Stock perf takes files below /tmp/perf-* for lists of compiled code.
prog=$(mktemp -d /tmp/ramp.XXXXXX)
busy=
trap 'rm -rf "$prog"; [ -z "$busy" ] || kill $busy' EXIT
program "$prog/ramp" progs/ramp -O1 -pthread

samples() { # FILE: what stock perf finds in it, as many as we do
	theirs=$("$STOCK" script -i "$1" -F tid,time,addr 2>script.err | grep -c . || :)
	ours=$("$PERF" report -D -i "$1" 2>/dev/null | grep -c PERF_RECORD_SAMPLE || :)
	[ "$ours" -gt 0 ] || fail "no samples in $1"
	[ "$theirs" = "$ours" ] || fail "$1: $theirs samples, not $ours: $(cat script.err)"
}

in_order() { # FILE: stock perf sorts by rounds; nothing comes too late for its round
	"$STOCK" report --stdio -i "$1" -s comm,sym >report 2>report.err || fail "$(cat report.err)"
	! grep -Eiq 'out of order|unknown' report.err || fail "$1: $(cat report.err)"
}

expect_status 0 "$PERF" record --overwrite -m 16 -e page-faults:u -c 1 -d -o o.data "$prog/ramp" 50000 0
samples o.data
in_order o.data
grep -q 'ramp.*climb' report || fail "no names: $(cat report)"

# Some snapshots in one file; a file for each; an old process.
expect_status 0 "$PERF" record --overwrite -m 64 -e page-faults:u -c 1 -d -o s.data sh -c '
	for i in 1 2 3 4 5; do "$0" 3000 0; kill -USR2 $PPID; sleep 0.05; done' "$prog/ramp"
samples s.data
in_order s.data
grep -q 'ramp.*climb' report || fail "no names: $(cat report)"

sh -c "$spin" &
busy=$!
for o in --overwrite --tail-synthesize "--overwrite --tail-synthesize"; do
	rm -f t.data*
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" record $o --switch-output=1s -d -e cpu-clock:u -p $busy -o t.data sleep 1.5
	for f in t.data.2*; do
		samples "$f"
		in_order "$f"
		grep -Eq '% +sh +\[\.\]' report || fail "$o: the process is not known: $(cat report)"
	done
done
