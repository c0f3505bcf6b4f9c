# perf record and perf doctor under settings of the kernel that hide or forbid something: the message is the right one
# serial: changes system-wide settings, each for one command
# timeout: 180
. "$PERF_SRC/tests/lib.sh"
need_record
need_nobody

kernel=/proc/sys/kernel
saved=
restore() {
	for s_ in $saved; do
		echo "${s_#*=}" >"$kernel/${s_%%=*}" || :
	done
}
trap 'restore; rm -rf "$dir"' EXIT
trap 'exit 143' HUP INT TERM
for name in perf_event_paranoid kptr_restrict perf_event_mlock_kb perf_event_max_sample_rate; do
	value=$(cat "$kernel/$name") || skip "there is no kernel.$name"
	saved="$saved $name=$value"
	echo "$value" 2>/dev/null >"$kernel/$name" || skip "kernel.$name cannot be set here"
done

# with NAME=VALUE... -- command...: the command with these settings, and the old ones again at once
with() {
	while [ "$1" != -- ]; do
		if ! echo "${1#*=}" 2>/dev/null >"$kernel/${1%%=*}"; then
			restore
			fail "kernel.$1 cannot be set"
		fi
		shift
	done
	shift
	status_=0
	"$@" || status_=$?
	restore
	return $status_
}

# What `perf doctor` says in a row: "ok", "limits" or "blocks".
verdict() { # ROW FILE
	awk -v row="$1" '$2 == row { print $1; exit }' "$2"
}

expect_verdict() { # ROW VERDICT FILE
	got_=$(verdict "$1" "$3")
	[ "$got_" = "$2" ] && return
	cat "$3"
	fail "'$1' is '$got_', expected '$2'"
}

cat >"$dir/calls.sh" <<'S'
i=0; while [ $i -lt 20000 ]; do i=$((i+1)); : </dev/null; done
S

# ---- perf_event_paranoid 2: user space of one's own programs, said once ----
with perf_event_paranoid=2 kptr_restrict=0 -- expect_status 0 nobody ./perf record -e cpu-clock,task-clock -o n.data sh calls.sh
[ "$(grep -c 'kernel.perf_event_paranoid is 2: recording user space only' err)" = 1 ] || fail "not said, or not once: $(cat err)"
expect_text err "sysctl -w kernel.perf_event_paranoid=1"
if grep -q 'kernel addresses' err; then fail "the kernel is left out, its addresses do not matter: $(cat err)"; fi
with perf_event_paranoid=2 -- expect_status 1 nobody ./perf record -e cpu-clock:k -o n.data true
expect_text err "cannot open 'cpu-clock:k' (Permission denied): kernel.perf_event_paranoid is 2"
expect_text err "sysctl -w kernel.perf_event_paranoid=1"
with perf_event_paranoid=2 -- expect_status 1 nobody ./perf record -e cpu-clock -a -o n.data true
expect_text err "'cpu-clock' for all processes (Permission denied): kernel.perf_event_paranoid is 2"
expect_text err "sysctl -w kernel.perf_event_paranoid=0"
with perf_event_paranoid=2 kptr_restrict=0 -- expect_status 0 nobody ./perf doctor
expect_verdict paranoid limits out
expect_text out "kernel.perf_event_paranoid is 2"
expect_text out "perf record PROGRAM works"
expect_text out "of user space only"
with perf_event_paranoid=2 -- expect_status 1 nobody ./perf doctor -a -e cpu-clock
expect_text out "the recording asked for does not work"
# What the advice says helps.
with perf_event_paranoid=1 kptr_restrict=0 -- expect_status 0 nobody ./perf record -e cpu-clock:k -o n.data true
with perf_event_paranoid=0 -- expect_status 0 nobody ./perf record -e cpu-clock:u -a -o n.data true
with perf_event_paranoid=-1 -- expect_status 0 nobody ./perf doctor
expect_verdict paranoid ok out

# ---- above 2: only some kernels mean something by it ----
with perf_event_paranoid=3 -- expect_status 0 "$PERF" doctor
expect_verdict paranoid ok out
if with perf_event_paranoid=3 -- nobody ./perf record -e cpu-clock:u -o n.data true >out 2>err; then
	with perf_event_paranoid=3 -- expect_status 0 nobody ./perf record -e cpu-clock -o n.data true
	expect_text err "kernel.perf_event_paranoid is 3: recording user space only"
	with perf_event_paranoid=3 -- expect_status 0 nobody ./perf doctor
	expect_verdict paranoid limits out
	expect_text out "kernel.perf_event_paranoid is 3, which means 2 to this kernel"
