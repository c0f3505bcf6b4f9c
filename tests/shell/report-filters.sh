# report -S, -d, --comms, --symbol-filter: a row passes by its own function and binary, with callers too
. "$PERF_SRC/tests/lib.sh"
need_record
[ -n "$CC" ] || skip "no compiler"

# main of the program calls qsort of the C library, that calls back: each binary is below the other one.
cat >prog.c <<'C'
#include <stdlib.h>
static volatile long sink;
__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 300; i++) sink += i; }
int compare(const void *a, const void *b)
{
	leaf();
	sink++;
	return *(const int *)a - *(const int *)b;
}
int main(void)
{
	static int v[4000];

	for (int round = 0; round < 40; round++) {
		for (int i = 0; i < 4000; i++)
			v[i] = (int)(i * 7919L % 4001);
		qsort(v, 4000, sizeof(*v), compare);
	}
	return 0;
}
C
"$CC" -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o prog prog.c
"$PERF" record -q -o p.data -e cpu-clock:u --call-graph dwarf -- ./prog

rows() { # report's options: rows as "children|self|column|..." in rows
	"$PERF" report -q --stdio -g none -t '|' -i p.data "$@" >out 2>err </dev/null || fail "report $*: $(cat err)"
	sed 's/ *| */|/g; s/^ *//; s/ *$//' out | grep -a '|' >rows || :
}
only() { # the last column of every row; at least one
	[ -s rows ] || fail "no row"
	! cut -d'|' -f"$(head -n 1 rows | tr -cd '|' | wc -c | awk '{ print $1 + 1 }')" rows | grep -vxE "$1" ||
		fail "rows of others than '$1'"
}
most() { # the first row's percentage is at least that
	awk -F'%' -v min="$1" 'NR == 1 && $1 + 0 < min { exit 1 }' rows || fail "$(cat rows): expected at least $1%"
}

rows -s sym -S main,nothing
expect_lines rows 1
only '\[\.\] main'
most 50
rows -s sym -S main,leaf
expect_lines rows 2
rows -s sym --symbol-filter omp
only '\[\.\] .*omp.*'
rows -s dso,sym -d prog,nothing
cut -d'|' -f3 rows | grep -vxF prog && fail "rows of other binaries"
grep -qF '[.] main' rows || fail "no main: $(cat rows)"
rows -s dso -S main,nothing
expect_lines rows 1
only prog
most 50
rows -s sym -S main,nothing --percentage relative
most 100
[ "$(awk -F'%' '{ print ($1 > 100) }' rows)" = 0 ] || fail "more than everything: $(cat rows)"

# Without callers: the same as their own cost above.
rows -s sym
cp rows all
rows -s sym -S leaf,nothing --no-children
expect_lines rows 1
grep -qF "|$(cut -d'|' -f1 rows)|[.] leaf" all || fail "leaf: $(cat rows), not as in $(cat all)"
rows -s comm -S leaf,nothing --no-children
grep -qF "|$(cut -d'|' -f1 rows)|[.] leaf" all || fail "leaf by thread: $(cat rows), not as in $(cat all)"

# Who calls it, as the manual page's example says.
"$PERF" report --stdio -g callee -S leaf -i p.data >out 2>err </dev/null
expect_text out "compare"
expect_text out "main"

rows -s sym --comms nobody
expect_empty rows
rows -s comm --comms prog
only prog
