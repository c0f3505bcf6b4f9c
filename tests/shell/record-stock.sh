# stock perf reads what we record, with the same number of samples
. "$PERF_SRC/tests/lib.sh"
need_record
need_stock

cat >busy.sh <<'S'
i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done
S
compare() { # what
	got=0
	"$STOCK" report --stdio -i s.data >stock.out 2>stock.err || got=$?
	[ $got = 0 ] || fail "stock report: status $got on $1: $(cat stock.err)"
	# It complains on standard error; kernel maps hidden from users are no fault of the file.
	if grep -iE 'error|incompatible|corrupt|failed|invalid|unknown' stock.err; then fail "stock complains on $1"; fi
	"$STOCK" report --stats -i s.data 2>/dev/null | awk '/SAMPLE events:/ { print $3 }' | sort >stock.n
	"$PERF" report --stats -i s.data 2>/dev/null | awk '/SAMPLE events:/ { print $3 }' | sort >our.n
	cmp stock.n our.n || fail "$1: stock counts $(cat stock.n), we $(cat our.n)"
	[ "$(head -n 1 our.n)" -gt 3 ] || fail "hardly any samples of $1"
	"$STOCK" report --header-only -i s.data >stock.out 2>&1 || fail "stock cannot read the header of $1"
	"$STOCK" script -i s.data 2>stock.err >stock.out || fail "stock script: $(cat stock.err)"
}
record() {
	rm -f s.data
	expect_status 0 "$PERF" record -o s.data "$@"
	compare "$*"
}

record -e cpu-clock sh busy.sh
record -e cpu-clock -g sh busy.sh
record -e cpu-clock,task-clock,page-faults sh busy.sh
record -e cpu-clock -c 500000 -d -P -s sh busy.sh
record -e cpu-clock --per-thread sh busy.sh
record -e cpu-clock -B sh busy.sh
record -e cpu-clock --buildid-mmap sh busy.sh
record -e cpu-clock -D 50 sh -c 'sleep 0.2; . ./busy.sh'
if "$PERF" record -e cpu-clock -a -o a.data true >out 2>&1; then
	record -e cpu-clock -a sh busy.sh
	record -e cpu-clock,task-clock -a -g -C 0 sleep 0.5 # no page faults: see record-threads
fi
sh -c 'while :; do :; done' &
record -e cpu-clock -p $! sleep 0.4
kill $!

# a pipe
"$PERF" record -e cpu-clock -o - sh busy.sh 2>err >s.pipe
"$STOCK" report --stdio -i - <s.pipe >stock.out 2>stock.err || fail "stock on our pipe: $(cat stock.err)"
grep -Eq '% +sh ' stock.out || fail "stock finds no sh in our pipe: $(cat stock.out stock.err)"
if grep -iE 'error|incompatible|corrupt|failed|invalid' stock.err; then fail "stock complains on our pipe"; fi

# a recorder that was killed
rm -f s.data
"$PERF" record -e cpu-clock -o s.data sh -c 'echo $$ >pid; while :; do :; done' 2>err &
recorder=$!
sleep 1.5
kill -KILL $recorder
wait $recorder || :
kill "$(cat pid)" || :
"$STOCK" report --stdio -i s.data >stock.out 2>stock.err || fail "stock on a killed recording: $(cat stock.err)"
grep -Eq '% +sh ' stock.out || fail "stock finds no sh in a killed recording: $(cat stock.out stock.err)"
