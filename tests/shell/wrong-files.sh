# files that cannot be read or written: what they are, and what to type
. "$PERF_SRC/tests/lib.sh"
need_record

refused() { # "FIRST LINE" "ADVICE" command...: an error that says so
	first=$1 advice=$2
	shift 2
	expect_status 1 "$@"
	expect_empty out
	grep -v '^reading \|^kernel.perf_event_paranoid\|^cycles cannot\|^sampling at' err >rest
	[ "$(cat rest)" = "perf: error: $first${advice:+
$advice}" ] || fail "other than '$first', '$advice': $(cat err)"
}
writes='perf record writes recordings, to perf.data unless -o names another file'

# ---- what is not a recording ----
: >empty.data
refused "'empty.data' is not a perf.data file: it is empty" "$writes" "$PERF" report -i empty.data
head -c 10 "$PERF_SRC/README.md" >short
refused "'short' is not a perf.data file: it ends inside the header" "$writes" "$PERF" report -i short
refused "'$PERF_SRC/README.md' is not a perf.data file: it does not begin with PERFILE2" "$writes" \
	"$PERF" report -i "$PERF_SRC/README.md"
refused "'$PERF' is not a perf.data file: it does not begin with PERFILE2" \
	"it is a program: 'perf record $PERF' records it" "$PERF" report -i "$PERF"
gzip -c "$PERF_SRC/README.md" >packed.gz
refused "'packed.gz' is not a perf.data file: it does not begin with PERFILE2" \
	"it is compressed: unpack it, and name the unpacked file" "$PERF" report -i packed.gz
refused "standard input is not a perf.data file: it is empty" "to read a file, name it" "$PERF" report -i - </dev/null
echo hello >text
status=0
cat text | "$PERF" report >out 2>err || status=$?
[ $status = 1 ] || fail "status $status of a pipe with text"
expect_line err "perf: error: standard input is not a perf.data file: it ends inside the header"
refused "cannot open 'perf.data': No such file or directory" "record something first: perf record COMMAND" "$PERF" report
mkdir folder
refused "'folder' is a folder without a recording: it has no file 'data'" "name a file" "$PERF" report -i folder
"$PERF" record -e cpu-clock:u -o folder/perf.data true 2>err
refused "'folder' is a folder without a recording: it has no file 'data'" "to read the recording in it: -i folder/perf.data" \
	"$PERF" report -i folder

# ---- a file that is being written ----
attach -e cpu-clock:u -o growing.data -- sleep 100
expect_status 0 "$PERF" report -i growing.data --stats
expect_text err "'growing.data' is still being written: this is what it has now"
echo stop >&8
wait $recorder || true
expect_status 0 "$PERF" report -i growing.data --stats
expect_empty err

# ---- where the recording goes ----
record() {
	"$PERF" record -e cpu-clock:u "$@"
}
record true 2>err | cat >piped.data
expect_line err "standard output is a pipe: the recording goes into it; -o FILE writes a file"
"$PERF" report -q -i piped.data >out
for o in "-o -" "-q"; do
	# shellcheck disable=SC2086
	record $o true 2>err | cat >piped.data
	grep 'is a pipe' err && fail "said with $o, too"
done
record -o plain.data true 2>err | cat >out
expect_empty out
grep 'is a pipe' err && fail "said with -o"
refused "cannot write 'no/such/x.data': No such file or directory" \
	"its folder does not exist: create it, or name another file with -o" "$PERF" record -o no/such/x.data true
refused "cannot write '.': Is a directory" "name a file with -o" "$PERF" record -o . true

# ---- other users' ----
need_nobody
"$PERF" record -q -e cpu-clock:u -o "$dir/roots data" true
chmod 600 "$dir/roots data"
mkdir "$dir/closed"
refused "cannot open 'roots data': Permission denied" "it belongs to root; type: sudo chown $(id -un "$nobody_id") 'roots data'" \
	nobody ./perf report -i 'roots data'
refused "cannot open 'roots data': Permission denied" "it belongs to root; type: sudo chown $(id -un "$nobody_id") 'roots data'" \
	nobody ./perf report 'roots data'
nobody ./perf record -q -e cpu-clock:u -o own true
chmod a-r "$dir/own"
refused "cannot open 'own': Permission denied" "type: chmod u+r own" nobody ./perf report -i own
nobody sh -c 'cd closed && ! ../perf record true' >out 2>err
expect_line err "perf: error: cannot write 'perf.data': Permission denied"
expect_line err "name a file that you may write with -o, such as -o ~/perf.data"
if nobody ./perf record -q --threads -e cpu-clock:u -o folder true 2>/dev/null; then
	chown -R root "$dir/folder"
	refused "cannot open 'folder/data': Permission denied" \
		"it belongs to root; type: sudo chown -R $(id -un "$nobody_id") folder" nobody ./perf report -i folder
fi
exit 0
