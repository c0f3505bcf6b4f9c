# little memory (ulimit -v) and few files (ulimit -n): perf names the limit and what to type, and no signal ends it
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_record
(ulimit -v 4000000 && "$PERF" version) >out 2>&1 || skip "this build of perf does not run under ulimit -v: $(head -n 1 out)"

"$PERF" record -o chains.data -e cpu-clock -F 2000 --call-graph auto "$PERF_BUILD/demo/demo" 4 >out 2>&1 || fail "$(cat out)"
"$PERF" record --no-embed -o plain.data -e cpu-clock -F 2000 "$PERF_BUILD/demo/demo" 4 >out 2>&1 || fail "$(cat out)"

# under LETTER N ARGUMENTS...: perf with ulimit -LETTER N. It succeeds, or says which limit it is and what to type.
under() {
	letter=$1 n=$2
	shift 2
	status=0
	(ulimit "-$letter" "$n" && exec "$PERF" "$@") >out 2>err </dev/null || status=$?
	case $status in
	0) worked=$((worked + 1)) ;;
	1 | 128)
		grep -q "^RLIMIT_[A-Z]* is $n.*: ulimit -$letter [0-9]\|RLIMIT_NOFILE is \(at most \)*$n\$" err || {
			cat err
			fail "neither limit nor advice under ulimit -$letter $n: perf $*"
		}
		;;
	*) cat err && fail "exit status $status under ulimit -$letter $n: perf $*" ;;
	esac
}

works() { # options of record that this user may need permission for
	# shellcheck disable=SC2086
	"$PERF" record -e cpu-clock -o r.data $1 sleep 0.01 >out 2>&1 || { echo "not tried, cannot record here: $1" && return 1; }
	rm -rf r.data*
}

steps() { # of ulimit -v: what is short first, and some room for all of it at the end
	seq 20000 6000 98000
	seq 110000 30000 200000
}

for args in "-i plain.data" "-i plain.data -s sym,srcline" "-i chains.data" "-i chains.data -s sym,srcline" \
	"-i chains.data --no-children -g caller" "-D -i chains.data"; do
	worked=0
	for kb in $(steps); do
		# shellcheck disable=SC2086
		under v "$kb" report --stdio $args
	done
	[ "$worked" -gt 0 ] || [ "$(nproc)" -gt 8 ] || fail "200 MB are not enough: report $args"
done
for args in "-g" "--call-graph auto -z" "--call-graph dwarf" "--threads -a" "-a -g"; do
	works "$args" || continue
	for kb in $(steps); do
		# shellcheck disable=SC2086
		under v "$kb" record -e cpu-clock -o r.data $args sleep 0.01
		rm -rf r.data*
	done
done
for args in "-a -g" "-g" "-a --threads"; do
	works "$args" || continue
	for n in $(seq 8 20); do
		# shellcheck disable=SC2086
		under n "$n" record -e cpu-clock -o r.data $args sleep 0.01
		rm -rf r.data*
	done
done
