# perf record --threads: several threads write a data directory, and nothing is missing in it
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record
"$PERF" record -o a.data -e cpu-clock -a true >out 2>&1 || skip "CPUs cannot be watched here: $(head -n 1 out)"
spin='i=0; while [ $i -lt 40000 ]; do i=$((i + 1)); done'

samples() { # FILE: of the first event
	"$PERF" report --stats -i "$1" 2>/dev/null | awk '/SAMPLE events:/ { print $3; exit }'
}
rows() { # PROGRAM DIR; stock has several rows of one name now and then
	"$1" report --stdio --no-children -g none -F sample,period,comm,dso -t , -i "$2" 2>err | sed '/^#/d; /^$/d; s/ *, */,/g; s/ *$//' |
		awk -F, '{ n[$3 "," $4] += $1; p[$3 "," $4] += $2 } END { for (k in n) print n[k], p[k], k }' | sort
}

# What runs is counted: this many page faults, in one process after the other
for by in cpu core package numa 0/0; do
	rm -rf d
	expect_status 0 "$PERF" record -o d --threads=$by -e page-faults -c 1 -- sh -c "$spin; for i in 1 2 3; do sh -c :; done; $spin"
	[ -f d/data ] && [ -f d/data.0 ] || fail "--threads=$by makes no data directory"
	n=$(samples d)
	said=$(sed -n 's/.*d (\([0-9]*\) samples).*/\1/p' err)
	[ "$n" -gt 100 ] && [ "$n" = "$said" ] || fail "$n samples of --threads=$by in d, recorded '$said'"
done
"$PERF" report --header-only -i d >out
expect_text out "directory data version : 1"
expect_text out "embedded names"
"$PERF" report --stdio -i d >out 2>err
expect_text out "sh "
"$PERF" buildid-list -i d | grep -q libc || fail "no build-id of the C library"
"$PERF" record -q -o d --threads -e cpu-clock -g sh -c "$spin"
"$PERF" report --stdio --children -i d >out 2>err
expect_text out "main"

# What there was is kept once, whatever it was; other directories are left alone
rm -rf d d.old
"$PERF" record -q -o d --threads -e cpu-clock true
"$PERF" record -q -o d --threads -e cpu-clock true
[ -f d.old/data ] && [ -f d/data ] || fail "an older directory is not kept"
"$PERF" record -q -o d -e cpu-clock true
[ -f d ] && [ -f d.old/data ] || fail "a directory is not kept by a file"
"$PERF" record -q -o d --threads -e cpu-clock true
[ -f d.old ] && [ -f d/data ] || fail "a file is not kept by a directory"
mkdir mine
echo text >mine/data.txt
expect_status 1 "$PERF" record -o mine --threads -e cpu-clock true
expect_text err "'mine' is a directory of other things"
[ "$(ls mine)" = data.txt ] || fail "a directory that is no recording was changed"

# What it cannot do
expect_status 129 "$PERF" record -o x --threads=0 true
expect_text err "0-3/0-3"
expect_status 129 "$PERF" record -o x --threads=cpus true
expect_status 129 "$PERF" record -o - --threads true
expect_text err "a pipe takes no data directory"
for o in --per-thread --overwrite --off-cpu; do
	expect_status 129 "$PERF" record -o x --threads $o true
	expect_text err "$o"
done
[ ! -e x ] || fail "a recording that was refused left something"

# One of the files cannot grow any more: it says so, and what is there can be read
rm -rf d
(ulimit -f 24 && expect_status 1 "$PERF" record -q -o d --threads -e cpu-clock -F 10000 -d -P sh -c "$spin; $spin; $spin; $spin; sleep 9")
expect_text err "cannot write 'd'"
expect_status 0 "$PERF" report --stats -i d
expect_text out "SAMPLE"

# The recorder is killed: what was in the files by then is there for all
rm -rf d pid
"$PERF" record -o d --threads -a -e cpu-clock -F 999 sh -c 'echo $$ >pid; while :; do :; done' 2>err &
recorder=$!
await test -s pid # on a busy machine the program begins late
sleep 1.5
kill -KILL $recorder
wait $recorder || :
kill "$(cat pid)" || :
"$PERF" report --stdio -i d >out 2>err || : # the last record of a file may be a part
grep -Eq '% +sh ' out || fail "no sh in a killed recording: $(cat out err)"

command -v perf >/dev/null 2>&1 || exit 0
need_stock
"$STOCK" report --stdio -i d >stock 2>&1 || :
grep -Eq '% +sh ' stock || fail "stock finds no sh in a killed recording: $(cat stock)"
z=-z
"$PERF" record -q -z -o z.data -e cpu-clock true 2>/dev/null || z=
# No page faults or switches here: while two recorders sample them, some samples of one have ids of the other's events
# (Linux 6.18), and stock reports nothing then, of its own recordings neither. Nor may a test that runs beside others
# sample them on all CPUs.
# With -a other programs are recorded, too, of which stock shows some otherwise: only rows of this shell count.
cp "$(command -v sh)" own-shell
for o in "-a" "-a --call-graph fp $z" "-a -s -d -P" "$z"; do
	rm -rf d
	"$PERF" record -q -o d --threads -e cpu-clock,task-clock $o ./own-shell -c "$spin & $spin; wait"
	rows "$STOCK" d | grep ' own-shell,' >stock
	cp err err.stock
	grep -i 'error\|failed\|invalid\|unexpected' err.stock && fail "stock complains about $o: $(cat err.stock)"
	"$STOCK" report --header-only -i d 2>&1 | grep -i 'error\|invalid' && fail "stock complains about the header of $o"
	rows "$PERF" d | grep ' own-shell,' >ours
	[ -s ours ] || fail "no rows with $o"
	cmp stock ours || fail "stock has other rows with $o: $(cat err.stock; diff stock ours | head -n 5)"
done
