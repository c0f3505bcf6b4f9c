# stock perf reads recordings of variables and functions by name, and counts the same
. "$PERF_SRC/tests/lib.sh"
need_record
need_command "${CC:-cc}"
need_stock

cat >prog.c <<'C'
#include <pthread.h>
volatile int counter;
volatile char bytes[32];
__attribute__((noinline)) void writer_a(void) { for (int i = 0; i < 30; i++) counter = i; }
__attribute__((noinline)) void writer_b(void) { for (int i = 0; i < 10; i++) counter = i; }
static void *thread(void *arg) { writer_b(); return arg; }
int main(void)
{
	pthread_t t;

	writer_a();
	pthread_create(&t, 0, thread, 0);
	pthread_join(t, 0);
	for (int i = 0; i < 32; i++)
		bytes[i] = 1;
	return 0;
}
C
# Stock perf takes /tmp/perf-ANYTHING for a map of compiled code and looks for no symbols there.
work=$(mktemp -d "${TMPDIR%/perf-*}/watched.XXXXXX") && trap 'rm -rf "$work"' EXIT
cp prog.c "$work" && cd "$work"
"${CC:-cc}" -g -O1 -pthread -o prog prog.c
"$PERF" record -o p.data -e mem:counter:w ./prog >out 2>err || skip "no breakpoints here: $(head -n 1 err)"

# rows FILE: "SAMPLES EVENT SYMBOL" for each function, from both programs; but PLT stubs, which stock names otherwise
rows() {
	"$1" report --stdio --no-children -g none -n -s sym -i "$2" 2>err | awk '
		/ of event / { sub(/.*of event ./, ""); sub(/.$/, ""); event = $0 }
		/^ +[0-9.]+%/ && !/@plt$/ { print $2, event, $NF }'
}
same() {
	rows "$PERF" p.data >ours
	rows "$STOCK" p.data >stock
	cmp -s ours stock || fail "ours: $(cat ours), stock: $(cat stock) $(cat err)"
	for t_; do expect_line stock "$t_"; done
}

may_record_kernel && u= || u=:u # the events' names say which part a user may record
same "30 mem:counter:w$u writer_a" "10 mem:counter:w$u writer_b"
expect_status 0 "$PERF" record -g -o p.data -e mem:counter:w,cpu-clock:u ./prog
same "30 mem:counter:w$u writer_a" "10 mem:counter:w$u writer_b"
expect_status 0 "$PERF" record -o p.data -e 'mem:bytes[0:32]:w' ./prog
same "32 mem:bytes[0:32]:w$u main"
"$PERF" record -q -o - -e mem:counter:w ./prog >pipe.data
"$STOCK" report --stdio -s sym -n -i - <pipe.data 2>/dev/null | grep -Eq ' 30 .*writer_a' || fail "stock does not read the pipe"

"$PERF" record -o p.data -e uprobe:./prog:writer_b ./prog >out 2>err || skip "the rest: no uprobes here: $(head -n 1 err)"
same "1 uprobe:./prog:writer_b writer_b"
expect_status 0 "$PERF" record -o p.data -e 'uprobe:prog:writer_a%return,uprobe:prog:writer_b' ./prog
same "1 uprobe:prog:writer_a%return main" "1 uprobe:prog:writer_b writer_b"
# The address of our own memory that the kernel was given is not in the file.
"$STOCK" evlist -v -i p.data >out 2>&1
! grep -q 'config1 *}: 0x[0-9a-f]*[1-9a-f]' out || fail "an address in perf's own memory: $(cat out)"
