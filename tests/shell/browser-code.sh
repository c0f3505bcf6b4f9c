# the browser's code view: jumps and calls lead where objdump says, and back; arrows; sums of lines; what is written to files
# timeout: 400
. "$PERF_SRC/tests/lib.sh"
need_terminal
need_record
need_command cc tmux objdump nm addr2line
"$PERF" version --build-options | grep -q 'ncursesw: \[ on' || skip "perf was built without ncursesw"
"$PERF" version --build-options | grep -q 'on .*HAVE_CAPSTONE' || skip "perf was built without libcapstone"
await_seconds=60
own_tmux

cat >prog.c <<'C'
#include <stdio.h>
#include <string.h>
char text[64];
volatile unsigned table[256];
unsigned (*volatile pointer)(unsigned);
__attribute__((noinline)) unsigned tiny(unsigned x)
{
	return x + table[x & 15];
}
__attribute__((noinline)) unsigned leaf(unsigned x)
{
	for (int i = 0; i < 9; i++)
		x = x * 3 + table[x & 255];
	return tiny(x) * 5;
}
__attribute__((noinline)) unsigned work(unsigned n)
{
	unsigned s = 0;

	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < 20; k++)
			s += table[(s + k) & 255] / (1 + (s & 7));
		if (s % 3)
			s += leaf(s);
		table[s & 255]++;
		if (s % 5 == 1)
			table[i & 15] += s ^ i;
		if (s == 123456789)
			s += puts("hello from work") + strlen(text);
		if (s == 12345678)
			s += pointer(s);
	}
	return s;
}
int main(void)
{
	unsigned s = 0;

	for (int i = 0; i < 40; i++)
		s += work(50000);
	return s == 1;
}
C
cc -O1 -g -no-pie -fno-pie -o prog prog.c
"$PERF" record -o perf.data -e cpu-clock:u -F 2000 ./prog >/dev/null 2>&1
objdump -d --no-show-raw-insn --disassemble=work prog | sed -n 's/^ *\([0-9a-f]*\):[ \t]*/\1 /p' >insns
# "FROM TO" of each jump in work, and "FROM NAME" of each call
awk '$2 ~ /^(j|b$|b\.|cb|tb)/ { for (i = 3; i < NF; i++) if ($(i + 1) ~ /^<work[+>]/) print $1, $i }' insns >jumps
awk '$2 ~ /^(call|bl)$/ && $NF ~ /^</ { gsub(/[<>]/, "", $NF); print $1, $NF }' insns >calls
[ "$(wc -l <jumps)" -ge 5 ] || { cat insns && fail "objdump shows less than 5 jumps"; }
grep -q ' leaf$' calls || fail "objdump shows no call of leaf"

open_code() { # COLUMNS ROWS FILE: the code of its first function
	next_tmux
	tm new-session -d -s s -x "$1" -y "$2" "LC_ALL=${locale:-C.UTF-8} '$PERF' report --no-children -i $3 2>errors; sleep 60"
	await_text '[.]'
	tm send-keys -t s a
	await_text ' : '
}
selected() { # the line of the screen that is in reverse
	tm capture-pane -e -p -t s | sed '1d;$d' | grep '\[[0-9;]*7m' | sed 's/\x1b\[[0-9;]*m//g; s/\x0f//g'
}
is_at() { selected | grep -q "[ >─-]$1:  "; }
go() { # ADDRESS: select its line
	tm send-keys -t s Home / "$1:" Enter n
	await is_at "$1" || fail "$1 was not found: $(selected)"
}
expect_at() { # ADDRESS WHY
	await is_at "$1" || { cat screen insns && fail "$2: not at $1, but at '$(selected)'"; }
}
shows() {
	tm capture-pane -p -t s >screen
	grep -q -e "$1" screen
}
expect_screen() { await shows "$1" || { cat screen && fail "the screen has no '$1'"; }; }

