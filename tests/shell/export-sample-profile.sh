# perf export --format sample-profile: the counts of recordings whose branches and samples are known exactly, and what it refuses.
# tests/pgo/step_branches.c makes them; it assumes that samples are as frequent in all instructions.
. "$PERF_SRC/tests/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "branches are stepped on x86-64 only"
command -v python3 >/dev/null || skip "python3 is missing"
program step pgo/step_branches -O2
program rounds pgo/progs/rounds -O2 -g

profile() { # FILE OPTION...
	out_=$1
	shift
	expect_status 0 "$PERF" export --format sample-profile -o "$out_" "$@"
}
alike() { # PERCENT A B
	python3 "$PERF_SRC/tests/pgo/overlap.py" --at-least "$@" >out || fail "$* are not alike: $(cat out)"
}

# ---- exact counts, of branches: functions were entered as often as branches led to their first instruction ----
expect_status 0 "$PWD/step" -e -n 31 -t truth -o branches.data ./rounds 100
profile branches.prof -i branches.data
expect_text err "branches of cycles:u"
for function in work choose add mix main; do
	want=$(awk -v to="$(nm rounds | awk -v f=$function '$3 == f { sub(/^0*/, "", $1); print $1 }')" \
		'$1 == "branch" && $4 == 0 && $5 == to { nr += $7 } END { print nr + 0 }' truth)
	[ "$want" -gt 0 ] || fail "the truth has no branches to $function"
	[ "$(sed -n "s/^$function:[0-9]*:\([0-9]*\)\$/\1/p" branches.prof)" = "$want" ] ||
		fail "$want entries of $function, not $(grep "^$function:" branches.prof)"
done

# ---- samples that are as frequent as instructions: the estimate is as the branches, also without --as-sampled ----
expect_status 0 "$PWD/step" -e -p -n 7 -o samples.data ./rounds 100
profile samples.prof -i samples.data
expect_text err "samples of"
alike 85 branches.prof samples.prof
profile sampled.prof -i samples.data --as-sampled
grep -q '^  *[0-9.]*: 0$' sampled.prof || fail "code without samples is left out"

# ---- what perf doctor says of them ----
expect_status 0 "$PERF" doctor branches.data
expect_text out "Profiles of rounds for compilers"
expect_line out "  sample-profile  ready"
expect_status 0 "$PERF" doctor samples.data
expect_line out "  sample-profile  no branch stacks: counts are estimated from samples"

# ---- other ways to the same ----
"$PERF" export -i - --format sample-profile -o - <samples.data >piped.prof 2>err || fail "from a pipe: $(cat err)"
cmp samples.prof piped.prof
expect_status 0 "$PERF" export -i samples.data -o by-suffix.prof
cmp samples.prof by-suffix.prof
profile dso.prof -i samples.data -d rounds
cmp samples.prof dso.prof
expect_status 0 "$PERF" merge -o twice.data samples.data samples.data
profile twice.prof -i twice.data
alike 99 samples.prof twice.prof

# ---- the binary elsewhere, stripped, with packed or separate debug information, and another build ----
mkdir -p elsewhere"$PWD" kept
cp rounds kept
objcopy --only-keep-debug --compress-debug-sections rounds elsewhere"$PWD"/rounds.debug
strip -o elsewhere"$PWD"/rounds rounds
(cd elsewhere"$PWD" && objcopy --add-gnu-debuglink=rounds.debug rounds)
profile symfs.prof -i samples.data --symfs elsewhere
cmp samples.prof symfs.prof
strip rounds
expect_status 1 "$PERF" export -i samples.data --format sample-profile -o none.prof
expect_text err "has no debug information here"
[ ! -e none.prof ] || fail "a file was written without debug information"
rm rounds
$CC -O1 -g -o rounds "$PERF_SRC/tests/pgo/progs/rounds.c"
expect_status 1 "$PERF" export -i samples.data --format sample-profile -o none.prof
expect_text err "'$PWD/rounds' is another build than the recorded one"
expect_text err "--symfs"
rm rounds
expect_status 1 "$PERF" export -i samples.data --format sample-profile -o none.prof
expect_text err "rounds'"
mv kept/rounds .

# ---- what it refuses ----
expect_status 1 "$PERF" export -i samples.data --format sample-profile -o samples.data
expect_text err "choose another output"
expect_status 1 "$PERF" export -i samples.data --format sample-profile --redact work
expect_text err "--redact is not for sample-profile"
expect_status 1 "$PERF" export -i samples.data --format sample-profile -S work
expect_status 1 "$PERF" export -i samples.data --format sample-profile -e no-such-event
expect_status 0 "$PERF" export --format list
expect_text out "sample-profile"

# ---- lines in .dwo files, and these missing ----
$CC -O2 -g -gsplit-dwarf -c -o split.o "$PERF_SRC/tests/pgo/progs/rounds.c" && $CC -o split split.o
expect_status 0 "$PWD/step" -e -p -n 50 -o split.data ./split 100
profile split.prof -i split.data
grep -q '^work:' split.prof || fail "no functions of .dwo files"
rm -f ./*.dwo
expect_status 1 "$PERF" export -i split.data --format sample-profile -o none.prof
expect_text err "no line of the code of '$PWD/split' that ran is known"
[ ! -e none.prof ] || fail "a file was written without lines"
