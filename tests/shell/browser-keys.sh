# random keys in the browser, of plain and of hostile recordings: no crash, and nothing odd reaches the terminal
# timeout: 400
. "$PERF_SRC/tests/lib.sh"
need_terminal
need_command python3
"$PERF" version --build-options | grep -q 'ncursesw: \[ on' || skip "perf was built without ncursesw"
own_folder
mkdir plain hostile work
[ -x "$PERF_BUILD/tests/hostile/recordings" ] || skip "tests/hostile/recordings is not built"
"$PERF_BUILD/tests/hostile/recordings" plain >/dev/null
"$PERF_BUILD/tests/hostile/recordings" hostile control >/dev/null
# KEYS=100000 for more; SEED: others
MONKEY_FOLDER=$PWD/work python3 "$PERF_SRC/tests/browser/monkey.py" "${SEED:-1}" "${KEYS:-1600}" "$PERF" \
	hostile/* plain/file plain/pipe "$PERF_SRC"/tests/data/browser/*.data
for f in work/sanitizer.*; do
	[ ! -e "$f" ] || { head -n 40 "$f" && fail "a sanitizer found something"; }
done
