# make: a changed header rebuilds each object that includes it, also those of the programs for other suites
. "$PERF_SRC/tests/lib.sh"
need_command make

build() { # MAKE-ARGUMENT...: of objects only, without the library
	env -u MAKEFLAGS make -C "$PERF_SRC" --no-print-directory O="$PWD/built" CC="$CC" CXX="$CXX" CFLAGS=-O0 "$@" $objects \
		>out 2>err || fail "cannot build: $(cat err)"
}
objects= sources=
for f in "$PERF_SRC"/tests/*/*.c; do
	name=${f#"$PERF_SRC"/}
	case $name in tests/unit/* | tests/fuzz/fuzz_*) continue ;; esac
	grep -q '^#include "base/\|^#include "[a-z]*/[a-z_/]*\.h"' "$f" || continue
	objects="$objects $PWD/built/build/${name%.c}.o" sources="$sources $name"
done
case $sources in *tests/diff/calibrate.c*) ;; *) fail "no programs: $sources" ;; esac
build
build
! grep ' CC ' out || fail "the second build compiles again"
# -W FILE: as if the file had changed just now
headers=$(cd "$PERF_SRC" && find util -name '*.h' | sed 's/^/-W /')
build $headers
for s in $sources; do
	grep -q "CC *$s" out || fail "$s is not compiled when a header changed: $(cat out)"
done
