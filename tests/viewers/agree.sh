# For tests that hold our formats against each other (agree.py): makes the recordings. Needs PERF, CC and PERF_SRC.
# record_twelve FOLDER leaves there NAME.data, and in "recordings" their names; what cannot be recorded here is named.
# agree_rate: "" or --fixed-rate, so that samples weigh the same. lbr.data is made of frames.data (lbr.py), which has the same stacks.

agree_work='i=0
	while [ $i -lt 20000 ]; do i=$((i + 1)); done
	ls -lR /usr/share/doc/[a-d]* >/dev/null 2>&1
	./stacks 30; sleep 0.05'

agree_record() { # NAME OPTIONS... -- COMMAND...
	name_=$1
	shift
	if "$PERF" record -q -o "$name_.data" "$@" >/dev/null 2>"$name_.err" && [ -e "$name_.data" ]; then
		echo "$name_.data" >>recordings
	else
		echo "not recorded here: $name_: $(head -n 1 "$name_.err")"
	fi
}

record_twelve() { # FOLDER
	mkdir -p "$1"
	cd "$1"
	: >recordings
	"$CC" -O1 -g -fno-omit-frame-pointer -o stacks "$PERF_SRC/tests/progs/stacks.c" -pthread
	printf 'volatile long counter;\nint main(void)\n{\n\tfor (int i = 0; i < 500; i++)\n\t\tcounter++;\n}\n' >writes.c
	"$CC" -O1 -fno-omit-frame-pointer -o writes writes.c
	clock="-e cpu-clock -F 2000 ${agree_rate:-}"
	# shellcheck disable=SC2086
	{
		agree_record fp $clock --call-graph fp -- sh -c "$agree_work"
		agree_record auto $clock -g -- sh -c "$agree_work"
		agree_record dwarf $clock --call-graph dwarf,8192 -- sh -c "$agree_work"
		agree_record off-cpu $clock -g --off-cpu -- sh -c "$agree_work"
		agree_record one-wait $clock -g --off-cpu -- sleep 0.1
		agree_record tracepoint -g -e sched:sched_switch,sched:sched_process_exec -- sh -c "$agree_work"
		agree_record many -e cpu-clock -F 500 ${agree_rate:-} -a -g -- sh -c \
			'i=0; while [ $i -lt 500 ]; do /bin/true & i=$((i + 1)); [ $((i % 20)) != 0 ] || wait; done; wait'
		agree_record mem -g -e mem:counter:w -c 1 -- ./writes
		agree_record two -g -F 2000 ${agree_rate:-} -e cpu-clock,page-faults -- sh -c "$agree_work"
		agree_record zstd -z $clock -g -- sh -c "$agree_work"
		agree_record folder -e cpu-clock -F 500 ${agree_rate:-} -a --threads -g -- sh -c "$agree_work"
		"$PERF" record -q $clock -g -o - -- sh -c "$agree_work >&2" 2>/dev/null >piped.data && echo piped.data >>recordings
	}
	# User space only: of a sample in the kernel, script has a user frame that reports leave out.
	clock="-e cpu-clock:u -F 2000 ${agree_rate:-}"
	# shellcheck disable=SC2086
	if "$CC" -O1 -g -fno-omit-frame-pointer -no-pie -o fixed "$PERF_SRC/tests/progs/stacks.c" -pthread 2>lbr.err &&
		"$PERF" record -q $clock --call-graph fp --no-embed -o frames.data ./fixed 50 2>lbr.err && nm fixed >fixed.nm &&
		python3 "$PERF_SRC/tests/viewers/lbr.py" frames.data lbr.data fixed.nm 2>lbr.err; then
		echo lbr.data >>recordings
	else
		echo "not made here: lbr: $(tail -n 1 lbr.err)"
	fi
	cd - >/dev/null
}
