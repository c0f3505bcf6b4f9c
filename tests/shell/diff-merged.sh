# perf diff: one merged recording a side does not tell how runs differ, so that each function gets a doubt for it
. "$PERF_SRC/tests/lib.sh"
need_record
program work diff/work -O1 -g -DSORT=100 -DPARSE=100
for side in old new; do
	for i in 1 2; do
		"$PERF" record -q --no-embed -F 4000 -e cpu-clock:u -o $side.$i.data ./work 600
	done
	"$PERF" merge -o $side.data $side.1.data $side.2.data 2>/dev/null
done
doubt() { # the doubt about sort
	tr '{' '\n' <out | sed -n '/"function":"sort"/,$s/.*"doubt":\([0-9.e-]*\)}.*/\1/p' | head -n 1
}
expect_status 0 "$PERF" diff --json old.data new.data
[ "$(doubt)" = 0.05 ] || fail "two runs a side, 5% each: the doubt is $(doubt), not 0.05"
expect_status 0 "$PERF" diff --json old.1.data new.1.data
[ "$(doubt)" = 0 ] || fail "the doubt of recordings that are not merged is $(doubt)"
expect_status 0 "$PERF" diff --json old.data old.1.data -- new.data new.1.data
[ "$(doubt)" = 0 ] || fail "several recordings a side tell how they differ, but the doubt is $(doubt)"
