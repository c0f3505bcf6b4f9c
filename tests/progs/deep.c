/*
 * deep [MS]: goes down some 200 KB of stack, without frame pointers, and uses the CPU there for so many ms,
 * or a second.
 */
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;
static clock_t until = CLOCKS_PER_SEC;

__attribute__((noipa)) static unsigned long down(int n)
{
	volatile char room[2000];

	room[0] = (char)n;
	if (n)
		return down(n - 1) + (unsigned long)room[0];
	while (clock() < until)
		for (int i = 0; i < 20000; i++)
			sink = sink * 7 + (unsigned long)i;
	return sink;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		until = CLOCKS_PER_SEC / 1000 * atoi(argv[1]);
	return down(100) == 1;
}
