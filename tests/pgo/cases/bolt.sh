# BOLT's profiles: the same as perf2bolt makes of the same recording, and llvm-bolt takes them
. "$PERF_SRC/tests/pgo/lib.sh"
need llvm-bolt-19 bolt-19
need perf linux-perf
need ld.lld-19 lld-19
need clang++-19 clang-19
need_stepper
perf2bolt=$(llvm_program perf2bolt) # PATH may have another version
[ "$perf2bolt" ] || skip "perf2bolt is missing: apt-get install bolt-19"
progs=$PERF_SRC/tests/pgo/progs

lines() { # FDATA: its lines in order; perf2bolt's event has the colon that perf script prints
	sed '1s/^\(no_lbr .*\):$/\1/' "$1" | sort
}

# judge LEAST NAME RECORDING BINARY [OPTION]: at least so many percent of the counts are the same
judge() {
	expect_status 0 "$perf2bolt" $5 -p "$3" -o theirs.fdata "$4"
	expect_status 0 "$PERF" export -i "$3" --format bolt -o ours.fdata -d "${4##*/}"
	lines theirs.fdata >theirs
	lines ours.fdata >ours
	python3 "$PERF_SRC/tests/pgo/overlap.py" theirs.fdata ours.fdata >out || fail "$2: $(cat out)"
	same=$(sed -n 's/^samples *//p' out)
	figure "$2: $(wc -l <theirs) lines, $(comm -12 theirs ours | wc -l) of them the same; $same% of the counts"
	[ "${same%.*}" -ge "$1" ] || fail "$2: $(diff theirs ours | head -n 20)"
}

optimize() { # NAME BINARY: with ours.fdata
	expect_status 0 llvm-bolt-19 "$2" -data=ours.fdata -o optimized -reorder-blocks=ext-tsp -reorder-functions=hfsort -split-functions
	cat out err >log
	sed -n 's/^BOLT-INFO: \(.*have non-empty execution profile\)/\1/p' log >profiled
	[ -s profiled ] || fail "$1: no function has a profile: $(cat log)"
	if grep -iE 'stale|invalid|BOLT-WARNING' log | grep -vE 'debug info will be stripped|split function detected' >out; then
		fail "$1: $(cat out)"
	fi
	figure "$1: $(cat profiled)"
}

$CC -nostdlib -static -no-pie -Wl,--build-id -Wl,-q -o known "$progs/known.s" "$progs/known2.s"
expect_status 0 "$stepper" -n 31 -o known.data ./known
judge 99 "known.s" known.data known
expect_status 0 "$stepper" -p -n 7 -o known.data ./known
judge 100 "known.s, samples" known.data known -nl

clang++-19 -O2 -fuse-ld=lld -B/usr/lib/llvm-19/bin -Wl,--build-id -Wl,-q -o work "$PERF_SRC/tests/pgo/work.cc"
expect_status 0 "$stepper" -n 32 -b 1000 -o work.data ./work 300
judge 98 "a C++ program by clang" work.data work
optimize "a C++ program by clang" work
./work 20 >out
./optimized 20 | cmp - out || fail "BOLT's program has another result"

$CC -O2 -Wl,--build-id -Wl,-q -o rounds "$progs/rounds.c"
expect_status 0 "$stepper" -n 32 -o rounds.data ./rounds 100
judge 98 "a program by the compiler of perf" rounds.data rounds

may_record -e cpu-clock:u || exit 0
for program in work "rounds 30000000"; do
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" record -e cpu-clock:u -F 4000 -o clock.data ./$program
	judge 100 "${program%% *}, samples" clock.data "${program%% *}" -nl
	optimize "${program%% *}, samples" "${program%% *}"
done
# perf itself: thousands of functions, many of one name
cp "$PERF" program
expect_status 0 "$PERF" record -e cpu-clock:u -F 4000 -o self.data ./program report --stdio -i work.data
judge 100 "perf, samples" self.data program -nl
