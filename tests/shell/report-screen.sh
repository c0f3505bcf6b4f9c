# report on a terminal: one screen, in its width, with short names; everything in pipes
. "$PERF_SRC/tests/lib.sh"
need_terminal
need_record
need_command "${CXX:-c++}" awk

cat >shapes.cc <<'END'
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

static volatile unsigned long sink;

#define burn(n) for (unsigned long i = 0; i < (n); i++) sink += i

namespace shapes {
namespace {
template <class K, class V> struct Table {
	std::map<K, std::vector<V>> rows;
	__attribute__((noinline)) void fill(unsigned long n) { burn(n); }
	__attribute__((noinline)) std::string operator()(unsigned long n) { burn(n); return "x"; }
};
}
__attribute__((noinline)) void climb(int steps, unsigned long n)
{
	if (steps) {
		climb(steps - 1, n);
		sink++;
		return;
	}
	burn(n);
	sink++;
}
}

int main(int, char **argv)
{
	shapes::Table<std::string, std::vector<int>> table;
	auto lambda = [](const std::string &s, unsigned long n) __attribute__((noinline)) { burn(n + s.size()); };

	for (int i = 0; i < 40 * atoi(argv[1]); i++) {
		table.fill(6000000);
		shapes::climb(12, 3000000);
		table(1500000);
		lambda("text", 500000);
	}
}
END
"${CXX:-c++}" -std=c++11 -O1 -g -o shapes shapes.cc >out 2>&1 || skip "no C++ compiler: $(tail -n 1 out)"
record_enough 600 shapes.data -g -F 2000 -e cpu-clock:u ./shapes

fits() { # FILE: no line takes more than $columns columns (or 80) of what the programs here are called
	awk -v max="${columns:-80}" 'length > max { print "too wide: " $0; bad = 1 } END { exit bad }' "$1" ||
		{ cat "$1"; fail "lines are too wide"; }
}

numbers() { # FILE: its lines, with N for each number that differs between runs
	sed 's/ *[0-9.]*[0-9]%/ N%/g; s/Samples: [0-9K]*  */Samples: N /; s/[0-9]* rows\{0,1\} /N rows /; s/of [0-9]* samples/of N samples/
		s/_start > .* > main/_start > main/; s/ *$//; s/lost 0 records and 0 samples/nothing lost/' "$1"
}

