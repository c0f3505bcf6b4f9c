# perf record --off-cpu: where threads wait, and for how long
# serial: compares times
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
program waits progs/waits -O2 -fno-optimize-sibling-calls -pthread
"$PERF" record --off-cpu -e cpu-clock -o probe.data true >out 2>&1 || skip "switches cannot be recorded here: $(head -n 1 out)"

# ns FILE FUNCTION: the period of the waits below this function
ns() {
	"$PERF" report --stdio --no-children -g folded,0,caller,function,period -F period,sym --percent-limit 0 -i "$1" 2>/dev/null |
		sed -n '/offcpu-time/,$p' | awk -v f=";$2;" '/^[0-9]+ / && index($0, f) { n += $1 } END { printf "%.0f", n }'
}

# folded FILE: "ns chain" of each kind of wait, from the outermost frame on
folded() {
	"$PERF" report --stdio --no-children -g folded,0,caller,function,period -F period,sym --percent-limit 0 -i "$1" 2>/dev/null |
		sed -n '/offcpu-time/,$p' | grep '^[0-9]* .*;'
}

expect_status 0 "$PERF" record -g --off-cpu -e cpu-clock -o a.data ./waits
mv out said
while read -r place true; do
	seen=$(ns a.data "$place")
	off=$(((seen - true) * 100 / true))
	[ "${off#-}" -le 2 ] || fail "$place: $seen ns waited, really $true"
done <said
[ "$(wc -l <said)" -eq 4 ] || fail "the program did not say where it waited"
# with their whole stacks
folded a.data >chains
while read -r place true; do
	[ "$(grep -c "^[0-9]* _start;.*;main;$place;" chains)" -ge 1 ] && ! grep ";$place;" chains | grep -qv "^[0-9]* _start;.*;main;$place;" ||
		{ cat chains; fail "not all waits of $place are called from _start"; }
done <said
"$PERF" report --stdio -i a.data >out 2>/dev/null
expect_text out "of event 'offcpu-time'"
expect_text out "of event 'cpu-clock'"

# Switches can be recorded beside: each once, and the waits are the same
expect_status 0 "$PERF" record -g --off-cpu --switch-events -e cpu-clock -o s.data ./waits
mv out said
while read -r place true; do
	seen=$(ns s.data "$place")
	off=$(((seen - true) * 100 / true))
	[ "${off#-}" -le 2 ] || fail "$place with --switch-events: $seen ns waited, really $true"
done <said
"$PERF" report -D -i s.data 2>/dev/null | sed -n 's/^\([0-9 ]*[0-9]\) 0x[0-9a-f]* .*\(PERF_RECORD_SWITCH.*\)/\1 \2/p' >switches
[ "$(wc -l <switches)" -ge 8 ] || fail "$(wc -l <switches) switches with --off-cpu --switch-events"
[ -z "$(sort switches | uniq -d)" ] || fail "switches are there twice: $(sort switches | uniq -d | head -n 3)"

# What still waits when the recording ends counts up to there.
"$PERF" record -g --off-cpu -e cpu-clock -o b.data ./waits and-sleep >out 2>err &
pid=$!
sleep 2.5
kill -INT "$pid"
wait "$pid" || true
[ "$(ns b.data sleep_ms)" -gt 1200000000 ] || fail "the last sleep is missing: $(ns b.data sleep_ms) ns"

# All CPUs; the idle thread waits for nothing, and nobody for longer than it took. A user may be refused them.
may_record -a -e cpu-clock || exit 0
expect_status 0 "$PERF" record -a -g --off-cpu -e cpu-clock -o c.data ./waits
mv out said
while read -r place true; do
	seen=$(ns c.data "$place")
	off=$(((seen - true) * 100 / true))
	[ "${off#-}" -le 2 ] || fail "all CPUs, $place: $seen ns waited, really $true"
done <said
"$PERF" report --stdio --no-children -g none -s comm -i c.data 2>/dev/null | sed -n '/offcpu-time/,$p' >out
if grep -q swapper out; then fail "the idle thread waits"; fi
