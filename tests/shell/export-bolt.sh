# perf export --format bolt: each line of the profiles of a program whose branches and samples are known exactly, and what is refused
# make check-pgo holds more programs against perf2bolt.
. "$PERF_SRC/tests/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "branches are stepped on x86-64 only"
need_command objcopy strip readelf
program step pgo/step_branches -O2
$CC -nostdlib -static -no-pie -Wl,--build-id -Wl,--no-gc-sections -o plain "$PERF_SRC/tests/pgo/progs/known.s" "$PERF_SRC/tests/pgo/progs/known2.s"
objcopy --redefine-sym far='far away' plain known # BOLT has a blank as "\ "
PATH=$PWD:$PATH
first=$(readelf -sW known | awk '$8 == "twin" || $8 == "other" { print $8; exit }') # of two names

same() { # FILE: has the lines of standard input, in any order
	sort >want
	sort "$1" | diff want - >differs || fail "$1 is not as it should be: $(cat differs)"
}

# ---- branches, but no returns; and steps from one block of code into the next: of the two branches to outer+d, one is a return from ----
# ---- leaf/1, so half of what ran from there on came from the call at outer+8 ----
expect_status 0 step -n 31 -o branches.data "$PWD/known"
expect_status 0 "$PERF" export -i branches.data -o branches.fdata
expect_text err "branches of cycles:u"
same branches.fdata <<L
1 _start 5 1 outer/1 0 0 66
1 _start c 1 _start 5 0 64
1 _start c 1 _start e 0 1
1 _start e 1 $first 0 0 1
1 outer/1 6 1 outer/1 8 0 32
1 outer/1 6 1 outer/1 d 0 33
1 outer/1 8 1 leaf/1 0 0 33
1 outer/1 8 1 outer/1 d 0 33
1 outer/1 10 1 outer/1 12 0 63
1 outer/1 10 1 outer.cold/1 0 0 1
1 outer/1 15 1 outer/1 19 0 66
1 outer/1 17 1 outer/1 1a 0 1
1 outer/1 19 1 outer/1 1a 0 63
1 outer.cold/1 1 1 outer/1 12 0 1
1 $first 0 1 far\ away 0 0 1
1 far\ away 0 1 leaf/2 0 0 1
L

# ---- samples ----
expect_status 0 step -p -n 7 -o samples.data "$PWD/known"
expect_status 0 "$PERF" export -i samples.data --format bolt -o samples.fdata
expect_text err "samples of cycles:u"
[ "$(head -n 1 samples.fdata)" = "no_lbr cycles:u" ] || fail "the first line is '$(head -n 1 samples.fdata)'"
same samples.fdata <<'L'
no_lbr cycles:u
1 _start 5 8
1 _start a 10
1 _start c 9
1 outer/1 0 9
1 outer/1 6 11
1 outer/1 8 4
1 outer/1 d 8
1 outer/1 10 8
1 outer/1 12 9
1 outer/1 15 12
1 outer/1 19 8
1 outer/1 1a 8
1 leaf/1 0 4
1 leaf/1 2 5
1 outer.cold/1 0 1
1 far\ away 0 1
L

# ---- a system call, and an interrupt, are no branches; code at an address of no function is unknown ----
if command -v python3 >/dev/null; then
	python3 "$PERF_SRC/tests/progs/branch_stacks.py" kernel.data known <<'E2'
1 1000 outer+0 0xffffffff81000000>outer+6:1 _start+5>outer+0:1m 0x500000>_start+10:1
E2
	expect_status 0 "$PERF" export -i kernel.data -o kernel.fdata
	same kernel.fdata <<'L'
0 [unknown] 0 1 _start a 0 1
1 _start 5 1 outer/1 0 1 1
L
fi

# ---- the program elsewhere, stripped, missing, another build, made by BOLT ----
mkdir -p kept elsewhere"$PWD"
cp known kept
cp known elsewhere"$PWD"
strip known
expect_status 1 "$PERF" export -i samples.data -o none.fdata
expect_text err "has no symbol table"
[ ! -e none.fdata ] || fail "a profile of a stripped program was written"
expect_status 0 "$PERF" export -i samples.data -o elsewhere.fdata --symfs elsewhere
cmp samples.fdata elsewhere.fdata
rm known
expect_status 1 "$PERF" export -i samples.data -o none.fdata
expect_text err "known': No such file or directory"
expect_text err "--symfs"
$CC -nostdlib -static -no-pie -Wl,--build-id -Wl,--defsym=more=1 -Wl,-Ttext=0x408000 -o known "$PERF_SRC/tests/pgo/progs/known.s" "$PERF_SRC/tests/pgo/progs/known2.s"
expect_status 1 "$PERF" export -i samples.data -o none.fdata
expect_text err "another build"
expect_text err "--symfs"
objcopy --add-section .note.bolt_info=samples.fdata kept/known known
expect_status 1 "$PERF" export -i samples.data -o none.fdata
expect_text err "was made by BOLT"
[ ! -e none.fdata ] || fail "a profile was written"
