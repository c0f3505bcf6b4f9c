# perf record: stores the code of sampled functions, and with --embed-source its source; perf inject adds both and takes them out
# timeout: 600
. "$PERF_SRC/tests/lib.sh"
need_record
own_folder

cat >work.c <<'C'
#include <stdlib.h>
#include <time.h>
static volatile unsigned long sum;
extern int table[];
static inline int mix(int x) { return x * 31 + table[x & 7]; }
__attribute__((noinline)) void hot_leaf(unsigned long n)
{
	while (n--)
		sum += mix((int)n);
}
void work(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 8;
	const struct timespec rest = { 0, 10000000 };

	while (clock() < end)
		hot_leaf(50000);
	if (getenv("LONG")) /* for two seconds and more, a few of them on the CPU */
		for (int i = 0; i < 200; i++) {
			nanosleep(&rest, NULL);
			for (end = clock() + CLOCKS_PER_SEC / 1000; clock() < end;)
				hot_leaf(50000);
		}
}
int table[8] = { 1, 2, 3 };
C
echo 'void work(void); int main(void) { work(); return 0; }' >main.c
mkdir src && mv work.c main.c src
compile() { "${CC:-cc}" -O1 -g -Wl,--build-id "$@"; }
compile -shared -fPIC -o lib.so src/work.c
compile -o prog src/main.c src/work.c
compile -o user src/main.c ./lib.so

record() { # FILE OPTION... COMMAND
	file=$1
	shift
	expect_status 0 "$PERF" record -e cpu-clock:u -F 1000 -o "$file" "$@"
}
annotate() { # OPTION...: the instructions of hot_leaf, without the binaries
	HOME=$dir/elsewhere "$PERF" annotate --stdio --symfs "$dir/nowhere" "$@" hot_leaf 2>err || :
}
has_code() { # WHAT FILE
	annotate -i "$2" >got
	grep -q '^ .* [0-9a-f]*:[[:space:]]*ret' got || { cat got err && fail "$1: no instructions"; }
}
stored() { "$PERF" report --header-only -i "$1" | grep '^# embedded' >stored || :; }
can_annotate=1
"$PERF" record -e cpu-clock:u -o probe.data ./prog 2>/dev/null
"$PERF" annotate --stdio -i probe.data >out 2>err || can_annotate=
grep -q libcapstone err && can_annotate=

# ---- what is stored, and what is not without being asked for ----
record a.data ./prog
stored a.data
grep -Eq '^# embedded code: [1-9][0-9]* bytes of [1-9][0-9]* functions of [1-9][0-9]* binaries, [1-9][0-9]* bytes' stored || fail "the header does not tell: $(cat stored)"
if grep source stored; then fail "source is stored without --embed-source"; fi
if grep -a 'sum += mix' a.data; then fail "source is in the file"; fi
record s.data --embed-source ./prog
stored s.data
grep -Eq '^# embedded source: [1-9][0-9]* lines of [1-9] files$' stored || fail "no source: $(cat stored)"
"$PERF" doctor s.data >out
grep -q '^embedded code: ' out && grep -q '^embedded source: ' out || fail "perf doctor does not tell: $(cat out)"
record n.data --no-embed ./prog
stored n.data
expect_empty stored
expect_status 129 "$PERF" record --embed-source --no-embed -o x.data ./prog
expect_status 129 "$PERF" record --embed-source -o - ./prog
"$PERF" record -e cpu-clock:u -o - ./prog 2>/dev/null >pipe.data
expect_status 0 "$PERF" report --stdio -i pipe.data

# ---- perf inject ----
expect_status 0 "$PERF" inject --no-embed -i s.data -o out.data
stored out.data
grep -q 'embedded names' stored || fail "--no-embed takes out names: $(cat stored)"
if grep 'code\|source' stored; then fail "--no-embed leaves code"; fi
if grep -a 'sum += mix' out.data; then fail "--no-embed leaves source"; fi
for in in n.data out.data pipe.data; do
	expect_status 0 "$PERF" inject --embed -i $in -o in.data
	stored in.data
	grep -q 'embedded code: [1-9]' stored || fail "inject --embed of $in: $(cat stored)"
	if grep source stored; then fail "inject --embed stores source"; fi
