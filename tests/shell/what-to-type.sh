# commands take what people type, or say what to type: a file of --html, standard output, an option at the wrong place
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc

cat >spin.c <<'C'
int main(void) { for (volatile long i = 0; i < 300000000; i++); }
C
cc -O2 -g -o spin spin.c
expect_status 0 "$PERF" record -e cpu-clock:u -o old.data ./spin -g
expect_text err "'-g' goes to './spin'; for call chains: perf record -g ./spin"
expect_status 0 "$PERF" record -g -e cpu-clock:u -o new.data ./spin -g
if grep -q 'goes to' err; then fail "a needless hint: $(cat err)"; fi

# The page has the same options in report and diff.
for how in --html=a.html "--html -o b.html"; do
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" report $how -i new.data
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" diff ${how%.html}2.html old.data new.data
done
(mkdir here && cd here && "$PERF" report --html -i ../new.data && "$PERF" diff --html ../old.data ../new.data) >out 2>err || fail "$(cat err)"
for f in a b a2 b2 here/perf; do
	grep -q '<html' $f.html || fail "no page: $f.html"
done
expect_status 129 "$PERF" diff -o file.html old.data new.data
expect_text err "a file needs --html"
expect_status 0 "$PERF" diff -o 0 old.data new.data

# "-" is standard output, not a file.
expect_status 0 "$PERF" export --format folded -o - -i new.data
expect_text out spin
[ ! -e - ] || fail "a file '-'"

# A server that is not there: push says at once that it is trying.
if "$PERF" version --build-options | grep -q ' curl: \[ on'; then
	"$PERF" push --otlp http://127.0.0.1:1 new.data >out 2>pushed &
	pid=$!
	await grep -q 'trying again, at most 5 times' pushed || fail "push says nothing: $(cat pushed)"
	kill $pid
fi

expect_status 129 "$PERF" diff
expect_text err "perf diff OLD NEW"
expect_status 129 "$PERF" diff new.data
expect_text err "there is no perf.data.old"
expect_status 1 "$PERF" flamegraph
expect_text err "perf report --html"
