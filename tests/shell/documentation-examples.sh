# each example of the manual pages, and each line of the README's tour, does what its page says
# timeout: 400
. "$PERF_SRC/tests/lib.sh"
need_record
need_command python3 cc timeout git
unset PERF_PAGER PAGER COLUMNS PERF_PUSH_TOKEN http_proxy HTTP_PROXY DEBUGINFOD_URLS

# Print the commands of a page, one on each line: bold lines of EXAMPLES and QUESTIONS; of these and the TUTORIAL, lines
# between .nf and .fi that begin with "$ " or the name of a program. The others are output. An empty line begins another
# example.
examples() { # PAGE
	awk '/^\.SH/ { list = /EXAMPLES|QUESTIONS/; section = list || /TUTORIAL/ }
		/^\.TP/ { print "" }
		list && sub(/^\.B /, "") && !block { print; next }
		/^\.nf/ { block = section } /^\.fi/ { block = 0 }
		block && (sub(/^\$ /, "") || /^perf |^\.\/|^gunzip|^flamegraph|^go /) { print }' "$1" |
		sed 's/\\-/-/g; s/\\(aq/'\''/g; s/\\e/\\/g'
}

# The lines of the README's tour.
tour() { awk '/^## / { on = /tour/ } on && /^```/ { block = !block; next } on && block' "$PERF_SRC/README.md"; }

# ---- what the examples name: programs, a process, a server, recordings ----
mkdir bin world pages
root=$PWD
ln -s "$PERF" bin/perf
program world/program progs/tour -O1 -g -pthread -DROUNDS=8
cp world/program world/server
cp world/program world/new
cp world/program bin/your-program
export PATH="$PWD/bin:$PATH" LC_ALL=C
sleep 1000 &
process=$!
mkdir got
python3 "$PERF_SRC/tests/progs/receiver.py" got 200 &
receiver=$!
trap 'kill $process $receiver 2>/dev/null || :' EXIT
for _ in $(seq 3000); do
	[ ! -f got/port ] || break
	sleep 0.1
done
port=$(cat got/port)
(
	cd world
	perf record -q -g --off-cpu=locks -o perf.data ./program 2>/dev/null || perf record -q -g --off-cpu -o perf.data ./program 2>/dev/null || perf record -q -g -o perf.data ./program
	perf record -q -g -o prof.data ./program
	cp prof.data old.data
	cp prof.data new.data
	for f in old1 old2 new1 new2; do # copies are not several runs
		perf record -q -g -o $f.data ./program
	done
	perf inject --embed -i perf.data -o whole.data
	git() { command git -c user.name=a -c user.email=a@example.org "$@"; }
	git init -q && git commit -q --allow-empty -m base && git tag v1.2
)
all_cpus=1
perf record -q -a -e sched:sched_switch -o probe.data true 2>/dev/null || all_cpus=
rm -f probe.data

# Why a command cannot run on this machine; nothing if it can.
obstacle() { # COMMAND LINE
	printf '%s\n' "$1" | sed "s/'[^']*'/TEXT/g" | sed 's/[|&][|&]*/\n/g' | sed 's/^ *//; s/ .*//' >words
	while read -r w; do
		case $w in
		./*) [ -x "$root/world/$w" ] || { echo "$w is not installed"; return; } ;;
		*) command -v "$w" >/dev/null || { echo "$w is not installed"; return; } ;;
		esac
	done <words
	case $1 in
	*cache-misses*) perf record -q -e cache-misses -o probe.data true 2>/dev/null || echo "no hardware counters" ;;
	*mem:counter*) perf record -q -e mem:counter:w -o probe.data "$root/world/program" 2>/dev/null || echo "no breakpoints" ;;
	"perf top"* | *record*" -a "* | *stat*" -a "* | *syscalls:* | *--no-idle* | *--blocked-by* | *--critical-path* | *sched:* | *uprobe:* | *--off-cpu*) [ "$all_cpus" ] || echo "the machine cannot be recorded by this user" ;;
	"perf agent"*) [ "$all_cpus" ] && perf version --build-options | grep -q 'curl: \[ on' || echo "no permission, or no libcurl" ;;
	*"perf push"*)
		perf version --build-options | grep -q 'curl: \[ on' || echo "perf was built without libcurl" ;;
	*.db*)
		perf version --build-options | grep -q 'sqlite3*: \[ on' || echo "perf was built without libsqlite3" ;;
	esac
}

# The line as it is run: the process, the server and short times.
made_real() {
	printf '%s\n' "$1" | sed "s/\<1234\>/$process/g; s/localhost:4[0-9]*/127.0.0.1:$port/; s/sleep [136]0*/sleep 0.5/; s/ -http :8080/ -top/"
}

