# messages of several lines on a terminal of 80 columns: line breaks are line breaks, and marks stay below their word
. "$PERF_SRC/tests/lib.sh"
need_command script stty
script -qec true /dev/null </dev/null >seen 2>&1 || skip "no pseudo-terminal: $(head -n 1 seen)"

as= # what perf is started with, and as whom

# perf with this command line, as a person sees it: the lines are in seen
seen() { # arguments of perf
	script -qec "stty cols 80 rows 24; $as $PERF $*" /dev/null </dev/null 2>&1 | tr -d '\r' >seen || :
	[ -s seen ] || fail "nothing is said: perf $*"
	if grep -v '^did you mean .*?$' seen | grep -v "Did you mean '.*?\$" | grep -F '?'; then
		fail "a character of the message is masked: perf $*"
	fi
}

line() { # PATTERN of a whole line
	grep -qx -e "$1" seen || { cat seen; fail "no line '$1'"; }
}

seen record -e nosuch true
line "perf: error: option '-e': unknown event 'nosuch' at column 1"
line "  nosuch"
line "  ^~~~~~"
seen record -e cpu-clok true
line "did you mean .*cpu-clock.*"
seen record -e "'{cpu-clock,nosuch}'" true
line "             ^~~~~~"
seen record -e cpu-clock:Q true
line "  cpu-clock:Q"
line "            ^"
line "modifiers are .*"
seen record -e cs/foo/ true
line "  cs/foo/"
line "     ^~~"
seen record -e mem:nosuch true
line "perf: error: no variable or function 'nosuch' in .*"
line "for one of another program .*"
seen record -e uprobe:/proc/self/exe:nosuch true
line "perf: error: .*nosuch.*"

# The mark is below the word, whatever stands around it.
long=cpu-clock,cs,faults,page-faults,minor-faults,major-faults,context-switches,cpu-migrations
for e in $long,nosuch $long,nosuch,$long,$long nosuch,$long,$long $long,$long/$long/; do
	seen record -e "$e" true
	awk 'length > 80 && !/^perf: error/ { exit 1 }' seen || { cat seen; fail "a line of more than 80 columns"; }
	awk '/^ *\^~*$/ { at = index($0, "^"); word = substr(before, at, 6); exit }
	     { before = $0 }
	     END { exit word != "nosuch" && word != "cpu-cl" && substr(word, 1, 2) != "/c" }' seen ||
		{ cat seen; fail "the mark is not below the word: $e"; }
done

# Words and options that are not known
seen recrd
line "perf: 'recrd' is not a perf command. Did you mean 'record'?"
seen record --nosuch
line "perf: error: unknown option '--nosuch'.*"
seen record -F abc true
line "perf: error: option '-F': 'abc' .*"
seen report -i missing.data
line "perf: error: cannot open 'missing.data': No such file or directory"
seen report
line "record something first: perf record COMMAND"

# What the user typed does not make lines.
script -qec "$PERF report -i '$(printf 'a\nb')'" /dev/null </dev/null 2>&1 | tr -d '\r' >seen || :
line "perf: error: cannot open 'a?b': No such file or directory"
seen doctor -e nosuch
line "  unknown event 'nosuch' at column 1"
line "    nosuch"
line "    ^~~~~~"

# Of the kernel, nothing about programs
seen record -o data -a -e mem:nosuch@kernel true
if grep 'programs' seen; then fail "a name of the kernel, and advice about programs"; fi
seen record -o data -a -e mem:nosuch true
line "variables of programs have addresses .*"
grep -q kernel seen || { cat seen; fail "the kernel is not named"; }

# Without permission, and without tracepoints
if [ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ] && command -v setpriv >/dev/null; then
	need_nobody
	cd "$dir"
	PERF=./perf
	as="setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all env HOME=$dir"
	seen record -o "$dir/data" -a true
	line "perf: error: .*"
	line "as root: .*\|.*CAP_SYS_PTRACE.*\|run perf as root.*"
	seen record -o "$dir/data" -e sched:sched_switch true
	line "perf: error: option '-e': .*\|perf: error: .*sched_switch.*"
	line "as root: .*\|.*as root: .*"
	seen doctor
	line " *-> run perf as root.*"

	# What no setting below root allows is not advised to be allowed.
	if nobody test -d /proc/1; then
		seen record -o "$dir/data" -e cpu-clock:u -p 1
		line "perf: error: .* for process 1: it belongs to user id 0, and perf runs as 65534"
		line "run perf as root.*"
	fi
	if grep -q ' vfs_read$' /proc/kallsyms; then
		seen record -o "$dir/data" -e mem:vfs_read@kernel true
		if ! grep -q '[1-9a-f].* vfs_read$' /proc/kallsyms; then # hidden from root, too
			line "as root: sysctl -w kernel.kptr_restrict=1; then run perf as root.*"
		elif nobody grep -q '[1-9a-f].* vfs_read$' /proc/kallsyms; then
			line "run perf as root.*\|kernels with kprobes permit some.*" # without kprobes, root may not, either
		else
			line "run perf as root.*"
		fi
		if grep -q 'sysctl.*perf_event_paranoid' seen; then cat seen && fail "a level that would not help is advised"; fi
	fi
fi
as=
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	as="unshare -m sh -c 'while umount -l /sys/kernel/tracing || umount -l /sys/kernel/debug; do :; done 2>/dev/null; exec \"\$@\"' sh"
	seen record -o data -e sched:sched_switch true
	line "perf: error: option '-e': .*tracefs.*\|perf: error: .*tracefs.*"
	line "as root: mount -t tracefs tracefs /sys/kernel/tracing"
	# The event is known by its number; a report will not have its fields.
	id=$(unshare -m sh -c "mount -t tracefs none '$PWD' && cat '$PWD/events/sched/sched_switch/id'" 2>/dev/null) || id=
	[ -n "$id" ] || skip "all but the messages about a tracefs that is missing: it cannot be mounted here"
	seen record -o data -e tracepoint/config=$id/ true
	line "perf: warning: the fields of tracepoints will not be readable: .*"
	line "as root: mount -t tracefs tracefs /sys/kernel/tracing"
fi
