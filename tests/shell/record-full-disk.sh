# perf record: a disk that gets full, a limit, a folder that goes away: one reason, a good file, the command goes on
# timeout: 400
. "$PERF_SRC/tests/lib.sh"
need_record

# Touches pages for half a second or so, and ends as if nothing had happened, with a status of its own.
program ramp progs/ramp -O1 -pthread
work='trap "echo XFSZ >signal" XFSZ; trap "echo PIPE >signal" PIPE; ./ramp 30000 0 >last-page; echo ended >went-on; exit 7'
sampled="-e page-faults:u -c 1 -d"

# expect_good FILE LEAST: so many samples at least, and what is known of machine and recording
expect_good() {
	"$PERF" report -D -i "$1" 2>report.err >dump || fail "$1: $(cat report.err)"
	[ "$(grep -c PERF_RECORD_SAMPLE dump)" -ge "$2" ] || fail "$(grep -c PERF_RECORD_SAMPLE dump) samples in $1: $(cat err)"
	expect_empty report.err
	"$PERF" report --header-only -i "$1" >header
	for f_ in hostname cmdline "event : name = page-faults" "time of last sample"; do
		expect_text header "# $f_"
	done
	[ -n "$("$PERF" buildid-list -i "$1")" ] || fail "no build-ids in $1"
}

expect_unharmed() {
	expect_line went-on ended
	[ ! -e signal ] || fail "the command got a signal: $(cat signal)"
	rm went-on
}

# A file size limit, which the command has, too.
for o in "400" "400 --call-graph fp" "400 -g" "100 -z" "2500 -a"; do
	case $o in *-a*) may_record -a -e page-faults:u || continue ;; esac
	rm -f l.data
	(
		ulimit -f "${o%% *}"
		o=${o#"${o%% *}"}
		# shellcheck disable=SC2086
		expect_status 7 "$PERF" record -m 4M $o $sampled -o l.data sh -c "$work"
	)
	expect_unharmed
	[ "$(grep -c 'cannot write' err)" = 1 ] || fail "$o: not one reason: $(cat err)"
	expect_text err "cannot write 'l.data': File too large"
	expect_text err "can be read"
	expect_good l.data 100
done

# A command that ends well does not hide the failure.
(
	ulimit -f 400
	# shellcheck disable=SC2086
	expect_status 1 "$PERF" record -m 4M $sampled -o l.data ./ramp 30000 0
)

# The reader of a pipe goes away.
mkfifo fifo
head -c 20000 fifo >part.data &
# shellcheck disable=SC2086
expect_status 7 "$PERF" record $sampled -o fifo sh -c "$work"
expect_unharmed
expect_text err "cannot write 'fifo': Broken pipe"

# The folder goes away: nobody could find the file.
mkdir gone
# shellcheck disable=SC2086
expect_status 7 "$PERF" record $sampled -o gone/r.data sh -c "./ramp 10 0; rm -r gone; $work"
expect_unharmed
expect_text err "cannot write 'gone/r.data': it was removed while it was recorded"
[ "$(grep -c "perf: error" err)" = 1 ] || fail "not one reason: $(cat err)"
mkdir gone
# shellcheck disable=SC2086
expect_status 7 "$PERF" record --switch-output=64K -m 16 $sampled -o gone/r.data sh -c "./ramp 10 0; rm -r gone; $work"
expect_unharmed
expect_text err "gone/r.data"

# Waiting for the command can be ended.
rm -rf pid
mkdir gone
# shellcheck disable=SC2086
"$PERF" record $sampled -o gone/r.data sh -c 'rm -r gone; ./ramp 10 0; echo $$ >pid; exec sleep 60' 2>err &
recorder=$!
await grep -q 'goes on' err || fail "the failure is not told at once: $(cat err)"
await test -s pid || fail "the command does not go on"
kill -TERM $recorder
wait $recorder && fail "status 0"
! kill -0 "$(cat pid)" 2>/dev/null || fail "the command still runs"

# A disk that is really full.
mkdir disk
[ "$(id -u)" = 0 ] && mount -t tmpfs -o size=1m tmpfs disk 2>/dev/null || exit 0
trap 'umount disk' EXIT
for o in "500k" "500k -g" "60k -z" "1200k -a"; do
	rm -f disk/*
	mount -o "remount,size=${o%% *}" disk
	o=${o#"${o%% *}"}
	# shellcheck disable=SC2086
	expect_status 7 "$PERF" record -m 4M $o $sampled -o disk/l.data sh -c "$work"
	expect_unharmed
	expect_text err "cannot write 'disk/l.data': No space left on device"
	expect_good disk/l.data 100
done
