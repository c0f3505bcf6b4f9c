/*
 * One HTML file that shows the recording in any browser (Documentation/page.md): the page of web/, with the
 * samples inside. Samples keep their time as cells: what a thread did in a cell is, for each stack and event,
 * a number of samples and a weight.
 */
#include "export/export_formats.h"

#include "base/system/thread.h"
#include "base/text/fold_name.h"
#include "export/page_data.h"
#include "export/page_source.h"
#include "format/read/features.h"

#include <stdlib.h>
#include <string.h>

enum {
	CELL_NS = 20 * 1000 * 1000,
	/* cells get wider where there are more: what memory and the page have room for */
	MOST_ENTRIES = 12 * 1000 * 1000,
	MOST_CELL_SAMPLES = 1000 * 1000, /* equal ones are added up before the cell ends */
	MOST_CPU_ENTRIES = 100 * 1000,
	MOST_SPANS = 1000,         /* the slowest, of each event */
	MOST_BYTES = 14900 * 1000, /* 20 MB with base64 and the script */
};

struct page_frame {
	u32 name, file; /* ids in strings */
	u32 line;
	u32 binary; /* id + 1; 0: none */
	u32 flags;  /* FRAME_ */
	u32 place;  /* in the code of struct page_source; 0: it is not there */
};

enum {
	FRAME_KERNEL = 1,
	FRAME_JIT = 2,
	FRAME_INLINED = 4,
	FRAME_UNKNOWN = 8,
	FRAME_WAIT = 16,
	FRAME_IDLE = 32,
};

struct page_sample { /* samples of a lane and a stack in one cell */
	u32 lane;    /* of an event of a thread */
	u32 stack;   /* its rank */
	u64 weight;
	u32 nr;
};

struct page_entry { /* kept data of a sample; the weight is apart */
	u32 stack;
	u32 nr;
};

struct page_run { /* the entries of one lane in one cell, by stack */
	u32 cell, lane;
	u32 nr; /* entries */
};

struct page_cpu_entry { /* work of a processor in a cell; a lane is an event of a processor */
	u32 cell, lane;
	u64 nr, weight;
};

struct page {
	struct strpool strings;
	ARRAY(struct page_frame) frames;
	struct hash_table by_frame;
	ARRAY(u32) number_of_frame;   /* index in frames, by the id of the export's frame */
	ARRAY(struct export_stack) v; /* stacks of these frames, parents first; the first is STACK_NONE */
	struct hash_table by_stack;
	ARRAY(u32)
	number_of_stack;        /* index in v, by the id of the export's stack; made by the first sample */
	ARRAY(u32) rank_of_row; /* see page__rank_stacks */
	struct strbuf ranks;    /* column of the stacks in the order of their ranks */
	u64 cell_ns;
	u32 cell; /* that of the samples */
	ARRAY(struct page_sample) samples, spare;
	ARRAY(struct page_run) runs; /* of earlier cells, by cell and lane */
	ARRAY(struct page_entry) entries;
	u64_array weights;                        /* of entries of events whose samples differ in weight */
	ARRAY(struct page_cpu_entry) cpu_entries; /* in the order of cells */
	ARRAY(u32) last_of_cpu;                   /* by lane: index in cpu_entries + 1; 0: none */
	u64 cpu_cell_ns;
	struct page_source source;
	struct strbuf spans; /* member of the JSON */
};

static int html__begin(struct export *x, struct err *err)
{
	struct page *p = xcalloc(1, sizeof(*p));

	(void)err;
	strpool__init(&p->strings);
	p->cell_ns = p->cpu_cell_ns = CELL_NS;
	strbuf__init(&p->source.json);
	strbuf__init(&p->ranks);
	strbuf__init(&p->spans);
	if (x->args->nr_sources)
		page_source__init(&p->source, x, x->args->nr_sources);
	x->data = p;
	return 0;
}

/* ---- frames and stacks, without addresses ---- */

static u32 page__frame(struct page *p, const struct page_frame *f)
{
	u64 hash = hash__bytes(f, sizeof(*f), 0);
	u32 i;

	hash_table__for_each (&p->by_frame, hash, i)
		if (!memcmp(&p->frames.v[i], f, sizeof(*f)))
			return i;
	i = (u32)p->frames.nr;
	hash_table__insert(&p->by_frame, hash, i);
	array__add(&p->frames, *f);
	return i;
}

