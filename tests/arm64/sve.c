/*
 * Functions with scalable vectors on their stacks: their frames' size depends on the length of a vector. sve
 * [MS]
 */
#include <arm_sve.h>
#include <stdlib.h>
#include <time.h>
#define KEEP __attribute__((noipa))

static volatile unsigned long sink;

KEEP static void work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink = sink * 7 + i;
}

/* A leaf whose frame is of vectors only. */
KEEP static uint64_t spills(svuint64_t v)
{
	svuint64_t rooms = v;
	uint64_t sum = 0;

	__asm__ volatile("" : : "r"(&rooms) : "memory");
	for (unsigned k = 0; k < 6000; k++)
		sum = sum * 7 + sink;
	return sum + svaddv_u64(svptrue_b64(), rooms);
}

/* Vectors live across calls. */
KEEP static uint64_t recurses(svuint64_t a, unsigned depth)
{
	svuint64_t b = svadd_n_u64_z(svptrue_b64(), a, depth);
	uint64_t sum = depth ? recurses(b, depth - 1) : spills(b);

	work(500);
	return sum + svaddv_u64(svptrue_b64(), b) + svaddv_u64(svptrue_b64(), a);
}

/* Local vectors whose address is taken, behind a call that has none. */
KEEP static uint64_t plain(unsigned depth)
{
	uint64_t sum = recurses(svindex_u64(depth, 3), 4);

	work(1000);
	return sum + depth;
}

KEEP static uint64_t keeps(unsigned depth)
{
	svuint64_t v = svdup_u64(depth);
	uint64_t room[256], sum = plain(depth);

	svst1_u64(svptrue_b64(), room, v);
	work(1000);
	return sum + room[depth % svcntd()];
}

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 500;
	clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);

	while (clock() < end)
		for (unsigned i = 0; i < 50; i++)
			sink += keeps(i);
	return 0;
}
