# perf stat: the layouts of text, -x and -j are those of stock perf 6.12, and counts are exact
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
program load progs/stat_load -O1 -no-pie
events=task-clock:u,page-faults:u # what a user may count, and every machine can
"$PERF" stat -x, -e $events true 2>probe || skip "cannot count here: $(head -n 1 probe)"

# ---- layouts: expected text is written here; "|" marks the end of a line ----

# Replace each number, with the blanks before it, by as many N. What varies in length is replaced as a whole: the error
# of the mean, rates' prefixes, decimals of the times with -r.
mask() {
	sed -E 's/  \( ?\+- *[0-9.]+% ?\)//; s| [KMG]/sec | /sec  |
		s/^ +[0-9.]+ \+- [0-9.]+ s/N +- N s/; s/^ +[0-9.]+ \([-+][0-9.]+\) #*$/N (+-N)/; s/^ *# ([TF])/# \1/' |
		awk '{
			out = ""
			while (match($0, / *[0-9]+(\.[0-9]+)?/)) {
				n = substr($0, RSTART, RLENGTH)
				gsub(/./, "N", n)
				out = out substr($0, 1, RSTART - 1) n
				$0 = substr($0, RSTART + RLENGTH)
			}
			print out $0
		}'
}

# Of -x and -j, each number is one N, and a tab a comma.
mask_short() { tr '\t' , | sed -E 's/[0-9]+(\.[0-9]+)?/N/g; s/[KMG]\/sec/\/sec/'; }

nr_layouts=0
same() { # FILE MASK < EXPECTED
	nr_layouts=$((nr_layouts + 1))
	sed 's/|$//' >expected # editors remove blanks at ends
	$2 <"$1" >masked
	cmp -s expected masked && return
	diff expected masked || :
	fail "another layout: perf stat $options"
}

count() { # OPTION...
	options=$*
	expect_status 0 "$PERF" stat "$@"
	expect_empty out
}

text() { count "$@" ./load writes 10 && same err mask; }
short() { count "$@" ./load writes 10 && same err mask_short; }

table() { # [RUNS] < LINES: all the text for a command
	printf '\n Performance counter stats for %s:\n\n' "'./load writesNNN'${1:+ (N runs)}"
	cat
	if [ "$1" ]; then
		printf '\nN +- N seconds time elapsed\n\n'
	else
		printf '\nNNNNNNNNNNNNNNNNNN seconds time elapsed\n\nNNNNNNNNNNNNNNNNNN seconds user\n'
		printf 'NNNNNNNNNNNNNNNNNN seconds sys\n\n\n'
	fi
}

cat >lines <<'E'
NNNNNNNNNNNNNNNNNN msec task-clock:u                     #NNNNNNNNN CPUs utilized             |
NNNNNNNNNNNNNNNNNN      page-faults:u                    #NNNNNNNNN /sec                      |
E
table <lines >plain
for o in -i -S -B --no-big-num --no-scale --scale --all-user --affinity --hybrid-merge --metric-no-group '--pre true' \
	'--post true' '-D 0' '--timeout 100000' '-r 1'; do
	# shellcheck disable=SC2086
	text $o -e $events <plain
done
text -e task-clock:u -e page-faults:u <plain
text -e '{task-clock:u,page-faults:u}' <plain
text --quiet -e $events </dev/null

table >expected_one <<'E'
NNNNNNNNNNNNNNNNNN      page-faults:u                                                         |
E
text -e page-faults:u <expected_one
table </dev/null | sed 4d >expected_none
text -n <expected_none
table >expected_tool <<'E'
NNNNNNNNNNNNNNNNNN      page-faults:u                                                         |
NNNNNNNNNNNNNNNNNN ns   duration_time                                                         |
E
text -e page-faults:u,duration_time <expected_tool

table 3 <lines >repeated
text -r 3 -e $events <repeated
sed '/time elapsed/i\
# Table of individual measurements:\
N (+-N)\
N (+-N)\
N (+-N)\
\
# Final result:' repeated >measured
text -r 3 --table -e $events <measured

cat >expected_csv <<'E'
N,msec,task-clock:u,N,N,N,CPUs utilized
N,,page-faults:u,N,N,N,/sec
E
short -x, -e $events <expected_csv
short -x '\t' -e $events <expected_csv
sed 's/,/;/g' expected_csv >expected_semicolons
short -x ';' -e $events <expected_semicolons
short -x, -e '{task-clock:u,page-faults:u}' <expected_csv
sed 's/-clock:u,/&N%,/; s/-faults:u,/&N%,/' expected_csv >expected_repeated
short -x, -r 3 -e $events <expected_repeated
short -x, -n </dev/null
short -x, -e page-faults:u,duration_time <<'E'
N,,page-faults:u,N,N,,
N,ns,duration_time,N,N,,
E

