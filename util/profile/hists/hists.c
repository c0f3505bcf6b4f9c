#include "profile/hists/hists.h"

#include "base/memory/hash.h"
#include "base/message/bug.h"
#include "format/records/sample_field.h"
#include "profile/hists/hists_private.h"
#include "profile/places/survey.h"

#include <stdio.h>
#include <string.h>

bool view_opts__need_chains(const struct view_opts *o)
{
	return o->children || o->graph != GRAPH_NONE || o->parent || o->chain.ignore_callees ||
	       o->chain.history;
}

/* Return which source lines the view will need: enum dwarf_wants. */
static unsigned view_opts__lines(const struct view_opts *o)
{
	return (o->places.lines ? DWARF_WANTS_LINE : 0) |
	       (o->places.inline_rows || (o->places.inlines && view_opts__need_chains(o))
			? DWARF_WANTS_INLINED
			: 0);
}

const char *view__comm(const struct view *v, u32 comm, char buf[16])
{
	if (!(comm & ROW_COMM_OF_TID))
		return machine__str(&v->profile->session->machine, comm);
	/* Sign-extend the 31 bits: tid -1 means no thread. */
	snprintf(buf, 16, ":%d", (int)(comm << 1) >> 1);
	return buf;
}

const char *view__last_comm(const struct view *v, const struct hist_entry *e, char buf[16])
{
	u32 comm = e->thread < v->threads.nr ? v->threads.v[e->thread].comm : e->comm;

	return view__comm(v, comm, buf);
}

/* Record the last name of each thread. */
static void view__list_threads(struct view *v)
{
	const struct machine *m = &v->profile->session->machine;

	array__reserve(&v->threads, (size_t)m->nr_threads + 1);
	v->threads.nr = m->nr_threads;
	memset(v->threads.v, 0, v->threads.nr * sizeof(*v->threads.v));
	for (size_t i = 0; i < m->tids.nr; i++)
		for (size_t k = 0; k < m->tids.v[i].states.nr; k++) {
			const struct thread_state *s = &m->tids.v[i].states.v[k];

			if (s->thread < v->threads.nr)
				v->threads.v[s->thread] = (struct thread_info){
					s->pid, s->tid,
					s->comm == COMM_UNKNOWN ? ROW_COMM_OF_TID | s->tid : s->comm
				};
		}
}

static bool evlist__has_group(const struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++)
		if (l->evsels.v[i]->leader != i)
			return true;
	return false;
}

static bool hists__has_column(const struct hists *h, const struct view *v, const struct column *c)
{
	if (c->times)
		return h->is_of_times;
	if (c->waits)
		return v->opts.waits.times->roles.v[h->evsel->idx] != TIME_OTHER ||
		       (c->field == &sample_fields[FIELD_LOCK] &&
			evsel__wait_event(h->evsel) == WAIT_EVENT_ENDED);
	return !c->trace || v->hists_of_event[c->trace->event] == h->idx;
}

static bool column__is_elided(const struct layout *l, const struct column *c)
{
	for (size_t i = 0; i < l->fields.nr; i++)
		if (l->fields.v[i].column == c)
			return l->fields.v[i].elided;
	return false;
}

static void hists__choose_columns(struct hists *h, struct view *v)
{
	const struct layout *l = v->opts.layout;

	h->sorts = arena__alloc(&v->counted, (l->sorts.nr + 1) * sizeof(*h->sorts));
	h->shown_sorts = arena__alloc(&v->counted, (l->sorts.nr + 1) * sizeof(*h->shown_sorts));
	for (size_t i = 0; i < l->sorts.nr; i++) {
		if (!hists__has_column(h, v, l->sorts.v[i]))
			continue;
		h->sorts[h->nr_sorts++] = l->sorts.v[i];
		if (!column__is_elided(l, l->sorts.v[i]))
			h->shown_sorts[h->nr_shown_sorts++] = l->sorts.v[i];
	}
	h->has_field = arena__zalloc(&v->counted, (l->fields.nr + 1) * sizeof(*h->has_field));
	for (size_t i = 0; i < l->fields.nr; i++)
		h->has_field[i] = hists__has_column(h, v, l->fields.v[i].column) &&
				  !(h->is_of_times && l->fields.v[i].no_times);
}

