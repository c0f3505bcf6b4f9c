# perf top on a terminal: the browser, live: views while samples come, freeze, events off, a recording of what is there
. "$PERF_SRC/tests/lib.sh"
need_terminal
need_record
need_command tmux cc
"$PERF" version --build-options | grep -q 'ncursesw: \[ on' || skip "perf was built without ncursesw"
own_tmux
program prog progs/stacks -O1 -g -fno-omit-frame-pointer -pthread
trap 'tm kill-server 2>/dev/null || :; kill $prog 2>/dev/null || :; rm -rf "$dir"' EXIT
./prog 100000 4 &
prog=$!

# A terminal that cannot move its cursor gets tables, one below the other.
for seconds in 3 30 300; do
	TERM=dumb on_terminal "timeout --foreground -s INT $seconds '$PERF' top -d 1 -e cpu-clock:u -p $prog"
	! grep -q PerfTop: screen || break
done
grep -q 'no browser: ' screen && grep -q PerfTop: screen || { cat screen && fail "no tables on a dumb terminal"; }
! grep -q "$(printf '\033')" screen || fail "an escape on a dumb terminal"
tm new-session -d -s s -x 80 -y 24 "env PS1='$ ' ENV= sh -i"
tm send-keys -t s "'$PERF' top -g -d 1 -e cpu-clock:u -p $prog 2>err; echo ended \$?" Enter
await_text "functions"
await_text "prog"
await_text "% of a CPU"
# Call trees stay open, and selected, when new samples come.
tm send-keys -t s Down Enter
sleep 2.5
await_text "- " # the mark of an open row; its tree may be one chain
tm send-keys -t s g
await_text "flame graph"
sleep 1.5
await_text "|main"
tm send-keys -t s Space
await_text "Frozen"
tm send-keys -t s l
await_text "frozen"
samples() { sed -n '1s/.*  \([0-9]*\) samples.*/\1/p' screen; }
tm capture-pane -p -t s >screen
before=$(samples)
sleep 2
tm capture-pane -p -t s >screen
[ "$before" = "$(samples)" ] || fail "a frozen screen changes: $before, $(samples)"
tm send-keys -t s Space
await_text "Going on"
# With an open menu nothing changes, so nothing is drawn; before, the browser asked for keys all the time.
tm send-keys -t s m
await_text "Menu"
top=$(cat /proc/[0-9]*/stat 2>/dev/null | awk -v shell="$(tm display-message -p -t s '#{pane_pid}')" '$4 == shell { print $1 }')
ticks() { awk '{ print $14 + $15 }' "/proc/$top/stat"; }
before=$(ticks)
sleep 2
after=$(ticks)
[ $((after - before)) -le 10 ] || fail "an open menu takes $((after - before)) ticks in 2 s"
tm send-keys -t s Escape
sleep 0.3
tm send-keys -t s f
await_text "Events are off"
tm send-keys -t s f
await_text "Events are on"
tm send-keys -t s '>'
await_text "every 2 s"
for view in T p a i; do
	tm send-keys -t s $view
	sleep 1.2
done
tm send-keys -t s w
await_text "Write the samples to"
tm send-keys -t s "now.data" Enter
await_text "'now.data' has the newest samples"
tm send-keys -t s q
await_text "ended 0"
"$PERF" report --stdio -g none -i now.data >out 2>err || fail "$(cat err)"
grep -q 'prog  *\[\.\]' out || fail "$(cat out)"
[ "$("$PERF" script -F comm,tid -i now.data | sort -u | wc -l)" -ge 1 ] || fail "no samples"
if command -v perf >/dev/null && [ "$(readlink -f "$(command -v perf)")" != "$(readlink -f "$PERF")" ]; then
	perf report --stdio -g none -i now.data >theirs 2>err || fail "stock perf: $(cat err)"
	grep -q 'prog  *\[\.\]' theirs || fail "stock perf: $(cat theirs)"
fi
