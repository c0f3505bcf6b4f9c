# timeout: 300
# Names of Java's methods where no file can have a jitdump: pipes, perf top, slices of perf agent; also without call chains,
# after the process has ended, and of processes that come and go; and what is said if perf may not read the process.
. "$PERF_SRC/tests/lib.sh"
need_record
need_command java javac
[ "$(uname -m)" = x86_64 ] || skip "Java frames are read on x86-64 only"

cat >Chain.java <<'J'
public class Chain {
	static volatile long sink;
	static long leaf(long n) { long s = n; for (int i = 0; i < 2000; i++) s = s * 31 + (s >>> 7) + i; return s; }
	static long b(long n) { return leaf(n) + 1; }
	public static void main(String[] argv) {
		for (int i = Integer.parseInt(argv[0]); i > 0; i--)
			sink = b(i);
	}
}
J
javac Chain.java 2>out || skip "javac does not work here: $(tail -n 1 out)"
java -version 2>out || skip "java does not work here: $(tail -n 1 out)"
grep -qi 'hotspot\|openjdk' out || skip "this java is not HotSpot"
chain() { # ROUNDS: 400000 are a second: perf looks at what began each half second at least, and sometimes later
	exec java -XX:TieredStopAtLevel=1 -Xshare:auto '-XX:CompileCommand=quiet' '-XX:CompileCommand=dontinline,Chain::*' -cp "$PWD" Chain "$1"
}
# on a slow machine, code may be compiled late, and a recorder that gets no time reads what is there no more
until_named() { # COMMAND...: its output (out) must name the leaf once
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		"$@" || fail "$*: $(cat err)"
		! grep -q 'Chain.leaf(long)' out || return 0
	done
	cat out err
	fail "no name after ten times: $*"
}
target=''
trap 'kill $target 2>/dev/null || :' EXIT

# Whole commands: the process has ended when its names are needed.
piped() { # OPTION...
	"$PERF" record -o - -e cpu-clock:u -F 999 "$@" -- sh -c '. ./chain; chain 600000' 2>err |
		"$PERF" report -i - --stdio --children -g none >out 2>>err
}
{
	echo "cd '$PWD'"
	sed -n '/^chain() {/,/^}/p' "$0"
} >chain
until_named piped
until_named piped -g
expect_text out 'Chain.main(java.lang.String[])'
expect_text out '[java]'
into_file() { # OPTION...: without call chains, too
	"$PERF" record -o data -e cpu-clock:u -F 999 "$@" -- sh -c '. ./chain; chain 600000' >err 2>&1
	"$PERF" report -i data --stdio --no-children -g none >out 2>>err
}
until_named into_file
until_named into_file --call-graph fp
# processes that come and go, each with code of its own
several() {
	"$PERF" record -o data -e cpu-clock:u -F 999 -g -- sh -c '. ./chain; for i in 1 2 3; do (chain 500000); done' >err 2>&1
	"$PERF" report -i data --stdio --no-children -g none -s pid,sym >out 2>>err
	[ "$(grep -c 'Chain.leaf(long)' out)" = 3 ] || : >out
}
until_named several
# a file for each part: the process has ended during the second one, and another one has begun
parts() {
	rm -f parts.*
	"$PERF" record -o parts -e cpu-clock:u -F 999 -g --switch-output=1s -- sh -c '. ./chain; (chain 500000); (chain 500000)' >err 2>&1
	: >out
	for f in parts.*; do
		"$PERF" report -i "$f" --stdio --no-children -g none -s pid,sym >>out 2>>err || :
	done
	[ "$(grep 'Chain.leaf(long)' out | awk '{ print $2 }' | sort -u | wc -l)" = 2 ] || : >out
}
until_named parts

# A running process.
(chain 2000000000) >chain.out 2>&1 &
target=$!
until_named into_file -p $target -g -- sleep 1
tops() {
	timeout 4 "$PERF" top --stdio -e cpu-clock:u -F 999 "$@" >out 2>err || :
}
until_named tops -p $target
until_named tops -p $target -g
if "$PERF" version --build-options | grep -q 'curl: \[ on'; then
	unset http_proxy HTTP_PROXY PERF_PUSH_TOKEN STATE_DIRECTORY
	slices() {
		rm -rf spool
		timeout -s TERM 5 "$PERF" agent --otlp http://127.0.0.1:1 --spool spool -u "$(id -u)" -e cpu-clock:u -F 999 -g \
			--interval 1 >err 2>&1 || :
		: >out
		for f in spool/*.slice; do
			[ ! -f "$f" ] || "$PERF" report -i "$f" --stdio --no-children -g none >>out 2>>err || :
		done
	}
	until_named slices
fi

# Who may record it, but not read its memory.
kill $target
wait $target 2>/dev/null || :
target=
need_nobody
trap 'kill $target 2>/dev/null || :; rm -rf "$dir"' EXIT
cp Chain.class "$dir"
chmod 644 "$dir/Chain.class"
nobody java -version >out 2>&1 || skip "java does not run as another user: $(cat out)"
(exec setpriv --reuid "$nobody_id" --regid "$nobody_id" --clear-groups --inh-caps=-all --bounding-set=-all \
	java -XX:TieredStopAtLevel=1 -cp "$dir" Chain 2000000000) >chain.out 2>&1 &
target=$!
weak() {
	setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace "$PERF" "$@"
}
has_code() { # it runs the virtual machine
	weak record -o data -e cpu-clock:u -F 999 -g -p $target -- sleep 0.5 >out 2>&1 && grep -q 'java code\|Names of Java' out
}
weak record -o data -e cpu-clock:u -p $target -- true >out 2>&1 || skip "no recording without CAP_SYS_PTRACE: $(cat out)"
await_seconds=60
await has_code || fail "no samples of Java: $(cat out chain.out)"
expect_text out "Names of Java methods are missing in process $target: perf may not read the memory"
expect_text out CAP_SYS_PTRACE
weak record -o data -e cpu-clock:u -F 999 -p $target -- sleep 0.5 >out 2>&1 # without call chains, too
expect_text out "Names of Java methods are missing in process $target: perf may not read the memory"
