/* From rows of raw numbers to folds of places and chains. */
#include "base/memory/hash.h"
#include "format/records/sample_field.h"
#include "profile/gather/unwound.h"
#include "profile/waits/wait_kinds.h"
#include "profile/hists/hists_private.h"
#include "profile/hists/idle.h"

#include <linux/perf_event.h>
#include <string.h>

enum { PARTS_AHEAD = 8 }; /* parts whose rows are prefetched: they are in any order */

static char cpumode_level(u32 cpumode)
{
	static const char levels[] = {
		[PERF_RECORD_MISC_KERNEL] = 'k',
		[PERF_RECORD_MISC_USER] = '.',
		[PERF_RECORD_MISC_GUEST_KERNEL] = 'g',
		[PERF_RECORD_MISC_GUEST_USER] = 'u',
	};

	return cpumode < sizeof(levels) && levels[cpumode] ? levels[cpumode] : 'H';
}

static bool is_guest(u32 cpumode)
{
	return cpumode == PERF_RECORD_MISC_GUEST_KERNEL || cpumode == PERF_RECORD_MISC_GUEST_USER;
}

/* ---- filters ---- */

static bool thread_is_wanted(const struct view *v, const struct row *row)
{
	char buf[16];

	return sample_filter__wants_thread(&v->opts.filter, view__comm(v, row->key.comm, buf), row->key.pid,
					   row->key.tid);
}

static bool view__wants_dso(const struct view *v, const struct dso *dso)
{
	const struct dsos *dsos = &v->profile->session->machine.dsos;

	return sample_filter__wants_dso(&v->opts.filter, dsos, dso) &&
	       (!v->zoom.filter || sample_filter__wants_dso(v->zoom.filter, dsos, dso));
}

static u8 view__filter_place(struct view *v, u32 place)
{
	const struct place *p = places__get(&v->places, place);
	const struct dsos *dsos = &v->profile->session->machine.dsos;
	const struct view_opts *o = &v->opts;
	const char *name;
	u8 filters = 0;

	if (!view__wants_dso(v, p->mapped ? dsos->v.v[p->dso] : NULL))
		filters |= HIST_FILTER_DSO;
	if (!o->filter.symbols.given && !(v->zoom.filter && v->zoom.filter->symbols.given) &&
	    !o->symbol_filter)
		return filters;
	name = p->sym ? places__name(&v->places, place) : NULL;
	if (!sample_filter__wants_symbol(&o->filter, name) ||
	    (v->zoom.filter && !sample_filter__wants_symbol(v->zoom.filter, name)))
		filters |= HIST_FILTER_SYMBOL;
	if (o->symbol_filter && !(name && strstr(name, o->symbol_filter)))
		filters |= HIST_FILTER_TEXT;
	return filters;
}

bool view__filters_places(const struct view *v)
{
	const struct view_opts *o = &v->opts;

	return o->filter.dsos.given || o->filter.symbols.given || o->symbol_filter ||
	       (v->zoom.filter && (v->zoom.filter->dsos.given || v->zoom.filter->symbols.given));
}

u8 view__place_filters(struct view *v, u32 place)
{
	enum { KNOWN = 1 << 7 };

	if (!view__filters_places(v))
		return 0;
	while (v->place_filters.nr <= place)
		array__add(&v->place_filters, 0);
	if (!v->place_filters.v[place])
		v->place_filters.v[place] = KNOWN | view__filter_place(v, place);
	return v->place_filters.v[place] & ~KNOWN;
}

/* Return the filters that exclude all entries of rows with this extra. */
static u8 view__extra_filters(const struct view *v, u32 extra)
{
	const int_array *parallelism = &v->opts.filter.parallelism;

	if (parallelism->nr &&
	    !int_list__has(parallelism,
			   (int)extras__field(&v->extras, &sample_fields[FIELD_PARALLELISM], extra)))
		return HIST_FILTER_CONTEXT;
	if (v->opts.waits.weights && v->opts.waits.weights->of == WEIGHTS_BLOCKED_BY)
		return 0; /* the filter was for those who waited */
	return !v->opts.filter.locks.given || !v->opts.waits.locks ||
			       sample_filter__wants_lock(
				       &v->opts.filter,
				       locks__text(v->opts.waits.locks,
						   (u32)extras__field(&v->extras, &sample_fields[FIELD_LOCK],
								      extra)))
		       ? 0
		       : HIST_FILTER_CONTEXT;
}