static void html__frame(struct export *x, u32 id, const struct export_frame *frame)
{
	struct page *p = x->data;
	struct page_frame f = {
		.name = strpool__intern(&p->strings, frame->function),
		.file = strpool__intern(&p->strings, frame->file ? frame->file : ""),
		.line = frame->line,
		.binary = frame->binary == UINT32_MAX ? 0 : frame->binary + 1,
		.flags = (frame->is_kernel ? FRAME_KERNEL : 0) | (frame->is_jit ? FRAME_JIT : 0) |
			 (frame->is_inlined ? FRAME_INLINED : 0) | (frame->is_unknown ? FRAME_UNKNOWN : 0) |
			 (frame->is_wait ? FRAME_WAIT : 0) | (frame->is_idle ? FRAME_IDLE : 0)
	};

	(void)id;
	array__add(&p->number_of_frame, page__frame(p, &f));
}

static u32 page__stack(struct page *p, u32 parent, u32 frame)
{
	u64 hash = hash__u64((u64)parent << 32 | frame);
	u32 i;

	hash_table__for_each (&p->by_stack, hash, i)
		if (p->v.v[i].parent == parent && p->v.v[i].frame == frame)
			return i;
	i = (u32)p->v.nr;
	hash_table__insert(&p->by_stack, hash, i);
	array__add(&p->v, ((struct export_stack){ parent, frame }));
	return i;
}

/* Return a stack, or the same stack with the place of its innermost frame in the code. */
static u32 page__stack_at(struct page *p, u32 stack, u32 place)
{
	struct page_frame f;

	if (!place || !stack)
		return stack;
	f = p->frames.v[p->v.v[stack].frame];
	f.place = place;
	return page__stack(p, p->v.v[stack].parent, page__frame(p, &f));
}

/* Return a stack with another innermost frame, which is like the one before but for its name. */
static u32 page__stack_of_wait(struct page *p, u32 stack, const char *before, const char *name)
{
	struct page_frame f;
	char *text;

	if (!stack || !name)
		return stack;
	text = xasprintf("%s%s", before, name);
	f = p->frames.v[p->v.v[stack].frame];
	f.name = strpool__intern(&p->strings, text);
	free(text);
	return page__stack(p, stack, page__frame(p, &f));
}

/* Return the stack of a row of waits: the lock is a frame inside of the wait, who held it inside of that. */
static u32 page__stack_of_lock(struct page *p, const struct export *x, u32 row, u32 stack)
{
	const struct export_origin *origin = &x->origins.v[x->use_words.v[x->uses.v[row].words].origin];

	if (!origin->lock)
		return stack;
	stack = page__stack_of_wait(p, stack, "", origin->lock);
	return page__stack_of_wait(p, stack,
				   origin->holder && holder_text__is_holder(origin->holder) ? "held by " : "",
				   origin->holder);
}

struct stack_use {
	u32 stack;
	u64 nr;
};

