# timeout: 300
# A Java program whose methods call each other in a known way, recorded without any flag: names and whole chains,
# compiled and interpreted. What it prints does not change, also when the recorder is killed.
. "$PERF_SRC/tests/lib.sh"
need_record
need_command java javac
[ "$(uname -m)" = x86_64 ] || skip "Java frames are read on x86-64 only"
[ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" -le 1 ] ||
	skip "this user may not read the memory of other processes (kernel.yama.ptrace_scope)"

cat >Chain.java <<'J'
public class Chain {
	interface Work { long a(long n); }
	static class First implements Work { public long a(long n) { return b(n) + 1; } }
	static volatile long sink;
	static long leaf(long n) { long s = n; for (int i = 0; i < 2000; i++) s = s * 31 + (s >>> 7) + i; return s; }
	static long c(long n) { return leaf(n) + 1; }
	static long b(long n) { return c(n) + 1; }
	public static void main(String[] argv) {
		Work w = new First();
		for (int i = Integer.parseInt(argv[0]); i > 0; i--)
			sink = w.a(i);
		System.out.println("sum " + sink);
	}
}
J
javac Chain.java 2>out || skip "javac does not work here: $(tail -n 1 out)"
java -version 2>out || skip "java does not work here: $(tail -n 1 out)"
grep -qi 'hotspot\|openjdk' out || skip "this java is not HotSpot"

# java_chains OPTION ROUNDS: "WHOLE ALL" of the samples in leaf that have all of its callers
java_chains() {
	"$PERF" record -o data -e cpu-clock:u -F 999 -g java "$1" '-XX:CompileCommand=dontinline,Chain*::*' -cp . Chain "$2" \
		>out 2>err || fail "record of java $1: $(cat err)"
	expect_text out 'sum '
	"$PERF" script -i data -F ip,sym >script 2>err
	awk 'BEGIN { RS = ""; FS = "\n" }
		/Chain.leaf\(long\)/ {
			nr++
			text = ""
			for (i = 1; i <= NF; i++) {
				sub(/^[ \t]*[0-9a-f]+ /, "", $i)
				text = text "|" $i
			}
			if (index(text, "Chain.leaf(long)|Chain.c(long)|Chain.b(long)|Chain$First.a(long)|Chain.main(java.lang.String[])|StubRoutines"))
				whole++
		}
		END { print whole + 0, nr + 0 }' script
}

for how in -Xint:6000 -XX:TieredStopAtLevel=1:300000 -XX:-TieredCompilation:300000 -XX:+UseSerialGC:300000; do
	rounds=${how##*:}
	option=${how%:*}
	set -- $(java_chains "$option" "$rounds")
	echo "java $option: $1 of $2 chains whole"
	[ "$2" -ge 30 ] || skip "only $2 samples of java $option in the leaf"
	# a recorder that gets no time reads what is there no more
	[ $(($1 * 100)) -ge $(($2 * 90)) ] || fail "$1 of $2 chains of java $option are whole"
done
# The names are in the file: nothing of the process is left. A report counts compiled and interpreted code as one function.
"$PERF" report -i data --stdio --no-children -g none >report 2>err
expect_text report 'Chain.leaf(long)'
[ "$(grep -c 'Chain.leaf(long)' report)" = 1 ] || fail "several rows of one method: $(grep Chain.leaf report)"

# The recorder is killed: the program goes on.
java -Xint -cp . Chain 100000 >sum &
target=$!
attach -e cpu-clock:u -F 999 -g -o killed.data -p $target
sleep 0.3
kill -9 $recorder
wait $target || fail "java ended with $? after its recorder was killed"
expect_text sum 'sum '
