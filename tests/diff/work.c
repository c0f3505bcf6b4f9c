/*
 * A program whose functions take known parts of its time. SORT: 1000 times its work; 100 is what parse
 * takes.
 */
#include <stdint.h>
#include <stdlib.h>

static volatile uint64_t sink;

#ifdef LONGER /* nobody calls it: all that follows is elsewhere */
__attribute__((noinline, used)) static uint64_t unused(uint64_t x)
{
	return sink * x ^ x >> 3;
}
#endif

#define WORK(name, seed)                                                         \
	__attribute__((noinline)) static void name(long n)                       \
	{                                                                        \
		uint64_t x = (seed);                                             \
		for (long i = 0; i < n; i++)                                     \
			x = x * 6364136223846793005ull + 1442695040888963407ull; \
		sink += x;                                                       \
	}
WORK(sort, 1)
WORK(parse, 2)

#ifdef INLINE
__attribute__((always_inline)) static inline
#else
__attribute__((noinline)) static
#endif
	uint64_t
	hash(uint64_t x)
{
	for (long i = 0; i < 80000; i++)
		x = x * 6364136223846793005ull + 1442695040888963407ull;
	return x;
}

__attribute__((noinline)) static void index_words(void)
{
	sink += hash(sink) * 3;
}

WORK(emit, 4)
#ifdef NAME
WORK(NAME, 5)
#else
WORK(lookup, 5)
#endif

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 300;

	for (long i = 0; i < rounds; i++) {
		sort(SORT * 1000L);
		parse(PARSE * 1000L);
		index_words();
		emit(60000);
#ifdef NAME
		NAME(40000);
#else
		lookup(40000);
#endif
	}
	return 0;
}
