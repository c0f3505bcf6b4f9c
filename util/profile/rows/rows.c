#include "profile/rows/rows.h"

#include "base/memory/hash.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROW_SLOTS_MIN = 1 << 10,
	AHEAD = 8, /* rows to prefetch ahead when merging and reading */
	FREQUENT_ROWS = 1 << 9,
	FREQUENT_EVERY = 1 << 5, /* samples of a row until it is frequent */
	ADDRESS_SLOTS_MIN = 1 << 8,
	CONTEXT_WORDS = 10,      /* of 32 bits: the fields of a key from event to cpu */
	NUMBERS_SHORT = 1 << 16, /* smaller ones take 2 bytes */
};

_Static_assert(sizeof(struct row_key) == 16 + CONTEXT_WORDS * 4, "row_key has no padding");
_Static_assert(offsetof(struct row_key, nr_chain) - offsetof(struct row_key, event) == CONTEXT_WORDS * 4,
	       "a context is what is between ip and nr_chain");

struct row_context { /* data that many rows share */
	u32 words[CONTEXT_WORDS];
	u32 rank;
	u32 addresses; /* index in row_table.addresses */
};

struct row_thread { /* of a sample */
	u32 thread, pid, tid;
};

struct address_slot {
	u64 address;
	u32 number; /* + 1; 0: free */
};

struct packed_row {
	u64 period, first_time, first_offset;
	u32 nr;
	u32 hash;     /* lower half */
	u32 context;  /* index in row_table.contexts */
	u32 thread;   /* of the earliest sample: index in row_table.threads */
	u32 nr_chain; /* words, and the flags below */
	/*
	 * numbers of ip and of the chain's addresses: u16, or u32 with ROW_IS_WIDE; with ROW_HAS_EXTRA
	 * then, at a multiple of 8, the number of words of the extra, and they
	 */
	u16 numbers[];
};

enum { ROW_IS_WIDE = 1u << 31, ROW_HAS_EXTRA = 1u << 30, ROW_NR_CHAIN = (1u << 30) - 1 };

/* A row that was counted often, with its key unpacked: it is found without comparing packed chains. */
struct frequent_row {
	struct packed_row *row;
	u32 number; /* index in row_table.rows */
	struct row_key key;
	u32 nr_extra;
	ARRAY(u64) words; /* of the chain, then of the extra */
};

struct frequent_rows {             /* a cache, by hash */
	u64 hashes[FREQUENT_ROWS]; /* 0: free */
	struct frequent_row v[FREQUENT_ROWS];
};

struct row_unpacked {
	struct row row;
	ARRAY(u64) words;
};

void row_table__init(struct row_table *t, bool numbered)
{
	*t = (struct row_table){ .mask = ROW_SLOTS_MIN - 1 };
	t->slots = xcalloc_table(ROW_SLOTS_MIN, sizeof(*t->slots));
	if (numbered)
		t->numbers = xcalloc(ROW_SLOTS_MIN, sizeof(*t->numbers));
	array__add(&t->addresses, ((struct row_addresses){ .mask = ADDRESS_SLOTS_MIN - 1 }));
	t->addresses.v->slots = xcalloc(ADDRESS_SLOTS_MIN, sizeof(*t->addresses.v->slots));
	t->unpacked = xcalloc(1, sizeof(*t->unpacked));
	t->frequent = xcalloc(1, sizeof(*t->frequent));
}

void row_table__end(struct row_table *t)
{
	free(t->slots);
	free(t->numbers);
	t->slots = NULL;
	t->numbers = NULL;
	hash_table__exit(&t->by_context);
	hash_table__exit(&t->by_thread);
	array__exit(&t->scratch);
	for (size_t i = 0; t->frequent && i < FREQUENT_ROWS; i++)
		array__exit(&t->frequent->v[i].words);
	free(t->frequent);
	t->frequent = NULL;
	for (size_t i = 0; i < t->addresses.nr; i++) {
		free(t->addresses.v[i].slots);
		t->addresses.v[i].slots = NULL;
	}
}

