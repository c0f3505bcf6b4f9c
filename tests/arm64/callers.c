/*
 * Code with call frame information that calls code without it (nocfi.c), from frames of several shapes.
 * callers [MS]
 */
#include <alloca.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define KEEP __attribute__((noipa))

unsigned long without_cfi(unsigned n, unsigned long (*back)(unsigned));

static volatile unsigned long sink;

KEEP static unsigned long back(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink = sink * 5 + i;
	return sink;
}

KEEP static unsigned long small(unsigned n)
{
	return without_cfi(n, back) + 1;
}

KEEP static unsigned long large(unsigned n)
{
	volatile char room[700];

	room[n % sizeof(room)] = 1;
	return small(n) + without_cfi(n, back) + (unsigned long)room[n % sizeof(room)];
}

KEEP static unsigned long many_registers(unsigned a, unsigned b, unsigned c, unsigned d)
{
	unsigned long sum = large(a);

	return sum * a + without_cfi(b, back) * c + d;
}

KEEP static unsigned long allocates(unsigned n)
{
	char *room = alloca(n + 16);

	memset(room, 0, n + 16);
	return many_registers(n, n + 1, n + 2, n + 3) + without_cfi(n, back) + (unsigned long)room[n];
}

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 500;
	clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);

	while (clock() < end)
		for (unsigned i = 100; i < 120; i++)
			sink += allocates(i);
	return 0;
}