else
	expect_text err "kernel.perf_event_paranoid is 3"
	expect_text err "sysctl -w kernel.perf_event_paranoid=2"
	with perf_event_paranoid=3 -- expect_status 1 nobody ./perf doctor
	expect_verdict paranoid blocks out
fi

# ---- kptr_restrict: kernel samples without names, and record and report say so ----
kernel_names() { # FILE: those of kernel samples whose name is no address
	"$PERF" report --stdio -s sym -i "$1" 2>report.err | grep -c '\[k\] [^0]' || :
}
named=
if "$PERF" record -e cpu-clock -o k.data sh "$dir/calls.sh" 2>err && ! grep -q 'kernel addresses' err; then
	named=$(kernel_names k.data)
	if grep -q 'kernel' report.err; then fail "hidden addresses, although they are not: $(cat report.err)"; fi
fi
with kptr_restrict=2 -- expect_status 0 "$PERF" record -e cpu-clock -o k.data sh "$dir/calls.sh"
[ "$(grep -c 'kernel.kptr_restrict is 2 and hides kernel addresses from everybody' err)" = 1 ] || fail "not said, or not once: $(cat err)"
expect_text err "as root: sysctl -w kernel.kptr_restrict=1"
[ "$(kernel_names k.data)" = 0 ] || fail "names without addresses: $(cat out)"
[ -z "$named" ] || [ "$named" -gt 0 ] || fail "no kernel function has a name without kptr_restrict"
expect_text report.err "kernel addresses were hidden when 'k.data' was recorded"
# The same samples of an event of user space only, as processors that stop late have them: nothing was hidden.
cp k.data skid.data
at=$(od -An -tu8 -j24 -N8 k.data | tr -d ' ') # attrs; the flags are 40 bytes further on
size=$(od -An -tu8 -j16 -N8 k.data | tr -d ' ')
for offset in $at $((at + size)); do # cpu-clock, and what carries the side-band
	[ "$offset" -lt "$((at + $(od -An -tu8 -j32 -N8 k.data)))" ] || continue
	flags=$(od -An -tu1 -j$((offset + 40)) -N1 k.data)
	# shellcheck disable=SC2059
	printf "\\$(printf %o $((flags | 0x20)))" | dd of=skid.data bs=1 seek=$((offset + 40)) conv=notrunc 2>/dev/null
done
"$PERF" report --stdio -s sym -i skid.data >out 2>report.err
grep -q '\[k\] 0x' out || fail "skid: $(cat out)"
if grep -q hidden report.err; then fail "skid: $(cat report.err)"; fi
"$PERF" report --stdio -q -s sym -i k.data 2>&1 | grep 'hidden' && fail "report -q says more than the report"
"$PERF" report --stdio -s sym -i k.data 2>/dev/null | grep -q '\[k\] 0x' || fail "the kernel's samples are not shown by address"
with kptr_restrict=1 -- expect_status 0 "$PERF" record -e cpu-clock -o k.data sh "$dir/calls.sh"
if grep -q 'kernel addresses' err; then fail "root sees them at 1: $(cat err)"; fi
with kptr_restrict=1 perf_event_paranoid=1 -- expect_status 0 nobody ./perf record -e cpu-clock -o n.data sh calls.sh
expect_text err "kernel.kptr_restrict is 1 and hides kernel addresses from users without CAP_SYSLOG"
expect_text err "as root: sysctl -w kernel.kptr_restrict=0, or"
with kptr_restrict=2 perf_event_paranoid=1 -- expect_status 0 nobody ./perf record -e cpu-clock -o n.data sh calls.sh
expect_text err "kernel.kptr_restrict is 2"
with kptr_restrict=0 perf_event_paranoid=1 -- expect_status 0 nobody ./perf record --no-embed -e cpu-clock -o n.data sh calls.sh
if grep -q 'hides' err; then fail "shown at 0 and 1: $(cat err)"; fi
# recorded with addresses, reported without, and without the copy of the symbols that recording left
rm -rf "$dir/.debug"
with kptr_restrict=2 -- expect_status 0 nobody ./perf report --stdio -i n.data
expect_text err "kernel.kptr_restrict is 2"
with kptr_restrict=2 -- expect_status 0 "$PERF" doctor
expect_verdict symbols limits out
expect_text out "as root: sysctl -w kernel.kptr_restrict=1"
# Not only root: CAP_SYSLOG sees them, as the advice has it.
if setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=+perfmon,+syslog --ambient-caps=+perfmon,+syslog \
	"$dir/perf" version >/dev/null 2>&1; then
	with kptr_restrict=1 perf_event_paranoid=2 -- expect_status 0 setpriv --reuid 65534 --regid 65534 --clear-groups \
		--inh-caps=+perfmon,+syslog --ambient-caps=+perfmon,+syslog "$dir/perf" record -e cpu-clock -o "$dir/c.data" sh "$dir/calls.sh"
	if grep -Eq 'hides|user space only' err; then fail "with CAP_PERFMON and CAP_SYSLOG: $(cat err)"; fi
