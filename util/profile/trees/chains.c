#include "profile/trees/chains.h"

#include "base/memory/hash.h"
#include "base/message/bug.h"
#include "profile/branches/branch_history.h"
#include "profile/branches/branches.h"

#include <linux/perf_event.h>
#include <string.h>

void chains__init(struct chains *c)
{
	static const u32 empty;

	*c = (struct chains){ .scratch.v = NULL };
	numbers__add(&c->v, &empty, 1);
}

void chains__end(struct chains *c)
{
	array__exit(&c->scratch);
	array__exit(&c->flags);
	array__exit(&c->depths);
	array__exit(&c->packed);
	array__exit(&c->ignored);
	array__exit(&c->frames);
	array__exit(&c->wait_frames);
	hash_table__exit(&c->table);
}

void chains__exit(struct chains *c)
{
	chains__end(c);
	array__exit(&c->unpacked);
	numbers__exit(&c->v);
}

/* Set packed to the places in scratch, each with its depth if recursion is folded. */
static void chains__pack(struct chains *c, const struct places *p, bool in_graphs)
{
	c->packed.nr = 0;
	for (size_t i = 0; i < c->scratch.nr; i++) {
		u32 place = c->scratch.v[i];

		array__add(&c->packed, in_graphs ? places__get(p, place)->graph : place);
		if (c->has_depths)
			array__add(&c->packed, c->depths.v[i]);
	}
}

static bool chains__differs_in_graphs(const struct chains *c, const struct places *p)
{
	for (size_t i = 0; i < c->scratch.nr; i++)
		if (places__get(p, c->scratch.v[i])->graph != c->scratch.v[i])
			return true;
	return false;
}

/* Append the chain in scratch. packed: its size numbers. */
static void chains__append(struct chains *c, const struct places *p, const u32 *packed, size_t size)
{
	u32 head = (u32)c->scratch.nr * 2 + chains__differs_in_graphs(c, p);

	if (c->v.nr + 1 + 2 * size >= UINT32_MAX)
		die_out_of_memory(); /* more than 8 GB of chains */
	numbers__add(&c->v, &head, 1);
	numbers__add(&c->v, packed, size);
	if (head % 2) {
		chains__pack(c, p, true);
		numbers__add(&c->v, c->packed.v, size);
	}
}

/* Return the id of the chain in scratch. */
static u32 chains__intern(struct chains *c, const struct places *p)
{
	u32 nr = (u32)c->scratch.nr, i;
	size_t size = (size_t)nr * chains__stride(c);
	const u32 *packed = c->scratch.v;
	u64 hash;

	if (!nr)
		return 0;
	if (c->has_depths) {
		chains__pack(c, p, false);
		packed = c->packed.v;
	}
	hash = hash__bytes(packed, size * sizeof(*packed), nr);
	hash_table__for_each (&c->table, hash, i)
		if (chains__length(c, i) == nr && numbers__are(&c->v, i + 1, packed, size))
			return i;
	i = (u32)c->v.nr;
	hash_table__insert(&c->table, hash, i);
	chains__append(c, p, packed, size);
	return i;
}

struct chain chains__get(struct chains *c, u32 id)
{
	u32 nr;

	if (BUG_UNLESS(id < c->v.nr, "chain %u of %zu", id, c->v.nr))
		return (struct chain){ 0 };
	nr = chains__length(c, id);
	array__reserve(&c->unpacked, nr + 1);
	numbers__copy(&c->v, id + 1, chains__stride(c), c->unpacked.v, nr);
	return (struct chain){ .nr = nr, .places = c->unpacked.v };
}

u32 chains__copy(struct chains *c, const struct places *p, struct chains *from, u32 id)
{
	struct chain chain = chains__get(from, id);

	c->has_depths = from->has_depths;
	c->scratch.nr = c->depths.nr = 0;
	for (u32 i = 0; i < chain.nr; i++) {
		array__add(&c->scratch, chain.places[i]);
		if (c->has_depths)
			array__add(&c->depths, numbers__get(&from->v, id + 2 + 2 * i));
	}
	return chains__intern(c, p);
}

