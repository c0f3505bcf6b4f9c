# twelve kinds of recordings have the same weights, and the same largest functions, in every format
# timeout: 400
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc python3
CC=cc
. "$PERF_SRC/tests/viewers/agree.sh"
own_folder
record_twelve .
command -v go >/dev/null || echo "go is not installed: pprof is not read"
"$PERF" --list-cmds | grep -qw script || echo "there is no perf script"
[ "$(wc -l <recordings)" -ge 5 ] || fail "only $(wc -l <recordings) recordings"
# shellcheck disable=SC2046
python3 "$PERF_SRC/tests/viewers/agree.py" "$PERF" $(cat recordings)

# Leaves of LBR call chains have the line that was sampled, not that of the function's beginning.
if [ -f lbr.data ]; then
	for f in frames lbr; do
		"$PERF" export -i $f.data --format jsonl 2>/dev/null | sed 's/.*"stack":\["\([^"]*\)".*"line":\["\([^"]*\)".*/\1 \2/' >$f.leaves
	done
	grep -q '^leaf .*stacks.c:[0-9]' lbr.leaves || fail "leaves have no lines: $(head -n 3 lbr.leaves)"
	cmp frames.leaves lbr.leaves || fail "other leaves: $(diff frames.leaves lbr.leaves | head)"
fi
