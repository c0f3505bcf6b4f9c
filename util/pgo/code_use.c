#include "pgo/code_use.h"

#include "base/system/thread.h"
#include "format/records/wait_detail.h"
#include "profile/branches/branches.h"
#include "profile/gather/profile.h"
#include "profile/keys/sample_filter.h"
#include "profile/trees/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct node_use {
	u64 nr, first; /* samples; time of the first one */
};

struct collector {
	struct code_use *use;
	struct session *session;
	struct sample_filter filter;
	struct profile profile;
	struct stacks stacks;
	u32 event;                      /* idx of the evsel that is counted */
	ARRAY(u64) by_dso;              /* samples in it */
	ARRAY(u64) by_program;          /* samples of processes that executed it, by dso */
	ARRAY(struct node_use) by_node; /* of the tree of stacks: samples whose innermost frame it is */
	struct hash_table by_symbol;    /* of use->callees */
};

/* ---- which samples ---- */

static bool collector__wants_event(const struct collector *c, u32 event)
{
	const struct evsel *v = c->session->reader->evlist.evsels.v[event];

	return c->filter.events.given ? sample_filter__wants_event(&c->filter, v->name)
				      : evsel__wait_event(v) == WAIT_EVENT_NONE;
}

/* Choose the first event with samples. */
static int collector__choose_event(struct collector *c, struct err *err)
{
	const struct evlist *l = &c->session->reader->evlist;
	u32 first = UINT32_MAX;

	for (size_t i = 0; i < c->profile.rows.rows.nr; i++) {
		u32 event = row_table__get(&c->profile.rows, i)->key.event;

		if (event < first && collector__wants_event(c, event))
			first = event;
	}
	if (first == UINT32_MAX)
		return err__set(err, -ENODATA, "'%s' has no samples to make a profile of",
				c->session->reader->path);
	c->event = first;
	c->use->event = l->evsels.v[first]->name;
	return 0;
}

static bool collector__counts_event(const struct collector *c, u32 event)
{
	return collector__wants_event(c, event) && (c->filter.events.given || event == c->event);
}

static void collector__count_left_out(struct collector *c)
{
	for (size_t i = 0; i < c->profile.rows.rows.nr; i++) {
		const struct row *row = row_table__get(&c->profile.rows, i);

		if (!collector__counts_event(c, row->key.event))
			c->use->nr_left_out += row->nr;
	}
}

static bool collector__wants(const struct collector *c, const struct row *row)
{
	const struct row_key *k = &row->key;
	const char *comm = "";

	if (!collector__counts_event(c, k->event))
		return false;
	if (k->comm != COMM_UNKNOWN && !(k->comm & ROW_COMM_OF_TID))
		comm = machine__str(&c->session->machine, k->comm);
	return sample_filter__wants_thread(&c->filter, comm, k->pid, k->tid);
}

static void collector__count_dso(struct collector *c, const struct row *row, const struct place *p)
{
	const struct machine *m = &c->session->machine;

	while (c->by_dso.nr < m->dsos.v.nr) {
		array__add(&c->by_dso, 0);
		array__add(&c->by_program, 0);
	}
	if (p->mapped)
		c->by_dso.v[p->dso] += row->nr;
	if (row->key.space != ROW_NO_SPACE)
		c->by_program.v[machine__program(m, m->spaces.v[row->key.space])] += row->nr;
	c->use->nr_samples += row->nr;
}

/* Return the binary with the largest number, of those with samples that the filter keeps, or NULL. */
static struct dso *collector__most(const struct collector *c, const u64 *numbers)
{
	const struct dsos *dsos = &c->session->machine.dsos;
	struct dso *best = NULL;

	for (size_t i = 0; i < c->by_dso.nr; i++) {
		struct dso *d = dsos->v.v[i];

		if (d->kind == DSO_ELF && c->by_dso.v[i] && numbers[i] > (best ? numbers[best->idx] : 0) &&
		    sample_filter__wants_dso(&c->filter, dsos, d))
			best = d;
	}
	return best;
}

/*
 * Choose the binary: a program rather than its libraries, unless hardly anything runs in it, as in those that
 * start a virtual machine.
 */
static int collector__choose_dso(struct collector *c, struct err *err)
{
	struct dso *best = collector__most(c, c->by_dso.v), *program = collector__most(c, c->by_program.v);

	if (program && !c->filter.dsos.given && c->by_dso.v[program->idx] * 20 >= c->by_dso.v[best->idx])
		best = program;
	if (!best)
		return err__set(err, -ENODATA, "no samples of '%s' are in %s", c->session->reader->path,
				c->filter.dsos.given ? "these binaries" : "a program or library");
	c->use->dso = best;
	c->use->nr_here = c->by_dso.v[best->idx];
	return 0;
}

/* ---- counts ---- */

void code_counts__add(struct code_counts *c, u64 from, u64 to, u64 nr, u64 mispredicted)
{
	array__add(&c->v,
		   ((struct code_count){ .from = from, .to = to, .nr = nr, .mispredicted = mispredicted }));
}

