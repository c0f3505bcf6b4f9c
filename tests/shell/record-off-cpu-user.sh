# perf record --off-cpu without privileges: own processes, where the kernel allows it
# serial: compares times, and changes a system-wide setting
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
need_nobody

paranoid=/proc/sys/kernel/perf_event_paranoid
saved=$(cat "$paranoid")
trap 'echo "$saved" >"$paranoid"; rm -rf "$dir"' EXIT
trap 'exit 143' HUP INT TERM
echo 2 2>/dev/null >"$paranoid" || skip "kernel.perf_event_paranoid cannot be set here"
program "$dir/waits" progs/waits -O2 -fno-optimize-sibling-calls -pthread
chmod 755 "$dir/waits"

# Switches happen in the kernel, which users may not look at then.
expect_status 1 nobody ./perf record -g --off-cpu -e cpu-clock -o a.data ./waits
expect_text err "sysctl -w kernel.perf_event_paranoid=1"

echo 1 >"$paranoid"
expect_status 0 nobody ./perf record -g --off-cpu -e cpu-clock -o a.data ./waits
mv out said
nobody ./perf report --stdio --no-children -g folded,0,caller,function,period -F period,sym --percent-limit 0 -i a.data 2>/dev/null |
	sed -n '/offcpu-time/,$p' >chains
while read -r place true; do
	seen=$(awk -v f=";main;$place;" '/^[0-9]+ _start;/ && index($0, f) { n += $1 } END { printf "%.0f", n }' chains)
	off=$(((seen - true) * 100 / true))
	[ "${off#-}" -le 2 ] || fail "$place: $seen ns waited, really $true"
done <said
[ "$(wc -l <said)" -eq 4 ] || fail "the program did not say where it waited"
