# perf record: functions that run on stacks of their own, which begin with an address that was put there by hand
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc
own_folder

judge() { # NAME PATTERN COMMAND...: all chains of leaf end as the pattern says, and are whole
	name=$1 pattern=$2
	shift 2
	"$PERF" record --no-embed -g -e cpu-clock:u -F 500 -o p.data "$@" >record.out 2>&1
	"$PERF" report --stack-stats -i p.data >stats 2>err || fail "$name: $(cat err)"
	awk '/ % complete|% complete/ { n = 0; for (i = 1; i <= NF; i++) if ($i ~ /%$/) n += $i; exit !(n >= 97) }' stats ||
		fail "$name: $(cat stats)"
	"$PERF" script -F ip,sym -i p.data >chains 2>err
	awk -v pattern="$pattern" '!NF { if (c ~ /^leaf /) n++; if (c ~ pattern) right++; c = ""; next }
		{ sub(/^[ \t]*[0-9a-f]+ */, ""); sub(/@.*|\+0x.*/, ""); c = c $0 " " }
		END { print n + 0, right + 0; exit !(n > 100 && right == n) }' chains >count ||
		fail "$name: chains of leaf, and right ones: $(cat count)"
}

# Coroutines of makecontext, with an argument and without, one that is called by another
cat >co.c <<'C'
#include <time.h>
#include <ucontext.h>
static ucontext_t all, own[2];
static char stacks[2][1 << 16];
static volatile unsigned long sink;
__attribute__((noipa)) static void leaf(void) { for (int i = 0; i < 50000; i++) sink += i; }
__attribute__((noipa)) static void work(int i) { leaf(); swapcontext(&own[i], &all); sink++; }
static void one(void) { for (;;) work(0); }
static void two(int i) { for (;;) work(i); }
int main(void)
{
	for (int i = 0; i < 2; i++) {
		getcontext(&own[i]);
		own[i].uc_stack.ss_sp = stacks[i];
		own[i].uc_stack.ss_size = sizeof(stacks[i]);
		own[i].uc_link = &all;
	}
	makecontext(&own[0], one, 0);
	makecontext(&own[1], (void (*)(void))two, 1, 1);
	while (clock() < CLOCKS_PER_SEC)
		for (int i = 0; i < 2; i++)
			swapcontext(&all, &own[i]);
	return 0;
}
C
for flags in "-O2 -fomit-frame-pointer" "-O1 -fno-omit-frame-pointer"; do
	# shellcheck disable=SC2086
	cc $flags -o co co.c || skip "the C library has no makecontext"
	judge "co $flags" '^leaf work (one|two) [^ ]+ $' ./co
done