/* Return the filters that exclude all entries of a row's stack. sample_place: where the sample was taken. */
static u8 row__filters(struct view *v, const struct row *row, u32 sample_place)
{
	u8 filters = 0;

	if (!thread_is_wanted(v, row))
		filters |= HIST_FILTER_THREAD;
	if (v->opts.ignore_guest && is_guest(row->key.cpumode))
		filters |= HIST_FILTER_GUEST;
	if (v->opts.socket && view__socket(v, row->key.cpu) != *v->opts.socket)
		filters |= HIST_FILTER_SOCKET;
	if (v->opts.branches)
		filters |= view__place_filters(v, sample_place) & FILTERS_OF_BRANCH_SAMPLE;
	return filters;
}

/* ---- rows -> folds ---- */

_Static_assert(sizeof(struct fold) == 48, "there may be one for each sample");

struct folded_row {                  /* values that follow from the key and the chain of a row */
	struct row_space data_space; /* of the data that was accessed, if layout.data is set */
	u32 space;                   /* as row_key.space */
	u32 at;                      /* place of the address */
	u32 place, chain;            /* as in struct fold */
	u32 kind;                    /* index in folding.row_kinds */
	bool is_hidden, counts;
};

struct folding {
	struct view *view;
	struct fold_kind kind; /* of the row at hand */
	/* of rows with parts: */
	struct folded_row *rows;           /* by index */
	size_t nr_left;                    /* rows to be looked up */
	ARRAY(struct fold_kind) row_kinds; /* without what follows from extras */
	struct hash_table by_row_kind;
	u32 last_kind, last_first; /* result of the last lookup: often the next is the same */
	struct hash_table table, by_kind, by_first;
	struct idle idle;
};

static u32 folding__kind(struct folding *folding)
{
	struct view *v = folding->view;
	const struct fold_kind *kind = &folding->kind;
	u64 hash;
	u32 i;

	if (v->kinds.nr && !memcmp(&v->kinds.v[folding->last_kind], kind, sizeof(*kind)))
		return folding->last_kind;
	hash = hash__bytes(kind, sizeof(*kind), 0);
	hash_table__for_each (&folding->by_kind, hash, i)
		if (!memcmp(&v->kinds.v[i], kind, sizeof(*kind)))
			return folding->last_kind = i;
	hash_table__insert(&folding->by_kind, hash, (u32)v->kinds.nr);
	array__add(&v->kinds, *kind);
	return folding->last_kind = (u32)v->kinds.nr - 1;
}

static u32 folding__first(struct folding *folding, const struct row *row)
{
	struct view *v = folding->view;
	struct fold_thread first = { row->first_thread, row->first_pid, row->first_tid };
	u64 hash;
	u32 i;

	if (v->opts.is_live)
		first = (struct fold_thread){ UINT32_MAX, row->key.pid, row->key.tid };
	if (v->firsts.nr && !memcmp(&v->firsts.v[folding->last_first], &first, sizeof(first)))
		return folding->last_first;
	hash = hash__bytes(&first, sizeof(first), 0);
	hash_table__for_each (&folding->by_first, hash, i)
		if (!memcmp(&v->firsts.v[i], &first, sizeof(first)))
			return folding->last_first = i;
	hash_table__insert(&folding->by_first, hash, (u32)v->firsts.nr);
	array__add(&v->firsts, first);
	return folding->last_first = (u32)v->firsts.nr - 1;
}

static u32 row__locate(struct view *v, const struct row *row, u64 ip)
{
	struct row_space space = places__space(&v->places, row, (u8)row->key.cpumode);

	return places__leaf(&v->places, &space, ip);
}

static u32 view__find_data(struct view *v, const struct folded_row *r, u32 extra)
{
	return places__exact(&v->places, &r->data_space,
			     extras__field(&v->extras, v->opts.layout->data, extra));
}

/*
 * Set the fold's place (and branch). Return where the sample was taken; for a branch, that is another
 * place.
 */
