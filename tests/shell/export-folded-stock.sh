# perf export: folded stacks are those that the rules of stackcollapse-perf.pl make of stock's text
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc c++ awk
need_stock
own_folder
trap 'rm -rf "$dir"; [ -z "$pid" ] || rm -f "/tmp/perf-$pid.map"' EXIT
pid=

# Stock names functions of the vdso only if it recorded here before, and stubs _init.
own_lines() { # FILE
	sed '/^perf/d; s/[^; ]*@plt/_init/g; s/__vdso_[a-z_]*_\[k\]/[[vdso]]_[k]/g' "$1" |
		awk '{ n = $NF; sub(/ [0-9]*$/, ""); sum[$0] += n } END { for (s in sum) print s, sum[s] }' | LC_ALL=C sort
}

# same FILE EVENT OPTION-OF-OURS VARIABLE-OF-AWK
same() {
	"$STOCK" script --no-inline -F +pid -i "$1" 2>/dev/null </dev/null >text
	awk -v kernel=1 -v jit=1 -v only="$2" ${4:+-v "$4=1"} -f "$PERF_SRC/tests/stackcollapse.awk" text |
		LC_ALL=C sort >want
	# shellcheck disable=SC2086
	"$PERF" export -i "$1" -e "$2" --format folded --no-inline --no-made-up-names --kernel --jit $3 >got 2>err
	# the recorder itself, before it has become the program, is in the names that the file has, but stock's are not
	own_lines want >want.own
	own_lines got >got.own
	[ -s want.own ] || fail "$1: no stacks: $(head -n 5 text)"
	diff want.own got.own >differences || fail "$1 $2 $3: $(head -n 6 differences)"
}

program prog progs/stacks -O2 -g -pthread
"$PERF" record -q -g -F 2000 -e cpu-clock:u,page-faults:u -o two.data ./prog 50
for event in cpu-clock:u page-faults:u; do
	same two.data $event
	same two.data $event --show-pid pid
	same two.data $event --show-tid tid
done
if may_record_kernel; then
	"$PERF" record -q --call-graph fp -F 2000 -e cpu-clock -o kernel.data dd if=/dev/zero of=/dev/null bs=1 count=100000 2>/dev/null
	same kernel.data cpu-clock
fi

# ---- names ----
cat >names.cc <<'C'
#include <ctime>
volatile unsigned long sink;
namespace outer {
namespace {
struct hidden {
	template <class T> [[gnu::noinline]] T work(T n) const
	{
		for (T i = 0; i < n; i++)
			sink = sink + 1;
		return n;
	}
	[[gnu::noinline]] void operator()(long n) const
	{
		work<long>(n);
		sink = sink + 1;
	}
};
}
}
int main()
{
	while (clock() < CLOCKS_PER_SEC / 10)
		outer::hidden()(100000);
}
C
c++ -O2 -g -fno-omit-frame-pointer -o names names.cc
"$PERF" record -q --call-graph fp -F 2000 -e cpu-clock:u -o names.data ./names
same names.data cpu-clock:u

program jit progs/names -O1 -fno-omit-frame-pointer
cat >list <<'NAMES'
plain
a;b
net/http.(*Client).Do
call(int, char const*)
a::(anonymous namespace)::g(int)::(anonymous namespace)::h
quo'ted "twice"
Ljava/lang/String;::length
operator()
main.func1.(x).y
two  blanks
NAMES
"$PERF" record -q --call-graph fp -F 2000 -e cpu-clock:u -o jit.data -- ./jit list 15 'java two words'
pid=$("$PERF" report --stdio -F pid -s pid -i jit.data 2>/dev/null | sed -n 's/^ *\([0-9]*\):.*/\1/p' | head -n 1)
same jit.data cpu-clock:u
[ "$(grep -c '_\[j\] ' got)" -ge 8 ] || fail "few names of the map: $(cat got)"

# The rules leave out frames whose names begin with a parenthesis; ours are complete.
echo '(anonymous namespace)::f(int)' >list
"$PERF" record -q --call-graph fp -F 2000 -e cpu-clock:u -o first.data -- ./jit list 50
rm -f "/tmp/perf-$("$PERF" report --stdio -F pid -s pid -i first.data 2>/dev/null | sed -n 's/^ *\([0-9]*\):.*/\1/p' | head -n 1).map"
"$PERF" export -i first.data --format folded >got
grep -q ';(anonymous namespace)::f [0-9]*$' got || fail "a frame is missing: $(cat got)"
