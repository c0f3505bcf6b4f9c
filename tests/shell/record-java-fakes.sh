# timeout: 200
# Processes that pretend to be a Java virtual machine, with tables that are right, or lie, or change while they are read:
# recording takes bounded time and memory, and does not harm the process.
. "$PERF_SRC/tests/lib.sh"
need_record
need_command python3
[ "$(uname -m)" = x86_64 ] || skip "Java frames are read on x86-64 only"
[ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" -lt 1 ] ||
	skip "this user may not read the memory of other processes (kernel.yama.ptrace_scope)"
program fake_jvm progs/fake_jvm -O1 -pthread

# Attach to the process of this lie for 1 s. Print the status of the recorder, its processor time (ms) and the peak of its
# memory (MiB), and the status of the process.
costs() {
	python3 - "$PERF" "$1" <<'P'
import os, subprocess, sys, time
target = subprocess.Popen(["./fake_jvm", "libjvm.so", sys.argv[2], "60"], stdout=open("said", "w"))
while target.poll() is None and "ready" not in open("said").read():
    time.sleep(0.05)
perf = [sys.argv[1], "record", "-o", "data", "-e", "cpu-clock:u", "-F", "999", "-g", "-p", str(target.pid), "sleep", "1"]
recorder = subprocess.Popen(perf, stdout=open("out", "w"), stderr=open("err", "w"), stdin=subprocess.DEVNULL)
_, status, usage = os.wait4(recorder.pid, 0)
open("stop", "w").close()
print(status, int(1000 * (usage.ru_utime + usage.ru_stime)), usage.ru_maxrss // 1024, target.wait())
os.unlink("stop")
P
}

for how in honest loops endless huge gigabytes escapes changing garbage reborn stall; do
	set -- $(costs $how)
	echo "$how: processor time $2 ms, memory $3 MiB"
	[ "$1" = 0 ] || fail "$how: the recorder ended with $1: $(cat err)"
	[ "$4" = 0 ] && grep -q done said || fail "$how: the program ended with $4"
	# as for any other program: 100 ms and 20 MiB
	[ "$2" -lt 3000 ] && [ "$3" -lt 400 ] || fail "$how: $2 ms, $3 MiB"
	[ "$(wc -c <data)" -lt 8000000 ] || fail "$how: the file has $(wc -c <data) bytes"
	"$PERF" report -i data --stdio --no-children -g none >report 2>err || fail "$how: no report: $(cat err)"
	case $how in
	honest) expect_text report 'fake.Class.run()' ;; # so the others are read, too
	escapes) ! grep -q "$(printf '\033')" report || fail "a name reaches the terminal as it is" ;;
	esac
done
