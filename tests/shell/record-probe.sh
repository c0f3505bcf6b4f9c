# perf record -e uprobe:BINARY:FUNCTION: exactly the calls, and the returns
. "$PERF_SRC/tests/lib.sh"
need_record
need_command "${CC:-cc}" "${CXX:-c++}" taskset

cat >lib.c <<'C'
static __attribute__((noinline)) int helper(int n) { __asm__ volatile(""); return n + 1; }
int lib_work(int n) { return helper(n) + helper(n + 1); }
C
cat >other.c <<'C'
static __attribute__((noinline)) int twice(int n) { __asm__ volatile(""); return n + 2; }
int other_work(int n) { return twice(n); }
C
cat >prog.c <<'C'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
int lib_work(int n);
int other_work(int n);
volatile int variable;
static __attribute__((noinline)) int twice(int n) { __asm__ volatile(""); return n + 1; }
__attribute__((noinline)) int called(int n) { variable = n; return n ? called(n - 1) + 1 : 0; }
static void *thread(void *arg) { called(9); return arg; }
int main(void)
{
	pthread_t t;

	for (int i = 0; i < 100; i++)
		called(0);
	pid_t child;

	if (pthread_create(&t, NULL, thread, NULL))
		return 1;
	pthread_join(t, NULL);
	child = fork();
	if (child < 0)
		return 2;
	if (!child) {
		called(4);
		_exit(0);
	}
	wait(NULL);
	for (int i = 0; i < 3; i++)
		variable = twice(i) + other_work(i) + lib_work(i);
	return 0;
}
C
cat >names.cc <<'C'
namespace ns {
__attribute__((noinline)) int over(int n) { __asm__ volatile(""); return n; }
__attribute__((noinline)) int over(long n) { __asm__ volatile(""); return (int)n; }
struct thing { int value; int get() const; };
__attribute__((noinline)) int thing::get() const { __asm__ volatile(""); return value; }
}
int main()
{
	ns::thing t{ 1 };
	for (int i = 0; i < 6; i++)
		t.get();
	return ns::over(0) + ns::over(0L);
}
C
"${CC:-cc}" -g -O0 -fPIC -shared -o libprobed.so lib.c
"${CC:-cc}" -g -O0 -pthread -o prog prog.c other.c -L. -lprobed -Wl,-rpath,"$PWD"
"${CXX:-c++}" -g -O0 -o names names.cc
"$PERF" record -o p.data -e uprobe:./prog:main ./prog >out 2>err || skip "no uprobes here: $(head -n 1 err)"

samples() {
	"$PERF" report --stats -i "$1" | awk '/SAMPLE events:/ { n = $3; exit } END { print n + 0 }'
}
count_is() { # N EVENT COMMAND...
	n_=$1 event_=$2
	shift 2
	expect_status 0 "$PERF" record -o p.data -e "$event_" "$@"
	[ "$(samples p.data)" = "$n_" ] || fail "$(samples p.data) samples of $event_ in '$*', expected $n_"
}

# Of the first thread, a later one, and a child: 100, 10 and 5; however the binary is named.
for binary in ./prog prog "$PWD/prog"; do
	count_is 115 "uprobe:$binary:called" ./prog
	count_is 115 "uprobe:$binary:called%return" ./prog
done
count_is 115 uprobe:./prog:called sh -c ./prog
count_is 6 uprobe:libprobed.so:helper ./prog
count_is 6 uprobe:libprobed:helper%return ./prog
count_is 3 uprobe:./libprobed.so:lib_work sh -c ./prog
count_is 6 uprobe:names:ns::thing::get ./names
count_is 1 uprobe:names:_ZN2ns4overEl ./names
count_is 3 uprobe:prog:twice@prog.c ./prog
count_is 6 uprobe:prog:twice@prog.c,uprobe:prog:twice@other.c ./prog

server=
trap 'touch stop; kill $server 2>/dev/null || :' EXIT
# Only the command's own calls count, however many other processes make them.
for i in 1 2; do
	(while [ ! -e stop ]; do ./prog; done) &
done
for i in 1 2 3 4 5; do
	count_is 345 uprobe:./prog:called sh -c './prog; ./prog; ./prog'
done
touch stop
wait
expect_status 0 "$PERF" record -i -o p.data -e uprobe:./prog:called ./prog
[ "$(samples p.data)" = 100 ] || fail "$(samples p.data) calls of the first thread, expected 100"
expect_status 1 "$PERF" record -o no.data -e '{uprobe:./prog:called,cpu-clock}' ./prog
expect_text err "cannot be in a group"

# Named as given; a call is where the function begins, a return in the caller.
expect_status 0 "$PERF" record -g -o p.data -e uprobe:prog:called,uprobe:prog:called%return ./prog
"$PERF" report --stdio --no-children -g none -s sym -i p.data >out
expect_text out "of event 'uprobe:prog:called'"
expect_text out "of event 'uprobe:prog:called%return'"
expect_text out "100.00%  [.] called"
grep -Eq '[0-9]%  \[\.\] main' out || fail "no return to main: $(cat out)"

