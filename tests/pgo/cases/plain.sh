# Recordings without branches: llvm-profgen and create_llvm_prof count the same lines, in what step_branches and perf record wrote
. "$PERF_SRC/tests/pgo/lib.sh"
need_command python3 perf create_llvm_prof
need_stepper
profgen=$(llvm_program llvm-profgen)
[ "$profgen" ] || skip "llvm-profgen is missing: apt-get install llvm-19"
# autofdo 0.19 reads no DWARF 5, and writes no names of inlined functions
$CC -O2 -gdwarf-4 -fno-inline -o rounds "$PERF_SRC/tests/pgo/progs/rounds.c"

judge() { # RECORDING: both agree about it
	perf script -F pid,ip,event --show-mmap-events -i "$1" 2>err | python3 "$PERF_SRC/tests/pgo/addresses.py" rounds >addresses
	"$profgen" --use-offset=0 --format=text --binary=rounds --unsymbolized-profile=addresses --output=profgen >out 2>&1 || fail "llvm-profgen: $(cat out)"
	create_llvm_prof --use_lbr=false --format=text --binary=rounds --profile="$1" --out=autofdo >out 2>&1 || fail "create_llvm_prof: $(cat out)"
	python3 "$PERF_SRC/tests/pgo/overlap.py" --at-least "$2" profgen autofdo >out || fail "$1: $(cat out)"
	figure "$1: $(sed -n 's/^similarity //p' out)% alike"
}
expect_status 0 "$stepper" -p -n 20 -t truth -o stepped.data ./rounds 200
judge stepped.data 99
sed -n 's/^at 0 \([0-9a-f]*\) [0-9]* \([1-9][0-9]*\)$/\1-\1:\2/p' truth >want
sed '1d; $d' addresses | diff want - >out || fail "addresses.py differs from the truth: $(head out)"
if may_record -e cpu-clock:u; then
	expect_status 0 "$PERF" record -e cpu-clock:u -F 4000 -o clock.data ./rounds 30000000
	judge clock.data 99
fi
