# perf record: what a ring had no room for is counted exactly as the kernel does, kept in the file, told with its cause
# timeout: 60
. "$PERF_SRC/tests/lib.sh"
need_tracepoints
need_command mkfifo

# Begins when something is written to the fifo "go", makes so many calls, says so in "done", and waits again.
cat >calls.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	char line[32];
	FILE *go = fopen("go", "r"), *done = fopen("done", "w");
	long n;

	while (fgets(line, sizeof(line), go) && sscanf(line, "%ld", &n) == 1) {
		while (n-- > 0)
			syscall(SYS_getppid);
		fprintf(done, "done\n");
		fflush(done);
	}
	return 0;
}
C
"$CC" -O2 -o calls calls.c
mkfifo go done ctl ack
./calls &
calls=$!
rec=
trap 'kill -CONT $rec $calls 2>/dev/null; kill $rec $calls 2>/dev/null || :' EXIT
exec 3>go 4<done 5<>ctl 6<>ack

# start FILE OPTION...: records the program in the background; it is armed when this returns.
start() {
	file=$1
	shift
	"$PERF" record -p $calls -c 1 -e syscalls:sys_enter_getppid --control fifo:ctl,ack "$@" -o "$file" 2>"$file.err" &
	rec=$!
	echo ping >&5
	read -r answer <&6
}
calls() { # N
	echo "$1" >&3
	read -r answer <&4
}
pause() {
	kill -STOP $rec
	for i_ in $(seq 6000); do
		grep -q '^State:.*T' /proc/$rec/status && return
		sleep 0.05
	done
}
stop() {
	kill -INT $rec
	wait $rec || :
	rec=
}
# Sets samples, lost (LOST_SAMPLES), gaps (LOST) of the file. Tabs of every size in front of the columns.
count() {
	"$PERF" report -D -i "$1" >dump 2>/dev/null
	samples=$(awk '/^ +SAMPLE events:/ { n = $3; exit } END { print n + 0 }' dump)
	lost=$(awk '/PERF_RECORD_LOST_SAMPLES: / { sub(/.*:/, ""); n += $0 } END { print n + 0 }' dump)
	gaps=$(awk '/PERF_RECORD_LOST: / { sub(/.*:/, ""); n += $0 } END { print n + 0 }' dump)
}

# ---- a recorder that is stopped: the ring fills up, and all that is dropped is known ----
start a.data -m 1
calls 10
pause
calls 5000
sleep 1.7
kill -CONT $rec
stop
count a.data
[ $((samples + lost)) = 5010 ] || fail "$samples samples and $lost lost are not the 5010 calls"
[ "$lost" -gt 3000 ] || fail "a ring of one page had room for $samples"
[ "$gaps" -le "$lost" ] || fail "$gaps in LOST records, $lost of them all"
expect_text a.data.err "lost $lost samples of syscalls:sys_enter_getppid"
expect_text a.data.err "perf did not drain the rings for "
expect_status 0 "$PERF" report --stdio -i a.data
expect_line out "# Total Lost Samples: $lost"
expect_text out "# lost $lost samples of syscalls:sys_enter_getppid"
expect_text out "# Completeness: lost 0 records and $lost samples; not truncated"
expect_status 0 "$PERF" report --stats -i a.data
expect_text out "LOST_SAMPLES events: $(printf %10d "$lost")"
if need=$(command -v perf) && [ "$(readlink -f "$need")" != "$(readlink -f "$PERF")" ]; then
	expect_status 0 "$need" report --stdio -i a.data
	expect_line out "# Total Lost Samples: $lost"
fi

# What the line says helps.
pages=$(sed -n 's/.*lost .* is too small: type -m \([0-9]*[KM]\).*/\1/p' a.data.err)
[ -n "$pages" ] || fail "no size is advised: $(cat a.data.err)"
start b.data -m "$pages"
pause
calls 5000
kill -CONT $rec
stop
count b.data
[ "$samples $lost" = "5000 0" ] || fail "with -m $pages, $samples of 5000 samples, $lost lost"
if grep -q lost b.data.err; then fail "nothing was lost: $(cat b.data.err)"; fi

# ---- nothing is missing, and nothing is said, whomever counters are for ----
"${CC:-cc}" -O2 -pthread -o busy -x c - <<'C'
#include <pthread.h>
#include <time.h>
static void *spin(void *arg) { clock_t end = clock() + CLOCKS_PER_SEC / 5; while (clock() < end) ; return arg; }
int main(void)
{
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, spin, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
C
for o in "" "-p $calls -C 0"; do
	# shellcheck disable=SC2086
	"$PERF" record -F 100 -e cpu-clock $o -o f.data ./busy >out 2>err || continue # as far as it is allowed
	! grep -q ' lost \|switched off\| of the time' err || fail "'$o': $(cat err)"
done

# ---- several events: each is counted alone ----
start c.data -m 1 -e syscalls:sys_enter_getppid
pause
calls 2000
kill -CONT $rec
stop
count c.data
[ $((samples + lost)) = 4000 ] || fail "$samples samples and $lost lost are not twice the 2000 calls"
[ "$(grep -c 'lost [0-9]* [a-z]* of syscalls:sys_enter_getppid' c.data.err)" = 2 ] || fail "not told for each event: $(cat c.data.err)"

# ---- several threads that empty rings ----
start e.data -m 1 --threads
pause
calls 2000
kill -CONT $rec
stop
count e.data
[ $((samples + lost)) = 2000 ] || fail "$samples samples and $lost lost are not the 2000 calls"
expect_text e.data.err "lost $lost "

# ---- a row of files: each has its own part ----
start d.data -m 1 --switch-output
pause
calls 2000
kill -CONT $rec
kill -USR2 $rec
for i in $(seq 6000); do
	grep -q 'Dump d.data' d.data.err && break
	sleep 0.05
done
calls 10
stop
all=0
for f in d.data.2*; do
	count "$f"
	all=$((all + samples + lost))
	files="$files $lost"
done
[ "$all" = 2010 ] || fail "$all samples and lost ones in the files are not the 2010 calls"
# shellcheck disable=SC2086
set -- $files
[ "$1" -gt 1500 ] && [ "$2" -lt 10 ] || fail "the second file says what the first one lost: $files"
exit 0
