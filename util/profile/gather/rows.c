#include "profile/gather/rows.h"

#include "base/memory/hash.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROW_SLOTS_MIN = 1 << 10,
	ROW_KEY_WORDS = sizeof(struct row_key) / 8,
};

_Static_assert(sizeof(struct row_key) % 8 == 0, "row_key is hashed by words");
_Static_assert(sizeof(struct row_key) == 8 + 12 * 4, "row_key has no padding");

void row_table__init(struct row_table *t, bool numbered)
{
	*t = (struct row_table){ .mask = ROW_SLOTS_MIN - 1 };
	t->slots = xcalloc_table(ROW_SLOTS_MIN, sizeof(*t->slots));
	if (numbered)
		t->numbers = xcalloc(ROW_SLOTS_MIN, sizeof(*t->numbers));
}

void row_table__end(struct row_table *t)
{
	free(t->slots);
	free(t->numbers);
	t->slots = NULL;
	t->numbers = NULL;
}

void row_table__exit(struct row_table *t)
{
	arena__exit(&t->arena);
	row_table__end(t);
	array__exit(&t->rows);
}

/*
 * Multiply each word by its own constant, so that the multiplications are independent: this runs for each
 * sample.
 */
u64 row_key__hash(const struct row_key *key, const u64 *chain)
{
	static const u64 factors[] = {
		0x9e3779b97f4a7c15, 0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53, 0xbf58476d1ce4e5b9,
		0x94d049bb133111eb, 0xd6e8feb86659fd93, 0xa0761d6478bd642f,
	};
	u64 words[ROW_KEY_WORDS], h = 0;

	_Static_assert(ARRAY_SIZE(factors) == ROW_KEY_WORDS, "a factor for each word");
	memcpy(words, key, sizeof(words));
	for (size_t i = 0; i < ROW_KEY_WORDS; i++)
		h += words[i] * factors[i];
	return row_key__nr_words(key) ? hash__words(chain, row_key__nr_words(key), h) : hash__u64(h);
}

static row_slot row_slot__of(struct row *row)
{
	return (u64)(uintptr_t)row | row->hash >> 48 << 48;
}

static void row_table__grow(struct row_table *t)
{
	size_t mask = t->mask * 2 + 1;
	row_slot *slots = xcalloc_table(mask + 1, sizeof(*slots));
	u32 *numbers = t->numbers ? xcalloc(mask + 1, sizeof(*numbers)) : NULL;

	for (size_t i = 0; i < t->rows.nr; i++) {
		size_t pos = t->rows.v[i]->hash & mask;

		while (slots[pos])
			pos = (pos + 1) & mask;
		slots[pos] = row_slot__of(t->rows.v[i]);
		if (numbers)
			numbers[pos] = (u32)i;
	}
	row_table__end(t);
	t->slots = slots;
	t->numbers = numbers;
	t->mask = mask;
}

/* Return the slot of an equal row, or the free slot where it belongs. */
static row_slot *row_table__slot(const struct row_table *t, u64 hash, const struct row_key *key,
				 const u64 *chain)
{
	for (size_t pos = hash & t->mask;; pos = (pos + 1) & t->mask) {
		row_slot *slot = &t->slots[pos];
		const struct row *row = row_slot__row(*slot);

		if (!*slot)
			return slot;
		if (*slot >> 48 == hash >> 48 && row->hash == hash && !memcmp(&row->key, key, sizeof(*key)) &&
		    !memcmp(row->chain, chain, row_key__nr_words(key) * sizeof(*chain)))
			return slot;
	}
}

static void row_table__put(struct row_table *t, row_slot *slot, struct row *row)
{
	*slot = row_slot__of(row);
	if (t->numbers)
		t->numbers[slot - t->slots] = (u32)t->rows.nr;
	array__add(&t->rows, row);
	if (t->rows.nr * 2 > t->mask)
		row_table__grow(t);
}

static void row__first(struct row *row, u64 time, u64 offset, u32 thread, u32 pid, u32 tid)
{
	if (time > row->first_time || (time == row->first_time && offset >= row->first_offset))
		return;
	row->first_time = time;
	row->first_offset = offset;
	row->first_thread = thread;
	row->first_pid = pid;
	row->first_tid = tid;
}

u32 row_table__count(struct row_table *t, u64 hash, const struct row_key *key, const u64 *chain,
		     const struct row_sample *s)
{
	row_slot *slot = row_table__slot(t, hash, key, chain);
	struct row *row = row_slot__row(*slot);
	u32 number = row && t->numbers ? t->numbers[slot - t->slots] : (u32)t->rows.nr;
	size_t size = row_key__nr_words(key) * sizeof(*chain);

	if (unlikely(!row)) {
		row = arena__alloc(&t->arena, sizeof(*row) + size);
		*row = (struct row){ .hash = hash,
				     .key = *key,
				     .rank = s->rank,
				     .first_time = UINT64_MAX,
				     .first_offset = UINT64_MAX };
		memcpy(row->chain, chain, size);
		row_table__put(t, slot, row);
	}
	row->nr++;
	row->period += s->period;
	row__first(row, s->time, s->offset, s->thread, s->pid, s->tid);
	return number;
}

u32 *row_table__merge(struct row_table *t, struct row_table *from)
{
	u32 *numbers = t->numbers ? xcalloc(from->rows.nr + 1, sizeof(*numbers)) : NULL;

	for (size_t i = 0; i < from->rows.nr; i++) {
		struct row *f = from->rows.v[i];
		row_slot *slot = row_table__slot(t, f->hash, &f->key, f->chain);
		struct row *row = row_slot__row(*slot);

		if (numbers)
			numbers[i] = row ? t->numbers[slot - t->slots] : (u32)t->rows.nr;
		if (!row) {
			row_table__put(t, slot, f);
			continue;
		}
		row->nr += f->nr;
		row->period += f->period;
		row__first(row, f->first_time, f->first_offset, f->first_thread, f->first_pid, f->first_tid);
	}
	return numbers;
}

/* ---- order ---- */

struct numbered_row {
	struct row *row;
	u32 number;
};

/* Rows have the same first record if it counts for several events (:S), or is in a compressed one. */
static int numbered_row__compare(const void *a, const void *b)
{
	const struct row *x = ((const struct numbered_row *)a)->row,
			 *y = ((const struct numbered_row *)b)->row;

	if (x->first_time != y->first_time)
		return x->first_time < y->first_time ? -1 : 1;
	if (x->first_offset != y->first_offset)
		return x->first_offset < y->first_offset ? -1 : 1;
	return (x->hash > y->hash) - (x->hash < y->hash);
}

u32 *row_table__sort(struct row_table *t)
{
	struct numbered_row *rows = xcalloc(t->rows.nr + 1, sizeof(*rows));
	u32 *numbers = xcalloc(t->rows.nr + 1, sizeof(*numbers));

	for (size_t i = 0; i < t->rows.nr; i++)
		rows[i] = (struct numbered_row){ t->rows.v[i], (u32)i };
	qsort(rows, t->rows.nr, sizeof(*rows), numbered_row__compare);
	for (size_t i = 0; i < t->rows.nr; i++) {
		t->rows.v[i] = rows[i].row;
		numbers[rows[i].number] = (u32)i;
	}
	free(rows);
	return numbers;
}
