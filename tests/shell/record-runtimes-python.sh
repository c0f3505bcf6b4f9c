# timeout: 240
# perf record -p PID --runtimes asks a running Python 3.14 for the names of its functions, once, and takes it back.
. "$PERF_SRC/tests/lib.sh"
need_record
await_seconds=60
expect_status 129 "$PERF" record --runtimes -o x.data -p $$
expect_text err 'it is not Python'
expect_text err 'the environment of a command'
expect_status 129 "$PERF" record --runtimes=node -o x.data -p $$
expect_text err 'the environment of a command'

command -v python3.14 >/dev/null || skip "what is not Python is refused; there is no python3.14 to ask"
python3.14 -c 'import sys; sys.exit(sys.version_info[:2] != (3, 14) or sys.version_info[2] < 5)' ||
	skip "what is not Python is refused; this python3.14 does not work, or is older than 3.14.5"
[ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" = 0 ] ||
	skip "this user may not write the memory of other processes (kernel.yama.ptrace_scope)"

# It works until there is the file "end", and then prints whether its trampolines are on.
cat >work.py <<'PY'
import os, sys
def tw_leaf(n):
    for i in range(1000):
        n = (n * 31 + i) & 0xFFFFFF
    return n
def tw_caller(n):
    return tw_leaf(n) + 1
n = 0
open("begun", "w").close()
while not os.path.exists("end"):
    n = tw_caller(n)
print("active", sys.is_stack_trampoline_active())
PY
begin() { # VARIABLE=VALUE...
	rm -f begun end
	env "$@" python3.14 work.py >said 2>complaints &
	target=$!
	await test -e begun || fail "python3.14 does not begin: $(cat complaints)"
}
finish() { # what it must say
	touch end
	wait $target || fail "python ended with $?: $(cat complaints)"
	expect_line said "$1"
	[ ! -s complaints ] || fail "python complains: $(cat complaints)"
	rm -f "/tmp/perf-$target.map"
}

begin A=1
expect_status 0 "$PERF" record -g -e cpu-clock:u -F 999 --runtimes -o a.data -p $target sleep 2
expect_text err "Python process $target runs a script of perf"
[ -z "$(ls /tmp/perf-python-* 2>/dev/null)" ] || fail "a script is left: $(ls /tmp/perf-python-*)"
"$PERF" script -i a.data -F ip,sym >script 2>err
awk 'BEGIN { RS = "" } / py::tw_leaf:/ { nr += /py::tw_leaf:.*py::tw_caller:/ } END { exit nr < 10 }' script ||
	fail "no chains with names: $(head -n 20 script)"
# Python crashes when they are switched on twice.
expect_status 0 "$PERF" record -g -e cpu-clock:u --runtimes -o b.data -p $target sleep 0.1
expect_text err 'Python crashes when they are switched on twice'
finish 'active False'

# The recorder is killed: the program goes on with names.
begin A=1
"$PERF" record -g -e cpu-clock:u --runtimes -o c.data -p $target >out 2>err &
recorder=$!
await test -e "/tmp/perf-$target.map" || fail "no names are written: $(cat err)"
kill -9 $recorder
wait $recorder || true
finish 'active True'

begin PYTHON_DISABLE_REMOTE_DEBUG=1
expect_status 129 "$PERF" record --runtimes -o d.data -p $target
expect_text err 'remote debugging is disabled'
finish 'active False'
# One that has them already keeps them.
begin PYTHONPERFSUPPORT=1
expect_status 0 "$PERF" record -g -e cpu-clock:u --runtimes -o d.data -p $target sleep 0.1
finish 'active True'
