/* From folds of places and chains to entries, their paths and call trees. */
#include "base/memory/hash.h"
#include "base/text/number.h"
#include "profile/hists/hists_private.h"

#include <string.h>

/* ---- folds -> entries ---- */

void view__filter_kinds(struct view *v)
{
	char buf[16];

	for (size_t i = 0; v->zoom.filter && i < v->kinds.nr; i++) {
		const struct fold_kind *k = &v->kinds.v[i];
		bool is_wanted = sample_filter__wants_thread(v->zoom.filter, view__comm(v, k->comm, buf),
							     k->pid, k->tid);

		array__add(&v->zoom.kinds, is_wanted ? 0 : HIST_FILTER_THREAD);
	}
}

static unsigned entry__identity(const struct view *v, const struct hist_entry *e, u64 *words)
{
	const struct hists *h = &v->hists.v[e->hists];
	unsigned nr = 0;

	words[nr++] = (u64)e->hists << 1 | (e->filtered != 0);
	for (size_t i = 0; i < h->nr_sorts; i++)
		if (column__is_key(h->sorts[i]))
			nr += h->sorts[i]->identity(h->sorts[i], v, e, words + nr);
	return nr;
}

static struct hist_entry *view__new_entry(struct view *v, const struct hist_entry *key, u64 hash)
{
	struct hist_entry *e = arena__alloc(&v->counted, sizeof(*e));
	size_t size = v->hists.v[key->hists].nr_members * sizeof(*e->stats);

	*e = *key;
	e->stats = arena__zalloc(&v->counted, size);
	e->parts = hists__new_parts(&v->hists.v[key->hists], v);
	e->first_path = TREE_NONE;
	e->nr_paths = 0;
	hash_table__insert(&v->by_identity, hash, (u32)v->entries.nr);
	array__add(&v->entries, e);
	return e;
}

/* Do the sort keys depend on samples alone, so that they are the same for all places of a chain? */
static bool view__sorts_by_samples(const struct view *v)
{
	const struct layout *l = v->opts.layout;

	for (size_t i = 0; i < l->sorts.nr; i++)
		if (column__is_key(l->sorts.v[i]) && !l->sorts.v[i]->of_sample)
			return false;
	return true;
}

/* Fields that identify entries: two different entries differ in at least one of them. */
struct entry_key {
	u32 place, comm, cpu, tid, hists, branch, extra, data, parent, filtered, wait;
};

/* Cache of recent keys: consecutive chains share most of their callers. */
struct entry_cache {
	struct {
		struct entry_key key;
		struct hist_entry *e; /* NULL: free */
	} v[1 << 12];
	u32 *fold_of_place;         /* by place: the last fold + 1 whose chain contains it */
	bool of_kinds;              /* all folds of a kind have one entry */
	bool of_threads;            /* entries depend on the thread */
	u32 kind;                   /* of the last fold */
	struct hist_entry *of_kind; /* its entry, or NULL */
};

/* May a sample count for several entries, because it counts for its callers, too? */
static bool view__callers_differ(const struct view *v)
{
	return v->opts.children && (!view__sorts_by_samples(v) || view__filters_places(v));
}

static void view__start_cache(struct view *v)
{
	v->cache = xcalloc(1, sizeof(*v->cache));
	v->cache->of_kinds = view__sorts_by_samples(v) && !view__filters_places(v) && !v->opts.exclude_other;
	v->cache->of_threads = v->opts.layout->split & PROFILE_SPLIT_THREAD;
	v->cache->fold_of_place = xcalloc(v->places.v.nr, sizeof(*v->cache->fold_of_place));
}

static void view__end_cache(struct view *v)
{
	free(v->cache->fold_of_place);
	free(v->cache);
}

/* Note the entry of a fold. */
static void entry_cache__note(struct entry_cache *c, const struct fold *f, struct hist_entry *e)
{
	c->kind = f->kind;
	c->of_kind = e;
}

