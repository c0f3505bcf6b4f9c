/*
 * A 32-bit program without a C library, which any gcc for x86-64 can build: cc -m32 -nostdlib -static.
 * Writes its vdso to standard output, then runs leaf, mid and top, each called by the next one, and enters
 * the vdso from enters.
 */
enum {
	SYS_EXIT = 1,
	SYS_WRITE = 4,
	SYS_GETPID = 20,
	AT_SYSINFO = 32,
	AT_SYSINFO_EHDR = 33,
	VDSO_BYTES = 8192
};

#define KEEP __attribute__((noipa))

static volatile unsigned sum;
static long vsyscall;

/* The outermost function. Its stack has argc, argv, the environment, and the auxiliary vector. */
__asm__(".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined eip\n"
	"	mov %esp, %eax\n"
	"	and $-16, %esp\n"
	"	sub $12, %esp\n"
	"	push %eax\n"
	"	call run\n"
	"	hlt\n"
	"	.cfi_endproc\n"
	"	.size _start, . - _start\n");

static long call_kernel(long nr, long a, long b, long c)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(nr), "b"(a), "c"(b), "d"(c) : "memory");
	return ret;
}

KEEP static void leaf(void)
{
	for (unsigned i = 0; i < 20000; i++)
		sum += i;
}

KEEP static void mid(unsigned n)
{
	unsigned kept[8] = { n };

	leaf();
	sum += kept[n % 8];
}

KEEP static void top(unsigned n)
{
	mid(n + 1);
	sum++;
}

KEEP static void enters(void)
{
	for (unsigned i = 0; i < 200; i++) {
		long ret = SYS_GETPID;

		__asm__ volatile("call *%1" : "+a"(ret) : "m"(vsyscall) : "memory");
		sum += (unsigned)ret;
	}
}

/* Not static: _start calls it. */
KEEP void run(long *stack)
{
	long *aux = stack + 1 + stack[0] + 1;
	long vdso = 0;

	while (*aux++)
		;
	for (; *aux; aux += 2) {
		if (aux[0] == AT_SYSINFO)
			vsyscall = aux[1];
		if (aux[0] == AT_SYSINFO_EHDR)
			vdso = aux[1];
	}
	call_kernel(SYS_WRITE, 1, vdso, vdso ? VDSO_BYTES : 0);
	for (unsigned i = 0; i < 6000; i++) {
		top(i);
		if (vsyscall)
			enters();
	}
	call_kernel(SYS_EXIT, 0, 0, 0);
}
