#include "format/records/wait_detail.h"
#include "profile/compare/function_costs.h"

#include "profile/compare/code_hash.h"
#include "profile/compare/core_name.h"
#include "profile/trees/stacks.h"
#include "profile/places/survey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NO_FUNCTION = UINT32_MAX,
	NO_THREAD = UINT32_MAX,
	MAX_STACK = 1024,
	/* samples of a function on one side, if it has enough for a test on both */
	LEAST_SAMPLES = EVIDENCE_MIN_SAMPLES / 2,
};

struct counter { /* the state of function_costs__count() */
	struct function_costs *c;
	struct session *session;
	struct strpool *names;
	const struct function_costs_opts *opts;
	struct profile profile;
	struct sample_stream stream;
	struct stacks stacks;
	ARRAY(u32) row_of_place;        /* index of the function's row + 1; 0: not known yet */
	ARRAY(u32) places;              /* by row: one of its code in a file; NO_FUNCTION: none */
	ARRAY(u32) stamps;              /* by row: the last stack that counted it */
	ARRAY(u32) kept;                /* by stack: index in c->stacks; 0: not kept yet */
	ARRAY(bool) is_entry;           /* by row: the kernel begins to handle an interrupt there */
	u32 *leaves;                    /* by stack: the row that has its cost; NO_FUNCTION: no samples */
	ARRAY(struct binary_cost) dsos; /* by dso; weight 0: no samples */
	ARRAY(u32) tids;                /* by row of profile, if steps are counted */
	struct strbuf scratch;
};

/* ---- functions ---- */

static u32 counter__add_row(struct counter *k, u32 function, u32 size)
{
	u64 hash = hash__u64(function);
	u32 i;

	hash_table__for_each (&k->c->by_function, hash, i)
		if (k->c->rows.v[i].function == function) {
			k->c->rows.v[i].size = MAX(k->c->rows.v[i].size, size);
			return i;
		}
	i = (u32)k->c->rows.nr;
	hash_table__insert(&k->c->by_function, hash, i);
	array__add(&k->c->rows, ((struct function_cost){ .function = function, .size = size }));
	array__add(&k->places, NO_FUNCTION);
	array__add(&k->stamps, 0);
	array__add(&k->is_entry, false);
	return i;
}