/* Return the entry noted last if it is that of a fold, or NULL if it may be another. */
static struct hist_entry *entry_cache__of_kind(const struct entry_cache *c, const struct fold *f)
{
	return c->of_kinds && c->kind == f->kind ? c->of_kind : NULL;
}

/*
 * Was the place in this fold's chain already? Inlining often repeats places, and a repeated place counts
 * once.
 */
static bool entry_cache__is_again(struct entry_cache *c, u32 fold, u32 place)
{
	bool is_again = c->fold_of_place[place] == fold + 1;

	c->fold_of_place[place] = fold + 1;
	return is_again;
}

/* A cheap check: true only if both have one identity; false proves nothing. */
static bool entry__is_like(const struct hist_entry *e, const struct hist_entry *key)
{
	return e->place == key->place && e->comm == key->comm && e->cpu == key->cpu && e->tid == key->tid &&
	       e->hists == key->hists && e->branch == key->branch && e->extra == key->extra &&
	       e->data == key->data && e->parent == key->parent && e->wait == key->wait &&
	       !e->filtered == !key->filtered;
}

static struct hist_entry *view__look_up_entry(struct view *v, const struct hist_entry *key)
{
	u64 *words = v->identities[0], *other = v->identities[1];
	unsigned nr = entry__identity(v, key, words);
	u64 hash = hash__words(words, nr, 0);
	u32 i;

	hash_table__for_each (&v->by_identity, hash, i) {
		struct hist_entry *e = v->entries.v[i];

		if (entry__is_like(e, key) ||
		    (entry__identity(v, e, other) == nr && !memcmp(words, other, nr * sizeof(*words))))
			return e;
	}
	return view__new_entry(v, key, hash);
}

static struct hist_entry *view__find_entry(struct view *v, const struct hist_entry *e)
{
	const struct entry_key key = { .place = e->place,
				       .comm = e->comm,
				       .cpu = e->cpu,
				       .tid = v->cache->of_threads ? e->tid : 0,
				       .hists = e->hists,
				       .branch = e->branch,
				       .extra = e->extra,
				       .data = e->data,
				       .parent = e->parent,
				       .filtered = e->filtered,
				       .wait = e->wait };
	u32 i = (key.place ^ key.comm << 7 ^ key.tid << 3 ^ key.cpu << 11 ^ key.extra) %
		ARRAY_SIZE(v->cache->v);

	if (v->cache->v[i].e && !memcmp(&v->cache->v[i].key, &key, sizeof(key)))
		return v->cache->v[i].e;
	v->cache->v[i].key = key;
	return v->cache->v[i].e = view__look_up_entry(v, e);
}

/* Take what the identity leaves open from the entry's earliest sample. */
static void entry__first(struct hist_entry *e, const struct hist_entry *key)
{
	if (key->first_time > e->first_time ||
	    (key->first_time == e->first_time && key->first_offset >= e->first_offset))
		return;
	e->first_time = key->first_time;
	e->first_offset = key->first_offset;
	e->thread = key->thread;
	e->pid = key->pid;
	e->tid = key->tid;
	e->comm = key->comm;
	e->cpu = key->cpu;
	e->place = key->place;
	e->branch = key->branch;
	e->extra = key->extra;
	e->data = key->data;
	e->parent = key->parent;
	e->level = key->level;
}

/* Return the text id of a place's name if the function is a parent, or 0. */
static u32 view__parent_of(struct view *v, u32 place)
{
	enum { NO = 1, YES };
	const char *name;

	while (v->parents.nr <= place)
		array__add(&v->parents, 0);
	if (!v->parents.v[place]) {
		name = places__name(&v->places, place);
		v->parents.v[place] = *name && !regexec(v->opts.parent, name, 0, NULL, 0)
					      ? YES + strpool__intern(&v->places.texts, name)
					      : NO;
	}
	return v->parents.v[place] == NO ? 0 : v->parents.v[place] - YES;
}

