# perf record, report: the share of incomplete call chains, why, and what to type for each cause
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
case $(uname -m) in x86_64 | aarch64) ;; *) skip "stacks of $(uname -m) are not unwound" ;; esac

record() { # OPTION... COMMAND
	expect_status 0 "$PERF" record -e cpu-clock:u -F 1000 -o a.data "$@"
	cp err told
	"$PERF" report --stdio -i a.data >report 2>/dev/null
	awk 'length > 80 && /^\[ .*(%|names)/' told >long
	expect_empty long
}

# Code without CFI and frame pointers. With -DAPART it runs on a stack of its own, and never returns: nothing on the
# stack leads to its caller.
cat >bare.c <<'C'
#include <time.h>
#include <unistd.h>
static volatile unsigned long sink;
__attribute__((noipa)) static void leaf(void) { for (int i = 0; i < 3000; i++) sink += i; }
__attribute__((noipa)) static void inner(void) { volatile char room[100]; room[0] = 1; leaf(); sink++; }
__attribute__((noipa)) void run(void)
{
	while (clock() < CLOCKS_PER_SEC / 4)
		inner();
	_exit(0);
}
int main(void)
{
#ifdef APART
	static char stack[1 << 16] __attribute__((aligned(16)));
	char *top = stack + sizeof(stack) - 128;
#ifdef __x86_64__
	__asm__ volatile("mov %0, %%rsp\n xor %%ebp, %%ebp\n jmp *%1" : : "r"(top - 8), "r"(run) : "memory");
#else
	__asm__ volatile("mov sp, %0\n mov x29, 0\n mov x30, 0\n br %1" : : "r"(top), "r"(run) : "memory");
#endif
#endif
	run();
	return 0;
}
C
cc -O2 -DAPART -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables -o bare bare.c
record -g ./bare
grep -Eq '^\[ perf record: [0-9.]+% of [0-9]+ call chains are incomplete: \]$' told || fail "no share: $(cat told)"
grep -Eq '^\[   [0-9]+% in bare, without CFI: cc -fasynchronous-unwind-tables \]$' told || fail "no cause: $(cat told)"
grep -Eq '^# [0-9]+% in bare, without CFI: cc -fasynchronous-unwind-tables$' report || fail "no cause: $(tail report)"

# The same with CFI: nothing is said
cc -O2 -fomit-frame-pointer -fasynchronous-unwind-tables -o whole bare.c
record -g ./whole
if grep -q 'incomplete\|because\|missing' told; then fail "an alarm for complete chains: $(cat told)"; fi

# Stack copies in the file: full ones may hold complete stacks. What record says is what report says.
record --call-graph dwarf ./whole
if grep -q 'incomplete\|are full' told report; then fail "an alarm for complete chains: $(cat told)"; fi
[ "$(whole_chains report | cut -d. -f1)" -ge 99 ] || fail "$(tail -n 4 report)"
program deep progs/deep -O2 -fomit-frame-pointer -fno-optimize-sibling-calls
record --call-graph dwarf,256 -F 250 ./deep 400
grep -Eq '^\[   [0-9]+% cut at the end of 256 bytes of stack: --call-graph dwarf,512 \]$' told || fail "no cause: $(cat told)"
share=$(sed -n 's/.*: \([0-9.]*\)% of [0-9]* call chains are incomplete.*/\1/p' told)
complete=$(whole_chains report)
awk -v a="$share" -v b="$complete" 'BEGIN { exit !(a + b > 99.8 && a + b < 100.2) }' || fail "$share% incomplete, $complete% complete"

# A trampoline, as of python3 -X perf, has no CFI, and does not end chains.
if [ "$(uname -m)" = x86_64 ]; then
	cat >tramp.c <<'C'
#include <string.h>
#include <sys/mman.h>
#include <time.h>
static volatile unsigned long sink;
__attribute__((noipa)) static void leaf(void) { for (int i = 0; i < 3000; i++) sink += i; }
__attribute__((noipa)) static void inner(void (*trampoline)(void (*)(void))) { trampoline(leaf); sink++; }
int main(void)
{
	static const unsigned char code[] = "\x48\x83\xec\x08\xff\xd7\x48\x83\xc4\x08\xc3"; /* call *%rdi */
	void *page = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(page, code, sizeof(code));
	while (clock() < CLOCKS_PER_SEC / 4)
		inner((void (*)(void (*)(void)))page);
	return 0;
}
C
	cc -O2 -fomit-frame-pointer -o tramp tramp.c
	for mode in auto:complete dwarf:found; do # the code of stack copies cannot be read any more
		record --call-graph ${mode%:*} ./tramp
		# the loader's chains, of which there are more on a busy machine, are complete in both modes
		awk -v mode="${mode#*:}" '/^# Call chains: / {
			for (i = 1; i < NF; i++)
				if ($(i + 1) ~ /^(complete|found)/) { of[substr($(i + 1), 1, 5)] = $i + 0; sum += $i }
			ok = sum >= 95 && of[substr(mode, 1, 5)] >= (mode == "found" ? 60 : 95)
		} END { exit !ok }' report || fail "$mode: $(tail -n 4 report)"
		"$PERF" report --stdio -g folded,0.5,caller --no-children -i a.data 2>/dev/null | grep -q 'main;inner;[^;]*;leaf' ||
			fail "the trampoline's caller is missing in $mode"
	done