/* Free all but the arena. */
static void row_table__leave_arena(struct row_table *t)
{
	row_table__end(t);
	array__exit(&t->rows);
	array__exit(&t->contexts);
	array__exit(&t->threads);
	array__exit(&t->addresses);
	if (t->unpacked)
		array__exit(&t->unpacked->words);
	free(t->unpacked);
	t->unpacked = NULL;
}

void row_table__exit(struct row_table *t)
{
	for (size_t i = 0; i < t->addresses.nr; i++)
		array__exit(&t->addresses.v[i].v);
	row_table__leave_arena(t);
	arena__exit(&t->arena);
}

u64 row_key__hash(const struct row_key *key, const u64 *chain, const struct row_extra *extra)
{
	return row_key__hash_chain(row_key__hash_words(key), key, chain, extra);
}

/* ---- packing ---- */

/* Return the slot of an address, used or free. */
static struct address_slot *row_addresses__slot(const struct row_addresses *a, u64 address)
{
	size_t pos = (address * 0x9e3779b97f4a7c15) >> 32 & a->mask;

	while (a->slots[pos].number && a->slots[pos].address != address)
		pos = (pos + 1) & a->mask;
	return &a->slots[pos];
}

static void row_addresses__grow(struct row_addresses *a)
{
	free(a->slots);
	a->mask = a->mask * 2 + 1;
	a->slots = xcalloc_table(a->mask + 1, sizeof(*a->slots));
	for (size_t i = 0; i < a->v.nr; i++)
		*row_addresses__slot(a, a->v.v[i]) = (struct address_slot){ a->v.v[i], (u32)i + 1 };
}

static u32 row_addresses__number(struct row_addresses *a, u64 address)
{
	struct address_slot *slot = row_addresses__slot(a, address);

	if (slot->number)
		return slot->number - 1;
	*slot = (struct address_slot){ address, (u32)a->v.nr + 1 };
	array__add(&a->v, address);
	if (a->v.nr * 2 > a->mask)
		row_addresses__grow(a);
	return (u32)a->v.nr - 1;
}

static u32 row_table__context(struct row_table *t, const struct row_key *key, u32 rank)
{
	struct row_context c = { .rank = rank };
	u64 hash;
	u32 i;

	if (t->last_context < t->contexts.nr &&
	    !memcmp(t->contexts.v[t->last_context].words, &key->event, sizeof(c.words)))
		return t->last_context;
	memcpy(c.words, &key->event, sizeof(c.words));
	hash = hash__bytes(c.words, sizeof(c.words), 0);
	hash_table__for_each (&t->by_context, hash, i)
		if (!memcmp(t->contexts.v[i].words, c.words, sizeof(c.words)))
			return t->last_context = i;
	hash_table__insert(&t->by_context, hash, (u32)t->contexts.nr);
	array__add(&t->contexts, c);
	return t->last_context = (u32)t->contexts.nr - 1;
}

static __attribute__((noinline)) u32 row_table__thread(struct row_table *t, const struct row_sample *s)
{
	const struct row_thread thread = { s->thread, s->pid, s->tid };
	u64 hash;
	u32 i;

	if (t->last_thread < t->threads.nr && !memcmp(&t->threads.v[t->last_thread], &thread, sizeof(thread)))
		return t->last_thread;
	hash = hash__bytes(&thread, sizeof(thread), 0);
	hash_table__for_each (&t->by_thread, hash, i)
		if (!memcmp(&t->threads.v[i], &thread, sizeof(thread)))
			return t->last_thread = i;
	hash_table__insert(&t->by_thread, hash, (u32)t->threads.nr);
	array__add(&t->threads, thread);
	return t->last_thread = (u32)t->threads.nr - 1;
}

static const u64 *row_table__addresses(const struct row_table *t, const struct packed_row *row)
{
	return t->addresses.v[t->contexts.v[row->context].addresses].v.v;
}

/* Return the words after a packed row's numbers: how many there are, then they. */
static u64 *packed_row__extra(const struct packed_row *row)
{
	size_t nr = (row->nr_chain & ROW_NR_CHAIN) + 1, size = row->nr_chain & ROW_IS_WIDE ? 4 : 2;

	return (u64 *)(void *)((char *)(uintptr_t)row +
			       ROUND_UP(offsetof(struct packed_row, numbers) + nr * size, (size_t)8));
}

