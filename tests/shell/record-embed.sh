# perf record: stores the names of what was hit, for reports without the binaries
# timeout: 180
. "$PERF_SRC/tests/lib.sh"
need_record

cat >busy.h <<'C'
/* A round takes some tens of milliseconds. */
static volatile unsigned long sum;
#define BUSY(n) do { for (unsigned long i = 0; i < (n); i++) sum += i; } while (0)
C
cat >prog.c <<'C'
#include "busy.h"
#include <unistd.h>
static inline __attribute__((always_inline)) void inlined_part(void)
{
	BUSY(20000000);
}
__attribute__((noinline)) static void local_leaf(void)
{
	BUSY(60000000);
	inlined_part();
}
__attribute__((noinline)) void outer_part(void) { local_leaf(); BUSY(20000000); }
int main(void) { outer_part(); for (int i = 0; i < 100000; i++) getppid(); return 0; }
C
cat >prog.cc <<'C'
#include "busy.h"
namespace house {
template <class T> struct Room {
	__attribute__((noinline)) void paint(T) { BUSY(60000000); }
};
}
int main() { house::Room<int> room; room.paint(1); return 0; }
C
"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id -o prog prog.c
away() { # FILE OPTION...: a report as on a machine that has nothing of the recorded one
	file=$1
	shift
	HOME=$PWD/elsewhere "$PERF" report --symfs "$PWD/nowhere" --stdio -i "$file" "$@" 2>/dev/null
}
here() {
	file=$1
	shift
	"$PERF" report --stdio -i "$file" "$@" 2>/dev/null
}
same() { # WHAT: files want and got
	cmp -s want got || {
		diff want got | head -n 20
		fail "$1"
	}
}

"$PERF" record -e cpu-clock -F 2000 -g -o a.data ./prog 2>/dev/null
"$PERF" record --no-embed -e cpu-clock -F 2000 -g -o none.data ./prog 2>/dev/null

# ---- the same rows everywhere ----
here a.data >want
expect_text want local_leaf
expect_text want 'inlined_part (inlined)'
here a.data -g none -s srcline | grep -q 'prog\.c:' || fail "no source lines to be stored"
for options in '-g none' '-g caller' '-g callee --no-children' '--children -g caller' '-s dso,sym -g none' '-s sym --no-demangle' \
	'-F overhead,sample,comm,dso,sym -t |' '--no-inline' '-s srcline -g none' '-s srcfile,sym -g none' '-s sym -g caller,srcline' '-s sym -n -v -g none'; do
	# shellcheck disable=SC2086
	here a.data $options >want
	# shellcheck disable=SC2086
	away a.data $options >got
	[ -s want ] || fail "no report with $options"
	same "another report without the binaries: $options"
done
here a.data -g none -s sym >want
away none.data -g none -s sym >got
if grep -q 'local_leaf' got; then fail "with --no-embed there are names, too: the reports above prove nothing"; fi
if grep -q '\[k\] [a-z_]' want; then
	if grep -q '\[k\] [a-z_]' got; then fail "with --no-embed the kernel has names, too"; fi
	away a.data -g none -s sym | grep -q '\[k\] [a-z_]' || fail "the kernel's names are not stored"
	# The user knows better; and what he names is not helped out.
	sed '/ _text$/!s/ \([tTwW]\) / \1 asked_/' /proc/kallsyms >kallsyms
	away a.data -g none -s sym --kallsyms kallsyms >got
	! grep -q -m1 '^0*[1-9a-f]' kallsyms || grep -q '\[k\] asked_' got || fail "--kallsyms does not come first: $(cat got)"
	if grep '\[k\] [b-z]' got; then fail "stored names beside those of --kallsyms"; fi
fi

# ---- what is said of it ----
expect_status 0 "$PERF" report --header-only -i a.data
grep -Eq '^# embedded names: [1-9][0-9]* functions of [1-9][0-9]* binaries, [1-9][0-9]* bytes$' out || fail "the header does not tell: $(tail -n 5 out)"
expect_status 0 "$PERF" report --stdio -v -i a.data
grep -Eq 'the recording has the names of [1-9][0-9]* functions of [1-9][0-9]* binaries, [1-9][0-9]* bytes; 0 were left out' err || fail "report -v does not tell: $(cat err)"
expect_status 0 "$PERF" report --header-only -i none.data
if grep embedded out; then fail "the header tells of names that are not there"; fi
expect_status 0 "$PERF" record -v -e cpu-clock:u -o v.data ./prog
grep -Eq 'stored the names of [1-9][0-9]* functions of [1-9][0-9]* binaries, [1-9][0-9]* bytes; 0 are left out' err || fail "-v does not tell: $(cat err)"
size=$(wc -c <a.data)
none=$(wc -c <none.data)
[ "$size" -lt $((none * 2 + 1048576)) ] || fail "$size bytes instead of $none"