static int stack_use__compare(const void *a, const void *b)
{
	const struct stack_use *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr > y->nr ? -1 : 1;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

/* Set the stack of each row; return how often each stack was seen. */
static struct stack_use *page__count_stacks(struct page *p, const struct export *x)
{
	struct stack_use *uses;

	for (u32 i = 0; i < x->uses.nr; i++) {
		bool is_wait =
			x->events.v[x->uses.v[i].event].kind == SAMPLE_WAITING; /* runs no instruction */
		u32 place = p->source.place_of_row.nr && !is_wait ? p->source.place_of_row.v[i] : 0;

		u32 stack = STACK_NONE;

		if (x->uses.v[i].thread != NOT_EXPORTED)
			stack = page__stack_at(p, p->number_of_stack.v[x->uses.v[i].stack], place);
		if (is_wait)
			stack = page__stack_of_lock(p, x, i, stack);
		array__add(&p->rank_of_row, stack);
	}
	uses = xcalloc(p->v.nr, sizeof(*uses));
	for (size_t i = 0; i < p->v.nr; i++)
		uses[i].stack = (u32)i;
	for (size_t i = 0; i < x->uses.nr; i++)
		if (x->uses.v[i].thread != NOT_EXPORTED)
			uses[p->rank_of_row.v[i]].nr += row_table__get(x->rows, i)->nr;
	return uses;
}

/*
 * Number the stacks of samples by how often they were seen, so that most differences of sorted ones are
 * small.
 */
static void page__rank_stacks(struct page *p, const struct export *x)
{
	struct stack_use *uses = page__count_stacks(p, x);
	u32 *rank = xcalloc(p->v.nr, sizeof(*rank)), last = 0;

	qsort(uses, p->v.nr, sizeof(*uses), stack_use__compare);
	for (u32 i = 0; i < p->v.nr && uses[i].nr; i++) {
		rank[uses[i].stack] = i;
		page_data__add_signed(&p->ranks, (s64)uses[i].stack - last);
		last = uses[i].stack;
	}
	for (size_t i = 0; i < p->rank_of_row.nr; i++)
		p->rank_of_row.v[i] = rank[p->rank_of_row.v[i]];
	free(uses);
	free(rank);
}

static void page__list_stacks(struct page *p, const struct export *x)
{
	array__add(&p->v, ((struct export_stack){ 0 }));
	array__add(&p->number_of_stack, STACK_NONE);
	for (size_t i = 1; i < x->tree.nr; i++)
		array__add(&p->number_of_stack, page__stack(p, p->number_of_stack.v[x->tree.v[i].parent],
							    p->number_of_frame.v[x->tree.v[i].frame]));
	page__rank_stacks(p, x);
}

/* ---- samples ---- */

/* Return the event that a sample is shown as. With weights, time on the CPU is one, and waits are one. */
static u32 page__event(const struct export *x, u32 event)
{
	u32 first = 0;

	if (!x->weights.of)
		return event;
	if (x->events.v[event].kind != SAMPLE_WAITING)
		return x->weights.lone_events[LONE_RAN]->idx;
	while (x->events.v[first].kind != SAMPLE_WAITING)
		first++;
	return first;
}

/* Return the weight of each sample of an event; 0: they differ. */
static u64 page__period(const struct export *x, u32 event)
{
	return x->weights.of ? 0 : x->events.v[event].period;
}

static u64 page_sample__key(const struct page_sample *s)
{
	return (u64)s->lane << 32 | s->stack;
}

static void sort_few_samples(struct page_sample *v, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		struct page_sample s = v[i];
		size_t k = i;

		for (; k && page_sample__key(&v[k - 1]) > page_sample__key(&s); k--)
			v[k] = v[k - 1];
		v[k] = s;
	}
}

/* Sort the samples of a cell by lane and stack. Return where they are then: v or spare, as radix__sort. */
static struct page_sample *sort_cell(struct page_sample *v, struct page_sample *spare, size_t nr)
{
	if (nr >= 24)
		return radix__sort(v, spare, nr, page_sample__key);
	sort_few_samples(v, nr);
	return v;
}

/* Sort the samples of the cell, and add up equal ones. */
static void page__fold_cell(struct page *p)
{
	struct page_sample *v = p->samples.v;
	const struct page_sample *sorted;
	size_t nr = 0;

	array__reserve(&p->spare, p->samples.nr);
	sorted = sort_cell(v, p->spare.v, p->samples.nr);
	for (size_t i = 0; i < p->samples.nr; i++)
		if (nr && page_sample__key(&v[nr - 1]) == page_sample__key(&sorted[i])) {
			v[nr - 1].weight += sorted[i].weight;
			v[nr - 1].nr += sorted[i].nr;
		} else {
			v[nr++] = sorted[i];
		}
	p->samples.nr = nr;
}

static bool lane__has_weights(const struct export *x, u32 lane)
{
	return !page__period(x, lane % (u32)x->events.nr);
}

/* Make runs of the samples of the cell. */
static void page__end_cell(struct page *p, const struct export *x)
{
	page__fold_cell(p);
	for (size_t i = 0; i < p->samples.nr; i++) {
		const struct page_sample *s = &p->samples.v[i];

		if (!i || s->lane != s[-1].lane)
			array__add(&p->runs, ((struct page_run){ p->cell, s->lane, 0 }));
		p->runs.v[p->runs.nr - 1].nr++;
		array__add(&p->entries, ((struct page_entry){ s->stack, s->nr }));
		if (lane__has_weights(x, s->lane))
			array__add(&p->weights, s->weight);
	}
	p->samples.nr = 0;
}

