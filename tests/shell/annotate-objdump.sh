# instructions that libcapstone does not know are those of objdump: in annotate, the browser and the page; no objdump, bad ones
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc objdump nm
"$PERF" version --build-options | grep -q 'on .*HAVE_CAPSTONE' || skip "perf was built without libcapstone"
[ "$(uname -m)" = x86_64 ] || skip "the program is one of x86-64" # unit/test_objdump has instructions of arm64
await_seconds=60
own_tmux

# The AVX-512 instructions never run, so that any processor will do.
cat >prog.c <<'C'
#include <string.h>
volatile int never, sink;
int table[64];
char a[60000], b[60000];
__attribute__((noinline)) int work(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s = s * 3 + i;
	if (never)
		__asm__ volatile("vmovdqu8 (%0),%%ymm18%{%%k2%}\n\tkmovd %%ecx,%%k1\n\tvpcmpnequb (%0),%%ymm18,%%k1%{%%k2%}\n\t"
				 "vmovdqu64 table(%%rip),%%zmm17\n\tvpternlogd $0xff,%%zmm1,%%zmm2,%%zmm3%{%%k1%}%{z%}\n\t"
				 "vaddpd %{rn-sae%},%%zmm1,%%zmm2,%%zmm4\n\tjmp 1f\n\t.byte 0x06\n1:\tnop" ::"r"(table));
	return s;
}
int main(void)
{
	int s = 0;

	for (int i = 0; i < 1000; i++) {
		s += work(100000);
		for (int k = 0; k < 20; k++) {
			memmove(a, b, sizeof(a));
			sink += memcmp(a, b, sizeof(a)) + (int)strlen(a) + (memchr(b, 'x', sizeof(b)) != NULL);
		}
	}
	return s == 1;
}
C
cc -O2 -g -fno-builtin -no-pie -fno-pie -o prog prog.c
"$PERF" record -o perf.data -e cpu-clock:u -F 2000 ./prog >/dev/null 2>&1
mkdir none # a PATH without programs
PERF=$(realpath "$PERF")

# code FILE OPTION...: "ADDRESS INSTRUCTION" of all functions, without comments and names
plain() { sed 's/[ \t]*[#;].*//; s/[ \t]*<.*//; s/[ \t][ \t]*/ /g; s/ $//'; }
code() { sed -n 's/^ *[0-9.]* : *\([0-9a-f]*\):  */\1 /p' "$1" | sed 's/^\([0-9a-f]*\) .*(unknown)$/\1 (bad)/' | plain | sort -u; }
expect_status 0 "$PERF" annotate -q --no-source -d prog,libc.so.6 -i perf.data
code out >ours
cp out with
expect_status 0 env PATH="$PWD/none" "$PERF" annotate -q --no-source -d prog,libc.so.6 -i perf.data
cp out without
if ! grep -q 'not decoded' without; then
	skip "this libcapstone knows all instructions of the program"
fi
sed -n 's/^ *[0-9.]* : *\([0-9a-f]*\):   .*(not decoded.*/\1/p' without | sort -u >missing
[ "$(wc -l <missing)" -ge 5 ] || { cat without && fail "only $(wc -l <missing) instructions are not decoded"; }

# ---- the same instructions as plain objdump has, of the whole functions ----
libc=$(ldd prog | sed -n 's/.*=> \(.*libc[.]so[.]6\) .*/\1/p')
: >theirs.all
"$PERF" report --stdio -i perf.data -s dso,sym -F sample,dso,sym -g none --percent-limit 0 2>/dev/null |
	sed -n 's/^ *[0-9]* *\(prog\|libc[.]so[.]6\) *\[[.]\] \([A-Za-z_0-9]*\)$/\1 \2/p' >functions
