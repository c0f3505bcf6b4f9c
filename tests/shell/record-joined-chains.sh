# perf record -g: chains that the end of the stack copy cuts off do not get another caller's frames; each file counts its own chains
# timeout: 240
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
case $(uname -m) in x86_64 | aarch64) ;; *) skip "stacks of $(uname -m) are not unwound" ;; esac

# read_config and write_output have frames of one size. Each ends in a leaf of its own, by way of a function that is larger than the
# copy, and by way of the recursion "deeper": chains with the other's leaf are false.
cat >two.c <<'C'
#include <stdlib.h>
#include <time.h>
static volatile unsigned long x;
__attribute__((noinline)) void leaf_read(void)
{
	for (int i = 0; i < 20000; i++)
		x += i;
}
__attribute__((noinline)) void leaf_write(void)
{
	for (int i = 0; i < 20000; i++)
		x ^= i;
}
__attribute__((noinline)) void deeper(int n, void (*leaf)(void))
{
	volatile char some[64];

	some[0] = 1;
	leaf();
	if (n)
		deeper(n - 1, leaf);
	x += some[0];
}
__attribute__((noinline)) void large(void (*leaf)(void))
{
	volatile char much[4000];

	much[0] = 1;
	leaf();
	x += much[0];
}
__attribute__((noinline)) void parse(void (*leaf)(void))
{
	leaf();
	x++;
}
__attribute__((noinline)) void read_config(void)
{
	parse(leaf_read);
	deeper(40, leaf_read);
	x++;
}
__attribute__((noinline)) void write_output(void)
{
	large(leaf_write);
	deeper(40, leaf_write);
	x++;
}
int main(int argc, char **argv)
{
	clock_t end = clock() + atol(argv[argc - 1]) * (CLOCKS_PER_SEC / 1000);

	while (clock() < end) {
		read_config();
		write_output();
	}
	return 0;
}
C
for flags in -fno-omit-frame-pointer -fomit-frame-pointer; do
	cc -O1 -fno-optimize-sibling-calls $flags -o two two.c
	expect_status 0 "$PERF" record -g --call-graph auto,1536 -e cpu-clock:u -F 2000 -o a.data ./two 1000
	"$PERF" report --stdio --no-made-up-names --percent-limit 0 -g folded,0.0,caller,count --no-children -i a.data 2>/dev/null |
		awk '/^[0-9]+ / { print $1, $2 }' >chains
	awk '{ all += $1 }
		/read_config/ { known += $1; if (/leaf_write|large/) wrong += $1 }
		/write_output/ { known += $1; if (/leaf_read|parse/) wrong += $1 }
		END { print all + 0, known + 0, wrong + 0; exit !(all >= 20 && known && wrong * 50 <= all) }' chains >counts ||
		fail "$flags: samples, with a caller, with a false one: $(cat counts)"
done

# ---- the count of chains is that of each file ----
expect_status 0 "$PERF" record -g -e cpu-clock:u -F 500 --switch-output=100K -o s.data ./two 1500
nr=0
for f in s.data.*; do
	samples=$("$PERF" report --stats -i "$f" 2>/dev/null | sed -n 's/^ *SAMPLE events: *\([0-9]*\).*/\1/p' | head -n 1)
	chains=$("$PERF" report --stack-stats -i "$f" 2>/dev/null | sed -n 's/^Call chains: \([0-9]*\) unwound.*/\1/p')
	[ "${chains:-0}" -le "${samples:-0}" ] || fail "$f has $samples samples and says $chains chains"
	nr=$((nr + 1))
done
[ $nr -ge 2 ] || fail "--switch-output made $nr files"
