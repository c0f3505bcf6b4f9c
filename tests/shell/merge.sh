# perf merge: the numbers are the sums of the inputs', in any order, also of merged ones; stock reads them; what is refused
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
program prog progs/stacks -O2 -g -pthread
for i in 1 2 3; do
	"$PERF" record -q -g -F 2000 -e cpu-clock:u -o $i.data ./prog 80
done
rows() { # FILE...: "periods samples comm dso symbol" of all files
	for file; do
		"$PERF" report --stdio --no-children -g none -F period,sample,comm,dso,sym -i "$file" 2>/dev/null | grep -v '^#\|^$'
	done | awk '{ p = $1; n = $2; $1 = $2 = ""; period[$0] += p; nr[$0] += n }
		END { for (k in period) printf "%.0f %d %s\n", period[k], nr[k], k }' | sort
}
rows 1.data 2.data 3.data >want
[ "$(wc -l <want)" -gt 0 ] || fail "the reports are empty"
expect_status 0 "$PERF" merge -o all.data 1.data 2.data 3.data
expect_text err "samples of 3 recordings"
rows all.data | cmp - want || fail "the merged recording differs: $(rows all.data | diff - want)"
"$PERF" export --format folded -i all.data | sort >folded
for i in 1 2 3; do "$PERF" export --format folded -i $i.data; done |
	awk '{ n = $NF; sub(/ [^ ]*$/, ""); sum[$0] += n } END { for (k in sum) printf "%s %.0f\n", k, sum[k] }' | sort | cmp - folded ||
	fail "stacks differ"

# The order does not matter, and merging merged ones is merging all.
expect_status 0 "$PERF" merge -o other.data 3.data 1.data 2.data
cmp all.data other.data || fail "the order matters"
expect_status 0 "$PERF" merge -o two.data 2.data 3.data
expect_status 0 "$PERF" merge -o other.data two.data 1.data
cmp all.data other.data || fail "merging in steps matters"
"$PERF" report --header-only -i all.data >header
expect_text header "merged from 3 recordings:"
[ "$(grep -c '^#   [0-9]* samples of .*: .*record' header)" = 3 ] || fail "the inputs are not named: $(cat header)"

# Names travel: without the program the functions are there.
mv prog gone
rows all.data | cmp - want || fail "names are lost with the program"
mv gone prog

# diff counts samples, not records, and three runs.
expect_status 0 "$PERF" diff --json all.data 1.data
expect_text err "'all.data' is merged"
nr=$(awk '{ n += $2 } END { print n }' want)
tr -d ' \n' <out | grep -q "\"samples\":$nr[,}]" || fail "diff does not see $nr samples: $(head -c 600 out)"

# It is three runs, of which nobody knows how they vary: not one.
expect_status 0 "$PERF" diff all.data 1.data
expect_text out "(merged recordings do not tell how much they vary)"
! grep 'one run\|Several runs' out || fail "three runs are one"

# Stock perf reads it.
if [ -n "${STOCK_PERF-}" ] || command -v perf >/dev/null 2>&1; then
	stock=${STOCK_PERF-perf}
	"$stock" report --stdio --no-children -g none -s comm,dso,sym -F period,comm,dso -i all.data 2>/dev/null |
		awk '!/^#/ && NF > 2 { n += $1 } END { printf "%.0f\n", n }' >stock.sum
	awk '{ n += $1 } END { printf "%.0f\n", n }' want | cmp - stock.sum || fail "stock perf counts $(cat stock.sum)"
fi

# Of another host: stock perf's data convert needs a text of each, and crashes without.
need_command python3
HOST=$(uname -n) python3 - <<'PY'
import os
data, host = open("2.data", "rb").read(), os.environ["HOST"].encode()
at = data.rfind(host + b"\0")  # the features come after the records
assert at > 0, host
open("elsewhere.data", "wb").write(data[:at] + bytes([host[0] ^ 1]) + data[at + 1:])
PY
expect_status 0 "$PERF" merge -o hosts.data 1.data elsewhere.data
"$PERF" report --header-only -i hosts.data >header
expect_text header "# hostname : several"
if [ -n "${stock-}" ] && "$stock" data convert --force --to-json plain.json -i 1.data >/dev/null 2>&1; then
	for file in all.data hosts.data; do
		expect_status 0 "$stock" data convert --force --to-json $file.json -i $file
	done
fi

# What is refused, in one line; nothing is written then.
"$PERF" record -q -e page-faults:u -c 1 -o faults.data ./prog 20
: >empty.data
expect_status 1 "$PERF" merge -o no.data 1.data faults.data
[ "$(wc -l <err)" -le 2 ] || fail "many lines: $(cat err)"
expect_text err "'faults.data' has the event page-faults"
[ ! -e no.data ] || fail "faults.data was merged"
# What cannot be read, or has no samples, is left out, wherever it is; the others are merged, and the exit status is 1.
"$PERF" record -q -g -e cpu-clock:u -F 1 -o none.data true
head -c 5000 /dev/urandom >random.data
"$PERF" merge -o good.data 1.data 2.data 2>/dev/null
rows good.data >want
for bad in empty.data missing.data none.data random.data prog; do
	for inputs in "1.data 2.data $bad" "$bad 1.data 2.data"; do
		rm -f no.data
		# shellcheck disable=SC2086
		expect_status 1 "$PERF" merge -o no.data $inputs
		expect_text err "$bad"
		expect_text err "1 of 3 recordings were left out"
		rows no.data | cmp - want || fail "$inputs: other rows"
	done
done
cp good.data no.data
expect_status 1 "$PERF" merge -o no.data empty.data missing.data
expect_text err "2 of 2 recordings were left out"
cmp good.data no.data || fail "no.data was replaced by nothing"
expect_status 129 "$PERF" merge -o 1.data 1.data
expect_status 129 "$PERF" merge 1.data
# One that is named twice counts twice, with a warning; a copy of it is another recording.
cp 1.data copy.data
ln -sf 1.data link.data
expect_status 0 "$PERF" merge -o repeated.data 1.data 2.data link.data
expect_text err "'link.data' is named more than once: its samples count each time"
[ "$(grep -c 'more than once' err)" -eq 1 ] || fail "other warnings: $(cat err)"
expect_status 0 "$PERF" merge -o repeated.data 1.data 2.data copy.data
grep 'more than once' err && fail "a copy is another recording"
expect_status 129 "$PERF" merge -o -
# Of a damaged one, what is good counts.
head -c $(($(wc -c <2.data) / 2)) 2.data >cut.data
expect_status 1 "$PERF" merge -o some.data 1.data cut.data
expect_text err "cut.data"
rows 1.data cut.data >want
rows some.data | cmp - want || fail "the good part is not there"
