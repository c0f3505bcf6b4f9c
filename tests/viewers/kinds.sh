# For tests that let other programs read our recordings: records one of every kind.
# Needs PERF, CC and PERF_SRC. record_kinds FOLDER leaves there KIND.data, and for each a line "KIND OPTIONS..."
# in the file "kinds". A kind that cannot be recorded here (no tracepoints, no root) is left out.

viewers_work='i=0
	while [ $i -lt 40000 ]; do i=$((i + 1)); done
	ls -lR /usr/share/doc/[a-d]* >/dev/null
	./ramp 10000 0'

record_kind() { # KIND OPTIONS...
	kind_=$1
	shift
	"$PERF" record -q -o "$kind_.data" "$@" -- sh -c "$viewers_work" >/dev/null 2>"$kind_.err" || return 0
	for f_ in "$kind_".data*; do # of --switch-output: the newest
		[ "$f_" = "$kind_.data" ] || { rm -rf "$kind_.data" && mv "$f_" "$kind_.data"; }
	done
	echo "$kind_ $*" >>kinds
}

# Ends in the middle of a recording, when samples are in the file, which stays as it is then.
record_killed() { # KIND OPTIONS...
	kind_=$1
	shift
	"$PERF" record -q -o "$kind_.data" "$@" -- sh -c 'while kill -0 $PPID; do :; done' >/dev/null \
		2>"$kind_.err" &
	recorder_=$!
	for _ in $(seq 600); do
		sleep 0.1
		[ "$("$PERF" report -D -i "$kind_.data" 2>/dev/null | grep -c PERF_RECORD_SAMPLE)" -lt 20 ] || break
	done
	kill -9 $recorder_
	wait $recorder_ 2>/dev/null || :
	echo "$kind_ $*" >>kinds
}

record_kinds() { # FOLDER
	mkdir -p "$1"
	cd "$1"
	: >kinds
	"$CC" -O1 -o ramp "$PERF_SRC/tests/progs/ramp.c" -pthread
	# For samples in the kernel, each run of another perf reads all of /proc/kallsyms: most of its time.
	clock="-e cpu-clock -F 2000"
	user="-e cpu-clock:u -F 2000"
	# shellcheck disable=SC2086
	{
		record_kind plain $clock
		record_kind chains $clock -g
		record_kind fp $user --call-graph fp
		record_kind dwarf $clock --call-graph dwarf,4096
		record_kind packed -z $user -g
		record_kind packed-dwarf -z $user --call-graph dwarf,4096
		record_kind switched $user --switch-output=100K -m 16
		record_kind overwritten $user --overwrite
		record_kind all -e cpu-clock -F 500 -a
		record_kind trace -e sched:sched_switch -e sched:sched_process_exec
		record_kind several -F 500 -e cpu-clock:u,task-clock:u
		record_kind no-embed $user --no-embed
		record_kind no-table $clock -B
		record_kind no-cache $user -N
		record_kind off-cpu $user -g --off-cpu
		record_kind threads -e cpu-clock -F 500 -a --threads
		record_killed killed $clock
		record_killed killed-dwarf -e cpu-clock -F 1000 --call-graph dwarf
	}
	if "$PERF" inject -i plain.data -o copied.data 2>copied.err; then echo "copied inject" >>kinds; fi
	if "$PERF" inject -b -i no-table.data -o given.data 2>given.err; then echo "given inject -b" >>kinds; fi
	cd - >/dev/null
}
