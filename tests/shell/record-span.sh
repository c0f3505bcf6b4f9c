# perf record --span: exactly the calls, of recursive functions, with exceptions and tail calls, by any way to begin and end
. "$PERF_SRC/tests/lib.sh"
need_record
need_command "${CC:-cc}" "${CXX:-c++}"

cat >calls.cc <<'C'
#include <setjmp.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTION extern "C" __attribute__((noipa))
static volatile unsigned long sink;
static jmp_buf back;

FUNCTION void work(int n) { for (int i = 0; i < n; i++) sink = sink + i; }
FUNCTION void nested(int n) { if (n) nested(n - 1); work(100); sink = sink + 1; }
FUNCTION void leaves(int how)
{
	work(1000);
	if (how == 1)
		throw std::runtime_error("left");
	if (how == 2)
		longjmp(back, 1);
	sink = sink + 1;
}
FUNCTION void ends_in(int n) { work(1000); sink = sink + 1; work(n); } /* a tail call where it is optimized */
FUNCTION void begin_job(void) { sink = sink + 1; }
FUNCTION void end_job(void) { sink = sink + 1; }
FUNCTION void exits(int n) { work(1000); if (n) pthread_exit(nullptr); sink = sink + 1; }

static void *thread(void *arg)
{
	for (int i = 0; i < 30; i++)
		nested(3);
	exits(0);
	exits(1);
	return arg;
}

int main()
{
	pthread_t t[2];

	for (auto &one : t)
		pthread_create(&one, nullptr, thread, nullptr);
	for (auto one : t)
		pthread_join(one, nullptr);
	for (int i = 0; i < 40; i++) {
		if (setjmp(back))
			continue;
		try {
			leaves(i % 4 == 1 ? 1 : i % 4 == 3 ? 2 : 0);
		} catch (std::exception &) {
		}
	}
	for (int i = 0; i < 50; i++)
		ends_in(i % 2 ? 100 : 3000000);
	for (int i = 0; i < 60; i++) {
		begin_job();
		usleep(1000);
		end_job();
	}
	pid_t child = fork();
	if (!child) {
		nested(2);
		_exit(0);
	}
	return child < 0 || waitpid(child, nullptr, 0) < 0;
}
C
"${CXX:-c++}" -g -O2 -pthread -o calls calls.cc || fail "cannot compile"
"${CC:-cc}" -g -O2 -x c -o tail - <<'C'
static volatile unsigned long sink;
#define FUNCTION __attribute__((noipa))
FUNCTION void work(int n) { for (int i = 0; i < n; i++) sink = sink + i; }
FUNCTION void ends_in(int n) { work(1000); sink = sink + 1; work(n); }
int main(void) { for (int i = 0; i < 50; i++) ends_in(3000000); return 0; }
C

# spans FILE NAME: how many there are
spans() {
	"$PERF" report --span="$2" --slower 1ns -g none -i "$1" >found 2>&1 || true
	sed -n "s|^# Only .* in spans $(printf %s "$2" | sed 's/\./\\./g') of at least [^:]*: \([0-9]*\).*|\1|p" found | head -n 1
}
# expect_spans FILE NAME NUMBER
expect_spans() {
	[ "$(spans "$1" "$2")" = "$3" ] || fail "spans $2: $(spans "$1" "$2") instead of $3: $(head -n 9 found)"
}
# quantile FILE NAME pQ: of the durations, in us
quantile() {
	"$PERF" report --span="$2" --slower "$3" -g none -i "$1" 2>/dev/null |
		sed -n "s/^# Only .* of at least \(.*\) ($3).*/\1/p" |
		awk '{ printf "%.0f", $1 * ($2 == "s" ? 1e6 : $2 == "ms" ? 1e3 : $2 == "ns" ? 1e-3 : 1); exit }'
}

