# the option parser as commands use it: abbreviations, negation, errors of one line
. "$PERF_SRC/tests/lib.sh"

expect_status 0 "$PERF" version --build
expect_text out "HAVE_LIBELF"
expect_status 0 "$PERF" version --build-options --no-build-options
expect_lines out 1
expect_status 129 "$PERF" version --build-options=3
expect_line err "perf: error: option '--build-options' takes no value"
expect_status 129 "$PERF" version -x
expect_line err "perf: error: unknown option '-x'"
expect_status 129 "$PERF" version -build-options
expect_line err "perf: error: unknown option '-build-options'; did you mean '--build-options' (two dashes)?"
# hostile names do not reach the terminal as they are
expect_status 129 "$PERF" version "--$(printf '\033[31m')"
expect_lines err 2
if grep -q "$(printf '\033')" err; then fail "an escape character was printed"; fi
