# perf report: names of compiled code from /tmp/perf-PID.map in memory that looks like a file: memfd, removed, named
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc
program jit progs/jit -O1

pid=
trap '[ -z "$pid" ] || { kill -9 "$pid" 2>/dev/null || true; rm -f "/tmp/perf-$pid.map"; }' EXIT
for kind in memfd shm named anonymous; do
	for way in started attached; do
		: >ready
		if [ $way = started ]; then
			# the kernel says what is mapped; the map is in /tmp while the names are stored
			"$PERF" record -e cpu-clock:u -g -o p.data sh -c './jit map a_compiled_name "$1" >ready & pid=$!; echo $pid >pid
				for i in 1 2 3 4 5 6 7 8 9 10; do grep -q ready ready && break; kill -0 $pid 2>/dev/null || exit 3; sleep 0.1; done
				sleep 0.5; kill -9 $pid' sh $kind >record.out 2>&1 || true
			pid=$(cat pid)
		else
			# /proc/PID/maps says it
			./jit map a_compiled_name $kind >ready &
			pid=$!
			for i_ in 1 2 3 4 5 6 7 8 9 10; do
				grep -q ready ready && break
				kill -0 $pid 2>/dev/null || break
				sleep 0.1
			done
			"$PERF" record -e cpu-clock:u -g -o p.data -p $pid sleep 0.5 >record.out 2>&1 || true
			kill -9 $pid 2>/dev/null || true
			wait $pid 2>/dev/null || true
		fi
		if ! grep -q ready ready; then
			echo "$kind: this kernel has no such memory"
		else
			"$PERF" report --stdio --no-children -g none -s symbol -i p.data >out 2>err || fail "report: $(cat err)"
			expect_text out 'a_compiled_name'
			awk '/a_compiled_name/ { sum += $1 } END { exit sum < 50 }' out || fail "$kind, $way: $(cat out)"
			"$PERF" script -F ip,sym -i p.data | awk -v RS= '/a_compiled_name/ { nr++; whole += /main/ } END { exit whole < 0.9 * nr }' ||
				fail "$kind, $way: chains have no callers"
		fi
		rm -f /tmp/perf-$pid.map
	done
done