if "$PERF" record -e uprobe:./calls:work -o probe.data true >probe.out 2>&1; then
	# Two threads and a child process: the outermost call counts. Half of the calls of leaves return. A busy machine may write a
	# record much later than its time: then a span is missing, and perf says so.
	for try in 1 2 3; do
		expect_status 0 "$PERF" record -e cpu-clock:u -o c.data --span nested --span leaves --span ends_in --span exits \
			--span 'begin_job..end_job' ./calls
		wrong=
		for want in nested:61 leaves:20 ends_in:50 exits:2 begin_job..end_job:60; do
			[ "$(spans c.data "${want%:*}")" = "${want##*:}" ] || wrong="$wrong ${want%:*}: $(spans c.data "${want%:*}")"
		done
		[ -n "$wrong" ] || break
		"$PERF" report --span=nested -i c.data
	done
	[ -z "$wrong" ] || fail "numbers of spans:$wrong"
	us=$(quantile c.data begin_job..end_job p50)
	[ "$us" -ge 1000 ] || fail "1 ms took $us us"
	mkdir -p sub
	for try in 1 2 3; do # a busy machine loses samples
		(cd sub && "$PERF" record -q -e cpu-clock:u -o r.data --span '../calls:begin_job..../calls:end_job' ../calls) ||
			fail "a path with .."
		[ "$(spans sub/r.data '../calls:begin_job..../calls:end_job')" != 60 ] || break
	done
	expect_spans sub/r.data '../calls:begin_job..../calls:end_job' 60
	# the time in the function that it jumps to is part of the call: 3,000,000 steps, not 1,000
	us=$(quantile c.data ends_in p60)
	[ "$us" -ge $((10 * $(quantile c.data ends_in p20))) ] || fail "tail calls are left out: $us us"
	# also where the kernel replaces the return address: callers are known
	if [ "$(uname -m)" = x86_64 ]; then
		expect_status 0 "$PERF" record -g -e cpu-clock:u -o t.data --span ends_in ./tail
		expect_spans t.data ends_in 50
		"$PERF" script -F event,ip,sym -i t.data | awk -v RS= '/cpu-clock/ && /work/ { nr++; known += /main/ }
			END { exit !nr || known < 0.9 * nr }' || fail "samples in spans have no callers"
	fi
	# through a pipe, and of a running process
	"$PERF" record -q -e cpu-clock:u -o - --span nested ./calls | "$PERF" report --span --slower 1ns -g none -i - >found 2>&1 ||
		fail "pipe: $(cat found)"
	grep -q ': 61' found || fail "pipe: $(head -n 9 found)"
else
	echo "no probes here: $(head -n 1 probe.out)"
fi

# Without the right to set probes, breakpoints serve: the entry, and three ends.
nobody_id=$((61000 + $$ % 4000)) # locked memory is the user's: no other test may use it up
need_nobody
nobody ./perf record -q -e mem:0x1000:x:u -o n.data true >probe.out 2>&1 || skip "no breakpoints here: $(head -n 1 probe.out)"
cp calls tail "$dir"
nobody ./perf record -q -e cpu-clock:u -o n.data --span nested ./calls >out 2>err || fail "breakpoints: $(cat err)"
expect_spans "$dir/n.data" nested 61
nobody ./perf record -q -e cpu-clock:u -o n.data --span 'begin_job..end_job' ./calls >out 2>err || fail "breakpoints: $(cat err)"
# these wait: --slower may find no sample in them
"$PERF" report --span=begin_job..end_job -i "$dir/n.data" >found 2>&1 || :
grep -q "^# Spans 'begin_job..end_job': 60 of " found || fail "jobs: $(head -n 9 found)"
nobody ./perf record -q -e cpu-clock:u -o n.data --span 'sched:sched_switch..sched:sched_switch' ./calls >out 2>err &&
	fail "a user without rights records tracepoints"
expect_text err 'record as root'

# What cannot be
expect_status 1 "$PERF" record -o x.data --span absent ./calls
expect_text err "no function 'absent'"
expect_status 129 "$PERF" record -o x.data --span .. ./calls
expect_status 129 "$PERF" record -o x.data --span work --span work ./calls
expect_text err 'given twice'