/* Return the text id of the first function on the chain that is a parent, or 0. */
static u32 view__parent(struct view *v, u32 id)
{
	struct chain chain = { .nr = 0 };
	u32 parent = 0;

	if (v->opts.parent)
		chain = chains__get(&v->chains, id);
	for (u32 i = 0; i < chain.nr && !parent; i++)
		parent = view__parent_of(v, chain.places[i]);
	return parent;
}

/* Turn key into that of the entry for a place on the fold's chain. */
static void entry__set_place(struct hist_entry *key, struct view *v, u32 level_filtered, u32 place)
{
	u8 of_place = view__place_filters(v, place);

	key->place = places__get(&v->places, place)->row;
	key->filtered = (u8)level_filtered;
	if (v->opts.exclude_other && !key->parent)
		key->filtered |= HIST_FILTER_PARENT;
	key->filtered |= v->opts.branches ? of_place & ~FILTERS_OF_BRANCH_SAMPLE : of_place;
}

/* As fold_kind.level_filtered, with the filters of v->zoom. */
static u32 fold__level_filtered(const struct view *v, const struct fold *f)
{
	return fold__kind(v, f)->level_filtered | (v->zoom.kinds.nr ? v->zoom.kinds.v[f->kind] : 0);
}

u8 view__fold_filters(struct view *v, const struct fold *f)
{
	return (u8)(fold__level_filtered(v, f) | view__place_filters(v, f->place));
}

static struct hist_entry fold__entry(struct view *v, const struct fold *f)
{
	const struct fold_thread *first = &v->firsts.v[f->first];
	const struct fold_kind *kind = fold__kind(v, f);
	struct hist_entry key = {
		.first_time = f->first_time,
		.first_offset = f->first_offset,
		.thread = first->thread,
		.pid = first->pid,
		.tid = first->tid,
		.comm = kind->comm,
		.cpu = kind->cpu,
		.branch = kind->branch,
		.extra = kind->extra,
		.data = kind->data,
		.parent = view__parent(v, f->chain),
		.level = (char)(kind->level_filtered >> 8),
		.wait = places__get(&v->places, f->place)->wait,
		.is_idle = places__get(&v->places, f->place)->is_idle,
		.hists = v->hists_of_event[kind->event],
	};

	entry__set_place(&key, v, fold__level_filtered(v, f), f->place);
	return key;
}

/* Return which member of its group a fold counts for. */
static u32 fold__member(const struct view *v, const struct fold *f)
{
	return v->member_of_event[fold__kind(v, f)->event];
}

/* Return how much of a fold's time its threads waited. */
static u64 fold__waited(const struct view *v, const struct fold *f)
{
	return v->opts.waits.one_table &&
			       v->opts.waits.times->roles.v[fold__kind(v, f)->event] == TIME_WAITING
		       ? f->period
		       : 0;
}

static void hist_stat__count_level(struct hist_stat *s, char level, u64 period)
{
	switch (level) {
	case 'k':
		s->period_sys += period;
		break;
	case '.':
		s->period_user += period;
		break;
	case 'g':
		s->period_guest_sys += period;
		break;
	case 'u':
		s->period_guest_user += period;
		break;
	}
}

/* Add the sums that only the columns of this layout need. */
static void stat__add_sums(struct hist_stat *s, const struct view *v, const struct fold *f, bool is_self)
{
	const struct layout *l = v->opts.layout;

	for (size_t i = 0; i < l->sums.nr; i++)
		if (is_self || l->sums.v[i]->of_callees)
			*column__stat(l->sums.v[i], s) += l->sums.v[i]->sum(l->sums.v[i], v, f);
}

static void parts__add(u64 *parts, const struct view *v, const struct fold *f)
{
	const struct layout *l = v->opts.layout;
	u64 *first = parts + fold__member(v, f) * l->nr_parts;

	for (size_t i = 0; i < l->divided.nr; first += l->divided.v[i++]->nr_parts)
		first[extras__field(&v->extras, l->divided.v[i]->field, fold__kind(v, f)->extra)] +=
			f->period;
}

