# perf annotate: in an empty folder, from the recording alone, byte for byte what the files give
# timeout: 600
. "$PERF_SRC/tests/lib.sh"
need_record
need_command "${CC:-cc}"
"$PERF" version --build-options | grep -q 'on .*HAVE_CAPSTONE' || skip "perf was built without libcapstone"
[ "$(id -u)" = 0 ] || skip "needs root, for chroot"
own_folder

# ---- a folder with perf, its libraries, and nothing else: no objdump either ----
mkdir empty
loaded=
for name in libzstd.so.1 libcapstone.so.4 libcapstone.so.5; do # loaded when they are used
	file=$("${CC:-cc}" -print-file-name=$name)
	[ ! -e "$file" ] || loaded="$loaded $(realpath "$(dirname "$file")")/$name"
done
for file in "$PERF" $(ldd "$PERF" | grep -o '/[^ ]*') $loaded; do
	mkdir -p "empty$(dirname "$file")"
	cp -L "$file" "empty$file"
done
chroot empty "$PERF" version >/dev/null 2>&1 || skip "perf does not run in a chroot here"

# alone WHAT FILE [CASE]: all functions of FILE, by the files that are there, and by the recording alone. CASE is a
# pattern that there has to be.
alone() {
	"$PERF" inject --no-embed -i "$2" -o bare.data
	for options in '' '--stdio2 -l --asm-raw' '-n -P --no-source -M intel'; do
		# shellcheck disable=SC2086
		PATH=$dir/none HOME=$dir/elsewhere "$PERF" annotate $options -i bare.data >want 2>want.err || fail "$1: $(cat want.err)"
		cp "$2" empty/a.data
		# shellcheck disable=SC2086
		chroot empty "$PERF" annotate $options -i a.data >got 2>got.err || fail "$1, alone: $(cat got.err)"
		diff want got >differ || { head -n 30 differ && fail "$1, alone: other text with '$options'"; }
		[ -n "$options" ] || [ -z "$3" ] || grep -q -e "$3" got || { cat got && fail "$1: no line with '$3'"; }
	done
	cp bare.data empty/a.data
	chroot empty "$PERF" annotate -i a.data >got 2>&1 || :
	if grep -q ': *[0-9a-f]*: *[a-z]*  *[%$#x]' got; then fail "$1: instructions without code, which proves nothing"; fi
}

cat >work.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
extern int table[];
static char text[64];
static volatile unsigned long sum;
static inline int mix(int x) { return x * 31 + table[x & 7]; }
__attribute__((noinline)) void hot_leaf(unsigned long n)
{
	while (n--)
		sum += mix((int)n);
}
static int compare(const void *a, const void *b) { return strcmp(a, b); }
void work(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC * 7 / 10; /* perf looks at what began each half second at least */
	static char words[256][16];

	while (clock() < end) {
		hot_leaf(50000);
		for (int i = 0; i < 256; i++)
			snprintf(words[i], sizeof(words[i]), "%d", rand());
		qsort(words, 256, 16, compare);
		memcpy(text, words, sizeof(text));
	}
}
int table[8] = { 1, 2, 3 };
C
echo 'void work(void); int main(void) { work(); return 0; }' >main.c
touch -d '1 hour ago' work.c main.c
compile() { "${CC:-cc}" -O1 -g -Wl,--build-id "$@"; }
compile -o prog main.c work.c
compile -shared -fPIC -o lib.so work.c
compile -o user main.c ./lib.so
record() { # FILE COMMAND...
	file=$1
	shift
	expect_status 0 "$PERF" record --embed-source -e cpu-clock:u -F 1000 -o "$file" "$@"
}

record a.data ./prog
alone "a program and libc" a.data 'sum += mix'

# A user's C++ or Rust names, lines of inlined functions of libraries: those of the compilers that are here
if command -v g++ >/dev/null; then
	cat >sort.cc <<'CC'
#include <algorithm>
#include <map>
#include <string>
#include <vector>
namespace deep { template <typename T> struct holder { std::vector<T> v; __attribute__((noinline)) void fill(unsigned n) {
	for (unsigned i = 0; i < n; i++) v.push_back(i * 2654435761u % 1000003);
	std::sort(v.begin(), v.end());
} }; }
int main()
{
	std::map<std::string, unsigned> m;
	for (int i = 0; i < 60; i++) {
		deep::holder<unsigned> h;
		h.fill(20000);
		m[std::to_string(i)] += h.v[7];
	}
	return m.size() == 1;
}
CC
	touch -d '1 hour ago' sort.cc
	g++ -O2 -g -o sort sort.cc
	record c.data ./sort
	alone "C++" c.data 'std::'
fi

# ---- a program that is gone; it is put back for what is expected ----
record g.data sh -c 'cp -p prog away; ./away; rm away'
cp -p prog away
alone "a removed program" g.data 'sum += mix'
rm away

# ---- a library that is replaced while the program runs ----
sed 's/31/33/' work.c >other.c
compile -shared -fPIC -o other.so other.c
cp -p lib.so saved.so
record l.data sh -c './user & until grep -q lib.so /proc/$!/maps; do sleep 0.05; done; sleep 0.2
	cp other.so new.so; mv new.so lib.so; wait'
mv saved.so lib.so
alone "a replaced library" l.data 'sum += mix'

# ---- other roots, mount namespaces ----
if compile -static -o static main.c work.c 2>/dev/null; then
	mkdir root
	record r.data sh -c 'cp -p static root/prog; chroot root /prog; rm root/prog'
	cp -p static root/prog
	"$PERF" inject --no-embed -i r.data -o bare.data
	"$PERF" annotate --symfs root -i bare.data hot_leaf >want 2>err # the path is that inside
	"$PERF" annotate -i r.data hot_leaf >got 2>err
	diff want got >differ || { head -n 30 differ && fail "a program of another root: other text"; }
	grep -q ' ret' got || [ "$(uname -m)" != x86_64 ] || { cat got err && fail "a program of another root: no code"; }
fi
if unshare -m true 2>/dev/null; then
	mkdir inside
	record m.data unshare -m sh -c 'mount -t tmpfs none inside && cp -p prog inside/app && inside/app'
	cp -p prog inside/app
	alone "a program of a mount namespace" m.data 'sum += mix'
fi

# ---- a JIT compiler's code ----
case $(uname -m) in x86_64 | aarch64) ;; *) exit 0 ;; esac
program jit progs/jit -O1
expect_status 0 "$PERF" record -k mono --embed-source -e cpu-clock:u -F 1000 -o j.data ./jit dump "$PWD"
alone "code of a jitdump" j.data '<first_code>:'
