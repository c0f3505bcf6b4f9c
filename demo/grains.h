// A sandpile: the shared library of the demo program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace grains
{

// A square table on which grains are dropped; a cell with four of them topples onto its neighbours.
class Pile
{
      public:
	explicit Pile(size_t side);
	void drop(uint64_t seed, size_t count);
	uint64_t topples() const
	{
		return topples_;
	}

      private:
	void topple(size_t cell, int depth);
	size_t side_;
	std::vector<uint8_t> cells_;
	uint64_t topples_ = 0;
};

uint64_t scramble(uint64_t x);

} // namespace grains
