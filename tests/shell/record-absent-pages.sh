# perf record -g: an array on the stack that was never written does not end chains; copies in the file say why they end
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
case $(uname -m) in x86_64 | aarch64) ;; *) skip "stacks of $(uname -m) are not unwound" ;; esac
cat >prog.c <<'C'
#include <pthread.h>
static volatile unsigned long sink;
__attribute__((noipa)) static void spins(char *room, long n)
{
	for (long i = 0; i < n; i++)
		sink += i;
	sink += (unsigned long)room;
}
__attribute__((noipa)) static void has_room(long n)
{
	char room[12000]; /* nobody writes it: three pages are not in memory */
	spins(room, n);
	sink++;
}
static void *thread(void *arg)
{
	has_room(600000000);
	return arg;
}
int main(void)
{
	pthread_t t;
	return pthread_create(&t, NULL, thread, NULL) || pthread_join(t, NULL);
}
C
cc -O2 -fomit-frame-pointer -pthread -o prog prog.c
number() { sed -n "s/^ *\([0-9]*\) $1.*/\1/p" out; }

expect_status 0 "$PERF" record --call-graph dwarf,16384 -e cpu-clock:u -F 1000 -o copies.data ./prog
expect_status 0 "$PERF" report --stack-stats -i copies.data
[ "$(number 'cut off at a page of the stack that is not in memory')" -gt "$(number complete)" ] ||
	skip "all pages of the array are in memory: $(cat out)"
grep -Eq '^[0-9]+% cut at a page of the stack that is not in memory: perf record -g$' out || fail "no cause: $(cat out)"

expect_status 0 "$PERF" record -g -e cpu-clock:u -F 1000 -o a.data ./prog
expect_status 0 "$PERF" report --stack-stats -i a.data
[ "$(number complete)" -gt "$(number 'cut off at a page of the stack that is not in memory')" ] ||
	skip "perf may not read the program's memory: $(cat out)"
whole=$("$PERF" report --no-children --stdio -g folded,0.0,caller -i a.data 2>/dev/null | awk '/thread;has_room;spins$/ { n += $1 } END { print int(n) }')
[ "$whole" -ge 50 ] || fail "$whole% of the samples have the callers: $(cat out)"