# ---- the binary is stripped, replaced by another build, deleted ----
here a.data -g caller >want
strip prog 2>/dev/null && {
	here a.data -g caller >got
	same "another report of a binary that was stripped since"
}
sed 's/local_leaf/other_leaf/; s/outer_part/second_part/' prog.c >other.c
"${CC:-cc}" -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id -o prog other.c
here a.data -g caller >got
same "another report of a binary that was replaced"
rm prog
here a.data -g caller >got
same "another report of a binary that was deleted"

# One without a build-id may be another one of that name: what was stored is sure.
"${CC:-cc}" -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id=none -o prog prog.c
"$PERF" record -e cpu-clock:u -F 2000 -o n.data ./prog 2>/dev/null
"$PERF" record --no-embed -e cpu-clock:u -F 2000 -o m.data ./prog 2>/dev/null
here n.data -s sym >want
here m.data -s sym >got
expect_text got local_leaf
"${CC:-cc}" -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id=none -o prog.new other.c
cat prog.new >prog # the same inode
here n.data -s sym >got
expect_text got local_leaf
same "another report of a binary without a build-id that was replaced"
# ... unless the user says where the right ones are.
mkdir -p root"$PWD"
cp prog root"$PWD"/prog
"$PERF" report --stdio -i n.data -s sym --symfs root >got 2>/dev/null
expect_text got other_leaf

# ---- C++ ----
if "${CXX:-c++}" -O1 -Wl,--build-id -o prog prog.cc 2>/dev/null; then
	"$PERF" record -e cpu-clock:u -F 2000 -o c.data ./prog 2>/dev/null
	for o in --demangle --no-demangle; do
		here c.data -s sym $o >want
		away c.data -s sym $o >got
		same "another report of a C++ program: $o"
	done
	away c.data -s sym >got
	grep -q 'house::Room<int>::paint' got || fail "C++ names: $(cat got)"
fi

# ---- callers in stack copies: a stripped binary has no names, but still says where callers are ----
"${CC:-cc}" -O1 -fno-optimize-sibling-calls -Wl,--build-id -o prog prog.c
if command -v strip >/dev/null && "$PERF" record --call-graph dwarf -e cpu-clock:u -F 2000 -o s.data ./prog 2>/dev/null; then
	here s.data -g caller >want
	strip prog
	expect_text want outer_part
	here s.data -g caller >got
	same "another report of stack copies of a binary that was stripped since"
	"$PERF" record --no-embed --call-graph dwarf -e cpu-clock:u -F 2000 -o s.data ./prog 2>/dev/null
	here s.data -g caller >got
	if grep -q outer_part got; then fail "a stripped binary has names, which proves nothing"; fi
fi

# ---- a row of files: each has its own ----
"${CC:-cc}" -O1 -Wl,--build-id -o prog prog.c
"$PERF" record --switch-output -e cpu-clock:u -F 2000 -o r.data sh -c './prog; kill -USR2 $PPID; sleep 0.3; ./prog' 2>err || fail "$(cat err)"
[ "$(ls r.data.* | wc -l)" = 2 ] || fail "no row of two files: $(cat err)"
for f in r.data.*; do
	here "$f" -s sym >want
	away "$f" -s sym >got
	expect_text want local_leaf
	same "another report of a file of a row without the binaries"
done

# ---- build-ids that are found later ----
"${CC:-cc}" -O1 -Wl,--build-id -o prog prog.c
"$PERF" record -B -e cpu-clock:u -F 2000 -o b.data ./prog 2>/dev/null
"$PERF" inject -b -i b.data -o i.data 2>/dev/null
"$PERF" buildid-list -i i.data | grep -q 'prog$' || fail "no build-ids are added"
here b.data -s sym >want
away i.data -s sym | sed 's/ i\.data$/ b.data/' >got # the line on binaries without symbols, where there is one
expect_text want local_leaf
same "another report without the binaries when build-ids were added"

# ---- code that was made at run time, whose map is gone ----
if [ "$(uname -m)" = x86_64 ]; then
	cat >jit.c <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static const unsigned char code[] = { /* for (rcx = 200000000; --rcx;); */
	0x48, 0xc7, 0xc1, 0x00, 0xc2, 0xeb, 0x0b, 0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3 };
