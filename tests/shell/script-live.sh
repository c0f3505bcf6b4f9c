# perf script of a pipe: prints while the recorder still runs, the same text as of a file, and ends with its reader
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc mkfifo
cat >spin.c <<'CODE'
#include <stdio.h>
#include <time.h>
static volatile unsigned long sum;
int main(int argc, char **argv) /* runs until the file "end" is there, at most 60 s */
{
	struct timespec t, now;
	clock_gettime(CLOCK_MONOTONIC, &t);
	for (unsigned long i = 1;; i++) {
		FILE *f;
		for (int k = 0; k < 1000000; k++)
			sum += (unsigned long)k;
		f = fopen(argv[1], "r");
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (f || now.tv_sec > t.tv_sec + 60)
			return !f;
	}
}
CODE
cc -O2 -g -o spin spin.c

# The program ends only when its samples were printed.
rm -f end
: >piped # before it is looked at
("$PERF" record -q -F 500 -e cpu-clock:u -o - ./spin end 2>err; echo $? >status) | tee copy.data | "$PERF" script -F comm,time,ip,sym >piped 2>err2 &
script=$!
for _ in $(seq 550); do
	[ "$(wc -l <piped)" -lt 20 ] || break
	sleep 0.1
done
[ "$(wc -l <piped)" -ge 20 ] || late="nothing is printed while the program runs: $(cat err err2)"
touch end
wait $script || fail "exit status of perf script: $(cat err2)"
[ -z "${late:-}" ] || fail "$late"
[ "$(cat status)" = 0 ] || fail "the program was not seen to end"
"$PERF" script -F comm,time,ip,sym -i copy.data | cmp - piped || fail "another text than of the file"
awk '{ t = $2 + 0; if (t < last) exit 1; last = t }' piped || fail "not in the order of time"
grep -q ' main$' piped || fail "no names: $(head -n 3 piped)"

# What depends on all of the recording waits for its end.
"$PERF" script -F time --reltime -i copy.data >expected
cat copy.data | "$PERF" script -F time --reltime | cmp - expected || fail "other times"
cat copy.data | "$PERF" script -F comm,time,ip,sym | cmp - piped || fail "another text of a pipe that is there at once"

# When the reader goes, the script ends; the recorder lets the program run.
rm -f end
: >piped # before it is looked at
(sleep 2 && touch end) &
"$PERF" record -q -F 500 -e cpu-clock:u -o - ./spin end 2>err | "$PERF" script -F comm,ip 2>err2 | head -n 5 >out
[ "$(wc -l <out)" -eq 5 ] || fail "$(wc -l <out) lines: $(cat err2)"
[ ! -s err2 ] || fail "the script says: $(cat err2)"
wait
