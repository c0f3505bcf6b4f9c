# report: colours on terminals only, unless NO_COLOR, TERM and --stdio-color say otherwise
. "$PERF_SRC/tests/lib.sh"
need_terminal
need_record
"$PERF" record -e cpu-clock:u -F 5000 -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done' >out 2>&1 ||
	fail "cannot record: $(cat out)"
esc=$(printf '\033')

colored() { # FILE: are percentages red and green, and is nothing else?
	grep -q "${esc}\[31m *[0-9.]*%${esc}\[m" "$1" || { cat "$1"; fail "no colours: $2"; }
}

plain() {
	[ -s "$1" ] || fail "nothing is shown: $2"
	if grep -q "$esc" "$1"; then cat "$1" && fail "colours: $2"; fi
}

# in a pipe
"$PERF" report >out && plain out "in a pipe"
"$PERF" report --stdio-color auto >out && plain out "in a pipe, auto"
"$PERF" report --stdio-color never >out && plain out "in a pipe, never"
for o in --stdio-color --stdio-color=always '--stdio-color always'; do
	"$PERF" report $o >out && colored out "in a pipe, $o"
	NO_COLOR=1 TERM=dumb "$PERF" report $o >out && colored out "in a pipe, $o in spite of NO_COLOR"
	sed "s/$esc\[[0-9;]*m//g" out >stripped
	"$PERF" report >out
	cmp out stripped || fail "$o changes more than colours"
done
"$PERF" report --stdio-color always --stdio-color auto >out && plain out "in a pipe, auto after always"
expect_status 129 "$PERF" report --stdio-color sometimes
expect_text err "unknown mode 'sometimes'"

# on a terminal, and through a pager
for pager in cat 'sed p'; do
	export PERF_PAGER="$pager"
	on_terminal "$PERF report --no-tui" && colored screen "on a terminal, pager $pager"
	on_terminal "$PERF report --no-tui --stdio-color never --stdio-color auto" && colored screen "auto after never, $pager"
	on_terminal "$PERF report --no-tui --stdio-color never" && plain screen "never, pager $pager"
	on_terminal "$PERF report --no-tui --no-stdio-color" && plain screen "--no-stdio-color, pager $pager"
	on_terminal "NO_COLOR=1 $PERF report --no-tui" && plain screen "NO_COLOR, pager $pager"
	on_terminal "NO_COLOR= $PERF report --no-tui" && colored screen "empty NO_COLOR, pager $pager"
	on_terminal "TERM=dumb $PERF report --no-tui" && plain screen "TERM=dumb, pager $pager"
	on_terminal "TERM= $PERF report --no-tui" && plain screen "empty TERM, pager $pager"
	on_terminal "NO_COLOR=1 TERM=dumb $PERF report --no-tui --stdio-color always" && colored screen "always, pager $pager"
	on_terminal "NO_COLOR=1 $PERF report --no-tui --stdio-color auto" && plain screen "auto and NO_COLOR, pager $pager"
done
