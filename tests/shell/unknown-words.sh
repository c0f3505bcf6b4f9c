# a word that is in no list: the nearest ones, and where the list is, for every option that takes such words
. "$PERF_SRC/tests/lib.sh"
need_record
"$PERF" record -e cpu-clock:u -o perf.data true 2>/dev/null >&2

# refused STATUS "UNKNOWN" "LINE..." command...: stderr has the first line and then these
refused() {
	want=$1 first=$2 lines=$3
	shift 3
	expect_status "$want" "$PERF" "$@"
	expect_empty out
	head -n 1 err | grep -qF -e "$first" || fail "'$first' is not in the first line: $(cat err)"
	tail -n +2 err >rest
	[ "$(cat rest)" = "$lines" ] || fail "other advice than '$lines': $(cat err)"
}
near() { # NAME: the line that suggests it
	echo "did you mean '$1'?"
}
keys='perf report -h lists the keys, under --sort'
graph='call graph words: graph, flat, fractal, folded, none, caller, callee, function,
address, srcline, percent, period, count'
branches='branch kinds: u, k, hv, any, any_call, any_ret, ind_call, abort_tx, in_tx,
no_tx, cond, stack, ind_jmp, call, no_flags, no_cycles, save_type, hw_index,
priv, counter'
clocks='clocks: monotonic, mono, monotonic_raw, raw, realtime, real, boottime, boot,
tai'

refused 1 "unknown --sort key 'symbl'" "$(near symbol)
$keys" report --sort symbl
refused 1 "unknown --sort key 'xyzzy'" "$keys" report -s comm,xyzzy
refused 1 "unknown --fields key 'ovrhead'" "$(near overhead)
$keys" report -F ovrhead
refused 129 "option '-g': unknown call graph word 'callr'" "$(near caller)
$graph" report -g callr
refused 129 "option '-g': unknown call graph word 'nan'" "$graph" report -g nan
refused 129 "option '--percentage': unknown kind 'absolut'" "$(near absolute)
kinds: absolute, relative" report --percentage absolut
refused 129 "option '--stdio-color': unknown mode 'nevr'" "$(near never)
modes: never, always, auto" report --stdio-color nevr
refused 129 "unknown option '--sot'" "$(near --sort)
-h lists all options" report --sot comm
refused 129 "unknown option '-Z'" "-h lists all options" report -Z
refused 129 "unknown option '--hepl'" "$(near --help)
perf --help lists the commands; the options of a command come after it" --hepl

refused 129 "option '--call-graph': unknown call graph mode 'dwraf'" "$(near dwarf)
call graph modes: auto, fp, dwarf, lbr, no" record --call-graph dwraf,8192 true
refused 129 "'fp,8192': only auto and dwarf take a size" "" record --call-graph fp,8192 true
refused 129 "unknown clock 'Monotnic'" "did you mean 'monotonic' or 'mono'?
$clocks" record --clockid CLOCK_Monotnic true
refused 129 "unknown branch kind 'any_cal'" "did you mean 'any_call' or 'any'?
$branches" record -j u,any_cal true
refused 129 "unknown affinity mode 'nod'" "$(near node)
affinity modes: sys, node, cpu" record --affinity nod true
refused 129 "unknown part 'tasks'" "$(near task)
parts: all, no, task, mmap, cgroup" record --synth tasks true
refused 129 "unknown unit 'cor'" "$(near core)
units: cpu, core, package, numa; or lists of CPUs such as 0-3/0-3" record --threads=cor true
refused 129 "unknown register 'zzzz'" "perf record --user-regs=? lists the registers" record --user-regs=zzzz true
refused 129 "unknown event 'cycels' at column 1" "  cycels
  ^~~~~~
$(near cycles)
perf list shows the events of this machine" record -e cycels true
refused 129 "unknown call graph mode 'dwaf' at column 22" "  cpu-clock/call-graph=dwaf/
                       ^~~~
$(near dwarf)
call graph modes: no, fp, dwarf, lbr" record -e cpu-clock/call-graph=dwaf/ true
refused 129 "unknown branch kind 'an' at column 23" "  cpu-clock/branch_type=an/
                        ^~
$(near any)
$branches" record -e cpu-clock/branch_type=an/ true

# commands sent to a running recording
attach -e cpu-clock:u -o c.data -- sleep 100
printf 'snapshoot\nsnapshot now\nstop\n' >&8
wait $recorder || true
expect_text err "control: unknown command 'snapshoot'"
expect_line err "$(near snapshot)"
expect_line err "commands: enable, disable, evlist, snapshot, stop, ping"
expect_text err "control: 'snapshot now': only enable, disable and evlist take a word"

# what is right goes on working: other cases, beginnings, numbers
for g in caller,0.5 cal,percent none graph,0.5,10; do
	expect_status 0 "$PERF" report --stdio -g none -s SYM -F +Ov
done
expect_status 0 "$PERF" record -o x.data -e cpu-clock:u -k MONO --affinity cpu --call-graph dwarf,4096 true
expect_status 0 "$PERF" record -o x.data -e cpu-clock:u -k 1 --synth task,cgroup --call-graph no true