/* Add a sample; samples come in the order of cells. */
static void page__add(struct page *p, const struct export *x, u32 cell, const struct page_sample *s)
{
	if (cell != p->cell) {
		page__end_cell(p, x);
		p->cell = cell;
	}
	if (p->samples.nr == p->samples.alloc && p->samples.nr >= MOST_CELL_SAMPLES)
		page__fold_cell(p);
	array__add(&p->samples, *s);
}

/* Make cells twice as wide. The last one goes on. */
static void page__widen_cells(struct page *p, const struct export *x)
{
	size_t nr_runs, entry = 0, weight = 0;

	page__end_cell(p, x);
	nr_runs = p->runs.nr;
	p->cell_ns *= 2;
	p->cell = 0;
	p->runs.nr = p->entries.nr = p->weights.nr = 0; /* new entries overwrite only ones that were read */
	for (size_t i = 0; i < nr_runs; i++) {
		struct page_run run = p->runs.v[i];

		for (u32 k = 0; k < run.nr; k++, entry++)
			page__add(p, x, run.cell / 2,
				  &(struct page_sample){ .lane = run.lane,
							 .stack = p->entries.v[entry].stack,
							 .nr = p->entries.v[entry].nr,
							 .weight = lane__has_weights(x, run.lane)
									   ? p->weights.v[weight++]
									   : 0 });
	}
}

static bool page__has_one_cell(const struct page *p)
{
	return !p->runs.nr || !p->runs.v[p->runs.nr - 1].cell;
}

/* Return about how many bytes the entries take in the page, before base64: measured ones, of 10 million. */
static u64 page__bytes(const struct page *p, u32 nr_lanes)
{
	u64 *next = xcalloc(nr_lanes, sizeof(*next)),
	    nr_runs = 0; /* by lane: after the cell of its last run */

	for (size_t i = 0; i < p->runs.nr; i++) {
		const struct page_run *run = &p->runs.v[i];

		nr_runs += next[run->lane] != (u64)run->cell + 1;
		next[run->lane] = (u64)run->cell + 1;
	}
	free(next);
	return p->entries.nr * 5 / 4 + nr_runs * 4;
}

/* End the last cell, and make cells so wide that the page is small enough to be opened and mailed. */
static void page__fit(struct page *p, const struct export *x)
{
	u32 nr_lanes = (u32)(x->threads.nr * x->events.nr);

	page__end_cell(p, x);
	while (page__bytes(p, nr_lanes) > MOST_BYTES && !page__has_one_cell(p)) {
		page__widen_cells(p, x);
		page__end_cell(p, x);
	}
}

/* ---- processors ---- */

/* Add to what a lane did in a cell. Cells come in order. */
static void page__add_cpu(struct page *p, const struct page_cpu_entry *e)
{
	u32 *last;

	while (p->last_of_cpu.nr <= e->lane)
		array__add(&p->last_of_cpu, 0);
	last = &p->last_of_cpu.v[e->lane];
	if (*last && p->cpu_entries.v[*last - 1].cell == e->cell) {
		p->cpu_entries.v[*last - 1].nr += e->nr;
		p->cpu_entries.v[*last - 1].weight += e->weight;
		return;
	}
	array__add(&p->cpu_entries, *e);
	*last = (u32)p->cpu_entries.nr;
}

static void page__widen_cpu_cells(struct page *p)
{
	size_t nr = p->cpu_entries.nr;

	p->cpu_cell_ns *= 2;
	memset(p->last_of_cpu.v, 0, p->last_of_cpu.nr * sizeof(*p->last_of_cpu.v));
	p->cpu_entries.nr = 0; /* likewise */
	for (size_t i = 0; i < nr; i++) {
		struct page_cpu_entry e = p->cpu_entries.v[i];

		e.cell /= 2;
		page__add_cpu(p, &e);
	}
}