/* Add a row without samples to the arena. Not inlined: counting a known row is the common case. */
static __attribute__((noinline)) struct packed_row *
row_table__pack(struct row_table *t, u64 hash, const struct row_key *key, const u64 *chain,
		const struct row_extra *extra, const struct row_sample *s)
{
	struct row_addresses *a = t->addresses.v;
	u32 nr = (u32)key->nr_chain + 1, all;
	struct packed_row *row;
	size_t size;

	array__reserve(&t->scratch, nr);
	all = t->scratch.v[0] = row_addresses__number(a, key->ip);
	for (u32 i = 1; i < nr; i++)
		all |= t->scratch.v[i] = row_addresses__number(a, chain[i - 1]);
	size = all < NUMBERS_SHORT ? 2 : 4;
	row = arena__alloc(&t->arena, ROUND_UP(offsetof(struct packed_row, numbers) + nr * size, (size_t)8) +
					      (extra->nr ? 1 + extra->nr : 0) * sizeof(u64));
	row->period = row->nr = 0;
	row->first_time = row->first_offset = UINT64_MAX;
	row->hash = (u32)hash;
	row->context = row_table__context(t, key, s->rank);
	row->nr_chain = (u32)key->nr_chain | (size == 4 ? ROW_IS_WIDE : 0) | (extra->nr ? ROW_HAS_EXTRA : 0);
	if (size == 4)
		memcpy(row->numbers, t->scratch.v, nr * size);
	for (u32 i = 0; i < nr && size == 2; i++)
		row->numbers[i] = (u16)t->scratch.v[i];
	if (extra->nr) {
		u64 *words = packed_row__extra(row);

		*words = extra->nr;
		memcpy(words + 1, extra->v, extra->nr * sizeof(*words));
	}
	return row;
}

/* Evaluate the body with numbers as an array of u16 or of u32. */
#define with_numbers(row, numbers, ...)                                    \
	do {                                                               \
		if (unlikely((row)->nr_chain & ROW_IS_WIDE)) {             \
			const u32 *numbers = (const void *)(row)->numbers; \
			__VA_ARGS__                                        \
		} else {                                                   \
			const u16 *numbers = (row)->numbers;               \
			__VA_ARGS__                                        \
		}                                                          \
	} while (0)

static void row_table__unpack(const struct row_table *t, const struct packed_row *p, struct row_unpacked *u)
{
	const struct row_context *context = &t->contexts.v[p->context];
	const u64 *addresses = row_table__addresses(t, p);
	const struct row_thread *thread = &t->threads.v[p->thread];
	u32 nr = p->nr_chain & ROW_NR_CHAIN;
	u64 ip;

	array__reserve(&u->words, nr + 1);
	with_numbers(p, numbers, {
		ip = addresses[numbers[0]];
		for (u32 i = 0; i < nr; i++)
			u->words.v[i] = addresses[numbers[i + 1]];
	});
	u->row = (struct row){ .nr = p->nr,
			       .period = p->period,
			       .first_time = p->first_time,
			       .first_offset = p->first_offset,
			       .first_thread = thread->thread,
			       .first_pid = thread->pid,
			       .first_tid = thread->tid,
			       .rank = context->rank,
			       .chain = u->words.v };
	memcpy(&u->row.key.event, context->words, sizeof(context->words));
	u->row.key.ip = ip;
	u->row.key.nr_chain = nr;
	if (p->nr_chain & ROW_HAS_EXTRA) {
		const u64 *extra = packed_row__extra(p);

		u->row.extra = (struct row_extra){ extra + 1, (u32)*extra };
	}
}

/* Mostly, rows are looked at one after the other; they are anywhere in memory. */
const struct row *row_table__get(const struct row_table *t, size_t i)
{
	if (i + AHEAD < t->rows.nr) {
		__builtin_prefetch(t->rows.v[i + AHEAD]);
		__builtin_prefetch(t->rows.v[i + AHEAD]->numbers + 16);
	}
	row_table__unpack(t, t->rows.v[i], t->unpacked);
	return &t->unpacked->row;
}

