# perf record -p, -t, -u, -a, -C: what runs already, and its new threads
. "$PERF_SRC/tests/lib.sh"
need_record

# ended PIDS: kills what the test left, whatever happens
started=
trap 'kill $started 2>/dev/null || :' EXIT

stat_of() { # FILE NAME: the count of these records
	"$PERF" report --stats -i "$1" 2>/dev/null | awk -v n="$2" '$1 == n { print $3; exit }'
}

# ---- -p: a process that is there, until a command ends ----
sh -c 'while :; do :; done' &
target=$!
spinner=$target
started="$started $target"
expect_status 0 "$PERF" record -e cpu-clock:u -p $target -o p.data sleep 0.5
[ "$(stat_of p.data SAMPLE)" -gt 5 ] || fail "no samples with -p"
expect_status 0 "$PERF" report --stdio -s pid,dso -i p.data
grep -q " $target:" out || fail "no line for $target: $(cat out)"
if grep '%' out | grep -v " $target:"; then fail "others than $target were recorded"; fi
if grep '%.*\[unknown\]' out; then fail "the maps of $target are missing"; fi

expect_status 0 "$PERF" record -e cpu-clock -t $target -o t.data sleep 0.3
[ "$(stat_of t.data SAMPLE)" -gt 5 ] || fail "no samples with -t"
expect_status 0 "$PERF" record -e cpu-clock --per-thread -p $target -o t.data sleep 0.3
[ "$(stat_of t.data SAMPLE)" -gt 5 ] || fail "no samples with --per-thread"

# Named twice is recorded once.
expect_status 0 "$PERF" record -e cpu-clock -F 1000 -p $target -t $target -o t.data sleep 0.5
n=$(stat_of t.data SAMPLE)
[ "$n" -lt 800 ] || fail "$n samples in half a second at 1000 Hz: counted twice"

# The exit status is that of the command, also here.
expect_status 7 "$PERF" record -e cpu-clock -p $target -o t.data sh -c 'exit 7'

# ---- the target's end is the recording's ----
sh -c 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done' &
short=$!
expect_status 0 timeout 600 "$PERF" record -e cpu-clock -p $short -o e.data
expect_text err "Captured and wrote"
# ... even with a command that would go on
sleep 1 &
expect_status 143 timeout 600 "$PERF" record -e cpu-clock -p $! -o e.data sleep 50

# ---- nobody there ----
true &
dead=$!
wait $dead
for o in -p -t; do
	expect_status 1 "$PERF" record $o $dead -o dead.data
	expect_lines err 1
	expect_text err "$dead"
done
expect_status 1 "$PERF" record -u no-such-user-here -o dead.data true
expect_text err "no such user: 'no-such-user-here'"
expect_status 1 "$PERF" record -p 12x -o dead.data true
expect_text err "'12x'"
[ ! -e dead.data ] || fail "a file was written for nobody"
# One that is gone among others does not matter.
expect_status 0 "$PERF" record -e cpu-clock -p "$dead,$target" -o t.data sleep 0.2

# ---- a user's ----
expect_status 0 "$PERF" record -e cpu-clock:u -u "$(id -u)" -o u.data sleep 0.3
[ "$(stat_of u.data SAMPLE)" -gt 3 ] || fail "no samples with -u"

# ---- threads: those that are there and those that come ----
if command -v "${CC:-cc}" >/dev/null 2>&1; then
	cat >threads.c <<-'C'
		#include <pthread.h>
		#include <sys/prctl.h>
		#include <unistd.h>
		static void *early(void *p) { prctl(PR_SET_NAME, "early"); for (volatile long i = 0;; i++); return p; }
		static void *late(void *p) { prctl(PR_SET_NAME, "late"); for (volatile long i = 0;; i++); return p; }
		int main(void)
		{
			pthread_t t;
			char c;
			pthread_create(&t, 0, early, 0);
			if (read(0, &c, 1) == 1)
				pthread_create(&t, 0, late, 0);
			for (;;)
				pause();
		}
	C
	"${CC:-cc}" -o threads threads.c -lpthread
	mkfifo go
	./threads <go &
	target=$!
	started="$started $target"
	exec 9>go
	sleep 0.3
	expect_status 0 "$PERF" record -e cpu-clock:u -p $target -o th.data sh -c 'sleep 0.3; echo >&9; sleep 1'
	expect_status 0 "$PERF" report --stdio -s comm,sym -i th.data
	grep -Eq 'early +\[\.\] early' out || fail "the thread that was there is missing: $(cat out)"
	grep -Eq 'late +\[\.\] late' out || fail "the thread that came is missing: $(cat out)"
	# -t takes just one, and -i none that comes
	expect_status 0 "$PERF" record -e cpu-clock:u -t $target -o th.data sleep 0.2
	[ "$(stat_of th.data SAMPLE)" = '' ] || [ "$(stat_of th.data SAMPLE)" -lt 10 ] || fail "-t records other threads"
	exec 9>&-
fi

# ---- everything ----
if ! "$PERF" record -e cpu-clock -a -o a.data sleep 0.5 >out 2>err; then
	[ "$(id -u)" != 0 ] || fail "-a as root: $(cat err)"
	skip "-a is not permitted here (all before it passed)"
fi
[ "$(stat_of a.data SAMPLE)" -gt 20 ] || fail "hardly any samples with -a"
[ "$(stat_of a.data COMM)" -gt 5 ] || fail "the running processes are missing from -a"
expect_status 0 "$PERF" report --stdio -s pid -i a.data
grep -q " $spinner:" out || fail "the busy process is not in -a: $(cat out)"
expect_status 0 "$PERF" record -e cpu-clock -C 0 -o c.data sleep 0.3
expect_status 0 "$PERF" report --stdio -s cpu -i c.data
[ "$(grep -c '%' out)" = 1 ] || fail "-C 0 has more than CPU 0: $(cat out)"
expect_status 1 "$PERF" record -C 99999 -o c.data true
expect_lines err 1
# narrower targets win over wider ones, as in stock
expect_status 0 "$PERF" record -e cpu-clock -a -p $spinner -o p.data sleep 0.2
expect_text err "warning"
expect_status 0 "$PERF" report --stdio -s pid -i p.data
if grep '%' out | grep -v " $spinner:"; then fail "-a -p recorded others"; fi
expect_status 0 sh -c 'echo $$ >me; exec "$PERF" record -e cpu-clock -a --exclude-perf -o x.data sleep 0.3'
expect_status 0 "$PERF" report --stdio -s pid -i x.data
if grep -q " $(cat me):" out; then fail "--exclude-perf has perf: $(cat out)"; fi
exit 0
