#include "profile/side_by_side/streams.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 35, STREAM_NONE = UINT32_MAX }; /* columns of a recording, as in stock perf */

struct stream_sum {
	u32 begin, nr; /* places in view.chains */
	u64 period;
	u32 rank; /* in streams.v; STREAM_NONE: not hot */
};

struct stream_search {
	struct view *view;
	u32 hists;
	ARRAY(struct stream_sum) sums;
	struct hash_table table;
	ARRAY(u32) of_fold; /* index in sums, or STREAM_NONE */
	u64 period;         /* of all */
};

/* ---- finding ---- */

/* Set the places of a fold's chain that are of branches: they come first, or after the kernel's. */
static void fold__find_branches(const struct stream_search *s, u32 fold, struct stream_sum *sum, u32 *from)
{
	const struct view *v = s->view;
	const struct fold *f = &v->folds.v[fold];
	const struct chain_flags *flags = fold < v->histories.nr ? v->histories.v[fold].flags : NULL;
	u32 nr = flags ? chains__graph(&v->chains, f->chain, &sum->begin) : 0;

	*from = 0;
	while (*from < nr && !(flags->flags[*from] & (HISTORY_TO | HISTORY_FROM)))
		++*from;
	sum->begin += *from * chains__stride(&v->chains);
	sum->nr = 0;
	while (*from + sum->nr < nr && flags->flags[*from + sum->nr] & (HISTORY_TO | HISTORY_FROM))
		sum->nr++;
}

static u32 stream_search__place(const struct stream_search *s, const struct stream_sum *sum, u32 i)
{
	const struct chains *c = &s->view->chains;

	return numbers__get(&c->v, sum->begin + i * chains__stride(c));
}

static u32 stream_search__sum(struct stream_search *s, const struct stream_sum *sum)
{
	u64 hash = sum->nr;
	u32 i;

	for (u32 k = 0; k < sum->nr; k++)
		hash = hash__add(hash, stream_search__place(s, sum, k));
	hash_table__for_each (&s->table, hash, i) {
		u32 k = 0;

		if (s->sums.v[i].nr != sum->nr)
			continue;
		while (k < sum->nr &&
		       stream_search__place(s, &s->sums.v[i], k) == stream_search__place(s, sum, k))
			k++;
		if (k == sum->nr)
			return i;
	}
	i = (u32)s->sums.nr;
	hash_table__insert(&s->table, hash, i);
	array__add(&s->sums, *sum);
	return i;
}

static bool stream_search__wants(const struct stream_search *s, const struct fold *f)
{
	return s->view->hists_of_event[fold__kind(s->view, f)->event] == s->hists &&
	       !view__fold_filters(s->view, f);
}

static void stream_search__add_folds(struct stream_search *s)
{
	const struct view *v = s->view;

	for (u32 i = 0; i < v->folds.nr; i++) {
		struct stream_sum sum = { .rank = STREAM_NONE };
		u32 from, found = STREAM_NONE;

		if (stream_search__wants(s, &v->folds.v[i]))
			fold__find_branches(s, i, &sum, &from);
		if (sum.nr) {
			found = stream_search__sum(s, &sum);
			s->sums.v[found].period += v->folds.v[i].period;
			s->period += v->folds.v[i].period;
		}
		array__add(&s->of_fold, found);
	}
}

/* ---- the hottest ---- */

/* Append "FUNCTION FILE:LINE", "FUNCTION+OFFSET", or an address. */
static void add_step(struct view *v, u32 id, struct strbuf *out)
{
	const struct place *p = places__get(&v->places, id);

	if (!p->sym) {
		strbuf__addf(out, "0x%llx", (unsigned long long)p->ip);
		return;
	}
	if (p->has_line) {
		strbuf__add_masked(out, places__name(&v->places, id));
		strbuf__addch(out, ' ');
	}
	strbuf__add_masked(out, places__text(&v->places, p->line));
}

static void stream__init(struct stream *stream, struct stream_search *s, const struct stream_sum *sum,
			 struct arena *arena)
{
	struct strbuf text = STRBUF_INIT;

	*stream = (struct stream){ .nr_steps = sum->nr,
				   .share = (double)sum->period / (double)MAX(s->period, (u64)1),
				   .steps = arena__alloc(arena, sum->nr * sizeof(*stream->steps)) };
	for (u32 i = 0; i < sum->nr; i++) {
		strbuf__reset(&text);
		add_step(s->view, stream_search__place(s, sum, i), &text);
		stream->steps[i] = arena__strdup(arena, text.buf);
	}
	strbuf__exit(&text);
}

static int stream__compare_steps(const struct stream *a, const struct stream *b)
{
	int ret = a->nr_steps < b->nr_steps ? -1 : a->nr_steps > b->nr_steps;

	for (u32 i = 0; i < a->nr_steps && !ret; i++)
		ret = strcmp(a->steps[i], b->steps[i]);
	return ret;
}

