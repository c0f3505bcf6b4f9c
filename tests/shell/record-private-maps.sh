# perf record: names of compiled code from a perf-PID.map that is gone when the recording ends
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc
program jit progs/jit -O1
compiled=code_$$ # another test may run
export compiled

# Wait until the recorder has the map open, through a mount of its own ("/"), or as a copy. Then let the program end.
has_map() { # RECORDER
	for fd in "/proc/$1/fd"/*; do
		case $(readlink "$fd") in
		/ | */perf-*.map | /memfd:perf*) [ ! -f "$fd" ] || ! grep -qs "$compiled" "$fd" || return 0 ;;
		esac
	done
	return 1
}
release() { # RECORDER
	for i_ in $(seq 300); do
		! has_map "$1" || break
		kill -0 "$1" 2>/dev/null || break
		sleep 0.1
	done
	: >stop
}
record() { # NAME COMMAND...
	name=$1
	shift
	rm -f stop
	"$PERF" record -e cpu-clock:u -F 500 -o "$name.data" "$@" >"$name.out" 2>&1 &
	recorder=$!
	release $recorder
	wait $recorder || fail "record $name: $(cat "$name.out")"
}
check() { # NAME
	"$PERF" report --stdio -g none -F sample,sym -i "$1.data" >out 2>err || fail "report: $(cat err)"
	awk -v name="$compiled" '!/^#/ && /\[/ { all += $1 } index($0, name) { named += $1 }
		END { exit named < 0.8 * all }' out || fail "$1: $(cat "$1.out" out)"
}
no_map_is_left() { [ -z "$(cat /tmp/perf-[0-9]*.map 2>/dev/null | grep "$compiled")" ] || fail "a map is left"; }

# The program deletes its map.
record deleted ./jit until stop $compiled delete
no_map_is_left
check deleted

# A container: its own /tmp, and its own numbers for processes. It is gone with its last process.
[ "$(id -u)" = 0 ] && unshare -m -p -f true 2>/dev/null || exit 0
# This folder stays where it is for whoever is in it, even if it is below /tmp.
echo 'mount -t tmpfs none /tmp && ./jit until stop $compiled "$@"' >in.sh
record mount unshare -m sh in.sh
record both unshare -m -p -f sh in.sh
record deleted-there unshare -m -p -f sh in.sh delete
# A recorder of another test, of all processes of root (record -u 0), may have opened the program at that moment.
cat >in.sh <<-'END'
	unmounts() {
		for _ in $(seq 50); do
			umount "$1" 2>/dev/null && return
			sleep 0.1
		done
		echo busy
	}
END
cp in.sh chroot.sh
echo 'mount -t tmpfs none /tmp && ./jit until stop $compiled && unmounts /tmp' >>in.sh
record unmounted unshare -m -p -f sh in.sh
! grep busy unmounted.out || fail "the recorder keeps the file system from being unmounted"
# Another root folder in the recorder's own namespace, on a file system of its own.
mkdir new
trap 'umount -l new 2>/dev/null || true' EXIT
mount -t tmpfs none new
mkdir new/tmp
gcc -O1 -static -o new/jit "$PERF_SRC/tests/progs/jit.c" || exit 0
: >stop
cat >>chroot.sh <<-'END'
	chroot new /jit until /stop $compiled &
	while [ ! -e stop ] && kill -0 $! 2>/dev/null; do sleep 0.1; done
	: >new/stop
	wait $!
	unmounts new
END
record root sh chroot.sh
! grep busy root.out || fail "the recorder keeps a root folder from being unmounted"
no_map_is_left
for name in mount both deleted-there unmounted root; do
	check $name
done
