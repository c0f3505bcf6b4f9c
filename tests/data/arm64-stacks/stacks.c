/*
 * Stacks of arm64 without a library: what report-arm64.sh's recordings are of. Two seconds of work, half of it below a
 * recursion, half in a handler of a signal that interrupts a function without a frame.
 *   aarch64-linux-gnu-gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -fno-stack-protector -ffreestanding
 *           -mbranch-protection=standard -nostdlib -static -o stacks stacks.c
 */
#include <asm/signal.h>
#include <asm/unistd.h>
#include <linux/time.h>
#define KEEP __attribute__((noipa))

static volatile unsigned long sink;
static volatile int handled;

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
	struct sigaction act = { .sa_handler = handler };
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
