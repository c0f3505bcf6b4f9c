#include "profile/gather/row_parts.h"

#include <string.h>

enum { PART_WORDS = sizeof(struct row_part) / sizeof(u64) };

_Static_assert(sizeof(struct row_part) % sizeof(u64) == 0, "parts are arrays of words");

static struct row_part *row_parts__at(const struct row_parts *p, size_t pos)
{
	return (struct row_part *)(void *)(p->v.v + pos);
}

static struct row_part *row_parts__add(struct row_parts *p, u32 row, const struct row_extra *extra)
{
	size_t pos = p->v.nr, size = PART_WORDS + extra->nr;
	struct row_part *part;

	p->nr_words = extra->nr;
	array__reserve(&p->v, pos + size);
	p->v.nr += size;
	p->newest.v[row] = pos + 1;
	part = row_parts__at(p, pos);
	*part = (struct row_part){ .row = row, .first_time = UINT64_MAX, .first_offset = UINT64_MAX };
	memcpy(part->words, extra->v, extra->nr * sizeof(*extra->v));
	return part;
}

void row_parts__count(struct row_parts *p, u32 row, const struct row_extra *extra, const struct row_sample *s)
{
	struct row_part *part = NULL;

	while (p->newest.nr <= row)
		array__add(&p->newest, 0);
	if (p->newest.v[row])
		part = row_parts__at(p, p->newest.v[row] - 1);
	if (!part || memcmp(part->words, extra->v, extra->nr * sizeof(*extra->v)) ||
	    part->nr > UINT32_MAX - s->nr)
		part = row_parts__add(p, row, extra);
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

void row_parts__end(struct row_parts *p, const u32 *numbers)
{
	array__exit(&p->newest);
	for (size_t pos = 0; numbers && pos < p->v.nr; pos += PART_WORDS + p->nr_words) {
		struct row_part *part = row_parts__at(p, pos);

		part->row = numbers[part->row];
	}
}

void row_parts__exit(struct row_parts *p)
{
	array__exit(&p->v);
	array__exit(&p->newest);
}

const struct row_part *row_parts__next(const struct row_parts *p, size_t *pos)
{
	size_t at = *pos;

	if (at >= p->v.nr)
		return NULL;
	*pos += PART_WORDS + p->nr_words;
	return row_parts__at(p, at);
}
