# perf export: every format has the weight of the report, hostile names stay names, files are whole or not there
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc

# ---- two threads, two events ----
program prog progs/stacks -O2 -g -pthread
"$PERF" record -q -g -F 2000 -e cpu-clock:u,page-faults:u -o a.data ./prog 100
total() { # EVENT: its weight by the report
	"$PERF" report --stdio -g none --no-children -F period -s comm -i a.data 2>/dev/null |
		awk -v event="$1" '/^# Samples/ { on = index($0, "\x27" event "\x27") } on && /^ +[0-9]+ / { n += $1 } END { print n + 0 }'
}
clock=$(total cpu-clock:u) faults=$(total page-faults:u)
[ "$clock" -gt 0 ] && [ "$faults" -gt 0 ] || fail "the report has no periods: $clock $faults"

expect_status 0 "$PERF" export -i a.data -o a.folded
expect_text err "samples of other events were left out"
LC_ALL=C sort -c a.folded || fail "lines are not sorted"
[ "$(awk '{ n += $NF } END { print n }' a.folded)" = "$clock" ] || fail "folded: not $clock"
grep -q '^prog;.*main;.*;compares;.* [0-9]*$' a.folded || fail "no stacks: $(head -n 3 a.folded)"
expect_status 0 "$PERF" export -i a.data -e page-faults:u --format folded
[ "$(awk '{ n += $NF } END { print n }' out)" = "$faults" ] || fail "folded -e: not $faults"
expect_status 0 "$PERF" export -i a.data --format folded --show-tid --inline-marks --time 0%-100%
grep -Eq '^prog-[0-9]+/[0-9]+;' out || fail "no pid and tid: $(head -n 3 out)"

expect_status 0 "$PERF" export -i a.data -o a.jsonl
expect_status 0 "$PERF" export -i a.data -o a.speedscope.json
expect_status 0 "$PERF" export -i a.data -o a.firefox.json
expect_status 0 "$PERF" export -i a.data -o a.pb.gz
expect_status 0 "$PERF" export -i a.data -o b.pb.gz --labels comm,pid,tid,cpu,timestamp
gzip -t a.pb.gz b.pb.gz
if command -v jq >/dev/null; then
	sum() { # EVENT
		jq -s --arg event "$1" 'map(select(.event == $event).weight) | add' a.jsonl
	}
	[ "$(sum cpu-clock:u) $(sum page-faults:u)" = "$clock $faults" ] || fail "jsonl: not $clock $faults"
	jq -es 'map(.time) | . == sort' a.jsonl >/dev/null || fail "jsonl is not in the order of time"
	jq -es 'all((.stack | length) == (.line | length) and (.stack | length) == (.binary | length))' a.jsonl >/dev/null
	[ "$(jq '[.profiles[] | select(.name | endswith("cpu-clock:u")).endValue] | add' a.speedscope.json)" = "$clock" ] ||
		fail "speedscope: not $clock"
	jq -e '(.shared.frames | length) as $n | all(.profiles[]; (.samples | length) == (.weights | length) and
		([.samples[][]] | max) < $n) and (.profiles | length) <= 4' a.speedscope.json >/dev/null || fail "speedscope: an index is too large"
	firefox=$(jq -r '[.threads[] | select(.samples.weightType == "tracing-ms").samples.weight[]] | add * 1e6 | round' a.firefox.json)
	[ "$firefox" = "$clock" ] || fail "firefox: $firefox, not $clock"
	[ "$(jq '[.threads[] | select(.name | endswith(" (page-faults:u)")).samples.weight[]] | add' a.firefox.json)" = "$faults" ] ||
		fail "firefox: not $faults"
	jq -e 'all(.threads[].samples; .length == (.stack | length) and .length == (.time | length)) and
		(.shared | all(.frameTable, .stackTable, .funcTable, .nativeSymbols, .resourceTable, .sources;
			.length as $n | [.[] | arrays | length] | all(. == $n)))' a.firefox.json >/dev/null ||
		fail "firefox: columns of different lengths"
