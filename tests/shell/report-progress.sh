# report: long work shows how far it is, on terminals only, and leaves nothing there
. "$PERF_SRC/tests/lib.sh"
need_command script
need_record
script -qec true /dev/null </dev/null >typed 2>&1 || skip "no pseudo-terminal: $(head -n 1 typed)"

"$PERF" record -o - -e cpu-clock -F 20000 -- sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done' >p.data 2>record.out ||
	fail "cannot record: $(cat record.out)"
export TERM=xterm PAGER=cat
unset PERF_PAGER COLUMNS
half=$(($(wc -c <p.data) / 2))
slow="(head -c $half p.data; sleep 0.9; tail -c +$((half + 1)) p.data)"

on_terminal() { # command line
	script -qec "$1" /dev/null </dev/null >typed 2>&1 || :
}

# what stands in the file where people see a line: without what was written over
visible() {
	sed 's/\r*$//; s/.*\r//' typed
}

for o in --stats --stdio -D; do
	"$PERF" report $o -i - <p.data 2>plain.err | grep -v 'show the progress' >plain || fail "report $o: $(cat plain.err)"
	on_terminal "$slow | $PERF report --no-tui $o -i -"
	expect_text typed "reading standard input"
	expect_text typed "records/s"
	visible >seen
	if grep -q "reading standard input\|counting" seen; then fail "progress is left on the terminal with $o"; fi
	grep -v '^ *$' plain >plain.lines
	grep -v '^ *$' seen >seen.lines
	if [ $o = --stats ]; then
		cmp plain.lines seen.lines || fail "the terminal shows something else with $o: $(diff plain.lines seen.lines)"
	fi
done

# not without a terminal for it, not with -q, not when nothing takes long
on_terminal "$slow | $PERF report --stats -i - 2>err"
if grep -q "reading" typed err; then fail "progress without a terminal on stderr"; fi
on_terminal "$slow | $PERF report --no-tui -q --stats -i -"
if grep -q "reading" typed; then fail "progress with -q"; fi
TERM=dumb on_terminal "$slow | $PERF report --stats -i -"
if grep -q "reading" typed; then fail "progress on a dumb terminal"; fi
on_terminal "$PERF report --stats -i p.data"
if grep -q "reading" typed; then fail "progress of work that takes no time"; fi
