/* Signals that interrupt a loop and a system call, and a child that ends. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int nr;

static void count(int number)
{
	(void)number;
	nr++;
}

int main(void)
{
	const struct itimerval timer = { { 0, 20000 }, { 0, 20000 } };
	struct sigaction action = { .sa_handler = count };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	pause();
	if (!fork())
		_exit(0);
	while (nr < 5)
		;
	raise(SIGALRM);
	while (wait(NULL) < 0)
		;
	printf("%d\n", nr);
	return 0;
}