grep -q '^prog work$' functions || fail "no samples of work"
objdump -d -w --no-show-raw-insn prog >>theirs.all
objdump -d -w --no-show-raw-insn "$libc" >>theirs.all
sed -n 's/^ *\([0-9a-f]*\):\t\(.*\)/\1 \2/p' theirs.all | plain | sort -u >theirs
cut -d' ' -f1 ours | sort -u >addresses
join addresses theirs | sed 's/ \(data16\|cs\|xchg\) .*/ nop/' | cut -d' ' -f1,2 | sed 's/ nop[wl]$/ nop/' >want
cut -d' ' -f1,2 ours | sed 's/ \(nop[wl]\|data16\)$/ nop/' >got
diff want got || fail "other instructions than objdump's"
join missing theirs >want
[ "$(wc -l <want)" -ge 5 ] || fail "only $(wc -l <want) instructions to compare"
join missing ours >got
diff want got || fail "instructions from objdump are other ones than objdump's"
grep -q 'vmovdqu64 .*table' with || { grep zmm with && fail "the data of an instruction of objdump is not named"; }
echo "$(wc -l <want) instructions of objdump, in $(grep -c . functions) functions"
# with Intel's syntax
expect_status 0 "$PERF" annotate -q --no-source -d prog,libc.so.6 -i perf.data -M intel work
code out >got
objdump -d -w --no-show-raw-insn -M intel --disassemble=work prog | sed -n 's/^ *\([0-9a-f]*\):\t\(.*\)/\1 \2/p' | plain | sort -u >theirs.intel
join missing theirs.intel >want
join missing got | diff want - || fail "-M intel: other instructions than objdump's"

# ---- llvm-objdump ----
if command -v llvm-objdump >/dev/null; then
	expect_status 0 "$PERF" annotate -q --no-source -d prog,libc.so.6 --objdump "$(command -v llvm-objdump)" -i perf.data
	code out >got
	diff addresses - <<-A || fail "llvm-objdump: other instructions begin"
		$(cut -d' ' -f1 got | sort -u)
	A
	join missing got | cut -d' ' -f1,2 >got2
	join missing theirs | cut -d' ' -f1,2 | diff - got2 || fail "llvm-objdump: other instructions"
else
	echo "left out, there is no llvm-objdump"
fi

# ---- none is installed ----
for f in $(awk '{ print $2 }' functions); do
	PATH="$PWD/none" "$PERF" annotate -q --no-source -d prog,libc.so.6 -i perf.data "$f" >one 2>/dev/null
	n=$(grep -c '(not decoded: install binutils)' one || :)
	[ "$n" -le 1 ] || fail "$f: says $n times what to install"
	! grep -q '(not decoded)' one || [ "$n" = 1 ] || { cat one && fail "$f: does not say what to install"; }
done
# what is not missing stays as it is
join -v 2 missing ours >want
code without | join -v 2 missing - | diff want - || fail "other instructions where no objdump is installed"

