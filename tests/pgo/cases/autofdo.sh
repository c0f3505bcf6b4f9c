# The counts for gcc: gcc 12 to 16 read them without a warning, and take those for their blocks; they are the counts that
# create_gcov makes of the same recording, with branch stacks and without; estimates are nearer to the truth than those.
. "$PERF_SRC/tests/pgo/lib.sh"
need gcc-12 gcc-12
need g++-12 g++-12
need create_gcov autofdo
need_command python3
need_record
need_stepper
tests=$PERF_SRC/tests/pgo

sh_() {
	"$@" >log 2>&1 || { cat log && fail "$*"; }
}
overlap() { # A B: in percent
	python3 "$tests/overlap.py" -l "$1" "$2" >out || fail "overlap of $1 and $2: $(cat out)"
	sed -n 's/^overlap //p' out
}
at_least() { # PERCENT WHAT PERCENT
	figure "$2: $1%"
	[ "${1%.*}" -ge "$3" ] || fail "$2: $1%"
}
create() { # OUTPUT BINARY RECORDING OPTION...: create_gcov's file, with the strings that gcc 12 wants
	output=$1 binary=$2 recording=$3
	shift 3
	sh_ create_gcov --binary="$binary" --profile="$recording" --gcov=words --gcov_version=2 "$@"
	python3 "$tests/gcov_strings.py" words "$output"
}
# blocks COMPILER SOURCE FILE DUMP: compile with these counts; a warning is an error
blocks() {
	sh_ "$1" -O2 -g -Wall -Werror -fauto-profile="$3" -fdump-ipa-afdo="$4" -c -o with.o "$2"
}
# judge NAME COMPILER SOURCE PERCENT ARGUMENT-FOR-CLOCK ARGUMENT-FOR-STEPPER STEPPER'S-OPTION...
judge() {
	name=$1 compiler=$2 source=$3 percent=$4 long=$5 short=$6
	shift 6
	# create_gcov reads no DWARF 5
	sh_ "$compiler" -O2 -gdwarf-4 -o "$name" "$source"
	sh_ "$stepper" "$@" -o branches.data "./$name" "$short"
	create theirs "$name" branches.data
	sh_ "$PERF" export -i branches.data -d "$name" -o "$name.afdo"
	at_least "$(overlap theirs "$name.afdo")" "$name, with branches: counts as create_gcov's" "$percent"
	blocks "$compiler" "$source" "$name.afdo" ours.dump
	blocks "$compiler" "$source" theirs theirs.dump
	python3 "$tests/gcc_blocks.py" ours.dump theirs.dump >out || fail "blocks"
	at_least "$(cut -d ' ' -f 1 out)" "$name, with branches: counts of gcc's $(cut -d ' ' -f 2 out) blocks" "$percent"
	cp theirs truth

	sh_ "$PERF" record -q -e cpu-clock:u -F 4000 -o clock.data "./$name" "$long"
	create theirs "$name" clock.data --use_lbr=false
	sh_ "$PERF" export -i clock.data -d "$name" --as-sampled -o sampled.afdo
	at_least "$(overlap theirs sampled.afdo)" "$name, --as-sampled: counts as create_gcov's" $((percent - 3))
	sh_ "$PERF" export -i clock.data -d "$name" -o estimated.afdo
	estimated=$(overlap truth estimated.afdo) theirs=$(overlap truth theirs)
	figure "$name, without branches: $estimated% of what branches count, create_gcov $theirs%"
	[ "${estimated%.*}" -ge "${theirs%.*}" ] || fail "estimates are worse than the counts of instructions"
	blocks "$compiler" "$source" estimated.afdo ours.dump
}
judge rounds gcc-12 "$tests/progs/rounds.c" 98 20000000 1000 -n 31
# gcc makes a direct call of a call by pointer, as branches and call chains say which function it calls most
sh_ "$PERF" record -q -g -e cpu-clock:u -F 4000 -o chains.data ./rounds 20000000
sh_ "$PERF" export -i chains.data -d rounds -o chains.afdo
for file in rounds.afdo chains.afdo; do
	gcc-12 -O2 -g -fauto-profile=$file -fopt-info-optimized -c -o with.o "$tests/progs/rounds.c" >log 2>&1
	grep -q 'Indirect call -> direct call .* => add' log || fail "$file: the call by pointer stays: $(cat log)"
done
judge work g++-12 "$tests/work.cc" 98 300 300 -n 31 -b 1000

# newer COMPILER VERSION THEIRS: the compiler in $root takes our file, and has the same counts of create_gcov's, if it can read that
newer() {
	compiler=$1 version=$2
	mkdir -p "$root/tmp/afdo"
	cp "$tests/work.cc" theirs "$root/tmp/afdo"
	sh_ "$PERF" export -i branches.data -d work --format autofdo --gcc "$version" -o "$root/tmp/afdo/ours"
	for file in ours $3; do
		sh_ chroot "$root" sh -c "cd /tmp/afdo && $compiler -O2 -g -Wall -Werror -fauto-profile=$file -fdump-ipa-afdo=$file.dump -c work.cc"
	done
	if [ "$3" ]; then
		python3 "$tests/gcc_blocks.py" "$root/tmp/afdo/ours.dump" "$root/tmp/afdo/$3.dump" >out
		at_least "$(cut -d ' ' -f 1 out)" "$compiler: counts of its $(cut -d ' ' -f 2 out) blocks as with create_gcov's" 98
	else
		python3 "$tests/gcc_blocks.py" "$root/tmp/afdo/ours.dump" >out || fail "$compiler has no counts"
		figure "$compiler: counts in $(wc -l <out) functions"
	fi
	rm -r "$root/tmp/afdo"
}
create theirs work branches.data
suite trixie g++-13 g++-14
newer g++-13 13 theirs
newer g++-14 14 theirs
suite sid g++-15 g++-16
newer g++-15 15 theirs
newer g++-16 16 ''
