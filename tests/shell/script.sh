# perf script: the text of samples, its filters, what it cannot do, and hostile names
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc

program prog progs/calls -O2 -g -fno-omit-frame-pointer -pthread
"$PERF" record -q -g -F 2000 -e cpu-clock:u,page-faults:u -o a.data ./prog 200
samples() { # EVENT: number of its samples by the report
	"$PERF" report --stats -i a.data | awk -v event="$1 stats:" '$0 == event { on = 1 } on && /SAMPLE/ { print $3; exit }'
}
clock=$(samples cpu-clock:u)
[ "$clock" -gt 0 ] || fail "no samples"

# ---- each sample once, in the order of time; equal text with any number of threads ----
expect_status 0 "$PERF" script -i a.data
mv out whole
[ "$(grep -c ' cpu-clock:u: $' whole)" = "$clock" ] || fail "not $clock samples: $(grep -c ' cpu-clock:u: $' whole)"
sed -n 's/^prog *[0-9]* *\([0-9.]*\): .*/\1/p' whole >times
sort -n -c times || fail "not in the order of time"
grep -Eq '^	 *[0-9a-f]+ main\+0x[0-9a-f]+ \(/.*/prog\)$' whole || fail "no frame of main: $(head -n 5 whole)"
grep -Eq '\+0x[0-9a-f]+ \(inlined\)$' whole || fail "no inlined function"
"$PERF" script -i a.data --no-inline | grep -q 'inlined' && fail "--no-inline shows inlined functions"
for n in 1 2 7; do
	"$PERF" script -i a.data --threads $n >again
	cmp whole again || fail "another text with $n threads"
done
"$PERF" script -i - <a.data >again
cmp whole again || fail "another text of standard input"
"$PERF" record -q -g -F 500 -e cpu-clock:u -o - ./prog 200 2>/dev/null | "$PERF" script >piped
grep -q 'main+0x' piped || fail "nothing from a pipe"

# ---- what other programs read: the rules of their patterns ----
# A header: comm, an optional pid/, tid, an optional [cpu], time; at its end period and event. A frame: address,
# name, module. An empty line ends a sample.
awk '/^$/ { if (!on) exit 1; on = 0; next }
	/^\t/ { if (!on || $0 !~ /^\t *[0-9a-f]+ .+ \(.*\)$/) { print; exit 1 } next }
	$0 !~ /^.*[^ ] +([0-9]+\/)?[0-9]+ +(\[[0-9]+\] +)?[0-9]+\.[0-9]+: +[0-9]+ +[^ ]+: $/ { print; exit 1 } { on = 1 }' whole ||
	fail "a line that flame graph scripts and viewers do not read"
