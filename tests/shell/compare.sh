# tests/compare: a build is like itself, and what another one prints otherwise is found
. "$PERF_SRC/tests/lib.sh"
need_record

"$PERF" record -q -e cpu-clock -F 500 -g -o a.data -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
mkdir folder
cp a.data folder/b.data
echo "this is not a recording" >folder/c
expect_status 0 sh "$PERF_SRC/tests/compare" "$PERF" "$PERF" a.data folder
expect_line out "2 passed, 0 failed, 0 skipped"
expect_lines out 1

cat >other <<END
#!/bin/sh
"$PERF" "\$@" >printed
status=\$?
sed 's/SAMPLE events/sample events/' printed
exit \$status
END
chmod +x other
COMPARE_KEEP=kept expect_status 1 sh "$PERF_SRC/tests/compare" "$PERF" "$PWD/other" folder
expect_line out "0 passed, 1 failed, 0 skipped"
expect_text out "FAIL  folder/b.data: report --stats: line "
expect_text out "sample events"
[ -s kept/1.old ] || fail "COMPARE_KEEP has no outputs"
