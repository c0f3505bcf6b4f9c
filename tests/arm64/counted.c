/*
 * Does each of four things 300 times, in a function of its own: calls a function, writes a variable, asks the
 * kernel for the parent, touches a page for the first time.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>
#define KEEP __attribute__((noipa))
enum { TIMES = 300 };

volatile int written;

KEEP int called(int n)
{
	return n + 1;
}

KEEP static int calls(int n)
{
	return called(n) + 1;
}

KEEP static int writes(int n)
{
	written = n;
	return n + 1;
}

KEEP static int asks(int n)
{
	return (int)getppid() + n;
}

KEEP static int touches(volatile char *page, int n)
{
	if (n)
		*page = 1;
	return n + 1;
}

int main(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, TIMES * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int sum = 0;

	if (pages == MAP_FAILED)
		return 1;
	madvise(pages, TIMES * size, MADV_NOHUGEPAGE);
	sum += touches(pages, 0); /* its code is in memory from now on */
	for (int i = 1; i <= TIMES; i++) {
		sum += calls(i);
		sum += writes(i);
		sum += asks(i);
		sum += touches(pages + (size_t)(i - 1) * size, i);
	}
	return sum == 0;
}
