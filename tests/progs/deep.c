/* deep: goes down some 200 KB of stack, without frame pointers, and uses the CPU there for a second. */
#include <time.h>

static volatile unsigned long sink;

__attribute__((noipa)) static unsigned long down(int n)
{
	volatile char room[2000];

	room[0] = (char)n;
	if (n)
		return down(n - 1) + (unsigned long)room[0];
	while (clock() < CLOCKS_PER_SEC)
		for (int i = 0; i < 20000; i++)
			sink = sink * 7 + (unsigned long)i;
	return sink;
}

int main(void)
{
	return down(100) == 1;
}
