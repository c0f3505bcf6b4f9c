# perf record -C: what was executed and mapped on other CPUs has its names
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record
need_command taskset mkfifo
own_folder
cpus=$(taskset -cp $$ | sed 's/.*: *//; s/[,-]/ /g')
set -- $cpus
[ $# -ge 2 ] || skip "two CPUs are needed"
from=$2 to=$1
program hop progs/hop -O1 -g
cp hop hopped

# What ran as hopped outside the kernel: at least 80% in spin_there, of what the report of PERF has for it
expect_named() { # PERF FILE TITLE
	"$1" report --stdio --no-children -g none -F sample,comm,sym -t , -i "$2" 2>err |
		awk -F, '!/^#/ && $2 ~ /^hopped *$/ && $3 ~ /^\[\.]/ { all += $1; if ($3 ~ /spin_there/) named += $1 }
			END { print named + 0, all + 0; exit !(all > 100 && named > 0.8 * all) }' >shares ||
		fail "$3: $(cat shares) samples of hopped are in spin_there: $("$1" report --stdio -g none -i "$2" 2>&1 | head -n 30)"
}
# A process that executes something after it was attached to; nothing is needed but to own it
attached() { # OPTION...
	rm -f fifo o.data
	mkfifo fifo
	./hop $from $to ./hopped <fifo &
	pid=$!
	exec 3>fifo
	"$PERF" record -o o.data -F 1999 -C $to -p $pid "$@" 2>err 3>&- &
	perf=$!
	n=0
	while [ ! -s o.data ] && [ $n -lt 100 ]; do
		kill -0 $perf 2>&- || fail "-p with -C $to: $(cat err)"
		sleep 0.1
		n=$((n + 1))
	done
	exec 3>&-
	wait $pid || fail "hop fails"
	wait $perf || fail "-p with -C $to: $(cat err)"
	expect_named "$PERF" o.data "-p PID -C $to $*"
}
attached -e cpu-clock:u
attached -e cpu-clock:u -g
attached -e cpu-clock:u --overwrite

# The other CPUs' rings, for the side-band only, are not as large as one may ask for
[ "$(id -u)" != 0 ] || {
	attach -o rings.data -e cpu-clock:u -C $to -p $$ -m 16M
	awk '/perf_event/ { split($1, at, "-"); print at[1], at[2] }' /proc/$recorder/maps >places
	large=0
	while read -r at end; do
		[ $((0x$end - 0x$at)) -lt 16000000 ] || large=$((large + 1))
	done <places
	kill -INT $recorder
	wait $recorder || :
	[ $large = 1 ] || fail "$large rings have 16 MiB for one CPU"
}

# Without /sys, as in a bare chroot
if [ "$(id -u)" = 0 ] && unshare -m umount -l /sys 2>/dev/null; then
	unshare -m sh -c 'umount -l /sys; exec "$@"' sh "$PERF" record -q -o bare.data -F 1999 -e cpu-clock \
		-- ./hop $to $from ./hopped </dev/null
	expect_named "$PERF" bare.data "without /sys"
fi

# What needs the right to watch whole CPUs
"$PERF" record -o a.data -e cpu-clock -a true >out 2>&1 || skip "-p works; CPUs cannot be watched here: $(head -n 1 out)"
cp o.data attached.data
record() { # OPTION...
	rm -rf o.data
	expect_status 0 "$PERF" record -o o.data -F 1999 -e cpu-clock -C $to "$@" -- ./hop $from $to ./hopped </dev/null
	expect_named "$PERF" o.data "-C $*"
}
record
cp -r o.data plain.data
record -g
record --call-graph dwarf,2048
record --threads
[ -f o.data/data.1 ] || fail "the side-band of other CPUs has no file"
record --threads="$to/$to"
record --overwrite
record -z
record -e page-faults
expect_status 0 "$PERF" record -o - -F 1999 -e cpu-clock -C $to -- ./hop $from $to ./hopped </dev/null
"$PERF" report --stdio --no-children -g none -F sample,comm,sym -t , -i - <out 2>err >rows
grep -q 'hopped.*spin_there' rows || fail "no name in a pipe: $(cat rows)"

# Samples are those of the named CPU only
"$PERF" record -q -o o.data --sample-cpu -e cpu-clock -C $to -- ./hop $to $from ./hopped </dev/null
"$PERF" report --stdio -F sample,cpu -t , -i o.data 2>err | awk -F, -v cpu=$to '!/^#/ && NF { if ($2 + 0 != cpu) exit 1 }' ||
	fail "samples of other CPUs with -C $to"

# Nor are switches
"$PERF" record -q -o o.data --sample-cpu --switch-events -e cpu-clock -C $to -- ./hop $from $to ./hopped </dev/null
"$PERF" report -D -i o.data >dump
grep -q "^$to .*PERF_RECORD_SWITCH" dump || fail "no switches of CPU $to"
if grep -q "^$from .*PERF_RECORD_SWITCH" dump; then fail "switches of CPU $from with -C $to"; fi

# Other programs find the same names
if stock=$(command -v perf) && [ "$(readlink -f "$stock")" != "$(readlink -f "$PERF")" ]; then
	expect_named "$stock" plain.data "stock perf"
	expect_named "$stock" attached.data "stock perf, -p"
fi
exit 0
