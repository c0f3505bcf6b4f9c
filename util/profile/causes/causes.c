#include "profile/causes/causes.h"

#include "base/message/called_name.h"
#include "profile/causes/span_samples.h"
#include "profile/causes/tail_call.h"
#include "profile/places/survey.h"
#include "profile/waits/time_table.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TOGETHER 0.5 /* correlation */

struct row_path {      /* the functions of a row, each once */
	u32 first, nr; /* in reading.steps */
	bool is_known, is_fault;
	u32 user; /* place: the innermost function of the program; PLACE_NONE: none */
};

struct path_step {
	u32 place, depth; /* functions around it */
};

struct reading {
	struct causes *c;
	const struct span_groups *groups;
	const struct span_set *set;
	struct span_samples x;
	ARRAY(struct row_path) paths; /* by row */
	ARRAY(struct path_step) steps;
	ARRAY(u32) holders; /* by row: as of reading__holder; PLACE_ALL: not looked up */
	ARRAY(u8) owners;   /* by place: enum function_owner + 1; 0: not looked up */
	ARRAY(double) ns;   /* by node: of the current span */
	ARRAY(u32) touched; /* nodes with ns */
	u32 *cause_of;      /* by item */
	struct time_table table;
	struct strbuf text;
};

/* ---- functions ---- */

