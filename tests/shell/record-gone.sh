# perf record: names of binaries that are deleted, replaced or unmounted before the recording ends
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc

cat >spin.c <<'C'
#include <time.h>
static volatile unsigned long sum;
__attribute__((noinline)) void gone_leaf(unsigned long n)
{
	while (n--)
		sum += n;
}
static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}
/* For so many seconds, and at least for a tenth of them on a processor: 75 samples of 1.5 s. */
__attribute__((noinline)) void gone_spin(double seconds)
{
	const struct timespec pause = { 0, 3000000 };
	double start = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID), passed = 0, used = 0;

	while (passed < seconds || used < seconds / 10) {
		gone_leaf(100000);
		passed = now(CLOCK_MONOTONIC) - start;
		used = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
		if (used > passed / 10)
			nanosleep(&pause, NULL);
	}
	sum++;
}
C
cat >main.c <<'C'
#include <stdlib.h>
void gone_spin(double seconds);
int main(int argc, char **argv)
{
	gone_spin(argc > 1 ? atof(argv[1]) : 1.5);
	return 0;
}
C
mkdir run
cc -O1 -g -fno-optimize-sibling-calls -o run/prog spin.c main.c
cc -O1 -static -fno-optimize-sibling-calls -o run/static spin.c main.c 2>/dev/null || rm -f run/static

# has_names WHAT FILE NAME...: each function is in the report, and no sample of user space is without a name
has_names() {
	what=$1 file=$2
	shift 2
	"$PERF" report --stdio --no-children -g none -s sym -i "$file" >names 2>err
	for name; do
		grep -q "\[\.\] $name\$" names || { cat names err && fail "$what: no $name"; }
	done
	if grep '\[\.\] 0x' names; then fail "$what: addresses without names"; fi
}

# record WHAT COMMAND...: with and without call chains, and the names of both; the command must succeed
record() {
	what=$1
	shift
	for chains in '' -g; do
		# shellcheck disable=SC2086
		"$PERF" record $chains -e cpu-clock:u -F 500 -o a.data "$@" >out 2>err || fail "$what: exit status $?: $(cat out err)"
		# shellcheck disable=SC2086
		has_names "$what, with '$chains'" a.data ${expect:-gone_leaf}
	done
	"$PERF" report --stdio --no-children -g caller,0.5,callee --max-stack 8 -i a.data 2>/dev/null >chains
	[ -n "${expect:-}" ] || grep -q 'gone_spin' chains || { cat chains && fail "$what: no callers"; }
}

record "deleted" sh -c 'cp -r run d9; d9/prog; rm -rf d9'
"$PERF" report --stdio -i a.data -s sym,srcline 2>/dev/null >lines
grep -q 'gone_leaf *spin\.c:' lines || { cat lines && fail "no source lines of a deleted program"; }
# few samples, which do not fill a ring, and it ends before the half second after which rings are emptied anyway
record "deleted soon" sh -c 'mkdir d8 && cp run/prog d8 && d8/prog 0.3; rm -rf d8'

# ---- a library that is replaced while the program runs ----
cc -O1 -g -shared -fPIC -o new.so spin.c
cc -O1 -o user main.c ./new.so
mv new.so lib.so
sed 's/gone_leaf/wrong_leaf/' spin.c >other.c
cc -O1 -shared -fPIC -o other.so other.c
cat >replace.sh <<'SH'
cp lib.so new.so
./user 1.2 &
until grep -q new.so /proc/$!/maps; do sleep 0.1; done
sleep 1
cp other.so other.new
mv other.new new.so
wait
SH
record "replaced" sh replace.sh
if grep wrong_leaf names; then fail "names of the file that replaced the recorded one"; fi

# ---- programs and libraries without a file ----
cat >memory.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
/* memory FILE: runs the program, or calls gone_spin of the library, from memory */
int main(int argc, char **argv, char **env)
{
	int in = open(argv[1], O_RDONLY), fd = memfd_create("from-memory", 0);
	char buf[65536], path[64], *args[] = { "from-memory", 0 };
	void (*spin)(double);
	void *lib;
	long n;

	while ((n = read(in, buf, sizeof(buf))) > 0)
		if (write(fd, buf, n) != n)
			return 1;
	if (argc < 3)
		return fexecve(fd, args, env);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	lib = dlopen(path, RTLD_NOW);
	if (!lib)
		return 2;
	spin = (void (*)(double))dlsym(lib, "gone_spin");
	spin(1.5);
	return 0;
}
C
cc -O1 -o memory memory.c -ldl
if [ "$(id -u)" = 0 ]; then
	record "program in memory" ./memory run/prog
	record "library in memory" ./memory lib.so library
fi

# ---- go run builds a program in a folder that it removes ----
if command -v go >/dev/null; then
	cat >x.go <<'GO'
package main

import "time"

//go:noinline
func goneLeaf() (n int) {
	for i := 0; i < 30000; i++ {
		n += i ^ n
	}
	return n
}

func main() {
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		goneLeaf()
		time.Sleep(time.Millisecond / 10)
	}
}
GO
	export GOCACHE="$PWD/cache" GOPATH="$PWD/path" HOME="$PWD" GOFLAGS=-mod=mod GOTOOLCHAIN=local
	expect=main.goneLeaf record "go run" go run x.go
fi

# ---- other roots and mount namespaces ----
[ "$(id -u)" = 0 ] || exit 0
if [ -e run/static ]; then
	record "chroot" sh -c 'mkdir root && cp run/static root/prog && chroot root /prog; rm -r root'
fi
if unshare -m true 2>/dev/null; then
	mkdir inside
	cat >mounted.sh <<'SH'
set -e
mount -t tmpfs none inside
cp run/prog inside/app
device=$(stat -c %d inside/app)
inside/app
. "$PERF_SRC/tests/lib.sh"
await umount inside 2>busy || { # perf may read the file just now, but keeps nothing open: who does?
	for f in /proc/[0-9]*/fd/* /proc/[0-9]*/exe /proc/[0-9]*/cwd /proc/[0-9]*/map_files/*; do
		[ "$(stat -L -c %d "$f" 2>/dev/null)" != "$device" ] || echo "$f of $(tr '\0' ' ' <"${f%%/[fecm]*}/cmdline")"
	done
	exit 32
}
SH
	record "mount namespace" unshare -m sh mounted.sh
fi