cat >expected_json <<'E'
{"counter-value" : "N", "unit" : "msec", "event" : "task-clock:u", "event-runtime" : N, "pcnt-running" : N, "metric-value" : "N", "metric-unit" : "CPUs utilized"}
{"counter-value" : "N", "unit" : "", "event" : "page-faults:u", "event-runtime" : N, "pcnt-running" : N, "metric-value" : "N", "metric-unit" : "/sec"}
E
short -j -e $events <expected_json
sed 's/ "event-runtime"/ "variance" : N,&/' expected_json >expected_repeated
short -j -r 3 -e $events <expected_repeated

# Output elsewhere: a file begins with the date, and an empty line; not with -j. With --append, both are there.
options='-o, --append, --log-fd'
expect_status 0 "$PERF" stat -o file -e $events ./load writes 10
expect_empty err
grep -q '^# started on [A-Z][a-z][a-z] [A-Z][a-z][a-z] [ 0-9][0-9] [0-9:]* 20[0-9][0-9]$' file || fail "no date: $(head -n 1 file)"
[ -z "$(sed -n 2p file)" ] || fail "the second line is not empty"
sed 1,2d file >rest
same rest mask <plain
expect_status 0 "$PERF" stat -o file --append -x, -e $events ./load writes 10
[ "$(grep -c '^# started on' file)" = 2 ] || fail "$(cat file)"
tail -n 2 file >rest
same rest mask_short <expected_csv
expect_status 0 "$PERF" stat -o file -j -e $events ./load writes 10
same file mask_short <expected_json
expect_status 0 "$PERF" stat --log-fd 1 -e $events ./load writes 10
expect_empty err
same out mask <plain

# Intervals: a line for each, the last one shorter; then the sum with --summary
sed 's/^/N,/' expected_csv >interval
count -I 100000 -x, -e $events ./load writes 10
same err mask_short <interval
sed 's/^/summary,/' expected_csv >summary
cat interval summary >both
count -I 100000 --summary -x, -e $events ./load writes 10
same err mask_short <both
cat interval expected_csv >both
count -I 100000 --summary -x, --no-csv-summary -e $events ./load writes 10
same err mask_short <both
sed 's/{/&"interval" : N, /' expected_json >interval
count -I 100000 -j -e $events ./load writes 10
same err mask_short <interval
count -I 100000 -e $events ./load writes 10
same err mask <<'E'
#           time             counts unit events
NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN msec task-clock:u                     #NNNNNNNNN CPUs utilized             |
NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN      page-faults:u                    #NNNNNNNNN /sec                      |
E
count -I 10 --interval-count 2 -x, -e $events sleep 1000
[ "$(cut -d, -f 1 err | sort -u | wc -l)" = 2 ] || fail "not two intervals: $(cat err)"

# A process
sleep 1000 &
process=$!
trap 'kill $process 2>/dev/null || :' EXIT
for o in -p -t; do
	count $o $process -e duration_time --timeout 100
	same err mask <<E

 Performance counter stats for $([ $o = -p ] && echo process || echo thread) id '$(echo $process | sed 's/./N/g')':

NNNNNNNNNNNNNNNNNN ns   duration_time                                                         |

NNNNNNNNNNNNNNNNNN seconds time elapsed

E
done

# ---- exact numbers ----
options='(numbers)'
value() { # NAME: of an event, in the lines of -x
	sed -n "s/^\([^,]*\),[^,]*,$1,.*/\1/p" err
}
expect_value() { # NAME VALUE
	[ "$(value "$1")" = "$2" ] || fail "$1 is not $2: $(cat err)"
}

# Page faults while N pages are touched, of which the program tells perf when it begins and ends
mkfifo ctl ack
exec 5<>ctl 6<>ack
for n in 100 200 3000; do
	expect_status 0 "$PERF" stat -x, -e page-faults:u -D -1 --control fd:5,6 ./load pages $n 5 6
	expect_value page-faults:u $n
done
exec 5>&- 6>&-

