# perf report: functions of stripped binaries begin and end where those of the binary with symbols do
. "$PERF_SRC/tests/lib.sh"
need_command readelf strip awk "$CC" "$CXX"
export PERF LC_ALL=C
sources=$PERF_SRC/tests/stacks
. "$sources/borders.sh"
build_samples "$CC" "$sources" || fail "samples.c"

right() { # NAME COMMAND...
	"$@" >line || {
		echo "--- $*:" && cat line "$2.err" && head -n 20 "$2.wrong" 2>/dev/null
		fail "the functions of $2 stripped are not those of $2"
	}
	cat line
}

stripped() { # NAME COMPILER ARGUMENT...
	name=$1
	shift
	"$@" -o "$name" || fail "$*"
	strip -o "$name.stripped" "$name"
	right borders "$name" "$name" "$name.stripped"
}

stripped c "$CC" -O2 -pthread "$sources/kinds.c" -lm -ldl
stripped c-static "$CC" -O2 -static -DSTATIC=1 -pthread "$sources/kinds.c" -lm
stripped cxx "$CXX" -O2 -std=c++17 -pthread "$sources/templates.cc" # with exceptions and .cold parts
readelf -sW cxx | grep -q '\.cold' || echo "this compiler makes no cold parts"

# A library that exports one of its functions.
stripped library "$CC" -O2 -shared -fPIC -fvisibility=hidden \
	'-Dmain=__attribute__((visibility("default"))) library_main' -pthread "$sources/kinds.c" -lm -ldl

# What has another place in the file than in memory.
stripped no-pie "$CC" -O1 -no-pie -pthread "$sources/kinds.c" -lm -ldl

# Without made-up names the test must fail.
(
	real=$PERF
	perf_without() { "$real" "$@" --no-made-up-names; }
	PERF=perf_without
	! borders c c c.stripped >line || fail "the comparison sees no difference: $(cat line)"
)

need_record
right real_samples cxx-run cxx cxx.stripped ./cxx 1000
cat >user.c <<'END'
int library_main(int argc, char **argv);
int main(int argc, char **argv) { return library_main(argc, argv); }
END
"$CC" -o user user.c ./library
right real_samples library-run library library.stripped ./user deep 500
