# perf record -g: whole call chains on stacks of many kinds (the bed of make check-stacks, as far as cc can build it)
# timeout: 240
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
case $(uname -m) in x86_64 | aarch64) ;; *) skip "stacks of $(uname -m) are not unwound" ;; esac
flags="-O2 -fomit-frame-pointer -fno-optimize-sibling-calls -pthread"
cc $flags -shared -fPIC -o libplugin.so "$PERF_SRC/tests/stacks/plugin.c"
cc $flags -o kinds "$PERF_SRC/tests/stacks/kinds.c" -lm -ldl
# Static programs have PLT stubs without CFI, stripped ones no .debug_frame.
cc $flags -static -DSTATIC=1 -o static "$PERF_SRC/tests/stacks/kinds.c" -lm 2>/dev/null || echo "no static C library" >&2
cc $flags -s -Wl,-z,lazy -o stripped "$PERF_SRC/tests/stacks/kinds.c" -lm -ldl

# complete PROGRAM KIND LEAST: per cent of the chains that must reach the outermost frame, by the recorder's own count; names must agree
complete() {
	for ms in 150 1000 4000; do # on a busy machine for longer: of 25 chains, one would be too many
		"$PERF" record -g --call-graph auto,32768 -e cpu-clock:u -F 4000 -o "$1.$2.data" "./$1" "$2" $ms >out 2>&1 ||
			{ cat out; fail "$1 $2 cannot be recorded"; }
		"$PERF" report --stack-stats -i "$1.$2.data" >stats 2>&1
		[ "$(sed -n 's/^Call chains: \([0-9]*\) .*/\1/p' stats | grep . || echo 0)" -lt 100 ] || break
	done
	share=$(whole_chains stats)
	awk -v share="${share:-0}" -v least="$3" 'BEGIN { exit share < least }' ||
		{ cat stats; fail "$1 $2: ${share:-no}% of the chains are whole, expected $3%"; }
	"$PERF" report --stdio --no-made-up-names --percent-limit 0 -g folded,0.0,caller --no-children -i "$1.$2.data" 2>/dev/null |
		awk '/^[0-9.]+%/ { all += $1; if ($2 ~ /^(_start|_dl_start_user|__clone|clone3|clone|__clone3|thread_start|__GI___clone|0x[0-9a-f]+)(;|$)/) n += $1 }
			END { exit !(all && n >= 0.98 * all) }' || fail "$1 $2: chains begin elsewhere than at the outermost frame"
}

for kind in threads signals altstack raises faults jumps forks execs vforks clocks strings stubs prints allocates opens; do
	complete kinds $kind 98
done
complete kinds deep 80 # frames of 30 KiB: what comes before the first whole chain is cut
for kind in signals strings stubs prints; do
	complete stripped $kind 98
	[ ! -x static ] || complete static $kind 98
done