/* Does the kernel handle interrupts in a function of this name, and in what it calls? x86 and arm64. */
static bool handles_interrupts(const char *name)
{
	static const char *const beginnings[] = {
		"asm_sysvec_",   "asm_common_interrupt", "asm_exc_nmi",
		"sysvec_",       "common_interrupt",     "irqentry_",
		"irq_exit",      "__irq_exit",           "el0_interrupt",
		"el1_interrupt", "el0t_64_irq",          "el1h_64_irq",
		"__do_softirq",  "handle_softirqs",
	};

	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

/* Set scratch to what identifies a place's function: see struct function_cost. */
static void counter__set_identity(struct counter *k, u32 place)
{
	struct places *places = &k->stacks.places;
	const struct dsos *dsos = &k->session->machine.dsos;
	const struct place *p;
	char id[2 * BUILD_ID_MAX + 1];

	strbuf__reset(&k->scratch);
	if (places__get(places, place)->sym)
		core_name__add(&k->scratch, places__name(places, place));
	else
		strbuf__addstr(&k->scratch, UNKNOWN_FUNCTION);
	p = places__get(places, place); /* naming may move places */
	strbuf__addch(&k->scratch, '\t');
	if (p->mapped)
		strbuf__addstr(&k->scratch, machine__str(&k->session->machine, p->dso_name));
	if (p->mapped && p->sym && p->sym->is_made_up && !p->inlined)
		strbuf__addf(&k->scratch, "\t%s", build_id__str(&dsos->v.v[p->dso]->build_id, id));
}

static u32 counter__row_of_place(struct counter *k, u32 place)
{
	const struct place *p;
	u32 *row, function;
	bool has_code;

	while (k->row_of_place.nr <= place)
		array__add(&k->row_of_place, 0);
	row = &k->row_of_place.v[place];
	if (*row)
		return *row - 1;
	counter__set_identity(k, place);
	p = places__get(&k->stacks.places, place);
	has_code = p->sym && !p->inlined;
	function = strpool__intern(k->names, k->scratch.buf);
	*row = counter__add_row(k, function, has_code ? p->sym->size : 0) + 1;
	if (has_code && p->mapped && p->level == '.')
		k->places.v[*row - 1] = place;
	if (p->mapped && p->level == 'k' && k->opts->interrupts_apart)
		k->is_entry.v[*row - 1] = handles_interrupts(k->scratch.buf);
	return *row - 1;
}

static void counter__add_call(struct counter *k, u32 row, u32 caller, double weight)
{
	struct function_costs *c = k->c;
	u64 hash = hash__u64((u64)row << 32 | caller);
	u32 i;

	hash_table__for_each (&c->by_call, hash, i)
		if (c->calls.v[i].function == row && c->calls.v[i].caller == caller) {
			c->calls.v[i].weight += weight;
			return;
		}
	hash_table__insert(&c->by_call, hash, (u32)c->calls.nr);
	array__add(&c->calls, ((struct call_cost){ row, caller, weight }));
}

/* ---- samples ---- */

struct stack_sum { /* the samples of a stack */
	double blocks[EVIDENCE_BLOCKS], squares, weight;
	u32 touched[EVIDENCE_BLOCKS], nr_touched;
};

static void cost_sum__add(struct cost_sum *sum, const struct stack_sum *s)
{
	for (u32 i = 0; i < s->nr_touched; i++)
		sum->blocks[s->touched[i]] += s->blocks[s->touched[i]];
	sum->squares += s->squares;
}

/* Add a weight to a block. Samples whose period is 0 cost nothing. */
static void stack_sum__add(struct stack_sum *s, u32 block, double weight)
{
	if (!(weight > 0))
		return;
	if (s->blocks[block] == 0)
		s->touched[s->nr_touched++] = block;
	s->blocks[block] += weight;
	s->squares += weight * weight;
	s->weight += weight;
}

/* Return the function that gets the cost of a stack's innermost frame. */
static u32 counter__leaf(struct counter *k, u32 stack)
{
	u32 leaf = counter__row_of_place(k, k->stacks.v.v[stack].place);
	bool in_interrupt = false;

	for (; k->opts->interrupts_apart && stack != STACK_NONE && !in_interrupt;
	     stack = k->stacks.v.v[stack].parent) {
		u32 row = counter__row_of_place(k, k->stacks.v.v[stack].place); /* may move is_entry */

		in_interrupt = k->is_entry.v[row];
	}
	if (!in_interrupt)
		return leaf;
	return counter__add_row(k, strpool__intern(k->names, INTERRUPTS "\t"), 0);
}

/* Note the cost of a binary's own code, and the inlined part of it. */
static void counter__note_binary(struct counter *k, u32 stack, double weight)
{
	const struct place *p = places__get(&k->stacks.places, k->stacks.v.v[stack].place);

	if (k->opts->no_inlines || !p->mapped)
		return;
	while (k->dsos.nr <= p->dso)
		array__add(&k->dsos, ((struct binary_cost){ 0 }));
	k->dsos.v[p->dso].weight += weight;
	k->dsos.v[p->dso].inlined += p->inlined ? weight : 0;
}

/* Add the cost of a stack's samples to its functions, once to each. */
static void counter__add_stack(struct counter *k, u32 stack, const struct stack_sum *s)
{
	u32 leaf = NO_FUNCTION, stamp = stack, caller = NO_FUNCTION;

	for (; stack != STACK_NONE; stack = k->stacks.v.v[stack].parent) {
		u32 row = counter__row_of_place(k, k->stacks.v.v[stack].place);

		if (leaf == NO_FUNCTION) {
			k->leaves[stack] = leaf = counter__leaf(k, stack);
			counter__note_binary(k, stack, s->weight);
			cost_sum__add(&k->c->rows.v[leaf].self, s);
		} else if (caller == NO_FUNCTION && row != leaf) {
			caller = row;
			counter__add_call(k, leaf, caller, s->weight);
		}
		if (k->stamps.v[row] == stamp)
			continue;
		k->stamps.v[row] = stamp;
		cost_sum__add(&k->c->rows.v[row].total, s);
	}
}

/*
 * Return the stack of functions of a stack. Names that differ only in parts that core names leave out have
 * one stack.
 */
static u32 counter__functions(struct counter *k, u32 stack)
{
	u32 row, parent;

	if (stack == STACK_NONE)
		return 0;
	while (k->kept.nr <= stack)
		array__add(&k->kept, 0);
	if (!k->kept.v[stack]) {
		parent = counter__functions(k, k->stacks.v.v[stack].parent);
		row = counter__row_of_place(k, k->stacks.v.v[stack].place);
		k->kept.v[stack] = function_stacks__add(&k->c->stacks, parent, k->c->rows.v[row].function);
	}
	return k->kept.v[stack];
}

static void counter__keep_stack(struct counter *k, u32 stack, double weight)
{
	u32 id = counter__functions(k, stack);

	if (id) /* it has frames */
		k->c->stacks.v.v[id].cost[0] += weight;
}

struct block_sample { /* a sample, sorted by its stack */
	u32 block;
	float weight;
};

/*
 * Find the first and the last time of all samples, filtered or not, because costs per second refer to the
 * whole recording. Set ends[stack + 1] to the number of the stack's samples.
 */
static void counter__survey_samples(struct counter *k, const u32 *stack_of_row, size_t *ends)
{
	s64 first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < k->stream.v.nr; i++) {
		const struct packed_sample *p = &k->stream.v.v[i];
		u32 stack = stack_of_row[p->row];

		first = MIN(first, (s64)p->time);
		last = MAX(last, (s64)p->time);
		if (stack == STREAM_NO_BUCKET)
			continue;
		ends[stack + 1]++;
		k->c->nr_samples++;
	}
	if (k->c->nr_samples) {
		k->c->first = k->stream.base + (u64)first;
		k->c->last = k->stream.base + (u64)last;
	}
}

