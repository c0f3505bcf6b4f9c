# damaged recordings: cut at random places or with bytes changed, they neither crash report nor take long or much memory
. "$PERF_SRC/tests/lib.sh"

mkdir recordings
"$PERF_BUILD/tests/hostile/recordings" recordings
# Programs with sanitizers take memory of their own.
no_memory=
! grep -q fsanitize "$PERF_BUILD/compile.flags" || no_memory=--no-memory
"$PERF_BUILD/tests/hostile/variants" --cuts 40 --flips 300 $no_memory recordings/* || fail "see above; make check-corpus tries more"
