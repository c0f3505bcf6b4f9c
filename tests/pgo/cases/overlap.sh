# overlap.py agrees with llvm-profdata about LLVM's profiles, and with dump_gcov about what a gcov file has
. "$PERF_SRC/tests/pgo/lib.sh"
need_command python3 nm
need_stepper
profgen=$(llvm_program llvm-profgen) profdata=$(llvm_program llvm-profdata) clang=$(llvm_program clang)
[ "$profgen" ] && [ "$profdata" ] || skip "llvm-profgen or llvm-profdata is missing: apt-get install llvm-19"
need_command perf # llvm-profgen runs it

overlap() { # PROFILE PROFILE: the percentages are in out
	python3 "$PERF_SRC/tests/pgo/overlap.py" "$@" >out 2>err || fail "overlap.py $*: $(cat out err)"
}
row() { # NAME: of out
	sed -n "s/^$1 //p" out
}
profile() { # NAME COMPILER... -- STEPPER'S OPTION...
	name=$1
	shift
	compiler=
	while [ "$1" != -- ]; do
		compiler="$compiler $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	[ -e "$name.program" ] || $compiler -O2 -g -o "$name.program" "$PERF_SRC/tests/pgo/progs/rounds.c"
	"$stepper" "$@" -o "$name.data" "./$name.program" 200 >out 2>&1 || fail "step_branches: $(cat out)"
	"$profgen" --format=text --binary="$name.program" --perfdata="$name.data" --output="$name" >out 2>&1 || fail "llvm-profgen: $(cat out)"
	[ -s "$name" ] || fail "llvm-profgen wrote nothing: $(cat out)"
}
profile cc.every $CC -- -n 31
profile cc.some $CC -- -n 107
profile cc.old $CC -gdwarf-4 -- -n 61
files="cc.every cc.some cc.old"
if [ "$clang" ]; then
	profile clang "$clang" -fdebug-info-for-profiling -- -n 31
	profile clang.O1 "$clang" -O1 -- -n 67
	files="$files clang clang.O1"
fi
nr=0
for a in $files; do
	for b in $files; do
		overlap "$a" "$b"
		"$profdata" overlap --sample "$a" "$b" >llvm || fail "llvm-profdata: $(cat llvm)"
		expect_text llvm "Whole program profile similarity: $(row similarity)%"
		expect_text llvm "Whole program sample overlap: $(row samples)%"
		nr=$((nr + 1))
	done
done
figure "llvm-profdata: the same for $nr pairs"

overlap cc.every cc.every
[ "$(sort -u -k2 out | wc -l)" = 1 ] && [ "$(row targets)" = 100.000 ] || fail "a profile does not agree with itself: $(cat out)"
sed 's/^work:/other:/' cc.every >renamed
! python3 "$PERF_SRC/tests/pgo/overlap.py" --at-least 50 cc.every renamed >out || fail "a profile without its hot function agrees: $(cat out)"
: >empty
! python3 "$PERF_SRC/tests/pgo/overlap.py" cc.every empty >out || fail "an empty profile is taken"

if command -v create_gcov >/dev/null; then
	create_gcov --binary=cc.old.program --profile=cc.old.data --gcov=words --gcov_version=2 >out 2>&1 || fail "create_gcov: $(cat out)"
	dump_gcov --gcov_version=2 --dump_cutoff_percent=0 words >dump
	[ -s dump ] || fail "dump_gcov printed nothing"
	python3 "$PERF_SRC/tests/pgo/gcov_strings.py" words bytes
	for file in dump bytes; do
		overlap words "$file"
		[ "$(cut -d ' ' -f 2 out | sort -u)" = 100.000 ] && [ "$(wc -l <out)" = 5 ] || fail "gcov: $file differs: $(cat out)"
	done
	figure "dump_gcov: the same counts, heads and targets"
fi

bolt=$(llvm_program perf2bolt)
if [ "$bolt" ]; then
	"$bolt" -p cc.every.data -o every.fdata cc.every.program >log 2>&1 || fail "perf2bolt: $(cat log)"
	"$bolt" -p cc.some.data -o some.fdata cc.some.program >log 2>&1 || fail "perf2bolt: $(cat log)"
	overlap every.fdata every.fdata
	[ "$(row similarity)" = 100.000 ] || fail "fdata does not agree with itself: $(cat out)"
	overlap every.fdata some.fdata
	[ "$(row similarity | cut -d . -f 1)" -ge 80 ] && [ "$(row samples | cut -d . -f 1)" -lt 50 ] || fail "fdata: $(cat out)"
fi
