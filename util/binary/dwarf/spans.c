#include "binary/dwarf/spans.h"

/* How many ranges before the nearest one are checked when ranges overlap. */
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
	const struct span *v = s->v.v;
	size_t behind =
		bisect(i, 0, s->v.nr, v[i].group < group || (v[i].group == group && v[i].low <= addr));

	for (size_t i = behind; i-- && v[i].group == group && behind - i <= LOOK_BACK;)
		if (addr < v[i].high)
			return v[i].id;
	return UINT32_MAX;
}
