/*
 * For report-inline.sh: time is spent in inlined functions, and below calls that are the last thing in one.
 */
#define INLINED static inline __attribute__((always_inline))

static volatile unsigned long sink;

INLINED unsigned long inner(unsigned long x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ul;
	return x ^ x >> 27;
}

INLINED unsigned long middle(unsigned long x)
{
	return inner(x) + inner(~x);
}

__attribute__((noinline)) unsigned long outer(unsigned long n)
{
	unsigned long sum = 0;

	__asm__ volatile("" : : "r"(__builtin_frame_address(0))); /* there is one */
	for (unsigned long i = 0; i < n; i++)
		sum += middle(i);
	sink += sum;
	return sum;
}

INLINED void passes_on(unsigned long n)
{
	outer(n);
}

__attribute__((noinline)) void caller(unsigned long n)
{
	passes_on(n);
	sink++;
}

/* The same function inlined elsewhere. */
__attribute__((noinline)) void another(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += inner(i);
}

int main(void)
{
	for (int i = 0; i < 60; i++) {
		caller(2000000);
		another(500000);
	}
	return 0;
}
