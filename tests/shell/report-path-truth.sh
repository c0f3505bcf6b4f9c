# report --blocked-by and --critical-path, against programs that write down the truth (tests/locks): what holders of locks did, also
# of those that wait for another lock meanwhile, and which part of the path each thread and process has
# serial: compares times
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc python3
spans=$PERF_BUILD/tests/locks/spans
[ -x "$spans" ] || skip "tests/locks/spans is not built"
need_wakings
hides_kernel && skip "kernel addresses are hidden, and with them what tells locks from other waits"
locks=$PERF_SRC/tests/locks
flags="-g -O2 -fno-optimize-sibling-calls -pthread"
# shellcheck disable=SC2086
{
	$CC $flags -o waits "$locks/locks.c" "$locks/steps.c" "$locks/library.c"
	$CC $flags -o phases "$locks/phases.c"
}

judge() { # WHAT ARGUMENT...
	python3 "$locks/judge.py" "$@" >out 2>&1 || { cat out && fail "$*: see the lines above"; }
}

path() { # OPTION...: report --critical-path of w.data in report.json
	"$PERF" report --critical-path -g none --json --percent-limit 0 "$@" -i w.data >report.json 2>err || fail "report: $(cat err)"
}

for case in mutex rwlock; do
	expect_status 0 "$PERF" record -k mono -g --off-cpu=locks -o w.data ./waits $case truth 10
	"$spans" w.data >spans
	"$PERF" report --blocked-by --children -g none -s comm,sym --json --percent-limit 0 -i w.data >report.json 2>err ||
		fail "report: $(cat err)"
	judge blocked truth spans report.json
done

expect_status 0 "$PERF" record -k mono -g --off-cpu=locks -o w.data ./phases
mv out parts
path --no-children -s comm
judge parts parts report.json
