# perf record: samples are at distances that vary, each with its true period; what is not a clock or was asked for exactly stays
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
cat >busy.c <<'EOF'
/* Use the CPU for the ms of each argument: the first one in main, the others in threads, one after the other. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
static void *busy(void *ms)
{
	struct timespec t;
	long end = atol(ms) * 1000000;

	do {
		for (volatile int i = 0; i < 20000; i++) /* in user space: a user may not sample the kernel */
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000000000 + t.tv_nsec < end);
	return 0;
}
int main(int argc, char **argv)
{
	pthread_t thread;

	busy(argv[1]);
	for (int i = 2; i < argc; i++) {
		if (pthread_create(&thread, 0, busy, argv[i]))
			return 1;
		pthread_join(thread, 0);
	}
	return 0;
}
EOF
cc -O1 -pthread -o busy busy.c

# Other programs make distances longer: those by half or more do not count.
truth() { # FILE: of each period with 20 samples or more, the share of samples that are so far from the one before
	"$PERF" script --ns -F comm,tid,time,period -i "$1" | awk '$1 == "busy" {
			t = $3; sub(/:$/, "", t); sub(/^[0-9]*[0-9][0-9][0-9]\./, substr(t, index(t, ".") - 3, 3), t)
			if ($2 in last && period[$2] == $4) {
				d = t - last[$2]
				if (d < 0) d += 1e12
				nr[$4] += d < $4 * 1.5
				good[$4] += d > $4 * .9 && d < $4 * 1.1
			}
			last[$2] = t; period[$2] = $4
		}
		END { for (p in nr) if (nr[p] >= 20) printf "%d %d %.2f\n", p, nr[p], good[p] / nr[p] }' | sort -n
}
marked() { # FILE: of how many events
	"$PERF" evlist -v -i "$1" | grep -c 'sig_data: 6436278656268649808'
}
expect_varied() { # FILE WHAT LEAST
	truth "$1" >periods
	[ "$(wc -l <periods)" -ge "$3" ] || fail "$2: too few periods: $(cat periods)"
	# a few samples beside other programs say little of distances
	awk '($2 >= 60 && $3 < .5) || $1 < 166666 || $1 > 500001 || $1 == 250000 { bad = 1 } END { exit bad }' periods ||
		fail "$2: periods, how many, share of true distances: $(cat periods)"
	[ "$(marked "$1")" = 1 ] || fail "$2: no mark"
}

all=
"$PERF" record -q -a -e cpu-clock -o a.data true 2>err && all=yes
# A thread's rate changes once its samples were seen, after half a second; those of CPUs at once.
while read -r ms least o; do
	[ "$ms" ] || continue
	rm -rf v.data
	# shellcheck disable=SC2086
	"$PERF" record -q -F 4000 -e cpu-clock $o -o v.data ./busy "$ms"
	expect_varied v.data "record $o" "$least"
done <<EOF
1000 2
300 1 -g
300 1 --per-thread -z
300 1 --threads -g
300 1 -e page-faults -k mono
${all:+300 2 -a}
${all:+300 2 -a -g}
EOF
"$PERF" report --header-only -i v.data >header
expect_text header "# sampled at varied periods: cpu-clock"

# A thread that is started gets the period of that moment, and says so; so does one that the counters change places with.
"$PERF" record -q -F 4000 -e cpu-clock -o v.data ./busy 300 300
expect_varied v.data "threads" 1
# As a flight recorder, and what is too short to change.
"$PERF" record -q -F 4000 -e cpu-clock --overwrite -o v.data ./busy 300
expect_varied v.data "--overwrite" 1
[ "$(wc -l <periods)" -le 2 ] || fail "--overwrite: $(cat periods)"
./busy 500 &
"$PERF" record -q -F 4000 -e cpu-clock -o v.data -p $!
expect_varied v.data "-p" 1
for ms in 30 31 32 33; do
	"$PERF" record -q -F 4000 -e cpu-clock -o v.data ./busy $ms
	"$PERF" script -F period -i v.data | head -n 1
done | sort -u >first
[ "$(wc -l <first)" -ge 2 ] || fail "recordings begin with the same period: $(cat first)"
awk '$1 < 227270 || $1 > 277780 { bad = 1 } END { exit bad }' first || fail "not near the rate asked for: $(cat first)"

# The mark goes where the recording goes, and only there.
"$PERF" record -q -F 4000 -e cpu-clock -o - ./busy 50 >pipe.data
[ "$(marked pipe.data)" = 1 ] || fail "no mark in a pipe"
"$PERF" record -q -F 4000 -e cpu-clock --switch-output=1s -o s.data ./busy 1100
for f in s.data.*; do [ "$(marked "$f")" = 1 ] || fail "no mark in $f"; done
"$PERF" inject -b -i v.data -o inject.data
[ "$(marked inject.data)" = 1 ] || fail "no mark after inject"
./busy 60000 &
recorded=$!
"$PERF" record -q -F 4000 -e cpu-clock -o killed.data -p $recorded &
recorder=$!
tries=0
until [ "$(marked killed.data 2>/dev/null)" = 1 ] || [ $((tries += 1)) -gt 300 ]; do sleep .1; done
kill -9 $recorder $recorded
wait $recorder || :
[ "$(marked killed.data)" = 1 ] || fail "no mark after kill -9"
"$PERF" record -q -F 4000 -e cpu-clock --fixed-rate -o fixed.data ./busy 300
"$PERF" script -F period -i fixed.data | sort -u | tr -d ' ' >fixed
[ "$(cat fixed)" = 250000 ] || fail "--fixed-rate: $(cat fixed)"
[ "$(marked fixed.data)" = 0 ] || fail "a mark with --fixed-rate"
"$PERF" merge -o both.data v.data pipe.data 2>err
"$PERF" report --header-only -i both.data | grep -q 'sampled at varied' || fail "no mark in a merged recording"
"$PERF" merge -o mixed.data v.data fixed.data 2>err
"$PERF" report --header-only -i mixed.data >header
grep -q 'sampled at varied' header && fail "a mark in a merged recording of both kinds"
"$PERF" merge -o mixed.data both.data fixed.data 2>err
"$PERF" report --header-only -i mixed.data | grep -q 'sampled at varied' && fail "a mark in a twice merged recording"

# What the user asked for exactly, and events that are no clocks.
for o in "-e cpu-clock -c 250000" "-e cpu-clock/period=250000/" "-e page-faults -F 4000" "-e cpu-clock -F max" \
	"-e context-switches" "-e cpu-clock -n"; do
	# shellcheck disable=SC2086
	may_record $o || continue
	# shellcheck disable=SC2086
	"$PERF" record -q $o -o v.data ./busy 20
	[ "$(marked v.data)" = 0 ] || fail "a mark with $o"
done
"$PERF" record -q -P -e cpu-clock -c 250000 -o v.data ./busy 300
[ "$(truth v.data | cut -d ' ' -f 1)" = 250000 ] || fail "-c: $(truth v.data)"
exit 0
