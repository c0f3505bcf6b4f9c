# For tests that let other programs read our recordings: records one of every kind.
# Needs PERF, CC and PERF_SRC. record_kinds FOLDER leaves there KIND.data, and for each a line "KIND OPTIONS..."
# in the file "kinds". A kind that cannot be recorded here (no tracepoints, no root) is left out.

viewers_work='i=0
	while [ $i -lt 60000 ]; do i=$((i + 1)); done
	ls -lR /usr/share/doc >/dev/null
	./ramp 20000 0'

record_kind() { # KIND OPTIONS...
	kind_=$1
	shift
	"$PERF" record -q -o "$kind_.data" "$@" -- sh -c "$viewers_work" >/dev/null 2>"$kind_.err" || return 0
	for f_ in "$kind_".data*; do # of --switch-output: the newest
		[ "$f_" = "$kind_.data" ] || { rm -rf "$kind_.data" && mv "$f_" "$kind_.data"; }
	done
	echo "$kind_ $*" >>kinds
}

# Ends in the middle of a recording; the file stays as it is then.
record_killed() { # KIND OPTIONS...
	kind_=$1
	shift
	"$PERF" record -q -o "$kind_.data" "$@" -- sh -c 'while kill -0 $PPID; do :; done' >/dev/null \
		2>"$kind_.err" &
	recorder_=$!
	sleep 1.5
	kill -9 $recorder_
	wait $recorder_ 2>/dev/null || :
	echo "$kind_ $*" >>kinds
}

record_kinds() { # FOLDER
	mkdir -p "$1"
	cd "$1"
	: >kinds
	"$CC" -O1 -o ramp "$PERF_SRC/tests/progs/ramp.c" -pthread
	clock="-e cpu-clock -F 2000"
	# shellcheck disable=SC2086
	{
		record_kind plain $clock
		record_kind chains $clock -g
		record_kind fp $clock --call-graph fp
		record_kind dwarf $clock --call-graph dwarf,4096
		record_kind packed -z $clock -g
		record_kind packed-dwarf -z $clock --call-graph dwarf,4096
		record_kind switched $clock --switch-output=100K -m 16
		record_kind overwritten $clock --overwrite
		record_kind all $clock -a
		record_kind trace -e sched:sched_switch -e sched:sched_process_exec
		record_kind several -F 500 -e cpu-clock,task-clock
		record_kind no-embed $clock --no-embed
		record_kind no-table $clock -B
		record_kind no-cache $clock -N
		record_kind off-cpu $clock -g --off-cpu
		record_kind threads $clock -a --threads
		record_killed killed $clock
		record_killed killed-dwarf -e cpu-clock -F 1000 --call-graph dwarf
	}
	if "$PERF" inject -i plain.data -o copied.data 2>copied.err; then echo "copied inject" >>kinds; fi
	if "$PERF" inject -b -i no-table.data -o given.data 2>given.err; then echo "given inject -b" >>kinds; fi
	cd - >/dev/null
}