/* Fold recursion: keep the first one of equal places that follow each other, and count them. */
static void chains__fold(struct chains *c)
{
	size_t nr = 0;

	c->has_depths = true;
	c->depths.nr = 0;
	for (size_t i = 0; i < c->scratch.nr; i++) {
		if (nr && c->scratch.v[nr - 1] == c->scratch.v[i]) {
			c->depths.v[nr - 1]++;
			continue;
		}
		c->scratch.v[nr++] = c->scratch.v[i];
		array__add(&c->depths, 1);
	}
	c->scratch.nr = nr;
}

struct chain_words { /* of a row: addresses and PERF_CONTEXT_ marks */
	const u64 *v;
	u32 nr;
};

/* Append the places of an address. flags: those of the innermost one. */
static void chains__add_address(struct chains *c, struct places *p, const struct row_space *space, u64 ip,
				bool is_call, u64 flags, const struct chain_opts *opts)
{
	u32 nr;
	const u32 *places = places__frames(p, space, ip, is_call, &nr);

	if (opts->hide_unresolved && !places__get(p, places[nr - 1])->sym)
		return;
	for (u32 k = 0; k < nr; k++) {
		array__add(&c->scratch, places[k]);
		if (opts->history)
			array__add(&c->flags, k ? 0 : flags);
	}
}

/*
 * Append the places of the addresses words[from, to), which have the same cpumode. first: start of the run
 * of that cpumode; all addresses after it are return addresses, and so is it if nothing is inside of it.
 */
static void chains__add_run(struct chains *c, struct places *p, const struct row *row,
			    const struct chain_words *words, u32 first, u32 from, u32 to, u8 cpumode,
			    const struct chain_opts *opts)
{
	struct row_space space = places__space(p, row, cpumode);
	bool is_plain = !opts->hide_unresolved && !opts->history;

	for (u32 i = from; i < to; i++) {
		bool is_call = i > first || c->is_called;
		u32 place = is_plain ? places__recent_frame(p, &space, words->v[i], is_call) : PLACE_NONE;

		if (likely(place != PLACE_NONE))
			array__add(&c->scratch, place);
		else
			chains__add_address(c, p, &space, words->v[i], is_call, 0, opts);
	}
}

static bool chains__ignores_callees_of(struct chains *c, struct places *p, u32 place, const regex_t *names)
{
	enum { UNKNOWN, NO, YES };

	while (c->ignored.nr <= place)
		array__add(&c->ignored, UNKNOWN);
	if (c->ignored.v[place] == UNKNOWN)
		c->ignored.v[place] =
			places__get(p, place)->sym && !regexec(names, places__name(p, place), 0, NULL, 0)
				? YES
				: NO;
	return c->ignored.v[place] == YES;
}

/* Let the chain looked up last begin at the outermost function whose callees are to be ignored. */
static void chains__drop_callees(struct chains *c, struct places *p, const regex_t *names)
{
	for (size_t i = c->scratch.nr; i-- > 0;) {
		if (!chains__ignores_callees_of(c, p, c->scratch.v[i], names))
			continue;
		c->root = c->scratch.v[i];
		c->scratch.nr -= i;
		memmove(c->scratch.v, c->scratch.v + i, c->scratch.nr * sizeof(*c->scratch.v));
		if (c->flags.nr) {
			c->flags.nr -= i;
			memmove(c->flags.v, c->flags.v + i, c->flags.nr * sizeof(*c->flags.v));
		}
		return;
	}
}

static u32 chain_words__nr_addresses(const struct chain_words *words)
{
	u32 nr = 0;

	for (u32 i = 0; i < words->nr; i++)
		nr += words->v[i] < PERF_CONTEXT_MAX;
	return nr;
}

static void reverse_flags(u64 *v, size_t nr)
{
	for (size_t i = 0; i < nr / 2; i++) {
		u64 x = v[i];

		v[i] = v[nr - 1 - i];
		v[nr - 1 - i] = x;
	}
}