static u32 folding__find_place(struct folding *folding, struct fold *f, const struct row *row)
{
	struct view *v = folding->view;

	if (v->opts.blocks)
		return f->place = view__find_block(v, row, &folding->kind.data);
	if (!v->opts.branches)
		return f->place = row__locate(v, row, row->key.ip);
	folding->kind.branch = branches__of_row(&v->branches, &v->places, row);
	f->place = branches__get(&v->branches, folding->kind.branch)->to.identity;
	return row__locate(v, row, row->chain[ROW_BRANCH_SAMPLE]);
}

static bool folding__is_resolved(const struct folding *folding, const struct fold *f)
{
	const struct view *v = folding->view;
	const struct branch *b = v->opts.branches ? branches__get(&v->branches, folding->kind.branch) : NULL;

	if (b && !places__get(&v->places, b->from.place)->sym)
		return false;
	return places__get(&v->places, f->place)->sym;
}

static void fold_kind__set_level(struct fold_kind *kind, char level)
{
	kind->level_filtered = (u32)level << 8 | (kind->level_filtered & 0xff);
}

/* Count the sample for a caller: its callees are ignored. */
static void folding__set_root(struct folding *folding, struct fold *f, u32 place)
{
	const struct place *p = places__get(&folding->view->places, place);

	f->place = place;
	if (p->mapped)
		fold_kind__set_level(&folding->kind, p->level);
}

static u64 row__period(const struct view *v, const struct row *row)
{
	if (v->opts.layout->ipc)
		return row->nr; /* its period are cycles */
	return v->opts.waits.one_table
		       ? time_table__ns(v->opts.waits.times, row->key.event, row->period, row->nr)
		       : row->period;
}

static enum time_role row__role(const struct view *v, const struct row *row)
{
	return v->opts.waits.times ? v->opts.waits.times->roles.v[row->key.event] : TIME_OTHER;
}

/* Set the place and the chain of a row of waits to where they begin. Return false if it is not a wait. */
static bool folding__begin_wait(struct folding *folding, struct fold *f, const struct row *row)
{
	struct view *v = folding->view;
	u32 chain = chains__of_wait(&v->chains, &v->places, row, &v->opts.chain, &f->place);
	const struct place *p = places__get(&v->places, f->place);

	fold_kind__set_level(&folding->kind, p->mapped ? p->level : '.');
	f->chain = view_opts__need_chains(&v->opts) ? chain : 0;
	return p->wait != WAIT_FOR_EVER;
}

/* Give a row that has no place in the code one with a name of its own. Return false if it has one. */
static bool folding__stand_in(struct folding *folding, struct fold *f, const struct row *row)
{
	struct view *v = folding->view;
	bool is_ready = row->key.event + 1 == v->opts.waits.times->ready_event;

	if (!is_ready && (row->key.ip || row->key.nr_chain))
		return false;
	f->place = places__stand_in(&v->places, is_ready                            ? WAIT_RUNNABLE
						: row__role(v, row) == TIME_WAITING ? WAIT_NOT_RECORDED
										    : WAIT_NOT_SAMPLED);
	fold_kind__set_level(&folding->kind, '.');
	if (view_opts__need_chains(&v->opts))
		f->chain = chains__of_leaf(&v->chains, &v->places, &v->opts.chain, f->place);
	return true;
}

/* Look up the chain, and what depends on it. Return false if the row does not count. */
static bool folding__set_chain(struct folding *folding, struct fold *f, const struct row *row)
{
	struct view *v = folding->view;
	enum time_role role = row__role(v, row);

	if (unlikely(v->opts.waits.weights) && folding__stand_in(folding, f, row))
		return true;
	if (role == TIME_WAITING && !folding__begin_wait(folding, f, row))
		return false;
	if (role != TIME_WAITING && view_opts__need_chains(&v->opts))
		f->chain = chains__of_row(&v->chains, &v->places, row, &v->opts.chain);
	if (unlikely(v->opts.chain.ignore_callees && f->chain && v->chains.root != PLACE_NONE))
		folding__set_root(folding, f, v->chains.root);
	if (role == TIME_OTHER || v->opts.waits.weights)
		return true;
	idle__count(&folding->idle, row->key.tid,
		    time_table__ns(v->opts.waits.times, row->key.event, row->period, row->nr));
	if (role == TIME_ON_CPU && !row->key.tid)
		fold__mark_idle(f, v);
	/* rows are split by thread to find idle waits */
	if (!(v->opts.layout->split & PROFILE_SPLIT_THREAD) &&
	    !wait_kind__may_be_idle(places__get(&v->places, f->place)->wait))
		folding->kind.thread = folding->kind.pid = folding->kind.tid = 0;
	return true;
}

