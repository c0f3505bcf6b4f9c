# the pictures of the browser in Documentation/pictures are what this perf shows
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_terminal
need_command python3 tmux
"$PERF" version --build-options | grep -q 'ncursesw: \[ on' || skip "perf was built without ncursesw"
"$PERF" version --build-options | grep -q 'on .*HAVE_CAPSTONE' || skip "perf was built without libcapstone"
own_folder
python3 "$PERF_SRC/tools/make-pictures" "$PERF" new
for f in new/*.svg; do
	cmp "$f" "$PERF_SRC/Documentation/pictures/$(basename "$f")" ||
		fail "$(basename "$f") is older than what it shows: tools/make-pictures PERF Documentation/pictures"
done
