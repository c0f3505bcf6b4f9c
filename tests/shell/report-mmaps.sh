# report --mmaps: a mapping has its file's inode, or the build-id that was recorded instead
. "$PERF_SRC/tests/lib.sh"

true=$(readlink -f "$(command -v true)")
id=$(readelf -n "$true" 2>/dev/null | sed -n 's/.*Build ID: *//p')
[ -n "$id" ] || skip "no readelf, or $true has no build-id"
mapped_as() { # WORD RECORD-OPTION...
	want=$1
	shift
	"$PERF" record "$@" -o m.data -e cpu-clock -- "$true" 2>/dev/null || skip "cannot record"
	"$PERF" report --mmaps -i m.data >out
	grep -q "r-xp [0-9a-f]* $want $true\$" out || fail "record $*: no $want: $(cat out)"
}
mapped_as "$(stat -c %i "$true")"
mapped_as "$id" --buildid-mmap
