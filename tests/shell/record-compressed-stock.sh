# perf record -z: stock perf reads the files and the streams, and finds the same in them
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record
may_record -a -e cpu-clock || skip "cannot record all processes here: $(head -n 1 probe.out)"
need_stock
"$PERF" version --build-options | grep -q 'on .*HAVE_LIBZSTD' || skip "this perf was built without libzstd"
"$STOCK" version --build-options 2>/dev/null | grep -q 'zstd: \[ on' || skip "the installed perf knows no zstd"

own_folder
program ramp progs/ramp -O1 -pthread

# Headings, and code that other tests' programs make as they run (-a): stock perf does not read jitdumps here.
left_out='^#\|^$\|\[JIT\] tid\|jit-[0-9]*\.dump\|[0-9]:java\|[0-9]:node'

rows() { # PERF FILE
	"$1" report --stdio --no-inline -n -g none --no-children -s pid,dso -i "$2" 2>report.err | grep -v "$left_out" || :
}

same_rows() { # what FILE
	rows "$STOCK" "$2" >theirs
	if grep -Eiq 'error|decompress' report.err; then fail "$1: stock perf cannot read it: $(cat report.err)"; fi
	rows "$PERF" "$2" >ours
	[ -s ours ] || fail "$1: no rows"
	cmp -s ours theirs || fail "$1: $(diff ours theirs)"
}

# Version, type and level of the COMPRESSED section, in hexadecimal. Others refuse a version that they do not know.
compression() { # FILE
	# shellcheck disable=SC2046
	set -- "$1" $(od -An -tu8 -j40 -N16 "$1") $(od -An -tu4 -j72 -N4 "$1")
	bits=$(($4 & (1 << 27) - 1)) entry=$(($2 + $3)) # of the features in front of it, number 27
	while [ $bits -gt 0 ]; do
		entry=$((entry + 16 * (bits & 1))) bits=$((bits >> 1))
	done
	# shellcheck disable=SC2046
	set -- "$1" $(od -An -tu8 -j$entry -N8 "$1")
	od -An -tx4 -j"$2" -N12 "$1"
}
"$PERF" record -q -z -e cpu-clock -o z.data true
"$STOCK" record -q -z -e cpu-clock -o theirs.data true >/dev/null 2>&1
compression z.data >ours
compression theirs.data >theirs
cmp -s ours theirs || fail "the COMPRESSED section is$(cat ours), that of stock perf$(cat theirs)"

for o in "" "--call-graph fp" "-g" "-a" "--compression-level=22"; do
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" record -z $o -F 5000 -e cpu-clock -o z.data sh -c './ramp 3000 0; ./ramp 100000 0'
	same_rows "$o" z.data
	"$STOCK" report --header-only -i z.data 2>/dev/null | grep -q 'compressed : Zstd' || fail "$o: stock perf sees no compression"
done
"$PERF" record -z --call-graph fp -e cpu-clock -o - ./ramp 50000 0 2>err >p.data || fail "no stream: $(cat err)"
"$STOCK" report --stdio -n -g none --no-children -s pid,dso -i - <p.data 2>/dev/null |
	grep -v "$left_out" >theirs || :
rows "$PERF" p.data >ours
[ -s ours ] || fail "no rows of the stream"
cmp -s ours theirs || fail "stream: $(diff ours theirs)"

# ---- large enough for several frames of the stream ----
"$PERF" record -q -z -m 4M -e page-faults:u -c 1 -d --call-graph dwarf,8192 -o large.data ./ramp 60000 0 2>err ||
	fail "not recorded: $(cat err)"
frames=$(LC_ALL=C grep -aoP '\x28\xb5\x2f\xfd' large.data | wc -l)
[ "$frames" -gt 1 ] || fail "$(wc -c <large.data) bytes in one frame"
"$STOCK" script -F addr -G -i large.data 2>script.err | sed -n 's/^ *\([0-9a-f]*\)000 *$/0x\1/p' >theirs || :
"$PERF" script -F addr -G -i large.data 2>/dev/null | sed -n 's/^ *\([0-9a-f]*\)000 *$/0x\1/p' >ours
[ "$(wc -l <ours)" -ge 1000 ] || fail "$(wc -l <ours) of 60000 pages" # a slow recorder loses many
cmp -s ours theirs || fail "stock perf reads other pages: $(cat script.err; diff ours theirs | head)"
