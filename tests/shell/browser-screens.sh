# the browser of report: screens after keys, on terminals of several sizes (tests/browser/*.txt)
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
. "$PERF_SRC/tests/browser/screens.sh"
run_files report browser "$PERF_SRC"/tests/browser/*.txt
[ $nr -gt 10 ] || [ -n "${UPDATE:-}" ] || fail "only $nr files with screens"