# ---- jumps, on terminals of three sizes ----
for size in '80 24' '40 14' '120 40'; do
	# shellcheck disable=SC2086
	open_code $size perf.data
	expect_screen '^ work  (prog)'
	while read -r from to; do
		go "$from"
		arrow=$(selected)
		tm send-keys -t s Enter
		expect_at "$to" "the jump at $from"
		tm send-keys -t s BSpace
		expect_at "$from" "back from $to"
		echo "$arrow" | grep -q '[┌└↓↑]──' || fail "no arrow begins at the jump at $from: '$arrow'"
		[ "$to" = "$from" ] || ! shows "  $to:   " || { cat screen && fail "no arrow from $from ends at $to"; }
	done <jumps
done
# The longest jump, where it cannot be on one screen: the arrow goes off at the edge that the target is behind.
set -- $(awk '{ cmd = "printf \"%d %d\" 0x" $1 " 0x" $2; cmd | getline d; close(cmd); split(d, v, " "); n = v[2] - v[1]; print n < 0 ? -n : n, $1, $2, n < 0 ? "↑" : "↓" }' jumps |
	sort -n | tail -n 1)
open_code 80 7 perf.data
go "$2"
expect_screen " :$4"
! shows "  $3:   " || fail "the longest jump fits on seven lines"
locale=C
open_code 80 7 perf.data
go "$2"
expect_screen " :$(echo "$4" | sed 's/↑/\\^/; s/↓/v/')"
! shows '[─│┌└↑↓]' || fail "lines that the locale does not have: $(cat screen)"
locale=

# ---- calls ----
open_code 80 24 perf.data
address() { nm prog | awk -v name="$1" '$3 == name { sub(/^0*/, "", $1); print $1 }'; }
to_leaf=$(awk '$2 == "leaf" { print $1; exit }' calls)
go "$to_leaf"
tm send-keys -t s Enter
expect_screen '^ leaf  (prog)'
expect_at "$(address leaf)" "the call of leaf"
to_tiny=$(objdump -d --no-show-raw-insn --disassemble=leaf prog | sed -n 's/^ *\([0-9a-f]*\):.*<tiny>$/\1/p' | head -n 1)
go "$to_tiny"
tm send-keys -t s Enter
expect_screen '^ tiny  (prog)'
expect_at "$(address tiny)" "the call of tiny"
tm send-keys -t s BSpace
expect_screen '^ leaf  (prog)'
expect_at "$to_tiny" "back from tiny"
tm send-keys -t s BSpace
expect_screen '^ work  (prog)'
expect_at "$to_leaf" "back from leaf"
tm send-keys -t s BSpace
expect_screen 'There is no filter to take away'
# into another binary, through the procedure linkage table
if grep -q ' puts@plt$' calls; then
	go "$(awk '$2 == "puts@plt" { print $1; exit }' calls)"
	tm send-keys -t s Enter
	expect_screen '^ .*puts  (libc'
	tm send-keys -t s BSpace
	expect_screen '^ work  (prog)'
fi
# a function that the program chooses when it starts (IFUNC)
if readelf -W --dyn-syms "$(ldd prog | sed -n 's/.*=> \(.*libc[.]so[.]6\) .*/\1/p')" 2>/dev/null | grep -q ' IFUNC .* strlen@' && grep -q ' strlen@plt$' calls; then
	go "$(awk '$2 == "strlen@plt" { print $1; exit }' calls)"
	tm send-keys -t s Enter
	expect_screen 'strlen has several versions; '
fi
# through a register; elsewhere
go "$(awk '$2 ~ /^(call|blr)$/ && $NF !~ /^</ { print $1; exit }' insns)"
tm send-keys -t s Enter
expect_screen 'Where this leads is known only while the program runs'
go "$(awk '$2 ~ /^(ret|leave|pop|mov|add)/ { print $1; exit }' insns)"
tm send-keys -t s Enter
expect_screen 'No jump or call is on this line'

