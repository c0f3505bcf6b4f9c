# The counts for gcc -fauto-profile: each as addr2line has it; in the three versions of the file; names as gcc knows functions
# by, of local functions in C++, too; what hostile names and deep inlining make of it.
. "$PERF_SRC/tests/lib.sh"
need_command python3 addr2line nm objcopy
need_record
$CC --version | grep -q 'Free Software Foundation' || skip "'$CC' is not gcc"
gcov() { python3 "$PERF_SRC/tests/pgo/gcov.py" "$@"; }
export_() { # OPTION...
	expect_status 0 "$PERF" export -i data "$@"
}

# ---- counts ----
source=$PERF_SRC/tests/pgo/progs/rounds.c
$CC -O2 -g -o prog "$source"
expect_status 0 "$PERF" record -o data -e cpu-clock:u -F 4000 ./prog 10000000
export_ --as-sampled -o prof.afdo
expect_text err "autofdo of prog: "
python3 "$PERF_SRC/tests/pgo/gcov_counted.py" "$PERF" data prog "$source" prof.afdo >out || fail "addr2line has other counts: $(cat out)"
gcov --heads prof.afdo >heads
grep -q '^work [1-9]' heads && grep -q '^main [1-9]' heads || fail "heads: $(cat heads)"

# targets are only those of calls by pointer, not of the other call of the line
expect_status 0 "$PERF" record -g -o chains -e cpu-clock:u -F 4000 ./prog 10000000
expect_status 0 "$PERF" export -i chains -o chains.afdo
gcov chains.afdo >out
grep -q '^main@7\.[0-9]* [0-9]* add:[0-9]* mix:[0-9]*$' out && ! grep -q ' work:\| choose:' out || fail "targets: $(cat out)"

# ---- versions ----
for gcc in 5 11 12 14.2.0 15 16; do
	export_ --format autofdo --gcc $gcc -o gcc$gcc
	gcov gcc$gcc >lines$gcc
	cmp lines5 lines$gcc || fail "gcc $gcc gets other counts"
done
cmp gcc5 gcc11 && cmp gcc12 gcc15 && cmp gcc12 gcc14.2.0 || fail "the versions of these compilers are equal"
[ "$(od -An -tu4 -j4 -N4 gcc11 | tr -d ' ')$(od -An -tu4 -j4 -N4 gcc15 | tr -d ' ')$(od -An -tu4 -j4 -N4 gcc16 | tr -d ' ')" = 123 ] || fail "versions"
# the summary: of all counts, the most frequent of them, and how many have a part of them
gcov --summary gcc16 >out
python3 - lines16 out <<'P' || fail "the summary is wrong: $(cat out)"
import ast, sys
counts = sorted((int(line.split()[1]) for line in open(sys.argv[1])), reverse=True)
(total, most, head, nr, functions), parts = ast.literal_eval(open(sys.argv[2]).read())
assert (total, most, nr) == (sum(counts), counts[0], len(counts)) and head and functions > 2 and len(parts) == 16
for part, least, nr in parts:
    assert counts[nr - 1] == least and sum(counts[:nr]) * 1000000 >= total * part > sum(counts[:nr - 1]) * 1000000
P
for gcc in 17 4 0 -3 x 12x ''; do
	expect_status 1 "$PERF" export -i data --format autofdo --gcc "$gcc" -o none
done
expect_text err "--gcc is a version, such as 14, not ''"
expect_status 1 "$PERF" export -i data --format autofdo --gcc 17 -o none
expect_text err "gcc 17"
expect_text err "--gcc 15"
expect_status 1 "$PERF" export -i data --format sample-profile --gcc 12
expect_text err "--gcc is for autofdo only"
[ ! -e none ] || fail "a file in spite of the error"

# the compiler is the one that the binary names: the newest GCC
comment() { # TEXT
	printf "$1" >comment
	objcopy --update-section .comment=comment prog
	export_ -o prof.afdo
}
comment 'GCC: (Debian 9.1.0-2) 9.1.0\0GCC: (GNU) 11.2.1 20220127 (Red Hat 11.2.1-9)\0'
cmp prof.afdo gcc11 || fail "not the version of gcc 11"
expect_text err "autofdo of prog"
comment 'GCC: (GNU) 16.1.0'
cmp prof.afdo gcc16 || fail "not the version of gcc 16"
comment 'GCC: (GNU) 12.1.0\0Debian clang version 14.0.6\0'
cmp prof.afdo gcc12 || fail "not the version of gcc 12"
expect_text err "clang compiled prog or a part of it: for clang, use --format sample-profile"
comment '\0'
cmp prof.afdo gcc15 || fail "not the newest version that is known"

