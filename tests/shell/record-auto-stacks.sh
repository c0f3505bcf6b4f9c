# perf record -g: whole call chains of programs without frame pointers, in small files
. "$PERF_SRC/tests/lib.sh"
need_record
. "$PERF_SRC/tests/chains.sh"

expect_status 0 "$PERF" record -g -e cpu-clock:u -F 2000 -o a.data ./prog 150
folded a.data >a
expect_share a "main;.*qsort.*;compares;$rest" 10
expect_share a "thread;$rest" 20
[ "$(uname -m)" = x86_64 ] && least=20 || least=5 # an emulated arm64 machine had 10% in handlers
expect_share a 'main;interrupted;[^;]*;handler;leaf|main;interrupted;handler;leaf' $least
expect_share a "$outermost" 97

# What is in the file are plain chains: no registers, no stacks, a few hundred bytes a sample.
"$PERF" report -D -i a.data >dump 2>err
if grep -q "ustack\|user regs" dump; then fail "stack copies in the file"; fi
samples=$("$PERF" report --stats -i a.data | sed -n 's/^ *SAMPLE events: *\([0-9]*\).*/\1/p' | head -n 1)
size=$(wc -c <a.data)
[ "$size" -lt $((600 * samples + 100000)) ] || fail "$size bytes for $samples samples"

# A running process, and one that another program begins in.
sh -c 'while :; do ./prog 30; done' &
pid=$!
sleep 0.3
expect_status 0 "$PERF" record -g -e cpu-clock:u -F 2000 -p "$pid" -o b.data sleep 2.5
kill "$pid"
folded b.data >b
expect_share b "$outermost" 95
grep '[; ]leaf$' b >leaf # on a slow machine the dynamic linker takes longer than the program
expect_share leaf "recurses;.*aligns;allocates;saves_registers;leaf|handler;leaf" 70

# Deeper than the copy: joined with what was seen of the thread before, so far as it was.
expect_status 0 "$PERF" record --call-graph auto,1024 -e cpu-clock:u -F 2000 -o c.data ./prog 100
folded c.data >c
expect_share c 'allocates;saves_registers;leaf' 40

# On an alternate stack: what the handler interrupted has its frames on the other one, where they were a moment before.
program kinds stacks/kinds -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -pthread -lm -ldl
expect_status 0 "$PERF" record -g -e cpu-clock:u -F 4000 -o e.data ./kinds altstack 1500
folded e.data | grep ';handler;' >e ||
	fail "no sample is in the handler"
# How many have them depends on what was interrupted: only a function that was seen there before has callers.
grep -Eq "$outermost.*;main;altstack;climbs;.*;handler;climbs" e || { cat e && fail "no chain goes on to the other stack"; }

# To a pipe, and of the kernel, too.
"$PERF" record -g -e cpu-clock -F 2000 -o - ./prog 100 2>err >p.data
folded p.data >p
expect_share p "main;.*qsort.*;compares;$rest" 20

expect_status 0 "$PERF" record -g --call-graph no -e cpu-clock:u -o d.data true

# How complete the chains are is in the file.
"$PERF" report --stdio -i a.data >out 2>err
grep -Eq '^# Call chains: [0-9]+ unwound from [0-9]+ bytes of stack while recording, ' out &&
	awk -v whole="$(whole_chains out)" 'BEGIN { exit whole < 90 }' ||
	fail "no word of the chains: $(tail -n 5 out)"
expect_status 0 "$PERF" report --stack-stats -i c.data
grep -Eq '^ +[1-9][0-9]* cut off at the end of the stack copy' out || fail "nothing is cut off: $(cat out)"
expect_status 0 "$PERF" report --stack-stats -i d.data
expect_text out "no call chains were unwound"

# A stack that no copy can hold is not cut because of load, and nobody is told to ask for more than there is
program deep progs/deep -O2 -fomit-frame-pointer -fno-optimize-sibling-calls
for size in 65528 65000; do
	expect_status 0 "$PERF" record -F 250 --call-graph auto,$size -e cpu-clock:u -o a.data ./deep 400
	expect_text err "cut at the end of $size bytes of stack: no more can be copied"
	cut=$(sed -n 's/.* \([0-9]*\)% because of load.*/\1/p' err) # a busy machine has some
	[ "${cut:-0}" -lt 30 ] || fail "copies of $size bytes are made smaller because of load: $(cat err)"
done