/* Add the flags of the chain that was looked up last to the history of a fold. */
static void view__add_history(struct view *v, u32 fold, u64 nr_samples)
{
	size_t nr = v->chains.flags.nr;
	struct fold_history *history;
	struct chain_flags *flags;

	while (v->histories.nr <= fold)
		array__add(&v->histories, (struct fold_history){ .flags = NULL });
	if (!nr || nr != chains__length(&v->chains, v->folds.v[fold].chain))
		return;
	history = &v->histories.v[fold];
	flags = arena__alloc(&v->arena, sizeof(*flags) + nr * sizeof(*flags->flags));
	*flags = (struct chain_flags){ .next = history->flags, .nr = nr_samples };
	memcpy(flags->flags, v->chains.flags.v, nr * sizeof(*flags->flags));
	history->flags = flags;
	for (size_t i = 0; i < nr; i++)
		branch_sums__add(&history->sums, flags->flags[i], nr_samples);
}

/* Count the samples of a row for a fold. */
static void folding__count(struct folding *folding, u32 fold, const struct row *row)
{
	struct view *v = folding->view;
	struct fold *f = &v->folds.v[fold];

	f->nr += row->nr;
	f->period += row__period(v, row);
	if (unlikely(v->opts.chain.history))
		view__add_history(v, fold, row->nr);
	if (!v->opts.is_live && (row->first_time > f->first_time ||
				 (row->first_time == f->first_time && row->first_offset >= f->first_offset)))
		return;
	f->first_time = row->first_time;
	f->first_offset = row->first_offset;
	f->first = folding__first(folding, row);
}

static u64 fold__hash(const struct fold *f)
{
	return hash__add(hash__add(f->kind, f->place), f->chain);
}

/* Fold a row of a kind that r was looked up for. */
static void folding__add(struct folding *folding, const struct folded_row *r, u32 kind, const struct row *row)
{
	struct fold f = { .kind = kind,
			  .place = r->place,
			  .chain = r->chain,
			  .first_time = UINT64_MAX,
			  .first_offset = UINT64_MAX };
	struct view *v = folding->view;
	u64 hash = fold__hash(&f);
	u32 i;

	hash_table__for_each (&folding->table, hash, i) {
		const struct fold *old = &v->folds.v[i];

		if (old->kind == kind && old->place == r->place && old->chain == r->chain) {
			folding__count(folding, i, row);
			return;
		}
	}
	i = (u32)v->folds.nr;
	hash_table__insert(&folding->table, hash, i);
	array__add(&v->folds, f);
	folding__count(folding, i, row);
}

/* Look up what follows from the key and the chain of a row. */
static struct folded_row folding__look_up(struct folding *folding, const struct row *row)
{
	struct fold_kind *kind = &folding->kind;
	struct view *v = folding->view;
	struct fold f = { 0 };
	struct folded_row r = { .space = row->key.space };
	u32 sample_place;

	*kind = (struct fold_kind){ .event = row->key.event,
				    .comm = row->key.comm,
				    .thread = v->opts.is_live ? 0 : row->key.thread,
				    .pid = row->key.pid,
				    .tid = row->key.tid,
				    .cpu = row->key.cpu };
	sample_place = folding__find_place(folding, &f, row);
	r.at = f.place;
	if (v->opts.layout->ipc)
		ipc_table__take(&v->ipc, &v->places, row);
	r.is_hidden = v->opts.chain.hide_unresolved && !folding__is_resolved(folding, &f);
	kind->level_filtered = (u32)cpumode_level(row->key.cpumode) << 8 | row__filters(v, row, sample_place);
	r.counts = !r.is_hidden && folding__set_chain(folding, &f, row);
	if (unlikely(v->opts.layout->data))
		r.data_space = places__space(&v->places, row, (u8)row->key.cpumode);
	r.place = f.place;
	r.chain = f.chain;
	return r;
}

/* Note samples that were looked up. */
static void folding__note(struct folding *folding, const struct folded_row *r, u64 nr)
{
	struct view *v = folding->view;
	const struct place *p = places__get(&v->places, r->at);

	if (place__stand_in(places__get(&v->places, r->place)))
		return;
	if (!p->mapped)
		v->nr.unmapped += nr;
	else if (!p->sym)
		v->nr.unresolved += nr;
	else if (p->sym->is_made_up)
		v->nr.made_up += nr;
	if (r->is_hidden)
		v->nr.hidden += nr;
	unwound__note_names(&v->profile->unwinding, v->profile->session, r->space, nr, p);
}

