# perf diff: where only one side has debug information, inlined functions are left out on both, and that is said
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
need_command strip
mkdir named stripped
cc -O1 -g -fno-omit-frame-pointer -DSORT=100 -DPARSE=300 -DINLINE -o named/work "$PERF_SRC/tests/diff/work.c" || skip "no compiler"
strip -g -o stripped/work named/work
for build in named stripped; do
	"$PERF" record -q --no-embed -F 5000 -e cpu-clock:u -o $build.data "./$build/work" 1000
done
# Where all have it, hash is a function of its own.
expect_status 0 "$PERF" diff --json named.data named.data
expect_text out '"inlined":true'
grep -q '"function":"hash"' out || skip "this perf reads no inlined functions"
for pair in 'named.data stripped.data' 'stripped.data named.data'; do
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" diff $pair
	expect_text out "without inlined functions, as --no-inline: 'stripped.data' has no debug information of 'work'"
	! grep -Eq ' (new|gone|moved) +(hash|index_words)' out || fail "inlined functions look changed: $(cat out)"
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" diff --json $pair
	expect_text out '"inlined":false'
	! grep -q '"function":"hash"' out || fail "inlined functions are compared"
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" diff --fail-on slower:100 $pair
done
expect_status 0 "$PERF" diff --no-inline named.data stripped.data
! grep -q 'without inlined functions' out || fail "what was asked for is said"
# A build without names against itself with names: equal code is one function, which has the name.
mkdir nameless
strip -s -o nameless/work named/work
"$PERF" record -q --no-embed -F 5000 -e cpu-clock:u -o nameless.data ./nameless/work 1000
for pair in 'named.data nameless.data' 'nameless.data named.data'; do
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" diff --json $pair
	for function in parse emit lookup; do
		expect_text out "\"function\":\"$function\""
	done
	! grep -Eq '"verdict":"(renamed|new|gone|moved)"' out || fail "stripped functions look changed: $(cat out)"
done
