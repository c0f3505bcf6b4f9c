# perf record: names of functions when there were thousands of processes, which are looked at in parts
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc

cat >late.c <<'C'
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long sum;
#define SPIN(name) __attribute__((noinline)) void name(void)                    \
	{                                                                       \
		clock_t end = clock() + CLOCKS_PER_SEC / 8;                     \
		while (clock() < end)                                           \
			for (int i = 0; i < 10000; i++)                         \
				sum += i;                                       \
	}
SPIN(late_fork)
SPIN(late_thread)
SPIN(late_program)
static const char *file;
static void wait_for_file(void)
{
	while (access(file, F_OK))
		usleep(10000);
}
static void *thread(void *unused)
{
	wait_for_file();
	late_thread();
	return unused;
}
/* late WHAT FILE: functions that run when the file appears */
int main(int argc, char **argv)
{
	pthread_t t;

	file = argv[2];
	if (!strcmp(argv[1], "fork")) { /* in a process whose maps are those of one that ended */
		if (fork() || fork())
			return 0;
		wait_for_file();
		late_fork();
	} else if (!strcmp(argv[1], "thread")) { /* in a process whose first thread ended */
		pthread_create(&t, NULL, thread, NULL);
		pthread_exit(NULL);
	} else {
		wait_for_file();
		late_program();
	}
	return 0;
}
C
cat >many.c <<'C'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
/* many N COMMAND: runs it so often */
int main(int argc, char **argv)
{
	for (int n = atoi(argv[1]); n--;) {
		pid_t pid = vfork();

		if (!pid) {
			execv(argv[2], argv + 2);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}
C
cat >short.c <<'C'
static volatile unsigned long sum;
__attribute__((noinline)) void short_life(void)
{
	for (int i = 0; i < 100000; i++)
		sum += i;
}
int main(void) { short_life(); return 0; }
C
cc -O1 -pthread -o late late.c
cc -O1 -o many many.c
cc -O1 -g -o short short.c
cat >run.sh <<'SH'
./late fork go &
./late thread go &
./late program go &
./many 3500 ./short
: >go
wait
sleep 1 # for the grandchild
SH
away() { # as on a machine that has nothing of the recorded one
	HOME=$PWD/elsewhere "$PERF" report --symfs "$PWD/nowhere" --stdio --no-children -g none -i a.data "$@" 2>/dev/null
}

for chains in '' -g; do
	rm -f go
	# shellcheck disable=SC2086
	"$PERF" record -vv $chains -e cpu-clock:u -F 2000 -o a.data sh run.sh >out 2>err || fail "exit status $?: $(cat err)"
	parts=$(sed -n "s/.*read 'a.data' in \([0-9]*\) parts.*/\1/p" err)
	[ "${parts:-1}" -gt 1 ] || fail "the recording was looked at in ${parts:-no} parts"
	away -s sym >names
	for name in short_life late_fork late_thread late_program; do
		grep -q "\[\.\] $name\$" names || { cat names && fail "no $name with '$chains'"; }
	done
	if grep '\[\.\] 0x' names; then fail "addresses without names with '$chains'"; fi
	away -s srcline >lines
	grep -q 'short\.c:' lines || { cat lines && fail "no lines with '$chains'"; }
done