/* Complete the kind of a row that r was looked up for with what follows from its extra. Return its index. */
static u32 folding__find_kind(struct folding *folding, const struct folded_row *r, const struct row *row)
{
	struct fold_kind *kind = &folding->kind;
	struct view *v = folding->view;

	kind->extra = extras__of_row(&v->extras, kind->event, row);
	if (unlikely(v->opts.layout->data))
		kind->data = view__find_data(v, r, kind->extra);
	kind->level_filtered |= view__extra_filters(v, kind->extra);
	return folding__kind(folding);
}

static void fold_row(void *ctx, const struct row *row)
{
	struct folding *folding = ctx;
	struct folded_row r = folding__look_up(folding, row);

	folding__note(folding, &r, row->nr);
	if (!r.counts)
		return;
	folding__add(folding, &r, folding__find_kind(folding, &r, row), row);
	if (unlikely(folding->view->opts.block_cycles) && !(folding->kind.level_filtered & 0xff))
		view__count_cycles(folding->view, folding->kind.data, row);
}

/* Append the functions of a waker's chain, innermost first; those of user space, if there are any. */
static void add_waker_chain(struct strbuf *sb, struct view *v, const struct row *row)
{
	struct chain_opts opts = { .max_stack = UINT32_MAX };
	const char *before = ": ";
	size_t nr_kernel = 0;

	if (!row->key.nr_chain || !chains__look_up(&v->chains, &v->places, row, &opts))
		return;
	while (nr_kernel < v->chains.scratch.nr &&
	       places__get(&v->places, v->chains.scratch.v[nr_kernel])->level == 'k')
		nr_kernel++;
	for (size_t i = nr_kernel < v->chains.scratch.nr ? nr_kernel : 0; i < v->chains.scratch.nr; i++) {
		const char *name = places__name(&v->places, v->chains.scratch.v[i]);

		strbuf__addf(sb, "%s%s", before, *name ? name : "[unknown]");
		before = " < ";
	}
}

/* Make the texts of wakers: the thread's name, and its stack. */
static void view__name_wakers(struct view *v)
{
	struct strbuf text = STRBUF_INIT;
	char buf[16];

	for (size_t i = 0; v->opts.waits.wakers && i < v->opts.waits.wakers->rows.rows.nr; i++) {
		const struct row *row = row_table__get(&v->opts.waits.wakers->rows, i);

		strbuf__reset(&text);
		strbuf__addstr(&text, view__comm(v, row->key.comm, buf));
		add_waker_chain(&text, v, row);
		array__add(&v->waker_texts, strpool__intern(&v->places.texts, text.buf));
	}
	strbuf__exit(&text);
}

/* Begin with the folds that are there. */
static void folding__init(struct folding *folding, struct view *v)
{
	*folding = (struct folding){ .view = v, .table = HASH_TABLE_INIT };
	for (size_t i = 0; i < v->folds.nr; i++)
		hash_table__insert(&folding->table, fold__hash(&v->folds.v[i]), (u32)i);
	for (size_t i = 0; i < v->kinds.nr; i++)
		hash_table__insert(&folding->by_kind, hash__bytes(&v->kinds.v[i], sizeof(v->kinds.v[i]), 0),
				   (u32)i);
	for (size_t i = 0; i < v->firsts.nr; i++)
		hash_table__insert(&folding->by_first,
				   hash__bytes(&v->firsts.v[i], sizeof(v->firsts.v[i]), 0), (u32)i);
}

/* ---- rows that have parts ---- */

static u32 folding__row_kind(struct folding *folding)
{
	const struct fold_kind *kind = &folding->kind;
	u64 hash = hash__bytes(kind, sizeof(*kind), 0);
	u32 i;

	hash_table__for_each (&folding->by_row_kind, hash, i)
		if (!memcmp(&folding->row_kinds.v[i], kind, sizeof(*kind)))
			return i;
	hash_table__insert(&folding->by_row_kind, hash, (u32)folding->row_kinds.nr);
	array__add(&folding->row_kinds, *kind);
	return (u32)folding->row_kinds.nr - 1;
}