static void reverse(u32 *v, size_t nr)
{
	for (size_t i = 0; i < nr / 2; i++) {
		u32 x = v[i];

		v[i] = v[nr - 1 - i];
		v[nr - 1 - i] = x;
	}
}

/*
 * Walk from the leaf. Addresses before the first mark are user addresses. An unknown mark invalidates the
 * chain, as in stock perf, unless --max-stack skips it; usually it is an address read from something that
 * was not a frame pointer.
 */
static bool chains__add_words(struct chains *c, struct places *p, const struct row *row,
			      const struct chain_words *words, const struct chain_opts *opts)
{
	u32 nr_all = chain_words__nr_addresses(words);
	u32 skip = opts->caller_first && nr_all > opts->max_stack ? nr_all - opts->max_stack : 0;
	u32 left = nr_all > opts->max_stack ? opts->max_stack : UINT32_MAX;
	u8 cpumode = PERF_RECORD_MISC_USER;
	u32 i = 0, first, from;

	while (i < words->nr && left) {
		if (words->v[i] >= PERF_CONTEXT_MAX) {
			cpumode = callchain__cpumode(words->v[i++]);
			if (cpumode == CPUMODE_UNKNOWN && !skip)
				return false;
			continue;
		}
		for (first = from = i; i < words->nr && words->v[i] < PERF_CONTEXT_MAX && left; i++) {
			if (skip) {
				skip--;
				from++;
			} else {
				left--;
			}
		}
		if (from < i && cpumode == CPUMODE_UNKNOWN)
			return false;
		chains__add_run(c, p, row, words, first, from, i, cpumode, opts);
	}
	return true;
}

/* Add the places of a row's branches, each with where it led to and where it was. */
static void chains__add_history(struct chains *c, struct places *p, const struct row *row,
				const u64 *branches, u32 nr, const struct chain_opts *opts)
{
	static const u64 ends[] = { HISTORY_TO, HISTORY_FROM };

	for (u32 i = 0; i < nr; i++, branches += HISTORY_WORDS)
		for (size_t k = 0; k < ARRAY_SIZE(ends); k++) {
			struct row_space space = branch__space(p, row, branches[k]);

			chains__add_address(c, p, &space, branches[k], false, branches[2] | ends[k], opts);
		}
}

bool chains__look_up(struct chains *c, struct places *p, const struct row *row, const struct chain_opts *opts)
{
	struct chain_words words = { row->chain, (u32)row->key.nr_chain };
	u32 nr = 0;

	c->scratch.nr = 0;
	c->flags.nr = 0;
	c->is_called = false;
	if (opts->history && words.nr) {
		struct chain_words inner = { .nr = (u32)*row->chain };

		nr = (u32)(*row->chain >> 32);
		inner.v = row->chain + 1 + nr * HISTORY_WORDS;
		words.v = inner.v + inner.nr;
		words.nr -= (u32)(words.v - row->chain);
		if (!chains__add_words(c, p, row, &inner, opts))
			return false;
		chains__add_history(c, p, row, row->chain + 1, nr, opts);
		c->is_called = nr;
	}
	return chains__add_words(c, p, row, &words, opts);
}

/* Return the id of the chain in scratch, which begins with the leaf. */
static u32 chains__add(struct chains *c, struct places *p, const struct chain_opts *opts)
{
	if (opts->ignore_callees)
		chains__drop_callees(c, p, opts->ignore_callees);
	if (opts->caller_first)
		reverse(c->scratch.v, c->scratch.nr);
	if (opts->caller_first)
		reverse_flags(c->flags.v, c->flags.nr);
	if (opts->fold_recursion)
		chains__fold(c);
	return chains__intern(c, p);
}

u32 chains__of_row(struct chains *c, struct places *p, const struct row *row, const struct chain_opts *opts)
{
	c->root = PLACE_NONE;
	if (!row->key.nr_chain)
		return 0;
	return chains__look_up(c, p, row, opts) ? chains__add(c, p, opts) : 0;
}

/* ---- waits ---- */

static struct wait_frame chains__wait_frame(struct chains *c, struct places *p, u32 place)
{
	const struct place *at = places__get(p, place);
	struct wait_frame *f;

