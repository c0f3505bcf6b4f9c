# perf record -e: the attrs that reach the kernel are those of stock perf, for a table of events
# timeout: 600
. "$PERF_SRC/tests/lib.sh"
own_mounts
few_kernel_names
need_record
need_stock
. "$PERF_SRC/tests/attrs.sh"

record() { # WHO NR PROGRAM TEXT [wrapper...]: leaves NR.WHO.trace and NR.WHO.out
	who_=$1 nr_=$2 program_=$3 text_=$4
	shift 4
	# without build-ids, which stock perf looks for on the whole machine
	"$@" $trace -o "$nr_.$who_.trace" "$program_" record -B -N -o "$nr_.$who_.data" -e "$text_" true >"$nr_.$who_.out" 2>&1 || :
	rm -f "$nr_.$who_.data"
}

different=0
limited=
denied=0
compare() { # NR TEXT: what both opened
	# The kernel lowers the rate by itself on a slow machine, here perhaps between the two programs.
	if grep -h perf_event_max_sample_rate "$1.ours.out" "$1.stock.out" >rate; then
		limited=$(head -n 1 rate)
		return
	fi
	# Where a user may not sample the kernel, ours refuses what only the kernel does; stock records nothing of it.
	if [ "$(id -u)" != 0 ] && grep -q 'Permission denied): kernel.perf_event_paranoid is' "$1.ours.out"; then
		denied=$((denied + 1))
		return
	fi
	attrs "$1.stock.trace" "$2" >stock.attrs
	attrs "$1.ours.trace" "$2" >ours.attrs
	[ -s stock.attrs ] || fail "stock opens nothing for '$2': $(cat "$1.stock.out")"
	cmp -s stock.attrs ours.attrs && return
	different=$((different + 1))
	echo "'$2':"
	diff stock.attrs ours.attrs | head -n 8
	head -n 3 "$1.ours.out"
}
accepted() { # NR TEXT: it reaches the kernel, whatever that says
	case $2 in
	*mem:[!0-9]* | *probe:*) ! grep -q "option '-e'" "$1.ours.out" || fail "'$2' is refused: $(cat "$1.ours.out")" ;;
	*)
		attrs "$1.ours.trace" "$2" >ours.attrs
		[ -s ours.attrs ] || fail "'$2' is refused: $(cat "$1.ours.out")"
		;;
	esac
}

# ---- a machine with PMUs ----
pmu() { # NAME TYPE
	mkdir -p "pmus/$1/format" "pmus/$1/events"
	echo "$2" >"pmus/$1/type"
}
put() { # FILE TEXT
	echo "$2" >"pmus/$1"
}
pmu cpu 4
put cpu/format/event config:0-7
put cpu/format/umask config:8-15
put cpu/format/edge config:18
put cpu/format/any config:21
put cpu/format/ldlat config1:0-15
put cpu/format/offcore_rsp config1:0-63
put cpu/format/split config2:0-3,8,16-19
put cpu/events/cpu-cycles event=0x3c
put cpu/events/instructions event=0xc0
put cpu/events/cache-misses event=0x2e,umask=0x41
put cpu/events/mem-loads event=0xcd,umask=0x1,ldlat=3
put cpu/events/topdown-total-slots event=0x3c,umask=0x0,any=1
put cpu/events/param "event=0x10,umask=?"
for i in 0 1; do
	pmu uncore_imc_$i 2$i
	put uncore_imc_$i/format/event config:0-7
	put uncore_imc_$i/format/umask config:8-15
	put uncore_imc_$i/events/cas_count_read event=0x4,umask=0x3
	pmu uncore_cbox_$i 3$i
	put uncore_cbox_$i/format/event config:0-7
done
pmu power 40
put power/format/event config:0-7
put power/events/energy-pkg event=0x2
put power/events/energy-pkg.scale 2.3283064365386962890625e-10
put power/events/energy-pkg.unit Joules
pmu some_trace 41
put some_trace/format/pt config:0
put some_trace/format/tsc config:10
for p in breakpoint:5 software:1 tracepoint:2; do
	pmu ${p%:*} ${p#*:}
done
cat >other-machine <<'SH'
mount --bind pmus /sys/bus/event_source/devices && exec "$@"
SH
with_pmus() {
	unshare -m sh ./other-machine "$@"
}
pmus=1
[ -d /sys/bus/event_source/devices/software ] && with_pmus true 2>/dev/null || pmus=

[ -d /sys/kernel/tracing/events/sched ] && tracepoints=1 || tracepoints=
nr=0
while read -r where text; do # both programs record; they sleep most of the time, so several at once
	case $where:$text in
	\#* | :) continue ;;
	*sched:* | *syscalls:* | *irq:*) [ "$tracepoints" ] || continue ;;
	*msr/*) [ -d /sys/bus/event_source/devices/msr ] || continue ;;
	*uprobe*) [ -d /sys/bus/event_source/devices/uprobe ] || continue ;;
	pmu*) [ "$pmus" ] || continue ;;
	esac
	nr=$((nr + 1))
	wrapper=
	case $where in
	pmu*) wrapper=with_pmus ;;
	esac
	case $where in
	both | pmu) record stock $nr "$STOCK" "$text" $wrapper & ;;
	esac
	record ours $nr "$PERF" "$text" $wrapper &
	printf '%s %s\n' "$where" "$text" >>wanted
	[ $((nr % 16)) != 0 ] || wait
done <"$PERF_SRC/tests/events.list"
wait
[ "$nr" -ge 150 ] || fail "only $nr events were recorded"

nr=0
while read -r where text; do
	nr=$((nr + 1))
	case $where in
	both | pmu) compare $nr "$text" ;;
	*) accepted $nr "$text" ;;
	esac
done <wanted
[ "$different" = 0 ] || fail "$different of $nr events are opened in another way than by stock"
[ -z "$limited" ] || skip "compared only events of other rates: $limited"
[ "$denied" = 0 ] || skip "compared $((nr - denied)) events; users may not record the others"
[ "$pmus" ] || skip "compared $nr events; those of PMUs need root and unshare"
