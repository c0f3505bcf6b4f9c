# perf merge: pipes as input and as output have the same rows; samples of a merged file that is cut off keep their weights
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
program prog progs/stacks -O2 -g -pthread
for i in 1 2; do
	"$PERF" record -q -g -F 2000 -e cpu-clock:u -o $i.data ./prog 80
done
rows() { # FILE
	"$PERF" report --stdio --no-children -g none -F period,sample,comm,dso,sym -i "$1" 2>/dev/null | grep -v '^#\|^$' | sort
}
nr_samples() { # FILE
	rows "$1" | awk '{ n += $2 } END { print n + 0 }'
}
"$PERF" merge -o all.data 1.data 2.data 2>/dev/null
rows all.data >want
[ -s want ] || fail "the report is empty"

# ---- input ----
"$PERF" inject -i 1.data -o - | "$PERF" merge -o piped.data - 2.data 2>err || fail "no pipe as an input: $(cat err)"
expect_text err "samples of 2 recordings"
rows piped.data | diff want - >out || fail "other rows of a piped input: $(cat out)"
"$PERF" record -q -g -e cpu-clock:u -o - ./prog 20 | "$PERF" merge -o live.data - 2.data 2>err || fail "no live input: $(cat err)"
[ "$(nr_samples live.data)" -gt "$(nr_samples 2.data)" ] || fail "the live samples are missing"
echo nonsense | expect_status 1 "$PERF" merge -o no.data - 2.data
[ "$(grep -c 'error:' err)" = 1 ] && grep -q 'standard input is not a perf.data file' err || fail "not one line: $(cat err)"
rows 2.data >only
rows no.data | diff only - >out || fail "nonsense changed the rest: $(cat out)"

# ---- output ----
"$PERF" merge -o - 1.data 2.data 2>err | "$PERF" report --stdio --no-children -g none -F period,sample,comm,dso,sym -i - 2>/dev/null |
	grep -v '^#\|^$' | sort | diff want - >out || fail "other rows through a pipe: $(cat out err)"
"$PERF" merge -o - 1.data 2.data 2>/dev/null >stream
"$PERF" merge -o again.data stream 2>/dev/null
rows again.data | diff want - >out || fail "other rows of what a pipe wrote: $(cat out)"
"$PERF" merge -o - stream 2>/dev/null | cmp stream - || fail "merging again changes the stream"
if command -v script >/dev/null; then
	script -qec "'$PERF' merge -o - 1.data" /dev/null </dev/null >out 2>&1 && fail "a recording on a terminal"
	expect_text out "not for a terminal"
fi
if STOCK=$(command -v perf) && [ "$(readlink -f "$STOCK")" != "$(readlink -f "$PERF")" ]; then
	"$STOCK" report --stdio --no-children -g none -s comm,dso,sym -F period,comm,dso -i - <stream 2>/dev/null |
		awk '!/^#/ && NF > 2 { n += $1 } END { printf "%.0f\n", n }' >got
	awk '{ n += $1 } END { printf "%.0f\n", n }' want | cmp - got || fail "stock perf reads $(cat got) from the pipe"
fi

# ---- cut off: weights are those of the samples that are left ----
head -c $(($(wc -c <all.data) / 3)) all.data >cut.data
"$PERF" report -D -i cut.data 2>/dev/null | awk '/weight:/ { sub(/.*weight: */, ""); n += $1 } END { print n + 0 }' >weights
nr=$(nr_samples cut.data)
[ "$nr" -gt 0 ] && [ "$nr" = "$(cat weights)" ] || fail "$nr samples, of weights $(cat weights)"
[ "$nr" -gt "$("$PERF" report --stats -i cut.data 2>/dev/null | awk '/SAMPLE events/ { print $3; exit }')" ] ||
	fail "stacks are counted in place of samples"
"$PERF" merge -o some.data cut.data 2>/dev/null && fail "the damage is not told"
[ "$(nr_samples some.data)" = "$nr" ] || fail "merging what is left loses weights"