static void stat__add_history(struct hist_stat *s, const struct branch_sums *sums)
{
	s->branches += sums->nr_to;
	s->known += sums->known;
	s->predicted += sums->predicted;
	s->aborted += sums->aborted;
	s->cycles += sums->cycles;
}

/* Count a fold for an entry. depth: length of the part of its chain that belongs to the entry. */
static void entry__count(const struct view *v, struct hist_entry *e, const struct fold *f, bool is_self,
			 u32 depth)
{
	struct hist_stat *s = &e->stats[fold__member(v, f)];
	u64 waited = fold__waited(v, f);

	s->period_children += f->period;
	s->waiting_children += waited;
	if (is_self) {
		s->period += f->period;
		s->waiting += waited;
		s->nr += f->nr;
		hist_stat__count_level(s, (char)(fold__kind(v, f)->level_filtered >> 8), f->period);
	}
	if (unlikely(v->opts.layout->sums.nr))
		stat__add_sums(s, v, f, is_self);
	if (unlikely(e->parts && is_self))
		parts__add(e->parts, v, f);
	if (unlikely(v->opts.chain.history))
		stat__add_history(s, &v->histories.v[f - v->folds.v].sums);
	e->max_depth = MAX(e->max_depth, depth);
	/* trees are built from the leader's chains only */
	e->nr_paths += depth && !fold__member(v, f);
}

static void stat__count(struct hist_stat *s, const struct view *v, const struct fold *f)
{
	s->period += f->period;
	s->nr += f->nr;
	s->waiting += fold__waited(v, f);
	stat__add_sums(s, v, f, true);
}

static void hists__count(struct hists *h, const struct view *v, const struct fold *f, bool is_shown)
{
	u32 member = fold__member(v, f);

	stat__count(&h->totals[member], v, f);
	if (unlikely(h->parts))
		parts__add(h->parts, v, f);
	if (is_shown)
		stat__count(&h->shown[member], v, f);
}

/*
 * Count a fold for its own entry, with the whole chain. With children added up, count it also once for each
 * distinct entry on the chain, with the part of the chain from there on.
 */
static void view__count_fold(struct view *v, u32 fold, bool callers_differ)
{
	const struct fold *f = &v->folds.v[fold];
	struct hist_entry key = fold__entry(v, f), *e;
	u32 level_filtered = fold__level_filtered(v, f);
	bool is_shown = !key.filtered;
	struct chain chain = { .nr = 0 };

	e = view__find_entry(v, &key);
	entry_cache__note(v->cache, f, e);
	entry__first(e, &key);
	e->stamp = fold + 1;
	entry__count(v, e, f, true, chains__length(&v->chains, f->chain));
	if (callers_differ)
		chain = chains__get(&v->chains, f->chain);
	for (u32 i = 0; i < chain.nr; i++) {
		const struct place *p = places__get(&v->places, chain.places[i]);

		entry__set_place(&key, v, level_filtered, chain.places[i]);
		is_shown |= !key.filtered;
		if (p->mapped)
			/* an unmapped place keeps the level of the previous one, as in stock perf */
			key.level = p->level;
		if (entry_cache__is_again(v->cache, fold, key.place))
			continue;
		e = view__find_entry(v, &key);
		if (e->stamp == fold + 1)
			continue; /* the entry was counted for another place */
		entry__first(e, &key);
		e->stamp = fold + 1;
		entry__count(v, e, f, false, chain.nr - i);
	}
	hists__count(&v->hists.v[key.hists], v, f, is_shown);
}

/* Count a fold for the entry of the fold before, unless it has another, or is its earliest. */
static bool view__count_alike(struct view *v, const struct fold *f)
{
	struct hist_entry *e = entry_cache__of_kind(v->cache, f);

	if (!e || f->first_time <= e->first_time)
		return false;
	entry__count(v, e, f, true, chains__length(&v->chains, f->chain));
	hists__count(&v->hists.v[e->hists], v, f, !e->filtered);
	return true;
}