/* Return the samples sorted by their stacks. Turn the numbers of samples in ends into the stacks' ends. */
static struct block_sample *counter__sort_samples(struct counter *k, const u32 *stack_of_row, size_t *ends)
{
	struct block_sample *sorted = xmalloc_large((k->c->nr_samples + 1) * sizeof(*sorted));
	double scale = EVIDENCE_BLOCKS / ((double)(k->c->last - k->c->first) + 1);
	s64 first = (s64)(k->c->first - k->stream.base);

	for (size_t i = 0, sum = 0, nr; i <= k->stacks.v.nr; i++, sum += nr) {
		nr = ends[i];
		ends[i] = sum;
	}
	for (size_t i = 0; i < k->stream.v.nr; i++) {
		const struct packed_sample *p = &k->stream.v.v[i];
		u32 stack = stack_of_row[p->row];
		u32 block = (u32)((double)(p->time - first) * scale);

		if (stack == STREAM_NO_BUCKET)
			continue;
		sorted[ends[stack + 1]++] = (struct block_sample){
			.block = MIN(block, (u32)EVIDENCE_BLOCKS - 1),
			.weight = (float)sample_stream__weight(&k->stream, i),
		};
	}
	return sorted;
}

/* Count the samples stack by stack. */
static void counter__add_samples(struct counter *k, const u32 *stack_of_row)
{
	size_t *ends = xcalloc(k->stacks.v.nr + 2, sizeof(*ends)), i = 0;
	struct block_sample *sorted;

	k->leaves = xmalloc((k->stacks.v.nr + 1) * sizeof(*k->leaves));
	for (size_t stack = 0; stack <= k->stacks.v.nr; stack++)
		k->leaves[stack] = NO_FUNCTION;
	counter__survey_samples(k, stack_of_row, ends);
	sorted = counter__sort_samples(k, stack_of_row, ends);
	for (u32 stack = 0; stack < k->stacks.v.nr; stack++) {
		struct stack_sum s = { 0 };

		for (; i < ends[stack + 1]; i++)
			stack_sum__add(&s, sorted[i].block, (double)sorted[i].weight);
		if (!s.nr_touched)
			continue;
		k->c->weight += s.weight;
		counter__add_stack(k, stack, &s);
		if (k->opts->keeps_stacks)
			counter__keep_stack(k, stack, s.weight);
	}
	free(sorted);
	free(ends);
}