fi
if go version >/dev/null 2>&1; then
	go tool pprof -raw a.pb.gz >raw 2>/dev/null
	values=$(awk '/^Samples:/ { on = 1; next } /^Locations/ { on = 0 }
		on && /^ +[0-9]+ +[0-9]+ +[0-9]+:/ { sub(/:/, "", $3); c += $2; f += $3 } END { printf "%.0f %.0f", c, f }' raw)
	[ "$values" = "$clock $faults" ] || fail "pprof: $values, not $clock $faults"
fi

# The same bytes each time, with any number of threads.
for format in folded pprof firefox speedscope otlp jsonl; do
	"$PERF" export -i a.data --format $format --threads 1 2>/dev/null >1
	"$PERF" export -i a.data --format $format --threads 3 2>/dev/null >3
	"$PERF" export -i - --format $format <a.data 2>/dev/null >pipe
	cmp 1 3 || fail "$format depends on the number of threads"
	sed -i 's/"name":"-"/"name":"a.data"/' pipe
	cmp 1 pipe || fail "$format of a pipe differs"
done

if "$PERF" record -q --all-cgroups -e cpu-clock:u -o cgroup.data ./prog 10 2>/dev/null; then
	path=$("$PERF" report --stdio -i cgroup.data -s cgroup -F cgroup 2>/dev/null | awk '!/^#/ && NF { print $1; exit }')
	for format in pprof otlp; do
		expect_status 0 "$PERF" export -i cgroup.data --format $format --labels cgroup -o cgroup.$format
		cat cgroup.$format >text
		[ $format = otlp ] || gzip -dc cgroup.$format >text
		grep -aq cgroup text && grep -aqF "$path" text || fail "$format: no cgroup $path"
	done
fi

# ---- names that mean something to the readers ----
name=$(printf 'a;b"c\\<script>\303(\033[31m')
cp "$(command -v sleep)" "./$name" 2>/dev/null || cp "$(command -v sleep)" ./odd
[ -x "./$name" ] || name=odd
"$PERF" record -q -g -e cpu-clock -c 100000 -o n.data "./$name" 0.01 || skip "cannot record '$name'"
for format in folded speedscope firefox jsonl pprof otlp; do
	expect_status 0 "$PERF" export -i n.data --format $format -o n.$format
	[ "$format" = pprof ] || [ "$format" = otlp ] || if LC_ALL=C grep -q "$(printf '\033')" n.$format; then fail "$format has an escape"; fi
done
! grep -q '^a;b' n.folded || fail "a name is two frames: $(head -n 2 n.folded)"
if command -v jq >/dev/null; then
	jq -e . n.speedscope n.firefox >/dev/null || fail "not JSON"
	jq -es 'all(.comm | startswith("a;b") or startswith("odd") or startswith("perf"))' n.jsonl >/dev/null || fail "jsonl lost a name"
fi

# ---- what goes wrong ----
expect_status 0 "$PERF" export --format list
expect_lines out 13
expect_status 1 "$PERF" export -i a.data -o a.xyz
expect_text err "no format has the suffix of 'a.xyz'"
expect_status 1 "$PERF" export -i a.data --format foo
expect_text err "unknown format 'foo'"
expect_status 1 "$PERF" export -i a.data -o missing/a.folded
expect_text err "cannot write 'missing/a.folded'"
expect_status 1 "$PERF" export -i a.data -o a.pb.gz --labels foo
expect_text err "unknown label 'foo'"
expect_status 1 "$PERF" export -i a.data -o a.pb.gz --labels cgroup
expect_text err "'a.data' has no cgroups of samples"
expect_status 1 "$PERF" export -i a.data --format jsonl -o /dev/full
expect_text err "cannot write '/dev/full'"
cp a.data same.data
ln -s same.data link.data
for output in same.data ./same.data link.data; do # the recording stays
	expect_status 1 "$PERF" export -i same.data --format folded -o $output
	expect_text err "perf: error: '$output' is the input: choose another output"
	expect_status 1 "$PERF" report --html -i same.data -o $output
	expect_status 1 "$PERF" export -i same.data --format sqlite -o $output
done
expect_status 1 "$PERF" data convert --to-json same.data --force -i same.data
cmp a.data same.data || fail "the recording was overwritten"
# Links stay: what they lead to is written, also where that is standard output. A full file replaces another at once.
mkdir links
echo before >links/old
ln -s old links/link
ln -s /proc/self/fd/1 links/stdout
"$PERF" export -i a.data --format folded >want
expect_status 0 "$PERF" export -i a.data --format folded -o links/link
[ -L links/link ] || fail "a link was replaced"
cmp want links/old
echo first >got
"$PERF" export -i a.data --format folded -o links/stdout >>got
[ -L links/stdout ] || fail "/dev/stdout would be replaced"
{ echo first && cat want; } | cmp - got
"$PERF" export -i a.data --format folded -o /dev/fd/4 4>got
cmp want got
[ "$(ls links)" = "$(printf 'link\nold\nstdout')" ] || fail "left: $(ls links)"
mkdir empty
(ulimit -f 8 && trap '' XFSZ && "$PERF" export -i a.data -o empty/a.jsonl 2>err) && fail "a limit is not noticed"
expect_text err "cannot write 'empty/a.jsonl'"
[ -z "$(ls -A empty)" ] || fail "half a file: $(ls -A empty)"
size=$(wc -c <a.data)
head -c $((size * 2 / 3)) a.data >cut.data
"$PERF" export -i cut.data --format folded >out 2>err || :
[ -s err ] && [ "$(wc -l <out)" -gt 0 ] || fail "of a file that is cut off: $(cat err)"
