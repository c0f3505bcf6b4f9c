# perf record -g with rings too small for the frequency: it gives way, that is said, and samples stand for all of the time
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
case $(uname -m) in x86_64 | aarch64) ;; *) skip "stacks of $(uname -m) are not unwound" ;; esac

cat >busy.c <<'C'
#include <stdio.h>
#include <time.h>
static volatile unsigned long sink;
int main(void)
{
	while (clock() < CLOCKS_PER_SEC * 2 / 5)
		for (int i = 0; i < 100000; i++)
			sink += i;
	printf("%.0f\n", (double)clock() / CLOCKS_PER_SEC * 1e9);
	return 0;
}
C
cc -O2 -o busy busy.c

# Samples stand for what the program's own clock says. How late a busy machine's timers are, and what else runs, decides how
# well: they stood for a tenth.
stands_for_all() { # WHAT FILE NS
	"$PERF" report --stdio -i "$2" >report 2>&1
	grep -q 'lost 0 records and 0 samples' report || return 0 # that is said
	"$PERF" script -i "$2" --comm busy -F period >periods 2>err || fail "$1: $(cat err)"
	awk -v what="$1" -v ns="$3" '{ sum += $1 } END {
		if (sum < ns * 0.4 || sum > ns * 1.4) { print what ": samples stand for " sum " of " ns " ns"; exit 1 }
	}' periods >wrong || fail "$(cat wrong)"
}

# The periods are those of the frequency that is said, which varies by a half.
has_told_periods() { # WHAT FILE ERR
	hz=$(sed -n 's/.*Sampled at \([0-9]*\) Hz for .* as the ring buffers had no room for more.*/\1/p' "$3")
	[ "$hz" ] || fail "$1: that the frequency was lower is not said: $(cat "$3")"
	"$PERF" script -i "$2" -F period >periods 2>err || fail "$1: $(cat err)"
	awk -v what="$1" -v hz="$hz" '$1 < 1e9 / hz * 0.66 || $1 > 1e9 / hz * 2.01 {
		print what ": a period of " $1 " ns at " hz " Hz"
		exit 1
	}' periods >wrong || fail "$(cat wrong)"
}

one() { # OPTIONS...: a recording of busy
	expect_status 0 "$PERF" record -g -o a.data "$@" ./busy
	cp err told
	stands_for_all "$*" a.data "$(awk -v nr="$nr_events" 'END { print $1 * nr }' out)"
}

nr_events=1
for ring in 4K 16K 64K 128K; do
	one -e cpu-clock:u -F 4000 -m $ring
	has_told_periods "-m $ring" a.data told
done
one -e cpu-clock:u -F 1000 -m 16K
one -e cpu-clock:u -F 20000 -m 512K
for how in --fixed-rate --threads; do
	one $how -e cpu-clock:u -F 4000 -m 128K
	has_told_periods "$how" a.data told
done

# Events that must not sample less often: a fixed period, groups. What has no room is lost, which is said.
one -e cpu-clock:u -c 250000 -m 16K
nr_events=2
one -e '{cpu-clock:u,task-clock:u}' -F 2000 -m 128K
nr_events=1

# A process that runs, and whole CPUs
./busy >cpu &
attach -g -e cpu-clock:u -F 4000 -m 128K -o b.data -p $!
wait "$recorder" || fail "record -p: $(cat err)"
has_told_periods -p b.data err
if may_record -a -e cpu-clock:u; then
	one -a -e cpu-clock:u -F 4000 -m 128K
	has_told_periods -a a.data told
fi
