# Descriptors of events: as many as the manual says, fewer levels of stack copies for many threads, and what is told when
# there are too few.
. "$PERF_SRC/tests/lib.sh"
need_record

cat >count <<'EOF'
ls -l /proc/$PPID/fd | grep -c perf_event >counted
EOF
cpus=$(getconf _NPROCESSORS_ONLN)
counted() { # MOST OPTION...
	most=$1
	shift
	expect_status 0 "$PERF" record -o a.data -e cpu-clock:u "$@" -- sh ./count
	[ "$(cat counted)" -ge 1 ] && [ "$(cat counted)" -le "$most" ] ||
		fail "$* has $(cat counted) descriptors, expected up to $most"
}

# Many threads: an event, one for the side-band, one more level
program threads cpus/threads -O2 -pthread
./threads 200 >ready &
pid=$!
i=0
while ! grep -q ready ready && [ $((i += 1)) -lt 300 ]; do
	sleep 0.1
done
counted $((200 * cpus * 3)) -g -p $pid
[ "$(cat counted)" -gt $((200 * cpus * 2)) ] || fail "$(cat counted) descriptors: there are no levels"

# With a low limit there are no levels. It is below what a process may have anyway, and not raised.
few=$((200 * cpus * 2 + 100))
(ulimit -n $((few * 3 / 2)) && counted $few -g -p $pid) || exit 1
(
	ulimit -n 100
	expect_status 1 "$PERF" record -o a.data -e cpu-clock:u -g -p $pid -- true
	expect_text err "descriptors, and RLIMIT_NOFILE is at most 100"
	"$PERF" doctor -e cpu-clock:u -p $pid >out 2>&1 || :
	expect_text out "the recording needs $((200 * cpus * 2 + 64)) descriptors"
) || exit 1
# The soft limit is raised.
(ulimit -S -n 40 && counted $((200 * cpus * 3)) -g -p $pid) || exit 1
kill $pid

"$PERF" record -o probe.data -e cpu-clock:u -a true >out 2>&1 || skip "CPUs cannot be watched here: $(head -n 1 out)"
counted $((cpus * 2)) -g -a
