# perf record -z: the same recording in less room, readable as far as it was written
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record
"$PERF" version --build-options | grep -q 'on .*HAVE_LIBZSTD' || skip "this perf was built without libzstd"

program ramp progs/ramp -O1 -pthread

pages() { # FILE: the pages that ramp touched, in order
	"$PERF" report -D -i "$1" 2>/dev/null | sed -n 's/^.*PERF_RECORD_SAMPLE.* addr: \(0x[0-9a-f]*\)000$/\1/p'
}

kinds() { # FILE: how many records are compressed
	"$PERF" report --stats -i "$1" 2>/dev/null | sed -n 's/^ *COMPRESSED events: *\([0-9]*\).*/\1/p' | head -n 1
}

# ---- every record is there, whatever the level and the kind of recording ----
for o in "-z" "-z22" "--compression-level=5" "-z --call-graph fp" "-z -g -m 32M" "-z -a" "-z --overwrite -m 8M"; do
	rm -f z.data
	case $o in *-a*) may_record -a -e page-faults:u || continue ;; esac
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" record -m 4M $o -e page-faults:u -c 1 -d -o z.data ./ramp 5000 0
	grep -q 'compressed (original [0-9.]* MB, ratio is [0-9.]*)' err || fail "$o: no ratio is told: $(cat err)"
	[ "$(kinds z.data)" -gt 0 ] || fail "$o: nothing is compressed"
	pages z.data | sort -u >got
	# A user's rings may have to be small.
	[ "$(wc -l <got)" -ge 5000 ] || grep -q 'ring buffers are .* instead of' err || fail "$o: $(wc -l <got) of 5000 pages: $(cat err)"
	"$PERF" report --header-only -i z.data >header
	grep -q '^# compressed : Zstd, level = [0-9]*, ratio = [1-9]' header || fail "$o: the header says: $(grep compr header)"
done

# ---- off ----
for o in "-z0" "-z --no-compression-level"; do
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" record $o -e cpu-clock -o n.data true
	[ -z "$(kinds n.data)" ] || fail "$o: compressed"
	if grep -q compressed err; then fail "$o: $(cat err)"; fi
done
expect_status 129 "$PERF" record -zz -e cpu-clock -o n.data true
expect_text err "'z' is not a compression level: 1 (fast) to 22 (small), or 0 for none"

# ---- a stream ----
"$PERF" record -z -m 4M -e page-faults:u -c 1 -d -o - ./ramp 5000 0 2>err | cat >p.data
[ "$(kinds p.data)" -gt 0 ] || fail "the stream is not compressed: $(cat err)"
[ "$(pages p.data | sort -u | wc -l)" -ge 5000 ] || fail "pages are missing in the stream"

# ---- a row of files, each with a stream of its own ----
expect_status 0 "$PERF" record -z --switch-output -m 4M -e page-faults:u -c 1 -d -o s.data sh -c \
	'./ramp 20000 0 & for i in 1 2 3; do kill -USR2 $PPID; sleep 0.05; done; wait'
for f in s.data.2*; do
	[ "$(kinds "$f")" -gt 0 ] || fail "$f is not compressed"
	pages "$f"
done | sort -u >got
[ "$(wc -l <got)" -ge 20000 ] || fail "$(wc -l <got) of 20000 pages in the row of files: $(cat err)"

# ---- the size that --max-size means is the file's ----
expect_status 143 "$PERF" record -z --max-size 40K -m 64 -e page-faults:u -c 1 -d -o m.data ./ramp 200000 0
expect_text err "perf size limit reached"
size=$(stat -c %s m.data)
[ "$size" -gt 40000 ] || fail "ended at $size bytes of 40K"

# ---- cut anywhere: what was in the pieces before ----
"$PERF" record -z --no-embed -m 16 -e page-faults:u -c 1 -d -o c.data ./ramp 20000 0 2>err
size=$(stat -c %s c.data) last=0
for part in 3 5 7 9; do
	head -c $((size * part / 10)) c.data >cut.data
	pages cut.data >got || :
	[ "$(wc -l <got)" -gt "$last" ] || fail "$(wc -l <got) pages in $part tenths of the file, after $last in fewer"
	last=$(wc -l <got)
done
