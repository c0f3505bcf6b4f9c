# the browser's first screen leads from a library's function to the line that calls it; nine tasks take two keys at most
. "$PERF_SRC/tests/lib.sh"
need_terminal
need_record
need_command cc tmux
"$PERF" version --build-options | grep -q 'ncursesw: \[ on' || skip "perf was built without ncursesw"
own_tmux

# Nearly all of the time is memcmp's, which is_duplicate calls; that is inlined into load, and load into main.
cat >prog.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
enum { NR = 3000, SIZE = 40000 };
static char *lines[NR];
static inline int is_duplicate(const char *line, int nr)
{
	for (int i = 0; i < nr; i++)
		if (!memcmp(lines[i], line, SIZE)) /* the hot line */
			return 1;
	return 0;
}
static inline int load(void)
{
	int n = 0;
	for (int i = 0; i < 40; i++) {
		memset(lines[i], 'x', SIZE);
		lines[i][SIZE - 1] = (char)i;
		n += is_duplicate(lines[i], i);
	}
	return n;
}
static void *work(void *arg)
{
	int n = 0;
	for (int i = 0; i < 100; i++)
		n += load();
	return arg + n;
}
int main(void)
{
	pthread_t thread;
	for (int i = 0; i < NR; i++)
		lines[i] = calloc(1, SIZE);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return 0;
}
C
cc -O2 -g -o prog prog.c -lpthread
hot=$(grep -n 'the hot line' prog.c | cut -d: -f1)
expect_status 0 "$PERF" record -g -e cpu-clock:u -F 2000 -o perf.data ./prog

open_it() { # OPTION...
	next_tmux
	tm new-session -d -s s -x 80 -y 24 "LC_ALL=C.UTF-8 '$PERF' report $* 2>errors; sleep 60"
	await_text '  functions'
}
# expect_screen REGEX: in the end the screen has it; it may have been drawn in part
expect_screen() {
	await shows "$1" || fail "no '$1': $(cat screen)"
}
shows() {
	tm capture-pane -p -t s >screen
	grep -q -e "$1" screen
}

# task TEXT KEY...: after at most two keys, the text is on the screen
task() {
	text=$1
	shift
	[ $# -le 2 ] || fail "$# keys for '$text'"
	open_it
	await_text " prog.c:$hot  if (!memcmp("
	for key; do tm send-keys -t s "$key"; done
	await_text "$text"
}
# The nine usual tasks, in the order of how often they are done.
task '[.] __memcmp' # the hottest function; the width of the columns depends on what has samples
task '> is_duplicate ' # its caller
task '               is_duplicate (inlined)' Enter # the whole chain, as a tree
task "source and assembly" v # the source of the hottest own function
expect_screen "^ is_duplicate  (prog)"
expect_screen ":[^0-9]*$hot  .*if (!memcmp(" # a loop has a line before it
task "source and assembly" a # assembly of the row
expect_screen "^ .*memcmp.*(libc"
task 'samples  | process ' p t # only one thread
task 'samples  | binary libc' d # only this binary
rm -f perf.hist.*
task "The table was written to 'perf.hist.0'" P Enter # exports it
grep -q '\[\.\] __memcmp' perf.hist.0 || fail "no memcmp in the export: $(cat perf.hist.0)"
task "source and assembly" c a # the source of the caller
expect_screen ":[^0-9]*$hot  .*if (!memcmp(" # a loop has a line before it
# More: the line of the own function, without a key; callers and callees.
task "prog.c:$hot  if (!memcmp(lines[i]"
task 'from is_duplicate' c

# Rows of something else, and back.
open_it
for rows in threads processes binaries 'source lines' functions; do
	tm send-keys -t s R
	await_text "  $rows"
done

# Without debug information: the function that calls it, without a line.
cc -O2 -o plain prog.c -lpthread
expect_status 0 "$PERF" record -g -e cpu-clock:u -F 2000 -o perf.data ./plain
open_it
await_text ' > work '
if grep -q 'prog.c' screen; then fail "a line without debug information: $(cat screen)"; fi
