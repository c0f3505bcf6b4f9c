# perf record: another recorder that asks for build-ids leaves no mark in recordings without
. "$PERF_SRC/tests/lib.sh"
need_record

# Both see what the inner command maps; events that were opened later get their records first.
"$PERF" record -B -e cpu-clock:u -o b.data "$PERF" record -e cpu-clock:u -o other.data sh -c 'true; ls' >out 2>err || fail "$(cat err)"
for file in b other; do
	"$PERF" report -D -i $file.data >$file 2>err || fail "$(cat err)"
	grep -q 'PERF_RECORD_MMAP2.*/ls$' $file || fail "what the inner command mapped is not in $file.data"
done
if grep 'PERF_RECORD_MMAP2.*<[0-9a-f]*>' b; then fail "a build-id that nobody asked for"; fi
if ! grep -q 'PERF_RECORD_MMAP2.*<[0-9a-f]*>' other; then skip "this kernel has no build-ids in map records"; fi
