# perf diff: stock perf's table has stock's numbers, with each of its options
. "$PERF_SRC/tests/lib.sh"
need_stock
need_record
own_folder
cat >load.c <<'CODE'
#include <stdlib.h>

static volatile long sum;

#define WORK(name) \
	__attribute__((noinline)) static void name(long n) { for (long i = 0; i < n; i++) sum += i; }
WORK(first)
WORK(second)
WORK(third)
#ifdef NEW
WORK(added)
#else
WORK(removed)
#endif

int main(void)
{
	for (int i = 0; i < 400; i++) {
		first(FIRST);
		second(200000);
		third(100000);
#ifdef NEW
		added(50000);
#else
		removed(50000);
#endif
		free(malloc(1 << 20));
	}
	return 0;
}
CODE
mkdir old new
"${CC:-cc}" -O1 -g -DFIRST=300000 -o old/load load.c || skip "no compiler"
"${CC:-cc}" -O1 -g -DFIRST=400000 -DNEW -o new/load load.c
"$PERF" record -q -F 2000 -e cpu-clock:u,task-clock:u -o a.data ./old/load
"$PERF" record -q -F 2000 -e cpu-clock:u,task-clock:u -o b.data ./new/load
"$PERF" record -q -F 2000 -e task-clock:u -o c.data ./new/load
"$STOCK" diff a.data b.data >/dev/null 2>&1 || skip "stock perf cannot compare recordings"

# Rows with equal numbers have no order in stock perf.
same() { # option... file...
	"$STOCK" diff "$@" >stock 2>/dev/null || fail "stock perf diff $*"
	! grep -q nan stock || return 0 # of a recording without samples in these times
	expect_status 0 "$PERF" diff --stock "$@"
	sed 's/ *$//' stock | LC_ALL=C sort >want
	sed 's/ *$//' out | LC_ALL=C sort >got
	diff want got || fail "not stock's numbers: $*"
}
for pair in "a.data b.data" "b.data a.data" "a.data c.data" "a.data b.data c.data"; do
	while read -r options; do
		# shellcheck disable=SC2086
		same $options $pair
	done <<'OPTIONS'

-c delta
-c ratio -p -F
-p
-F
-o 0
-b
-b -F
-q
-t ,
-s dso
-s symbol
-S first,second
-d load --percentage relative
-C load
--time 10%/2
--time 0%-30%
OPTIONS
done
same -c wdiff:1,2 -F a.data b.data
same -c wdiff:-3,1 b.data a.data
same --time 0%-30%:50%-100% a.data b.data

# rows come in the order of what is asked for
"$STOCK" diff -o 0 a.data b.data 2>/dev/null | grep -E ' (first|second|third)$' >want
"$PERF" diff --stock -o 0 a.data b.data | grep -E ' (first|second|third)$' >got
cmp want got || fail "not in the order of the baseline"

expect_status 1 "$PERF" diff --stock -o 2 a.data b.data
expect_text err "only 2 recordings"
expect_status 129 "$PERF" diff -c wdiff a.data b.data
expect_status 129 "$PERF" diff -c nearest a.data b.data
expect_status 1 "$PERF" diff --stock a.data missing.data
expect_text err "missing.data"
head -c 3000 b.data >cut.data
expect_status 1 "$PERF" diff --stock a.data cut.data
expect_text err "cut.data"