static void page__use_cpu(struct page *p, const struct export *x, const struct export_sample *sample,
			  u32 event)
{
	u64 after = sample->time > x->first ? sample->time - x->first : 0;

	if (sample->cpu == STREAM_NO_CPU)
		return;
	page__add_cpu(p, &(struct page_cpu_entry){ .cell = (u32)MIN(after / p->cpu_cell_ns, (u64)UINT32_MAX),
						   .lane = sample->cpu * (u32)x->events.nr + event,
						   .nr = sample->nr,
						   .weight = sample->weight });
	while (p->cpu_entries.nr > MOST_CPU_ENTRIES && p->cpu_entries.v[p->cpu_entries.nr - 1].cell)
		page__widen_cpu_cells(p);
}

static void html__sample(struct export *x, const struct export_sample *sample)
{
	struct page *p = x->data;
	u32 event = page__event(x, sample->event);
	u64 cell = 0;

	if (!p->v.nr)
		page__list_stacks(p, x);
	if (p->entries.nr > MOST_ENTRIES && !page__has_one_cell(p))
		page__widen_cells(p, x);
	page__use_cpu(p, x, sample, event);
	if (sample->time > x->first) /* which the recording's header may say */
		cell = (sample->time - x->first) / p->cell_ns;
	page__add(p, x, (u32)MIN(cell, (u64)UINT32_MAX),
		  &(struct page_sample){ .lane = sample->thread * (u32)x->events.nr + event,
					 .stack = p->rank_of_row.v[sample->row],
					 .weight = sample->weight,
					 .nr = (u32)sample->nr });
}

/* ---- columns ---- */

static void page__add_frames(const struct page *p, struct strbuf *data)
{
	static const size_t fields[] = {
		offsetof(struct page_frame, name),  offsetof(struct page_frame, binary),
		offsetof(struct page_frame, flags), offsetof(struct page_frame, file),
		offsetof(struct page_frame, line),  offsetof(struct page_frame, place)
	};
	struct strbuf column = STRBUF_INIT;

	for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++) {
		for (size_t i = 0; i < p->frames.nr; i++)
			page_data__add_varint(&column,
					      *(const u32 *)((const char *)&p->frames.v[i] + fields[k]));
		page_data__add_column(data, &column);
	}
	strbuf__exit(&column);
}

static void page__add_stacks(struct page *p, struct strbuf *data)
{
	struct strbuf parents = STRBUF_INIT, frames = STRBUF_INIT;

	for (size_t i = 1; i < p->v.nr; i++) {
		page_data__add_varint(&parents, i - p->v.v[i].parent);
		page_data__add_varint(&frames, p->v.v[i].frame);
	}
	page_data__add_column(data, &parents);
	page_data__add_column(data, &frames);
	page_data__add_column(data, &p->ranks);
	strbuf__exit(&parents);
	strbuf__exit(&frames);
}

/*
 * Four columns: runs of entries with one cell and lane (difference of the cells, lane, number of entries),
 * and for each entry its stack (difference within the run), its number of samples, its weight. The weight is
 * left out where all samples of the event have the same.
 */
static void page__add_entries(const struct page *p, struct strbuf *data)
{
	struct strbuf runs = STRBUF_INIT, stacks = STRBUF_INIT, numbers = STRBUF_INIT, weights = STRBUF_INIT;
	const struct page_entry *e = p->entries.v;
	u32 cell = 0;

	for (size_t i = 0; i < p->runs.nr; i++) {
		const struct page_run *run = &p->runs.v[i];
		u32 stack = 0;

		page_data__add_varint(&runs, run->cell - cell);
		page_data__add_varint(&runs, run->lane);
		page_data__add_varint(&runs, run->nr);
		cell = run->cell;
		for (u32 k = 0; k < run->nr; k++, e++) {
			page_data__add_varint(&stacks, e->stack - stack);
			stack = e->stack;
			page_data__add_varint(&numbers, e->nr);
		}
	}
	for (size_t i = 0; i < p->weights.nr; i++)
		page_data__add_varint(&weights, p->weights.v[i]);
	page_data__add_column(data, &runs);
	page_data__add_column(data, &stacks);
	page_data__add_column(data, &numbers);
	page_data__add_column(data, &weights);
	strbuf__exit(&runs);
	strbuf__exit(&stacks);
	strbuf__exit(&numbers);
	strbuf__exit(&weights);
}

