/* Thirty-two functions, f0 to f31, for recordings by function_samples.py. They do nothing. */
static volatile long sink;

#define ONE(n)                                                              \
	__attribute__((noinline, used, aligned(64))) static void f##n(void) \
	{                                                                   \
		sink += n;                                                  \
	}
#define FOUR(a, b, c, d) ONE(a) ONE(b) ONE(c) ONE(d)

FOUR(0, 1, 2, 3)
FOUR(4, 5, 6, 7)
FOUR(8, 9, 10, 11)
FOUR(12, 13, 14, 15)
FOUR(16, 17, 18, 19)
FOUR(20, 21, 22, 23)
FOUR(24, 25, 26, 27)
FOUR(28, 29, 30, 31)

int main(void)
{
	return 0;
}
