# perf record --off-cpu=locks --switch-output: each file has the names of threads that woke others and are not recorded
# timeout: 180
. "$PERF_SRC/tests/lib.sh"
need_record
need_wakings

mkfifo pipe
cat pipe >/dev/null &
reader=$!
sh -c 'while :; do echo x; sleep 0.05; done' >pipe &
writer=$!
trap 'kill $reader $writer 2>/dev/null || :' EXIT

# Record for some seconds, until two files have waits for the writer. Set nr to the number of such files.
named_files() { # SECONDS
	rm -f n.data*
	expect_status 0 "$PERF" record -p $reader --off-cpu=locks --switch-output=1s -o n.data sleep "$1"
	nr=0
	for file in n.data.*; do
		"$PERF" report -i "$file" -s comm,holder >text 2>err || fail "$file: $(cat err)"
		if grep "woken by :$writer" text; then fail "$file lacks the name of process $writer"; fi
		if grep -q "woken by .* $writer" text; then nr=$((nr + 1)); fi
	done
}

seconds=4
named_files $seconds
while [ $nr -lt 2 ]; do
	[ $((seconds *= 3)) -lt 200 ] || fail "$nr files have waits for process $writer: $(cat text)"
	named_files $seconds
done
