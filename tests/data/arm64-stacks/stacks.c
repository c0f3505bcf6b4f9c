/*
 * Stacks of 64-bit and 32-bit ARM without a library: what the recordings of report-arm64.sh and report-arm.sh
 * are of. Two seconds of work, half of it below a recursion, half in a handler of a signal that interrupts a
 * function without a frame.
 *   aarch64-linux-gnu-gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -fno-stack-protector
 *   -ffreestanding
 *           -mbranch-protection=standard -nostdlib -static -o stacks stacks.c
 *   arm-linux-gnueabihf-gcc -O2 -funwind-tables (and the rest, but for the branch protection)
 */
#include <asm/signal.h>
#include <asm/unistd.h>
#include <linux/time.h>
#define KEEP __attribute__((noipa))

static volatile unsigned long sink;
static volatile int handled;

#ifdef __arm__
static long call(long nr, long a, long b, long c, long d)
{
	register long r7 __asm__("r7") = nr;
	register long r0 __asm__("r0") = a;
	register long r1 __asm__("r1") = b;
	register long r2 __asm__("r2") = c;
	register long r3 __asm__("r3") = d;

	__asm__ volatile("svc 0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2), "r"(r3) : "memory");
	return r0;
}

/* As C libraries have it: all registers lie behind 32 bytes of the signal's frame. */
void restorer(void);
__asm__(".text\n.thumb\n.fnstart\n.save {r0-r15}\n.pad #32\nnop\n"
	".thumb_func\n.type restorer, %function\nrestorer: mov r7, #119\nsvc 0\n.size restorer, "
	".-restorer\n.fnend\n");

struct action {
	void (*handler)(int sig);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask[2];
};
#define ACTION(handler)                         \
	{                                       \
		handler, SA_RESTORER, restorer, \
		{                               \
			0, 0                    \
		}                               \
	}

/* The tables ask for them. */
void __aeabi_unwind_cpp_pr0(void)
{
}
void __aeabi_unwind_cpp_pr1(void)
{
}

#else
static long call(long nr, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}
#define action sigaction
#define ACTION(handler)               \
	{                             \
		.sa_handler = handler \
	}
#endif

KEEP void leaf(void)
{
	for (unsigned long i = 0; i < 100000; i++)
		sink = sink * 7 + i;
}

KEEP long saves_registers(long a, long b, long c)
{
	leaf();
	return sink + a * b + c;
}

KEEP long allocates(long n)
{
	volatile char *p = __builtin_alloca(n);

	p[n - 1] = 1;
	return saves_registers(n, p[n - 1], 3) + p[n - 1];
}

KEEP long aligns(long n)
{
	volatile char room[256] __attribute__((aligned(128)));

	room[n % 256] = 2;
	return allocates(n) + room[n % 256];
}

KEEP long recurses(int depth)
{
	return (depth ? recurses(depth - 1) : aligns(300)) + (long)sink;
}

KEEP void handler(int sig)
{
	for (int i = 0; i < 1500; i++)
		leaf();
	handled = sig;
}

KEEP void interrupted(void)
{
	while (!handled)
		sink++;
}

KEEP long works(void)
{
	struct action act = ACTION(handler);
	struct __kernel_old_itimerval timer = { { 0, 0 }, { 0, 50000 } };
	long sum = 0;

	for (int i = 0; i < 1500; i++)
		sum += recurses(5);
	call(__NR_rt_sigaction, SIGALRM, (long)&act, 0, 8);
	call(__NR_setitimer, 0, (long)&timer, 0, 0);
	interrupted();
	return sum;
}

void _start(void)
{
	call(__NR_exit_group, works() == 1, 0, 0, 0);
}
