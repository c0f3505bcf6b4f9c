/* A mapping: a range of an address space and its file. There may be millions of them. */
#ifndef MODEL_MAP_H
#define MODEL_MAP_H

#include "base/memory/types.h"

struct map {
	u64 start, end;           /* memory addresses, end exclusive */
	u64 pgoff;                /* dso address = address - start + pgoff */
	u32 dso;                  /* idx */
	u32 prot : 8, flags : 24; /* PROT_ and MAP_ bits; flags without its upper byte */
};

struct map_since {
	const struct map *map; /* not owned */
	u32 rank;              /* in force from this rank on: see maps.h */
};

static inline u64 map__dso_addr(const struct map *m, u64 addr)
{
	return addr - m->start + m->pgoff;
}

#endif