done
expect_status 0 "$PERF" inject --embed-source -i n.data -o in.data
stored in.data
grep -q 'embedded source: [1-9]' stored || fail "inject --embed-source: $(cat stored)"
expect_status 129 "$PERF" inject --embed -i n.data
expect_status 129 "$PERF" inject --embed --no-embed -i n.data -o in.data

# ---- a source file that is newer than the binary may have changed ----
touch -d '1 hour' src/work.c
record x.data --embed-source ./prog
stored x.data
grep -q 'left out, which are newer' stored || fail "a newer source file: $(cat stored)"
if grep -a 'sum += mix' x.data; then fail "a newer source file is stored"; fi
touch -d '1 hour ago' src/work.c

# ---- kinds of files ----
for o in -z --threads; do
	rm -rf k.data
	record k.data $o ./prog
	stored k.data
	grep -q 'embedded code: [1-9]' stored || fail "with $o: $(cat stored)"
done
record k.data --overwrite sh -c './prog; kill -USR2 $PPID; sleep 0.3'
for f in k.data*; do
	stored "$f"
	grep -q 'embedded code' stored && break
done
grep -q 'embedded code: [1-9]' stored || fail "with --overwrite: $(ls k.data*; cat stored)"
rm -rf k.data*
record k.data --switch-output sh -c './prog; kill -USR2 $PPID; sleep 0.3; ./prog'
for f in k.data*; do
	stored "$f"
	grep -q 'embedded code: [1-9]' stored || fail "with --switch-output, $f: $(cat stored)"
done

# ---- other programs read the file as before ----
for stock in $(command -v perf) ${STOCK_PERFS:-}; do
	[ -x "$stock" ] && [ "$(readlink -f "$stock")" != "$(readlink -f "$PERF")" ] || continue
	"$stock" report --stdio -i s.data >got 2>err || fail "stock perf: $(cat err)"
	grep -q hot_leaf got || fail "no rows of stock perf: $(cat got err)"
	if grep -Ei 'section|embed|unknown|invalid' err; then fail "stock perf complains"; fi
done

[ -n "$can_annotate" ] || exit 0

# ---- the same instructions from the recording alone: program gone, library replaced, nothing but the recording ----
# The kernel's code cannot be read everywhere: user space only.
"$PERF" annotate --stdio -i out.data hot_leaf >want 2>/dev/null # code and source from the files
annotate -i s.data >got
diff want got >differ || { head -n 20 differ && fail "other instructions from the recording"; }
grep -q 'sum += mix' got || { cat got && fail "no source from the recording"; }
grep -q '# .*<table>' got || { cat got && fail "no name of a variable"; }
# Programs that end within half a second may be gone before perf sees them.
record g.data --embed-source sh -c 'cp prog away; LONG=1 ./away; rm away'
has_code "a removed binary" g.data
sed 's/31/33/' src/work.c >src/other.c
compile -shared -fPIC -o other.so src/other.c
record g.data sh -c 'LONG=1 ./user & sleep 1; cp other.so new.so; mv new.so lib.so; wait'
has_code "a replaced library" g.data
grep -q 'shl.*\$0x5' got || [ "$(uname -m)" != x86_64 ] || { cat got && fail "code of the library that replaced the recorded one"; }
"$PERF" inject --no-embed -i s.data -o out.data
mv prog gone
annotate -i out.data >none
if grep -q '^ .* [0-9a-f]*:[[:space:]]*ret' none; then fail "instructions without code, which proves nothing"; fi
"$PERF" inject --embed -i s.data -o in.data # what the recording has
has_code "inject --embed without the binary" in.data