	while (c->wait_frames.nr <= place)
		array__add(&c->wait_frames, ((struct wait_frame){ .kind = WAIT_NR_KINDS }));
	f = &c->wait_frames.v[place];
	if (f->kind == WAIT_NR_KINDS)
		*f = wait_frame__of(places__name(p, place), place__is_kernel(at));
	return *f;
}

static struct wait chains__wait_in_scratch(struct chains *c, struct places *p)
{
	c->frames.nr = 0;
	for (size_t i = 0; i < c->scratch.nr; i++)
		array__add(&c->frames, chains__wait_frame(c, p, c->scratch.v[i]));
	return wait__of(c->frames.v, (u32)c->frames.nr);
}

struct wait chains__wait(struct chains *c, struct places *p, const struct row *row)
{
	static const struct chain_opts whole = { .max_stack = UINT32_MAX };
	struct row_space space = places__space(p, row, (u8)row->key.cpumode);

	c->scratch.nr = 0;
	if (row->key.nr_chain && !chains__look_up(c, p, row, &whole))
		c->scratch.nr = 0;
	if (!c->scratch.nr)
		array__add(&c->scratch, places__leaf(p, &space, row->key.ip));
	return chains__wait_in_scratch(c, p);
}

/* Drop the wait's own frames from scratch, and those beyond the limit. Return the kind of the wait. */
static enum wait_kind chains__drop_inner(struct chains *c, struct places *p, const struct chain_opts *opts)
{
	u32 max = MAX(opts->max_stack, 1u), excess;
	struct wait wait = chains__wait_in_scratch(c, p);

	c->scratch.nr -= wait.nr_inner;
	memmove(c->scratch.v, c->scratch.v + wait.nr_inner, c->scratch.nr * sizeof(*c->scratch.v));
	if (c->scratch.nr <= max)
		return wait.kind;
	excess = (u32)c->scratch.nr - max;
	c->scratch.nr = max;
	if (opts->caller_first) /* keep the leaf and the outermost callers */
		memmove(c->scratch.v + 1, c->scratch.v + 1 + excess, (max - 1) * sizeof(*c->scratch.v));
	return wait.kind;
}

void chains__look_up_wait(struct chains *c, struct places *p, const struct row *row,
			  const struct chain_opts *opts, u32 *leaf)
{
	struct chain_opts whole = *opts;
	enum wait_kind kind;

	whole.max_stack = UINT32_MAX;
	c->root = PLACE_NONE;
	c->scratch.nr = 0;
	if (row->key.nr_chain && !chains__look_up(c, p, row, &whole))
		c->scratch.nr = 0;
	if (!c->scratch.nr)
		array__add(&c->scratch, *leaf);
	kind = chains__drop_inner(c, p, opts);
	c->scratch.v[0] = *leaf = places__waiting(p, c->scratch.v[0], (u8)kind, false);
}

u32 chains__of_wait(struct chains *c, struct places *p, const struct row *row, const struct chain_opts *opts,
		    u32 *leaf)
{
	chains__look_up_wait(c, p, row, opts, leaf);
	return chains__add(c, p, opts);
}

u32 chains__of_leaf(struct chains *c, struct places *p, const struct chain_opts *opts, u32 leaf)
{
	c->root = PLACE_NONE;
	c->scratch.nr = 0;
	array__add(&c->scratch, leaf);
	return chains__add(c, p, opts);
}

u32 chains__with_leaf(struct chains *c, struct places *p, u32 chain, const struct chain_opts *opts, u32 leaf)
{
	struct chain old = chains__get(c, chain);

	c->scratch.nr = c->depths.nr = 0;
	for (u32 i = 0; i < old.nr; i++) {
		array__add(&c->scratch, old.places[i]);
		if (c->has_depths)
			array__add(&c->depths, numbers__get(&c->v, chain + 2 + i * 2));
	}
	c->scratch.v[opts->caller_first ? old.nr - 1 : 0] = leaf;
	return chains__intern(c, p);
}
