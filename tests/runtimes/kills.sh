#!/bin/sh
# A recorder that is killed at any time harms no program: tests/runtimes/kills.sh [RUNS [SEED]]
# Java and Node.js (with --runtimes) are recorded RUNS times each (250); the recorder is killed with SIGKILL at a random
# time. In half of the runs it started the program, in the others it attached to it (java only). Each program must
# print its right answer and end with its own exit status.
#	PERF	the perf to test (./perf)
here=$(cd "$(dirname "$0")" && pwd)
PERF=$(readlink -f "${PERF:-./perf}")
RUNS=${1:-250} seed=${2:-$$}
folder=$(mktemp -d /tmp/perf-kills.XXXXXX)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

random() { # MOST: sets $number to 0 ... MOST - 1
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	number=$((seed / 65536 % $1))
}

# run NAME COMMAND...: once without and RUNS times with a recorder
run() {
	name=$1 bad=0 killed=0 early=0
	shift
	"$@" >right
	[ $? = 3 ] || {
		echo "$name: cannot run here"
		return
	}
	runtimes=
	[ "$name" = java ] || runtimes=--runtimes
	i=0
	while [ $i -lt "$RUNS" ]; do
		i=$((i + 1))
		rm -f answer status began
		random 900
		delay=$(printf '%d.%03d' $((number / 1000)) $((number % 1000)))
		random 2
		if [ $number = 0 ] || [ -n "$runtimes" ]; then
			"$PERF" record -o data -F 999 -g $runtimes -- sh -c 'echo >began; "$@" >answer; echo $? >status' sh "$@" >log 2>&1 &
		else
			sh -c 'echo >began; "$@" >answer & echo $! >pid; wait $!; echo $? >status' sh "$@" &
			for t in 1 2 3 4 5 6 7 8 9 10; do
				[ -s pid ] && break
				sleep 0.02
			done
			"$PERF" record -o data -F 999 -g -p "$(cat pid)" >log 2>&1 &
		fi
		recorder=$!
		sleep "$delay"
		kill -9 $recorder 2>/dev/null && killed=$((killed + 1))
		for t in $(seq 1000); do
			[ -s status ] && break
			if [ "$t" = 20 ] && [ ! -s began ]; then # killed before it started the program
				early=$((early + 1))
				continue 2
			fi
			sleep 0.05
		done
		rm -f pid
		[ "$(cat status 2>/dev/null)" = 3 ] && cmp -s answer right || {
			bad=$((bad + 1))
			echo "$name, run $i, killed after $delay s: status $(cat status 2>/dev/null), answer $(cat answer)"
		}
	done
	echo "$name: $RUNS runs, $killed recorders killed ($early before the program), $bad programs harmed"
	[ $bad = 0 ] || failed=1
}

failed=0
javac -d . "$here/java/Answer.java" 2>/dev/null && run java java -cp . Answer "${JAVA_ROUNDS:-40000}"
run node node "$here/answer.js" "${NODE_ROUNDS:-6000}"
exit $failed