/* ---- counting ---- */

static row_slot row_slot__of(struct packed_row *row)
{
	return (u64)(uintptr_t)row | (u64)(row->hash >> 16) << 48;
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
	free(t->slots);
	free(t->numbers);
	t->slots = slots;
	t->numbers = numbers;
	t->mask = mask;
}

static bool packed_row__has_extra(const struct packed_row *row, const struct row_extra *extra)
{
	const u64 *words = packed_row__extra(row);

	return *words == extra->nr && !memcmp(words + 1, extra->v, extra->nr * sizeof(*words));
}

/* Is it a row of these addresses, as many as the key says? */
static inline bool packed_row__has_addresses(const struct packed_row *row, const u64 *addresses,
					     const struct row_key *key, const u64 *chain)
{
	u32 nr = (u32)key->nr_chain;
	u64 differences = 0;

	/* The hashes are equal, so a loop that does not end early is faster. */
	with_numbers(row, numbers, {
		differences = addresses[numbers[0]] ^ key->ip;
		for (u32 i = 0; i + 1 < nr; i += 2)
			differences |= (addresses[numbers[i + 1]] ^ chain[i]) |
				       (addresses[numbers[i + 2]] ^ chain[i + 1]);
		if (nr % 2)
			differences |= addresses[numbers[nr]] ^ chain[nr - 1];
	});
	return !differences;
}

static inline bool row_table__row_is(const struct row_table *t, const u64 *addresses,
				     const struct packed_row *row, const struct row_key *key,
				     const u64 *chain, const struct row_extra *extra)
{
	const struct row_context *context = &t->contexts.v[row->context];

	if ((row->nr_chain & ROW_NR_CHAIN) != key->nr_chain ||
	    !(row->nr_chain & ROW_HAS_EXTRA) != !extra->nr ||
	    memcmp(context->words, &key->event, sizeof(context->words)) ||
	    !packed_row__has_addresses(row, addresses, key, chain))
		return false;
	return likely(!extra->nr) || packed_row__has_extra(row, extra);
}

u64 row_key__stack_hash(const struct row_key *key, const u64 *chain)
{
	return hash__add(hash__words(chain, key->nr_chain, (u64)key->space << 32 | key->space_version),
			 key->ip);
}

bool row_table__has_stack(const struct row_table *t, size_t i, const struct row_key *key, const u64 *chain)
{
	const struct packed_row *row = t->rows.v[i];
	const struct row_context *context = &t->contexts.v[row->context];
	struct row_key own = *key;

	memcpy(&own.event, context->words, sizeof(context->words));
	return own.space == key->space && own.space_version == key->space_version &&
	       own.kernel_version == key->kernel_version && own.cpumode == key->cpumode &&
	       (row->nr_chain & ROW_NR_CHAIN) == key->nr_chain &&
	       packed_row__has_addresses(row, row_table__addresses(t, row), key, chain);
}

/*
 * Return the slot of an equal row, or the free slot where it belongs. addresses: those of all rows, or NULL
 * after a merge.
 */
static inline row_slot *row_table__slot(const struct row_table *t, const u64 *addresses, u32 hash,
					const struct row_key *key, const u64 *chain,
					const struct row_extra *extra)
{
	for (size_t pos = hash & t->mask;; pos = (pos + 1) & t->mask) {
		row_slot *slot = &t->slots[pos];
		const struct packed_row *row = row_slot__row(*slot);

		if (!*slot)
			return slot;
		if (*slot >> 48 == hash >> 16 && row->hash == hash &&
		    row_table__row_is(t, addresses ? addresses : row_table__addresses(t, row), row, key,
				      chain, extra))
			return slot;
	}
}

static void row_table__put(struct row_table *t, row_slot *slot, struct packed_row *row)
{
	*slot = row_slot__of(row);
	if (t->numbers)
		t->numbers[slot - t->slots] = (u32)t->rows.nr;
	array__add(&t->rows, row);
	if (t->rows.nr + t->rows.nr / 2 > t->mask)
		row_table__grow(t);
}

