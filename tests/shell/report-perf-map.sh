# perf report: names of compiled code from /tmp/perf-PID.map, also a container's; not from somebody else's file
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc
program jit progs/jit -O1

pid=
trap '[ -z "$pid" ] || { kill -9 "$pid" 2>/dev/null || true; rm -f "/tmp/perf-$pid.map"; }' EXIT
begin() { # command...: sets pid
	: >ready
	"$@" >ready &
	pid=$!
	for i_ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		grep -q ready ready && break
		sleep 0.1
	done
	grep -q ready ready || fail "does not run: $*"
}
end() {
	kill -9 "$1" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
}
record() { # of process PID; on a busy machine it may take a while to get some time
	for time_ in 0.3 1 3 10; do
		"$PERF" record --no-embed -o p.data -e cpu-clock:u -F 500 -p "$1" sleep $time_ >record.out 2>&1 ||
			fail "record: $(cat record.out)"
		! grep -q '([1-9][0-9]* samples)' record.out || return 0
	done
}
names() { # OPTION...
	"$PERF" report -v --stdio -g none -F sym -i p.data "$@" >out 2>err || fail "report: $(cat err)"
}
no_names() { # WHAT
	! grep -q 'a_compiled_name' out || fail "names from $1"
}

begin ./jit map 'a_compiled_name with blanks'
record "$pid"
names
expect_text out "a_compiled_name with blanks"
end $pid
names
expect_text out "a_compiled_name with blanks"

if [ "$(id -u)" = 0 ]; then
	chown 65534 /tmp/perf-$pid.map
	names
	no_names "a file that somebody else could write"
	expect_text err "'/tmp/perf-$pid.map' belongs to neither the process's user nor you nor root"
	names --force
	expect_text out "a_compiled_name"
	# a link of somebody else to a file that root owns, and root's own link
	chown 0 /tmp/perf-$pid.map
	mv /tmp/perf-$pid.map moved.map
	ln -s "$PWD/moved.map" /tmp/perf-$pid.map
	names
	expect_text out "a_compiled_name"
	chown -h 65534 /tmp/perf-$pid.map
	names
	no_names "a link that somebody else made"
	expect_text err "'/tmp/perf-$pid.map' belongs to neither the process's user nor you nor root"
	names --force
	expect_text out "a_compiled_name"
	rm /tmp/perf-$pid.map
	mv moved.map /tmp/perf-$pid.map
fi
rm /tmp/perf-$pid.map
names
expect_text err "cannot open '/tmp/perf-$pid.map'"

# The process's user is somebody else than the one who looks.
if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --clear-groups true 2>/dev/null; then
	cp jit /tmp/perf-test-jit.$$ && chmod 755 /tmp/perf-test-jit.$$
	begin setpriv --reuid 65534 --clear-groups /tmp/perf-test-jit.$$ map a_compiled_name
	rm /tmp/perf-test-jit.$$
	record "$pid"
	names
	expect_text out "a_compiled_name"
	end $pid
	names
	no_names "an ended process's file of another user"
	rm -f /tmp/perf-$pid.map
fi

# A container: its own numbers for processes, its own /tmp.
if command -v pgrep >/dev/null && unshare -m -p -f true 2>/dev/null; then
	# This folder stays where it is for whoever is in it, even if it is below /tmp.
	echo 'mount -t tmpfs none /tmp && ./jit map a_compiled_name' >in.sh
	begin unshare -m -p -f --kill-child sh in.sh
	inner=$(pgrep -f '^./jit map a_compiled_name$' | tail -n 1)
	[ -n "$inner" ] || fail "no process in the namespace"
	record "$inner"
	names
	expect_text out "a_compiled_name"
	end $pid
	for i_ in 1 2 3 4 5 6 7 8 9 10; do
		[ -e "/proc/$inner" ] || break
		sleep 0.1
	done
	names
	no_names "a namespace that is gone"
	expect_text err "cannot open '/tmp/perf-$inner.map'"
fi
