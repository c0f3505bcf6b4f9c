# perf record: --control takes commands while it records, -D says when events count
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record

spin='while :; do :; done'
mkfifo ctl ack

begin() { # words of perf record...: a recorder of a busy command, told through ctl; descriptors 3 and 4 are ours
	exec 3<>ctl 4<>ack
	"$PERF" record -e cpu-clock:u -o c.data "$@" -- sh -c "$spin" >out 2>err 3>&- 4>&- &
	recorder=$!
}

tell() { # command: and waits until it is carried out
	echo "$1" >&3
	i=0
	while ! answer=$(timeout 1 dd bs=5 count=1 <&4 2>/dev/null | tr -d '\000') || [ -z "$answer" ]; do
		i=$((i + 1))
		[ $i -lt 300 ] || fail "no answer to '$1': $(cat err)"
	done
	[ "$answer" = ack ] || fail "'$1' was answered with '$answer'"
}

samples() { # FILE
	"$PERF" report --stdio -i "$1" 2>/dev/null | sed -n 's/^# Samples: \([0-9]*\).*/\1/p' | head -n 1
}

# ---- nothing is sampled before it is enabled, nor after it is disabled ----
begin -D -1 --control fifo:ctl,ack
tell ping
sleep 0.3
tell stop
got=0
wait $recorder || got=$?
[ $got = 143 ] || fail "status $got after stop: $(cat err)"
[ -z "$(samples c.data)" ] || [ "$(samples c.data)" = 0 ] || fail "samples before enable"

begin -D -1 --control fifo:ctl,ack
tell ping
tell enable
sleep 0.3
tell disable
"$PERF" report --stdio -i c.data >/dev/null 2>&1 || : # the file can be read at any time
tell stop
wait $recorder || :
[ "$(samples c.data)" -gt 0 ] || fail "no samples between enable and disable"
expect_line err "Events disabled"
expect_line err "Events enabled"

# ---- one event of several ----
begin -e page-faults:u -D -1 --control fifo:ctl,ack
tell "enable cpu-clock:u"
sleep 0.3
tell "disable cpu-clock:u"
tell evlist
tell "evlist -F"
tell "evlist -v"
tell "enable nosuch"
echo bogus >&3
echo "pingpong" >&3
echo >&3
tell ping
tell stop
wait $recorder || :
expect_line err "Event cpu-clock:u enabled"
expect_line err "Event cpu-clock:u disabled"
expect_line err "page-faults:u"
expect_line err "cpu-clock:u: sample_freq=4000"
expect_text err "page-faults:u: type: 1,"
expect_text err "no event 'nosuch'"
expect_text err "control: unknown command 'bogus'"
expect_text err "control: unknown command 'pingpong'"
"$PERF" report --stdio -i c.data >report 2>/dev/null
expect_text report "event 'cpu-clock:u'"
! grep -q "of event 'page-faults:u'" report || [ "$(grep -A1 "of event 'page-faults:u'" report | grep -c ' 0$')" = 1 ] ||
	fail "page-faults was not enabled: $(cat report)"

# ---- a group as a group; a command in two pieces; through descriptors; the other end goes away ----
(
	sleep 0.5
	printf 'evlist '
	sleep 0.2
	printf -- '-g\nping\nping\000'
	sleep 0.5
) | timeout 600 "$PERF" record -o c.data -e '{cpu-clock:u,page-faults:u}' --control fd:0,5 sleep 3 5>acks >out 2>err ||
	fail "status $?: $(cat err)"
expect_line err "{cpu-clock:u,page-faults:u}"
[ "$(tr -d '\000' <acks | grep -cx ack)" = 3 ] || fail "not three answers: $(od -c acks)"

# ---- what cannot be ----
for c in fd: fd:0,x fd:97 fifo: fifo:no/such fifo:c.data bogus:1 fd:0,; do
	expect_status 1 timeout 600 "$PERF" record -o x.data -e cpu-clock:u --control "$c" true
	expect_lines err 1
done

# ---- windows ----
for try in 1 2 3 4 5; do # where the program has to wait for a CPU, there are more gaps
	"$PERF" record -o w.data -e cpu-clock:u -D 100-300,500-700 sh -c "timeout 1 sh -c '$spin'; :" >out 2>err
	[ "$(grep -cx 'Events enabled' err)" = 2 ] || fail "not two windows: $(cat err)"
	[ "$(grep -cx 'Events disabled' err)" = 3 ] || fail "not two windows: $(cat err)"
	"$PERF" report -D -i w.data 2>/dev/null |
		awk '/PERF_RECORD_SAMPLE/ { t = $1 / 1000000; if (!b) b = t; if (l && t - l > 100) gaps++; l = t }
			END { if (!b || gaps > 1 || l - b > 800) { print gaps, l - b; exit 1 } }' >gaps && break
done
[ ! -s gaps ] || fail "samples outside of the windows: gaps and length: $(cat gaps)"
for d in 20-10 10-20,15-30 10-20,20-30 10- 10-20, -2 x 10,20; do
	expect_status 129 "$PERF" record -o x.data -e cpu-clock:u -D "$d" true
	expect_lines err 1
done
[ ! -e x.data ] || fail "a file was made"