static bool packed_row__is_before(const struct packed_row *row, u64 time, u64 offset)
{
	return row->first_time < time || (row->first_time == time && row->first_offset <= offset);
}

static bool frequent_row__is(const struct frequent_row *h, const struct row_key *key, const u64 *chain,
			     const struct row_extra *extra)
{
	return !memcmp(&h->key, key, sizeof(*key)) &&
	       !memcmp(h->words.v, chain, key->nr_chain * sizeof(*chain)) && h->nr_extra == extra->nr &&
	       (likely(!extra->nr) ||
		!memcmp(h->words.v + key->nr_chain, extra->v, extra->nr * sizeof(*extra->v))) &&
	       likely(h->row->nr < UINT32_MAX);
}

static void frequent_rows__set(struct frequent_rows *frequent, u64 hash, const struct row_key *key,
			       const u64 *chain, const struct row_extra *extra, struct packed_row *row,
			       u32 number)
{
	struct frequent_row *h = &frequent->v[(hash >> 32) % FREQUENT_ROWS];

	frequent->hashes[(hash >> 32) % FREQUENT_ROWS] = hash;
	h->row = row;
	h->number = number;
	h->key = *key;
	h->nr_extra = extra->nr;
	array__reserve(&h->words, key->nr_chain + extra->nr + 1);
	memcpy(h->words.v, chain, key->nr_chain * sizeof(*chain));
	if (extra->nr)
		memcpy(h->words.v + key->nr_chain, extra->v, extra->nr * sizeof(*extra->v));
}

/* Return a row with this key that is not full, perhaps a new one, and its index in t->rows. */
static struct packed_row *row_table__row(struct row_table *t, u64 hash, const struct row_key *key,
					 const u64 *chain, const struct row_extra *extra,
					 const struct row_sample *s, u32 *number)
{
	const struct frequent_row *frequent = &t->frequent->v[(hash >> 32) % FREQUENT_ROWS];
	struct packed_row *row;
	row_slot *slot;

	if (t->frequent->hashes[(hash >> 32) % FREQUENT_ROWS] == hash && hash &&
	    frequent_row__is(frequent, key, chain, extra)) {
		*number = frequent->number;
		return frequent->row;
	}
	slot = row_table__slot(t, t->addresses.v->v.v, (u32)hash, key, chain, extra);
	row = row_slot__row(*slot);
	*number = row && t->numbers ? t->numbers[slot - t->slots] : (u32)t->rows.nr;
	if (unlikely(!row || row->nr == UINT32_MAX)) {
		*number = (u32)t->rows.nr;
		row = row_table__pack(t, hash, key, chain, extra, s);
		row_table__put(t, slot, row);
	}
	if (unlikely(row->nr % FREQUENT_EVERY == FREQUENT_EVERY - 1))
		frequent_rows__set(t->frequent, hash, key, chain, extra, row, *number);
	return row;
}

u32 row_table__count(struct row_table *t, u64 hash, const struct row_key *key, const u64 *chain,
		     const struct row_extra *extra, const struct row_sample *s)
{
	u32 number;
	struct packed_row *row = row_table__row(t, hash, key, chain, extra, s, &number);

	row->nr += MIN(s->nr, UINT32_MAX - row->nr);
	row->period += s->period;
	if (!packed_row__is_before(row, s->time, s->offset)) {
		row->first_time = s->time;
		row->first_offset = s->offset;
		row->thread = row_table__thread(t, s);
	}
	return number;
}

/* ---- merging ---- */

/* Append the contexts, threads and addresses of from, and let its rows refer to them there. */
static void row_table__adopt(struct row_table *t, struct row_table *from)
{
	u32 contexts = (u32)t->contexts.nr, threads = (u32)t->threads.nr, addresses = (u32)t->addresses.nr;

	for (size_t i = 0; i < from->contexts.nr; i++) {
		from->contexts.v[i].addresses += addresses;
		array__add(&t->contexts, from->contexts.v[i]);
	}
	for (size_t i = 0; i < from->threads.nr; i++)
		array__add(&t->threads, from->threads.v[i]);
	for (size_t i = 0; i < from->addresses.nr; i++)
		array__add(&t->addresses, from->addresses.v[i]);
	for (size_t i = 0; i < from->rows.nr; i++) {
		from->rows.v[i]->context += contexts;
		from->rows.v[i]->thread += threads;
	}
}