/* Set the time of the count that was added last. */
static void code_counts__set_first(struct code_counts *c, u64 first)
{
	c->v.v[c->v.nr - 1].first = first;
}

static void node_use__add(struct node_use *u, u64 nr, u64 first)
{
	u->first = u->nr ? MIN(u->first, first) : first;
	u->nr += nr;
}

static int code_count__compare(const void *x, const void *y)
{
	const struct code_count *a = x, *b = y;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

void code_counts__sort(struct code_counts *c)
{
	size_t last = 0;

	if (!c->v.nr)
		return;
	qsort(c->v.v, c->v.nr, sizeof(*c->v.v), code_count__compare);
	for (size_t i = 1; i < c->v.nr; i++) {
		if (code_count__compare(&c->v.v[last], &c->v.v[i])) {
			c->v.v[++last] = c->v.v[i];
		} else {
			c->v.v[last].nr += c->v.v[i].nr;
			c->v.v[last].mispredicted += c->v.v[i].mispredicted;
			c->v.v[last].first = MIN(c->v.v[last].first, c->v.v[i].first);
		}
	}
	c->v.nr = last + 1;
}

size_t code_counts__at(const struct code_counts *c, u64 from)
{
	return bisect(i, 0, c->v.nr, c->v.v[i].from < from);
}

/* ---- samples and their chains ---- */

static void collector__take_samples(struct collector *c)
{
	const struct row_table *t = &c->profile.rows;

	for (size_t i = 0; i < t->rows.nr; i++) {
		const struct row row = *row_table__get(t, i);
		u32 node;

		if (!collector__wants(c, &row))
			continue;
		node = stacks__add_once(&c->stacks, t, (u32)i, &row);
		while (c->by_node.nr < c->stacks.v.nr)
			array__add(&c->by_node, (struct node_use){ 0 });
		node_use__add(&c->by_node.v[node], row.nr, row.first_time);
		collector__count_dso(c, &row, places__get(&c->stacks.places, c->stacks.v.v[node].place));
	}
}

/* Count the innermost frames in the binary. */
static void collector__list_leaves(struct collector *c)
{
	struct code_use *u = c->use;
	struct stacks *s = &c->stacks;

	for (size_t i = 1; i < c->by_node.nr; i++) {
		const struct place *p = places__get(&s->places, s->v.v[i].place);
		const struct node_use *own = &c->by_node.v[i];

		if (!own->nr || !p->mapped || p->dso != u->dso->idx)
			continue;
		code_counts__add(&u->samples, p->ip, p->ip, own->nr, 0);
		code_counts__set_first(&u->samples, own->first);
	}
	code_counts__sort(&u->samples);
}

static u32 collector__callee(struct collector *c, const struct place *p)
{
	u64 hash = hash__u64((uintptr_t)p->sym);
	u32 i;

	hash_table__for_each (&c->by_symbol, hash, i)
		if (c->use->callees.v[i].sym == p->sym)
			return i;
	i = (u32)c->use->callees.nr;
	hash_table__insert(&c->by_symbol, hash, i);
	array__add(&c->use->callees, ((struct code_callee){ c->session->machine.dsos.v.v[p->dso], p->sym }));
	return i;
}

/*
 * Count the calls of the binary, adding the samples of each stack to its callers': parents have lower
 * numbers.
 */
static void collector__list_calls(struct collector *c)
{
	struct code_use *u = c->use;
	struct stacks *s = &c->stacks;

	for (size_t i = c->by_node.nr; i-- > 1;) {
		const struct stack_node *node = &s->v.v[i], *parent = &s->v.v[node->parent];
		const struct place *p = places__get(&s->places, node->place), *caller;
		const struct node_use *inside = &c->by_node.v[i];

		if (!inside->nr || node->parent == STACK_NONE)
			continue;
		caller = places__get(&s->places, parent->place);
		/* the kernel is not called by an instruction of the binary that has other targets */
		if (caller->mapped && caller->dso == u->dso->idx && p->sym && p->level != 'k') {
			code_counts__add(&u->calls, caller->ip, collector__callee(c, p), inside->nr, 0);
			code_counts__set_first(&u->calls, inside->first);
		}
		node_use__add(&c->by_node.v[node->parent], inside->nr, inside->first);
	}
	code_counts__sort(&u->calls);
}

/* ---- branches ---- */

/* Return the place of an address of a branch. */
static const struct place *collector__branch_end(struct collector *c, const struct row *row, u64 ip)
{
	struct places *p = &c->stacks.places;
	struct row_space space = branch__space(p, row, ip);

	return places__get(p, places__exact(p, &space, ip));
}

static void collector__count_branch_dsos(struct collector *c)
{
	const struct row_table *t = &c->profile.rows;

	for (size_t i = 0; i < t->rows.nr; i++) {
		const struct row row = *row_table__get(t, i);

		if (collector__wants(c, &row))
			collector__count_dso(c, &row, collector__branch_end(c, &row, row.key.ip));
	}
}

static u64 addr_in(const struct place *p, const struct dso *dso)
{
	return p->mapped && p->dso == dso->idx ? p->ip : CODE_ELSEWHERE;
}

/* List the branches of the program: not system calls and interrupts. */
static void collector__list_branches(struct collector *c)
{
	const struct row_table *t = &c->profile.rows;
	struct code_use *u = c->use;

	for (size_t i = 0; i < t->rows.nr; i++) {
		const struct row row = *row_table__get(t, i);
		u64 from, to, start = 0, flags = row.chain[ROW_BRANCH_FLAGS];

		if (!collector__wants(c, &row))
			continue;
		from = addr_in(collector__branch_end(c, &row, row.chain[ROW_BRANCH_FROM]), u->dso);
		to = addr_in(collector__branch_end(c, &row, row.key.ip), u->dso);
		if (row.chain[ROW_BRANCH_START])
			start = addr_in(collector__branch_end(c, &row, row.chain[ROW_BRANCH_START]), u->dso);
		if ((from != CODE_ELSEWHERE || to != CODE_ELSEWHERE) &&
		    !addr__is_kernel(row.chain[ROW_BRANCH_FROM]) && !addr__is_kernel(row.key.ip)) {
			code_counts__add(&u->branches, from, to, row.nr,
					 flags & BRANCH_MISPREDICTED ? row.nr : 0);
			code_counts__set_first(&u->branches, row.first_time);
		}
		if (from != CODE_ELSEWHERE && start != CODE_ELSEWHERE && start <= from) {
			code_counts__add(&u->blocks, start, from, row.nr, 0);
			code_counts__set_first(&u->blocks, row.first_time);
		}
	}
	code_counts__sort(&u->branches);
	code_counts__sort(&u->blocks);
}

/* ---- all of it ---- */

static int collector__run(struct collector *c, const struct export_args *a, struct err *err)
{
	struct code_use *u = c->use;
	const struct profile_opts opts = { .split = PROFILE_SPLIT_THREAD |
						    (u->has_branches ? PROFILE_SPLIT_PREDICTION : 0),
					   .branches = u->has_branches,
					   .starts = u->has_branches,
					   .all_blocks = u->has_branches,
					   .cpus = sample_filter__cpus(&c->filter),
					   .times = sample_filter__times(&c->filter),
					   .spans = sample_filter__spans(&c->filter),
					   .max_stack = a->max_stack,
					   .nr_threads = thread__count(a->threads) };
	int ret = profile__collect(&c->profile, c->session, &opts, err);

	if (!ret)
		ret = collector__choose_event(c, err);
	if (ret)
		return ret;
	collector__count_left_out(c);
	if (u->has_branches)
		collector__count_branch_dsos(c);
	else
		collector__take_samples(c);
	ret = collector__choose_dso(c, err);
	if (ret)
		return ret;
	if (u->has_branches) {
		collector__list_branches(c);
	} else {
		collector__list_leaves(c);
		collector__list_calls(c);
	}
	return 0;
}

int code_use__collect(struct code_use *u, struct session *s, const struct export_args *a, struct err *err)
{
	const struct stacks_opts stacks = { .max_stack = a->max_stack };
	struct collector c = { .use = u, .session = s };
	int ret;

	*u = (struct code_use){ .session = s,
				.args = a,
				.has_branches = evlist__sample_type_any(&s->reader->evlist) &
							PERF_SAMPLE_BRANCH_STACK &&
						!evlist__has_lbr_chains(&s->reader->evlist) };
	ret = sample_filter__parse(&c.filter, &a->filter, s, err);
	if (!ret)
		ret = weights_args__choose_spans(&a->weights, s, &c.filter, err);
	if (!ret) {
		sample_filter__tell_spans(&c.filter, false);
		stacks__init(&c.stacks, s, &stacks);
		ret = collector__run(&c, a, err);
		stacks__exit(&c.stacks);
		profile__exit(&c.profile);
	}
	sample_filter__exit(&c.filter);
	array__exit(&c.by_dso);
	array__exit(&c.by_program);
	array__exit(&c.by_node);
	hash_table__exit(&c.by_symbol);
	return ret;
}

void code_use__exit(struct code_use *u)
{
	array__exit(&u->samples.v);
	array__exit(&u->calls.v);
	array__exit(&u->branches.v);
	array__exit(&u->blocks.v);
	array__exit(&u->callees);
}

void code_use__lacks_calls(const struct code_use *u, struct strbuf *lines)
{
	if (!u->has_branches && !u->calls.v.nr)
		strbuf__addstr(lines, "no calls: record with -g\n");
}

void code_use__lacks_branches(const struct code_use *u, struct strbuf *lines)
{
	if (!u->has_branches)
		strbuf__addstr(lines, "no branch stacks: counts are estimated from samples\n");
}