static bool begins(const char *name, const char *const *beginnings, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

static bool is_system_library(const char *name)
{
	static const char *const libraries[] = { "libc.so",  "libc-2",  "libpthread", "ld-linux",
						 "ld-musl",  "ld-2",    "libm.so",    "libm-2",
						 "librt.so", "librt-2", "libdl.so",   "libstdc++.so",
						 "libgcc_s", "[vdso]",  "libgomp" };

	return begins(name, libraries, ARRAY_SIZE(libraries));
}

/* Does text of this length end in "unlock"? */
static bool ends_in_unlock(const char *text, size_t len)
{
	static const char unlock[] = "unlock";
	size_t end = strlen(unlock);

	return len >= end && !strncasecmp(text + len - end, unlock, end);
}

/* Does the function of a program do no more than let a lock go, or wait for one? */
static bool wraps_locks(const char *name)
{
	static const char *const wrappers[] = { "std::",      "__gthread_", "__gthr_", "pthread_",
						"__pthread_", "__lll_",     "lll_" };

	if (begins(name, wrappers, ARRAY_SIZE(wrappers)) || ends_in_unlock(name, strlen(name)))
		return true;
	for (const char *at = strchr(name, '('); at;
	     at = strchr(at + 1, '(')) /* parameters, or such in one */
		if (ends_in_unlock(name, (size_t)(at - name)))
			return true;
	return waker_facts__of(name, false) & WAKER_UNLOCKS;
}

enum function_owner causes__owner(struct causes *c, u32 place)
{
	const struct place *p = places__get(&c->places, place);
	const char *name;

	if (place__is_kernel(p))
		return OWNER_KERNEL;
	if (!p->sym || !p->mapped || is_system_library(machine__str(&c->session->machine, p->dso_name)))
		return OWNER_SYSTEM;
	name = places__name(&c->places, place);
	return wraps_locks(name) || wait_frame__of(name, false).place ? OWNER_SYSTEM : OWNER_USER;
}

const char *causes__system_call(struct causes *c, u32 place)
{
	static const char *const beginnings[] = { "__x64_sys_", "__ia32_sys_", "__arm64_sys_",
						  "__riscv_sys_" };
	const char *name = places__name(&c->places, place);

	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return name + strlen(beginnings[i]);
	return NULL;
}

static enum function_owner reading__owner(struct reading *r, u32 place)
{
	while (r->owners.nr <= place)
		array__add(&r->owners, 0);
	if (!r->owners.v[place])
		r->owners.v[place] = (u8)(causes__owner(r->c, place) + 1);
	return (enum function_owner)(r->owners.v[place] - 1);
}

/* Is it where the kernel handles a page fault? */
static bool reading__is_fault(struct reading *r, u32 place)
{
	return reading__owner(r, place) == OWNER_KERNEL &&
	       wait_frame__of(places__name(&r->c->places, place), true).kind == WAIT_FAULT;
}

/* Append the functions of the chain in scratch, which begins with the leaf. */
static void reading__add_steps(struct reading *r, struct row_path *path)
{
	const u32 *places = r->c->chains.scratch.v;
	u32 nr = (u32)r->c->chains.scratch.nr;

	for (u32 i = 0; i < nr; i++) {
		u32 place = places__get(&r->c->places, places[i])->graph;
		bool is_there = false;

		path->is_fault |= reading__is_fault(r, place);
		if (path->user == PLACE_NONE && reading__owner(r, place) == OWNER_USER)
			path->user = place;
		for (u32 k = path->first; k < r->steps.nr && !is_there; k++)
			is_there = r->steps.v[k].place == place;
		if (!is_there)
			array__add(&r->steps, ((struct path_step){ place, nr - i }));
	}
	path->nr = (u32)r->steps.nr - path->first;
}

static const struct row_path *reading__path(struct reading *r, u32 row)
{
	static const struct chain_opts whole = { .max_stack = UINT32_MAX };
	static const struct row_path none = { .user = PLACE_NONE };
	struct row_path path = { .is_known = true, .user = PLACE_NONE, .first = (u32)r->steps.nr };
	const struct row *of;

	if (row == NO_ROW)
		return &none;
	while (r->paths.nr <= row)
		array__add(&r->paths, ((struct row_path){ .is_known = false }));
	if (r->paths.v[row].is_known)
		return &r->paths.v[row];
	of = row_table__get(&r->x.rows, row);
	if (!of->key.nr_chain || !chains__look_up(&r->c->chains, &r->c->places, of, &whole) ||
	    !r->c->chains.scratch.nr) {
		struct row_space space = places__space(&r->c->places, of, (u8)of->key.cpumode);

		r->c->chains.scratch.nr = 0;
		array__add(&r->c->chains.scratch, places__leaf(&r->c->places, &space, of->key.ip));
	}
	reading__add_steps(r, &path);
	r->paths.v[row] = path;
	return &r->paths.v[row];
}

/* ---- who let a lock go ---- */

/* Has an address of a chain a function of the program? */
static bool reading__has_user(struct reading *r, const struct row_space *space, u64 ip, bool is_call)
{
	u32 nr;
	const u32 *places = places__frames(&r->c->places, space, ip, is_call, &nr);

	for (u32 i = 0; i < nr; i++) {
		if (reading__owner(r, places__get(&r->c->places, places[i])->graph) == OWNER_USER)
			return true;
		places = places__frames(&r->c->places, space, ip, is_call, &nr);
	}
	return false;
}

/* Return the place of the function that a row of ended waits let a lock go in, or PLACE_NONE. */
static u32 reading__find_holder(struct reading *r, u32 row)
{
	const struct row *of = row_table__get(&r->x.rows, row);
	struct row_space space = places__space(&r->c->places, of, PERF_RECORD_MISC_USER);
	u32 i = 0, first, place = PLACE_NONE;

	while (i < of->key.nr_chain && of->chain[i] != PERF_CONTEXT_USER)
		i++;
	first = ++i;
	while (i < of->key.nr_chain && !reading__has_user(r, &space, of->chain[i], i > first))
		i++;
	if (i > first && i < of->key.nr_chain)
		place = tail_call__find(&r->c->places, of, i);
	if (place == PLACE_NONE || reading__owner(r, place) != OWNER_USER)
		return reading__path(r, row)->user;
	return places__get(&r->c->places, place)->graph;
}

static u32 reading__holder(struct reading *r, u32 row)
{
	if (row == NO_ROW)
		return PLACE_NONE;
	while (r->holders.nr <= row)
		array__add(&r->holders, PLACE_ALL);
	if (r->holders.v[row] == PLACE_ALL) {
		u32 place = reading__find_holder(r, row);

		r->holders.v[row] = place;
	}
	return r->holders.v[row];
}

/* ---- causes ---- */

static u32 causes__add(struct causes *c, const struct cause *x)
{
	bool has_place = x->holder != PLACE_NONE;
	size_t key = offsetof(struct cause, thread); /* bytes without gaps */
	u64 hash = hash__bytes(x, key, 0);
	u32 i;

	hash_table__for_each (&c->by_cause, hash, i) {
		struct cause *o = &c->v.v[i];

		if (memcmp(o, x, key) || (!has_place && o->thread != x->thread))
			continue;
		if (o->thread != x->thread)
			o->thread = 0;
		return i;
	}
	i = (u32)c->v.nr;
	hash_table__insert(&c->by_cause, hash, i);
	array__add(&c->v, *x);
	return i;
}

static u32 causes__add_plain(struct causes *c, enum cause_type type)
{
	return causes__add(c, &(struct cause){ .type = type, .holder = PLACE_NONE });
}

/* Does it matter which function ended a wait? */
static bool role__has_function(u32 role)
{
	return role == ROLE_HOLDER || role == ROLE_SIGNALLER || role == ROLE_POSTER || role == ROLE_LAST;
}

/* Return the text id of the name of the thread that ended a wait, without its number. */
static u32 reading__thread_name(struct reading *r, const struct span_reason *reason)
{
	const char *words = waker_role__words((enum waker_role)reason->role);

	strbuf__reset(&r->text);
	span_reason__add_holder_name(reason, &r->c->times->locks, &r->text);
	if (strncmp(r->text.buf, words, strlen(words)) != 0)
		words = "";
	return strpool__intern(&r->c->texts, r->text.buf + strlen(words));
}

/*
 * Return the text id of a lock's name. Locks of one place that have no names of their own are told apart by
 * numbers ("semaphore of wait #2"): those are one reason.
 */
static u32 reading__lock(struct reading *r, u32 lock)
{
	const char *text = locks__text(&r->c->times->locks, lock), *number = strrchr(text, '#');

	if (!lock)
		return 0;
	strbuf__reset(&r->text);
	strbuf__addstr(&r->text, text);
	if (number && number - text > 1 && number[-1] == ' ' &&
	    number[1 + strspn(number + 1, "0123456789")] == '\0')
		strbuf__setlen(&r->text, (size_t)(number - text) - 1);
	return strpool__intern(&r->c->texts, r->text.buf);
}

/* Return the cause of a wait. ended: the wait whose end says who let the lock go. */
static u32 reading__wait_cause(struct reading *r, u32 wait, u32 ended)
{
	const struct span_times *t = r->c->times;
	const struct span_reason *of = &t->reasons.v[t->of_waits.v[wait]], *by = of;
	struct cause x = { .type = CAUSE_WAIT,
			   .kind = of->kind,
			   .lock_kind = of->lock_kind,
			   .lock = reading__lock(r, of->lock),
			   .holder = PLACE_NONE };

	if (of->kind == WAIT_RUNNABLE)
		return causes__add_plain(r->c, CAUSE_READY);
	if (ended != NO_WAIT)
		by = &t->reasons.v[t->of_waits.v[ended]];
	if (role__has_function(by->role)) {
		x.role = by->role;
		x.holder = reading__holder(r, span_samples__ended_row(&r->x, t, ended));
		x.thread = reading__thread_name(r, by);
	}
	return causes__add(r->c, &x);
}

/* ---- nodes ---- */

static u32 causes__node(struct causes *c, u32 cause, u32 place)
{
	u64 hash = hash__u64((u64)cause << 32 | place);
	u32 i;

	hash_table__for_each (&c->by_node, hash, i)
		if (c->nodes.v[i].cause == cause && c->nodes.v[i].place == place)
			return i;
	i = (u32)c->nodes.nr;
	hash_table__insert(&c->by_node, hash, i);
	array__add(&c->nodes, ((struct cause_node){ .cause = cause, .place = place }));
	return i;
}

static u32 reading__add(struct reading *r, u32 cause, u32 place, double ns)
{
	u32 node = causes__node(r->c, cause, place);

	while (r->ns.nr <= node)
		array__add(&r->ns, 0);
	if (r->ns.v[node] == 0)
		array__add(&r->touched, node);
	r->ns.v[node] += ns;
	return node;
}

/* Add time to the functions of a row. */
static void reading__add_path(struct reading *r, u32 cause, const struct row_path *path, double ns)
{
	for (u32 i = path->first; i < path->first + path->nr; i++) {
		struct path_step s = r->steps.v[i];
		u32 node = reading__add(r, cause, s.place, ns);

		r->c->nodes.v[node].depth += ns * s.depth;
		r->c->nodes.v[node].ns += ns;
	}
}

/* All is added of a span. */
static void reading__end_span(struct reading *r, u32 span)
{
	const struct grouped_span *s = &r->groups->v.v[span];
	double weight = r->groups->verdict.groups[s->group].weights[s->slot];

	for (size_t i = 0; i < r->touched.nr; i++) {
		u32 node = r->touched.v[i];
		double ns = r->ns.v[node];

		r->ns.v[node] = 0;
		if (ns == 0)
			continue; /* it was touched twice */
		r->c->nodes.v[node].sums[s->group] += ns * weight;
		array__add(&r->c->entries, ((struct cause_entry){ span, node, (float)ns }));
	}
	r->touched.nr = 0;
}

/* ---- time on the CPU ---- */

/* Return the ns that a sample on the CPU stands for. */
static double reading__sample_ns(const struct reading *r, u32 number)
{
	return r->table.hz ? r->c->unit : r->x.periods[number];
}

/* Find out what samples stand for: where all time on the CPU is known, they share it. */
static void reading__find_unit(struct reading *r)
{
	double on_cpu = 0, periods = 0;

	for (size_t i = 0; i < r->x.on_cpu.nr; i++)
		on_cpu += (double)r->x.on_cpu.v[i];
	for (size_t i = 0; i < r->x.runs.nr; i++)
		periods += r->x.periods[r->x.runs.v[i].number];
	r->c->unit = r->x.runs.nr ? periods / (double)r->x.runs.nr : 0;
	if (r->table.hz)
		r->c->unit = r->c->has_waits && r->x.runs.nr ? on_cpu / (double)r->x.runs.nr
							     : 1e9 / (double)r->table.hz;
}

/* Add the time of a span on the CPU, and go on to the samples of the next one. */
static void reading__add_on_cpu(struct reading *r, u32 span, size_t *run)
{
	struct causes *c = r->c;
	double all = 0, faults = 0, on_cpu = (double)r->x.on_cpu.v[span];
	u32 cpu = causes__add_plain(c, CAUSE_CPU), fault = causes__add_plain(c, CAUSE_FAULTS);

	for (; *run < r->x.runs.nr && r->x.runs.v[*run].span == span; ++*run) {
		u32 number = r->x.runs.v[*run].number;
		const struct row_path path = *reading__path(r, r->x.row_of[number]);
		double ns = reading__sample_ns(r, number);

		reading__add_path(r, path.is_fault ? fault : cpu, &path, ns);
		all += ns;
		faults += path.is_fault ? ns : 0;
	}
	reading__add(r, fault, PLACE_OWN, faults);
	reading__add(r, cpu, PLACE_OWN, (c->has_waits ? on_cpu : all) - faults);
	if (c->has_waits)
		reading__add(r, cpu, PLACE_NOT_SAMPLED, on_cpu - all);
	else
		reading__add(r, causes__add_plain(c, CAUSE_UNKNOWN), PLACE_ALL,
			     (double)span__ns(&r->set->v.v[r->groups->v.v[span].span]) - all);
}

/* ---- waits ---- */

/* Note who ended a wait of a slow span. */
static void reading__note_ender(struct reading *r, const struct span_item *item, u32 cause)
{
	const struct span_times *t = r->c->times;
	const struct span_reason *by = &t->reasons.v[t->of_waits.v[item->wait]];
	u32 thread = by->role == ROLE_WAKER || by->role == ROLE_ENDED ? reading__thread_name(r, by) : 0;

	if (r->groups->v.v[item->span].group != SPANS_SLOW || r->c->v.v[cause].type != CAUSE_WAIT ||
	    role__has_function(by->role))
		return;
	for (size_t i = 0; i < r->c->enders.nr; i++) {
		struct ender *e = &r->c->enders.v[i];

		if (e->cause != cause || e->thread != thread)
			continue;
		e->ns += (double)item->ns;
		return;
	}
	array__add(&r->c->enders, ((struct ender){ cause, thread, (double)item->ns }));
}

static void reading__add_item(struct reading *r, u32 item)
{
	const struct span_item *i = &r->x.items.v[item];
	struct row_path path = *reading__path(r, NO_ROW);
	u32 cause;

	if (i->wait == ITEM_READY) {
		cause = causes__add_plain(r->c, CAUSE_READY);
	} else {
		cause = reading__wait_cause(r, i->wait, i->ended);
		path = *reading__path(r, span_samples__wait_row(&r->x, r->c->times, i->wait));
		reading__note_ender(r, i, cause);
	}
	r->cause_of[item] = cause;
	reading__add(r, cause, r->c->v.v[cause].type == CAUSE_READY ? PLACE_OWN : PLACE_ALL, (double)i->ns);
	reading__add_path(r, cause, &path, (double)i->ns);
}

static void causes__add_meanwhile(struct causes *c, u32 cause, u32 what, u32 place, double ns)
{
	u64 hash = hash__add(hash__u64((u64)cause << 32 | what), place);
	u32 i;

	hash_table__for_each (&c->by_meanwhile, hash, i) {
		struct meanwhile *m = &c->meanwhile.v[i];

		if (m->cause != cause || m->what != what || m->place != place)
			continue;
		m->ns += ns;
		return;
	}
	hash_table__insert(&c->by_meanwhile, hash, (u32)c->meanwhile.nr);
	array__add(&c->meanwhile, ((struct meanwhile){ cause, what, place, ns }));
}

/* Add what a holder did, at the innermost function of the program. */
static void reading__add_holder(struct reading *r, const struct holder_item *h)
{
	u32 cause = r->cause_of[h->item], row = NO_ROW, what, place;
	struct row_path path;

	if (h->wait == ITEM_ON_CPU && h->number != NO_ROW)
		row = r->x.row_of[h->number];
	else if (h->wait != ITEM_ON_CPU && h->wait != ITEM_READY)
		row = span_samples__wait_row(&r->x, r->c->times, h->wait);
	path = *reading__path(r, row);
	place = path.user == PLACE_NONE ? PLACE_ALL : path.user;
	if (h->wait == ITEM_READY)
		what = causes__add_plain(r->c, CAUSE_READY);
	else if (h->wait == ITEM_ON_CPU)
		what = causes__add_plain(r->c, path.is_fault ? CAUSE_FAULTS : CAUSE_CPU);
	else
		what = reading__wait_cause(r, h->wait, h->wait);
	causes__add_meanwhile(r->c, cause, what, place, (double)h->ns);
}

/* ---- all ---- */

static void reading__all(struct reading *r)
{
	size_t item = 0, run = 0;

	r->cause_of = xcalloc(r->x.items.nr, sizeof(*r->cause_of));
	reading__find_unit(r);
	for (u32 i = 0; i < r->groups->v.nr; i++) {
		reading__add_on_cpu(r, i, &run);
		for (; item < r->x.items.nr && r->x.items.v[item].span == i; item++)
			if (r->c->has_waits)
				reading__add_item(r, (u32)item);
		reading__end_span(r, i);
	}
	for (size_t i = 0; i < r->x.holders.nr && r->c->has_waits; i++)
		reading__add_holder(r, &r->x.holders.v[i]);
}

/* ---- ready time ---- */

struct own_times { /* of a span, ns */
	double on_cpu, ready;
};

struct own_sums { /* of many spans, with their weights */
	double weight, on_cpu, ready, cpu_squares, ready_squares, products;
};

static void own_sums__add(struct own_sums *s, const struct own_times *t, double weight)
{
	s->weight += weight;
	s->on_cpu += weight * t->on_cpu;
	s->ready += weight * t->ready;
	s->cpu_squares += weight * t->on_cpu * t->on_cpu;
	s->ready_squares += weight * t->ready * t->ready;
	s->products += weight * t->on_cpu * t->ready;
}

/*
 * Return how much longer a span is ready for a ns more on the CPU. Only if that goes together in slow
 * spans: else it is another reason. slow: their sums; all: those of all spans, whose ratio is the most that
 * can be so.
 */
static double ready_share(const struct own_sums *slow, const struct own_sums *all)
{
	double w = slow->weight, products = w * slow->products - slow->on_cpu * slow->ready,
	       cpu = w * slow->cpu_squares - slow->on_cpu * slow->on_cpu,
	       ready = w * slow->ready_squares - slow->ready * slow->ready;

	if (!(products > 0) || products * products < TOGETHER * TOGETHER * cpu * ready || !(all->on_cpu > 0))
		return 0;
	return MIN(products / cpu, all->ready / all->on_cpu);
}

static struct own_times *reading__own_times(const struct reading *r)
{
	const struct causes *c = r->c;
	struct own_times *of_spans = xcalloc(r->groups->v.nr, sizeof(*of_spans));

	for (size_t i = 0; i < c->entries.nr; i++) {
		const struct cause_entry *e = &c->entries.v[i];
		const struct cause_node *n = &c->nodes.v[e->node];

		if (n->place == PLACE_OWN && c->v.v[n->cause].type == CAUSE_READY)
			of_spans[e->span].ready += (double)e->ns;
		else if (n->place == PLACE_OWN)
			of_spans[e->span].on_cpu += (double)e->ns;
	}
	return of_spans;
}

/* Give the causes on the CPU their parts of the ready time of each span. */
static void reading__divide_ready(struct reading *r)
{
	struct causes *c = r->c;
	struct own_times *own = reading__own_times(r);
	struct own_sums slow = { 0 }, all = { 0 };
	u32 ready = causes__add_plain(c, CAUSE_READY);
	size_t nr = c->entries.nr, i = 0;
	double share;

	for (u32 span = 0; span < r->groups->v.nr; span++) {
		const struct grouped_span *s = &r->groups->v.v[span];
		double weight = r->groups->verdict.groups[s->group].weights[s->slot];

		own_sums__add(&all, &own[span], weight);
		if (s->group == SPANS_SLOW)
			own_sums__add(&slow, &own[span], weight);
	}
	share = ready_share(&slow, &all);
	for (u32 span = 0; span < r->groups->v.nr; span++) {
		reading__add(r, ready, PLACE_ALL, own[span].ready - share * own[span].on_cpu);
		for (; i < nr && c->entries.v[i].span == span; i++) {
			struct cause_entry e = c->entries.v[i];
			const struct cause_node *n = &c->nodes.v[e.node];

			if (n->place == PLACE_OWN && n->cause != ready)
				reading__add(r, n->cause, PLACE_ALL, (double)e.ns * (1 + share));
		}
		reading__end_span(r, span);
	}
	free(own);
}

/* Read the lines of a recording without waits: their samples on the CPU. */
static int causes__read_lines(struct causes *c, struct session *s, struct err *err)
{
	bool *on_cpu = time_table__on_cpu(&s->reader->evlist);
	int ret = time_lines__read(&c->own.lines, s, on_cpu, &plain_wait_rule, err);

	free(on_cpu);
	for (int i = 0; i < SPAN_FIRST_WAIT; i++)
		array__add(&c->own.reasons, ((struct span_reason){ .kind = WAIT_NONE }));
	for (size_t i = 0; i < c->own.lines.waits.nr; i++)
		array__add(&c->own.of_waits, SPAN_READY);
	c->times = &c->own;
	return ret;
}

int causes__read(struct causes *c, struct session *s, const struct span_times *times,
		 const struct span_set *set, const struct span_groups *g, unsigned nr_threads,
		 struct err *err)
{
	static const struct places_opts places = { .inlines = true };
	struct reading r = { .c = c, .groups = g, .set = set, .text = STRBUF_INIT };
	int ret = 0;

	*c = (struct causes){ .session = s, .times = times, .has_waits = times };
	places__init(&c->places, s, &places);
	chains__init(&c->chains);
	strpool__init(&c->texts);
	strpool__intern(&c->texts, "");
	time_table__init(&r.table, &s->reader->evlist);
	if (!times)
		ret = causes__read_lines(c, s, err);
	if (!ret)
		ret = span_samples__read(&r.x, s, c->times, set, g, err);
	if (!ret) {
		survey__rows(s, &r.x.rows, DWARF_WANTS_INLINED, nr_threads);
		reading__all(&r);
		reading__divide_ready(&r);
	}
	span_samples__exit(&r.x);
	array__exit(&r.paths);
	array__exit(&r.steps);
	array__exit(&r.holders);
	array__exit(&r.owners);
	array__exit(&r.ns);
	array__exit(&r.touched);
	free(r.cause_of);
	time_table__exit(&r.table);
	strbuf__exit(&r.text);
	return ret;
}

void causes__exit(struct causes *c)
{
	if (!c->session)
		return;
	span_times__exit(&c->own);
	chains__exit(&c->chains);
	places__exit(&c->places);
	strpool__exit(&c->texts);
	array__exit(&c->v);
	array__exit(&c->nodes);
	array__exit(&c->entries);
	array__exit(&c->meanwhile);
	array__exit(&c->enders);
	hash_table__exit(&c->by_cause);
	hash_table__exit(&c->by_node);
	hash_table__exit(&c->by_meanwhile);
}

void causes__amounts(const struct causes *c, const struct span_groups *g, const u32 *index_of_node,
		     double *const (*amounts)[NR_SPAN_GROUPS])
{
	for (size_t i = 0; i < c->entries.nr; i++) {
		const struct cause_entry *e = &c->entries.v[i];
		const struct grouped_span *s = &g->v.v[e->span];
		u32 index = index_of_node[e->node];

		if (index != NO_AMOUNTS)
			amounts[index][s->group][s->slot] = (double)e->ns;
	}
}
