# The sample profile of a recording with branch stacks: as llvm-profgen makes it of the same one; and without branches, nearer to
# the branches than the samples are.
. "$PERF_SRC/tests/pgo/lib.sh"
need clang++-19 clang-19
need llvm-profgen-19 llvm-19
need perf linux-perf
need_stepper
flags="-O2 -g -fdebug-info-for-profiling"

# alike BASE OTHER: print how much they are, in percent
alike() {
	llvm-profdata-19 overlap --sample "$1" "$2" | sed -n 's/.*profile similarity: \(.*\)%/\1/p'
}

judge() { # NAME RECORDING BINARY
	expect_status 0 llvm-profgen-19 --format=text --binary="$3" --perfdata="$2" --output=theirs.prof
	expect_status 0 "$PERF" export -i "$2" --format sample-profile -o ours.prof
	expect_text err "branches of cycles:u"
	percent=$(alike theirs.prof ours.prof)
	figure "$1: $percent% as llvm-profgen's"
	[ "${percent%.*}" -ge 98 ] || fail "$1: $percent%"
	python3 "$PERF_SRC/tests/pgo/overlap.py" theirs.prof ours.prof >out || fail "$(cat out)"
	awk '$1 ~ /heads|targets/ && $2 < 98 { exit 1 }' out || fail "$1: $(cat out)"
}

# shellcheck disable=SC2086
clang-19 $flags -o rounds "$PERF_SRC/tests/pgo/progs/rounds.c"
expect_status 0 "$stepper" -n 31 -o rounds.data ./rounds 100
judge "a small program, each branch" rounds.data rounds

# shellcheck disable=SC2086
clang++-19 $flags -o work "$PERF_SRC/tests/pgo/work.cc"
expect_status 0 "$stepper" -n 31 -b 1000 -o work.data ./work 300
judge "a C++ program, a part of its branches" work.data work

may_record -e cpu-clock:u || exit 0
expect_status 0 "$PERF" record -e cpu-clock:u -F 4000 -o clock.data ./work 300
expect_status 0 "$PERF" export -i clock.data --format sample-profile -o estimated.prof
expect_status 0 "$PERF" export -i clock.data --format sample-profile --as-sampled -o sampled.prof
estimated=$(alike ours.prof estimated.prof) sampled=$(alike ours.prof sampled.prof)
figure "of samples: $estimated% as of branches, --as-sampled $sampled%"
[ "${estimated%.*}" -ge $((${sampled%.*} + 10)) ] || fail "the estimate is hardly better than the samples"