# ---- a recording of arm64 ----
if command -v aarch64-linux-gnu-objdump >/dev/null; then
	gzip -dc "$PERF_SRC/tests/data/arm64-stacks/perf.data.gz" >arm.data
	mkdir -p root/tmp
	cp "$PERF_SRC/tests/data/arm64-stacks/stacks" root/tmp/
	# shellcheck disable=SC2046
	set -- $(aarch64-linux-gnu-objdump -d --no-show-raw-insn --disassemble=leaf root/tmp/stacks | sed -n 's/^ *\([0-9a-f]*\):\tb\.[a-z]*\t\([0-9a-f]*\) .*/\1 \2/p')
	[ $# = 2 ] || fail "objdump shows another number of jumps in leaf: $*"
	open_code 80 24 'arm.data --symfs root'
	go "$1"
	selected | grep -q '└──' || fail "no arrow at the jump of arm64: $(selected)"
	tm send-keys -t s Enter
	expect_at "$2" "the jump of arm64"
	tm send-keys -t s BSpace
	expect_at "$1" "back from it"
else
	echo "left out, there is no objdump for arm64"
fi

# ---- what is hidden; numbers; files ----
written() { # FILE KEYS...: what the view shows after these keys
	ln -sf /nonexistent/target perf.annotate.0
	file=$1
	shift
	open_code 80 24 perf.data
	for key; do tm send-keys -t s "$key"; done
	tm send-keys -t s P
	expect_screen 'this code, as text'
	tm send-keys -t s Enter
	expect_screen "The code was written to 'perf.annotate.1'"
	[ -L perf.annotate.0 ] && [ ! -e perf.annotate.0 ] || fail "a link was followed or replaced"
	[ "$(stat -c %a perf.annotate.1)" = "$(stat -c %a perf.data)" ] || fail "another mode than the recording's"
	mv perf.annotate.1 "$file"
}
addresses() { sed -n 's/^ *[0-9.]* : *\([0-9a-f]*\):  .*/\1/p' "$1"; }
source_lines() { sed -n 's/^ *[0-9.]* *: \([0-9][0-9]* .*\)/\1/p' "$1"; }
cut -d' ' -f1 insns >all

written both
addresses both | diff all - || fail "not all instructions"
source_lines both | grep -q 's += leaf(s);' || { cat both && fail "no source lines"; }
written assembly A
addresses assembly | diff all - || fail "A: not all instructions"
[ -z "$(source_lines assembly)" ] || { cat assembly && fail "A: source lines"; }
written again A A
diff both again || fail "A A is not what was there before"
# Source only: each line once, with the samples that addr2line finds for it.
written lines C %
[ -z "$(addresses lines)" ] || { cat lines && fail "C: instructions"; }
sed -n 's/^ *\([1-9][0-9]*\) : \([0-9]*\) .*/\2 \1/p' lines | sort >ours
"$PERF" script -i perf.data -F ip,sym 2>/dev/null | awk '$2 == "work" { print $1 }' | addr2line -e prog | sed 's/.*:\([0-9]*\).*/\1/' |
	sort | uniq -c | awk '{ print $2, $1 }' | sort >theirs
[ -s theirs ] || fail "no samples of work"
diff theirs ours || fail "sums of lines that are not those of addr2line"
[ "$(source_lines lines | sort | uniq -d)" = "" ] || { cat lines && fail "a line twice"; }
# Periods: cpu-clock's are nanoseconds, 500,000 at 2 kHz on average.
written periods % %
sum() { awk '$2 == ":" && $3 ~ /:$/ { n += $1 } END { printf "%.0f\n", n }' "$1"; }
[ "$(sum periods)" = "$("$PERF" report --stdio -i perf.data -F period,sym --no-children 2>/dev/null | awk '/ work$/ { print $1 }')" ] ||
	{ cat periods && fail "periods: $(sum periods)"; }
written percent % % %
diff both percent || fail "% % % is not what was there before"

# ---- help and the line at the bottom ----
tm send-keys -t s Down
expect_screen 'Enter:follow  A:asm  C:source  %:numbers'
tm send-keys -t s '?'
for text in 'Enter      go where the jump or the call leads' 'Backspace  return from there' 'A          assembly only' \
	'C          source only' '%          numbers: percentages' 'P          write this code to a file'; do
	expect_screen "$text"
done
