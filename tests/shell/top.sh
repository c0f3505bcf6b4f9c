# perf top --stdio: what runs is on top; a command, a process, a closed pipe, Ctrl-C; counts of all slices together; mistakes
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
program prog progs/stacks -O1 -g -fno-omit-frame-pointer -pthread
cat >touch.c <<'C'
/* Touches 1000 pages in each of five slices, or in two slices that follow each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
__attribute__((noinline)) static void touch(volatile char *p)
{
	for (int i = 0; i < 1000; i++)
		p[i * 4096] = 1;
}
/* how many tables perf top has printed */
static int tables(void)
{
	FILE *f = fopen("out", "r");
	char line[4096];
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += !!strstr(line, "PerfTop:");
	if (f)
		fclose(f);
	return n;
}
int main(void)
{
	for (int i = 0; i < 5; i++) {
		int before = tables();
		char *p = mmap(0, 1000 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(p, 1000 * 4096, MADV_NOHUGEPAGE);
		touch(p);
		munmap(p, 1000 * 4096);
		for (int tries = 0; i < 4 && tables() == before && tries < 1200; tries++)
			usleep(50000);
	}
	return 0;
}
C
cc -O1 -o touch touch.c

last_table() { # FILE
	awk '/PerfTop:/ { text = "" } { text = text $0 "\n" } END { printf "%s", text }' "$1"
}

# A command: each function has a row; the end of the command is the end of perf top.
expect_status 0 timeout 600 "$PERF" top --stdio -d 1 -g -e cpu-clock:u -E 30 ./prog 400
expect_text out "PerfTop:"
[ "$(grep -c PerfTop: out)" -ge 2 ] || fail "one table only: $(cat out)"
grep -q '%.*prog  *\[\.\]' out || fail "no row of the program: $(cat out)"
grep -q -- '--[0-9.]*%--' out || fail "no call tree: $(cat out)"

# Samples of all slices together, as many as there were.
expect_status 0 timeout 600 "$PERF" top --stdio -d 1 -n --accumulate -e page-faults:u -c 1 -s sym ./touch
[ "$(grep -c PerfTop: out)" -ge 3 ] || fail "no slices: $(cat out)"
last_table out | grep -q ' 5000  \[\.\] touch$' || fail "not 5000 faults: $(last_table out)"
# Without it, older ones count less; with -z, not at all.
expect_status 0 timeout 600 "$PERF" top --stdio -d 1 -n -e page-faults:u -c 1 -s sym ./touch
last_table out | awk '/\] touch$/ { n = $2 } END { exit !(n > 1000 && n < 5000) }' || fail "no decay: $(last_table out)"
expect_status 0 timeout 600 "$PERF" top --stdio -d 1 -n -z -e page-faults:u -c 1 -s sym ./touch
awk '/\] touch$/ && $2 > 3000 { exit 1 }' out || fail "-z keeps old samples: $(cat out)"

# A process, through a pipe that closes; Ctrl-C.
./prog 100000 4 &
prog=$!
trap 'kill $prog 2>/dev/null || :' EXIT
timeout 600 "$PERF" top --stdio -d 1 -p $prog -e cpu-clock:u 2>err | head -n 8 >out
expect_text out "prog"
until_text() { # REGEX OPTION...: perf top of the process, until its tables have such a line
	text=$1
	shift
	: >out # a shell starts background jobs with SIGINT ignored; env does not
	env --default-signal=INT "$PERF" top --stdio -d 1 -p $prog -e cpu-clock:u "$@" >out 2>err &
	top=$!
	await grep -Eq "$text" out || fail "no line '$text': $(cat out err)"
	kill -INT $top
	wait $top || fail "exit status $? after Ctrl-C: $(cat err)"
}
until_text '%.*prog'
until_text "^ +[0-9.]+% +[0-9.]+ +$prog:prog *\$" -s time,pid
kill $prog
wait $prog || :

# Who dies takes the recorder along.
"$PERF" top --stdio -d 1 -e cpu-clock:u sleep 100 >out 2>err &
top=$!
await grep -q PerfTop: out || fail "no table: $(cat out err)"
recorder=$(sed -n "s/^PPid:.$top\$/x/p; s/^Pid:.//p" /proc/[0-9]*/status 2>/dev/null | grep -B1 x | sed -n 1p)
[ -n "$recorder" ] || fail "no process records for $top: $(cat out err)"
kill -KILL $top
await test ! -d "/proc/$recorder" || fail "the recorder still runs: $(cat "/proc/$recorder/status" "/proc/$recorder/stack")"

expect_status 129 "$PERF" top --stdio -d 0
expect_text err "the shortest delay is a second"
expect_status 129 "$PERF" top --stdio -K -U
expect_status 1 "$PERF" top --stdio -p 999999999 -e cpu-clock
expect_text err "no such process"
expect_status 1 timeout 600 "$PERF" top --stdio -s nonsense -e cpu-clock:u ./prog 200
expect_text err "unknown --sort key 'nonsense'"
expect_status 1 timeout 600 "$PERF" top --stdio -e cpu-clock:u ./missing
expect_text err "missing"
