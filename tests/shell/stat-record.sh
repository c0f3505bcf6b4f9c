# perf stat record and report: known counts, as stock perf reads and writes them; kill -9, a full disk, damaged files
. "$PERF_SRC/tests/lib.sh"
need_command cc
"$PERF" stat -x, -e page-faults:u true 2>first || skip "no counters here: $(cat first)"

# Touches N pages of its own, one after the other.
cat >touch.c <<'C'
#include <stdlib.h>
#include <sys/mman.h>
int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 0;
	char *p = mmap(0, 4096 * (n + 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, 4096 * (n + 1), 15 /* MADV_NOHUGEPAGE */);
	for (long i = 0; i < n; i++)
		p[4096 * i] = 1;
	return 0;
}
C
cc -O1 -o touch touch.c
page=$(getconf PAGESIZE)
n=$((512 * 4096 / page)) # pages

faults() { sed -n 's/^\([0-9]*\),,page-faults:u,.*/\1/p' "$1"; }

# The recording has the numbers that were printed, and says which command it was.
expect_status 0 "$PERF" stat record -o few.data -x, -e page-faults:u ./touch 0
cp err few
expect_status 0 "$PERF" stat record -o many.data -x, -e page-faults:u ./touch 512
cp err many
more=$(($(faults many) - $(faults few)))
# The loader touches a page or two more or less, as addresses are random.
[ $more -ge $((n - 5)) ] && [ $more -le $((n + 5)) ] || fail "$more instead of $n pages: $(cat few many)"
for f in few many; do
	expect_status 0 "$PERF" stat report -x, -i $f.data
	cut -d, -f1-3 err >reported
	cut -d, -f1-3 $f >printed
	diff reported printed || fail "$f.data does not have what was printed"
done
"$PERF" stat report -i many.data 2>text
expect_text text "stat record -o many.data -x, -e page-faults:u ./touch 512'"
"$PERF" stat report -j -i many.data 2>lines
expect_text lines "\"counter-value\" : \"$(faults many).000000\""
expect_status 0 "$PERF" stat record -o few.data -e page-faults:u ./touch 0
[ -f few.data.old ] || fail "an older recording was not kept"

# As a stream.
"$PERF" stat record -o - -e page-faults:u ./touch 512 2>err | "$PERF" stat report -x, -i - 2>stream
[ "$(faults stream)" = "$(sed -n 's/^ *\([0-9]*\)  *page-faults:u.*/\1/p' err)" ] ||
	fail "the stream has other counts: $(cat stream err)"

# Intervals: what each of them counted; together what the command did.
expect_status 0 "$PERF" stat record -I 20 -x, -o steps.data -e page-faults:u sh -c './touch 512; sleep 0.1; ./touch 512'
cp err steps
expect_status 0 "$PERF" stat report -x, -i steps.data
cut -d, -f1-4 err >reported
cut -d, -f1-4 steps >printed
diff reported printed || fail "intervals differ"
[ "$(awk -F, '{ n += $2 } END { print n }' reported)" -ge $((2 * n)) ] || fail "intervals lack counts: $(cat reported)"

# A program that is killed leaves what it had written.
: >killed.err # the background shell may open it later
"$PERF" stat record -I 10 -o killed.data -e page-faults:u sh -c 'while :; do :; done' 2>killed.err &
recorder=$!
for _ in $(seq 1000); do
	[ "$(grep -c page-faults killed.err)" -lt 5 ] || break
	sleep 0.1
done
command=$(ps -o pid= --ppid $recorder)
kill -KILL $recorder
wait $recorder 2>/dev/null || :
# shellcheck disable=SC2086
kill $command 2>/dev/null || :
expect_status 0 "$PERF" stat report -x, -i killed.data
[ "$(wc -l <err)" -ge 4 ] || fail "intervals are missing: $(cat err)"

# No room: one reason; the command goes on, and what was written is readable.
(
	ulimit -f 40
	"$PERF" stat record --quiet -I 1 -o full.data -e page-faults:u,minor-faults:u,task-clock:u \
		sh -c 'until grep -q "cannot write" err; do sleep 0.1; done; echo >ended' 2>err >out
) || :
[ -e ended ] || fail "the command was ended: $(cat err)"
[ "$(grep -c 'cannot write' err)" = 1 ] || fail "not one reason: $(grep -v page-faults err)"
"$PERF" stat report -x, -i full.data 2>err || :
[ "$(grep -c page-faults err)" -ge 2 ] || fail "nothing is left: $(cat err)"

# Damaged files: what is whole is shown, and one line says what is not.
head -c $(($(stat -c %s steps.data) / 2)) steps.data >half.data
"$PERF" stat report -x, -i half.data 2>err && fail "half a file is whole"
[ "$(grep -c '^perf: error: ' err)" = 1 ] || fail "not one reason: $(cat err)"
printf 'no recording' >none.data
expect_status 1 "$PERF" stat report -i none.data
expect_text err "'none.data' is not a perf.data file"

# Stock perf reads ours, and we read its.
stock=$(command -v perf || :)
[ -n "$stock" ] && [ "$("$stock" --version | cut -d' ' -f1,2)" = 'perf version' ] && "$stock" stat true 2>out || exit 0
"$stock" stat report -i many.data 2>err >out || fail "stock perf cannot read it: $(cat err)"
grep -q "^ *$(faults many)  *page-faults:u" err out || fail "stock perf reads other counts: $(cat err out)"
"$stock" stat record -o stock.data -e page-faults:u ./touch 512 2>printed >out
"$PERF" stat report -x, -i stock.data 2>err
grep -q "^ *$(faults err)  *page-faults:u" printed || fail "not what stock perf printed: $(cat err printed)"
