# report and script of a recording with --off-cpu=locks: which lock was waited for, and who ended the wait
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
# A program that says what it does: "LOCK|HOLDER" of each kind of wait. The waits are one after the other, each for what the
# thread "helper" has or does; the helper waits until /proc says that the main thread sleeps in the system call for futexes.
cat >held.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static struct { long size; struct { long key; pthread_mutex_t lock; } slots[3]; } pool;
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static struct { pthread_cond_t more; } queue = { PTHREAD_COND_INITIALIZER };
static sem_t permits;
static pthread_barrier_t gate;
static pthread_mutex_t *heap_lock;
static atomic_int step;

static void wait_until_main_sleeps(void)
{
	char text[128] = "";
	do {
		FILE *f = fopen("/proc/self/syscall", "r");
		usleep(20000);
		if (f && !fgets(text, sizeof(text), f))
			*text = 0;
		if (f)
			fclose(f);
	} while (atoi(text) != SYS_futex);
	usleep(30000);
}

static void *help(void *arg)
{
	pthread_setname_np(pthread_self(), "helper");
	pthread_mutex_lock(&pool.slots[2].lock); step = 1;
	wait_until_main_sleeps(); pthread_mutex_unlock(&pool.slots[2].lock);
	pthread_rwlock_wrlock(&table_lock); while (step != 2) usleep(100); step = 3;
	wait_until_main_sleeps(); pthread_rwlock_unlock(&table_lock);
	while (step != 4) usleep(100);
	wait_until_main_sleeps(); pthread_mutex_lock(&queue_lock); pthread_cond_signal(&queue.more); pthread_mutex_unlock(&queue_lock);
	while (step != 5) usleep(100);
	wait_until_main_sleeps(); sem_post(&permits);
	while (step != 6) usleep(100);
	wait_until_main_sleeps(); pthread_barrier_wait(&gate);
	pthread_mutex_lock(heap_lock); while (step != 7) usleep(100); step = 8;
	wait_until_main_sleeps(); pthread_mutex_unlock(heap_lock);
	printf("%ld\n", syscall(SYS_gettid));
	while (step != 9) usleep(100);
	wait_until_main_sleeps();
	return arg;
}

__attribute__((noipa)) static void take_heap_lock(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	__asm__ volatile("" ::: "memory");
}

int main(void)
{
	pthread_t t;
	sem_init(&permits, 0, 0);
	pthread_barrier_init(&gate, NULL, 2);
	heap_lock = malloc(sizeof(*heap_lock));
	pthread_mutex_init(heap_lock, NULL);
	for (int i = 0; i < 3; i++)
		pthread_mutex_init(&pool.slots[i].lock, NULL);
	pthread_create(&t, NULL, help, NULL);
	while (step != 1) usleep(100);
	pthread_mutex_lock(&pool.slots[2].lock); step = 2;
	while (step != 3) usleep(100);
	pthread_rwlock_rdlock(&table_lock); pthread_rwlock_unlock(&table_lock);
	pthread_mutex_lock(&queue_lock); step = 4; pthread_cond_wait(&queue.more, &queue_lock);
	step = 5; sem_wait(&permits);
	step = 6; pthread_barrier_wait(&gate);
	step = 7; while (step != 8) usleep(100);
	take_heap_lock(heap_lock);
	step = 9; pthread_join(t, NULL);
	return 0;
}
END
cc -g -O1 -fno-omit-frame-pointer -pthread -o held held.c
need_wakings
expect_status 0 "$PERF" record -g --off-cpu=locks -e cpu-clock -o l.data ./held
helper=$(head -n 1 out)
[ "$helper" -gt 0 ] || fail "the program did not say its thread"
hides_kernel && skip "kernel addresses are hidden, and with them what tells locks from other waits"

# Each wait of the main thread is one row. Without -g the C library's own functions may have no names: then the kind is "futex".
"$PERF" report --no-children -g none -F waiting,lock,holder --comms held -i l.data 2>err | sed -n 's/^ *[0-9.]* *//p' | sed 's/  *$//; s/   */|/g' >rows
while IFS='|' read -r lock holder; do
	grep -qxF "$lock|$holder" rows || { cat rows; fail "no row '$lock' of '$holder'"; }
done <<END
mutex pool.slots[2].lock|helper $helper
condition variable queue.more|signalled by helper $helper
barrier gate|last to arrive: helper $helper
thread helper|ended: helper $helper
END
grep -qx "rwlock table_lock|helper $helper" rows || grep -q "^futex table_lock|" rows || { cat rows; fail "no rwlock"; }
grep -qx "semaphore permits|posted by helper $helper" rows || grep -q "^futex permits|" rows || { cat rows; fail "no semaphore"; }
grep -qE "^mutex of take_heap_lock \(held.c:[0-9]+\)\|helper $helper\$" rows || { cat rows; fail "no lock by its place"; }

