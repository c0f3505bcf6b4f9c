/* Loops, a switch, indirect calls of two functions, calls of libc, and a function that is inlined twice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add(int a, int b)
{
	return a + b;
}

static int mix(int a, int b)
{
	return a * 31 ^ b;
}

static inline int step(int s, int i)
{
	if (i % 3 == 0)
		s += i;
	else
		s ^= i << 1;
	return s;
}

static int __attribute__((noinline)) work(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s = step(s, i);
	return s;
}

static int __attribute__((noinline)) choose(int n)
{
	switch (n % 7) {
	case 0:
		return n + 1;
	case 1:
		return n * 3;
	case 2:
		return work(n & 15);
	case 3:
		return -n;
	case 4:
		return n >> 1;
	default:
		return step(n, n);
	}
}

int main(int argc, char **argv)
{
	int (*const functions[])(int, int) = { add, mix };
	int rounds = argc > 1 ? atoi(argv[1]) : 100, s = 0;
	char text[32];

	for (int i = 0; i < rounds; i++) {
		s = functions[i % 5 == 0](s, work(i & 31));
		s += choose(i);
		if (i % 16 == 0) {
			snprintf(text, sizeof(text), "%d", s);
			s += (int)strlen(text);
		}
	}
	printf("%d\n", s);
	return 0;
}