# A process that runs
cat >server.c <<'C'
#include <unistd.h>
__attribute__((noinline)) void served(void) { __asm__ volatile(""); }
int main(void)
{
	while (access("go", F_OK))
		usleep(1000);
	for (int i = 0; i < 77; i++)
		served();
	return 0;
}
C
"${CC:-cc}" -g -O0 -o server server.c
./server &
server=$!
while [ "$(readlink /proc/$server/exe)" != "$PWD/server" ]; do sleep 0.01; done
rm -f p.data
attach -o p.data -p $server -e uprobe:server:served
touch go
wait $recorder || fail "$(cat err)"
[ "$(samples p.data)" = 77 ] || fail "$(samples p.data) calls in a process that runs, expected 77"

# Whoever calls it, on all or some processors, with a command and without
if "$PERF" record -q -o p.data -a -e cpu-clock true 2>&-; then
	for binary in ./prog prog "$PWD/prog"; do
		expect_status 0 "$PERF" record -o p.data -a -e "uprobe:$binary:called" ./prog
		[ "$(samples p.data)" = 115 ] || fail "$(samples p.data) samples of $binary with -a, expected 115"
	done
	expect_status 0 "$PERF" record -o p.data -a -e uprobe:./prog:called%return sh -c './prog; ./prog'
	[ "$(samples p.data)" = 230 ] || fail "$(samples p.data) returns with -a, expected 230"
	expect_status 0 "$PERF" record -o p.data -a -e uprobe:libprobed:helper ./prog
	[ "$(samples p.data)" = 6 ] || fail "$(samples p.data) calls in a library with -a, expected 6"
	expect_status 0 "$PERF" record -o p.data -C 0 -e uprobe:./prog:called taskset -c 0 ./prog
	[ "$(samples p.data)" = 115 ] || fail "$(samples p.data) samples with -C 0, expected 115"
	for o in -a "-C 0"; do
		rm -f p.data
		# shellcheck disable=SC2086
		attach -o p.data $o -e uprobe:./prog:called
		taskset -c 0 ./prog
		kill -INT $recorder
		wait $recorder || :
		[ "$(samples p.data)" = 115 ] || fail "$(samples p.data) samples with $o and no command, expected 115: $(cat err)"
	done
	expect_status 1 "$PERF" record -o no.data -a -e uprobe:./prog:caled ./prog
	expect_text err "no function 'caled' in '$PWD/prog'"
	expect_text err "did you mean 'called'?"
	if grep -q "variables of programs" err; then fail "advice about variables for a probe: $(cat err)"; fi
fi

# What is wrong
refused() { # EVENT TEXT...
	e_=$1
	shift
	expect_status 1 "$PERF" record -o no.data -e "$e_" ./prog
	for t_; do expect_text err "$t_"; done
	[ ! -e no.data ] || fail "something ran for $e_"
}
refused uprobe:prog:caled "no function 'caled' in '$PWD/prog'" "did you mean 'called'?"
refused uprobe:prog:variable "'variable' is data, not a function"
refused uprobe:prog:twice "'twice' has 2 places" "uprobe:prog:twice@prog.c, uprobe:prog:twice@other.c"
refused uprobe:./names:ns::over "'ns::over' has 2 places" uprobe:./names:_ZN2ns4overEi
refused uprobe:prog:called+9999 "+9999 is outside of it"
refused uprobe:nosuchprogram:main "there is no library or command 'nosuchprogram'"
refused uprobe:./prog.c:main "prog.c' is not an ELF file"

# perf doctor finds functions, too, and takes variables as far as it can without a program.
expect_status 0 "$PERF" doctor -e uprobe:./prog:called
expect_text out "the recording asked for works"
"$PERF" doctor -e uprobe:./prog:caled >out 2>&1 || :
expect_text out "did you mean 'called'?"

# An offset that may be in the middle of an instruction is warned of; one where a source line begins is not.
if command -v nm >/dev/null 2>&1 && command -v objdump >/dev/null 2>&1; then
	set -- $(objdump -d -l --no-show-raw-insn prog 2>/dev/null | awk '
		/<main>:$/ { start = $1; on = 1; next }
		on && /prog\.c:[0-9]+/ { lines++ }
		on && lines == 2 && /^ *[0-9a-f]+:/ { sub(":", "", $1); print start, $1; exit }')
	if [ $# = 2 ]; then
		offset=$((0x$2 - 0x$1))
		expect_status 0 "$PERF" record -o p.data -e "uprobe:prog:main+$offset" ./prog
		[ "$(samples p.data)" = 1 ] || fail "$(samples p.data) samples at main+$offset"
		! grep -q "if no instruction begins" err || fail "warned of main+$offset"
	fi
fi

# kprobes, where the kernel has none
if [ ! -e /sys/bus/event_source/devices/kprobe ]; then
	expect_status 129 "$PERF" record -o no.data -e kprobe:vfs_read ./prog
	expect_text err "this kernel has no PMU 'kprobe'"
	expect_text err "CONFIG_KPROBE_EVENTS"
else
	expect_status 1 "$PERF" record -o no.data -e kprobe:no_such_kernel_function ./prog
	expect_text err "the kernel has no function 'no_such_kernel_function'"
	expect_status 0 "$PERF" record -o p.data -e kprobe:vfs_read ./prog
	[ "$(samples p.data)" -gt 0 ] || fail "no vfs_read in a program's start"
fi
