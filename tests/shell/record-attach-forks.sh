# perf record -p of a program that starts others all the time: each of them has a FORK record, also those that
# begin while the recorder attaches
. "$PERF_SRC/tests/lib.sh"
need_record

sh -c 'while :; do sh -c "i=0; while [ \$i -lt 3000 ]; do i=\$((i + 1)); done"; done' &
pid=$!
trap 'kill $pid' EXIT
for options in '' '-g'; do
	for i in $(seq 20); do
		# shellcheck disable=SC2086
		"$PERF" record $options -e cpu-clock:u -F 2000 -p "$pid" -o a.data sleep 0.1 2>err || fail "$(cat err)"
		"$PERF" report --stdio -g none --no-children -s comm,pid -i a.data >out 2>err
		if grep '^ .* :[0-9]' out; then fail "attempt $i: samples of a task without a FORK record"; fi
	done
done