fi

# Runtimes, where there are any
if command -v node >/dev/null; then
	echo 'function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } fib(32)' >a.js
	record -g node a.js
	if grep 'in node code' told >line; then # a version of V8 that is not known
		grep -Eq '^\[   [0-9]+% in node code: record --runtimes \(what it sets: man perf-record\) \]$' line || fail "$(cat told)"
		expect_text report "% in node code: record --runtimes"
	else
		expect_text report " fib "
	fi
	record -g node --perf-basic-prof --interpreted-frames-native-stack a.js
	if grep -q 'in node code' told; then fail "advice that was followed: $(cat told)"; fi
fi
if command -v java >/dev/null && command -v javac >/dev/null; then
	cat >A.java <<'J'
public class A { static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
	public static void main(String[] a) { System.out.println(fib(40)); } }
J
	javac A.java
	# On x86-64, Java's frames are known to the recorder; other machines need the advice.
	if [ "$(uname -m)" != x86_64 ]; then
		record -g java -cp . A
		grep -Eq '^\[   [0-9]+% in java code: -XX:\+PreserveFramePointer' told || fail "$(cat told)"
		set -- -XX:+PreserveFramePointer
	else
		set --
	fi
	record -g java "$@" -cp . A
	share=$(sed -n 's/.*: \([0-9.]*\)% of [0-9]* call chains are incomplete.*/\1/p' told)
	awk -v a="${share:-0}" 'BEGIN { exit !(a < 30) }' || fail "chains of java $*: $(cat told)"
fi
for python in python3 python3.12 python3.13; do
	real=$($python -c 'import sys; print(sys.executable)' 2>/dev/null) || continue
	echo 'f = lambda n: n if n < 2 else f(n - 1) + f(n - 2)
f(24)' >a.py
	record -g "$real" a.py
	grep -Eq '^\[   [0-9]+% in python code: record --runtimes \(python 3.12 and newer\) \]$' told || fail "$real: $(cat told)"
	"$real" -X perf -c 'import sys; sys.exit(not sys.is_stack_trampoline_active())' 2>/dev/null || continue
	record -g "$real" -X perf a.py
	if grep -q 'in python code\|are incomplete' told; then fail "advice that was followed: $(cat told)"; fi
	[ "$(whole_chains report | cut -d. -f1)" -ge 95 ] || fail "$real: $(tail -n 4 report)"
done

follow() { # CODE ADVICE "COMMAND" "COMMAND AS ADVISED" NAME: the advice is given, and following it gives names
	# shellcheck disable=SC2086
	record -g $3
	grep -Eq "^\[   [0-9]+% in $1: $2 \]\$" told || fail "no advice: $(cat told)"
	# shellcheck disable=SC2086
	record -g $4
	if grep -q "in $1" told; then fail "advice that was followed: $(cat told)"; fi
	"$PERF" report --stdio --no-children -g none -i a.data 2>/dev/null | grep -Eq "$5" || fail "no names by '$4'"
}
if command -v php >/dev/null; then
	echo '<?php function leaf($n) { for ($s = $i = 0; $i < $n; $i++) $s ^= $i; return $s; } for ($i = 0; $i < 3000; $i++) leaf(5000);' >a.php
	record -g php -n a.php
	grep -Eq '^\[   [0-9]+% in php code: record --runtimes \(what it sets: man perf-record\) \]$' told || fail "no advice: $(cat told)"
fi
if command -v mono >/dev/null && command -v mcs >/dev/null; then
	cat >A.cs <<'C'
class A { static int Sum(int n) { int s = 0; for (int i = 0; i < n; i++) s = s * 31 + i; return s; }
	static void Main() { int x = 0; for (int i = 0; i < 100000; i++) x ^= Sum(5000); System.Console.WriteLine(x); } }
C
	mcs A.cs >/dev/null
	follow "mono code" "record --runtimes \(what it sets: man perf-record\)" "mono A.exe" "mono --jitmap A.exe" 'A:Sum'
	rm -f /tmp/perf-"$("$PERF" script -F pid -i a.data 2>/dev/null | awk 'NF { print $1; exit }')".map
fi
if command -v perl >/dev/null; then
	record -g perl -e 'sub f { my $n = shift; $n < 2 ? $n : f($n - 1) + f($n - 2) } f(24)'
	expect_text told "% in perl code: perl -d:NYTProf (perf sees no subs) ]"
fi

# The parts of what is incomplete add up to it.
cc -O2 -DAPART -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables -o bare bare.c
record -g ./bare
awk '/incomplete/ { all = $4 + 0; next } /^\[   [0-9]+%/ { sum += $2 + 0 }
	END { exit !(all > 90 && sum > all - 2 && sum < all + 2) }' told || fail "parts of another whole: $(cat told)"
