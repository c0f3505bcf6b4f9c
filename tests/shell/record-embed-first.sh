# What a recording says itself of lines and inlined functions is taken before any binary is asked, but not where it knows nothing.
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc strip

cat >prog.c <<'C'
#include <time.h>
static volatile unsigned sink;
__attribute__((noinline)) static void burn(unsigned n)
{
#line FIRST
	while (n--)
		sink = sink * 3 + n;
}
int main(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 5;
	while (clock() < end)
		burn(10000);
}
C
build() { # FIRST LINE: programs of one build-id
	sed "s/FIRST/$1/" prog.c >first.c
	cc -O1 -g -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 -o prog first.c
}
lines() { "$PERF" report --stdio -i "$1" -g none --no-children -s sym,srcline 2>err >lines; }

build 100
expect_status 0 "$PERF" record -e cpu-clock:u -F 2000 -o a.data ./prog
expect_status 0 "$PERF" record -e cpu-clock:u -F 2000 --no-embed -o without.data ./prog
build 900
lines a.data
grep -q '\[\.\] burn  *first\.c:10[0-2]' lines || { cat lines && fail "not the lines that were recorded"; }
lines without.data
grep -q '\[\.\] burn  *first\.c:90[0-2]' lines || { cat lines && fail "not the lines of the binary"; }

# Debug information that is installed later counts.
build 100
cp prog full
strip --strip-debug prog
expect_status 0 "$PERF" record -e cpu-clock:u -F 2000 -o b.data ./prog
cp full prog
lines b.data
grep -q '\[\.\] burn  *first\.c:10[0-2]' lines || { cat lines && fail "not the lines that were installed later"; }