static void view__reset_stamps(struct view *v)
{
	for (size_t i = 0; i < v->entries.nr; i++)
		v->entries.v[i]->stamp = 0;
}

void view__add_entries(struct view *v)
{
	bool callers_differ = view__callers_differ(v);

	view__start_cache(v);
	for (size_t i = 0; i < v->folds.nr; i++)
		if (!view__count_alike(v, &v->folds.v[i]))
			view__count_fold(v, (u32)i, callers_differ);
	view__end_cache(v);
	view__reset_stamps(v);
}

/* ---- folds -> paths -> call trees ---- */

static u64 hists__min_branch(const struct view *v, const struct hists *h)
{
	return number__u64((double)hists__total(v, h, 0) * (v->opts.graph_percent / 100));
}

/* Branches are never larger than their entry, so trees of small entries would be empty. */
static bool entry__may_show_tree(const struct view *v, const struct hist_entry *e)
{
	u64 min = hists__min_branch(v, &v->hists.v[e->hists]);

	return !e->filtered && e->nr_paths &&
	       (v->opts.graph == GRAPH_RELATIVE || e->stats[0].period_children >= min);
}

static void entry__add_path(struct view *v, struct hist_entry *e, u32 fold, u32 from)
{
	if (e->first_path != TREE_NONE && e->stamp != fold + 1)
		v->paths.v[e->first_path + e->nr_paths++] = (struct path_ref){ fold, from };
	e->stamp = fold + 1;
}

/* List paths for the same entries as view__count_fold, but only those that may show a tree. */
static void view__list_paths_of(struct view *v, u32 fold, const bool *has_tree, bool callers_differ)
{
	const struct fold *f = &v->folds.v[fold];
	struct hist_entry *e = entry_cache__of_kind(v->cache, f), key;
	u32 level_filtered = fold__level_filtered(v, f);
	struct chain chain = { .nr = 0 };

	if (!e) {
		key = fold__entry(v, f);
		e = has_tree[f->place] ? view__find_entry(v, &key) : NULL;
		entry_cache__note(v->cache, f, e);
	}
	if (e)
		entry__add_path(v, e, fold, 0);
	if (callers_differ)
		chain = chains__get(&v->chains, f->chain);
	for (u32 i = 0; i < chain.nr; i++) {
		entry__set_place(&key, v, level_filtered, chain.places[i]);
		if (has_tree[key.place] && !entry_cache__is_again(v->cache, fold, key.place))
			entry__add_path(v, view__find_entry(v, &key), fold, i);
	}
}

/* Return a bucket that is the same for all places of one entry, if entries are split by symbol. */
static size_t place__bucket(const struct view *v, u32 place, size_t nr)
{
	const struct place *p = places__get(&v->places, places__get(&v->places, place)->row);

	if (p->inlined && v->places.opts.inline_rows)
		return hash__u64(p->inlined) % nr;
	return hash__u64(p->sym ? p->sym->start : p->ip) % nr;
}

/*
 * Return flags by place: false: no entry of this place shows a tree (true of most places); true: one may.
 */
static bool *view__places_with_trees(struct view *v)
{
	bool *has_tree = xcalloc(v->places.v.nr, sizeof(*has_tree)), of_symbols[1 << 12] = { 0 };
	bool any = !layout__sorts_by(v->opts.layout, "symbol");

	for (size_t i = 0; i < v->entries.nr; i++)
		if (v->entries.v[i]->first_path != TREE_NONE)
			of_symbols[place__bucket(v, v->entries.v[i]->place, ARRAY_SIZE(of_symbols))] = true;
	for (size_t i = 0; i < v->places.v.nr; i++)
		has_tree[i] = any || of_symbols[place__bucket(v, (u32)i, ARRAY_SIZE(of_symbols))];
	return has_tree;
}

