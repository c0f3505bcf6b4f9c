# report --threads: the same report with any number of threads, down to the order of equal rows
# timeout: 400
. "$PERF_SRC/tests/lib.sh"
need_record

# kernel and user chains, many short processes, and several of the pieces that threads take in turn
"$PERF" record -o p.data -e cpu-clock -F 20000 -g -- sh -c 'i=0
	while [ $i -lt 150 ]; do i=$((i + 1)); (ls / >/dev/null); done
	while [ $i -lt 60000 ]; do i=$((i + 1)); done' >record.out 2>&1 ||
	fail "cannot record: $(cat record.out)"
[ "$(wc -c <p.data)" -gt 600000 ] || echo "a small recording: $(wc -c <p.data) bytes"

same() { # options: the report does not depend on the number of threads
	expect_status 0 "$PERF" report --stdio -i p.data --threads 1 "$@"
	mv out one
	for n in 2 3 7; do
		expect_status 0 "$PERF" report --stdio -i p.data --threads $n "$@"
		cmp one out || fail "another report with $n threads: $*"
	done
	expect_status 0 "$PERF" report --stdio -i p.data "$@"
	cmp one out || fail "another report with one thread for each cpu: $*"
}

same
same --no-children -g none
same -g caller -s pid,dso,sym
same --no-children -g callee,address -s cpu,sym
same -g graph,0,3,caller,address,period
same -F sample,period,comm -g none

expect_status 129 "$PERF" report -i p.data --threads=many
