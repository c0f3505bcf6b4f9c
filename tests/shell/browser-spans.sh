# the browser: n lists the slowest spans, Enter goes to the time of one; N counts only slow or fast ones
. "$PERF_SRC/tests/lib.sh"
need_terminal
need_record
need_wakings
hides_kernel && skip "kernel addresses are hidden, and with them what tells locks from other waits"
need_command cc tmux
"$PERF" version --build-options | grep -q 'ncursesw: \[ on' || skip "perf was built without ncursesw"
own_tmux
# Every 50th request sleeps 300 ms.
cat >serve.c <<'END'
#include <time.h>
#include <unistd.h>
__attribute__((noipa)) void compute(void)
{
	for (volatile int i = 0; i < 1000000; i++)
		;
}
__attribute__((noipa)) void wait_for_disk(void)
{
	usleep(300000);
	__asm__ volatile("");
}
__attribute__((noipa)) void handle_request(int i)
{
	compute();
	if (i % 50 == 0)
		wait_for_disk();
	__asm__ volatile("");
}
int main(void)
{
	for (int i = 1; i <= 100; i++)
		handle_request(i);
	return 0;
}
END
"$CC" -O1 -g -fno-omit-frame-pointer -o serve serve.c
"$PERF" record -q --span handle_request -e cpu-clock -o s.data ./serve 2>err || skip "spans cannot be recorded here: $(head -n 1 err)"
"$PERF" record -q -e cpu-clock -o plain.data ./serve 2>/dev/null

tm new-session -d -s s -x 80 -y 24 "LC_ALL=C.UTF-8 '$PERF' report -i s.data 2>errors; sleep 60"
await_text ' functions'
tm send-keys -t s n
await_text 'took  begins       thread'
await_text '% sleep, '
await_text 'cpu-clock and waits (event 1 of 4)' # the event of the spans is none of them
grep -q '^ *[3-9][0-9.]* ms  +[0-9.]* *serve [0-9]* .*% sleep' screen || fail "the slowest span is another: $(cat screen)"
tm send-keys -t s Enter
await_text '   handle_request     ▐██'
tm send-keys -t s Down
await_text 'a span of '
grep -q 's: a span of [3-9][0-9.]* ms   Enter: ' screen || fail "another span: $(cat screen)"
tm send-keys -t s BSpace
await_text '▐▐'
tm send-keys -t s N
await_text 'in slow handle_request: at least '
tm send-keys -t s Down Down Enter l
await_text 'time in spans handle_request of at least '
await_text 'usleep (sleep)'
tm send-keys -t s '!'
await_text '--span=handle_'
tm send-keys -t s N Down Down Down Enter
await_text 'time in spans handle_request of at most '
tm send-keys -t s B
await_text 'This is '
tm send-keys -t s N Enter
await_text 'cpu-clock and waits'

# Other recordings say what they lack.
next_tmux
tm new-session -d -s s -x 80 -y 24 "LC_ALL=C.UTF-8 '$PERF' report -i plain.data 2>errors; sleep 60"
await_text ' functions'
tm send-keys -t s N
await_text 'record with --span FUNCTION'
tm send-keys -t s n
await_text 'perf record --span FUNCTION records the calls of a function'
