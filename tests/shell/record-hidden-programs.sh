# perf record: programs that their caller may not trace have no samples, and perf says why and what to type
. "$PERF_SRC/tests/lib.sh"
need_record
program prog progs/stacks -O2 -g -pthread

said() { # PROGRAM: once
	[ "$(grep -c "The kernel ended the events of '$1' at exec: user id $2 may not trace it" err)" = 1 ] ||
		fail "does not say why there are no samples of $1: $(cat err)"
	[ "$(grep -c 'record -p PID while it runs' err)" = 1 ] || fail "does not say what to type: $(cat err)"
}
not_said() {
	! grep 'The kernel ended' err || fail "$1"
}

if [ "$(id -u)" != 0 ]; then
	cp prog unread
	chmod 111 unread # not even by its owner
	expect_status 0 "$PERF" record -e cpu-clock:u -o a.data ./unread 20
	said unread "$(id -u)"
	skip "only root can make setuid programs of another user"
fi
need_nobody
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "users may record nothing"
# file capabilities outside of the bounding set cannot be had at all
user() {
	setpriv --reuid "$nobody_id" --regid "$nobody_id" --clear-groups env HOME="$dir" sh -c 'cd "$1" && shift && exec "$@"' sh "$dir" "$@"
}
for p in plain unread setuid setgid; do
	cp prog "$dir/$p"
done
chmod 755 "$dir/plain"
chmod 711 "$dir/unread"
chmod 4755 "$dir/setuid"
chmod 2755 "$dir/setgid"
hidden='unread setuid setgid'
cp "$(command -v id)" "$dir/id"
chmod 4755 "$dir/id"
if [ "$(user ./id -u)" != 0 ]; then
	hidden=unread
	echo "(setuid programs: skipped, the folder is mounted with nosuid, or no_new_privs is set)"
fi
cp prog "$dir/withcap"
if command -v setcap >/dev/null && setcap cap_net_raw+ep "$dir/withcap" 2>/dev/null && [ "$hidden" != unread ] &&
	user ./withcap 1 >/dev/null 2>&1; then
	hidden="$hidden withcap"
else
	echo "(file capabilities: skipped, setcap cannot set them here)"
fi

expect_status 0 user ./perf record -e cpu-clock:u -o a.data ./plain 20
not_said "a program that may be traced"
expect_status 137 user ./perf record -e cpu-clock:u -o a.data sh -c '(kill -9 $$) & exec ./plain 100000'
not_said "killed, not hidden"

for p in $hidden; do
	expect_status 0 user ./perf record -e cpu-clock:u -o a.data "./$p" 20
	said "$p" "$nobody_id"
	expect_text err 'as root: perf record -a'
	# below a shell, whose own samples are there
	for how in '' -g --threads --overwrite; do
		# shellcheck disable=SC2086
		expect_status 0 user ./perf record $how -e cpu-clock:u -o a.data sh -c "./plain 5; ./$p 20; ./plain 5"
		said "$p" "$nobody_id"
		rm -rf "$dir/a.data"*
	done
done
expect_status 0 user ./perf record -e cpu-clock:u -o a.data sh -c 'for p; do "./$p" 5; done' sh plain $hidden
set -- $hidden
# which of them is named depends on when perf looks
[ $# = 1 ] || grep -qE "The kernel ended the events of '($(echo "$hidden" | tr -s ' ' '|'))' \(and of $(($# - 1)) more programs\) at exec" err ||
	fail "several programs: $(cat err)"

# A running process that executes one, with -p.
user sh -c 'echo $$ >pid; while [ ! -e go ]; do sleep 0.1; done; exec ./unread 20' &
await [ -s "$dir/pid" ] || fail "the process did not start"
rm -f ctl_ ack_
cd "$dir"
mkfifo ctl_ ack_
chmod 666 ctl_ ack_
exec 8<>ctl_ 9<>ack_
user ./perf record --control fifo:ctl_,ack_ -e cpu-clock:u -o p.data -p "$(cat pid)" >out 2>err 8>&- 9>&- &
recorder=$!
echo ping >&8
timeout 60 head -c 3 <&9 >/dev/null || fail "no answer of perf record -p: $(cat err)"
touch go
wait $recorder || fail "perf record -p: $(cat err)"
said unread "$nobody_id"

# perf top says it, too.
cd "$OLDPWD"
user ./perf top --stdio -d 1 -e cpu-clock:u -- ./unread 20 >out 2>err || fail "perf top: $(cat err)"
cat err >>out
grep -q "The kernel ended the events of 'unread' at exec" out || fail "perf top says nothing: $(cat out)"
grep -q 'as root: perf record -a' out || fail "perf top does not say what to type: $(cat out)"
cd "$dir"

# Root may trace what it executes, but not while that runs as another user; counters on CPUs go on.
expect_status 0 "$PERF" record -e cpu-clock:u -o r.data ./unread 20
not_said "root may read it"
case $hidden in
*setuid*)
	expect_status 0 "$PERF" record -e cpu-clock:u -o r.data ./setuid 20
	not_said "root becomes root"
	chown "$nobody_id" setuid
	chmod 4755 setuid
	expect_status 0 "$PERF" record -e cpu-clock:u -o r.data ./setuid 20
	said setuid 0
	expect_text err 'type: perf record -a'
	expect_status 0 "$PERF" record -a -e cpu-clock:u -o r.data ./setuid 20
	not_said "counters on CPUs"
	if "$PERF" record -q -e sched:sched_process_exec -o t.data true 2>/dev/null; then
		expect_status 0 "$PERF" record -e sched:sched_process_exit -o t.data ./setuid 20
		said setuid 0
	fi
	;;
esac
exit 0