# ---- names ----
cat >names.c <<'C'
volatile int sink;
__attribute__((noinline)) int oddly_named(int x)
{
	for (int i = 0; i < 1000; i++)
		sink += i ^ x;
	return sink;
}
C
{
	printf 'int far_(int x) __asm__("%s");\n' "$(head -c 100000 /dev/zero | tr '\0' n)"
	printf '__attribute__((noinline)) int far_(int x)\n{\nfor (int i = 0; i < 1000; i++) sink += i ^ x;\nreturn sink;\n}\n'
	printf 'static inline __attribute__((always_inline)) int f0(int x)\n{\nfor (int i = 0; i < 1000; i++) sink += i ^ x;\nreturn sink;\n}\n'
	for i in $(seq 300); do
		printf 'static inline __attribute__((always_inline)) int f%d(int x)\n{\nreturn f%d(x + 1);\n}\n' "$i" $((i - 1))
	done
	printf '__attribute__((noinline)) int deep(int x)\n{\nreturn f300(x) + f200(x);\n}\n'
	printf 'int main(void)\n{\nfor (int i = 0; i < 100000; i++) sink = oddly_named(i) + far_(i) + deep(i);\n}\n'
} >>names.c
$CC -O2 -g -o prog names.c
python3 - <<'P'
data = open('prog', 'rb').read().replace(b'oddly_named', b'a "b\\ \t:\xff\x7f\x01')
open('prog', 'wb').write(data)
P
expect_status 0 "$PERF" record -o data -e cpu-clock:u -F 4000 ./prog
export_ -o prof.afdo
gcov prof.afdo >lines
gcov --heads prof.afdo >heads
grep -aqF 'a "b\ ' heads || fail "the odd name is not there: $(cut -c -100 heads)"
[ "$(grep -ao '^n* ' heads | awk '{ print length }' | sort -n | tail -n 1)" = 100001 ] || fail "the long name is not whole"
[ "$(sed 's/[^>]//g' lines | awk '{ if (length > n) n = length } END { print n }')" = 201 ] || fail "inlining is not as deep as f200"

command -v "${CXX:-g++}" >/dev/null || exit 0
cat >names.cc <<'C'
#include <cstdlib>
volatile int sink;
struct counted {
	int n;
	counted(int x) : n(x)
	{
		for (int i = 0; i < 100; i++)
			sink += i ^ x;
	}
};
static __attribute__((noinline)) int hot(int x)
{
	counted c(x);
	auto inner =
		[&](int y) {
			for (int i = 0; i < 200; i++)
				sink += i ^ y;
			return y;
		};
	return c.n + inner(x);
}
namespace {
__attribute__((noinline)) int hidden(int x, int y)
{
	for (int i = 0; i < 300; i++)
		sink += i ^ y;
	return x;
}
}
template <typename F> __attribute__((noinline)) static int call(F f)
{
	int s = 0;
	for (int i = 0; i < 50000; i++)
		s += f(i);
	return s;
}
int main()
{
	sink = call([](int x) __attribute__((noinline)) {
		for (int i = 0; i < 300; i++)
			sink += i ^ x;
		return hot(x) + hidden(x, 3);
	});
}
C
${CXX:-g++} -O2 -g -o prog names.cc
expect_status 0 "$PERF" record -o data -e cpu-clock:u -F 4000 ./prog
export_ -o prof.afdo
gcov prof.afdo >lines
gcov --heads prof.afdo >heads
for name in _ZL3hoti _ZN12_GLOBAL__N_16hiddenEii _ZZ4mainENKUliE_clEi; do
	grep -q "^$name [1-9]" heads || fail "no $name: $(cat heads)"
done
nm prog | grep -q ' _ZN12_GLOBAL__N_16hiddenEii$' || grep -q 'hidden' heads # with a suffix, such as .isra.0, that is cut
! grep -q '\.' heads || fail "a suffix: $(cat heads)"
grep -q '^_ZL3hoti@2.0>_ZN7countedC4Ei@[0-9.]* [1-9]' lines || fail "no inlined constructor: $(cat lines)"
# lines of lambdas are those after the one of the bracket
grep -q '^_ZL3hoti@9.0>operator()@2.[0-9]* [1-9]' lines || fail "no inlined lambda: $(cat lines)"
grep -q '^_ZZ4mainENKUliE_clEi@2.[0-9]* [1-9]' lines || fail "no lambda: $(cat lines)"
