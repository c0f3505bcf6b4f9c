# recordings that are small and unpack to very many valid records: bounded in memory and time; what was good is shown
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_command python3

mkdir bombs
status=0
"$PERF_BUILD/tests/hostile/recordings" bombs bombs || status=$?
[ $status != 77 ] || skip "built without libzstd"
[ $status = 0 ] || fail "no bombs: $status"

# Sanitizers add to everything: the least that this perf takes is what counts.
base=$(peak "$PERF" version)
for f in comms forks unknown; do
	[ "$(wc -c <bombs/$f)" -lt 1000000 ] || fail "$f is not small"
	mb=$(peak timeout 600 "$PERF" report --stdio -i bombs/$f)
	echo "$f: $mb MiB, $base of them for nothing"
	[ "$(cat status)" = 1 ] || fail "$f: status $(cat status): $(cat err)"
	[ "$mb" -lt $((5 * base + 200)) ] || fail "$f takes $mb MiB"
	expect_lines err 1
	expect_text err "unpacks to more than a recorder packs"
	expect_text out "100.00%"
	peak timeout 600 "$PERF" report -D -i bombs/$f >mb
	[ "$(cat mb)" -lt $((5 * base + 200)) ] || fail "$f takes $(cat mb) MiB to dump"
done