/* Return the event with whose entries those of event i are shown: the leader of its group, or itself. */
static size_t view__leader(const struct view *v, size_t i, bool one_group)
{
	const struct evlist *l = &v->profile->session->reader->evlist;
	const struct time_table *t = v->opts.waits.times;

	if (v->opts.waits.one_table && t->roles.v[i] != TIME_OTHER) {
		for (i = 0; t->roles.v[i] == TIME_OTHER;)
			i++;
		return i;
	}
	if (!v->opts.group)
		return i;
	return one_group ? 0 : l->evsels.v[i]->leader;
}

u64 *hists__new_parts(const struct hists *h, struct view *v)
{
	size_t nr = (size_t)h->nr_members * v->opts.layout->nr_parts;

	return nr ? arena__zalloc(&v->counted, nr * sizeof(u64)) : NULL;
}

/* Make one hists for each event or group. */
static void view__make_hists(struct view *v)
{
	const struct evlist *l = &v->profile->session->reader->evlist;
	size_t nr = l->evsels.nr;

	bool one_group = v->opts.force_group && !evlist__has_group(l);

	v->hists_of_event = arena__zalloc(&v->counted, (nr + 1) * sizeof(u32));
	v->member_of_event = arena__zalloc(&v->counted, (nr + 1) * sizeof(u32));
	for (size_t i = 0; i < nr; i++) {
		const struct evsel *e = l->evsels.v[i];
		size_t leader = view__leader(v, i, one_group);
		struct hists *h;

		if (leader < i) {
			v->hists_of_event[i] = v->hists_of_event[leader];
			if (!v->opts.waits.one_table)
				v->member_of_event[i] = v->hists.v[v->hists_of_event[i]].nr_members++;
			continue;
		}
		v->hists_of_event[i] = (u32)v->hists.nr;
		h = array__push(&v->hists);
		*h = (struct hists){ .evsel = e,
				     .nr_members = 1,
				     .is_of_times = v->opts.waits.one_table &&
						    v->opts.waits.times->roles.v[i] != TIME_OTHER,
				     .idx = (u32)v->hists.nr - 1 };
	}
	for (size_t i = 0; i < v->hists.nr; i++) {
		struct hists *h = &v->hists.v[i];

		h->parts = hists__new_parts(h, v);
		h->totals = arena__zalloc(&v->counted, h->nr_members * sizeof(*h->totals));
		h->shown = arena__zalloc(&v->counted, h->nr_members * sizeof(*h->shown));
		hists__choose_columns(h, v);
	}
}

bool hists__has_part(const struct hists *h, const struct view *v, const struct column *c, u32 part)
{
	const struct layout *l = v->opts.layout;
	u32 at = layout__first_part(l, c) + part;

	for (u32 m = 0; m < h->nr_members; m++)
		if (h->parts[m * l->nr_parts + at])
			return true;
	return false;
}

/* Return the width of a column before entries: a divided one is as wide as its parts. */
static unsigned hists__least_width(const struct hists *h, const struct view *v, const struct layout_field *f)
{
	unsigned width = 0;

	for (u32 i = 0; i < f->column->nr_parts; i++)
		width += hists__has_part(h, v, f->column, i) ? PART_WIDTH : 0;
	return f->column->nr_parts ? width : MAX(f->column->width, (unsigned)strlen(f->header));
}

u64 hists__total(const struct view *v, const struct hists *h, u32 member)
{
	return v->opts.relative ? h->shown[member].period : h->totals[member].period;
}

