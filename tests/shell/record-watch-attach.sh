# perf record -p -e mem:NAME: variables of processes that run, of their later threads and libraries
# timeout: 200
. "$PERF_SRC/tests/lib.sh"
need_record
need_command "${CC:-cc}"

cat >plugin.c <<'C'
volatile int plugin_counter;
void plugin_work(int n)
{
	for (int i = 0; i < n; i++)
		plugin_counter = i;
}
C
# Waits for a file "go", works, and waits for "on" before it uses its plugin and ends.
cat >server.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile int hits;
static void wait_for(const char *file)
{
	while (access(file, F_OK))
		usleep(1000);
}
static void *thread(void *arg)
{
	for (int i = 0; i < 50; i++)
		hits = i;
	return arg;
}
int main(int argc, char **argv)
{
	void (*work)(int);
	void *plugin;
	pthread_t t;

	wait_for("go");
	for (int i = 0; i < 200; i++)
		hits = i;
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	if (argc > 1) {
		plugin = dlopen(argv[1], RTLD_NOW);
		work = (void (*)(int))dlsym(plugin, "plugin_work");
		usleep(400000); /* by then perf has seen its map */
		work(30);
	}
	return 0;
}
C
"${CC:-cc}" -g -O1 -fPIC -shared -o libplugin.so plugin.c
"${CC:-cc}" -g -O1 -fPIE -pie -pthread -o server server.c -ldl || skip "the compiler makes no such program"
"$PERF" record -e mem:0x1000:w -o probe.data true >out 2>err || skip "no breakpoints here: $(head -n 1 err)"

samples() {
	"$PERF" report --stats -i "$1" | awk '/SAMPLE events:/ { n = $3; exit } END { print n + 0 }'
}
pids=
trap 'kill $pids 2>/dev/null || :' EXIT
start() {
	./server "$@" &
	pids="$pids $!"
	last=$!
	while [ "$(readlink "/proc/$last/exe")" != "$PWD/server" ]; do sleep 0.01; done
	sleep 0.2 # in its loop
}
# perf prints nothing when it begins to count: its file is there then
attach() {
	rm -f a.data
	"$PERF" record -o a.data "$@" >out 2>err &
	recorder=$!
	i=0
	while [ ! -s a.data ] && [ $i -lt 200 ]; do sleep 0.02; i=$((i + 1)); done
	sleep 0.2
}

# Two processes at different addresses, and threads that come later.
start
first=$last
start
attach -p "$first,$last" -e mem:hits:w
touch go
wait $recorder || fail "$(cat err)"
[ "$(samples a.data)" = 500 ] || fail "$(samples a.data) writes, expected 2 * 250"
"$PERF" report --stdio -s pid,sym -i a.data >out
[ "$(grep -c 'main' out)" = 2 ] && [ "$(grep -c '\] thread' out)" = 2 ] || fail "not by whom: $(cat out)"
rm go

# One thread of it.
start
attach -t "$last" --per-thread -e mem:hits:w
touch go
wait $recorder || fail "$(cat err)"
[ "$(samples a.data)" = 200 ] || fail "$(samples a.data) writes of one thread, expected 200"
rm go

# A library that is not there yet.
start ./libplugin.so
attach -p "$last" -e mem:plugin_counter@./libplugin.so:w
expect_text err "waits until '$PWD/libplugin.so' is mapped"
touch go
wait $recorder || fail "$(cat err)"
[ "$(samples a.data)" = 30 ] || fail "$(samples a.data) writes of the plugin, expected 30: $(cat err)"
rm go

# And one that never comes.
start
attach -p "$last" -e mem:plugin_counter@./libplugin.so:w
touch go
wait $recorder || fail "$(cat err)"
expect_text err "was never watched: '$PWD/libplugin.so' was not mapped"
rm go

# What is wrong
start
expect_status 1 "$PERF" record -o no.data -p "$last" -e mem:hitz:w
expect_text err "no variable or function 'hitz' in '$PWD/server'"
expect_text err "did you mean 'hits'?"
rm server
expect_status 1 "$PERF" record -o no.data -p "$last" -e mem:hits:w
expect_text err "was replaced or removed since it started"
touch go
wait "$last"
