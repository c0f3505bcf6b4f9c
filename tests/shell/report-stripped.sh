# perf report: functions of stripped programs and libraries have made-up names, which real ones replace
# timeout: 180
. "$PERF_SRC/tests/lib.sh"
need_record
need_command strip nm objcopy readelf

cat >lib.c <<'EOF'
static volatile unsigned long sum;
#define BUSY(n) do { for (unsigned long i = 0; i < (n); i++) sum += i; } while (0)
/* The symbol has no size: the static function after it must not get its name. */
__asm__(".text\n.globl sizeless\nsizeless:\n\t.byte 0x90, 0x90, 0x90, 0x90\n");
static __attribute__((noinline)) void inner(void) { BUSY(60000000); }
void api(void) { inner(); BUSY(20000000); }
EOF
cat >prog.c <<'EOF'
void api(void);
static volatile unsigned long sum;
static __attribute__((noinline)) void hot(void) { for (unsigned long i = 0; i < 60000000; i++) sum += i; }
static __attribute__((noinline)) void caller(void) { hot(); sum++; }
int main(void) { caller(); api(); sum++; return 0; }
EOF
HOME=$PWD/home
export HOME
mkdir full
build() { # FILE OPTION...
	file=$1
	shift
	"${CC:-cc}" -O1 -fno-toplevel-reorder -fno-optimize-sibling-calls -fno-omit-frame-pointer -Wl,--build-id \
		-o "full/$file" "$@"
	strip -o "$file" "full/$file"
}
build libours.so -fPIC -shared -Wl,-soname,libours.so lib.c
build prog -fPIE -pie prog.c full/libours.so -Wl,-rpath,"$PWD"
made_up() { # FILE FUNCTION: the name that a function gets
	nm "full/$1" | sed -n "s/^0*\([0-9a-f]*\) [tT] $2\$/$1@0x\1/p"
}
hot=$(made_up prog hot)
caller=$(made_up prog caller)
inner=$(made_up libours.so inner)

# Two processes, which the kernel loads at different addresses.
"$PERF" record -e cpu-clock:u -F 2000 -g -o p.data sh -c './prog; ./prog; :' >/dev/null 2>&1
rows() { # OPTION...: "SAMPLES SYMBOL" of the program and the library
	"$PERF" report --stdio --no-children -g none -F sample,dso,sym -t '|' -i p.data "$@" 2>/dev/null |
		sed -n 's/^ *\([0-9]*\) *| *\(prog\|libours.so\) *|\[\.\] \(.*[^ ]\) *$/\1 \3/p' | sort -k 2
}
names() { rows "$@" | sed 's/^[0-9]* //'; }
has() { grep -qx -e "$2" "$1" || fail "no '$2' in $1: $(cat "$1")"; }
without() { ! grep -e "$2" "$1" || fail "'$2' is in $1"; }

rows >made-up
names >got
has got "$hot"
has got "$inner"
has got api
without got sizeless
without got '^0x'
[ -z "$(uniq -d got)" ] || fail "several rows of one function: $(cat got)"
[ "$(awk -v f="$hot" '$2 == f { print $1 }' made-up)" -gt 10 ] || fail "too few samples: $(cat made-up)"

# A program that is at other addresses in memory than in its file.
build fixed -fno-pie -no-pie prog.c full/libours.so -Wl,-rpath,"$PWD"
"$PERF" record -e cpu-clock:u -F 2000 -o fixed.data ./fixed >/dev/null 2>&1
"$PERF" report --stdio -F sym -i fixed.data >got 2>&1
grep -q "$(made_up fixed hot)" got || fail "no '$(made_up fixed hot)': $(cat got)"

# Call trees: one branch for both, from main, which has its name.
tree() {
	"$PERF" report --stdio --no-children -g folded,0,caller -F sym -i p.data 2>/dev/null
}
tree >got
grep -Eq "^[0-9.]*% .*;main;$caller;$hot\$" got || fail "no branch from main: $(cat got)"
[ "$(grep -c ";$caller;$hot\$" got)" = 1 ] || fail "several branches: $(cat got)"

# Filters take the names. (A single one would take the column away.)
names -S "$hot,nothing" >got
echo "$hot" >want
cmp want got || fail "-S $hot: $(cat got)"

# The names are in the recording, and are the same without the files.
mkdir away
mv prog libours.so away
rows >got
cmp made-up got || fail "other rows of stored names: $(diff made-up got)"
names --no-made-up-names >got
without got '@0x'
without got '^main$'
has got '0x0.*'
mv away/* .

# Without made-up names there are addresses, and the name of the function before; the samples are the same in all.
rows --no-made-up-names >got
without got '@0x'
has got '[0-9]* 0x0.*'
has got '[0-9]* sizeless'
sum() { awk '{ n += $1 } END { print n }' "$1"; }
[ "$(sum got)" = "$(sum made-up)" ] || fail "$(sum got) samples with addresses, $(sum made-up) with names"

# Debug files replace the stored names.
for f in prog libours.so; do
	id=$(readelf -n full/$f | sed -n 's/.*Build ID: \(..\)/\1\//p')
	[ -n "$id" ] || skip "the compiler leaves no build-ids"
	mkdir -p "home/.debug/.build-id/$id"
	objcopy --only-keep-debug full/$f "home/.debug/.build-id/$id/debug"
done
names >got
for f in hot inner api; do
	has got $f
done
without got '@0x'
tree >got
grep -q ';main;caller;hot$' got || fail "no real names in call trees: $(cat got)"