/* Distribute the complete entries to their hists, and compute the widths of columns. */
static void view__list_entries(struct view *v)
{
	const struct layout *l = v->opts.layout;

	for (size_t i = 0; i < v->hists.nr; i++) {
		struct hists *h = &v->hists.v[i];

		h->widths = arena__zalloc(&v->counted, (l->fields.nr + 1) * sizeof(*h->widths));
		for (size_t f = 0; f < l->fields.nr; f++)
			h->widths[f] = hists__least_width(h, v, &l->fields.v[f]);
	}
	for (size_t i = 0; i < v->entries.nr; i++) {
		struct hist_entry *e = v->entries.v[i];
		struct hists *h = &v->hists.v[e->hists];

		if (v->opts.blocks && !entry__has_block(v, e))
			continue;
		h->averages += entry__average_cycles(e);
		array__add(&h->entries, e);
		for (size_t f = 0; f < l->fields.nr && !e->filtered; f++) {
			const struct column *c = l->fields.v[f].column;

			if (h->has_field[f] && c->room)
				h->widths[f] = MAX(h->widths[f], c->room(c, v, e));
		}
	}
}

/* Make entries of the folds. */
static void view__count(struct view *v)
{
	view__make_hists(v);
	view__filter_kinds(v);
	view__add_entries(v);
	view__list_entries(v);
	for (size_t i = 0; i < v->hists.nr; i++)
		hists__sort(&v->hists.v[i], v);
	for (size_t i = 0; i < v->hists.nr && v->opts.hierarchy; i++)
		hists__make_hierarchy(&v->hists.v[i], v);
	if (v->opts.graph != GRAPH_NONE && !v->opts.trees_later)
		view__list_paths(v);
}

/* Look up and fold the rows of the profile. */
static void view__take(struct view *v)
{
	struct profile *p = v->profile;

	if (!v->opts.is_live)
		view__list_threads(v);
	survey__rows(p->session, &p->rows, view_opts__lines(&v->opts), v->opts.nr_threads);
	view__fold_rows(v);
}

void view__build(struct view *v, struct profile *p, const struct view_opts *opts)
{
	*v = (struct view){ .opts = *opts, .profile = p };
	places__init(&v->places, p->session, &opts->places);
	chains__init(&v->chains);
	if (layout__sorts_by(opts->layout, "socket") || opts->socket)
		features__cpu_parts(p->session->reader, &v->cpus);
	v->branches.exact = opts->layout->exact_ends;
	extras__init(&v->extras, p->session, &opts->layout->words, &opts->layout->values, opts->traces);
	for (size_t i = 0; i < ARRAY_SIZE(v->identities); i++)
		v->identities[i] = arena__alloc(&v->arena, (1 + opts->layout->sorts.nr * COLUMN_WORDS_MAX) *
								   sizeof(u64));
	view__take(v);
	if (opts->layout->ipc)
		ipc_table__fill(&v->ipc, p->session);
	view__count(v);
}

static void view__forget_counts(struct view *v)
{
	for (size_t i = 0; i < v->hists.nr; i++)
		array__exit(&v->hists.v[i].entries);
	v->hists.nr = v->entries.nr = v->paths.nr = v->place_filters.nr = v->zoom.kinds.nr = 0;
	v->parents.nr = 0;
	hash_table__exit(&v->by_identity);
	arena__exit(&v->counted);
}

void view__recount(struct view *v, const struct sample_filter *zoom)
{
	view__forget_counts(v);
	v->zoom.filter = zoom;
	view__count(v);
}

void view__add(struct view *v, struct profile *p, const struct sample_filter *zoom)
{
	BUG_UNLESS(v->opts.is_live, "the view is of one recording");
	v->profile = p;
	places__forget_addresses(&v->places);
	view__take(v);
	view__recount(v, zoom);
}

void view__exit(struct view *v)
{
	places__exit(&v->places);
	chains__exit(&v->chains);
	branches__exit(&v->branches);
	extras__exit(&v->extras);
	for (size_t i = 0; i < v->blocks.nr; i++)
		array__exit(&v->blocks.v[i].counts);
	array__exit(&v->blocks);
	ipc_table__exit(&v->ipc);
	cpu_parts__exit(&v->cpus);
	array__exit(&v->paths);
	array__exit(&v->waker_texts);
	view__forget_counts(v);
	array__exit(&v->hists);
	array__exit(&v->folds);
	array__exit(&v->kinds);
	array__exit(&v->firsts);
	array__exit(&v->histories);
	array__exit(&v->place_filters);
	array__exit(&v->zoom.kinds);
	array__exit(&v->parents);
	array__exit(&v->entries);
	array__exit(&v->threads);
	arena__exit(&v->arena);
}
