#!/bin/sh
# Java without a flag, judged by its own bytecodes: tests/runtimes/java.sh [WORD...]
# Records a program of a known structure and a mixed one in each JDK with each collector, C1 alone, and the interpreter
# alone, and judges all samples with Java frames (java/judge.py). Prints one row each; with WORDs, only rows that have
# one of them. Fails if fewer than EXACT percent (95) of a row's samples are exact, or any judged call is wrong.
#	PERF	the perf to test (./perf)
#	JDKS	homes of JDKs, "ROOT:HOME" for one in an unpacked suite (default: those in /usr/lib/jvm); 8 and newer
#	MS	duration of the mixed program in milliseconds (4000)
#	KEEP	1: keep the recordings, in FOLDER
# Where the JDK has "jcmd Compiler.perfmap" (17 and newer), names of compiled methods are compared with that, too.
here=$(cd "$(dirname "$0")" && pwd)
PERF=$(readlink -f "${PERF:-./perf}")
JDKS=${JDKS:-$(ls -d /usr/lib/jvm/java-[0-9]*-openjdk-* 2>/dev/null)}
MS=${MS:-4000}
EXACT=${EXACT:-95}
FOLDER=${FOLDER:-$(mktemp -d /tmp/perf-java.XXXXXX)}
[ "$KEEP" = 1 ] || trap 'rm -rf "$FOLDER"' EXIT
status=0
mkdir -p "$FOLDER/classes"
chmod 755 "$FOLDER" "$FOLDER/classes"

# jdk COMMAND: prints how to run a program of the JDK $home in $root; its classes are in $classes
jdk() {
	if [ -n "$root" ]; then
		echo "$here/enter $root $FOLDER $home/bin/$1"
	else
		echo "$home/bin/$1"
	fi
}

choose() { # JDK
	root= home=$1 classes=$FOLDER/classes
	case $1 in *:*) root=${1%%:*} home=${1#*:} classes=/mnt/classes ;; esac
	name=$(basename "$home" | sed 's/^java-\([0-9]*\)-.*/\1/')
}

compile() { # with the oldest JDK that is there, so that all can run it
	oldest=$(for j in $JDKS; do choose "$j"; echo "$name $j"; done | sort -n | sed '1!d;s/^[^ ]* //')
	choose "$oldest"
	cp "$here"/java/*.java "$FOLDER"
	(cd "$FOLDER" && $(jdk javac) -g -d "$classes" "${classes%/classes}/Known.java" "${classes%/classes}/Mixed.java") ||
		exit 1
}

# row PROGRAM MS OPTION...
row() {
	program=$1 ms=$2
	shift 2
	data=$FOLDER/$name-$program$(echo "$*" | tr -d ' :+-')
	"$PERF" record -o "$data" -e cpu-clock:u -F 1999 -g -- $(jdk java) "$@" -cp "$classes" "$program" "$ms" \
		>"$data.out" 2>"$data.err" || {
		echo "record failed: $(cat "$data.err")"
		status=1
		return
	}
	"$PERF" script -i "$data" -F comm,ip,sym,dso >"$data.script" 2>/dev/null
	python3 "$here/java/judge.py" "$data.script" $(jdk javap) -cp "$classes" >"$data.judged"
	read -r exact all pairs wrong <"$data.judged"
	awk -v name="$name" -v program="$program" -v how="$*" -v e="$exact" -v n="$all" -v p="$pairs" -v w="$wrong" \
		'BEGIN { printf "%-4s %-6s %-28s %8d %7.2f%% %8d %6d\n", name, program, how, n, 100 * e / (n ? n : 1), p, w }'
	sed 1d "$data.judged"
	total_pairs=$((total_pairs + pairs)) total_wrong=$((total_wrong + wrong))
	[ "$wrong" = 0 ] && [ "$all" -ge 30 ] && [ $((exact * 100)) -ge $((all * EXACT)) ] || status=1
}

# Compare names with those that the virtual machine itself prints.
perfmap() {
	data=$FOLDER/$name-perfmap
	$(jdk java) -cp "$classes" Mixed 12000 >"$data.out" 2>&1 &
	sleep 4
	"$PERF" record -o "$data" -e cpu-clock:u -F 999 -g -p $! -- sleep 4 >/dev/null 2>"$data.err"
	rm -f "/tmp/perf-$!.map"
	$(jdk jcmd) $! Compiler.perfmap >"$data.out" 2>&1
	mv "/tmp/perf-$!.map" "$data.map" 2>/dev/null || {
		echo "$name: no perfmap: $(head -n 1 "$data.out")"
		wait $!
		return
	}
	kill $!
	wait $! 2>/dev/null
	"$PERF" script -i "$data" --no-inline -F ip,sym,dso >"$data.script" 2>/dev/null
	"$PERF" script -i "$data" -D 2>/dev/null | python3 "$here/java/perfmap.py" "$data.script" "$data.map" >"$data.judged"
	sed "s/^/$name perfmap: /" "$data.judged"
	grep -q ' 0 differ' "$data.judged" || status=1
}

wanted() { # TEXT
	[ -z "$words" ] && return
	for w in $words; do
		case " $1 " in *"$w"*) return 0 ;; esac
	done
	return 1
}

words=$* total_pairs=0 total_wrong=0
compile
printf '%-4s %-6s %-28s %8s %8s %8s %6s\n' JDK program options samples exact pairs wrong
for j in $JDKS; do
	choose "$j"
	for how in -XX:+UseG1GC -XX:+UseSerialGC -XX:+UseParallelGC -XX:+UseZGC -XX:+UseShenandoahGC \
		-XX:TieredStopAtLevel=1 -Xint; do
		$(jdk java) $how -version >/dev/null 2>&1 || continue
		wanted "$name $how Known" && row Known 2000 "$how"
		wanted "$name $how Mixed" && row Mixed "$MS" "$how"
	done
	[ "$name" -ge 17 ] && wanted "$name perfmap" && perfmap
done
echo "calls judged: $total_pairs, wrong: $total_wrong"
exit $status