/* ---- visits: are samples in step with the program? ---- */

struct visit_list { /* of a row */
	u32 samples, nr;
	size_t end; /* end of the starts of its visits in the list of all */
};

/* The innermost functions of samples, thread by thread in the order of time; gaps are NO_FUNCTION. */
struct leaf_sequence {
	u32 *leaves;
	size_t nr;
};

/* Return a number for the thread of each row; other events have none. Set *nr to the number of threads. */
static u32 *counter__number_threads(const struct counter *k, u32 *nr)
{
	u32 *threads = xmalloc((k->tids.nr + 1) * sizeof(*threads));
	struct hash_table table = { 0 };
	ARRAY(u32) tids = { 0 };

	for (size_t i = 0; i < k->tids.nr; i++) {
		u32 tid = k->tids.v[i], id;

		threads[i] = STREAM_NO_BUCKET;
		if (tid == NO_THREAD)
			continue;
		hash_table__for_each (&table, hash__u64(tid), id)
			if (tids.v[id] == tid) {
				threads[i] = id;
				break;
			}
		if (threads[i] != STREAM_NO_BUCKET)
			continue;
		threads[i] = (u32)tids.nr;
		hash_table__insert(&table, hash__u64(tid), threads[i]);
		array__add(&tids, tid);
	}
	*nr = (u32)tids.nr;
	hash_table__exit(&table);
	array__exit(&tids);
	return threads;
}

static struct leaf_sequence counter__sequence(const struct counter *k, const u32 *stack_of_row)
{
	u32 nr_threads, *threads = counter__number_threads(k, &nr_threads), *order;
	size_t *ends = xcalloc(nr_threads + 1, sizeof(*ends)), at = 0;
	struct leaf_sequence q = { .nr = 0 };

	order = sample_stream__order(&k->stream, threads, nr_threads, ends);
	q.leaves = xmalloc_large((k->stream.v.nr + (size_t)nr_threads * STEP_LAGS + 1) * sizeof(*q.leaves));
	for (u32 t = 0; t < nr_threads; t++) {
		for (; at < ends[t]; at++) {
			u32 stack = stack_of_row[k->stream.v.v[order[at]].row];

			q.leaves[q.nr++] = stack == STREAM_NO_BUCKET ? NO_FUNCTION : k->leaves[stack];
		}
		for (u32 i = 0; i < STEP_LAGS && t + 1 < nr_threads; i++)
			q.leaves[q.nr++] = NO_FUNCTION;
	}
	free(order);
	free(ends);
	free(threads);
	return q;
}

static void counter__count_steps(struct counter *k, const u32 *stack_of_row)
{
	struct leaf_sequence q = counter__sequence(k, stack_of_row);
	struct visit_list *lists = xcalloc(k->c->rows.nr + 1, sizeof(*lists));
	u32 *starts = xmalloc_large((q.nr + 1) * sizeof(*starts));
	size_t nr = 0;

	for (size_t i = 0; i < q.nr; i++)
		if (q.leaves[i] != NO_FUNCTION) {
			lists[q.leaves[i]].samples++;
			lists[q.leaves[i]].nr += !i || q.leaves[i] != q.leaves[i - 1];
		}
	for (size_t i = 0; i < k->c->rows.nr; i++) {
		lists[i].end = nr;
		nr += lists[i].nr;
	}
	for (size_t i = 0; i < q.nr; i++)
		if (q.leaves[i] != NO_FUNCTION && (!i || q.leaves[i] != q.leaves[i - 1]))
			starts[lists[q.leaves[i]].end++] = (u32)i;
	for (size_t i = 0; i < k->c->rows.nr; i++)
		step_counts__count(&k->c->rows.v[i].steps, starts + lists[i].end - lists[i].nr, lists[i].nr,
				   lists[i].samples);
	free(starts);
	free(lists);
	free(q.leaves);
}

/* ---- code ---- */

static bool function_cost__has_samples(const struct function_cost *f)
{
	double sum = 0;

	for (u32 i = 0; i < EVIDENCE_BLOCKS; i++)
		sum += f->self.blocks[i];
	return sum * sum >= f->self.squares * LEAST_SAMPLES && sum > 0;
}