/* Set the ranks of the hottest. If several are equally hot, the one that was found first ranks higher. */
static void streams__choose(struct streams *s, struct stream_search *search, struct arena *arena)
{
	struct stream_sum *hot[STREAMS_MAX];

	for (u32 i = 0; i < search->sums.nr; i++) {
		struct stream_sum *sum = &search->sums.v[i];
		u32 k = s->nr;

		for (; k && hot[k - 1]->period < sum->period; k--)
			if (k < STREAMS_MAX)
				hot[k] = hot[k - 1];
		if (k == STREAMS_MAX)
			continue;
		hot[k] = sum;
		s->nr += s->nr < STREAMS_MAX;
	}
	for (u32 i = 0; i < s->nr; i++) {
		hot[i]->rank = i;
		stream__init(&s->v[i], search, hot[i], arena);
	}
}

/* Add up the average cycles of each branch, rounded down as --branch-history shows them. */
static void streams__count_cycles(struct streams *s, const struct stream_search *search)
{
	const struct view *v = search->view;
	struct branch_sums *sums[STREAMS_MAX];

	for (u32 i = 0; i < s->nr; i++)
		sums[i] = xcalloc(s->v[i].nr_steps, sizeof(*sums[i]));
	for (u32 i = 0; i < search->of_fold.nr; i++) {
		u32 found = search->of_fold.v[i], from,
		    rank = found == STREAM_NONE ? STREAM_NONE : search->sums.v[found].rank;
		struct stream_sum sum = { 0 };

		if (rank == STREAM_NONE)
			continue;
		fold__find_branches(search, i, &sum, &from);
		for (const struct chain_flags *f = v->histories.v[i].flags; f; f = f->next)
			for (u32 k = 0; k < sum.nr; k++)
				branch_sums__add(&sums[rank][k], f->flags[from + k], f->nr);
	}
	for (u32 i = 0; i < s->nr; i++) {
		for (u32 k = 0; k < s->v[i].nr_steps; k++)
			s->v[i].cycles += sums[i][k].nr_from ? sums[i][k].cycles / sums[i][k].nr_from : 0;
		free(sums[i]);
	}
}

void streams__find(struct streams *s, struct view *v, const struct hists *h, struct arena *arena)
{
	struct stream_search search = { .view = v, .hists = h->idx };

	*s = (struct streams){ .event = arena__strdup(arena, h->evsel->name), .attr = h->evsel->attr };
	stream_search__add_folds(&search);
	streams__choose(s, &search, arena);
	streams__count_cycles(s, &search);
	array__exit(&search.sums);
	array__exit(&search.of_fold);
	hash_table__exit(&search.table);
}

/* ---- text ---- */

static void add_right(struct strbuf *out, const char *text)
{
	size_t len = strlen(text);

	strbuf__addchars(out, ' ', len < WIDTH ? WIDTH - len : 0);
	strbuf__addstr(out, text);
}

static void add_head(struct strbuf *out, const struct stream *stream)
{
	struct strbuf text = STRBUF_INIT;

	strbuf__addf(&text, "cycles: %llu, hits: %.2f%%", (unsigned long long)stream->cycles,
		     100 * stream->share);
	add_right(out, text.buf);
	strbuf__exit(&text);
}

/* Append the lines of a stream that one recording has; is_new: on the right. */
static void add_single(struct strbuf *out, const struct stream *stream, bool is_new)
{
	for (u32 i = 0; i < stream->nr_steps + 2; i++) {
		if (is_new) {
			add_right(out, "");
			strbuf__addch(out, '\t');
		}
		if (!i)
			add_head(out, stream);
		else
			add_right(out, i == 1 ? "--------------------------" : stream->steps[i - 2]);
		strbuf__addch(out, '\n');
	}
}

static void add_pair(struct strbuf *out, const struct stream *old, const struct stream *new)
{
	add_head(out, old);
	strbuf__addch(out, '\t');
	add_head(out, new);
	strbuf__addch(out, '\n');
	add_right(out, "---------------------------");
	strbuf__addch(out, '\t');
	add_right(out, "--------------------------");
	strbuf__addch(out, '\n');
	for (u32 i = 0; i < old->nr_steps; i++) {
		add_right(out, old->steps[i]);
		strbuf__addch(out, '\t');
		add_right(out, new->steps[i]);
		strbuf__addch(out, '\n');
	}
}

static const struct stream *streams__same(const struct streams *s, const struct stream *stream)
{
	for (u32 i = 0; i < s->nr; i++)
		if (!stream__compare_steps(&s->v[i], stream))
			return &s->v[i];
	return NULL;
}

static void add_singles(struct strbuf *out, const struct streams *s, const struct streams *other, bool is_new)
{
	u32 nr = 0;

	strbuf__addf(out, "\n[ Hot streams in %s perf data only ]\n", is_new ? "new" : "old");
	for (u32 i = 0; i < s->nr; i++) {
		if (streams__same(other, &s->v[i]))
			continue;
		strbuf__addf(out, "\nhot chain %u:\n", ++nr);
		add_single(out, &s->v[i], is_new);
	}
}

void streams__add_text(const struct streams *old, const struct streams *new, struct strbuf *out)
{
	u32 nr = 0;

	strbuf__addstr(out, "[ Matched hot streams ]\n");
	for (u32 i = 0; i < old->nr; i++) {
		const struct stream *other = streams__same(new, &old->v[i]);

		if (!other)
			continue;
		strbuf__addf(out, "\nhot chain pair %u:\n", ++nr);
		add_pair(out, &old->v[i], other);
	}
	add_singles(out, old, new, false);
	add_singles(out, new, old, true);
}
