# the pictures of the browser and of the page in Documentation/pictures are of what this perf shows
# timeout: 180
. "$PERF_SRC/tests/lib.sh"
need_terminal
need_command python3 tmux sha256sum
"$PERF" version --build-options >libraries
for library in ncursesw capstone zstd libiberty; do
	grep -q "^ *$library: \[ on" libraries || skip "perf was built without $library"
done
own_folder
pictures=$PERF_SRC/Documentation/pictures
python3 "$PERF_SRC/tools/make-pictures" "$PERF" new
for f in new/*.svg; do
	cmp "$f" "$pictures/$(basename "$f")" ||
		fail "$(basename "$f") is older than what it shows: tools/make-pictures PERF Documentation/pictures"
done

# Chromium's versions draw differently, so compare what was drawn, and that it is the picture of that.
grep page.html new/page.sha256 >page
grep -qxFf page "$pictures/page.sha256" ||
	fail "page.png is older than the page (web/, util/export/html.c): tools/make-pictures PERF Documentation/pictures"
grep page.png "$pictures/page.sha256" >picture || fail "page.sha256 was written without Chromium"
(cd "$pictures" && sha256sum -c "$OLDPWD/picture") || fail "page.png is not the picture that page.sha256 was written with"
