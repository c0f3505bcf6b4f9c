# perf record -p for a process that /proc does not show: hidepid, a container
. "$PERF_SRC/tests/lib.sh"
need_record
need_nobody
need_command unshare mount

# ---- hidepid, in a mount namespace of this test's own ----
hidden() { # command... as nobody where /proc hides others' processes
	unshare -m sh -c '
		mount --make-rprivate / && mount -t proc -o hidepid=2 proc /proc || exit 99
		dir=$1
		shift
		exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all \
			sh -c "cd \"\$1\" && shift && exec \"\$@\"" sh "$dir" "$@"' sh "$dir" "$@"
}
got=0
hidden true 2>err || got=$?
[ $got = 0 ] || skip "/proc cannot be mounted with hidepid here: $(cat err)"
expect_status 1 hidden ./perf record -e cpu-clock:u -p 1 -o n.data true
expect_lines err 2
expect_text err "no such process: 1 (that /proc would show: it is mounted with hidepid)"
expect_text err "mount -o remount,hidepid=0 /proc"
expect_status 0 hidden ./perf record -e cpu-clock:u -o n.data true
hidden ./perf doctor >out || :
grep -Eq '^limits +proc +/proc is mounted with hidepid' out || fail "hidepid is not in the doctor's list: $(cat out)"

# ---- a pid namespace: as in a container ----
if unshare -pf --mount-proc true 2>err; then
	expect_status 1 unshare -pf --mount-proc "$PERF" record -e cpu-clock:u -p 999999 -o n.data true
	expect_lines err 2
	expect_text err "no such process: 999999 (in this container)"
	expect_text err "--pid=host"
	unshare -pf --mount-proc "$PERF" doctor >out || :
	grep -Eq '^limits +proc +this is a pid namespace' out || fail "the container is not in the doctor's list: $(cat out)"
fi

# ---- a user namespace: root there has no privileges outside of it ----
if unshare -Ur true 2>err; then
	unshare -Ur "$PERF" doctor >out || :
	grep -Eq "^limits +capabilities +.*container's user namespace" out || fail "root of a user namespace passes for root: $(cat out)"
fi
exit 0