int main(void)
{
	char path[64];
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *f;

	memcpy(p, code, sizeof(code));
	mprotect(p, 4096, PROT_READ | PROT_EXEC);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	fprintf(f, "%lx %zx made_loop\n", (unsigned long)p, sizeof(code));
	fclose(f);
	puts(path);
	((void (*)(void))p)();
	return 0;
}
C
	"${CC:-cc}" -o jit jit.c
	map=$("$PERF" record -e cpu-clock:u -F 2000 -o j.data ./jit 2>/dev/null)
	none=$("$PERF" record --no-embed -e cpu-clock:u -F 2000 -o k.data ./jit 2>/dev/null)
	here k.data -s dso,sym >got
	expect_text got made_loop
	here j.data -s dso,sym >want
	expect_text want made_loop
	echo "0 ffffffffffffff wrong_name" >"$map" # of a later process with the same number
	here j.data -s dso,sym >got
	same "another report of code whose map is another process's"
	rm "$map" "$none"
	here k.data -s dso,sym >got
	if grep made_loop got; then fail "there is a name although its map is gone"; fi
	here j.data -s dso,sym >got
	same "another report of code whose map is gone"
fi

# ---- ... and code of which a jitdump told, at one address two functions in turn ----
case $(uname -m) in x86_64 | aarch64 | riscv64)
	program dumper progs/jit -O1
	"$PERF" record -k mono -o d.data -e cpu-clock:u -F 1000 ./dumper dump "$PWD" >/dev/null 2>&1
	here d.data -s dso,sym >want
	for name in first_code second_code moved_code; do expect_text want $name; done
	mkdir dumps
	mv jit-*.dump dumps
	for options in '-s dso,sym' '-s sym -v -n'; do
		# shellcheck disable=SC2086
		# shellcheck disable=SC2086
		away d.data $options >got
		mv dumps/jit-*.dump .
		# shellcheck disable=SC2086
		here d.data $options >want
		mv jit-*.dump dumps
		same "another report of code whose jitdump is gone: $options"
	done
	;;
esac

# ---- nothing but perf and the recording ----
mkdir empty
zstd=$("$CC" -print-file-name=libzstd.so.1) # which is loaded for the names
[ ! -e "$zstd" ] || zstd=$(realpath "$(dirname "$zstd")")/libzstd.so.1
for file in "$PERF" $(ldd "$PERF" | grep -o '/[^ ]*') "$zstd"; do
	[ -e "$file" ] || continue
	mkdir -p "empty$(dirname "$file")"
	cp -L "$file" "empty$file"
done
mkdir -p empty/etc
[ ! -e /etc/os-release ] || cp -L /etc/os-release empty/etc # a report names the server of its distribution
cp a.data none.data empty
if chroot empty "$PERF" report --stdio -i none.data >/dev/null 2>&1; then
	for options in '-g caller' '-s dso,sym -g none' '--no-children -g callee'; do
		# shellcheck disable=SC2086
		here a.data $options >want
		# shellcheck disable=SC2086
		chroot empty "$PERF" report --stdio -i a.data $options >got 2>/dev/null
		same "another report in an empty folder: $options"
	done
fi
rm -r empty

# ---- kernel addresses are hidden from the recorder: no names, rather than wrong ones ----
if setpriv --bounding-set=-syslog,-sys_admin --inh-caps=-syslog,-sys_admin \
	env HOME="$PWD/elsewhere" "$PERF" record -e cpu-clock -o h.data sh -c 'grep -q -m1 "^0*[1-9a-f]" /proc/kallsyms || ls -R /usr/share >/dev/null' \
	>/dev/null 2>err && grep -q 'hides kernel addresses' err; then
	away h.data -s sym >got
	if grep '\[k\] [a-z_]' got; then fail "names of the kernel although its addresses were hidden"; fi
fi

# ---- what has no room for names ----
"$PERF" record -e cpu-clock:u -o - true 2>/dev/null >pipe.data
expect_status 0 "$PERF" report --stdio -i pipe.data
"$PERF" record -e cpu-clock -o killed.data sleep 3 2>/dev/null &
sleep 0.5
kill -9 $!
wait $! 2>/dev/null || :
"$PERF" report --stdio -i killed.data >out 2>err || :
if grep -i embedded out err; then fail "a killed recording has names"; fi
