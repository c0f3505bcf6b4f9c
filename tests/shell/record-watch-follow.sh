# perf record -e mem:NAME@PROGRAM: programs that the command starts, plugins; and who is traced meanwhile does not notice
# timeout: 200
. "$PERF_SRC/tests/lib.sh"
need_record
need_command "${CC:-cc}"

cat >plugin.c <<'C'
volatile int plugin_counter;
static volatile int made;
__attribute__((constructor)) static void early(void) { made = 1; }
void plugin_work(int n)
{
	for (int i = 0; i < n; i++)
		plugin_counter = i;
}
C
# child N [SECONDS]: writes N times, and once before main; sleeps; says whether it is traced
cat >child.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
volatile int writes;
__attribute__((constructor)) static void early(void) { writes = 1; }
int main(int argc, char **argv)
{
	char line[256];
	int traced = -1;
	FILE *f = fopen("/proc/self/status", "r");

	for (int i = 0; argc > 1 && i < atoi(argv[1]); i++)
		writes = i;
	if (argc > 2)
		sleep(atoi(argv[2]));
	while (fgets(line, sizeof(line), f))
		sscanf(line, "TracerPid: %d", &traced);
	printf("traced: %d\n", traced != 0);
	return 3;
}
C
# Signals, stops, threads and children of all kinds; then it becomes the program in its arguments.
cat >signals.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int traps, alarms;
static void on_trap(int signo) { traps++; }
static void on_alarm(int signo) { alarms++; }
static void *thread(void *arg) { raise(SIGTRAP); return arg; }
int main(int argc, char **argv)
{
	char *words[] = { "true", NULL };
	pthread_t t;
	pid_t pid;
	int status;

	signal(SIGTRAP, on_trap);
	signal(SIGALRM, on_alarm);
	raise(SIGTRAP);
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	printf("traps: %d\n", traps);
	ualarm(20000, 0);
	printf("pause: %d\n", pause());
	printf("alarms: %d\n", alarms);
	pid = fork();
	if (!pid) {
		raise(SIGSTOP);
		raise(SIGTERM);
	}
	waitpid(pid, &status, WUNTRACED);
	printf("stopped: %d\n", WIFSTOPPED(status));
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);
	printf("killed by: %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	posix_spawnp(&pid, "true", NULL, NULL, words, NULL);
	waitpid(pid, &status, 0);
	printf("spawned: %d\n", status);
	fflush(stdout);
	if (argc > 1)
		execv(argv[1], argv + 1);
	return 5;
}
C
cat >user.c <<'C'
#include <dlfcn.h>
#include <unistd.h>
int main(void)
{
	void *plugin = dlopen("./libplugin.so", RTLD_NOW);
	void (*work)(int) = (void (*)(int))dlsym(plugin, "plugin_work");

	usleep(400000); /* by then perf has seen its map */
	work(30);
	return 0;
}
C
cat >linked.c <<'C'
void plugin_work(int n);
int main(void)
{
	plugin_work(25);
	return 0;
}
C
cc_="${CC:-cc} -g -O1"
$cc_ -fPIC -shared -o libplugin.so plugin.c
$cc_ -fPIE -pie -o child child.c || skip "the compiler makes no such program"
$cc_ -pthread -o signals signals.c
$cc_ -o user user.c -ldl
$cc_ -o linked linked.c -L. -lplugin -Wl,-rpath,"$PWD"
"$PERF" record -e mem:0x1000:w -o probe.data true >out 2>err || skip "no breakpoints here: $(head -n 1 err)"

samples() {
	"$PERF" report --stats -i "$1" | awk '/SAMPLE events:/ { n = $3; exit } END { print n + 0 }'
}
count_is() { # N STATUS EVENT COMMAND...
	n_=$1 status_=$2 event_=$3
	shift 3
	expect_status "$status_" "$PERF" record -o w.data -e "$event_" "$@"
	[ "$(samples w.data)" = "$n_" ] || fail "$(samples w.data) samples of $event_ in '$*', expected $n_: $(cat err)"
}

# The command itself is let go before its first instruction.
count_is 41 3 mem:writes:w ./child 40
expect_line out "traced: 0"

# Programs that a shell, a script or another program starts, one after the other.
count_is 41 3 mem:writes@./child:w sh -c './child 40'
expect_line out "traced: 0"
count_is 92 3 mem:writes@./child:w sh -c './child 40; true; ./child 50'
count_is 41 3 mem:writes@./child:w sh -c 'exec ./child 40'
printf '#!/bin/sh\n./child 7\n./child 8\nexit 9\n' >script
chmod +x script
count_is 17 9 mem:writes@./child:w ./script
count_is 41 3 mem:writes@./child:w env ./child 40
PATH=$PWD:$PATH count_is 41 3 mem:writes@child:w sh -c 'child 40'

# What is traced until then behaves as it does otherwise.
./signals ./child 40 >plain || :
count_is 41 3 mem:writes@./child:w ./signals ./child 40
cmp plain out || fail "traced: $(cat out); not traced: $(cat plain)"
./signals >plain || :
count_is 0 5 mem:writes@./child:w ./signals
cmp plain out || fail "traced: $(cat out); not traced: $(cat plain)"
expect_text err "was never watched: '$PWD/child' was not mapped"

# Two at once, at two addresses: one is watched, and that is said. They write little: on some virtual machines the
# kernel sends a SIGTRAP to a program that is switched out while it writes, with any recorder.
expect_status 0 "$PERF" record -o w.data -e mem:writes@./child:w sh -c './child 40 2 & ./child 40 2; wait'
case $(samples w.data) in
41) expect_text err "is watched in process" ;;
82) ;; # one was over before the other began
*) fail "$(samples w.data) writes of two at once: $(cat err)" ;;
esac

# A library that a later program is linked with; one that is opened later
count_is 25 0 mem:plugin_counter@./libplugin.so:w sh -c './linked'
count_is 1 0 mem:made@./libplugin.so:w sh -c './linked'
count_is 25 0 mem:plugin_counter:w ./linked
count_is 1 0 mem:made:w ./linked
count_is 30 0 mem:plugin_counter@./libplugin.so:w ./user
count_is 55 0 mem:plugin_counter@./libplugin.so:w sh -c './linked; ./user'

# Both in one recording
expect_status 3 "$PERF" record -o w.data -e mem:plugin_counter@./libplugin.so:w,mem:writes@./child:w \
	sh -c './linked; ./child 40'
[ "$(samples w.data)" = 66 ] || fail "$(samples w.data) of a library and a program, expected 66"

# Ended by a signal while it is traced
"$PERF" record -o w.data -e mem:writes@./child:w sh -c 'echo $$ >pid; sleep 30; ./child 1' >out 2>err &
recorder=$!
i=0
while [ ! -s pid ] && [ $i -lt 200 ]; do sleep 0.02; i=$((i + 1)); done
kill -INT "$recorder"
status=0
wait "$recorder" || status=$?
[ "$status" = 130 ] || fail "status $status after SIGINT, expected 130: $(cat err)"
! kill -0 "$(cat pid)" 2>/dev/null || fail "the command is still there"
