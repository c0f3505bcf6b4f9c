# perf record without root under load: with the usual limits on locked memory the file is whole, losses are counted, and the
# advice is something that this user can do
# timeout: 180
. "$PERF_SRC/tests/lib.sh"
need_record
nobody_id=$((61000 + $$ % 4000)) # the limit is the user's: nobody else's recorders may count
need_nobody
case $(uname -m) in x86_64 | aarch64) ;; *) skip "stacks of $(uname -m) are not unwound" ;; esac
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "users may record nothing here"
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 0 ] || skip "the kernel has no limit for locked memory here"
mlock_kb=$(cat /proc/sys/kernel/perf_event_mlock_kb)
page_kb=$(($(getconf PAGESIZE) / 1024))
[ "$mlock_kb" -eq $((512 + page_kb)) ] || skip "kernel.perf_event_mlock_kb is $mlock_kb, and not the kernel's usual $((512 + page_kb))"
program "$dir/prog" progs/stacks -O2 -fomit-frame-pointer -pthread

# record FILE OPTION...: four busy processes as a user who may lock 64 KiB besides what the kernel grants for each CPU
record() {
	file=$1
	shift
	case " $* " in *" -c "*) ;; *) set -- -F 4000 "$@" ;; esac
	expect_status 0 nobody sh -c 'ulimit -l 64; file=$1; shift; exec ./perf record -e cpu-clock:u -o "$file" "$@" -- \
		sh -c "./prog 25 & ./prog 25 & ./prog 25 & ./prog 25; wait"' sh "$file" "$@"
	cp err "$file.err"
}

# expect_whole FILE: all that was recorded can be read, and the losses in it are those that were told
expect_whole() {
	expect_status 0 "$PERF" report -D -i "$dir/$1"
	expect_empty err
	grep -q PERF_RECORD_FINISHED_INIT out || fail "$1 is not whole"
	told=$(sed -n 's/.* lost \([0-9]*\) records of.*/\1/p' "$1.err" | awk '{ n += $1 } END { print n + 0 }')
	expect_status 0 "$PERF" report --stats -i "$dir/$1"
	counted=$(sed -n '/^cpu-clock:u/,$s/^ *LOST_SAMPLES events: *\([0-9]*\).*/\1/p' out | awk '{ n += $1 } END { print n + 0 }')
	[ "$told" = "$counted" ] || fail "$told records are told as lost, $counted are counted in the file: $(cat "$1.err" out)"
	samples=$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' "$1.err")
	[ "$(sed -n '/^cpu-clock:u/,$s/^ *SAMPLE events: *\([0-9]*\).*/\1/p' out)" = "$samples" ] || fail "$samples samples are not in the file: $(cat out)"
	expect_status 0 "$PERF" report --stdio -i "$dir/$1"
	grep -q '%.*prog' out || fail "no samples of the program: $(cat out)"
}

# The rings that are chosen are within the limit, which counts for each CPU.
record usual.data -g
if grep 'instead of' usual.data.err; then fail "the rings that were chosen are too large"; fi
expect_whole usual.data

# Just as large as the limit, and larger: made smaller, and said.
record large.data -g -m 512K
if grep 'instead of' large.data.err; then fail "512K and its page are $mlock_kb KB"; fi
expect_whole large.data
record larger.data -g -m 16M
expect_text larger.data.err "ring buffers are $((512 / page_kb)) pages instead of $((16384 / page_kb)): kernel.perf_event_mlock_kb is $mlock_kb"
expect_whole larger.data

# Load: small buffers, so that there is some, and a period, so that the frequency does not give way. What is advised is tried.
for options in "--unwind-buffer 64K" "-m 64K --unwind-buffer 64K" "-m 16M --unwind-buffer 64K"; do
	# shellcheck disable=SC2086
	record load.data -g -c 10000 $options
	expect_whole load.data
	advice=$(sed -n 's/.*because of load: //p' load.data.err)
	[ -n "$advice" ] || continue
	echo "$advice" | grep -q -e '-F' || fail "no advice on the frequency: $advice"
	larger=$(echo "$advice" | grep -oE -e '(-m|--unwind-buffer) [0-9]+[KM]?' | tr '\n' ' ')
	[ -n "$larger" ] || fail "no advice on the buffers: $advice"
	# shellcheck disable=SC2086
	record advised.data -g -F 2000 $larger
	if grep 'instead of' advised.data.err; then fail "this user cannot do what is advised: $advice"; fi
	expect_whole advised.data
	tried=1
done
[ -n "$tried" ] || fail "no load, although the buffers hold four samples"

# Stack copies in the file are more than any disk takes: samples are lost, and the advice names no larger ring.
record copies.data --call-graph dwarf,32768 -F 4000
expect_whole copies.data
for size in $(sed -n 's/.* too small: type -m \([0-9]*\)K.*/\1/p' copies.data.err); do
	[ "$size" -le 512 ] || fail "a ring of ${size}K, where $mlock_kb KB are allowed: $(cat copies.data.err)"
done

# Another recorder of the same user has used up what the kernel grants: this one makes do with 64 KiB.
nobody sh -c 'ulimit -l 64; exec ./perf record -e cpu-clock:u -m 512K -o first.data sh -c "echo >started; while [ ! -e end ]; do sleep 0.1; done"' \
	2>first.err &
first=$!
for i in $(seq 3000); do [ ! -e "$dir/started" ] || break; sleep 0.1; done
for options in -g "-g -m 16M" "--call-graph auto,32768"; do
	# shellcheck disable=SC2086
	record second.data $options
	expect_text second.data.err "instead of"
	if [ "$options" = -g ]; then
		expect_text second.data.err "other recorders of this user"
		kb=$(sed -n 's/.*sysctl -w kernel.perf_event_mlock_kb=\([0-9]*\).*/\1/p' second.data.err)
		[ "$kb" -gt "$mlock_kb" ] || fail "the advice is the present value: $(cat second.data.err)"
	fi
	if grep -e 'type -m' second.data.err; then fail "rings are as large as this user can have them"; fi
	expect_whole second.data
	[ "${samples:-0}" -gt "$told" ] || fail "$options: ${samples:-0} samples, $told lost: $(cat second.data.err)"
done
touch "$dir/end"
wait $first || fail "the other recorder: $(cat first.err)"
