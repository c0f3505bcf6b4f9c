#include "profile/rows/row_parts.h"

#include <string.h>

static bool row_parts__value_is(const struct row_parts *p, u32 value, const struct row_extra *extra)
{
	const u64 *words = row_parts__extra(p, value).v;
	u64 differences = 0;

	for (u32 i = 0; i < p->nr_words; i++)
		differences |= words[i] ^ extra->v[i];
	return !differences;
}

/* Return the index of a value, perhaps a new one. */
static u32 row_parts__value(struct row_parts *p, const struct row_extra *extra)
{
	u64 hash;
	u32 i;

	if (p->values.nr && row_parts__value_is(p, p->last, extra))
		return p->last;
	p->nr_words = extra->nr;
	hash = hash__words(extra->v, extra->nr, 0);
	hash_table__for_each (&p->by_words, hash, i)
		if (row_parts__value_is(p, i, extra))
			return p->last = i;
	p->last = (u32)p->values.nr;
	hash_table__insert(&p->by_words, hash, p->last);
	array__add(&p->values, ((struct row_value){ NULL, NULL }));
	for (u32 k = 0; k < extra->nr; k++)
		array__add(&p->words, extra->v[k]);
	return p->last;
}

static struct row_part *row_parts__add(struct row_parts *p, u32 row, u32 value)
{
	struct row_part *part = arena__alloc(&p->arena, sizeof(*part));
	struct row_value *v = &p->values.v[value];

	*part = (struct row_part){
		.before = v->newest, .first_time = UINT64_MAX, .first_offset = UINT64_MAX, .row = row
	};
	if (!v->newest)
		v->oldest = part;
	v->newest = part;
	p->nr++;
	return part;
}

void row_parts__count(struct row_parts *p, u32 row, const struct row_extra *extra, const struct row_sample *s)
{
	u32 value = row_parts__value(p, extra);
	struct row_newest *newest;
	struct row_part *part;

	while (p->newest.nr <= row)
		array__add(&p->newest, ((struct row_newest){ NULL, 0 }));
	newest = &p->newest.v[row];
	if (!newest->part || newest->value != value || newest->part->nr > UINT32_MAX - s->nr)
		*newest = (struct row_newest){ row_parts__add(p, row, value), value };
	part = newest->part;
	part->nr += s->nr;
	part->period += s->period;
	if (s->time > part->first_time || (s->time == part->first_time && s->offset >= part->first_offset))
		return;
	part->first_time = s->time;
	part->first_offset = s->offset;
	part->first_thread = s->thread;
	part->first_pid = s->pid;
	part->first_tid = s->tid;
}

static void row_parts__leave_arena(struct row_parts *p)
{
	array__exit(&p->values);
	array__exit(&p->words);
	array__exit(&p->newest);
	hash_table__exit(&p->by_words);
}

void row_parts__merge(struct row_parts *p, struct row_parts *from, const u32 *numbers)
{
	for (size_t i = 0; i < from->values.nr; i++) {
		struct row_extra extra = row_parts__extra(from, i);
		u32 value = row_parts__value(p, &extra);
		struct row_value *f = &from->values.v[i], *v = &p->values.v[value];

		for (struct row_part *part = f->newest; part; part = part->before)
			part->row = numbers[part->row];
		f->oldest->before = v->newest;
		v->oldest = v->newest ? v->oldest : f->oldest;
		v->newest = f->newest;
	}
	p->nr += from->nr;
	row_parts__leave_arena(from);
}

void row_parts__exit(struct row_parts *p)
{
	row_parts__leave_arena(p);
	arena__exit(&p->arena);
}
