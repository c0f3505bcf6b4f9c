# perf record: several recorders with one output file: each recording is whole, or its recorder says why there is none
. "$PERF_SRC/tests/lib.sh"
need_record

# A command that goes on until there is a file "end".
wait='echo >started; while [ ! -e end ]; do sleep 0.05; done'
begin() { # OPTION...: a recorder of that in the background; returns when its command runs
	rm -f started end
	"$PERF" record -e cpu-clock:u -o same.data "$@" -- sh -c "$wait" >first.out 2>first.err &
	first=$!
	for i in $(seq 600); do [ -e started ] && return; sleep 0.1; done
	fail "the recorder does not start: $(cat first.err)"
}
finish() { # STATUS: of the one in the background
	touch end
	got=0
	wait $first || got=$?
	[ $got = "$1" ] || fail "the first recorder's exit status is $got: $(cat first.err)"
}
expect_recording() { # FILE WORD: a whole recording of a command line with that word
	expect_status 0 "$PERF" report -D -i "$1"
	expect_empty err
	grep -q PERF_RECORD_FINISHED_INIT out || fail "$1 is not whole"
	"$PERF" report --header-only -i "$1" | grep '^# cmdline' | grep -qF -e "$2" || fail "$1 is not the recording of $2"
}

for kind in -g --threads -z; do
	rm -rf same.data same.data.old
	expect_status 0 "$PERF" record -o same.data $kind -e cpu-clock:u echo oldest
	begin $kind
	expect_recording same.data.old oldest
	expect_status 1 "$PERF" record -e cpu-clock:u -o same.data echo second
	expect_lines err 2
	expect_text err "cannot write 'same.data': another perf is writing it"
	expect_text err "name another file with -o"
	expect_empty out # the command was not started
	finish 0
	if grep warning first.err | grep -v 'ring buffers are'; then fail "all was well"; fi
	expect_recording same.data started
	expect_recording same.data.old oldest
done
rm -rf same.data same.data.old

# A copy that perf inject writes is an output, too.
begin
cp same.data other.data
expect_status 1 "$PERF" inject -b -i other.data -o same.data
expect_text err "cannot write 'same.data': another perf is writing it"
finish 0
expect_recording same.data started

# A recorder that was killed leaves nothing behind, although its command still runs.
begin
kill -9 $first
finish 137
expect_status 0 "$PERF" record -e cpu-clock:u -o same.data true
rm -f same.data same.data.old

# At the same moment: whoever succeeds has a file of its own, or had until the next one kept it as .old.
for i in 1 2 3 4 5 6; do
	(s=0; "$PERF" record -e cpu-clock:u -o same.data sleep 0.$i 2>"err.$i" || s=$?; echo $s >"status.$i") &
done
wait
good=0
for i in 1 2 3 4 5 6; do
	case $(cat "status.$i") in
	0) good=$((good + 1)) ;;
	1) grep -q "another perf is writing it" "err.$i" || fail "recorder $i: $(cat "err.$i")" ;;
	*) fail "recorder $i: exit status $(cat "status.$i"), $(cat "err.$i")" ;;
	esac
done
[ $good -gt 0 ] || fail "nobody has recorded"
expect_recording same.data sleep
[ ! -e same.data.old ] || expect_recording same.data.old sleep
rm -f same.data same.data.old

# A program that knows of no locks, as stock perf, moves the file away and writes its own: that one is left alone.
expect_status 0 "$PERF" record --no-embed -e cpu-clock:u -o other.data echo other
"$PERF" record -e cpu-clock:u -o named.data echo named 2>/dev/null
for f in other.data named.data; do
	begin
	mv same.data same.data.old
	cp $f same.data
	finish 0
	expect_text first.err "warning: 'same.data' was moved while it was written: this recording is 'same.data.old' now"
	cmp $f same.data || fail "the other program's file was changed"
	expect_recording same.data.old started
done
begin
mv same.data elsewhere.data
finish 0
expect_text first.err "warning: 'same.data' was moved while it was written: this recording is not there any more"
[ ! -e same.data ] || fail "a file of nobody's"
expect_recording elsewhere.data started

# What is no file is for everybody.
"$PERF" record -e cpu-clock:u -o /dev/null sleep 0.5 2>first.err &
first=$!
expect_status 0 "$PERF" record -e cpu-clock:u -o /dev/null sleep 0.1
finish 0
