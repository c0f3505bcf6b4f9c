# perf report --html: the same bytes each time, a policy that fits, names that stay names
# timeout: 180
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc sha256sum basenc base64 awk
trap '[ -z "$pid" ] || rm -f "/tmp/perf-$pid.map"' EXIT
pid=

program names progs/names -O1 -fno-omit-frame-pointer
printf '</script><script>alert(1)</script>\n<img src=x onerror=alert(1)>\n<!--\nname\n' >list
"$PERF" record -q --call-graph fp -e cpu-clock:u -F 2000 -o n.data ./names list 20 '<b>"&' 2>err || skip "cannot record: $(cat err)"
pid=$("$PERF" export -i n.data --format jsonl | sed -n '1s/.*"pid":\([0-9]*\).*/\1/p')

expect_status 0 "$PERF" report --html -i n.data -o 1.html --threads 1
expect_status 0 "$PERF" report --html -i n.data -o 3.html --threads 3
expect_status 0 "$PERF" export -i n.data -o export.html
cmp 1.html 3.html || fail "the page depends on the number of threads"
expect_status 0 "$PERF" report --html -i n.data
expect_text err "open 'perf.html' in a browser"
cmp 1.html perf.html || fail "without -o, the page is not perf.html"
[ "$(wc -c <1.html)" -lt 150000 ] || fail "$(wc -c <1.html) bytes for few samples"

expect_status 0 "$PERF" report --html-source=2 -i n.data -o s1.html --threads 1
expect_status 0 "$PERF" report --html-source=2 -i n.data -o s3.html --threads 3
cmp s1.html s3.html || fail "with source, the page depends on the number of threads"
[ "$(wc -c <s1.html)" -gt "$(wc -c <1.html)" ] || fail "--html-source adds nothing"
for n in 0 1001 x -1 '' 1x; do
	expect_status 129 "$PERF" report --html-source=$n -i n.data -o not.html
	expect_text err "is not a number of functions from 1 to 1000"
done

expect_status 129 "$PERF" report -o text -i n.data
[ ! -e text ] || fail "-o without --html writes something"

# Nothing of the recording is text of the page: all of it is packed.
! grep -q -e 'alert(1)' -e 'onerror' -e '<b>' 1.html || fail "a name is in the page: $(grep -n -e 'alert(1)' -e onerror -e '<b>' 1.html)"
[ "$(grep -c '<script' 1.html)" = 2 ] && [ "$(grep -c '</script' 1.html)" = 2 ] || fail "not two scripts"
! grep -qiE 'https?://[^w]|innerHTML|document\.write|eval\(' 1.html || fail "what the page must not have: $(grep -niE 'https?://[^w]|innerHTML' 1.html)"

# The policy has the sums of the style and of the script as they are in the page.
content() { # TAG: what is in it
	awk -v tag="$1" 'index($0, "<" tag ">") == 1 { on = 1; $0 = substr($0, length(tag) + 3) }
		on && index($0, "</" tag ">") == 1 { exit } on' 1.html
}
for tag in style script; do
	sum=$(content $tag | sha256sum | cut -c1-64 | tr a-f A-F | basenc --base16 -d | base64)
	grep -qF "$tag-src 'sha256-$sum'" 1.html || fail "the policy does not have the sum of the $tag: $sum"
done
grep -q "default-src 'none'" 1.html || fail "the policy allows more"

# Filters are those of the report; a recording without samples has a page, too.
expect_status 0 "$PERF" report --html -i n.data -o none.html --comms nobody
expect_status 1 "$PERF" report --html -i missing.data -o missing.html
[ ! -e missing.html ] || fail "a page of nothing"
expect_status 1 "$PERF" report --html -i n.data -o no/folder.html
expect_text err "cannot write 'no/folder.html'"

# What is in it: the samples of the report, by the modules of the page.
command -v node >/dev/null || exit 0
samples=$("$PERF" report --stdio -i n.data --json 2>/dev/null | sed -n 's/.*"samples": *\([0-9]*\).*/\1/p' | head -n 1)
nr=$("$PERF" export -i n.data --format jsonl | grep -c '"event"')
page=$(PAGE=1.html node "$PERF_SRC/tests/web/read_page.mjs" | tail -n 1)
[ "$page" = "$nr samples" ] || fail "$page in the page, $nr in JSON lines, $samples in the report"
PAGE=s1.html node "$PERF_SRC/tests/web/read_page.mjs" | grep -qxE 'source: .* [1-9][0-9]* instructions, [1-9][0-9]* samples' || fail "no instructions"
PAGE=1.html node "$PERF_SRC/tests/web/read_page.mjs" | grep -qxF '</script><script>alert(1)</script>' || fail "a name is missing"

# Of a function with very many instructions, only those near samples are in the page.
cat >large.c <<'END'
int main(void)
{
	for (int i = 0; i < 20000; i++)
		__asm__ volatile(".rept 20000\n\tnop\n\t.endr");
	return 0;
}
END
cc -O1 -o large large.c
"$PERF" record -q -e cpu-clock:u -F 200 -o l.data ./large 2>err || skip "cannot record: $(cat err)"
expect_status 0 "$PERF" report --html-source=1 -i l.data -o l.html
PAGE=l.html node "$PERF_SRC/tests/web/read_page.mjs" >large.txt
insns=$(sed -n 's/^source: main \([0-9]*\) instructions, .*/\1/p' large.txt)
[ "${insns:-0}" -gt 0 ] && [ "$insns" -lt 19000 ] || fail "$(grep source large.txt)"
in_source=$(sed -n 's/^source: .* \([0-9]*\) samples$/\1/p' large.txt)
[ "$in_source" -gt 0 ] || fail "no samples in the instructions of main: $(cat large.txt)"