/* Hash the code of functions that may be tested: it finds them in another build. */
static void counter__hash_code(struct counter *k)
{
	const struct dsos *dsos = &k->session->machine.dsos;
	struct code_hasher hasher;

	code_hasher__init(&hasher, &k->session->symbolizer);
	for (size_t i = 0; i < k->c->rows.nr; i++) {
		struct function_cost *f = &k->c->rows.v[i];
		const struct place *p;

		if (k->places.v[i] == NO_FUNCTION || !function_cost__has_samples(f))
			continue;
		p = places__get(&k->stacks.places, k->places.v[i]);
		f->code = code_hasher__hash(&hasher, dsos->v.v[p->dso], p->sym);
	}
	code_hasher__exit(&hasher);
}

/* ---- lines ---- */

static void counter__list_lines(struct counter *k)
{
	const struct places *places = &k->stacks.places;

	for (u32 i = 0; i < k->row_of_place.nr; i++) {
		const struct place *p = places__get(places, i);

		if (!k->row_of_place.v[i] || !p->line_number)
			continue;
		array__add(&k->c->lines,
			   ((struct function_line){
				   .function = k->c->rows.v[k->row_of_place.v[i] - 1].function,
				   .file = strpool__intern(k->names, places__text(places, p->file)),
				   .line = p->line_number }));
	}
}

/* ---- binaries ---- */

static void counter__list_binaries(struct counter *k)
{
	const struct machine *machine = &k->session->machine;
	char id[2 * BUILD_ID_MAX + 1];

	for (size_t i = 0; i < machine->dsos.v.nr; i++)
		if (machine->dsos.v.v[i]->build_id.size)
			array__add(&k->c->builds,
				   strpool__intern(k->names,
						   build_id__str(&machine->dsos.v.v[i]->build_id, id)));
	for (size_t i = 0; i < k->dsos.nr; i++) {
		struct dso *dso = machine->dsos.v.v[i];
		struct binary_cost b = k->dsos.v[i];

		if (!(b.weight > 0))
			continue;
		b.name = strpool__intern(k->names, dso__short_name(&machine->dsos, dso));
		b.has_lines = b.inlined > 0 || symbolizer__has_lines(&k->session->symbolizer, dso);
		array__add(&k->c->binaries, b);
	}
}

/* ---- filters ---- */

static bool counter__wants_thread(const struct counter *k, const struct row *row)
{
	char text[16];
	const char *comm = text;

	if (row->key.comm & ROW_COMM_OF_TID)
		snprintf(text, sizeof(text), ":%d", (int)row->key.tid);
	else
		comm = machine__str(&k->session->machine, row->key.comm);
	return sample_filter__wants_thread(k->opts->filter, comm, row->key.pid, row->key.tid);
}

/*
 * Does the stack pass the filters? -d and -S apply to the innermost frame that is not inlined, as in reports.
 */
static bool counter__wants_stack(struct counter *k, u32 stack)
{
	const struct sample_filter *f = k->opts->filter;
	struct places *places = &k->stacks.places;
	const struct dsos *dsos = &k->session->machine.dsos;
	const struct place *p;
	u32 place;

	if (!f->dsos.given && !f->symbols.given)
		return true;
	while (stack && places__get(places, k->stacks.v.v[stack].place)->inlined)
		stack = k->stacks.v.v[stack].parent;
	place = k->stacks.v.v[stack].place;
	p = places__get(places, place);
	return sample_filter__wants_dso(f, dsos, p->mapped ? dsos->v.v[p->dso] : NULL) &&
	       sample_filter__wants_symbol(f, p->sym ? places__name(places, place) : NULL);
}

