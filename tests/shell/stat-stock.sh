# perf stat: fields of -x and -j, and the words of text, are those of the installed stock perf, for many sets of options
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_stock
program load progs/stat_load -O1 -no-pie
for p in "$PERF" "$STOCK"; do
	"$p" stat -x, -e task-clock:u,page-faults:u true 2>probe || skip "cannot count here: $(head -n 1 probe)"
	grep -q '^[0-9]*,,page-faults:u,' probe || skip "$p does not count: $(head -n 1 probe)"
done

# Versions differ in these, as differences.md says: widths of columns; computed numbers, which 7.x lacks; blanks before the
# time of an interval; "[software]" after names; names of members of JSON; the error of the mean if it is 0; the prefix of a
# rate, which depends on the number; warnings of stock about short times.
"$STOCK" stat -x, -e task-clock:u true 2>probe
grep -q 'CPUs utilized' probe && computes=1 || computes=
fields() {
	grep -v '^timeout <\|^$\|^# started' | sed -E 's/ \[(software|tracepoint)\]//; s/  +\( ?\+- *[0-9.]+% ?\)//
		s/"counters"/"aggregate-number"/; s/"metric-(value|unit)" : ("\(null\)"|"[0-9.-]*"|[0-9.-]+)/"metric-\1" : ""/g
		s/[KMG]\/sec/\/sec/; s/^ +//; s/  +/ /g; s/ +$//; s/[0-9]+(\.[0-9]+)?/N/g; s/ N \+- N / N +- N /; s/ #+$//; s/ \([-+]N/ (N/'
}
without_computed() {
	sed -E 's/, "metric-(value|unit)" : "[^"]*"//g; s/ # .*$//; s/,(N,[^,]*|,)$//; s/;(N;[^;]*|;)$//'
}

run() { # WHO PROGRAM OPTION...: what it prints, as the file WHO
	who=$1 program=$2 status=0
	shift 2
	rm -f file
	timeout 60 "$program" stat "$@" >out 2>err || status=$?
	[ ! -e file ] || cat file >>out
	cat out err | grep -v "^[0-9]*$" | fields >"$who"
	echo "status $status" >>"$who"
	[ "$computes" ] || { without_computed <"$who" >t && mv t "$who"; }
}

# Of a command that ends at once, stock loses the status and the time now and then: it is asked five times.
nr=0
compare() { # OPTION... COMMAND
	nr=$((nr + 1))
	for attempt in 1 2 3 4 5; do
		run stock "$STOCK" "$@"
		run ours "$PERF" "$@"
		! cmp -s stock ours || return 0
	done
	diff stock ours || :
	fail "differs from stock: perf stat $* ($attempt attempts)"
}

events=task-clock:u,page-faults:u
for form in '' -x, '-x;' -j; do
	for o in '' '-r 3' -i -S --no-scale '--pre true' '--all-user' '--log-fd 1' '-o file' '-D 0' '--timeout 10000'; do
		# shellcheck disable=SC2086
		compare $form $o -e $events ./load writes 10
	done
	# shellcheck disable=SC2086
	{
		compare $form -e page-faults:u ./load writes 10
		compare $form -e '{task-clock:u,page-faults:u}' ./load writes 10
		compare $form -n ./load writes 10
		compare $form -e $events ./load status 3
		compare $form --quiet -e $events ./load writes 10
		compare $form -I 100000 -e $events ./load writes 10
		compare $form -e dummy:u,$events ./load writes 10
	}
done
compare -r 3 --table -e $events ./load writes 10
compare -I 100000 --summary -x, -e $events ./load writes 10
compare -I 100000 --summary -x, --no-csv-summary -e $events ./load writes 10
[ "$nr" -ge 70 ] || fail "only $nr sets of options"

# Counts that do not vary are the same
where=mem:$(./load where):w:u
if "$STOCK" stat -x, -e "$where" ./load writes 77 2>probe && grep -q "^77,,mem" probe; then
	"$PERF" stat -x, -e "$where" ./load writes 77 2>err
	[ "$(cut -d, -f 1-3 err)" = "$(cut -d, -f 1-3 probe)" ] || fail "stock: $(cat probe), ours: $(cat err)"
fi

for p in "$PERF" "$STOCK"; do
	"$p" stat -a -x, -e cpu-clock,page-faults true 2>probe || skip "CPUs cannot be counted here ($(head -n 1 probe)): no rows"
done
for form in '' -x, -j; do
	for o in -A --per-core --per-die --per-socket --per-node ''; do
		# shellcheck disable=SC2086
		compare $form $o -a -e cpu-clock,page-faults ./load time 10
	done
done
