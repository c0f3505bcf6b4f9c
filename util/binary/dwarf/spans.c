#include "binary/dwarf/spans.h"

/* How many ranges before the nearest one are tried, when they overlap. */
enum { LOOK_BACK = 16 };

void spans__exit(struct spans *s)
{
	array__exit(&s->v);
}

static int compare(const void *x, const void *y)
{
	const struct span *a = x, *b = y;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->id > b->id ? -1 : a->id < b->id;
}

void spans__sort(struct spans *s)
{
	if (s->v.nr > 1)
		qsort(s->v.v, s->v.nr, sizeof(*s->v.v), compare);
}

u32 spans__find(const struct spans *s, u32 group, u64 addr)
{
	size_t lo = 0, hi = s->v.nr;

	while (lo < hi) { /* the first one that starts behind addr */
		size_t mid = lo + (hi - lo) / 2;
		const struct span *m = &s->v.v[mid];

		if (m->group > group || (m->group == group && m->low > addr))
			hi = mid;
		else
			lo = mid + 1;
	}
	for (size_t i = lo; i-- && s->v.v[i].group == group && lo - i <= LOOK_BACK;)
		if (addr < s->v.v[i].high)
			return s->v.v[i].id;
	return UINT32_MAX;
}
