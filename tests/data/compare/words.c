/*
 * Two builds to compare: the new one (-DNEW) sorts more slowly, looks words up faster, copies more and scans
 * less, and has another way to write.
 */
#include <stdint.h>
#include <stdlib.h>

static volatile uint64_t sink;

#ifdef NEW
#define BY_BUILD(old, new) (new)
#else
#define BY_BUILD(old, new) (old)
#endif

#define WORK(name)                                                               \
	__attribute__((noinline)) static void name(long n)                       \
	{                                                                        \
		uint64_t x = sink;                                               \
		for (long i = 0; i < n * 1000; i++)                              \
			x = x * 6364136223846793005ull + 1442695040888963407ull; \
		sink += x;                                                       \
	}
#define CALLS(name, ...)                                 \
	__attribute__((noinline)) static void name(void) \
	{                                                \
		__VA_ARGS__;                             \
		sink++;                                  \
	}

WORK(compare)
WORK(merge_runs)
WORK(scan)
WORK(copy)
WORK(hash)
WORK(find_bucket)
WORK(check)
#ifdef NEW
WORK(write_buffered)
#else
WORK(write_each)
#endif

__attribute__((noinline)) static void sort(int depth)
{
	if (depth)
		sort(depth - 1);
	compare(BY_BUILD(12, 20));
	merge_runs(4);
}
CALLS(parse, scan(BY_BUILD(60, 40)), copy(BY_BUILD(40, 60)))
CALLS(lookup, hash(30), find_bucket(BY_BUILD(50, 30)))
CALLS(load, parse(), lookup())
CALLS(store, lookup(), check(25))
#ifdef NEW
CALLS(save, write_buffered(20))
#else
CALLS(save, write_each(45))
#endif

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 300;

	for (long i = 0; i < rounds; i++) {
		load();
		sort(6);
		store();
		save();
		check(2);
	}
	return 0;
}
