# numbers on the screens of the browser are those of the text report: twelve kinds of recordings
# timeout: 400
. "$PERF_SRC/tests/lib.sh"
need_record
need_terminal
need_command cc python3 tmux
"$PERF" version --build-options | grep -q 'ncursesw: \[ on' || skip "perf was built without ncursesw"
CC=cc
. "$PERF_SRC/tests/viewers/agree.sh"
own_folder
record_twelve .
[ "$(wc -l <recordings)" -ge 5 ] || fail "only $(wc -l <recordings) recordings"
# shellcheck disable=SC2046
python3 "$PERF_SRC/tests/browser/same_numbers.py" "$PERF" $(cat recordings)
