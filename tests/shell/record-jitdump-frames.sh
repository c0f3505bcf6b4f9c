# perf record: chains through JIT code by the call frame information that its compiler writes while it runs
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc
[ "$(uname -m)" = x86_64 ] || skip "the code is for x86-64"
own_folder
cat >made.c <<'C'
/* A function whose stack pointer is in rbx while its frame has a size that nobody knows; and its call frame information. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static const unsigned char code[] = "\x53\x48\x89\xe3"      /* push %rbx; mov %rsp, %rbx */
				    "\x48\x29\xfc"          /* sub %rdi, %rsp */
				    "\x48\xff\xce\x75\xfb"  /* 1: dec %rsi; jne 1b */
				    "\x48\x89\xdc\x5b\xc3"; /* mov %rbx, %rsp; pop %rbx; ret */
enum { SIZE = sizeof(code) - 1, AT = (SIZE + 7) & ~7 };
static const unsigned char cie[] = { 20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 12, 7, 8, 0x90, 1, 0, 0 };
static const unsigned char rules[] = { 0, 0x41, 14, 16, 0x83, 2, 0x43, 13, 3, 0x49, 12, 7, 8, 0xc3, 0, 0 };
static uint64_t now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000ull + t.tv_nsec; }
static void put(FILE *f, uint64_t x, int n) { fwrite(&x, n, 1, f); }
static void announce(FILE *f, char *at, unsigned index, int with_frames)
{
	int32_t pc = -(AT + (int)sizeof(cie) + 8);
	if (with_frames) {
		uint32_t size = 12 + sizeof(rules);
		put(f, 4, 4), put(f, 40 + sizeof(cie) + 4 + size + 4, 4), put(f, now(), 8);
		put(f, sizeof(cie) + 4 + size + 4, 8), put(f, 0, 8), put(f, 0, 8);
		fwrite(cie, sizeof(cie), 1, f);
		put(f, size, 4), put(f, sizeof(cie) + 4, 4), fwrite(&pc, 4, 1, f), put(f, SIZE, 4);
		fwrite(rules, sizeof(rules), 1, f), put(f, 0, 4);
	}
	put(f, 0, 4), put(f, 56 + 5 + SIZE, 4), put(f, now(), 8), put(f, getpid(), 4), put(f, getpid(), 4);
	put(f, (uintptr_t)at, 8), put(f, (uintptr_t)at, 8), put(f, SIZE, 8), put(f, index, 8);
	fwrite("made", 5, 1, f), fwrite(at, SIZE, 1, f), fflush(f);
}
typedef void (*fn)(long, long);
static volatile long sink;
__attribute__((noipa)) static void inner(char *at) { ((fn)at)(512 + 16 * (sink & 7), 100000); sink++; }
__attribute__((noipa)) static void outer(char *at) { inner(at); sink++; }
int main(int argc, char **argv)
{
	char path[64], *page = mmap(0, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *f;
	sprintf(path, "jit-%d.dump", (int)getpid());
	f = fopen(path, "w+");
	put(f, 0x4A695444, 4), put(f, 1, 4), put(f, 40, 4), put(f, 62, 4), put(f, 0, 4), put(f, getpid(), 4), put(f, now(), 8), put(f, 0, 8);
	fflush(f);
	mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0);
	for (int i = 0; i < 4; i++) { /* while it runs, more code is announced */
		char *at = page + i * 4096;
		memcpy(at, code, SIZE);
		announce(f, at, i, argc > 1);
		for (clock_t end = clock() + CLOCKS_PER_SEC / 4; clock() < end;)
			outer(at);
	}
	return 0;
}
C
cc -O2 -fomit-frame-pointer -o made made.c

complete() { # ARGUMENT...: per cent of the chains of ./made that are proved, while recording
	"$PERF" record --no-embed -g -e cpu-clock:u -F 500 -o p.data ./made "$@" >record.out 2>&1
	"$PERF" report --stack-stats -i p.data >stats 2>err || fail "report: $(cat err)"
	sed -n 's/.* \([0-9]*\)\.[0-9]% complete.*/\1/p' stats
}
[ "$(complete)" -lt 50 ] || fail "complete without call frame information: $(cat stats)"
[ "$(complete frames)" -ge 95 ] || fail "with call frame information: $(cat stats)"
"$PERF" script -F ip,sym -i p.data >chains 2>err
awk '!NF { if (c ~ /^made /) n++
	   if (c ~ /^made inner outer main /) right++; c = ""; next }
	{ c = c $2 " " }
	# a busy recorder may read the jitdump after the first samples
	END { print n + 0, right + 0; exit !(n > 200 && right >= n * 0.95) }' chains >count ||
	fail "chains of made, and of those with its callers: $(cat count)"