/* Return the stack of each row, STREAM_NO_BUCKET for those that do not count. */
static u32 *counter__stacks_of_rows(struct counter *k)
{
	bool needs_tids = k->opts->counts_steps;
	const struct evlist *l = &k->session->reader->evlist;
	/* a wait counts for the function that waits, not for the scheduler */
	bool waits = evsel__wait_event(l->evsels.v[k->opts->event]) == WAIT_EVENT_OFF_CPU;
	const struct row_table *t = &k->profile.rows;
	u32 *stacks = xcalloc(t->rows.nr + 1, sizeof(*stacks));

	for (size_t i = 0; i < t->rows.nr; i++) {
		const struct row *row = row_table__get(t, i);

		stacks[i] = STREAM_NO_BUCKET;
		if (needs_tids)
			array__add(&k->tids, row->key.event == k->opts->event ? row->key.tid : NO_THREAD);
		if (row->key.event != k->opts->event || !counter__wants_thread(k, row))
			continue;
		stacks[i] = waits ? stacks__add_wait(&k->stacks, row) : stacks__add(&k->stacks, row);
		if ((waits && stacks[i] == STACK_NONE) || !counter__wants_stack(k, stacks[i]))
			stacks[i] = STREAM_NO_BUCKET;
	}
	return stacks;
}

int function_costs__count(struct function_costs *c, struct session *s, struct strpool *names,
			  const struct function_costs_opts *opts, struct err *err)
{
	struct counter k = { .c = c, .session = s, .names = names, .opts = opts, .scratch = STRBUF_INIT };
	const struct sample_filter *f = opts->filter;
	const struct stacks_opts stacks = { .inlines = !opts->no_inlines,
					    .lines = opts->keeps_lines,
					    .by_function = true,
					    .max_stack = MAX_STACK };
	const struct profile_opts profile = { .split = f->pids.nr || f->tids.nr || opts->counts_steps
							       ? PROFILE_SPLIT_THREAD
							       : 0,
					      .lbr_chains = evlist__has_lbr_chains(&s->reader->evlist),
					      .cpus = sample_filter__cpus(f),
					      .times = sample_filter__times(f),
					      .max_stack = MAX_STACK,
					      .nr_threads = opts->nr_threads,
					      .stream = &k.stream,
					      .unsorted = !opts->counts_steps };
	u32 *stack_of_row;
	int ret;

	*c = (struct function_costs){ 0 };
	ret = profile__collect(&k.profile, s, &profile, err);
	if (!ret) {
		survey__rows(s, &k.profile.rows,
			     (opts->no_inlines ? 0 : DWARF_WANTS_INLINED) |
				     (opts->keeps_lines ? DWARF_WANTS_LINE : 0),
			     opts->nr_threads);
		stacks__init(&k.stacks, s, &stacks);
		stack_of_row = counter__stacks_of_rows(&k);
		counter__add_samples(&k, stack_of_row);
		if (opts->counts_steps)
			counter__count_steps(&k, stack_of_row);
		counter__hash_code(&k);
		counter__list_binaries(&k);
		counter__list_lines(&k);
		free(stack_of_row);
		stacks__exit(&k.stacks);
	}
	profile__exit(&k.profile);
	sample_stream__exit(&k.stream);
	array__exit(&k.row_of_place);
	array__exit(&k.places);
	array__exit(&k.stamps);
	array__exit(&k.is_entry);
	array__exit(&k.kept);
	array__exit(&k.tids);
	array__exit(&k.dsos);
	free(k.leaves);
	strbuf__exit(&k.scratch);
	return ret;
}

void function_costs__exit(struct function_costs *c)
{
	array__exit(&c->rows);
	array__exit(&c->calls);
	array__exit(&c->lines);
	array__exit(&c->builds);
	array__exit(&c->binaries);
	function_stacks__exit(&c->stacks);
	hash_table__exit(&c->by_function);
	hash_table__exit(&c->by_call);
}

u32 function_stacks__add(struct function_stacks *s, u32 parent, u32 function)
{
	u64 hash = hash__u64((u64)parent << 32 | function);
	u32 i;

	if (!s->v.nr)
		array__add(&s->v, ((struct function_stack){ 0 }));
	hash_table__for_each (&s->table, hash, i)
		if (s->v.v[i].parent == parent && s->v.v[i].function == function)
			return i;
	i = (u32)s->v.nr;
	hash_table__insert(&s->table, hash, i);
	array__add(&s->v, ((struct function_stack){ .parent = parent, .function = function }));
	return i;
}

void function_stacks__exit(struct function_stacks *s)
{
	array__exit(&s->v);
	hash_table__exit(&s->table);
}
