#include "grains.h"

namespace grains
{

uint64_t scramble(uint64_t x)
{
	for (int i = 0; i < 8; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

Pile::Pile(size_t side) : side_(side), cells_(side * side)
{
}

// Recursive on purpose: the demo wants deep stacks. The depth is bounded; what is left over
// topples with a later grain.
__attribute__((noinline)) void Pile::topple(size_t cell, int depth)
{
	size_t x = cell % side_, y = cell / side_;
	size_t next[4];
	int nr = 0;

	cells_[cell] -= 4;
	topples_++;
	if (x > 0)
		next[nr++] = cell - 1;
	if (x + 1 < side_)
		next[nr++] = cell + 1;
	if (y > 0)
		next[nr++] = cell - side_;
	if (y + 1 < side_)
		next[nr++] = cell + side_;
	for (int i = 0; i < nr; i++)
		if (++cells_[next[i]] >= 4 && depth < 40)
			topple(next[i], depth + 1);
}

void Pile::drop(uint64_t seed, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		seed = scramble(seed + i);
		size_t cell = seed % cells_.size();
		if (++cells_[cell] >= 4)
			topple(cell, 0);
	}
}

} // namespace grains
