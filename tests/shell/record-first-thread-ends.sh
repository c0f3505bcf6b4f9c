# perf record: a process ends with its last thread, not with its first one
# timeout: 180
. "$PERF_SRC/tests/lib.sh"
need_record
. "$PERF_SRC/tests/chains.sh"
program first progs/first_thread_ends -O1 -fno-optimize-sibling-calls -fomit-frame-pointer -pthread

whole='runs;calls;calls;calls;calls;calls;calls;calls;calls;calls;calls;calls;works$'

# ends_before_others PID: has the first thread ended?
ends_before_others() {
	grep -q '^State:.Z' "/proc/$1/status"
}

# ---- the first thread ends while perf records ----
record_enough 50 a -g -e cpu-clock:u -F 1000 ./first
folded a >a.txt
expect_share a.txt "$whole" 90

# ---- it has ended before ----
./first 600 &
target=$!
trap 'kill $target 2>/dev/null || :' EXIT
await ends_before_others $target || fail "the first thread of process $target runs on"
for thread in /proc/$target/task/*; do
	thread=${thread##*/}
	[ "$thread" = $target ] || break
done

enough() { # FILE
	"$PERF" report --stats -i "$1" >stats 2>err || return 1
	[ "$(awk '/ SAMPLE events:/ { print $3; exit }' stats)" -ge 50 ]
}

# expect_names OPTION...: recorded with these options, the process has names and whole chains
expect_names() {
	seconds=1
	while :; do
		expect_status 0 "$PERF" record -g -e cpu-clock:u -F 1000 -o b "$@" sleep $seconds
		folded b --pid=$target >b.txt
		enough b && break
		[ $((seconds *= 3)) -lt 100 ] || fail "hardly any samples with $*"
	done
	expect_share b.txt "$whole" 90
	expect_status 0 "$PERF" record -e cpu-clock:u -F 1000 -o c "$@" sleep 1
	"$PERF" report -i c --pid=$target -s dso,sym >c.txt 2>err || fail "$(cat err)"
	if grep '%.*\[unknown\]' c.txt; then fail "the maps of $target are missing with $*"; fi
}

expect_names -p $target
expect_names -t "$thread"
if may_record -a -e cpu-clock:u; then
	expect_names -a
fi
