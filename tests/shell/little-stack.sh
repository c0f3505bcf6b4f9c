# a small stack (ulimit -s): every command does what it does otherwise; the recorded command keeps the limit
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_record
program prog progs/stacks -O2 -g -pthread

for f in a b; do
	"$PERF" record -q -g -e cpu-clock:u -F 2000 -o $f.data "$PERF_BUILD/demo/demo" 2 >out 2>&1 || fail "$(cat out)"
done
"$PERF" record -q --call-graph dwarf -e cpu-clock:u -o copies.data ./prog 20 >out 2>&1 || fail "$(cat out)"
mkdir cache

run() { # ARGUMENTS...: with the stack limited to $kb; its output in FILE named by the arguments
	(ulimit -s "$kb" && exec "$PERF" --buildid-dir "$PWD/cache" "$@") >out 2>err </dev/null
}

# Commands whose output does not depend on the run
commands() {
	cat <<'C'
report --stdio -i a.data
report --stdio -g caller -s srcline,sym -i a.data
report --stdio --stack-stats -i copies.data
report --json -i a.data
report -D -i b.data
script -i copies.data
annotate -l --stdio -i a.data
buildid-list -i a.data
evlist -v -i a.data
diff a.data b.data
diff --stock a.data b.data
export --format folded -o - -i a.data
doctor a.data
data convert --force --to-json /dev/stdout -i copies.data
list
config -l
help record
version
C
}
usual=$(ulimit -s)
for kb in "$usual" 64 100 128 1024; do
	done_=0
	while read -r args; do
		file=$(echo "$args" | tr ' /' '__')
		status=0
		# shellcheck disable=SC2086
		run $args || status=$?
		[ "$kb" != "$usual" ] || cp out "$file"
		cmp -s out "$file" || fail "ulimit -s $kb: other output of perf $args: $(diff out "$file" | head -5)"
		[ $status = 0 ] || fail "ulimit -s $kb: status $status of perf $args: $(cat err)"
		done_=$((done_ + 1))
	done <<C
$(commands)
C
	[ $done_ -ge 18 ] || fail "only $done_ commands"
done

writes() { # FILE ARGUMENTS...: the command succeeds and writes FILE
	file=$1
	shift
	rm -rf "$file"
	status=0
	run "$@" || status=$?
	[ $status = 0 ] || fail "ulimit -s $kb: status $status of perf $*: $(cat err)"
	[ -s "$file" ] || fail "ulimit -s $kb: nothing was written by perf $*"
}
for kb in 64 128; do
	for how in '' '-g' '--call-graph dwarf' '--threads -g' '--overwrite -g' '-z' '--off-cpu -g'; do
		rm -rf r.data
		# shellcheck disable=SC2086
		"$PERF" record -q $how -e cpu-clock:u -o r.data true >out 2>&1 || { echo "(not tried, cannot be recorded here: $how)" && continue; }
		# shellcheck disable=SC2086
		writes r.data record $how -e cpu-clock:u -o r.data ./prog 20
		run report --stdio -i r.data || fail "ulimit -s $kb: report of record $how: $(cat err)"
		grep -q '% .*prog' out || fail "ulimit -s $kb: record $how has no samples: $(cat out)"
	done
	writes page.html report --html -o page.html -i a.data
	writes diff.html diff --html=diff.html a.data b.data
	for suffix in pb.gz jsonl speedscope.json firefox.json otlp; do
		writes "e.$suffix" export -o "e.$suffix" -i a.data
	done
	writes m.data merge -o m.data a.data b.data
	writes i.data inject -i a.data -o i.data
	writes a.data.tar.bz2 archive a.data
	run top --stdio -d 1 -e cpu-clock:u -- sleep 1 || fail "ulimit -s $kb: perf top: $(cat err)"
	run record -q -e cpu-clock:u -o r.data sh -c 'ulimit -s >limit'
	expect_line limit $kb
done
