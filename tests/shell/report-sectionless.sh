# perf report: binaries without section headers have the names and call chains of stripped ones
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc strip readelf

cat >lib.c <<'EOF'
volatile unsigned long x;
static __attribute__((noinline)) void local_in_library(long n) { for (long i = 0; i < n; i++) x += i; x++; }
__attribute__((noinline)) void exported(long n) { local_in_library(n); x++; }
EOF
cat >main.c <<'EOF'
void exported(long n);
volatile unsigned long y;
static __attribute__((noinline)) void local(long n) { for (long i = 0; i < n; i++) y += i; exported(n); y++; }
static __attribute__((noinline)) void caller(long n) { local(n); y++; }
int main(void) { for (int i = 0; i < 20; i++) caller(3000000); return 0; }
EOF
HOME=$PWD/home
export HOME

# The fields of the header: e_shoff, e_shnum, e_shstrndx of 64-bit files.
zero() { # FILE OFFSET SIZE
	dd if=/dev/zero of="$1" bs=1 seek="$2" count="$3" conv=notrunc 2>dd.err || fail "dd: $(cat dd.err)"
}
headers_at() { readelf -h "$1" | awk '/Start of section headers/ { print $5 }'; }
make() { # HOW FILE
	case $1 in
	no-offset) zero "$2" 40 8 ;;
	no-number) zero "$2" 60 2 && zero "$2" 40 8 ;;
	sstrip)
		size=$(headers_at "$2")
		zero "$2" 40 8 && zero "$2" 60 4 && truncate -s "$size" "$2"
		;;
	cut-off) truncate -s "$(headers_at "$2")" "$2" ;;
	llvm-objcopy)
		command -v llvm-objcopy >which.out 2>&1 || return 1
		llvm-objcopy --strip-sections "$2" "$2.new" && mv "$2.new" "$2"
		;;
	esac
}
rows() { # REPORT OPTION...: names and chains, without shares
	"$PERF" report --stdio --no-children -g caller,0.5,callee --percent-limit 2 -s dso,sym "$@" 2>err |
		grep -v '^#' | tr -d '|-' | sed 's/[0-9.]*%//g; s/^ *//; s/ *$//' | grep . || fail "no rows: $(cat err)"
}

for hash in sysv gnu; do
	for link in -pie -no-pie; do
		rm -rf prog libx.so stripped
		gcc -O1 -fPIC -shared -Wl,--hash-style=$hash -o libx.so lib.c
		gcc -O1 $link -Wl,--hash-style=$hash -o prog main.c ./libx.so
		strip prog libx.so
		# Stack copies: chains need the binaries, too.
		"$PERF" record -q --no-embed --call-graph dwarf,2048 -e cpu-clock:u -F 500 -o d.data ./prog 2>err
		mkdir -p "stripped$PWD"
		cp prog libx.so "stripped$PWD"
		cp -r --parents $(ldd ./prog | sed -n 's/.*=> \(\/[^ ]*libc[^ ]*\) .*/\1/p') stripped
		rows -i d.data --symfs stripped >want
		grep -q 'prog@0x' want || fail "no made-up name: $(cat want)"
		grep -q '^exported$' want || fail "no exported name: $(cat want)"
		grep -q '^main$' want || fail "no main: $(cat want)"
		for how in no-offset no-number sstrip cut-off llvm-objcopy; do
			rm -rf root
			cp -r stripped root
			make $how "root$PWD/prog" || continue
			make $how "root$PWD/libx.so"
			rows -i d.data --symfs root >got
			cmp -s want got || { diff want got && fail "$hash $link $how: other names or chains"; }
		done
	done
done

# Recorded without section headers: as chains are made while recording.
make sstrip prog
make sstrip libx.so
"$PERF" record -q -g -e cpu-clock:u -F 500 -o s.data ./prog 2>err
rows -i s.data >got
grep -q '^exported$' got || fail "no exported name: $(cat got)"
grep -q '^main$' got || fail "no chain to main: $(cat got)"
expect_status 0 "$PERF" annotate --stdio -i s.data
expect_text out "prog@0x"