/* Processors: difference of the cells, lane, weight or number of samples as above. */
static void page__add_cpus(const struct page *p, const struct export *x, struct strbuf *data)
{
	struct strbuf column = STRBUF_INIT;
	u32 cell = 0;

	for (size_t i = 0; i < p->cpu_entries.nr; i++) {
		const struct page_cpu_entry *e = &p->cpu_entries.v[i];

		page_data__add_varint(&column, e->cell - cell);
		page_data__add_varint(&column, e->lane);
		page_data__add_varint(&column,
				      page__period(x, e->lane % (u32)x->events.nr) ? e->nr : e->weight);
		cell = e->cell;
	}
	page_data__add_column(data, &column);
	strbuf__exit(&column);
}

/* ---- JSON ---- */

static void add_member(struct strbuf *sb, const char *name, const char *value)
{
	strbuf__addf(sb, ",\"%s\":", name);
	strbuf__add_json(sb, value ? value : "");
}

static void add_events(struct strbuf *sb, const struct export *x)
{
	strbuf__addstr(sb, ",\"events\":[");
	for (size_t i = 0; i < x->events.nr; i++) {
		const struct export_event *e = &x->events.v[i];
		u64 nr = 0, weight = 0;

		for (u32 k = 0; k < x->events.nr; k++)
			if (page__event(x, k) == i) {
				nr += x->events.v[k].nr;
				weight += x->events.v[k].weight;
			}
		strbuf__addf(sb, "%s{\"nr\":%llu,\"weight\":%llu,\"period\":%llu,\"time\":%s,\"waits\":%s",
			     i ? "," : "", (unsigned long long)nr, (unsigned long long)weight,
			     (unsigned long long)page__period(x, (u32)i), e->is_time ? "true" : "false",
			     e->kind == SAMPLE_WAITING ? "true" : "false");
		add_member(sb, "name", e->name);
		strbuf__addch(sb, '}');
	}
	strbuf__addch(sb, ']');
}

static void add_threads(struct strbuf *sb, const struct export *x)
{
	strbuf__addstr(sb, ",\"threads\":[");
	for (size_t i = 0; i < x->threads.nr; i++) {
		const struct export_thread *t = &x->threads.v[i];

		strbuf__addf(sb, "%s{\"pid\":%d,\"tid\":%d,\"first\":%llu,\"last\":%llu", i ? "," : "",
			     (int)t->pid, (int)t->tid, (unsigned long long)(t->first - x->first),
			     (unsigned long long)(t->last - x->first));
		add_member(sb, "name", t->name);
		add_member(sb, "process", t->process);
		strbuf__addch(sb, '}');
	}
	strbuf__addch(sb, ']');
}

/* [cell, samples] of losses whose time is known. */
static void add_losses(struct strbuf *sb, const struct page *p, const struct export *x)
{
	const char *sep = "";

	strbuf__addstr(sb, ",\"losses\":[");
	for (size_t i = 0; i < x->tasks.gaps.nr; i++) {
		const struct lost_gap *gap = &x->tasks.gaps.v[i];

		if (gap->time < x->first || gap->time > x->last)
			continue;
		strbuf__addf(sb, "%s[%llu,%llu]", sep,
			     (unsigned long long)((gap->time - x->first) / p->cell_ns),
			     (unsigned long long)gap->nr);
		sep = ",";
	}
	strbuf__addch(sb, ']');
}

/* Add the completeness of the file and of its stacks, as in the text report (ui/notes/completeness.h). */
static void add_completeness(struct strbuf *sb, const struct export *x)
{
	const struct reader *r = x->session->reader;
	u64 stacks, cut = unwind_stats__incomplete(&x->profile->unwinding, &stacks);

	strbuf__addf(sb, ",\"stacks\":%llu,\"cut\":%llu,\"limit\":%u,\"borrowed\":%.4f",
		     (unsigned long long)stacks, (unsigned long long)cut, x->args->max_stack,
		     losses__borrowed_part(&x->session->losses));
	add_member(sb, "damage",
		   r->damage.code    ? "truncated by damage"
		   : r->unterminated ? "cut off: the recorder was killed"
				     : "");
}

