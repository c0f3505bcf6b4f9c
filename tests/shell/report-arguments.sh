# a word after perf report: a recording is read, anything else is a part of a symbol's name, and must match
. "$PERF_SRC/tests/lib.sh"
need_record
need_command "$CC"

cat >spin.c <<'X'
#define WORK for (volatile int i = 0; i < 50000000; i++)
__attribute__((noinline)) static void other(void) {
	WORK;
}
int main(void) {
	other();
	WORK;
}
X
"$CC" -O1 -fno-ipa-icf -o spin spin.c
record() {
	"$PERF" record -q -e cpu-clock:u -o "$1" ./spin
}
record other.data
mkdir main # a folder that is not a recording, named as a function
mkdir dir && cp other.data dir/data

expect_status 0 "$PERF" report -q -F symbol - <other.data
expect_text out main

# without perf.data: the word alone says what is read
expect_status 0 "$PERF" report other.data
expect_line err "reading 'other.data'"
expect_text out "main"
expect_status 0 "$PERF" report -q -F symbol dir
expect_empty err
expect_text out "main"
expect_status 0 "$PERF" report -D ./other.data
expect_text out "PERF_RECORD_SAMPLE"
expect_status 0 "$PERF" report other.data --stats
expect_status 0 "$PERF" report --header-only other.data
expect_status 1 "$PERF" report missing.data
expect_line err "perf: error: neither 'missing.data' nor 'perf.data' is a file"
expect_empty out
cp other.data plain # the name does not matter
expect_status 0 "$PERF" report plain
expect_line err "reading 'plain'"
echo text >no.data
expect_status 1 "$PERF" report no.data
expect_text err "'no.data' is not a perf.data file"

# with perf.data: a filter; with both, the file comes first or last
record perf.data
for words in mai main "other.data mai" "mai other.data" "-i other.data mai"; do
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" report -q -F symbol --stdio $words
	grep -q '\[.\] main' out || fail "no main with '$words': $(cat out)"
	grep '\[' out | grep -qv main && fail "more than main with '$words': $(cat out)"
done
expect_status 0 "$PERF" report --stdio other.data
grep -q '% .*\[.\] other$' out || fail "a file was taken for a filter: $(cat out)"
expect_status 1 "$PERF" report mian
expect_line err "perf: error: no symbol in 'perf.data' contains 'mian'"
expect_line err "did you mean 'main'?"
expect_empty out
expect_status 1 "$PERF" report missing.data
expect_line err "perf: error: no symbol in 'perf.data' contains 'missing.data', and there is no such file"
expect_status 1 "$PERF" report -i other.data perf.data
expect_line err "perf: error: no symbol in 'other.data' contains 'perf.data'"
expect_status 129 "$PERF" report other.data main plain
expect_text err "'plain' is one word too many"

# other filters leave an empty table, as in stock perf, and a warning
for f in "-S mian|no symbol in 'perf.data' is called 'mian'|main" "-d spni|no sample of 'perf.data' is in a binary 'spni'|spin" \
	"-c spni|no sample of 'perf.data' is of a thread named 'spni'|spin"; do
	option=${f%%|*} near=${f##*|}
	first=${f#*|} first=${first%|*}
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" report --stdio $option
	expect_text err "$first"
	expect_line err "did you mean '$near'?"
	expect_text out "# Overhead"
done
for o in pid:process tid:thread; do
	expect_status 0 "$PERF" report --stdio --${o%:*} 999999999
	expect_text err "no sample of 'perf.data' is of a ${o#*:} '999999999'"
done
expect_status 0 "$PERF" report --stdio -S main,nothing
expect_empty err

# other commands that read a recording
expect_status 0 "$PERF" buildid-list other.data
expect_line err "reading 'other.data'"
cp out want
"$PERF" buildid-list -i other.data >got
cmp want got || fail "buildid-list of an argument differs from -i"
expect_status 0 "$PERF" inject -b other.data -o injected.data
expect_line err "reading 'other.data'"
expect_status 0 "$PERF" report -q injected.data
expect_status 1 "$PERF" buildid-list missing.data
expect_line err "perf: error: cannot open 'missing.data': No such file or directory"
expect_status 129 "$PERF" buildid-list -i other.data plain
expect_text err "takes no word such as 'plain'"