# Pages are independent of each other: four run at once, each in a folder and with a home of its own.
run_page() ( # NAME < COMMANDS: run them in order; how many were run is in the file ran
	mkdir "$root/pages/$1"
	cd "$root/pages/$1"
	mkdir home
	export HOME="$PWD/home"
	ran=0
	skipped=
	cp -r "$root/world" here
	while IFS= read -r line; do
		[ "$line" ] || { cp "$root"/world/* here/; continue; }
		why=$(obstacle "$line")
		file=$(printf '%s\n' "$line" | sed -n 's/.* -i \([^ ]*\).*/\1/p')
		[ -z "$file" ] || [ -z "$skipped" ] || [ "$file" = - ] || [ -e "here/$file" ] || why="$file was not recorded"
		if [ "$why" ]; then
			echo "not run: $line ($why)"
			skipped=1
			continue
		fi
		status=0
		case $line in
		"perf archive --unpack") rm here/perf.data ;; # on another machine
		esac
		case $line in
		"perf top"*) # until it is stopped, after two screens
			(cd here && timeout -s INT 120 sh -c "$(made_real "$line" | sed 's/ -d [0-9]*//') -d 1 --stdio | head -n 40" >../out 2>../err </dev/null) || status=$? ;;
		"perf agent"*) # until it is stopped
			(cd here && timeout -s INT -k 20 5 sh -c "exec $(made_real "$line" | sed 's/--interval [0-9]*/--interval 1/; s,/tmp/perf-spool,spool,')" >../out 2>../err </dev/null) ||
				status=$?
			[ $status != 124 ] || status=0 ;;
		*) (cd here && timeout 600 sh -c "$(made_real "$line")" >../out 2>../err </dev/null) || status=$? ;;
		esac
		case $status:$line in
		0:* | 2:*--fail-on* | 1:*--bisect* | 125:*--bisect*) ;;
		*) cat err; fail "$1: status $status: $line" ;;
		esac
		if grep '^perf: error' err; then fail "$1: $line"; fi
		ran=$((ran + 1))
	done
	echo $ran >ran
)

mkfifo free
exec 7<>free
printf '1\n2\n3\n4\n' >&7
start_page() { # NAME COMMANDS: wait for one of the four places
	read -r place_ <&7
	(run_page "$1" <"$2" >"$2.out" 2>&1 7>&- || echo "$1" >>failed; echo "$place_" >&7) &
	pages="${pages:-} $!"
}

for page in "$PERF_SRC"/perf.1 "$PERF_SRC"/Documentation/perf-*.1; do
	name=$(basename "$page")
	examples "$page" >"$name.commands"
	grep -q . "$name.commands" || fail "$page has no examples"
	start_page "$name" "$name.commands"
done
tour >tour.commands
[ "$(wc -l <tour.commands)" -ge 10 ] || fail "the README's tour was not found"
start_page README.md tour.commands
# shellcheck disable=SC2086
wait $pages
cat ./*.out
[ ! -e failed ] || fail "examples of $(sort failed | tr '\n' ' ')"
ran=$(cat pages/*/ran | awk '{ n += $1 } END { print n }')
[ "$ran" -ge 40 ] || fail "only $ran examples were run"
echo "$ran examples were run"
