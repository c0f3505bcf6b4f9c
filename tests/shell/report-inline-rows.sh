# functions that were inlined have the same numbers in all views: JSON, terminal, annotate, diff, folded stacks
. "$PERF_SRC/tests/lib.sh"
need_terminal
need_record
need_command cc python3

# Three parts of the time are heavy's and one is light's; both are inlined into first and second, and heavy calls
# nothing. called takes as long as light does, and is not inlined.
cat >prog.c <<'C'
#include <stdlib.h>
static volatile unsigned long sink;
#define spin(n) for (unsigned long i = 0; i < (n); i++) sink += i
static inline __attribute__((always_inline)) void light(void) { spin(400000); }
static inline __attribute__((always_inline)) void heavy(void) { spin(1200000); }
static __attribute__((noinline)) void called(void) { spin(400000); }
__attribute__((noinline)) void first(void) { heavy(); called(); sink++; }
__attribute__((noinline)) void second(void) { heavy(); light(); light(); sink++; }
int main(int argc, char **argv)
{
	for (int i = 0; i < 100 * atoi(argv[argc - 1]); i++) {
		first();
		second();
	}
}
C
cc -O2 -g -fno-ipa-icf -fno-optimize-sibling-calls -o prog prog.c
record_enough 1500 g.data -e cpu-clock:u -F 2000 -g ./prog
record_enough 1500 flat.data -e cpu-clock:u -F 2000 ./prog

# The numbers of all views agree, and are those of the program.
sums() { # FILE KIND
	"$PERF" report --json -i "$1" >json 2>err || fail "$(cat err)"
	"$PERF" report --stdio --inline-rows --no-children -g none -s sym -n -t '|' -i "$1" >text 2>err || fail "$(cat err)"
	"$PERF" annotate -n heavy -i "$1" >heavy 2>err || fail "$(cat err)"
	"$PERF" annotate -n 'light (inlined)' -i "$1" >light 2>err || fail "$(cat err)"
	"$PERF" diff --json "$1" "$1" >diff 2>err || fail "$(cat err)"
	"$PERF" report --no-tui -S heavy,light,called -i "$1" >/dev/null 2>err || fail "$(cat err)"
	python3 - "$2" <<'P' || fail "$1"
import json, re, sys
rows = json.load(open("json"))["tables"][0]["rows"]
names = [r["symbol"]["name"] for r in rows if r["dso"] == "prog"]
own = {r["symbol"]["name"]: r for r in rows if r["dso"] == "prog"}
assert len(own) == len(names), names  # one row wherever a function was inlined
all_samples = sum(r["sample"] for r in rows)
share = {n: own[n]["sample"] / all_samples for n in ("heavy", "light", "called")}
print(share)
assert abs(share["heavy"] - 2 * 3 / 9) < 0.12 and abs(share["light"] - 2 / 9) < 0.1 and abs(share["called"] - 1 / 9) < 0.1, share
assert own["heavy"]["symbol"]["inlined"] and "inlined" not in own["called"]["symbol"]
text = dict((l.split("|")[2].strip(), int(l.split("|")[1])) for l in open("text") if l[0] not in "#\n")
for n in "heavy", "light":
    assert text["[.] %s (inlined)" % n] == own[n]["sample"], (n, text)
    said = open(n).read()
    match = re.match(r"(\w+) is inlined. It has (\d+) samples, ([\d.]+)% of all, itself; (\d+)", said)
    assert match and match[1] == n and int(match[2]) == int(match[4]) == own[n]["sample"], (n, said[:200])
    lines = [l for l in said.splitlines() if re.match(r" +\d+ :", l)]
    assert sum(int(l.split(":")[0]) for l in lines) == own[n]["sample"], (n, said)
assert "first (prog)" in open("heavy").read() and "second (prog)" in open("heavy").read()
assert "first (prog)" not in open("light").read()
for f in json.load(open("diff"))["functions"]:
    if f["function"] in share:
        r = own[f["function"]]
        assert abs(f["self"]["old"] / r["period"] - 1) < 1e-4, (f, r)
assert {"heavy", "light"} <= {f["function"] for f in json.load(open("diff"))["functions"]}
if sys.argv[1] == "chains":
    assert own["heavy"]["period_children"] >= own["heavy"]["period"]
P
}
sums g.data chains
sums flat.data flat

# The call tree of a row has all callers, whatever function the code was inlined into.
"$PERF" report --stdio --inline-rows --no-children -g callee -S heavy -i g.data >tree 2>err || fail "$(cat err)"
for caller in first second; do
	grep -Eq -- "-(2[5-9]|3[0-9]|4[01])[0-9.]*%--$caller\$" tree || fail "no caller $caller: $(cat tree)"
done