# Writes to a variable, also in three children
skipped=
where=mem:$(./load where):w:u
if "$PERF" stat -x, -e "$where" ./load writes 1 2>probe && ! grep -q 'not supported' probe; then
	expect_status 0 "$PERF" stat -x, -e "$where" ./load writes 77
	expect_value "$where" 77
	expect_status 0 "$PERF" stat -x, -e "$where" ./load writes 77 3
	expect_value "$where" 107
	expect_status 0 "$PERF" stat -x, -i -e "$where" ./load writes 77 3
	expect_value "$where" 77
	expect_status 0 "$PERF" stat -x, -r 4 -e "$where" ./load writes 77 3
	expect_text err "107,,$where,0.00%,"
	expect_status 0 "$PERF" stat -x, -I 100000 --summary -e "$where" ./load writes 77
	[ "$(grep -c ",77,,$where," err)" = 2 ] || fail "the interval, or the sum: $(cat err)"
else
	skipped="breakpoints ($(head -n 1 probe))"
fi

# Calls
calls=syscalls:sys_enter_getppid
if "$PERF" stat -x, -e $calls true 2>probe; then
	expect_status 0 "$PERF" stat -x, -e $calls ./load calls 1000
	expect_value $calls 1000
	expect_status 0 "$PERF" stat -x, -e $calls --filter 'common_pid == 0' ./load calls 1000
	expect_value $calls 0
else
	skipped="$skipped tracepoints ($(head -n 1 probe))"
fi

# Times: at least what the program itself measures, at most the real time
expect_status 0 "$PERF" stat -x, -o times -e task-clock:u,duration_time,user_time,system_time ./load time 50
sed 's/^\([0-9.]*\),msec,/\1 1000000 /; s/^\([0-9.]*\),ns,/\1 1 /; s/,.*//' times | awk -v used="$(cat out)" '
	NF == 3 { v[$3] = $1 * $2 }
	END {
		cpu = v["user_time"] + v["system_time"]; clock = v["task-clock:u"]; all = v["duration_time"]
		printf "task-clock %d, user and system %d, elapsed %d, the program %d\n", clock, cpu, all, used
		exit !(used >= 50000000 && clock >= used * 0.98 && clock <= all && cpu >= used * 0.98 && cpu <= all * 1.02)
	}' || fail "times: $(cat times)"

# ---- CPUs ----
[ "$nr_layouts" -ge 40 ] || fail "only $nr_layouts layouts were compared"
"$PERF" stat -a -x, -e cpu-clock,page-faults true 2>probe || skip "this user cannot count CPUs ($(head -n 1 probe)): no rows; also skipped: $skipped"

cpu=$(sed 's/[-,].*//' /sys/devices/system/cpu/online)
cpus="-C $cpu -e cpu-clock,page-faults"
rows() { # PREFIX NAME FIELD OPTION: what begins the lines of text, of -x, of -j
	prefix=$1 name=$2 field=$3
	shift 3
	# shellcheck disable=SC2086
	count "$@" $cpus -x, sleep 0.02
	same err mask_short <<E
$name,N,msec,cpu-clock,N,N,N,CPUs utilized
$name,N,,page-faults,N,N,N,/sec
E
	# shellcheck disable=SC2086
	count "$@" $cpus -j sleep 0.02
	same err mask_short <<E
{$field, "counter-value" : "N", "unit" : "msec", "event" : "cpu-clock", "event-runtime" : N, "pcnt-running" : N, "metric-value" : "N", "metric-unit" : "CPUs utilized"}
{$field, "counter-value" : "N", "unit" : "", "event" : "page-faults", "event-runtime" : N, "pcnt-running" : N, "metric-value" : "N", "metric-unit" : "/sec"}
E
	# shellcheck disable=SC2086
	count "$@" $cpus sleep 0.02
	same err mask <<E

 Performance counter stats for 'CPU(s)$(echo " $cpu" | sed 's/./N/g')':

$prefix msec cpu-clock                        #NNNNNNNNN CPUs utilized             |
$prefix      page-faults                      #NNNNNNNNN /sec                      |

NNNNNNNNNNNNNNNNNN seconds time elapsed

E
}
digits() { # N: as many N
	printf '%*s' "$1" '' | tr ' ' N
}
if [ "$cpu" = 0 ]; then # the width of names
	rows "CPUN$(digits 21)" CPUN '"cpu" : "N"' -A
	rows "CPUN$(digits 21)" CPUN '"cpu" : "N"' --no-merge
	rows "SN-DN-CN$(digits 34)" SN-DN-CN,N '"core" : "SN-DN-CN", "aggregate-number" : N' --per-core
	rows "SN-DN$(digits 31)" SN-DN,N '"die" : "SN-DN", "aggregate-number" : N' --per-die
	rows "SN$(digits 28)" SN,N '"socket" : "SN", "aggregate-number" : N' --per-socket
	rows "NN$(digits 28)" NN,N '"node" : "NN", "aggregate-number" : N' --per-node
fi
