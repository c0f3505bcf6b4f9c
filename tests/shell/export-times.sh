# perf export: waits, idle time, ends of threads and lost samples have their place in each format, or a line counts them
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc jq

# ---- lost samples: the recorder stops while the program touches new pages ----
cat >touch.c <<'C'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static void touch(size_t n)
{
	volatile char *p = malloc(n << 12);

	for (size_t i = 0; i < n; i++)
		p[i << 12] = 1;
}
int main(void)
{
	kill(getppid(), SIGSTOP);
	touch(5000);
	kill(getppid(), SIGCONT);
	usleep(300000);
	touch(20);
	return 0;
}
C
cc -O1 -o touch touch.c
"$PERF" record -q -m 1 -c 1 -e page-faults:u -o lost.data ./touch 2>err || :
lost=$("$PERF" report --stdio -i lost.data 2>/dev/null | sed -n 's/^# Total Lost Samples: //p')
[ "${lost:-0}" -gt 0 ] || skip "no sample was lost: $(cat err)"
expect_status 0 "$PERF" export -i lost.data -o lost.firefox.json
expect_empty err
[ "$(jq '[.threads[].markers.data[].samples] | add' lost.firefox.json)" = "$lost" ] || fail "firefox: not $lost lost"
jq -e 'all(.threads[].markers; .length == (.name | length) and .length == (.startTime | length))' lost.firefox.json >/dev/null
jq -e --arg n "$lost" '.meta.extra[0].entries | any(.label == "lost samples" and .value == $n)' lost.firefox.json >/dev/null ||
	fail "firefox: extra does not have the losses"
jq -e '.meta.extra[0].entries | any(.label == "cmdline") and any(.label == "hostname")' lost.firefox.json >/dev/null ||
	fail "firefox: extra does not have the header"
expect_status 0 "$PERF" export -i lost.data -o lost.jsonl
expect_empty err
[ "$(jq -s 'map(select(.kind == "lost").weight) | add' lost.jsonl)" = "$lost" ] || fail "jsonl: not $lost lost"
expect_status 0 "$PERF" export -i lost.data -o lost.pb.gz
expect_empty err
gzip -dc lost.pb.gz | grep -aq "lost samples: $lost" || fail "pprof: not $lost lost"
for format in folded speedscope otlp; do
	expect_status 0 "$PERF" export -i lost.data --format $format -o lost.$format
	expect_text err "$lost lost samples are not marked: $format has no place for them"
done

# ---- threads begin and end, and run by the switch records ----
cat >naps.c <<'C'
#include <pthread.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>
static void work(int ms)
{
	struct timespec t;

	do {
		for (volatile int i = 0; i < 100000; i++) /* samples are of user space */
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms);
}
static void *nap(void *arg)
{
	(void)arg;
	work(30);
	usleep(200000);
	work(60);
	return NULL;
}
int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, nap, NULL);
	pthread_join(t, NULL);
	usleep(20000);
	return 0;
}
C
cc -O1 -pthread -o naps naps.c
"$PERF" record -q --switch-events -e cpu-clock:u -F 1000 -o naps.data ./naps
"$PERF" export -i naps.data -o naps.firefox.json
jq -e '[.threads[] | select(.tid != (.pid | tonumber))][0] |
	(.registerTime >= .samples.time[0] - 1000) and # it began to run soon after .unregisterTime != null and
	(.unregisterTime - .registerTime) >= 250 and # 60 ms of work, and 200 ms
	([.samples.threadCPUDelta[]] | add / 1e6) as $ran | $ran > 30 and
	# the 200 ms are none
	$ran < .unregisterTime - .registerTime - 200 and (.samples.time | . == sort)' naps.firefox.json >/dev/null ||
	fail "firefox: no idle time: $(jq -c '.threads[] | del(.markers)' naps.firefox.json)"
jq -e '[.threads[] | select(.tid != (.pid | tonumber))][0].samples | . as $s |
	any(range(1; .length); $s.stack[.] == null and $s.threadCPUDelta[.] == 0 and $s.weight[.] == 0 and
		$s.time[.] - $s.time[. - 1] > 150)' naps.firefox.json >/dev/null || fail "firefox: no sample ends the idle time"

# ---- waits ----
"$PERF" record -q --off-cpu -g -e cpu-clock -F 1000 -o waits.data ./naps 2>err || skip "no --off-cpu here: $(head -n 1 err)"
total() { # EVENT: its weight by our list of samples
	jq -s --arg event "$1" 'map(select(.event == $event).weight) | add' waits.jsonl
}
"$PERF" export -i waits.data -o waits.jsonl
jq -se 'any(.kind == "waiting" and .weight > 150000000)' waits.jsonl >/dev/null || fail "jsonl: no wait"
ran=$(total cpu-clock) waited=$(total offcpu-time)
"$PERF" export -i waits.data -o waits.firefox.json
jq -e '[.threads[].samples | . as $s | range(1; .length) | select($s.weight[.] > 150 and $s.threadCPUDelta[.] == 0 and
	$s.weight[. - 1] == 0 and $s.stack[.] == $s.stack[. - 1]) | $s.time[.] - $s.time[. - 1] - $s.weight[.]] |
	length > 0 and all(. < 0.001 and . > -0.001)' waits.firefox.json >/dev/null || fail "firefox: no wait with a beginning"
[ "$(jq '[.threads[].samples.weight[]] | add * 1e6 | round' waits.firefox.json)" = $((ran + waited)) ] ||
	fail "firefox: not $((ran + waited))"
sum() { # FILE [PATTERN]
	awk -v of="$2" 'of == "" || index($0, of) { n += $NF } END { printf "%.0f", n }' "$1"
}
expect_status 0 "$PERF" export -i waits.data -o waits.folded
expect_text err "samples of other events were left out"
[ "$(sum waits.folded)" = "$ran" ] || fail "folded: not $ran"
"$PERF" export -i waits.data -o waits.folded -e offcpu-time
[ "$(sum waits.folded)" = "$waited" ] || fail "folded -e offcpu-time: not $waited"
"$PERF" export -i waits.data -o waits.folded -e cpu-clock,offcpu-time
[ "$(sum waits.folded) $(sum waits.folded ';[waiting] ')" = "$((ran + waited)) $waited" ] || fail "folded: not $ran and $waited"