/* [string, short name] of functions whose names a screen shortens. */
static void add_short_names(struct strbuf *sb, const struct page *p)
{
	bool *is_done = xcalloc(p->strings.strings.nr + 1, sizeof(*is_done));
	struct strbuf folded = STRBUF_INIT;
	const char *sep = "";

	strbuf__addstr(sb, ",\"short\":[");
	for (size_t i = 0; i < p->frames.nr; i++) {
		u32 id = p->frames.v[i].name;
		const char *name = strpool__get(&p->strings, id);

		if (is_done[id])
			continue;
		is_done[id] = true;
		strbuf__reset(&folded);
		name__fold(&folded, name);
		if (!strcmp(folded.buf, name))
			continue;
		strbuf__addf(sb, "%s[%u,", sep, id);
		strbuf__add_json(sb, folded.buf);
		strbuf__addch(sb, ']');
		sep = ",";
	}
	strbuf__addch(sb, ']');
	strbuf__exit(&folded);
	free(is_done);
}

/* Return the thread of the page that a span is of, or NOT_EXPORTED; also if the filters leave it out. */
static u32 span__thread(const struct export *x, const struct span *s)
{
	const struct sample_filter *f = x->filter;

	if (f->has_times && !time_spans__has(&f->time_spans, s->end))
		return NOT_EXPORTED;
	if (f->has_spans && (span__ns(s) < f->spans.least.ns || span__ns(s) > f->spans.most.ns))
		return NOT_EXPORTED;
	for (u32 i = 0; i < x->threads.nr; i++)
		if (x->threads.v[i].tid == s->tid)
			return i;
	return NOT_EXPORTED;
}

/* [thread, ns after the first sample, ns that it took] of the slowest spans of an event. */
static void add_slowest(struct strbuf *sb, const struct export *x, const struct span_set *set)
{
	const char *sep = "";
	u32 nr = 0;

	strbuf__addstr(sb, ",\"slowest\":[");
	for (size_t i = set->by_duration.nr; i-- > 0 && nr < MOST_SPANS;) {
		const struct span *s = &set->v.v[set->by_duration.v[i]];
		u32 thread = span__thread(x, s);

		if (thread == NOT_EXPORTED)
			continue;
		strbuf__addf(sb, "%s[%u,%llu,%llu]", sep, thread,
			     (unsigned long long)(s->begin - MIN(s->begin, x->first)),
			     (unsigned long long)span__ns(s));
		sep = ",";
		nr++;
	}
	strbuf__addch(sb, ']');
}

/* The spans of each event that has some (perf record --span). */
static void add_spans(struct strbuf *sb, const struct export *x)
{
	const struct evlist *l = &x->session->reader->evlist;
	const char *sep = "";

	strbuf__addstr(sb, ",\"spans\":[");
	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i];
		struct span_set set;

		if (!evsel__has_spans(e) || (x->filter->has_spans && x->filter->spans.event != e))
			continue;
		if (!span_set__read(&set, x->session, e, NULL) && set.v.nr) {
			strbuf__addf(sb, "%s{\"nr\":%llu,\"fast\":%llu,\"slow\":%llu", sep,
				     (unsigned long long)set.nr,
				     (unsigned long long)span_set__quantile(&set, 0.5),
				     (unsigned long long)span_set__quantile(&set, 0.99));
			add_member(sb, "name", redaction__shown(&x->redaction, evsel__span_name(e)));
			add_slowest(sb, x, &set);
			strbuf__addch(sb, '}');
			sep = ",";
		}
		span_set__exit(&set);
	}
	strbuf__addch(sb, ']');
}

/* What the samples are of, if not of all time. */
static void add_only(struct strbuf *sb, const struct export *x)
{
	struct strbuf text = STRBUF_INIT;

	if (x->filter->has_spans && !x->args->redact)
		span_choice__describe(&x->filter->spans, x->weights.of, &text);
	add_member(sb, "only", text.buf);
	strbuf__exit(&text);
}