"$PERF" report -g none -i l.data 2>/dev/null | grep -qx '# Locks: -s lock,holder says which ones, and who held them' ||
	fail "the default table does not say what to type"

# --lock, with and without the kind; the table of who let go has the lock, too
for lock in 'mutex pool.slots[2].lock' 'pool.slots[2].lock'; do
	"$PERF" report --stdio --no-children -g none -s comm,lock --lock "$lock" -i l.data >table 2>/dev/null
	[ "$(grep -c '%' table)" -eq 2 ] || { cat table; fail "--lock '$lock' keeps other rows"; }
	sed -n "/of event 'ended-waits'/,\$p" table | grep -q ' helper ' || fail "--lock '$lock': nobody let go"
done
"$PERF" report -g none --lock 'queue_lok' -i l.data >/dev/null 2>err
expect_text err "no wait in 'l.data' is for a lock 'queue_lok'"
"$PERF" report -g none --lock pool.slots[2].lock -i l.data 2>&1 >/dev/null | grep 'no wait in' && fail "warns of a lock that is there"
"$PERF" report --json --no-children -s lock,holder -i l.data 2>/dev/null |
	python3 -c 'import json, sys
rows = [r for t in json.load(sys.stdin)["tables"] for r in t["rows"]]
assert any(r.get("lock") == "mutex pool.slots[2].lock" and r.get("holder") == "helper '"$helper"'" for r in rows), rows' ||
	fail "--json has no locks"
"$PERF" script -F comm,event,lock,holder -i l.data >text 2>/dev/null
grep -q "held offcpu-time:  *lock: mutex pool.slots\[2\].lock holder: helper $helper" text || { cat text; fail "script has no lock"; }
"$PERF" script -F comm,event --lock queue.more -i l.data 2>/dev/null | sort | uniq -c | grep -q '1 *held offcpu-time:' || fail "script --lock"

# Labels of exports, without names that are to be left out
expect_status 0 "$PERF" export -i l.data --labels lock,holder -o l.pb.gz
gzip -dc l.pb.gz >l.pb
grep -aq 'mutex pool.slots\[2\].lock' l.pb && grep -aq "helper $helper" l.pb || fail "no locks in pprof"
expect_status 0 "$PERF" export -i l.data --labels lock,holder --redact '^pool|^helper$' -o l.pb.gz
gzip -dc l.pb.gz >l.pb
if grep -aqE 'pool\.slots|helper [0-9]' l.pb; then fail "--redact leaves names of locks in"; fi
if command -v sqlite3 >/dev/null && "$PERF" export -i l.data --labels lock,holder -o l.db 2>err; then
	[ "$(sqlite3 l.db "SELECT DISTINCT holder FROM sample WHERE lock = 'barrier gate' AND event = 'offcpu-time'")" = "last to arrive: helper $helper" ] ||
		fail "no locks in sqlite: $(sqlite3 l.db 'SELECT DISTINCT lock, holder FROM sample')"
fi

# The page has the lock inside of the wait, and who held it inside of that.
if command -v node >/dev/null; then
	"$PERF" report --html -o l.html -i l.data >/dev/null 2>&1
	PAGE=l.html node "$PERF_SRC/tests/web/read_page.mjs" >names
	for name in 'mutex pool.slots[2].lock' "held by helper $helper" "last to arrive: helper $helper"; do
		grep -qxF "$name" names || fail "the page has no '$name'"
	done
fi

# Call chains of stack copies
expect_status 0 "$PERF" record --call-graph dwarf --off-cpu=locks -e cpu-clock -o d.data ./held
helper=$(head -n 1 out)
expect_status 0 "$PERF" report --stdio --no-children -g none -s lock,holder -i d.data
grep -qE "mutex pool.slots\[2\].lock +helper $helper" out || { cat out; fail "no lock with --call-graph dwarf"; }

expect_status 1 "$PERF" report -s waker -i l.data
expect_text err "-s holder does"

# Recordings that do not have it say so.
"$PERF" record -g --off-cpu -e cpu-clock -o w.data true >/dev/null 2>&1
expect_status 1 "$PERF" report -s lock -i w.data
expect_text err "record with --off-cpu=locks"
expect_status 1 "$PERF" report --lock x -i w.data
expect_text err "record with --off-cpu=locks"
expect_status 1 "$PERF" export --labels lock -i w.data -o w.pb.gz
expect_text err "record with --off-cpu=locks"
expect_status 1 "$PERF" script -F lock -i w.data
expect_text err "record with --off-cpu=locks"
"$PERF" record -e cpu-clock -o c.data true >/dev/null 2>&1
expect_status 1 "$PERF" report -s holder -i c.data
expect_text err "--sort key 'holder' is of waits: perf record --off-cpu=locks"
