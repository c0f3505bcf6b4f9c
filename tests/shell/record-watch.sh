# perf record -e mem:NAME: exactly the accesses that the program makes, however it is linked
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_record
need_command "${CC:-cc}"

cat >lib.c <<'C'
volatile int lib_counter = 7;
static volatile int lib_static;
__attribute__((constructor)) static void lib_early(void) { lib_static = 1; }
void lib_work(int n)
{
	for (int i = 0; i < n; i++) {
		lib_counter = i;
		lib_static = i;
	}
}
C
cat >other.c <<'C'
static volatile int twice;
void other_work(void)
{
	for (int i = 0; i < 7; i++)
		twice = i;
}
C
cat >prog.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

struct inner { short a; int b; };
volatile int counter;
static volatile int hidden = 3;
static volatile int twice;
volatile int array[16];
volatile char bytes[64];
volatile struct { long before; struct inner in; } record;
volatile int *volatile pointer = &counter; /* the loader writes it */
__thread volatile int thread_local;
extern volatile int lib_counter;
void lib_work(int n);
void other_work(void);

__attribute__((constructor)) static void early(void) { counter = -1; }
__attribute__((noinline)) static void writer_a(void)
{
	for (int i = 0; i < 100; i++)
		counter = i;
}
__attribute__((noinline)) static void writer_b(void)
{
	for (int i = 0; i < 10; i++)
		counter = i;
}
__attribute__((noinline)) int called(int x)
{
	static volatile int calls;

	calls = x;
	return x + 1;
}
static void *thread(void *arg)
{
	writer_b();
	return arg;
}
int main(void)
{
	pthread_t t[3];

	writer_a();
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	if (!fork()) {
		writer_b();
		_exit(0);
	}
	wait(NULL);
	hidden = array[0];
	for (int i = 0; i < 16; i++)
		array[i] = i;
	for (int i = 0; i < 64; i++)
		bytes[i] = 0;
	for (int i = 0; i < 5; i++)
		record.in.b = i;
	record.in.a = 1;
	record.before = 2;
	pointer = &hidden;
	thread_local = 1;
	twice = 1;
	other_work();
	for (int i = 0; i < 9; i++)
		called(i);
	lib_counter = 1;
	lib_work(20);
	return 0;
}
C
cc_="${CC:-cc} -g -O1 -pthread"
$cc_ -fPIC -shared -o libwatched.so lib.c
link="prog.c other.c -L. -lwatched -Wl,-rpath,$PWD"
made=
$cc_ -fPIE -pie -o pie $link 2>/dev/null && made="$made pie"
$cc_ -no-pie -fno-pie -o fixed $link 2>/dev/null && made="$made fixed"
$cc_ -static -o static prog.c other.c lib.c 2>/dev/null && made="$made static"
$cc_ -static-pie -fPIE -o static_pie prog.c other.c lib.c 2>/dev/null && made="$made static_pie"
[ -n "$made" ] || skip "the compiler makes none of the programs"
"$PERF" record -e mem:0x1000:w -o probe.data true >out 2>err || skip "no breakpoints here: $(head -n 1 err)"

# samples FILE; count_is N PROGRAM EVENT: a recording of EVENT has N samples
samples() {
	"$PERF" report --stats -i "$1" | awk '/SAMPLE events:/ { n = $3; exit } END { print n + 0 }'
}
count_is() {
	expect_status 0 "$PERF" record -o w.data -e "$3" "./$2"
	expect_text err "[ perf record: Captured"
	[ "$(samples w.data)" = "$1" ] || fail "$(samples w.data) samples of $3 in $2, expected $1"
}

u= # what else is in user space only: to look for the name in the kernel takes longest
for p in $made; do
	count_is 141 "$p" mem:counter:w$u # early, 100, 3 threads and a child with 10 each
	count_is 1 "$p" mem:hidden:w$u
	count_is 3 "$p" 'mem:array[2:3]:w'$u
	count_is 1 "$p" 'mem:array[15]:w'$u
	count_is 2 "$p" 'mem:array[0]'
	count_is 32 "$p" 'mem:bytes[8:32]:w'$u # four watchpoints
	count_is 5 "$p" 'mem:bytes+3/5:w'$u
	count_is 5 "$p" mem:record.in.b:w$u
	count_is 6 "$p" mem:record.in:w$u
	count_is 1 "$p" mem:record.before:w$u
	count_is 8 "$p" mem:twice@other.c:w$u,mem:twice@prog.c:w$u
	count_is 9 "$p" mem:called
	count_is 9 "$p" mem:calls:w$u
	count_is 21 "$p" mem:lib_counter:w$u # written by both; a copy of the program's own where that took it over
	count_is 21 "$p" mem:lib_static:w$u  # the constructor, too
	case $p in
	static*) ;;
	*)
		for i in 1 2 3 4 5 6 7 8 9 10; do # not what the loader wrote, however the records come
			count_is 1 "$p" mem:pointer:w$u
		done
		count_is 21 "$p" "mem:lib_counter@libwatched.so:w$u"
		count_is 21 "$p" "mem:lib_static@$PWD/libwatched.so:w$u"
		;;
	esac
	u=:u
done
set -- $made
p=$1

# Who it was, by name and with call chains; each event under the name that the user gave it.
expect_status 0 "$PERF" record -g -o w.data -e 'mem:counter:w' "./$p"
"$PERF" report --stdio --no-children -g none -s sym -i w.data >out
grep -Eq '70\.92%  \[\.\] writer_a' out || fail "writer_a did not make 100 of 141: $(cat out)"
grep -Eq '28\.37%  \[\.\] writer_b' out || fail "writer_b did not make 40 of 141: $(cat out)"
grep -Eq '0\.71%  \[\.\] early' out || fail "the constructor did not make 1 of 141: $(cat out)"
grep -q "of event 'mem:counter:w\(:u\)\?'" out || fail "another event: $(cat out)"

