# perf record -z: stock perf reads the files and the streams, and finds the same in them
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record
need_stock
"$PERF" version --build-options | grep -q 'zstd.*on' || skip "this perf was built without libzstd"
"$STOCK" version --build-options 2>/dev/null | grep -q 'zstd: \[ on' || skip "the installed perf knows no zstd"

own_folder
"$CC" -O1 -o ramp "$PERF_SRC/tests/progs/ramp.c" -pthread

rows() { # PERF FILE
	"$1" report --stdio --no-inline -n -g none --no-children -s pid,dso -i "$2" 2>report.err | grep -v '^#\|^$' || :
}

same_rows() { # what FILE
	rows "$STOCK" "$2" >theirs
	if grep -Eiq 'error|decompress' report.err; then fail "$1: stock perf cannot read it: $(cat report.err)"; fi
	rows "$PERF" "$2" >ours
	[ -s ours ] || fail "$1: no rows"
	cmp -s ours theirs || fail "$1: $(diff ours theirs)"
}

for o in "" "--call-graph fp" "-g" "-a" "--compression-level=22"; do
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" record -z $o -F 5000 -e cpu-clock -o z.data sh -c './ramp 3000 0; ./ramp 100000 0'
	same_rows "$o" z.data
	"$STOCK" report --header-only -i z.data 2>/dev/null | grep -q 'compressed : Zstd' || fail "$o: stock perf sees no compression"
done
"$PERF" record -z --call-graph fp -e cpu-clock -o - ./ramp 50000 0 2>err >p.data || fail "no stream: $(cat err)"
"$STOCK" report --stdio -n -g none --no-children -s pid,dso -i - <p.data 2>/dev/null |
	grep -v "^#\|^$" >theirs || :
rows "$PERF" p.data >ours
[ -s ours ] || fail "no rows of the stream"
cmp -s ours theirs || fail "stream: $(diff ours theirs)"
