# perf record --call-graph: each way to record chains is refused where it cannot be had, and stated in header and report
. "$PERF_SRC/tests/lib.sh"
need_record
case $(uname -m) in x86_64 | aarch64) ;; *) skip "stacks of $(uname -m) are not unwound" ;; esac

# mode OPTION HEADER REPORT
mode() {
	expect_status 0 "$PERF" record -e cpu-clock "$1" -o a.data sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done'
	"$PERF" report --header-only -i a.data >header
	expect_text header "# call chains: mode $2"
	"$PERF" report --stdio -i a.data >report 2>err
	expect_text report "# Call chains: "
	expect_text report "$3"
}

mode --call-graph=fp fp "recorded along frame pointers (--call-graph fp)"
mode --call-graph=dwarf dwarf "bytes of stack now"
mode -g auto "bytes of stack while recording"
mode --call-graph=auto,4096 auto "bytes of stack while recording" # 4096, or fewer if less is needed

expect_status 0 "$PERF" record -e cpu-clock -o a.data true
"$PERF" report --header-only -i a.data >header
if grep -q "call chains" header; then fail "there are none"; fi

# No software event has a branch stack; of others it depends on the processor.
expect_status 1 "$PERF" record -e cpu-clock --call-graph lbr -o a.data true
expect_text err "cannot record branch stacks with 'cpu-clock'"
expect_text err "--call-graph auto records whole call chains without them"
"$PERF" record --call-graph lbr -o a.data true >out 2>err || expect_text err "--call-graph auto records whole call chains"

# Where the default event has none, the message is about this event, not about a clock that nobody asked for.
for option in -b "-j any" "-b -e cycles" "--call-graph lbr"; do
	# shellcheck disable=SC2086
	"$PERF" record $option -o a.data true >out 2>err && continue
	expect_text err "cannot record branch stacks with 'cycles"
	if grep -q "cpu-clock" err; then fail "$option: $(cat err)"; fi
done