# A terminal has the same rows, of functions; a pipe has those of stock perf, where the code is.
on_terminal "'$PERF' report --no-tui -i g.data"
expect_text screen '[.] heavy (inlined)'
if grep -q Command screen; then cat screen && fail "rows of threads"; fi
on_terminal "'$PERF' report --no-tui --no-inline-rows -i g.data"
if grep -q '\] heavy (inlined)' screen; then cat screen && fail "--no-inline-rows has rows of inlined functions"; fi
on_terminal "'$PERF' report --stdio --no-children -g none -i g.data"
if grep -q 'heavy' screen; then cat screen && fail "--stdio has rows of inlined functions"; fi
"$PERF" report --no-children -g none -i g.data >pipe 2>err
grep -q '\[\.\] first' pipe || fail "a pipe has no row of first: $(cat pipe)"
if grep -q 'heavy' pipe; then cat pipe && fail "a pipe has rows of inlined functions"; fi

# A function that is both inlined and called has one row, with all of its time: a fifth through a pointer.
cat >both.c <<'C'
#include <stdlib.h>
static volatile unsigned long sink;
static void (*volatile pointer)(unsigned long);
static inline void spin(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i; }
static volatile unsigned long nothing;
static inline __attribute__((always_inline)) void rest(void) { for (int i = 0; i < 500000; i++) nothing++; }
__attribute__((noinline)) void by_pointer(void) { pointer(400000); sink++; }
__attribute__((noinline)) void inlines(void) { spin(1200000); sink++; }
__attribute__((noinline)) void inlines_too(void) { spin(400000); rest(); sink++; }
int main(int argc, char **argv)
{
	pointer = spin;
	for (int i = 0; i < 100 * atoi(argv[argc - 1]); i++) {
		by_pointer();
		inlines();
		inlines_too();
	}
}
C
cc -O2 -g -fno-ipa-icf -fno-optimize-sibling-calls -o both both.c
record_enough 600 both.data -g -e cpu-clock:u -F 2000 ./both
"$PERF" report --json -i both.data >json 2>err || fail "$(cat err)"
"$PERF" report --stdio --inline-rows --children -g none -s sym -n -t '|' -i both.data >text 2>err || fail "$(cat err)"
"$PERF" report --stdio --no-inline-rows --no-children -g none -s sym -n -t '|' -i both.data >apart 2>err || fail "$(cat err)"
"$PERF" diff --json both.data both.data >diff 2>err || fail "$(cat err)"
"$PERF" report --stdio --inline-rows --no-children -g callee -S spin -i both.data >tree 2>err || fail "$(cat err)"
on_terminal "'$PERF' report --no-tui -i both.data"
python3 - <<'P' || fail "a function that is inlined and called"
import json, re
rows = [r for r in json.load(open("json"))["tables"][0]["rows"] if r["symbol"].get("name") == "spin"]
assert len(rows) == 1 and "inlined" not in rows[0]["symbol"], rows
spin = rows[0]
def samples(file, symbol):
    return [int(l.split("|")[-2]) for l in open(file) if l[0] not in "#\n" and l.split("|")[-1].strip() == symbol]
assert samples("text", "[.] spin") == [spin["sample"]] and not samples("text", "[.] spin (inlined)")
out_of_line, = samples("apart", "[.] spin")
assert 0.1 < out_of_line / spin["sample"] < 0.3, (out_of_line, spin)
compared, = [f for f in json.load(open("diff"))["functions"] if f["function"] == "spin"]
assert abs(compared["self"]["old"] / spin["period"] - 1) < 1e-4, (compared, spin)
assert spin["period_children"] == spin["period"], spin
shown = re.findall(r"([\d.]+)%[^\n]*\[\.\] spin( \(inlined\))?", open("screen").read())
total = sum(r["period"] for r in json.load(open("json"))["tables"][0]["rows"])
assert len(shown) == 1 and not shown[0][1], shown
assert abs(float(shown[0][0]) - 100 * spin["period"] / total) < 0.006, (shown, spin, total)
tree = open("tree").read()
assert all(re.search(r"\b%s$" % n, tree, re.M) for n in ("by_pointer", "inlines", "inlines_too")), tree
P

# What is not there is said, with a name that is.
expect_status 1 "$PERF" annotate -i g.data heavi
expect_text err "did you mean 'heavy'?"

# A name as a screen shows it is taken: without the version of its symbol.
"$PERF" report --stdio --children -g none -s sym -i g.data >all 2>err
expect_text all '[.] __libc_start_main@@GLIBC'
for option in --no-tui --json; do
	"$PERF" report $option -S __libc_start_main -i g.data >out 2>err || fail "$(cat err)"
	expect_empty err
	expect_text out __libc_start_call_main
done

command -v "${CXX:-c++}" >/dev/null || exit 0
cat >many.cc <<'C'
static volatile unsigned long sink;
template <class T, class U> static inline __attribute__((always_inline)) void spin_for(T n)
{
	for (T i = 0; i < n; i++)
		sink += (U)i;
}
int main() { spin_for<unsigned long, unsigned short>(200000000); }
C
"${CXX:-c++}" -O2 -g -o many many.cc
expect_status 0 "$PERF" record -e cpu-clock:u -o many.data ./many
expect_status 0 "$PERF" annotate -i many.data 'spin_for<...>'
expect_text out 'spin_for<...> is inlined'
expect_status 0 "$PERF" report --json -i many.data -S 'spin_for<...> (inlined)'
expect_text out '"inlined":true'
expect_empty err