# With other events, in a group, with every tenth, and with a delay (which arms it with the others).
expect_status 0 "$PERF" record -o w.data -e mem:counter:w -e cpu-clock:u -e mem:hidden:w "./$p"
"$PERF" report --stats -i w.data >out
expect_text out "mem:counter:w"
expect_status 0 "$PERF" record -o w.data -c 10 -e mem:counter:w -i "./$p"
[ "$(samples w.data)" = 10 ] || fail "$(samples w.data) samples with -c 10 -i, expected 10 of the first thread's 101"
expect_status 0 "$PERF" record -o w.data -e '{cpu-clock,mem:counter:w}' "./$p"
"$PERF" report --stats -i w.data >out
awk '/mem:counter:w/ { on = 1 } on && /SAMPLE events:/ { exit $3 != 141 }' out || fail "in a group: $(cat out)"
expect_status 0 "$PERF" record -D 1 -o w.data -e mem:counter:w "./$p"
expect_status 0 "$PERF" record -D -1 -o w.data -e mem:counter:w "./$p"
[ "$(samples w.data)" = 0 ] || fail "samples with -D -1"

# In a pipe, too.
"$PERF" record -q -o - -e mem:counter:w "./$p" | "$PERF" report --stats -i - >out
awk '/SAMPLE events:/ { exit $3 != 141 }' out || fail "in a pipe: $(cat out)"

# What is wrong is said before anything runs.
refused() { # EVENT TEXT...
	e_=$1
	shift
	expect_status 1 "$PERF" record -o no.data -e "$e_" sh -c 'touch ran'
	for t_; do expect_text err "$t_"; done
	[ ! -e ran ] && [ ! -e no.data ] || fail "something ran for $e_"
}
refused_in() { # PROGRAM EVENT TEXT...
	p_=$1 e_=$2
	shift 2
	expect_status 1 "$PERF" record -o no.data -e "$e_" "./$p_"
	for t_; do expect_text err "$t_"; done
	[ ! -e no.data ] || fail "something ran for $e_"
}
refused_in "$p" mem:cuonter:w "no variable or function 'cuonter' in" "did you mean 'counter'?" "mem:cuonter@PROGRAM"
refused_in "$p" mem:thread_local:w "'thread_local' of" "is thread-local"
refused_in "$p" mem:twice:w "'twice' has 2 places" "mem:twice@other.c" "mem:twice@prog.c"
refused_in "$p" mem:bytes:w "is 64 bytes long, which takes 8 watchpoints" "at most 32 bytes" "mem:bytes[START:COUNT]"
refused_in "$p" 'mem:bytes[0:32]:w,mem:counter:w' "takes 1 watchpoints: 0 are left"
refused_in "$p" 'mem:array[16]:w' "'array' has 16 elements of 4 bytes: [16:1] is outside"
refused_in "$p" 'mem:array+60/8:w' "'array' is 64 bytes long: +60/8 is outside"
refused_in "$p" mem:record.inn:w "'record' has no member 'inn'" "did you mean 'in'?"
refused_in "$p" mem:counter.x:w "'counter' is not a struct"
refused_in "$p" mem:called.x "'called' is code"
refused mem:counter@nosuchbinary:w "there is no library or command 'nosuchbinary'"
refused mem:counter@./nosuch:w "cannot open './nosuch'"
refused mem:counter@nosuch.c:w "no source file 'nosuch.c'"
expect_status 1 "$PERF" record -o no.data -e mem:counter:w -a true
expect_text err "variables of programs have addresses in their processes only"
expect_status 127 "$PERF" record -o no.data -e mem:counter:w ./nosuchprogram
expect_text err "cannot run './nosuchprogram'"

# A name that the kernel has, too
if grep -q ' T vfs_read$' /proc/kallsyms && ! grep -q '^0* T vfs_read$' /proc/kallsyms; then
	echo 'int vfs_read(void) { return 0; } int main(void) { return vfs_read(); }' >both.c
	$cc_ -O0 -o both both.c
	refused_in both mem:vfs_read "both '$PWD/both' and the kernel have 'vfs_read'" \
		"mem:vfs_read@both or mem:vfs_read@kernel"
	count_is 1 both mem:vfs_read@both
	count_is 1 both mem:vfs_read:x:u
fi

# What the kernel writes for the program counts, but not in user space. The arm64 kernel writes with
# instructions for which an emulator's watchpoints may not stop.
cat >reads.c <<'C'
#include <fcntl.h>
#include <unistd.h>
volatile int filled;
int main(void)
{
	int fd = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < 3; i++)
		if (read(fd, (void *)&filled, sizeof(filled)) != sizeof(filled))
			return 1;
	filled = 1;
	return 0;
}
C
$cc_ -o reads reads.c
count_is 1 reads mem:filled:w:u
"$PERF" record -o w.data -e mem:filled:w ./reads 2>err
least=4
[ "$(uname -m)" != aarch64 ] || least=1
grep -q "user space only" err || [ "$(samples w.data)" -ge $least ] ||
	fail "$(samples w.data) with the kernel's writes, expected at least $least"

# Without debug information elements are bytes, and members unknown.
if command -v strip >/dev/null 2>&1; then
	cp "$p" stripped
	strip --strip-debug stripped
	count_is 1 stripped 'mem:array[4:4]:w'
	refused_in stripped mem:record.in:w "has no debug information about 'record'" "mem:record+OFFSET/LENGTH"
fi
