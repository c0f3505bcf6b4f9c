#include "profile/side_by_side/cycles_noise.h"

#include <math.h>

static double block_cycles__mean(const struct block_cycles *b)
{
	return (double)b->cycles / (double)b->nr;
}

/* Return the square of the standard error of the mean. */
static double block_cycles__error2(const struct block_cycles *b)
{
	double mean = block_cycles__mean(b), sum = 0, nr = (double)b->nr;

	for (size_t i = 0; i < b->nr_counts; i++)
		sum += (double)b->counts[i].nr * pow((double)b->counts[i].cycles - mean, 2);
	return sum / (nr - 1) / nr;
}

static void block_cycles__limits(const struct block_cycles *b, u32 *least, u32 *most)
{
	for (size_t i = 0; i < b->nr_counts; i++) {
		*least = MIN(*least, b->counts[i].cycles);
		*most = MAX(*most, b->counts[i].cycles);
	}
}

static void cycles_noise__fill(struct cycles_noise *n, const struct block_cycles *b, u32 least, u32 most)
{
	for (size_t i = 0; i < b->nr_counts; i++) {
		u32 bar =
			most > least ? (b->counts[i].cycles - least) * (CYCLES_BARS - 1) / (most - least) : 0;

		n->bars[bar] += (double)b->counts[i].nr / (double)b->nr;
	}
}

bool cycles_noise__find(struct cycles_noise *n, const struct block_cycles *old,
			const struct block_cycles *new)
{
	u32 least = UINT32_MAX, most = 0;
	double difference, largest = 0;

	*n = (struct cycles_noise){ 0 };
	if (old->nr < 2 || new->nr < 2)
		return false;
	difference = block_cycles__mean(new) - block_cycles__mean(old);
	if (difference == 0)
		return false;
	n->error = 100 * sqrt(block_cycles__error2(old) + block_cycles__error2(new)) / fabs(difference);
	block_cycles__limits(old, &least, &most);
	block_cycles__limits(new, &least, &most);
	cycles_noise__fill(n, old, least, most);
	cycles_noise__fill(n, new, least, most);
	for (u32 i = 0; i < CYCLES_BARS; i++)
		largest = MAX(largest, n->bars[i]);
	for (u32 i = 0; i < CYCLES_BARS; i++)
		n->bars[i] /= largest;
	return true;
}
