#include "base/system/stack.h"

#include "base/memory/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define start_switch(stack) __sanitizer_start_switch_fiber(NULL, stack, STACK_SIZE)
#define finish_switch() __sanitizer_finish_switch_fiber(NULL, NULL, NULL)
#else
#define start_switch(stack) ((void)(stack))
#define finish_switch()
#endif

/* makecontext passes no pointers */
static struct {
	int (*fn)(int argc, const char **argv);
	int argc;
	const char **argv;
} call;

static void run_call(void)
{
	finish_switch();
	exit(call.fn(call.argc, call.argv)); /* as main does when it returns */
}

static void set_thread_size(void)
{
	pthread_attr_t attr;

	if (pthread_attr_init(&attr))
		return;
	if (!pthread_attr_setstacksize(&attr, STACK_SIZE))
		pthread_setattr_default_np(&attr);
	pthread_attr_destroy(&attr);
}

/* Return STACK_SIZE bytes, with a page below them whose access ends the program. */
static char *map_stack(void)
{
	size_t guard = (size_t)sysconf(_SC_PAGESIZE);
	char *map = mmap(NULL, guard + STACK_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	if (map == MAP_FAILED || mprotect(map + guard, STACK_SIZE, PROT_READ | PROT_WRITE))
		die_out_of_memory();
	return map + guard;
}

int stack__run(int (*fn)(int argc, const char **argv), int argc, const char **argv)
{
	static ucontext_t context;
	struct rlimit r;
	char *stack;

	set_thread_size();
	if (getrlimit(RLIMIT_STACK, &r) || r.rlim_cur >= STACK_SIZE)
		return fn(argc, argv);
	stack = map_stack();
	call.fn = fn;
	call.argc = argc;
	call.argv = argv;
	getcontext(&context);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = STACK_SIZE;
	makecontext(&context, run_call, 0);
	start_switch(stack);
	setcontext(&context);
	return 128; /* not reached */
}
