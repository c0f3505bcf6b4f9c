# --redact: names that match are in no format, and in nothing that is pushed; the numbers stay
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
program secretprog progs/stacks -O2 -g -pthread
"$PERF" record -q -g -F 2000 -e cpu-clock:u -o a.data ./secretprog 80
hidden='secretprog|recurses|stacks\.c'
has_secret() { # FILE: unpacked
	{ gzip -dc "$1" 2>/dev/null || cat "$1"; } | grep -aEq 'secretprog|recurses|stacks\.c'
}
for format in folded pprof firefox speedscope otlp jsonl sqlite; do
	expect_status 0 "$PERF" export -i a.data --format $format -o plain.$format
	has_secret plain.$format || fail "$format has no secret in any case"
	expect_status 0 "$PERF" export -i a.data --format $format --redact "$hidden" -o hidden.$format
	if has_secret hidden.$format; then fail "$format has a name: $(grep -aEo '.{20}(secretprog|recurses|stacks\.c)' hidden.$format | head -3)"; fi
done
sum() { awk '{ n += $NF } END { print n }' "$1"; }
[ "$(sum plain.folded)" = "$(sum hidden.folded)" ] || fail "the weights differ"
grep -q '\[redacted\]' hidden.folded || fail "nothing stands for the names"
grep -q 'main' hidden.folded || fail "other names are gone"
expect_status 1 "$PERF" export -i a.data --format folded --redact '(' -o x.folded
expect_text err "--redact '(' is not a regular expression"
