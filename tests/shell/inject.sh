# perf inject -b: the build-ids of binaries with samples, from files and pipes to files and pipes
. "$PERF_SRC/tests/lib.sh"
need_record
need_command readelf
own_folder

id_of() {
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

rows() { # of a recording, by the report's options
	"$PERF" report --stdio -g none "$@" 2>/dev/null | grep -v '^#'
}

cat >main.c <<'C'
int idle(void);
int main(void)
{
	volatile unsigned x = 0;

	for (int i = 0; i < 100000000; i++)
		x += i;
	return idle() + (x == 1);
}
C
echo 'int idle(void) { return 0; }' >lib.c
"$CC" -O0 -shared -fPIC -Wl,--build-id=sha1 -o libidle.so lib.c
"$CC" -O0 -Wl,--build-id=sha1 -o main main.c ./libidle.so
id=$(id_of main)

# The same recording, and the ids: whatever stands on both sides.
"$PERF" record -e cpu-clock:u -F 500 -g -o a.data ./main 2>/dev/null
"$PERF" record -e cpu-clock:u -F 500 -g -o - ./main >pipe.data 2>/dev/null
for in in a.data pipe.data; do
	rows -i $in >want
	grep -q main want || fail "no rows: $(cat want)"
	expect_status 0 "$PERF" inject -b -i $in -o b.data
	rows -i b.data | diff want - || fail "$in into a file"
	"$PERF" buildid-list -i b.data >list
	expect_line list "$id $dir/main"
	"$PERF" inject -b -i $in | cat >b.pipe
	rows -i - <b.pipe | diff want - || fail "$in into a pipe"
	"$PERF" buildid-list -i b.pipe >list
	expect_line list "$id $dir/main"
	cat $in | "$PERF" inject -b | "$PERF" inject -o c.data
	rows -i c.data | diff want - || fail "$in from a pipe"
done
"$PERF" report --header-only -i a.data | grep -v '^# \(captured on\|data\|.*size\|.*offset\)' >want
"$PERF" inject -i a.data -o b.data
"$PERF" report --header-only -i b.data | grep -v '^# \(captured on\|data\|.*size\|.*offset\)' | diff want -

# Ids that the recording lacks are read from the files that were mapped: not from others.
"$PERF" record -B -e cpu-clock:u -F 500 -o n.data ./main 2>/dev/null
"$PERF" inject --buildid-all -i n.data -o b.data
"$PERF" buildid-list -i b.data >list
expect_line list "$id $dir/main"
expect_line list "$(id_of libidle.so) $dir/libidle.so"
"$PERF" inject -b -i n.data -o b.data
"$PERF" buildid-list -i b.data >list
expect_line list "$id $dir/main"
no_ids() {
	"$PERF" buildid-list -H -i n.data | grep -q "^ .*$dir/main"
}
if no_ids; then
	cp main kept
	sed 's/idle() +/idle() + 2 +/' main.c >other.c
	"$CC" -O0 -Wl,--build-id=sha1 -o main other.c ./libidle.so
	"$PERF" inject -b -i n.data -o b.data
	"$PERF" buildid-list -H -i b.data >list
	! grep "$(id_of main)" list || fail "the id of another build was taken"
	mv kept main
fi

# What the user knows comes first.
known=0123456789012345678901234567890123456789
expect_status 0 "$PERF" inject -b --known-build-ids "$known $dir/main" -i n.data -o b.data
"$PERF" buildid-list -i b.data >list
! no_ids || expect_line list "$known $dir/main"
echo "$known $dir/main" >known
expect_status 0 "$PERF" inject -b --known-build-ids "file://$dir/known" -i n.data -o b.data
"$PERF" buildid-list -i b.data >list
! no_ids || expect_line list "$known $dir/main"
expect_status 1 "$PERF" inject -b --known-build-ids "word" -i n.data -o b.data
expect_lines err 1

# Refusals.
expect_status 1 "$PERF" inject -b -i a.data -o ./a.data
expect_text err "is the input"
expect_status 1 "$PERF" inject -b -i missing -o b.data
expect_lines err 1
expect_status 129 "$PERF" inject -b -i a.data a.data
head -c 1500 a.data >cut.data
expect_status 1 "$PERF" inject -b -i cut.data -o b.data
if [ -c /dev/full ]; then
	status=0
	"$PERF" inject -b -i a.data >/dev/full 2>err || status=$?
	[ $status = 1 ] || fail "exit status $status after a failed write"
fi

# Stock perf reads it: the same rows, the same ids.
need_stock
"$STOCK" record -B -e cpu-clock:u -F 500 -g -o s.data ./main >/dev/null 2>&1 || skip "stock perf cannot record"
"$STOCK" inject -b -i s.data -o want.data 2>/dev/null || skip "stock perf cannot inject"
"$PERF" inject -b -i s.data -o got.data
for chance in 1 2 3 4 5 6 7 8 9; do
	"$STOCK" report --stdio -g none -i got.data >stock.report 2>/dev/null && break
done
rows -i s.data | grep % >want
grep -v '^#' stock.report | grep % | diff want - || fail "stock perf reports our copy otherwise"
for perf in "$STOCK" "$PERF"; do
	"$perf" buildid-list -i got.data 2>/dev/null >list
	expect_line list "$id $dir/main"
done
# The ids that stock adds, we add.
"$STOCK" buildid-list -i want.data 2>/dev/null | grep -v vdso | while read -r line; do
	grep -qxF "$line" list || echo "missing: $line"
done >missing
expect_empty missing
