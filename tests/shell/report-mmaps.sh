# report --mmaps: a mapping has its file's inode, or the build-id that was recorded instead
. "$PERF_SRC/tests/lib.sh"

program=$(readlink -f "$(command -v id)")
build_id=$(readelf -n "$program" 2>/dev/null | sed -n 's/.*Build ID: *//p')
[ -n "$build_id" ] || skip "no readelf, or $program has no build-id"
mapped_as() { # WORD RECORD-OPTION...
	want=$1
	shift
	"$PERF" record "$@" -o m.data -e cpu-clock -- "$program" 2>/dev/null || skip "cannot record"
	"$PERF" report --mmaps -i m.data >out
	grep -q "r-xp [0-9a-f]* $want $program\$" out || fail "record $*: no $want: $(cat out)"
}
mapped_as "$(stat -c %i "$program")" -B
mapped_as "$build_id"
mapped_as "$build_id" --buildid-mmap