# ---- programs that are no objdump ----
scripts=$PWD
bad_objdump() { # NAME TEXT
	mkdir -p "$1"
	printf '#!/bin/sh\n%s\n' "$2" >"$1/objdump"
	chmod +x "$1/objdump"
}
with_script() { # NAME
	start=$(date +%s)
	expect_status 0 env PATH="$scripts/$1" "$PERF" annotate -q --no-source -d prog,libc.so.6 -i "$scripts/perf.data" work
	seconds=$(($(date +%s) - start))
}
bad() { # NAME TEXT
	bad_objdump "$1" "$2"
	with_script "$1"
}
# perf waits 10 s for each of these two, at the same time
bad_objdump slow 'exec /bin/sleep 100'
bad_objdump closes 'exec >&- 2>&-; exec /bin/sleep 100'
mkdir other
(cd other && with_script closes && [ "$seconds" -le 40 ] || fail "perf waited for $seconds s") >closes.log 2>&1 &
closes=$!
with_script slow
expect_text out '(not decoded: objdump did not end within 10 s)'
[ "$seconds" -le 40 ] || fail "perf waited for $seconds s"
wait $closes || fail "an objdump that closes its output: $(cat closes.log)"
bad fails 'exit 1'
expect_text out '(not decoded: install binutils)'
bad silent ':'
expect_text out '(not decoded: install binutils)'
bad odd 'printf "garbage\n\033]0;title\007: x\nffffffffffffffff:\tout\n 0:\tx\n"'
expect_text out '(not decoded: install binutils)'
bad endless 'exec /usr/bin/yes 0'
expect_text out '(not decoded: install binutils)'
# An instruction of it at the right address has control characters: none is printed.
first=$(join missing theirs | awk '{ print $1 }' | while read -r a; do ! grep -q "^ *[0-9.]* : *$a:" out || { echo "$a" && break; }; done)
cat >hostile.sh <<X
printf '  $first:\tv\033[31mmov\tx\033]0;a\007\302\233y\n  $(printf %x $((0x$first + 6))):\tnop\n'
X
bad hostile "$(cat hostile.sh)"
expect_text out 'v?[31mmov x?]0;a???y'
if LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177-\377]')" out; then cat -v out && fail "control characters of objdump are printed"; fi
# its words, environment and file: nothing of the user's, and only the code
cat >words.sh <<X
echo "\$@" >'$PWD/words.out'; env | grep -v -e '^PWD=' -e '^_=' -e '^SHLVL=' -e '^OLDPWD=' >'$PWD/env.out'; cat /proc/self/fd/0 >'$PWD/file.out'
X
bad words "PATH=/bin:/usr/bin; $(cat words.sh)"
[ "$(grep -v '^PATH=' env.out)" = LC_ALL=C ] || { cat env.out && fail "another environment"; }
expect_line words.out '-d -z -w --no-show-raw-insn /proc/self/fd/0 -M att'
size=$(nm -S prog | awk '$4 == "work" { print $2 }')
[ "$(stat -c %s file.out)" -le $((0x$size + 512)) ] || fail "the file has $(stat -c %s file.out) bytes, work $((0x$size))"
# --objdump; an objdump in the folder that one is in is not run
expect_status 0 "$PERF" annotate -q --no-source -d prog,libc.so.6 --objdump ./no-such -i perf.data work
expect_text out "(not decoded: './no-such' does not read it)"
printf '#!/bin/sh\ntouch ran\n' >objdump
chmod +x objdump
expect_status 0 env PATH=: "$PERF" annotate -q --no-source -d prog,libc.so.6 -i perf.data work
[ ! -e ran ] || fail "an objdump of the working directory was run"
rm objdump

# ---- the page ----
code_of() { grep '^[0-9a-f]* ' "$1" | sed 's/ (unknown)$/ (bad)/' | plain | sort -u; }
if command -v node >/dev/null; then
	expect_status 0 "$PERF" report --html-source=20 -i perf.data -o page.html
	CODE=work PAGE=page.html node "$PERF_SRC/tests/web/read_page.mjs" | sed -n 's/^code: //p' >page
	expect_status 0 "$PERF" annotate -q --no-source -d prog,libc.so.6 -i perf.data work
	code out >want
	code_of page | diff want - || fail "the page has other instructions"
else
	echo "left out, there is no node"
fi

# ---- the browser ----
if command -v tmux >/dev/null && "$PERF" version --build-options | grep -q 'ncursesw: \[ on'; then
	need_terminal
	tm new-session -d -s s -x 80 -y 24 "LC_ALL=C.UTF-8 '$PERF' report --no-children -i perf.data -S work; sleep 60"
	await_text '  functions'
	tm send-keys -t s a
	await_text ' : '
	tm send-keys -t s A P
	await_text 'this code, as text'
	tm send-keys -t s Enter
	await_text "was written to 'perf.annotate.0'"
	code perf.annotate.0 | diff want - || fail "the browser has other instructions"
else
	echo "left out, there is no tmux or ncursesw"
fi
