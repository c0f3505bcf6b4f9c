# LLVM's sample profile: every count as LLVM's own reader of debug information has it; llvm-profdata reads it and writes the
# same again; clang compiles with it without a warning and takes its counts.
. "$PERF_SRC/tests/pgo/lib.sh"
need clang++-19 clang-19
need clang++-14 clang-14
need llvm-profdata-19 llvm-19
need llvm-profdata-14 llvm-14
source=$PERF_SRC/tests/pgo/work.cc

try() { # CLANG FLAG...
	clang=$1
	shift
	flags="-O2 -fdebug-info-for-profiling $*"
	# shellcheck disable=SC2086
	clang++-$clang $flags -o work "$source"
	sh_ "$PERF" record -q -g -F 4000 -o data ./work 300
	sh_ "$PERF" export -i data --format sample-profile -o work.prof
	sh_ "$PERF" export -i data --format sample-profile --as-sampled -o sampled.prof
	python3 "$PERF_SRC/tests/pgo/counted.py" "$PERF" data work sampled.prof llvm-symbolizer-19 >counted ||
		{ cat counted && fail "the counts of LLVM's reader differ"; }
	figure "clang $clang $*: $(cat counted)"
	llvm-profdata-$clang merge --sample --text work.prof -o again.prof || fail "llvm-profdata"
	in_order work.prof >a && in_order again.prof >b && cmp a b || fail "llvm-profdata wrote other counts"
	# shellcheck disable=SC2086
	clang++-$clang $flags -fprofile-sample-use=work.prof -Wall -Werror -Wno-unused-command-line-argument -S -emit-llvm -o work.ll "$source"
	nr=$(grep -c '"function_entry_count", i64 [1-9]' work.ll) || fail "no entry counts"
	figure "clang $clang $*: $nr functions with entry counts, $(grep -c '"branch_weights"' work.ll) branches with weights"
	# what is hot must be hot for clang
	grep -q 'define.*_ZL5wordsi.*!prof' work.ll || fail "words() has no counts"
}

# in_order FILE: its lines in one order, and so the call targets of each, whose order depends on the version
in_order() {
	python3 -c 'import sys
for line in sorted(open(sys.argv[1])):
	words = line.split()
	print(line[:len(line) - len(line.lstrip())] + words[0], *words[1:2], *sorted(words[2:]))' "$1" | sort
}

sh_() {
	"$@" >log 2>&1 || { cat log && fail "$*"; }
}

try 19 -g
try 19 -g -no-pie -gz=zlib
try 19 -gdwarf-4 -funique-internal-linkage-names
try 14 -g
try 14 -g -gsplit-dwarf