on_terminal "$PERF report --no-tui -i shapes.data --stdio-color never --percent-limit 2"
fits screen
cat >expected <<'END'
# Samples: N of event 'cpu-clock:u'
# Overhead  Shared Object  Symbol
# ........  .............  ....................................
 N%  shapes         [.] shapes::Table<...>::fill
 N%  shapes         [.] shapes::climb
 N%  shapes         [.] shapes::Table<...>::operator()
 N%  shapes         [.] main::{lambda#1}
# and N rows below N%, N% together
#
# Call tree, callers first:
 N%  _start > main
 N%    shapes::Table<...>::fill
 N%    shapes::climb (13 deep)
 N%    shapes::Table<...>::operator()
 N%    main::{lambda#1}
#
END
numbers screen | sed '/^# Completeness/,$d; /^# \.\.\./s/  \.*$/  ..................................../' >seen
grep -q '^# and' seen || sed -i '/^# and N rows/d' expected
diff expected seen >difference || { cat screen; fail "the screen is another: $(cat difference)"; }
expect_text screen "-i shapes.data -g callee -S NAME"
[ "$(wc -l <screen)" -le 24 ] || fail "$(wc -l <screen) lines for a screen of 24"

# in colour: the same
mv screen plain
on_terminal "$PERF report --no-tui -i shapes.data --percent-limit 2"
esc=$(printf '\033')
grep -q "^ *$esc\[31m *[0-9.]*%$esc\[m  shapes" screen || { cat screen; fail "rows have no colour"; }
grep -q "^$esc\[31m *[0-9.]*%$esc\[m  _start" screen || { cat screen; fail "the call tree has no colour"; }
sed "s/$esc\[[0-9;]*m//g" screen | cmp - plain || fail "colours change the text"

# narrow, wide, and through a pager, whose terminal has the width
for columns in 60 72 200; do
	for o in "" -g "-g flat" "-g folded" "-g fractal" "--header -I" "-s pid,cpu,dso,sym,srcline"; do
		on_terminal "$PERF report --no-tui -i shapes.data --stdio-color never $o"
		fits screen
	done
done
columns=60
PERF_PAGER=cat on_terminal "$PERF report --no-tui -i shapes.data --stdio-color never"
mv screen plain
PERF_PAGER='sed p' on_terminal "$PERF report --no-tui -i shapes.data --stdio-color never"
sed p plain | cmp - screen || fail "a pager gets something else"
PERF_PAGER=cat on_terminal "COLUMNS=90 $PERF report --no-tui -i shapes.data --stdio-color never"
columns=90
fits screen
awk 'length > 60 { wide = 1 } END { exit !wide }' screen || fail "COLUMNS is not followed"
unset columns

# make demo (here with less work), on a terminal without the browser: the hot functions, the call tree, what is missing, and what to type
# next, in 24 lines
"$PERF" record -g -e cpu-clock:u -o demo.data "$PERF_BUILD/demo/demo" 3 >out 2>&1 || fail "cannot record the demo: $(cat out)"
on_terminal "$PERF --no-pager report --no-tui --percent-limit 3 -i demo.data --stdio-color never"
fits screen
[ "$(wc -l <screen)" -le 24 ] || { cat screen; fail "$(wc -l <screen) lines of the demo"; }
sed -n 4p screen | grep -q 'libgrains.so *\[\.\] grains::Pile::topple$' || { cat screen; fail "the hottest function"; }
grep -q 'grains::Pile::topple ([0-9]* deep)$' screen ||
	{ cat screen; fail "the sandpile's call tree"; }
expect_text screen "# Call tree, callers first:"
expect_text screen "# Completeness: lost 0 records"
expect_text screen "# Next: perf report -i demo.data -g callee -S grains::Pile::topple ("
# no line ends within a command that is to be typed
"$PERF" record -e cpu-clock:u -o f.data "$PERF_BUILD/demo/demo" 3 >out 2>&1 || fail "cannot record the demo: $(cat out)"
on_terminal "$PERF --no-pager report --no-tui -i f.data --stdio-color never"
expect_text screen "perf report -i f.data -s srcline (lines)"

# git, which is stripped where distributions build it: at most 60 lines
if command -v git >/dev/null && git init -q repo 2>/dev/null; then
	awk 'BEGIN {
		for (i = 1; i <= 1000; i++) {
			text = ""
			for (k = 0; k < 200; k++)
				text = text (k % 37 == i % 37 ? "changed " i : "line " k) "\n"
			print "commit refs/heads/main\nmark :" i "\ncommitter A <a@b> " i " +0000\ndata 2\nhi"
			if (i > 1)
				print "from :" i - 1
			print "M 644 inline file" i % 20 "\ndata " length(text)
			printf "%s\n", text
		}
	}' | git -C repo fast-import --quiet
	"$PERF" record -g -F 4000 -e cpu-clock:u -o git.data git -C repo log -p --stat main >log 2>out ||
		fail "cannot record git: $(cat out)"
	on_terminal "$PERF report --no-tui -i git.data"
	sed "s/$esc\[[0-9;]*m//g" screen >stripped
	fits stripped
	[ "$(wc -l <screen)" -le 60 ] || { cat screen; fail "$(wc -l <screen) lines for git"; }
	grep -q '^# and [0-9]* rows ' screen || { cat screen; fail "what is left out is not counted"; }
fi

# whole names, all rows and each step of a recursion: in pipes, and where they are asked for
"$PERF" report -i shapes.data >pipe
expect_text pipe "shapes::(anonymous namespace)::Table<std::"
if grep -q 'deep\|Call tree\|rows below\|Next:' pipe; then fail "a pipe gets what is for terminals"; fi
COLUMNS=40 NO_COLOR=1 TERM=dumb "$PERF" report -i shapes.data | cmp pipe || fail "the terminal's settings change a pipe"
on_terminal "$PERF report --no-tui -i shapes.data --full-names --stdio-color never"
expect_text screen "shapes::(anonymous namespace)::Table<std::"
expect_text screen "::operator()"
if grep -q 'deep' screen; then fail "recursion is folded with --full-names"; fi
on_terminal "$PERF report --no-tui -i shapes.data -t, --stdio-color never"
expect_text screen "shapes::(anonymous namespace)::Table<std::"

# A row's tree: each function of it once; callers with an arrow to the left
on_terminal "$PERF report --no-tui -i shapes.data -g callee -S shapes::climb --no-children --stdio-color never"
expect_text screen "shapes::climb (13 deep) < main"
on_terminal "$PERF report --no-tui -i shapes.data -g -S shapes::climb --stdio-color never"
expect_text screen "> shapes::climb (13 deep)"
[ "$(grep -c 'climb' screen)" -le 3 ] || { cat screen; fail "recursion is not folded"; }

# Columns: Self alone, or Children beside it if that is asked for, in perfconfig, too
expect_columns() { # HEADER perfconfig-line arguments...
	want=$1 line=$2
	shift 2
	printf '[report]\n%s\n' "$line" >~/.perfconfig
	on_terminal "$PERF report --no-tui -i shapes.data --stdio-color never $*"
	rm ~/.perfconfig
	grep -q "^# $want  Shared Object" screen || { cat screen; fail "no columns $want: $line $*"; }
}
expect_columns Overhead ""
expect_columns 'Children      Self' "" --children
expect_columns 'Children      Self' "" -g
expect_columns 'Children      Self' "" -G
expect_columns 'Children      Self' "children = true"
expect_columns Overhead "children = false" -g
grep -q 'Call tree, callers first' screen && fail "one tree in spite of -g"

# --percent-limit: 0.5 on a terminal, 0 elsewhere; what is given wins. What is not shown is counted.
rows() {
	grep -c '^  *[0-9.]*%  shapes ' "$1"
}
"$PERF" report -i shapes.data --no-children -g none -F overhead,comm,sym -s comm,srcline,sym >pipe
on_terminal "$PERF report --no-tui -i shapes.data -g none -F overhead,comm,sym -s comm,srcline,sym --stdio-color never --percent-limit 0"
[ "$(rows screen)" = "$(rows pipe)" ] || fail "$(rows screen) rows with --percent-limit 0, $(rows pipe) in a pipe"
on_terminal "$PERF report --no-tui -i shapes.data -g none -F overhead,comm,sym -s comm,srcline,sym --stdio-color never --percent-limit 20"
[ "$(rows screen)" = "$(awk '/^  *[0-9.]*%  shapes / && $1 + 0 >= 20 { n++ } END { print n + 0 }' pipe)" ] ||
	fail "$(rows screen) rows with --percent-limit 20"
expect_text screen "# and $(($(rows pipe) - $(rows screen))) rows below 20%, "
awk '/^  *[0-9.]*%  shapes / { sum += $1 } /^# and/ { sub(/%/, "", $7); sum += $7 } END { exit sum < 99.7 || sum > 100.3 }' screen ||
	{ cat screen; fail "the rows and the rest are not 100%"; }
