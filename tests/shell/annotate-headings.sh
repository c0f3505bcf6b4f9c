# files and inlined functions are named where they change, as llvm-symbolizer or eu-addr2line has them: in annotate, the browser and the page
# timeout: 200
. "$PERF_SRC/tests/lib.sh"
need_record
need_command c++ objdump
# addr2line of binutils 2.40 does not know all that is inlined
if command -v llvm-symbolizer >/dev/null; then
	symbolizer='llvm-symbolizer --obj=prog'
elif command -v eu-addr2line >/dev/null; then
	symbolizer='eu-addr2line -C -f -i -e prog'
else
	skip "neither llvm-symbolizer nor eu-addr2line is installed"
fi
"$PERF" version --build-options | grep -q 'on .*HAVE_CAPSTONE' || skip "perf was built without libcapstone"
own_tmux

cat >vec.h <<'H'
#include <cstddef>
struct vec {
	double v[64];
	inline double dot(const vec &o) const
	{
		double s = 0;
		for (size_t i = 0; i < 64; i++)
			s += v[i] * o.v[i];
		return s;
	}
	inline void scale(double f)
	{
		for (size_t i = 0; i < 64; i++)
			v[i] /= f;
	}
};
H
cat >main.cc <<'CC'
#include "vec.h"
#include <cstdio>
static vec a, b;
static inline double twice(double x)
{
	return x * 2 + a.v[3];
}
__attribute__((noinline)) double work(int n)
{
	double s = 0;
	for (int i = 0; i < n; i++) {
		s += a.dot(b);
		a.scale(1.0001);
		b.v[i & 63] += twice(s);
	}
	return s;
}
int main()
{
	for (int i = 0; i < 64; i++)
		a.v[i] = b.v[i] = i;
	printf("%f\n", work(3000000));
}
CC
c++ -O2 -g -no-pie -fno-pie -o prog main.cc
"$PERF" record -o perf.data -e cpu-clock:u -F 1000 ./prog >/dev/null 2>&1

# "ADDRESS FUNCTION FILE" of each instruction of work, of the innermost function
objdump -d --no-show-raw-insn --disassemble='work(int)' -C prog | sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p' >addresses
[ "$(wc -l <addresses)" -ge 20 ] || fail "objdump shows $(wc -l <addresses) instructions"
while read -r a; do
	$symbolizer "0x$a" | awk -v a="$a" 'NR == 1 { sub(/\(.*/, ""); f = $0 } NR == 2 { sub(/.*\//, ""); sub(/:.*/, ""); print a, f, $0 }'
done <addresses >want
[ "$(cut -d' ' -f3 want | sort -u | wc -l)" = 2 ] || { cat want && fail "not two files"; }
grep -q ' vec::dot vec.h' want || { cat want && fail "vec::dot is not inlined into work"; }

# The same from headings above instructions. A heading that repeats the one before is "again".
from_text() {
	awk '
		match($0, /^ *: +[A-Za-z_:]+\(\):$/) { sub(/^ *: */, ""); sub(/\(\):$/, ""); if ($0 == f) print "again", $0; f = $0; next }
		match($0, /^ *: +[a-z]+\.[a-z]+:[0-9]+$/) { sub(/^ *: */, ""); sub(/:.*/, ""); if ($0 == file) print "again", $0; file = $0; next }
		match($0, /^ *[0-9.]+ : +[0-9a-f]+: /) { sub(/:$/, "", $3); print $3, f, file }' "$1"
}
expect_status 0 "$PERF" annotate -i perf.data work
from_text out | diff want - || { cat out && fail "annotate: other headings than the symbolizer's"; }
grep -q ': *main.cc:[0-9]*$' out || { cat out && fail "no line at the file's name"; }
expect_status 0 "$PERF" annotate -P -i perf.data work
grep -q ": *$PWD/vec[.]h:[0-9]*$" out || { cat out && fail "-P: no whole path"; }

if command -v node >/dev/null; then
	expect_status 0 "$PERF" report --html-source -i perf.data -o page.html
	CODE=work PAGE=page.html node "$PERF_SRC/tests/web/read_page.mjs" | sed -n 's/^code: //p' >page
	awk '/^[0-9a-f]+ / { print $1, f, file; next }
		{ line = $0; sub(/ \(inlined\)/, "", line); n = split(line, part, "  "); if (part[1] == f && n > 1 && part[2] ~ "^" file ":") print "again", $0
		  f = part[1]; file = part[2]; sub(/:.*/, "", file) }' page | diff want - || { cat page && fail "page: other headings than the symbolizer's"; }
else
	echo "left out, there is no node"
fi

if command -v tmux >/dev/null && "$PERF" version --build-options | grep -q 'ncursesw: \[ on'; then
	need_terminal
	tm new-session -d -s s -x 80 -y 24 "LC_ALL=C.UTF-8 '$PERF' report --no-children --no-inline-rows -i perf.data -S work; sleep 60"
	await_text '  functions'
	tm send-keys -t s a
	await_text ' : '
	tm send-keys -t s P
	await_text 'this code, as text'
	tm send-keys -t s Enter
	await_text "was written to 'perf.annotate.0'"
	from_text perf.annotate.0 | diff want - || { cat perf.annotate.0 && fail "browser: other headings than the symbolizer's"; }
else
	echo "left out, there is no tmux or ncursesw"
fi