void view__list_paths(struct view *v)
{
	bool callers_differ = view__callers_differ(v), *has_tree;
	u64 nr = 0;

	for (size_t i = 0; i < v->entries.nr; i++) {
		struct hist_entry *e = v->entries.v[i];

		if (!entry__may_show_tree(v, e))
			continue;
		e->first_path = nr;
		nr += e->nr_paths;
		e->nr_paths = 0;
	}
	array__reserve(&v->paths, nr);
	has_tree = view__places_with_trees(v);
	view__start_cache(v);
	for (size_t i = 0; i < v->folds.nr; i++)
		if (v->folds.v[i].chain && !fold__member(v, &v->folds.v[i]))
			view__list_paths_of(v, (u32)i, has_tree, callers_differ);
	view__end_cache(v);
	free(has_tree);
	view__reset_stamps(v);
}

/* Compare by dso and address, highest first: stock perf's order of equally large branches. */
static int compare_places(void *ctx, u32 a, u32 b)
{
	const struct view *v = ctx;
	const struct place *x = places__get(&v->places, places__get(&v->places, a)->last);
	const struct place *y = places__get(&v->places, places__get(&v->places, b)->last);
	u64 p = x->sym ? x->sym->start : x->ip, q = y->sym ? y->sym->start : y->ip;

	if (x->dso != y->dso)
		return x->dso > y->dso ? -1 : 1;
	if (p != q)
		return p > q ? -1 : 1;
	if (x->ip != y->ip) /* GRAPH_BY_ADDRESS */
		return x->ip > y->ip ? -1 : 1;
	if (x->inlined != y->inlined)
		return strcmp(places__text(&v->places, x->inlined), places__text(&v->places, y->inlined));
	return strcmp(places__text(&v->places, x->line), places__text(&v->places, y->line));
}

static void view__add_path(const struct view *v, struct call_trees *trees, u32 fold, u32 from)
{
	const struct fold *f = &v->folds.v[fold];
	const struct hists *h = &v->hists.v[v->hists_of_event[fold__kind(v, f)->event]];
	u32 begin, nr = chains__graph(&v->chains, f->chain, &begin);

	if (unlikely(v->opts.chain.history))
		array__add(&trees->flags,
			   ((struct call_path_flags){ .list = v->histories.v[fold].flags, .from = from }));
	array__add(&trees->paths, ((struct call_path){ .at = begin + from * chains__stride(&v->chains),
						       .nr_places = nr - from,
						       .period = f->period,
						       .nr = h->is_of_times ? fold__waited(v, f) : f->nr }));
}

const struct call_node *view__make_tree(struct view *v, const struct numbers *numbers, u64 min_period,
					bool by_place, struct call_trees *trees)
{
	struct call_tree_opts opts = {
		.min_period = min_period,
		.min_share = v->opts.graph_percent / 100,
		.is_relative = v->opts.graph == GRAPH_RELATIVE,
		.by_place = by_place,
		.nr_places = (u32)v->places.v.nr,
		.numbers = numbers,
		.has_depths = v->chains.has_depths,
		.compare_places = compare_places,
		.ctx = v,
	};

	return call_trees__make(trees, &opts);
}

const struct call_node *view__call_tree(struct view *v, const struct hist_entry *e, bool by_place,
					struct call_trees *trees)
{
	if (e->first_path == TREE_NONE)
		return NULL;
	array__reserve(&trees->paths, e->nr_paths);
	trees->paths.nr = trees->flags.nr = 0;
	for (u32 i = 0; i < e->nr_paths; i++)
		view__add_path(v, trees, v->paths.v[e->first_path + i].fold,
			       v->paths.v[e->first_path + i].from);
	return view__make_tree(v, &v->chains.v, hists__min_branch(v, &v->hists.v[e->hists]), by_place, trees);
}

