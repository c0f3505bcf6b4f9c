# the most common mistakes, on a terminal of 80 columns and 24 lines: what happened, to what, and what to type
. "$PERF_SRC/tests/lib.sh"
need_record
need_terminal
need_command cc

# mistake "COMMAND LINE" "LINE"...: the screen has these whole lines, and no more than 24
mistake() {
	on_terminal "$1"
	[ "$(wc -l <screen)" -le 24 ] || { cat screen; fail "more than a screen: $1"; }
	command=$1
	shift
	for line; do
		grep -qxF -e "$line" screen || { cat screen; fail "no line '$line': $command"; }
	done
}

program stripped progs/tour -O1 -s -pthread
"$PERF" record -q -e cpu-clock:u -o perf.data ./stripped

# not reading the manual: the options of each command fit the width, and a long list says where to read on
for c in $("$PERF" --list-cmds); do
	on_terminal "$PERF $c -h"
	if grep -E '.{81}' screen; then fail "a line of more than 80 columns: perf $c -h"; fi
	[ "$(wc -l <screen)" -le 24 ] || head -n 7 screen | grep -q "^ 'perf help COMMAND' says more" ||
		{ cat screen; fail "a long list without a hint: perf $c -h"; }
done

# a wrong event, option, command, program, process
mistake "$PERF record -e cpu-clok true" "perf: error: option '-e': unknown event 'cpu-clok' at column 1" "  ^~~~~~~~" \
	"perf list shows the events of this machine"
mistake "$PERF report --sot comm" "perf: error: unknown option '--sot'" "did you mean '--sort'?" "-h lists all options"
mistake "$PERF recrod true" "perf: 'recrod' is not a perf command. Did you mean 'record'?"
mistake "$PERF record -o x.data no-such-program" "perf: error: 'no-such-program': command not found"
mistake "$PERF record -o x.data -p 999999999" "perf: error: no such process: 999999999"

# a wrong file, one that is missing, one that was cut
mistake "$PERF report -i /etc/passwd" "perf: error: '/etc/passwd' is not a perf.data file: it does not begin with PERFILE2" \
	"perf record writes recordings, to perf.data unless -o names another file"
mistake "$PERF report -i missing.data" "perf: error: cannot open 'missing.data': No such file or directory"
mkdir empty
mistake "cd empty && $PERF report" "perf: error: cannot open 'perf.data': No such file or directory" \
	"record something first: perf record COMMAND"
cut=$(od -A n -t u8 -j 40 -N 16 perf.data | awk '{ print int($1 + $2 * 0.8) }') # inside the records, which end at $1 + $2
head -c "$cut" perf.data >cut.data
mistake "$PERF report --no-tui --percent-limit 20 -i cut.data"
grep -q "^perf: error: 'cut.data': the file ends at offset $cut, expected " screen || { cat screen; fail "no word of the cut"; }

# no symbols: the report says so, and names the command that says why
mistake "$PERF report --no-tui --percent-limit 20" "# Why each binary has none: perf doctor perf.data"
mistake "$PERF doctor perf.data" "          -> perf buildid-cache --add FILE, where FILE is the same build with symbols"

# a full disk
if [ "$(id -u)" = 0 ] && mkdir disk && unshare -m mount -t tmpfs -o size=64k none disk 2>/dev/null; then
	mistake "unshare -m sh -c 'mount -t tmpfs -o size=64k none disk && $PERF record -F 20000 -g -e cpu-clock:u -o disk/x.data ./stripped'" \
		"perf: error: cannot write 'disk/x.data': No space left on device" \
		"make room, or name a file on another disk with -o"
	for output in "report --html -o disk/x.html" "export -o disk/x.jsonl" "export -o disk/x.pb.gz" "export -o disk/x.db" \
		"merge -o disk/x.data perf.data" "data convert --to-json disk/x.json"; do
		file=$(echo "$output" | grep -o 'disk/[^ ]*')
		[ "$file" != disk/x.db ] || "$PERF" version --build-options | grep -q 'sqlite3: \[ on' || continue
		mistake "unshare -m sh -c 'mount -t tmpfs -o size=8k none disk && head -c 8192 /dev/zero >disk/full; $PERF $output'" \
			"perf: error: cannot write '$file': No space left on device" "make room, or name a file on another disk with -o"
	done
fi

# no permission; a file of somebody else
need_nobody
cp perf.data "$dir/roots.data"
chmod 600 "$dir/roots.data"
as="setpriv --reuid $nobody_id --regid $nobody_id --clear-groups --inh-caps=-all --bounding-set=-all env HOME=$dir"
cd "$dir"
mistake "$as ./perf report -i roots.data" "perf: error: cannot open 'roots.data': Permission denied"
grep -q '^it belongs to root; type: sudo chown ' screen || { cat screen; fail "not said whose file it is"; }
mkdir "$dir/roots"
cp roots.data "$dir/roots/perf.data"
mistake "cd roots && $as ../perf record -e cpu-clock:u true" "perf: error: cannot write 'perf.data': Permission denied" \
	"name a file that you may write with -o, such as -o ~/perf.data"
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ]; then
	mistake "$as ./perf record -e cpu-clock -a -o own.data true"
	grep -q '^perf: error: cannot open .cpu-clock. for all processes (Permission denied): ' screen &&
		grep -q '^as root: sysctl -w kernel.perf_event_paranoid=' screen || { cat screen; fail "no way to permit it"; }
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
		mistake "$as ./perf record -e cpu-clock -o own.data" "or record a program of yours: perf record COMMAND"
	fi
fi
exit 0
