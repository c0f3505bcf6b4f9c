/*
 * A signal handler that returns to code without CFI, the program's own: restorer FORM. The kernel takes the
 * code from sigaction on x86-64 and arm64; musl, Go and others do so, too.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define RESTORER(name, ...)                                                                                \
	extern const char name[];                                                                          \
	__asm__(".text\n.balign 16\n.type " #name ", %function\n" #name ":\n" __VA_ARGS__ "\n.size " #name \
		", . - " #name "\n")

#if defined(__x86_64__)
RESTORER(restore_0, "mov $15, %rax; syscall");
RESTORER(restore_1, "mov $15, %eax; syscall");
RESTORER(restore_2, "push $15; pop %rax; syscall");
RESTORER(restore_3, "endbr64; xor %eax, %eax; mov $15, %al; syscall");
#elif defined(__aarch64__)
RESTORER(restore_0, "mov x8, #139; svc #0");
RESTORER(restore_1, "mov w8, #139; svc #0");
RESTORER(restore_2, "nop; mov x8, #139; svc #0");
RESTORER(restore_3, "hint #34; mov x8, #139; svc #0");
#endif

static volatile unsigned long sum, handled;

__attribute__((noinline)) void in_handler(void)
{
	for (int i = 0; i < 300000; i++)
		sum += (unsigned long)i;
	handled++;
}

static void handler(int signal)
{
	(void)signal;
	in_handler();
	sum++;
}

__attribute__((noinline)) void interrupted(void)
{
	while (handled < 500)
		sum++;
}

__attribute__((noinline)) void outer(void)
{
	interrupted();
	sum++;
}

int main(int argc, char **argv)
{
	const struct itimerval every = { { 0, 1000 }, { 0, 1000 } };

	if (argc > 1) {
#if defined(__x86_64__) || defined(__aarch64__)
		const char *const restorers[] = { restore_0, restore_1, restore_2, restore_3 };
		struct {
			void (*handler)(int);
			unsigned long flags;
			const char *restorer;
			unsigned long mask;
		} action = { handler, 0x04000000 /* SA_RESTORER */, restorers[atoi(argv[1]) & 3], 0 };

		if (syscall(SYS_rt_sigaction, SIGALRM, &action, NULL, sizeof(action.mask)))
			return 1;
#else
		return 77;
#endif
	} else {
		signal(SIGALRM, handler);
	}
	if (setitimer(ITIMER_REAL, &every, NULL))
		return 1;
	outer();
	return 0;
}
