# the programs of make check-fuzz compile, which make check does not build
. "$PERF_SRC/tests/lib.sh"
cc=${CC:-cc}
need_command "${cc%% *}"
nr=0
for f in "$PERF_SRC"/tests/fuzz/*.c; do
	# shellcheck disable=SC2086
	$cc -fsyntax-only -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I"$PERF_SRC/util" -I"$PERF_SRC" "$f" 2>err ||
		fail "${f##*/}: $(grep -m 3 error err)"
	nr=$((nr + 1))
done
[ $nr -gt 10 ] || fail "only $nr programs"
