# random keys in the browsers of report and diff, of plain and of hostile recordings: no crash, and nothing odd reaches the terminal
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
monkey() { # COMMAND RECORDING...
	MONKEY_FOLDER=$PWD/work python3 "$PERF_SRC/tests/browser/monkey.py" "${SEED:-1}" "${KEYS:-1600}" "$PERF" "$@"
}
data=$PERF_SRC/tests/data
monkey report hostile/* plain/file plain/pipe "$data"/browser/*.data
monkey diff hostile/* plain/file "$data/browser/shapes.data" "$data/compare/old.data,$data/compare/new.data"
for f in work/sanitizer.*; do
	[ ! -e "$f" ] || { head -n 40 "$f" && fail "a sanitizer found something"; }
done
