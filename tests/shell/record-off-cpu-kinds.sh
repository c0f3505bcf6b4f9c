# perf record --off-cpu: the sums of six kinds of waits, and of very many short ones, are what the program measures
# serial: compares times
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
program kinds progs/six_waits -O2 -fno-optimize-sibling-calls -pthread
"$PERF" record --off-cpu -e cpu-clock -o probe.data true >out 2>&1 || skip "switches cannot be recorded here: $(head -n 1 out)"
head -c 16777216 /dev/urandom >file
sync file

# ns FILE FUNCTION: the period of the waits below this function
ns() {
	"$PERF" report --stdio --no-children -g folded,0,caller,function,period -F period,sym --percent-limit 0 -i "$1" 2>/dev/null |
		sed -n '/offcpu-time/,$p' | awk -v f=";$2;" '/^[0-9]+ / && index($0 ";", f) { n += $1 } END { printf "%.0f", n }'
}

# Time in which the program could run and did not is no wait, so what the kernel counts of it may be missing; and 5%, and
# 25 us of each of 4,096 page faults. These wait for no more than 60 us. Their switch records are up to 20 us late, which the recorder
# measures and subtracts: at most 12 us may be left.
same() { # FILE SAID
	while read -r place true ready; do
		seen=$(ns "$1" "$place")
		least=$((true - ready - true / 20)) most=$((true + true / 20))
		[ "$place" != pages ] || { least=$((least - 4096 * 25000)) && most=$((most + 4096 * 12000)); }
		[ "$seen" -ge "$least" ] && [ "$seen" -le "$most" ] || fail "$place: $seen ns waited, really $true, ready for $ready of them"
	done <"$2"
}

expect_status 0 "$PERF" record -g --off-cpu -e cpu-clock -o a.data ./kinds file
mv out said
[ "$(wc -l <said)" -eq 6 ] || fail "the program did not say where it waited"
same a.data said

# --off-cpu-thresh: shorter waits are added up; the sums stay, and 0 adds nothing up
expect_status 0 "$PERF" record -g --off-cpu --off-cpu-thresh 5 -e cpu-clock -o b.data ./kinds file
mv out said
same b.data said
expect_status 0 "$PERF" record -g --off-cpu --off-cpu-thresh 0 -e cpu-clock -o c.data ./kinds file
mv out said
same c.data said
samples() {
	"$PERF" report --stdio --no-children -g none -F sample -i "$1" 2>/dev/null | sed -n '/offcpu-time/,$p' | awk '/^ *[0-9]+ *$/ { n += $1 } END { print n + 0 }'
}
few=$(samples b.data)
all=$(samples c.data)
[ "$all" -ge 500 ] || fail "only $all samples with --off-cpu-thresh 0"
[ "$few" -lt "$((all / 2))" ] || fail "$few samples of $all with --off-cpu-thresh 5"
