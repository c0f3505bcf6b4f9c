# perf record: workers have the names of code that their parent compiled before it forked them, or that they share
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc
program jit_workers progs/jit_workers -O1

pids=
trap 'for pid in $(echo "$pids" | tr , " "); do rm -f "/tmp/perf-$pid.map"; done' EXIT
forget() {
	for pid in $(echo "$pids" | tr , ' '); do
		rm -f "/tmp/perf-$pid.map"
	done
}
# All worker processes, a row for each: PID PARENT'S-NAME% WORKER'S-NAME% NONE%
count() { # FILE
	"$PERF" script -F pid,ip,sym -i "$1" 2>err | awk '
		/parent_code/ { parent[$1]++ }
		/worker_code/ { worker[$1]++ }
		/\[unknown\]/ { none[$1]++ }
		{ all[$1]++ }
		END { for (p in all) if (all[p] > 20) printf "%d %d %d %d\n", p, 100 * parent[p] / all[p], 100 * worker[p] / all[p], 100 * none[p] / all[p] }' | sort -n >got
	[ "$(wc -l <got)" -ge 2 ] || fail "no samples of two workers: $(cat got err)"
}
# A third of the samples is in each page.
check() { # FILE KIND
	count "$1"
	first=$(echo "$pids" | cut -d, -f2)
	awk -v kind="$2" -v first="$first" '
		{ worker = kind == "shared" || (kind == "attached" && $1 == first) }
		$2 < 10 || $2 > 60 || $4 < 10 || (worker ? $3 < 10 || $4 > 60 : $3 > 0) { bad = 1 }
		END { exit bad }' got || fail "$1, $2: $(cat got)"
}
for kind in private shared; do
	: >stop
	"$PERF" record -e cpu-clock:u -o started.data ./jit_workers $kind stop >pids 2>record.out || fail "record: $(cat record.out)"
	pids=$(cat pids)
	forget
	check started.data $kind
	# the kernel reported nothing
	rm stop
	: >pids
	./jit_workers $kind stop >pids &
	until grep -q , pids; do sleep 0.1; done
	pids=$(cat pids)
	"$PERF" record -e cpu-clock:u -o attached.data -p "$pids" sleep 1 >record.out 2>&1 || fail "record -p: $(cat record.out)"
	: >stop
	wait
	forget
	check attached.data $([ $kind = shared ] && echo shared || echo attached)
done
