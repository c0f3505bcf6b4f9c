#include "profile/branches/branch_history.h"

#include "model/machine.h"

#include <linux/perf_event.h>
#include <string.h>

enum { CALL_MAX = 8 /* bytes of a call instruction */, ROUNDS_MAX = 255 };

static u64 history_flags(u64 flags)
{
	return (flags & BRANCH_PREDICTED ? HISTORY_PREDICTED : 0) |
	       (flags & BRANCH_MISPREDICTED ? HISTORY_MISPREDICTED : 0) |
	       (flags & BRANCH_ABORT ? HISTORY_ABORT : 0) |
	       (flags >> BRANCH_CYCLES_SHIFT & 0xffff) << HISTORY_CYCLES_SHIFT;
}

static bool is_same_branch(const u64 *words, const u64 *branch)
{
	return words[0] == branch[1] && words[1] == branch[0];
}

/*
 * Does the list repeat its last branches? Return how many, or 0. branches: the rest of the sample's, so many.
 */
static u64 repeated(const u64 *words, u64 nr_words, const u64 *branches, u64 nr)
{
	for (u64 len = 1; len <= nr_words && len <= nr; len++) {
		const u64 *last = words + (nr_words - len) * HISTORY_WORDS;
		u64 i = 0;

		while (i < len && is_same_branch(last + i * HISTORY_WORDS, branches + 3 * i))
			i++;
		if (i == len)
			return len;
	}
	return 0;
}

/* Count one more round of the loop whose last branch has these flags. */
static void add_round(u64 *flags, const u64 *branches, u64 nr)
{
	u64 cycles = *flags >> HISTORY_LOOP_SHIFT, rounds = *flags >> HISTORY_ROUNDS_SHIFT & ROUNDS_MAX;

	for (u64 i = 0; i < nr; i++)
		cycles += branches[3 * i + 2] >> BRANCH_CYCLES_SHIFT & 0xffff;
	if (rounds < ROUNDS_MAX)
		*flags = (*flags & ((1ull << HISTORY_ROUNDS_SHIFT) - 1)) |
			 (rounds + 1) << HISTORY_ROUNDS_SHIFT | cycles << HISTORY_LOOP_SHIFT;
}

/*
 * Return where the chain goes on after the branches: at the first frame that was not called by one of them.
 * from: its first return address.
 */
static u64 first_older_frame(const struct sample *s, u64 from, u64 nr)
{
	for (u64 i = 0; i < nr && from < s->nr_callchain; i++) {
		u64 branch = s->branches[3 * i], to = s->callchain[from];

		if (to >= PERF_CONTEXT_MAX)
			from += 2; /* the system call */
		else
			from += branch < to && branch >= to - CALL_MAX;
	}
	return MIN(from, s->nr_callchain);
}

/* Return how much of the chain is inside of the branches: the kernel's part, if they are the user's. */
static u64 nr_inner_words(const struct sample *s)
{
	u64 nr = 0;

	if (!s->nr_branches || addr__is_kernel(s->branches[1]))
		return 0;
	while (nr < s->nr_callchain && s->callchain[nr] != PERF_CONTEXT_USER)
		nr++;
	return nr < s->nr_callchain ? nr : 0;
}

/* Append the branches as history_words, at most max. Return how many there are, without repetitions. */
static u64 add_branches(history_words *words, const struct sample *s, u64 max)
{
	u64 nr = MIN(s->nr_branches, max), nr_listed = 0, first = words->nr;

	for (u64 i = 0; i < nr;) {
		const u64 *b = s->branches + 3 * i;
		u64 len = repeated(words->v + first, nr_listed, b, nr - i);

		if (len) {
			add_round(&words->v[words->nr - 1], b, len);
			i += len;
			continue;
		}
		array__add(words, b[1]);
		array__add(words, b[0]);
		array__add(words, history_flags(b[2]));
		nr_listed++;
		i++;
	}
	return nr_listed;
}

void branch_history__make(history_words *words, const struct sample *s, u64 max)
{
	u64 inner = nr_inner_words(s), older = inner, mark, nr;

	words->nr = 0;
	array__add(words, 0);
	nr = add_branches(words, s, max);
	words->v[0] = nr << 32 | inner;
	for (u64 i = 0; i < inner; i++)
		array__add(words, s->callchain[i]);
	if (nr)
		older = first_older_frame(s, MIN(inner + 2, s->nr_callchain), MIN(s->nr_branches, max));
	mark = older;
	while (mark > inner && mark < s->nr_callchain && s->callchain[mark] < PERF_CONTEXT_MAX)
		mark--;
	if (mark < older)
		array__add(words, s->callchain[mark]);
	for (u64 i = older; i < s->nr_callchain; i++)
		array__add(words, s->callchain[i]);
}

void branch_sums__add(struct branch_sums *sums, u64 flags, u64 nr)
{
	u64 rounds = flags >> HISTORY_ROUNDS_SHIFT & ROUNDS_MAX;

	if (flags & HISTORY_TO) {
		sums->nr_to += nr;
		sums->known += flags & (HISTORY_PREDICTED | HISTORY_MISPREDICTED) ? nr : 0;
		sums->predicted += flags & HISTORY_PREDICTED ? nr : 0;
		sums->aborted += flags & HISTORY_ABORT ? nr : 0;
	}
	if (!(flags & HISTORY_FROM))
		return;
	sums->nr_from += nr;
	sums->cycles += nr * (flags >> HISTORY_CYCLES_SHIFT & 0xffff);
	if (!rounds)
		return;
	sums->nr_loops += nr;
	sums->rounds += nr * rounds;
	sums->loop_cycles += nr * (flags >> HISTORY_LOOP_SHIFT);
}
