# perf diff --html: the same bytes each time, no name outside of the data, the costs of perf diff --folded
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
trap '[ -z "$pid" ] || rm -f "/tmp/perf-$pid.map"' EXIT
pid=

program names progs/names -O1 -fno-omit-frame-pointer
printf '</script><script>alert(1)</script>\n<img src=x onerror=alert(1)>\n<!--\nname\n' >list
for side in old new; do
	"$PERF" record -q --call-graph fp -e cpu-clock:u -F 2000 -o $side.data ./names list 20 '<b>"&' 2>err || skip "cannot record: $(cat err)"
	pid=$("$PERF" export -i $side.data --format jsonl | sed -n '1s/.*"pid":\([0-9]*\).*/\1/p')
	rm -f "/tmp/perf-$pid.map"
done

expect_status 0 "$PERF" diff --html=1.html --threads 1 old.data new.data
expect_text err "open '1.html' in a browser"
[ ! -s out ] || fail "text beside the page: $(cat out)"
expect_status 0 "$PERF" diff --html=3.html --threads 3 old.data new.data
cmp 1.html 3.html || fail "the page depends on the number of threads"
expect_status 0 "$PERF" diff --html old.data new.data
cmp 1.html perf.html || fail "without a name, the page is not perf.html"
[ "$(wc -c <1.html)" -lt 160000 ] || fail "$(wc -c <1.html) bytes for few samples"
! grep -q -e 'alert(1)' -e 'onerror' -e '<b>' 1.html || fail "a name is in the page"
[ "$(grep -c '<script' 1.html)" = 2 ] && [ "$(grep -c '</script' 1.html)" = 2 ] || fail "not two scripts"
grep -q "default-src 'none'" 1.html || fail "the page has no policy"

for other in --json --folded --stock; do
	expect_status 1 "$PERF" diff --html=not.html $other old.data new.data
	expect_text err "exclude each other"
done
expect_status 1 "$PERF" diff --html=no/folder.html old.data new.data
expect_text err "cannot write 'no/folder.html'"
expect_text err "--html=FILE"
expect_status 1 "$PERF" diff --html=not.html old.data missing.data
[ ! -e not.html ] || fail "a page of nothing"

# ---- by the modules of the page: rows and costs ----
command -v node >/dev/null || exit 0
"$PERF" diff --json old.data new.data >diff.json
"$PERF" diff --folded old.data new.data >diff.folded
cat >check.mjs <<END
import { readFileSync } from 'node:fs';
import { readRecording, unpack } from '$PERF_SRC/web/data.js';
const page = /id="data">([^<]*)</.exec(readFileSync('1.html', 'utf8'))[1];
const { facts, cells, frames } = readRecording(await unpack(page));
const { rows, verdicts } = facts.comparison;
const { functions } = JSON.parse(readFileSync('diff.json', 'utf8'));
const same = functions.every((f, i) => f.verdict === verdicts[rows[i].verdict] && f.self.old === rows[i].self[0] &&
	f.self.new === rows[i].self[1] && f.total.new === rows[i].total[1] && f.function === frames[i].name && f.binary === frames[i].binary);
const sums = [0, 0], want = [0, 0];
cells.cell.forEach((side, i) => (sums[side] += cells.weight[i]));
for (const line of readFileSync('diff.folded', 'utf8').trimEnd().split('\n'))
	line.split(' ').slice(-2).forEach((x, side) => (want[side] += Number(x)));
console.log(functions.length === rows.length && same ? 'rows' : 'other rows',
	sums.every((x, side) => Math.abs(x - want[side]) < 1e-4 * want[side]) ? 'costs' : \`\${sums}, not \${want}\`);
END
[ "$(node check.mjs)" = "rows costs" ] || fail "the page has $(node check.mjs)"
