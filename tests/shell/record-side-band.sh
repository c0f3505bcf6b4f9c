# perf record: options for more in samples and beside them; all perfs read it alike
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record
spin='i=0; while [ $i -lt 10000 ]; do i=$((i + 1)); done; sleep 0.01; sh -c :'
stock=$(command -v perf) && [ "$(readlink -f "$stock")" != "$(readlink -f "$PERF")" ] || stock=
"$PERF" record -o probe.data -e cpu-clock -a true >probe 2>&1 && all=-a || all=

stock() { # OPTION...: stock's output in the file theirs; 6.1 aborts now and then
	for try_ in 1 2 3 4 5; do
		"$stock" "$@" 2>err | sed 's|/tmp/perf-vdso.*|[vdso]|' >theirs
		! grep -iq 'abort\|assertion\|corrupt\|smashing\|overflow' err || continue
		[ ! -s theirs ] || return 0
	done
	fail "stock perf fails at $*: $(cat err)"
}
count() { # NAME of records
	"$PERF" report --stats -i o.data 2>/dev/null | awk -v n="$1" '$1 == n { print $3; f = 1; exit } END { if (!f) print 0 }'
}
record() { # OPTION...
	# Stock prints records by rounds, and so in another order now and then: a difference counts when it comes twice.
	for try in 1 2; do
		rm -f o.data
		expect_status 0 "$PERF" record -q -o o.data -e cpu-clock "$@" sh -c "$spin"
		"$PERF" report -D -i o.data >ours
		grep -q PERF_RECORD_SAMPLE ours || fail "no samples with $*"
		[ "$stock" ] || return 0
		stock report -D -i o.data
		# With -a there may be other tests' compilers of code: ours names the file that has the code.
		sed -i 's,dso: .*/\(perf\|jit\)-[0-9]*\.\(map\|dump\)$,dso: jit,' ours theirs
		cmp theirs ours || { [ $try = 1 ] && continue; } || fail "stock has another dump of $*: $(diff theirs ours | head -n 20)"
		break
	done
	stock report --stats -i o.data
	"$PERF" report --stats -i o.data >ours2
	cmp theirs ours2 || fail "stock has other counts of $*"
}

record --switch-events
[ "$(count SWITCH)" -ge 2 ] || fail "no switches: $(count SWITCH)"
if may_record --namespaces; then
	record --namespaces
	[ "$(count NAMESPACES)" -ge 2 ] || fail "no namespaces: $(count NAMESPACES)" # of the command, and of its child
	expect_text ours "nr_namespaces: 7"
	inode=$(stat -L -c %i /proc/self/ns/pid)
	expect_text ours "3/pid: $(stat -L -c %d /proc/self/ns/pid)/$(printf '%#x' "$inode")"
fi
record -W --transaction -d --code-page-size --data-page-size --sample-cpu --sample-identifier
expect_text ours "weight: "
record -s --running-time
record --user-regs=ip,sp --call-graph fp
expect_text ours "user regs: mask "
if [ "$(uname -m)" = x86_64 ]; then
	expect_text ours "user regs: mask 0x180"
	record -I --user-regs
	expect_text ours ".... R15 "
	record -g -I # unwound here, with other fields behind the stack copies
	expect_text ours "intr regs: mask 0xff0fff"
	expect_status 0 "$PERF" record -I?
	expect_text out "AX BX CX DX SI DI BP SP IP FLAGS CS SS R8 R9 R10 R11 R12 R13 R14 R15"
	expect_status 129 "$PERF" record --user-regs=ip,foo true
	expect_text err "unknown register 'foo'"
fi
record --all-user
[ -z "$(grep 'PERF_RECORD_SAMPLE(IP, 0x1)' ours)" ] || fail "samples of the kernel with --all-user"

if [ "$all" ]; then
	record -a --switch-events
	[ "$(count SWITCH_CPU_WIDE)" -ge 2 ] || fail "no switches with -a"
	if may_record -a --namespaces; then
		record -a --namespaces
		grep -q "PERF_RECORD_NAMESPACES $$/$$ " ours || fail "the namespaces of process $$ are not known"
	fi
	record -a --synth=no
	if grep -q "COMM: sh:$$/$$" ours; then fail "tasks are described with --synth=no"; fi
	record -a --synth=task
	grep -q "COMM: .*:$$/$$" ours || fail "no name of process $$ with --synth=task"
	if grep -q "MMAP2 $$/$$" ours; then fail "maps are described with --synth=task"; fi
fi
if "$PERF" record -o o.data -e cpu-clock --all-cgroups true >out 2>&1; then
	record --all-cgroups
	[ "$(count CGROUP)" -ge 1 ] || fail "no cgroups"
	expect_text ours " /"
	record --all-cgroups --synth=task
	[ "$(count CGROUP)" = 0 ] || fail "cgroups with --synth=task"
fi

# What cannot be had says so
expect_status 129 "$PERF" record -S true
expect_text err "AUX areas (Intel PT, ARM SPE and others) are not supported"
expect_status 129 "$PERF" record --aux-sample=100 true
expect_status 129 "$PERF" record --synth=foo true
expect_text err "unknown part 'foo'"
expect_status 129 "$PERF" record -j any,foo true
expect_text err "unknown branch kind 'foo'"
rm -f o.data
expect_status 0 "$PERF" record --dry-run -o o.data sh -c 'echo ran'
expect_empty out
[ ! -e o.data ] || fail "--dry-run records"
expect_status 129 "$PERF" record --dry-run -e foo true
expect_status 129 "$PERF" record --strict-freq -F 99999999 true
expect_text err "more than the"
if ! "$PERF" record -q -o o.data -e cpu-clock -b true 2>err; then
	grep -q "branch" err || fail "-b: $(cat err)"
fi
exit 0