/* Look up a row. Rows come in the order of their indexes, the last one first. */
static void look_up_row(void *ctx, const struct row *row)
{
	struct folding *folding = ctx;
	struct folded_row *r = &folding->rows[--folding->nr_left];

	*r = folding__look_up(folding, row);
	r->kind = folding__row_kind(folding);
	folding__note(folding, r, row->nr);
}

static u32 folding__kind_of_part(struct folding *folding, const struct folded_row *r, size_t value)
{
	const struct row row = { .extra = row_parts__extra(&folding->view->profile->parts, value) };

	folding->kind = folding->row_kinds.v[r->kind];
	return folding__find_kind(folding, r, &row);
}

static void fold_part(struct folding *folding, const struct folded_row *r, u32 kind,
		      const struct row_part *part)
{
	const struct row row = { .key = { .pid = part->first_pid, .tid = part->first_tid },
				 .nr = part->nr,
				 .period = part->period,
				 .first_time = part->first_time,
				 .first_offset = part->first_offset,
				 .first_thread = part->first_thread,
				 .first_pid = part->first_pid,
				 .first_tid = part->first_tid };

	folding__add(folding, r, kind, &row);
}

/* Fold the parts with a value. */
static void folding__take_value(struct folding *folding, size_t value)
{
	const struct row_part *part = folding->view->profile->parts.values.v[value].newest, *ahead = part;
	u32 row_kind = UINT32_MAX, kind = 0; /* of the part before */

	for (unsigned i = 0; ahead && i < PARTS_AHEAD; i++)
		ahead = ahead->before;
	for (; part; part = part->before) {
		const struct folded_row *r = &folding->rows[part->row];

		if (ahead) {
			__builtin_prefetch(&folding->rows[ahead->row]);
			ahead = ahead->before;
		}
		if (!r->counts)
			continue;
		if (r->kind != row_kind || folding->view->opts.layout->data)
			kind = folding__kind_of_part(folding, r, value);
		row_kind = r->kind;
		fold_part(folding, r, kind, part);
	}
}

/*
 * Each row is looked up once, then parts are folded value by value: those with other values are other folds,
 * so a small table has all that may be equal.
 */
static void folding__take_parts(struct folding *folding)
{
	struct view *v = folding->view;
	struct profile *p = v->profile;

	folding->nr_left = p->rows.rows.nr;
	folding->rows = xcalloc(folding->nr_left, sizeof(*folding->rows));
	profile__take_rows(p, look_up_row, folding);
	if (!v->folds.alloc) {
		v->folds.alloc = p->parts.nr;
		v->folds.v = xmalloc_large(p->parts.nr * sizeof(*v->folds.v));
	}
	for (size_t i = 0; i < p->parts.values.nr; i++) {
		if (!v->opts.is_live)
			hash_table__exit(&folding->table);
		folding__take_value(folding, i);
	}
	profile__free_parts(p);
	free(folding->rows);
	array__exit(&folding->row_kinds);
	hash_table__exit(&folding->by_row_kind);
}

/* Does the fold count in the totals? With children added up, a caller may be what was asked for. */
static bool fold__is_in_sums(struct view *v, const struct fold *f)
{
	struct chain chain = { .nr = 0 };
	struct fold at = *f;

	if (!v->opts.relative || !view__fold_filters(v, f))
		return true;
	if (v->opts.children && f->chain)
		chain = chains__get(&v->chains, f->chain);
	for (u32 i = 0; i < chain.nr; i++) {
		at.place = chain.places[i];
		if (!view__fold_filters(v, &at))
			return true;
	}
	return false;
}

void view__fold_rows(struct view *v)
{
	struct folding folding;

	folding__init(&folding, v);
	if (v->profile->parts.nr)
		folding__take_parts(&folding);
	else
		profile__take_rows(v->profile, fold_row, &folding);
	if (v->opts.waits.times && !v->opts.waits.weights)
		view__mark_idle(v, &folding.idle, fold__is_in_sums);
	places__join_inlined(&v->places);
	view__name_wakers(v);
	hash_table__exit(&folding.table);
	hash_table__exit(&folding.by_kind);
	hash_table__exit(&folding.by_first);
	idle__exit(&folding.idle);
	if (!v->opts.is_live)
		chains__end(&v->chains);
}
