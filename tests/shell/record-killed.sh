# perf record and kill -9: the file has all but the last second, for us and for stock perf
# timeout: 1800
# KILLS=300: 300 kills instead of 12, spread over the kinds of recordings.
. "$PERF_SRC/tests/lib.sh"
need_record
may_record -a -e cpu-clock || skip "cannot record all processes here: $(head -n 1 probe.out)"
own_folder # stock perf takes files below /tmp/perf-* for lists of compiled code
kills=${KILLS:-12}
program pace progs/pace -O1
STOCK=$(command -v perf) || STOCK=
[ -z "$STOCK" ] || [ "$(readlink -f "$STOCK")" != "$(readlink -f "$PERF")" ] || STOCK=

random() { # MOST
	echo $(($(od -An -N2 -tu2 /dev/urandom) % $1))
}

has_features() { # FILE: it was not killed while it wrote
	header=$1
	[ ! -d "$1" ] || header=$1/data
	[ -n "$(od -An -j72 -N32 -tx8 -v "$header" | tr -d ' 0\n')" ]
}

# Of one file of a killed recorder: read by us without complaint about damage; stock finds as many samples.
check_file() { # FILE OPTIONS
	"$PERF" report --stdio -i "$1" >report 2>report.err || fail "$2: cannot be reported: $(cat report.err)"
	"$PERF" report -D -i "$1" >dump 2>dump.err || fail "$2: $(cat dump.err)"
	cat dump >>all
	sed -i '/was not completed by its recorder/d' report.err # it was killed while it wrote
	grep -q PERF_RECORD_SAMPLE dump || sed -i '/has no samples$/d' report.err # the rings were not read yet
	expect_empty report.err
	[ -n "$STOCK" ] && grep -q PERF_RECORD_SAMPLE dump || return 0
	case $2 in *-z*) has_features "$1" || return 0 ;; esac
	theirs=$("$STOCK" script -F time -i "$1" 2>stock.err | grep -c . || :)
	[ "$theirs" = "$(grep -c PERF_RECORD_SAMPLE dump)" ] ||
		fail "$2: stock perf finds $theirs samples, not $(grep -c PERF_RECORD_SAMPLE dump): $(cat stock.err)"
	echo 1 >>read-by-stock
}

# One kill, at some moment of the first seconds. Fails where the test has to; 1: other recorders have disturbed it.
kill_once() { # OPTIONS
	rm -rf k.data* pages dump all
	# shellcheck disable=SC2086
	"$PERF" record -q --no-embed -k mono -m 1M $1 -o k.data ../pace run pages 2>err &
	recorder=$!
	i=0
	until [ -s pages ] && [ -s k.data ]; do
		i=$((i + 1))
		[ $i -lt 3000 ] || fail "$1: the recording does not begin: $(cat err)"
		sleep 0.1
	done
	sleep "$(random 2).$((100 + $(random 900)))"
	killed=$(../pace kill $recorder)
	wait $recorder 2>/dev/null || :
	[ -s k.data ] || fail "$1: no file: $(cat err)"
	for f in k.data*; do
		check_file "$f" "$1"
	done
	# A kernel that samples one fault for several recorders may give all samples the id of the first (seen with 6.18).
	! grep -Eq 'no event has its id|PERF_RECORD_LOST' all || return 1
	case $1 in
	*overwrite*) missing=0 ;; # its samples are in memory until a snapshot is wanted
	*cpu-clock*)
		last=$(sed -n 's/^[0-9]* \([0-9]*\) 0x[0-9a-f]* .*PERF_RECORD_SAMPLE.*/\1/p' all | sort -n | tail -n 1)
		if [ -n "$last" ]; then missing=$(((killed - last) / 1000000)); else missing=$(../pace check pages "$killed" </dev/null || :); fi
		[ "$missing" -le 1000 ] || fail "$1: the last sample is from $missing ms before the kill"
		;;
	*)
		missing=$(sed -n 's/^.*PERF_RECORD_SAMPLE.* addr: \(0x[0-9a-f]*\)$/\1/p' all | sort | ../pace check pages "$killed") ||
			fail "$1: $missing"
		;;
	esac
	echo "$missing" >>missing
}

kill_often() { # OPTIONS FOLDER
	mkdir "$2"
	cd "$2"
	tries=$((nr * 3 + 10))
	while [ "$(cat missing 2>/dev/null | wc -l)" -lt "$nr" ]; do
		tries=$((tries - 1))
		if [ $tries -lt 0 ]; then # a busy machine loses records
			echo "$1: $(cat missing 2>/dev/null | wc -l) kills only, as the others were disturbed"
			return
		fi
		kill_once "$1" || :
	done
}

n=0 nr=$(((kills + 10) / 11)) failed=
# kinds OPTIONS...: some at once; more would keep each other waiting
kinds() {
	pids=
	for o; do
		n=$((n + 1))
		(kill_often "$o" "mode$n") >"out$n" 2>&1 &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || failed=1
	done
}
faults="-e page-faults:u -c 1 -d"
kinds "$faults --call-graph fp" "$faults --call-graph auto,2048" "$faults -z --call-graph fp" "$faults -z --call-graph auto,2048" \
	"$faults --call-graph dwarf,16384" "$faults --switch-output=50K -m 8"
clock="-e cpu-clock -F 1000 -a"
kinds "$clock" "$clock -g --threads" "$clock -g --threads -z" "$clock -g --off-cpu" "$clock -g --overwrite"
cat out*
[ -z "$failed" ] || fail "see above"
[ "$(cat mode*/missing 2>/dev/null | wc -l)" -ge "$nr" ] || skip "other recorders disturb this one too often"
echo "$(cat mode*/missing | wc -l) kills; missing at most $(cat mode*/missing | sort -n | tail -n 1) ms, half of them at most" \
	"$(sort -n mode*/missing | sed -n "$((nr * 11 / 2))p") ms; $(cat mode*/read-by-stock 2>/dev/null | wc -l) files read by stock perf, too"
