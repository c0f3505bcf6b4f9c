# perf export: any name of a function is a name in each format, nothing is lost
# timeout: 400
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc jq awk
trap '[ -z "$pid" ] || rm -f "/tmp/perf-$pid.map"' EXIT
pid=

program names progs/names -O1 -fno-omit-frame-pointer
long=$(head -c 102400 /dev/zero | tr '\0' x)
{
	printf 'semi;colon\nquo"te'"'"'d\n</script><script>\nback\\slash\ncontrol\033[31mand\001\n'
	printf 'invalid\377\303(utf8\nvalid\303\244\n'
	echo "long$long"
} >list
"$PERF" record -q --call-graph fp -e cpu-clock:u -F 2000 -o n.data ./names list 20 'a;b "c' 2>err || skip "cannot record: $(cat err)"
pid=$("$PERF" export -i n.data --format jsonl | jq -s '.[0].pid')
total=$("$PERF" export -i n.data --format jsonl | jq -s 'map(.weight) | add')

for format in jsonl linux-perf-json speedscope firefox folded pprof otlp; do
	expect_status 0 "$PERF" export -i n.data --format $format -o n.$format
done
# Each has some of the time; of the long one, its whole length.
jq -es --arg long "long$long" 'def has(f): any(.stack[0] | f);
	has(. == "semi;colon") and has(. == "quo\"te'"'"'d") and has(. == "</script><script>") and has(. == "back\\slash") and
	has(startswith("control")) and has(startswith("invalid")) and has(. == "valid\u00e4") and has(. == $long)' \
	n.jsonl >/dev/null || fail "jsonl: a name is missing: $(jq -r '.stack[0][:40]' n.jsonl | sort | uniq -c)"
jq -e --arg long "long$long" '[.samples[].callchain[0].symbol] | any(. == "semi;colon") and any(. == $long)' n.linux-perf-json \
	>/dev/null || fail "data convert: a name is missing"
jq -e '[.profiles[].weights[]] | add == '"$total" n.speedscope >/dev/null || fail "speedscope: not $total"
jq -e '[.shared.frames[].name | length] | max == 102404' n.speedscope >/dev/null || fail "speedscope: the long name is cut off"
jq -e '[.shared.stringArray[] | length] | max == 102404' n.firefox >/dev/null || fail "firefox: the long name is cut off"
for name in 'semi;colon' '</script><script>' 'back\slash'; do
	jq -e --arg n "$name" '.shared.stringArray | any(. == $n)' n.firefox >/dev/null || fail "firefox: no $name"
	jq -e --arg n "$name" '.shared.frames | any(.name == $n)' n.speedscope >/dev/null || fail "speedscope: no $name"
done
[ "$(awk '{ n += $NF } END { printf "%.0f", n }' n.folded)" = "$total" ] || fail "folded: not $total"
! LC_ALL=C grep -q "$(printf '[\001\033]')" n.folded || fail "folded has control characters"
grep -q 'semi:colon' n.folded || fail "folded: no semi:colon"
gzip -dc n.pprof >n.pprof.raw
for f in n.pprof.raw n.otlp; do
	for name in 'semi;colon' '</script><script>' 'back\slash'; do
		grep -aqF -e "$name" $f || fail "$f: no $name"
	done
	tr -cs x '\n' <$f | awk 'length == 102400 { n++ } END { exit !n }' || fail "$f: the long name is cut off"
	! LC_ALL=C grep -aq "$(printf 'invalid\377')" $f || fail "$f is not UTF-8"
done
if command -v protoc >/dev/null; then
	for f in n.pprof.raw n.otlp; do
		protoc --decode_raw <$f >decoded 2>err || fail "$f: $(cat err)"
	done
fi
if go version >/dev/null 2>&1; then
	go tool pprof -top n.pprof >top 2>err || fail "pprof: $(cat err)"
fi
