# what people type at first and what is wrong with it: each message says what happened, to what, why, and what to type
. "$PERF_SRC/tests/lib.sh"
need_record

says() { # STATUS "LINE
# LINE" command...: just this on stderr
	want=$1 lines=$2
	shift 2
	expect_status "$want" "$@"
	grep -v '^kernel.perf_event_paranoid\|^cycles cannot\|^sampling at' err >rest || :
	[ "$(cat rest)" = "$lines" ] || fail "other than '$lines': $(cat rest)"
}

# ---- programs that do not run ----
says 127 "perf: error: 'no-such-program': command not found" "$PERF" record no-such-program
printf '#!/bin/sh\nexit 0\n' >mine
chmod +x mine
says 127 "perf: error: 'mine': command not found
it is in this folder: type ./mine" "$PERF" record mine
chmod -x mine
says 126 "perf: error: cannot run './mine': Permission denied
it is not executable; type: chmod +x ./mine" "$PERF" record ./mine
mkdir -p folder
says 126 "perf: error: cannot run './folder': Permission denied
it is a folder" "$PERF" record ./folder
"$PERF" record -q -e cpu-clock:u sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
says 127 "perf: error: 'perf.data': command not found
it is a recording: perf report reads it" "$PERF" record -i perf.data

says 127 "perf: error: 'dwarf': command not found
to choose how call chains are recorded: --call-graph dwarf" "$PERF" record -g dwarf true

# ---- commands and pages ----
says 1 "perf: 'repot' is not a perf command. Did you mean 'report'?" "$PERF" repot
says 1 "perf: 'repot' is not a perf command. Did you mean 'report'?" "$PERF" help repot
says 1 "perf: 'repot' is not a perf command. Did you mean 'report'?" "$PERF" --help repot

# ---- values of report's options ----
for option in vmlinux kallsyms; do
	for command in report "export --format folded" annotate; do
		[ "$command $option" != "annotate kallsyms" ] || continue # it has no such option
		# shellcheck disable=SC2086
		says 1 "perf: error: --$option: cannot open 'missing': No such file or directory" "$PERF" $command --$option missing
		# shellcheck disable=SC2086
		says 1 "perf: error: --$option: cannot open 'folder': Is a directory" "$PERF" $command --$option folder
	done
done
says 1 "perf: error: --time: 'xx' is not a span of time such as 10,20.5 (seconds) or 10%/2" "$PERF" report --time xx
says 1 "perf: error: --time: 'x%' is not a span of time such as 10,20.5 (seconds) or 10%/2" "$PERF" report --time x%
says 1 "perf: error: --pid: 'x' is not a list of numbers such as 12,345" "$PERF" report --pid x
says 1 "perf: error: --tid: '1;2' is not a list of numbers such as 12,345" "$PERF" report --tid '1;2'
says 1 "perf: error: -C: 'x' is not a list of CPUs such as 0-3,8" "$PERF" report -C x
says 1 "perf: error: -w: 'x' is not a list of widths such as 20,10" "$PERF" report -w x
says 129 "perf: error: option '--percent-limit': 'x' is not a percentage such as 0.5" "$PERF" report --percent-limit x
for limit in nan inf -1 1e999 ''; do
	says 129 "perf: error: option '--percent-limit': '$limit' is not a percentage such as 0.5" "$PERF" report --percent-limit "$limit"
done
for o in --kallsyms --vmlinux; do
	expect_status 1 "$PERF" report --stdio $o nothing/here
	expect_line err "perf: error: $o: cannot open 'nothing/here': No such file or directory"
done

# ---- a pipe, and nothing that can be recorded ----
"$PERF" record -p 999999999 2>err | cat >out || :
expect_line err "perf: error: no such process: 999999999"
expect_lines err 1

# ---- on a terminal, a copy is not for it ----
if command -v script >/dev/null 2>&1; then
	script -qc "'$PERF' inject -i perf.data" typescript </dev/null >/dev/null 2>&1 || :
	expect_text typescript "a recording is not written to a terminal: name a file with -o"
	grep -q PERFILE2 typescript && fail "a recording was printed"
fi

# ---- tracepoints that this user cannot see are not called missing ----
need_nobody
if [ -d /sys/kernel/tracing/events ] && ! nobody test -r /sys/kernel/tracing/events; then
	status=0
	nobody ./perf list sched:sched_swich >out 2>err || status=$?
	[ $status = 1 ] || fail "status $status of list"
	expect_text err "/sys/kernel/tracing cannot be read by this user"
	expect_text err "as root: mount -o remount"
fi
exit 0