u32 *row_table__merge(struct row_table *t, struct row_table *from)
{
	u32 *numbers = t->numbers ? xcalloc(from->rows.nr + 1, sizeof(*numbers)) : NULL;
	struct row_unpacked *u = t->unpacked;

	row_table__end(from);
	row_table__adopt(t, from);
	for (size_t i = 0; i < from->rows.nr; i++) {
		struct packed_row *f = from->rows.v[i], *row;
		row_slot *slot;

		if (i + 2 * AHEAD < from->rows.nr)
			row_table__prefetch(t, from->rows.v[i + 2 * AHEAD]->hash);
		if (i + AHEAD < from->rows.nr)
			row_table__prefetch_row(t, from->rows.v[i + AHEAD]->hash);
		row_table__unpack(t, f, u);
		slot = row_table__slot(t, NULL, f->hash, &u->row.key, u->row.chain, &u->row.extra);
		row = row_slot__row(*slot);
		if (row && row->nr > UINT32_MAX - f->nr)
			row = NULL;
		if (numbers)
			numbers[i] = row ? t->numbers[slot - t->slots] : (u32)t->rows.nr;
		if (!row) {
			row_table__put(t, slot, f);
			continue;
		}
		row->nr += f->nr;
		row->period += f->period;
		if (packed_row__is_before(row, f->first_time, f->first_offset))
			continue;
		row->first_time = f->first_time;
		row->first_offset = f->first_offset;
		row->thread = f->thread;
	}
	row_table__leave_arena(from);
	return numbers;
}

/* ---- order ---- */

struct numbered_row {
	u64 first_time; /* a copy: rows are all over memory */
	u32 number;     /* in row_table.rows, before they are sorted */
};

static u64 row_table__hash(const struct row_table *t, const struct packed_row *p)
{
	const struct row *row = &t->unpacked->row;

	row_table__unpack(t, p, t->unpacked);
	return row_key__hash(&row->key, row->chain, &row->extra);
}

/* Rows have the same first record if it counts for several events (:S), or is in a compressed one. */
static int numbered_row__compare(const void *a, const void *b, void *table)
{
	const struct numbered_row *x = a, *y = b;
	const struct row_table *t = table;
	const struct packed_row *row_x = t->rows.v[x->number], *row_y = t->rows.v[y->number];
	u64 hash_x, hash_y;

	if (row_x->first_offset != row_y->first_offset)
		return row_x->first_offset < row_y->first_offset ? -1 : 1;
	hash_x = row_table__hash(t, row_x);
	hash_y = row_table__hash(t, row_y);
	return (hash_x > hash_y) - (hash_x < hash_y);
}

static u64 numbered_row__time(const struct numbered_row *r)
{
	return r->first_time;
}

u32 *row_table__sort(struct row_table *t)
{
	size_t nr = t->rows.nr, end;
	struct numbered_row *v = xcalloc(2 * nr + 1, sizeof(*v)), *sorted;
	struct packed_row **rows = xreallocarray(NULL, nr + 1, sizeof(struct packed_row *));
	u32 *numbers = xcalloc(nr + 1, sizeof(*numbers));

	for (size_t i = 0; i < nr; i++)
		v[i] = (struct numbered_row){ t->rows.v[i]->first_time, (u32)i };
	sorted = radix__sort(v, v + nr, nr, numbered_row__time);
	for (size_t i = 0; i < nr; i = end) {
		for (end = i + 1; end < nr && sorted[end].first_time == sorted[i].first_time;)
			end++;
		if (end - i > 1)
			qsort_r(sorted + i, end - i, sizeof(*sorted), numbered_row__compare, t);
	}
	for (size_t i = 0; i < nr; i++) {
		rows[i] = t->rows.v[sorted[i].number];
		numbers[sorted[i].number] = (u32)i;
	}
	free(t->rows.v);
	t->rows.v = rows;
	t->rows.alloc = nr + 1;
	free(v);
	return numbers;
}
