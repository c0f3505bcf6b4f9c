# report's views against those of stock perf
# timeout: 600
. "$PERF_SRC/tests/lib.sh"
need_stock
. "$PERF_SRC/tests/compare_reports.sh"
cat >load.c <<'CODE'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static volatile long sum;

__attribute__((noinline)) static void inner(long n)
{
	for (long i = 0; i < n; i++)
		sum += i;
}

__attribute__((noinline)) static void outer(long n)
{
	inner(n);
	for (long i = 0; i < n / 2; i++)
		sum ^= i;
	sum++;
}

static void *run(void *threads)
{
	for (int i = 0; i < 40; i++) {
		outer(200000);
		free(malloc(1 << 20));
		getppid();
	}
	return threads;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	run(NULL);
	pthread_join(t, NULL);
	return system("ls -R /usr/lib >/dev/null 2>&1");
}
CODE
"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -pthread -o load load.c || skip "no compiler"
# Stock perf aborts on some of its own recordings, each time: then another one is made.
record() { # FILE OPTION...
	f=$1
	shift
	for again in 1 2 3 4 5 6 7 8; do
		"$STOCK" record -B -o "$f" -F 2000 "$@" ./load >/dev/null 2>&1 || continue
		"$STOCK" report --stdio --symfs empty --kallsyms /dev/null -i "$f" >/dev/null 2>&1 && return
	done
	skip "stock perf cannot report its own recording of $*, $again times"
}
mkdir empty
record chains.data -e cpu-clock -g
record group.data -e '{cpu-clock,page-faults}' --sample-cpu

# Not compared: what stands below the tables, and blanks at the ends of lines.
rows() {
	sed -e '/^# (Tip: /,$d' -e '/^# Completeness/,$d' -e 's/ *$//' "$1" | sed -e :a -e '/^[#\n]*$/{$d;N;ba' -e '}'
}

while read -r options; do
	# shellcheck disable=SC2086
	compare $options
done <<'END'
chains.data --show-cpu-utilization --no-children -g none
chains.data --show-cpu-utilization --no-children -n -s comm
chains.data -s time --ns --no-children -g none
group.data --group-sort-idx 1
group.data --group-sort-idx 1 -n -s comm
group.data --group-sort-idx 2 -s comm,dso
chains.data --hierarchy
chains.data --hierarchy -G --percent-limit 2
chains.data --hierarchy -g none --percent-limit 1 -n
chains.data --hierarchy -g none -s {comm,dso},sym --show-total-period
chains.data --hierarchy -g none -s dso,{comm,pid,sym}
chains.data --hierarchy -g none -s comm,dso -c load
chains.data --hierarchy -g none -s sym
group.data --hierarchy -n
group.data --hierarchy -s pid,cpu,sym --group-sort-idx 1
chains.data --no-children --ignore-callees ^outer$
chains.data --no-children --ignore-callees outer|do_sys
group.data --socket-filter 0
group.data --socket-filter 1
group.data --socket-filter 0 -s socket,comm
END

# ---- chains of another event; stock perf takes other threads' chains, too ----
"$PERF" record -o ref.data -e cpu-clock/call-graph=fp/,task-clock/call-graph=no/ -F 2000 ./load >out 2>&1 ||
	fail "$(cat out)"
"$PERF" report --stdio -i ref.data -s sym -c load --show-ref-call-graph | sed '1,/task-clock/d' >with
"$PERF" report --stdio -i ref.data -s sym -c load | sed '1,/task-clock/d' >without
grep -q '^ .* 0.00% .*\] run' with || fail "the caller has no row: $(cat with)"
! grep -q '0.00% .*\] run' without || fail "a caller without chains: $(cat without)"
"$PERF" report --stdio -i ref.data --show-ref-call-graph | grep -q "^# Samples: .*task-clock.*, show reference callgraph$" ||
	fail "no word about chains of another event"

# ---- parts of the recording ----
record threads.data -s -e cpu-clock,page-faults
for options in "--switch-on page-faults" "--switch-on page-faults --switch-off cpu-clock" \
	"--switch-on cpu-clock --switch-off page-faults --show-on-off-events" \
	"--switch-on page-faults --switch-off page-faults"; do
	# shellcheck disable=SC2086
	compare threads.data -s comm,dso -n $options
done
# Neither side has names: of unknown addresses stock makes the column of files wider.
"$PERF" record --no-embed -o times.data -F 2000 -e cpu-clock ./load >out 2>&1 || fail "$(cat out)"
for time in 10% 20%/2,20%/4 0%-30%,20%-60%; do
	compare times.data -s comm,dso -n --time $time
done
# Stock perf leaves out the event only.
"$PERF" report --stdio -i threads.data -s comm -F sample -t , --switch-off page-faults >before
"$PERF" report --stdio -i threads.data -s comm -F sample -t , >all
sum() { awk -F, '/^ *[0-9]/ { n += $1 } END { print n + 0 }' "$1"; }
[ "$(sum before)" -lt "$(sum all)" ] || fail "--switch-off keeps everything: $(cat before)"
expect_status 1 "$PERF" report --stdio -i threads.data --switch-on page-fault
expect_text err "did you mean 'page-faults'"

# ---- -T: below stock's tip ----
stock report --stdio -i threads.data -T | sed -n '/^# *PID/,$p' >stock
[ "$(wc -l <stock)" -ge 4 ] || fail "stock perf shows no threads: $(cat stock)"
for option in -T --threads "-T --pretty normal"; do
	"$PERF" report --stdio -i threads.data $option | sed -n '/^# *PID/,$p' >ours
	cmp stock ours || fail "report $option: $(cat ours)"
done
"$PERF" report --stdio -i threads.data -T --pretty raw | sed -n '/^# *PID/,$p' >ours
stock report --stdio -i threads.data -T --pretty raw | sed -n '/^# *PID/,$p' | tr -s ' \n' '  ' >stock
tr -s ' \n' '  ' <ours | sed 's/ $//' | cmp - stock || fail "report -T --pretty raw: $(cat ours)"
expect_status 0 "$PERF" report --stdio -i chains.data -T
expect_text err "perf record -s"

echo "$nr compared, $bad differ"
[ $bad = 0 ]