static void page__add_json(const struct page *p, const struct export *x, struct strbuf *data)
{
	struct strbuf json = STRBUF_INIT, *sb = &json;

	strbuf__addf(sb, "{\"format\":4,\"cell\":%llu,\"cpu_cell\":%llu,\"duration\":%llu,\"lost\":%llu",
		     (unsigned long long)p->cell_ns, (unsigned long long)p->cpu_cell_ns,
		     (unsigned long long)(x->last - x->first), (unsigned long long)x->nr_lost);
	add_losses(sb, p, x);
	add_short_names(sb, p);
	add_completeness(sb, x);
	add_member(sb, "recording", x->session->reader->path);
	strbuf__addstr(sb, ",\"headers\":{");
	if (!x->args->redact) /* they have the command line */
		features__add_json(x->session->reader, "", sb);
	strbuf__addch(sb, '}');
	add_only(sb, x);
	strbuf__add(sb, p->spans.buf, p->spans.len);
	add_events(sb, x);
	add_threads(sb, x);
	strbuf__addstr(sb, ",\"binaries\":[");
	for (size_t i = 0; i < x->binaries.nr; i++) {
		strbuf__addstr(sb, i ? "," : "");
		strbuf__add_json(sb, x->binaries.v[i].name);
	}
	strbuf__addstr(sb, "],\"strings\":[");
	for (size_t i = 0; i < p->strings.strings.nr; i++) {
		strbuf__addstr(sb, i ? "," : "");
		strbuf__add_json(sb, p->strings.strings.v[i]);
	}
	strbuf__addstr(sb, "]}");
	page_data__add_column(data, &json);
	strbuf__exit(&json);
}

/* ---- the file ---- */

static void page__exit(struct page *p)
{
	strpool__exit(&p->strings);
	array__exit(&p->frames);
	hash_table__exit(&p->by_frame);
	array__exit(&p->number_of_frame);
	array__exit(&p->v);
	hash_table__exit(&p->by_stack);
	array__exit(&p->number_of_stack);
	array__exit(&p->rank_of_row);
	strbuf__exit(&p->ranks);
	strbuf__exit(&p->spans);
	array__exit(&p->samples);
	array__exit(&p->spare);
	array__exit(&p->runs);
	array__exit(&p->entries);
	array__exit(&p->weights);
	page_source__exit(&p->source);
	array__exit(&p->cpu_entries);
	array__exit(&p->last_of_cpu);
	free(p);
}

/* Put all columns into packed: those of samples between names and sources, which are columns already. */
static void page__pack(const struct page *p, const struct export *x, const struct strbuf *names,
		       const struct strbuf *sources, struct strbuf *packed)
{
	struct strbuf data = STRBUF_INIT;

	page__add_json(p, x, &data);
	strbuf__add(&data, names->buf, names->len);
	page__add_entries(p, &data);
	page__add_cpus(p, x, &data);
	strbuf__add(&data, sources->buf, sources->len);
	page_data__pack(&data, thread__count(x->args->threads), packed);
	strbuf__exit(&data);
}

static void html__end(struct export *x)
{
	struct page *p = x->data;
	struct strbuf names = STRBUF_INIT, sources = STRBUF_INIT, packed = STRBUF_INIT;

	if (!p->v.nr)
		page__list_stacks(p, x);
	page__fit(p, x);
	add_spans(&p->spans, x);
	page__add_frames(p, &names);
	page__add_stacks(p, &names);
	page_data__add_column(&sources, &p->source.json);
	page__pack(p, x, &names, &sources, &packed);
	/*
	 * page__fit only estimates. Stop when wider cells save little, as they do when most bytes are names.
	 */
	for (size_t before = SIZE_MAX;
	     packed.len > MOST_BYTES && packed.len < before - before / 8 && !page__has_one_cell(p);) {
		before = packed.len;
		page__widen_cells(p, x);
		page__end_cell(p, x);
		page__pack(p, x, &names, &sources, &packed);
	}
	page_data__write(&packed, &x->out->text);
	strbuf__exit(&packed);
	strbuf__exit(&sources);
	strbuf__exit(&names);
	page__exit(p);
}

const struct export_format export_html = {
	.name = "html",
	.suffix = ".html",
	.help = "one page for any browser: flame graph, time, functions",
	.is_timed = true,
	.by_event = true,
	.has_tasks = true,
	.has_rows = true,
	.names_waits = true,
	.parts = EXPORT_LOST,
	.begin = html__begin,
	.frame = html__frame,
	.sample = html__sample,
	.end = html__end,
};