/* Is the fold in an entry that is not filtered? */
static bool fold__is_shown(struct view *v, const struct fold *f)
{
	struct chain chain = chains__get(&v->chains, f->chain);
	struct hist_entry key = fold__entry(v, f);
	u32 level_filtered = fold__level_filtered(v, f);
	bool is_shown = !key.filtered;

	for (u32 i = 0; i < chain.nr && v->opts.children && !is_shown; i++) {
		entry__set_place(&key, v, level_filtered, chain.places[i]);
		is_shown = !key.filtered;
	}
	return is_shown;
}

const struct call_node *view__whole_tree(struct view *v, const struct hists *h, struct call_trees *trees)
{
	trees->paths.nr = trees->flags.nr = 0;
	for (size_t i = 0; i < v->folds.nr; i++) {
		const struct fold *f = &v->folds.v[i];

		if (f->chain && v->hists_of_event[fold__kind(v, f)->event] == h->idx && !fold__member(v, f) &&
		    fold__is_shown(v, f))
			view__add_path(v, trees, (u32)i, 0);
	}
	return view__make_tree(v, &v->chains.v, hists__min_branch(v, h), false, trees);
}

/* ---- the paths of one entry ---- */

/*
 * Find where on the fold's chain the entry is first, from the outermost caller on. Return false if it is
 * not.
 */
static bool fold__find_entry(struct view *v, u32 fold, const struct hist_entry *e, const bool *may_be,
			     u32 *at)
{
	const struct fold *f = &v->folds.v[fold];
	struct chain chain = chains__get(&v->chains, f->chain);
	struct hist_entry key = fold__entry(v, f);
	u32 level_filtered = fold__level_filtered(v, f);

	for (u32 i = 0; i < chain.nr; i++) {
		u32 k = v->opts.chain.caller_first ? i : chain.nr - 1 - i;

		if (!may_be[chain.places[k]])
			continue;
		entry__set_place(&key, v, level_filtered, chain.places[k]);
		if (view__find_entry(v, &key) == e) {
			*at = k;
			return true;
		}
	}
	return false;
}

/* Return, by place, whether it may be one of the entry's. */
static bool *view__places_of(const struct view *v, const struct hist_entry *e)
{
	enum { BUCKETS = 1 << 16 };
	bool *may_be = xcalloc(v->places.v.nr, sizeof(*may_be));
	bool any = !layout__sorts_by(v->opts.layout, "symbol");
	size_t bucket = place__bucket(v, e->place, BUCKETS);

	for (size_t i = 0; i < v->places.v.nr; i++)
		may_be[i] = any || place__bucket(v, (u32)i, BUCKETS) == bucket;
	return may_be;
}

static bool fold__is_of(struct view *v, u32 fold, const struct hist_entry *e, bool self, const bool *may_be,
			u32 *at)
{
	const struct fold *f = &v->folds.v[fold];
	u32 nr = chains__length(&v->chains, f->chain);
	struct hist_entry key;

	if (!e || self || !v->opts.children)
		*at = v->opts.chain.caller_first == self ? nr - 1 : 0;
	if (!e)
		return fold__is_shown(v, f);
	if (!self && v->opts.children)
		return fold__find_entry(v, fold, e, may_be, at);
	if (!may_be[f->place])
		return false;
	key = fold__entry(v, f);
	return view__find_entry(v, &key) == e;
}

void view__find_paths(struct view *v, const struct hists *h, const struct hist_entry *e, bool self,
		      path_refs *paths)
{
	bool *may_be = e ? view__places_of(v, e) : NULL;

	view__start_cache(v);
	for (size_t i = 0; i < v->folds.nr; i++) {
		const struct fold *f = &v->folds.v[i];
		u32 at = 0;

		if (f->chain && v->hists_of_event[fold__kind(v, f)->event] == h->idx && !fold__member(v, f) &&
		    fold__is_of(v, (u32)i, e, self, may_be, &at))
			array__add(paths, ((struct path_ref){ .fold = (u32)i, .from = at }));
	}
	view__end_cache(v);
	free(may_be);
}
