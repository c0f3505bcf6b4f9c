# the browser of diff: screens after keys (tests/browser/diff/*.txt), numbers as in JSON, where it does not open
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
. "$PERF_SRC/tests/browser/screens.sh"
"$PERF" version --build-options | grep -q ' zstd: \[ on' || skip "the recordings are packed by zstd"
run_files diff compare "$PERF_SRC"/tests/browser/diff/*.txt
[ -z "${UPDATE:-}" ] || exit 0
[ $nr -gt 5 ] || fail "only $nr files with screens"

# ---- the numbers ----
need_command python3
cp "$PERF_SRC"/tests/data/compare/old.data "$PERF_SRC"/tests/data/compare/new.data .
"$PERF" diff --json old.data new.data >diff.json
tm new-session -d -s screen -x 180 -y 100 "LC_ALL=C.UTF-8 '$PERF' diff --full-names old.data new.data"
for _ in $(seq 3000); do
	screen | grep -q 'leave$' && break
	sleep 0.1
done
tm send-keys -t screen a
for _ in $(seq 3000); do
	screen >seen
	! grep -q 'a: hide functions' seen || break
	sleep 0.1
done
python3 "$PERF_SRC/tests/browser/compare_numbers.py" diff.json seen || { cat seen && fail "other numbers than in JSON"; }
tm kill-server

# ---- colours: of 256, the stronger the larger a change is at least; 8 tell the kinds of changes; none with NO_COLOR ----
coloured() { # ENVIRONMENT PATTERN...: parts of the flame graph, with what sets the colours
	nr=$((nr + 1)) # a socket of its own: that of a server which ends goes some time later
	tm new-session -d -s screen -x 180 -y 24 "env LC_ALL=C.UTF-8 $1 '$PERF' diff old.data new.data"
	for key in '' g; do
		awaited='leave$'
		[ -z "$key" ] || { tm send-keys -t screen $key && awaited='flame graph$'; }
		for _ in $(seq 3000); do
			! screen | grep -q "$awaited" || break
			sleep 0.1
		done
	done
	tm capture-pane -e -p -t screen >colours
	tm kill-server
	environment=$1
	shift
	for pattern; do
		grep -q -e "$pattern" colours || { cat -v colours && fail "no '$pattern' with $environment"; }
	done
}
# The intervals: compare +30.6% .. +83.1%, write_buffered x389 .. any, find_bucket -53.1% .. -29.5%, write_each -100.0% .. -99.9%
coloured TERM=screen-256color '48;5;216m+compare' '48;5;202m+wr' '48;5;75m-find_bucket' '48;5;33m-write_' '48;5;221m~scan'
coloured TERM=screen '41m+compare' '41m+wr' '46m-find_bucket' '46m-write_' '43m~scan'
coloured 'TERM=screen-256color NO_COLOR=1' '7m+compare' '+wr' '7m-find_bucket'
! grep -q "$(printf '\033')\[[0-9;]*\(48;5\|4[0-7]\)[0-9;]*m" colours || { cat -v colours && fail "colours in spite of NO_COLOR"; }

# ---- text where a script, a pipe or the user asks for it ----
"$PERF" diff old.data new.data >piped
opens="$(printf '\033\\[?1049h')" # the terminal's other screen
for seconds in 3 30 300; do
	on_terminal "timeout --foreground $seconds '$PERF' diff old.data new.data"
	! grep -q "$opens" screen || break
done
grep -q "$opens" screen || fail "no browser on a terminal"
for o in --no-tui '-q --no-tui' -q '--fail-on slower:900' --stock --json --folded --html=page.html -D; do
	on_terminal "'$PERF' --no-pager diff $o old.data new.data"
	! grep -q "$opens" screen || fail "a browser in spite of $o"
done
on_terminal "'$PERF' --no-pager diff --no-tui old.data new.data"
grep -q '^# .*functions changed' screen || { cat screen && fail "no text"; }
printf '[tui]\n\tdiff = off\n' >.perfconfig
on_terminal "HOME=$PWD '$PERF' --no-pager diff old.data new.data"
grep -q '^# .*functions changed' screen || { cat screen && fail "tui.diff = off is not followed"; }
expect_status 0 "$PERF" diff --tui old.data new.data
cmp out piped || fail "--tui changes the text where there is no terminal"
expect_text err "no browser: standard output is not a terminal; the comparison is text"
TERM=dumb on_terminal "TERM=dumb '$PERF' --no-pager diff old.data new.data"
grep -q 'no browser: .*; the comparison is text' screen || { cat screen && fail "a terminal that cannot move its cursor"; }