# The stacks are those of perf export.
awk '/^$/ { if (event == "cpu-clock:u" && stack != "") sum[comm stack] += period; next }
	/^\t/ { name = $0; sub(/^\t *[0-9a-f]+ /, "", name); sub(/ \([^()]*\)$/, "", name); sub(/\+0x[0-9a-f]+$/, "", name)
		if (name == "[unknown]") { name = $0; sub(/.*\(/, "", name); sub(/\)$/, "", name); sub(/.*\//, "", name); if (name != "[unknown]") name = "[" name "]" }
		gsub(/;/, ":", name); stack = ";" name stack; next }
	{ comm = $1; stack = ""; event = $NF; sub(/:$/, "", event); period = $(NF - 1) }
	END { for (s in sum) printf "%s %.0f\n", s, sum[s] }' whole | LC_ALL=C sort >ours.folded
"$PERF" export -i a.data -e cpu-clock:u --format folded --no-made-up-names --max-stack 127 2>/dev/null >export.folded
cmp ours.folded export.folded || { diff ours.folded export.folded | head; fail "other stacks than perf export"; }

# ---- filters ----
count() { "$PERF" script -F event "$@" -i a.data 2>err | grep -c . || :; }
all=$(count)
[ "$(count -c prog)" = "$all" ] && [ "$(count -c other)" = 0 ] || fail "-c"
one=$(count --time 50%/1) two=$(count --time 50%/2)
[ $((one + two)) = "$all" ] && [ "$one" -gt 0 ] || fail "--time: $one + $two, not $all"
some=$(count -S hot)
[ "$some" -gt 0 ] && [ "$some" -lt "$all" ] || fail "-S: $some"
[ "$(count --dsos prog)" -ge "$some" ] || fail "--dsos"
"$PERF" script -i a.data -F ip,sym -G | awk '$2 == "hot" { print "0x" $1; exit }' >addr
[ "$(count -S "$(cat addr)" --addr-range 4096)" -ge "$(count -S "$(cat addr)")" ] || fail "--addr-range"
"$PERF" script -i a.data --stop-bt hot | awk '/hot\+/ { on = 1; next } on && /^\t/ && !/inlined/ { exit 1 } { on = 0 }' ||
	fail "a chain goes on after --stop-bt"
"$PERF" script -i a.data --max-stack 1 --no-inline | awk '/^\t/ { if (on) exit 1; on = 1; next } { on = 0 }' || fail "--max-stack 1"
"$PERF" script -i a.data --per-event-dump >out
[ "$(grep -c ' cpu-clock:u: ' a.data.cpu-clock:u.dump)" = "$clock" ] || fail "--per-event-dump"
"$PERF" script -i a.data -F sw: 2>err | grep . && fail "-F sw: prints something"

# ---- what is not there says so in one line ----
expect_status 129 "$PERF" script -i a.data -F tyme
expect_text err "unknown field 'tyme'"
expect_text err "did you mean 'time'?"
expect_status 1 "$PERF" script -i a.data -F +addr
expect_text err "Samples for 'cpu-clock:u', 'page-faults:u' event do not have ADDR attribute set"
expect_status 129 "$PERF" script -i a.data -F flags
expect_text err "field 'flags' is not supported"
expect_status 129 "$PERF" script -i a.data -F comm,+pid
expect_status 129 "$PERF" script -i a.data --reltime --deltatime
expect_text err "exclude each other"
expect_status 129 "$PERF" script -l
expect_text err "there are no scripts"
expect_status 129 "$PERF" script flamegraph
expect_text err "type: perf export -o profile.folded"
expect_status 129 "$PERF" script report gecko
expect_text err "type: perf export -o profile.firefox.json"
expect_status 129 "$PERF" script -s wakeup.py
expect_text err "type: perf export -o profile.jsonl"
expect_status 1 "$PERF" script -i missing.data
expect_lines err 1
"$PERF" script -i a.data 2>err | head -n 1 >/dev/null
expect_empty err

# ---- hostile names ----
printf '#include <sys/prctl.h>\nint main(void) { prctl(15, "a\\033[31m\\n b"); for (volatile int i = 0; i < 50000000; i++); return 0; }\n' >h.c
cc -O1 -o "$(printf 'x\033[2J;y')" h.c
"$PERF" record -q -g -F 2000 -e cpu-clock:u -o h.data "./$(printf 'x\033[2J;y')"
"$PERF" script -i h.data >out
LC_ALL=C grep -q "$(printf '\033')" out && fail "control characters reach the terminal"
grep -q '^a?\[31m? b ' out || fail "the name of the thread: $(head -n 3 out)"
grep -q '(/.*/x?\[2J;y)$' out || fail "the name of the binary"

# ---- a file that is cut off: what is there is printed ----
"$PERF" inject --no-embed -i a.data -o bare.data
records=$("$PERF" report --header-only -i bare.data | awk '/^# data offset/ { at = $NF } /^# data size/ { print at + int($NF / 2) + 1 }')
head -c "$records" bare.data >cut.data
"$PERF" script -i cut.data >out 2>err && fail "status 0 for a damaged file"
[ "$(grep -c ' cpu-clock' out)" -gt 0 ] || fail "nothing of a damaged file"
