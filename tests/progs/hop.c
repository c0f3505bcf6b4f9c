/*
 * hop FROM TO PROGRAM: goes to CPU FROM, reads its standard input to the end, and executes PROGRAM FROM TO.
 * hop FROM TO: spins on CPU TO for 0.15 s of CPU time. So PROGRAM, a copy of this one, is executed and mapped
 * on one CPU and runs on another.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void go_to(const char *cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(atoi(cpu), &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("sched_setaffinity");
		exit(1);
	}
}

__attribute__((noinline)) static void spin_there(void)
{
	while (clock() < 15 * CLOCKS_PER_SEC / 100)
		for (volatile int i = 0; i < 100000; i++)
			;
}

int main(int argc, char **argv)
{
	char c;

	if (argc < 3)
		return 2;
	if (argc == 3) {
		go_to(argv[2]);
		spin_there();
		return 0;
	}
	go_to(argv[1]);
	while (read(0, &c, 1) > 0)
		;
	execl(argv[3], argv[3], argv[1], argv[2], (char *)NULL);
	perror(argv[3]);
	return 1;
}