fi

# ---- memory for rings ----
rings() { # mlock_kb, ulimit -l, pages
	with perf_event_mlock_kb="$1" perf_event_paranoid=2 -- expect_status "$4" \
		nobody sh -c 'ulimit -l "$1" && exec ./perf record -m "$2" -e cpu-clock:u -o n.data true' sh "$2" "$3"
}
page=$(($(getconf PAGESIZE) / 1024))
rings $((4 * page)) 64 1024 0
expect_text err "instead of 1024: kernel.perf_event_mlock_kb is $((4 * page)), RLIMIT_MEMLOCK 64 KiB"
expect_text err "sysctl -w kernel.perf_event_mlock_kb="
expect_text err "Captured and wrote"
# What it advises is enough.
kb=$(sed -n 's/.*sysctl -w kernel.perf_event_mlock_kb=\([0-9]*\).*/\1/p' err)
rings "$kb" 0 1024 0
if grep -q 'instead of' err; then fail "kernel.perf_event_mlock_kb=$kb is not enough: $(cat err)"; fi
rings 0 0 1 1
expect_text err "perf: error: cannot map a ring buffer of 1 pages: kernel.perf_event_mlock_kb is 0, RLIMIT_MEMLOCK 0 KiB"
with perf_event_mlock_kb=0 perf_event_paranoid=2 -- expect_status 1 nobody sh -c 'ulimit -l 0 && exec ./perf doctor'
expect_verdict locked-memory blocks out
expect_text out "perf record PROGRAM does not work"
with perf_event_mlock_kb=0 -- expect_status 0 sh -c 'ulimit -l 0 && exec "$PERF" record -e cpu-clock:u -o k.data true'
if grep -q 'instead of' err; then fail "root's rings are not limited: $(cat err)"; fi

# ---- a flight recorder keeps the time asked for, or nothing is recorded ----
flight() { # mlock_kb, status, time
	with perf_event_mlock_kb="$1" perf_event_paranoid=2 -- expect_status "$2" \
		nobody sh -c "ulimit -l 64 && exec ./perf record --overwrite=$3 -F 4000 -e cpu-clock:u -o k.data true"
}
flight $((129 * page)) 0 1s
grep -q 'keeps the newest [1-9][0-9.]* s' err || fail "--overwrite=1s keeps less: $(cat err)"
if grep -q 'instead of' err; then fail "smaller rings than for --overwrite=1s: $(cat err)"; fi
flight $((129 * page)) 1 3s
kb=$(sed -n 's/.*sysctl -w kernel.perf_event_mlock_kb=\([0-9]*\).*/\1/p' err)
[ -n "$kb" ] || fail "no advice for --overwrite=3s: $(cat err)"
flight "$kb" 0 3s
if grep -q 'instead of' err; then fail "kernel.perf_event_mlock_kb=$kb is not enough for 3 s: $(cat err)"; fi

# ---- more samples than the kernel allows: it switches the event off until the next tick, and that is said ----
# the limit is told to those whose events take the frequency
with perf_event_max_sample_rate=1000 -- expect_status 0 "$PERF" record -e cpu-clock:u -o t.data true
expect_line err "sampling at 1000 Hz: kernel.perf_event_max_sample_rate allows no more"
for event in cpu-clock/period=1000000/u cpu-clock/freq=500/u; do
	with perf_event_max_sample_rate=1000 -- expect_status 0 "$PERF" record -e $event -o t.data true
	if grep 'sampling at' err; then fail "a frequency, although $event has its own rate"; fi
done
with perf_event_max_sample_rate=1000 -- expect_status 0 "$PERF" record -c 100000 -e cpu-clock:u -o t.data sh "$dir/calls.sh"
expect_text err "cpu-clock:u was switched off "
expect_text err "(kernel.perf_event_max_sample_rate is 1000): sample less often (-F, -c)"
expect_status 0 "$PERF" report --stdio -i t.data
expect_text out "# cpu-clock:u was switched off "
expect_status 0 "$PERF" record -F 1000 -e cpu-clock:u -o t.data sh "$dir/calls.sh"
if grep -q 'switched off' err; then fail "throttled at 1000 samples a second: $(cat err)"; fi

# All is as it was.
for s in $saved; do
	[ "$(cat "$kernel/${s%%=*}")" = "${s#*=}" ] || fail "kernel.$s is not restored"
done
exit 0
