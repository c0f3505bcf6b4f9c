# damaged recordings: cut at random places or with bytes changed, they neither crash report nor take long or much memory
# timeout: 300
. "$PERF_SRC/tests/lib.sh"

mkdir recordings
"$PERF_BUILD/tests/hostile/recordings" recordings
options='--cuts 40 --flips 300'
# Programs with sanitizers take memory of their own, and much time to start.
! grep -q fsanitize "$PERF_BUILD/compile.flags" || options='--cuts 10 --flips 100 --no-memory'
# shellcheck disable=SC2086
"$PERF_BUILD/tests/hostile/variants" $options recordings/* || fail "see above; make check-corpus tries more"
