#include "profile/compare/comparison.h"

#include "base/message/msg.h"

#include "format/file/labels.h"
#include "format/read/features.h"
#include "format/read/merged_inputs.h"
#include "format/records/sampling_mark.h"
#include "format/records/wait_detail.h"
#include "profile/compare/doubts.h"
#include "profile/compare/joins.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Two runs of one program differ by so much in CPU time, without a change; between intervals of time, load
 * does.
 */
#define RUN_NOISE 0.05
#define LOAD_NOISE 0.5
enum { MAIN_CALLER = 80 }; /* per cent of the calls of a function that make a caller its main one */

void comparison__init(struct comparison *c, const struct comparison_opts *opts)
{
	char *end;

	*c = (struct comparison){ .opts = *opts, .unit = COMPARE_SECONDS, .sampling.why = STRBUF_INIT };
	strpool__init(&c->names);
	if (!opts->per)
		return;
	c->number = strtod(opts->per, &end);
	c->unit = !*end && isfinite(c->number) && c->number > 0 ? COMPARE_NUMBER : COMPARE_EVENT;
}

/* ---- reading ---- */

static const struct evsel *find_event(const struct session *s, const char *name)
{
	const struct evlist *l = &s->reader->evlist;

	for (size_t i = 0; i < l->evsels.nr; i++)
		if (!strcmp(l->evsels.v[i]->name, name))
			return l->evsels.v[i];
	return NULL;
}

/* Return the first event that counts something: a dummy may come before it. */
static const struct evsel *first_event(const struct session *s)
{
	const struct evlist *l = &s->reader->evlist;

	for (size_t i = 0; i < l->evsels.nr; i++)
		if (!(l->evsels.v[i]->attr.type == PERF_TYPE_SOFTWARE &&
		      l->evsels.v[i]->attr.config == PERF_COUNT_SW_DUMMY))
			return l->evsels.v[i];
	return NULL;
}

/* Are its periods ns? */
static bool counts_time(const struct evsel *e)
{
	return evsel__wait_event(e) != WAIT_EVENT_NONE ||
	       (e->attr.type == PERF_TYPE_SOFTWARE &&
		(e->attr.config == PERF_COUNT_SW_CPU_CLOCK || e->attr.config == PERF_COUNT_SW_TASK_CLOCK));
}

int comparison__choose_event(struct comparison *c, const struct session *s, struct err *err)
{
	const char *path = s->reader->path;
	const struct evsel *event;

	if (!c->event && c->opts.event)
		c->event = xstrdup(c->opts.event);
	event = c->has_event ? evlist__find_same(&s->reader->evlist, c->event, &c->attr)
		: c->event   ? find_event(s, c->event)
			     : first_event(s);
	if (!event && c->event)
		return err__set(err, -EINVAL, "'%s' has no event '%s': there is nothing to compare", path,
				c->event);
	if (!event)
		return err__set(err, -ENODATA, "'%s' has no events", path);
	if (!c->event)
		c->event = xstrdup(event->name);
	if (!c->has_event)
		c->attr = event->attr;
	c->has_event = true;
	c->is_time = counts_time(event);
	return 0;
}

/* Add up the periods of an event's samples in a recording. */
static int sum_event(const struct comparison *c, struct session *s, const struct sample_filter *f,
		     double *sum, struct err *err)
{
	const struct evsel *event = find_event(s, c->opts.per);
	struct function_costs costs;
	struct strpool names;
	int ret;

	if (!event)
		return err__set(err, -EINVAL, "--per: '%s' has no event '%s'", s->reader->path, c->opts.per);
	const struct function_costs_opts opts = {
		.event = event->idx, .filter = f, .no_inlines = true, .nr_threads = c->opts.nr_threads
	};
	strpool__init(&names);
	ret = function_costs__count(&costs, s, &names, &opts, err);
	*sum = costs.weight;
	function_costs__exit(&costs);
	strpool__exit(&names);
	if (!ret && !(*sum > 0))
		ret = err__set(err, -EINVAL, "--per: '%s' has no samples of '%s'", s->reader->path,
			       c->opts.per);
	return ret;
}

/* Set the divisor of the costs of a recording. */
static int compared_recording__measure(struct compared_recording *r, const struct comparison *c,
				       struct session *s, const struct sample_filter *f, struct err *err)
{
	struct merged_inputs merged;

	r->nr_runs = 1;
	r->exposure = (double)MAX(r->costs.last - r->costs.first, (u64)1) / 1e9;
	r->is_merged = s->is_merged;
	r->output_mode = s->reader->output_mode;
	if (!merged_inputs__read(&merged, s->reader)) {
		r->nr_runs = (double)MAX(merged.lines.nr, (size_t)1);
		r->exposure = (double)MAX(merged.duration, (u64)1) / 1e9;
		merged_inputs__exit(&merged);
	} else if (r->is_merged) {
		r->lacks_inputs = true;
		r->exposure = 1;
	}
	if (c->unit == COMPARE_NUMBER)
		r->exposure = c->number;
	return c->unit == COMPARE_EVENT ? sum_event(c, s, f, &r->exposure, err) : 0;
}

/* Return what hides samples, for a message. */
static const char *hidden_by(const struct filter_args *a, bool has_times)
{
	if (has_times)
		return " in these times";
	return a->comms || a->dsos || a->symbols || a->cpus || a->pids || a->tids ? " that the filters keep"
										  : "";
}

/* Of the time that was counted, else of the time of the recording. */
static double samples_per_second(const struct comparison *c, const struct function_costs *costs)
{
	double ns = c->is_time ? costs->weight : (double)(costs->last - MIN(costs->first, costs->last));

	return (double)costs->nr_samples / MAX(ns / 1e9, 1e-9);
}

static int compared_recording__count(struct compared_recording *r, const struct comparison *c,
				     struct session *s, const struct sample_filter *filter, struct err *err)
{
	const struct evsel *event = evlist__find_same(&s->reader->evlist, c->event, &c->attr);
	const struct function_costs_opts opts = { .event = event->idx,
						  .filter = filter,
						  .interrupts_apart = event->attr.enable_on_exec,
						  .counts_steps =
							  !attr__is_varied(&event->attr) && !s->is_merged,
						  .no_inlines = c->opts.no_inlines,
						  .keeps_stacks = c->opts.keeps_stacks,
						  .keeps_lines = c->opts.keeps_lines,
						  .nr_threads = c->opts.nr_threads };
	int ret = function_costs__count(&r->costs, s, &r->names, &opts, err);

	r->is_run = event->attr.enable_on_exec;
	r->is_varied = attr__is_varied(&event->attr);
	r->sampling = sampling__of(s, event, samples_per_second(c, &r->costs));
	if (!ret && !r->costs.nr_samples)
		ret = err__set(err, -ENODATA, "'%s' has no samples of '%s'%s", s->reader->path, c->event,
			       hidden_by(&c->opts.filter, filter->has_times));
	if (!ret && !(r->costs.weight > 0))
		ret = err__set(err, -ENODATA, "'%s': all samples of '%s' have the period 0", s->reader->path,
			       c->event);
	return ret;
}

int compared_recording__read(struct compared_recording *r, const struct comparison *c, struct session *s,
			     const char *times, struct err *err)
{
	struct filter_args args = c->opts.filter;
	struct sample_filter filter = { 0 };
	struct strbuf labels = STRBUF_INIT;
	int ret;

	*r = (struct compared_recording){ .path = xstrdup(s->reader->path) };
	strpool__init(&r->names);
	if (features__string(s->reader, FEATURE_ARCH, &r->arch))
		r->arch = NULL;
	if (!reader__extension(s->reader, EXTENSION_LABELS, &labels))
		r->commit = labels__find(labels.buf, LABEL_COMMIT);
	strbuf__exit(&labels);
	args.times = times;
	ret = sample_filter__parse(&filter, &args, s, err);
	if (!ret)
		ret = compared_recording__count(r, c, s, &filter, err);
	if (!ret)
		ret = compared_recording__measure(r, c, s, &filter, err);
	r->is_run &= !times;
	sample_filter__exit(&filter);
	return ret;
}

void compared_recording__exit(struct compared_recording *r)
{
	free(r->path);
	free(r->arch);
	free(r->commit);
	function_costs__exit(&r->costs);
	strpool__exit(&r->names);
}

const struct compared_recording *comparison__find_copy(const struct comparison *c,
						       const struct compared_recording *r, u32 side)
{
	for (size_t i = 0; i < c->recordings.nr; i++) {
		const struct compared_recording *other = &c->recordings.v[i];
		const struct function_costs *x = &r->costs, *y = &other->costs;

		/* times are ns; samples without times do not tell */
		if (other->side == side && x->first < x->last && x->first == y->first && x->last == y->last &&
		    x->nr_samples == y->nr_samples)
			return other;
	}
	return NULL;
}

void comparison__add(struct comparison *c, struct compared_recording *r, u32 side)
{
	for (size_t i = 0; i < r->costs.rows.nr; i++) {
		u32 *function = &r->costs.rows.v[i].function;

		*function = strpool__intern(&c->names, strpool__get(&r->names, *function));
	}
	for (size_t i = 1; i < r->costs.stacks.v.nr; i++) {
		u32 *function = &r->costs.stacks.v.v[i].function;

		*function = strpool__intern(&c->names, strpool__get(&r->names, *function));
	}
	for (size_t i = 0; i < r->costs.builds.nr; i++)
		r->costs.builds.v[i] =
			strpool__intern(&c->names, strpool__get(&r->names, r->costs.builds.v[i]));
	for (size_t i = 0; i < r->costs.binaries.nr; i++) {
		u32 *name = &r->costs.binaries.v[i].name;

		*name = strpool__intern(&c->names, strpool__get(&r->names, *name));
	}
	for (size_t i = 0; i < r->costs.lines.nr; i++) {
		struct function_line *l = &r->costs.lines.v[i];

		l->function = strpool__intern(&c->names, strpool__get(&r->names, l->function));
		l->file = strpool__intern(&c->names, strpool__get(&r->names, l->file));
	}
	strpool__exit(&r->names);
	r->side = side;
	c->nr[side]++;
	array__add(&c->recordings, *r);
}

/* ---- from recordings to rows ---- */

/* Make a row for each function, and return the row of each. */
static u32 *comparison__make_rows(struct comparison *c)
{
	u32 *map = comparison__map_functions(c), nr = (u32)c->names.strings.nr; /* with new ids */
	u32 *rows = xcalloc(nr + 1, sizeof(*rows));

	for (u32 i = 0; i < nr; i++)
		rows[i] = COMPARE_NO_ROW;
	for (size_t r = 0; r < c->recordings.nr; r++) {
		struct compared_recording *rec = &c->recordings.v[r];

		for (size_t i = 0; i < rec->costs.rows.nr; i++) {
			u32 function = map[rec->costs.rows.v[i].function];
			u32 *row = &rows[function];
			struct compared *v;

			if (*row == COMPARE_NO_ROW) {
				*row = (u32)c->rows.nr;
				array__add(&c->rows, ((struct compared){ .function = function,
									 .caller = COMPARE_NO_ROW,
									 .other = COMPARE_NO_ROW,
									 .touched_caller = COMPARE_NO_ROW,
									 .touched_callee = COMPARE_NO_ROW }));
			}
			v = &c->rows.v[*row];
			v->size[rec->side] = MAX(v->size[rec->side], rec->costs.rows.v[i].size);
			v->code[rec->side] = MAX(v->code[rec->side], rec->costs.rows.v[i].code);
		}
	}
	for (u32 i = 0; i < nr; i++)
		rows[i] = rows[map[i]];
	free(map);
	return rows;
}

static void comparison__set_names(struct comparison *c)
{
	for (size_t i = 0; i < c->rows.nr; i++) {
		struct compared *row = &c->rows.v[i];
		struct identity id = comparison__identity(c, row->function);
		u32 name = strpool__internn(&c->names, id.name, id.name_len);
		u32 dso = strpool__internn(&c->names, id.dso, id.dso_len);

		row->name = strpool__get(&c->names, name);
		row->dso = strpool__get(&c->names, dso);
	}
}

static double comparison__exposure(const struct comparison *c, const struct compared_recording *r)
{
	return c->unit == COMPARE_RUNS ? r->nr_runs : r->exposure;
}

/*
 * Add the stacks of all recordings up: equal ones of both sides are one. rows: by function; place: where
 * a row is now.
 */
static void comparison__join_stacks(struct comparison *c, const u32 *rows, const u32 *place)
{
	double exposure[2] = { 0 };

	for (size_t r = 0; r < c->recordings.nr; r++)
		exposure[c->recordings.v[r].side] += comparison__exposure(c, &c->recordings.v[r]);
	for (size_t r = 0; r < c->recordings.nr; r++) {
		struct compared_recording *rec = &c->recordings.v[r];
		const struct function_stacks *from = &rec->costs.stacks;
		u32 *ids = xcalloc(from->v.nr + 1, sizeof(*ids));

		for (size_t i = 1; i < from->v.nr; i++) {
			const struct function_stack *s = &from->v.v[i];

			ids[i] = function_stacks__add(&c->stacks, ids[s->parent], place[rows[s->function]]);
			c->stacks.v.v[ids[i]].cost[rec->side] += s->cost[0] / exposure[rec->side];
		}
		free(ids);
		function_stacks__exit(&rec->costs.stacks);
	}
}

/* Return the square of the part that a row's own cost has of its cost with callees. nr: cells of a row. */
static double comparison__own_part(const struct comparison *c, const double *totals, u32 nr, size_t row)
{
	const double *cost = c->self.rows[row].cost;
	double own = 0, all = 0;

	for (size_t i = 0; i < (size_t)nr * EVIDENCE_BLOCKS; i++)
		all += totals[row * nr * EVIDENCE_BLOCKS + i];
	for (u32 s = 0; s < 2; s++)
		for (size_t r = 0; r < c->recordings.nr; r++)
			if (c->recordings.v[r].side == s)
				own += cost[s] * comparison__exposure(c, &c->recordings.v[r]);
	return all > 0 ? own / all * (own / all) : 0;
}

/*
 * Let the last recording be one of an average old one's exposure. What builds differ by is in each of its
 * samples: those of more runs do not reduce it.
 */
static void shrink_last(const struct evidence_input *in, double *weights, double *squares, double *exposure)
{
	u32 nr = in->nr[0] + 1;
	double old = 0, factor;

	for (u32 r = 0; r + 1 < nr; r++)
		old += exposure[r] / in->nr[0];
	factor = MIN(old / exposure[nr - 1], 1.0);
	exposure[nr - 1] *= factor;
	for (u32 i = 0; i < in->nr_rows; i++) {
		size_t at = (size_t)i * nr + nr - 1;

		squares[at] *= factor;
		for (u32 b = 0; b < EVIDENCE_BLOCKS; b++)
			weights[at * EVIDENCE_BLOCKS + b] *= factor;
	}
}

/* Weigh the costs of functions themselves, or with their callees. */
static void comparison__weigh(struct comparison *c, struct evidence *e, const u32 *rows, bool of_totals)
{
	u32 nr_new = c->opts.new_is_one ? 1 : c->nr[1], nr = c->nr[0] + nr_new;
	size_t cells = c->rows.nr * nr;
	double *weights = xcalloc(cells * EVIDENCE_BLOCKS + 1, sizeof(*weights));
	double *squares = xcalloc(cells + 1, sizeof(*squares));
	double *exposure = xcalloc(nr + 1, sizeof(*exposure));
	double *doubts = comparison__find_doubts(c, rows);
	const struct evidence_input in = {
		.nr_rows = (u32)c->rows.nr,
		.nr = { c->nr[0], nr_new },
		.exposure = exposure,
		.weights = weights,
		.squares = squares,
		.doubts = doubts,
		.work_noise = c->unit == COMPARE_RUNS || c->unit == COMPARE_NUMBER ? RUN_NOISE : LOAD_NOISE,
		.others = of_totals ? &c->self : NULL,
		.least_row = c->opts.least_row,
		.least_total = c->opts.least_total,
	};

	for (size_t r = 0; r < c->recordings.nr; r++) {
		const struct compared_recording *rec = &c->recordings.v[r];
		size_t cell = MIN(r, (size_t)nr - 1);

		exposure[cell] += comparison__exposure(c, rec);
		for (size_t i = 0; i < rec->costs.rows.nr; i++) {
			const struct function_cost *f = &rec->costs.rows.v[i];
			const struct cost_sum *sum = of_totals ? &f->total : &f->self;
			size_t at = (size_t)rows[f->function] * nr + cell;

			for (u32 b = 0; b < EVIDENCE_BLOCKS; b++)
				weights[at * EVIDENCE_BLOCKS + b] += sum->blocks[b];
			squares[at] += sum->squares;
		}
	}
	for (size_t i = 0; i < c->rows.nr && of_totals; i++)
		doubts[i] *= comparison__own_part(c, weights, nr, i);
	if (c->opts.new_is_one && c->nr[0] > 1)
		shrink_last(&in, weights, squares, exposure);
	evidence__weigh(e, &in);
	free(weights);
	free(squares);
	free(exposure);
	free(doubts);
}

/* ---- callers: what moved, what got another name ---- */

struct call_row {
	u32 function, caller;
	double weight;
};

static int compare_calls(const void *x, const void *y)
{
	const struct call_row *a = x, *b = y;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return a->caller < b->caller ? -1 : a->caller > b->caller;
}

/* Set the caller that has most of the calls of each function, if there is one. */
static void comparison__find_callers(struct comparison *c, const u32 *rows)
{
	ARRAY(struct call_row) calls = { 0 };

	for (size_t r = 0; r < c->recordings.nr; r++) {
		const struct function_costs *f = &c->recordings.v[r].costs;

		for (size_t i = 0; i < f->calls.nr; i++)
			array__add(&calls, ((struct call_row){
						   rows[f->rows.v[f->calls.v[i].function].function],
						   rows[f->rows.v[f->calls.v[i].caller].function],
						   f->calls.v[i].weight / c->recordings.v[r].costs.weight }));
	}
	if (calls.nr)
		qsort(calls.v, calls.nr, sizeof(*calls.v), compare_calls);
	for (size_t i = 0, end; i < calls.nr; i = end) {
		double sum = 0, most = 0, part = 0;
		u32 caller = COMPARE_NO_ROW;

		for (end = i; end < calls.nr && calls.v[end].function == calls.v[i].function; end++) {
			part = end > i && calls.v[end].caller == calls.v[end - 1].caller ? part : 0;
			part += calls.v[end].weight;
			sum += calls.v[end].weight;
			if (part > most) {
				most = part;
				caller = calls.v[end].caller;
			}
		}
		if (most * 100 >= sum * MAIN_CALLER)
			c->rows.v[calls.v[i].function].caller = caller;
	}
	array__exit(&calls);
}

static double cost_change(const struct comparison *c, const struct evidence_row *row)
{
	return row->cost[1] / c->self.common - row->cost[0];
}

static double cost_error(const struct evidence_row *row)
{
	return row->log_error * MAX(row->cost[0], row->cost[1]);
}

static bool has_same_code(const struct compared *gone, const struct compared *new)
{
	return gone->code[0] && gone->code[0] == new->code[1];
}

/*
 * Is one row the new name of the other? The gone function and the new one are as expensive, and have the same
 * code, or the same caller and a similar size.
 */
static bool are_renamed(const struct comparison *c, const struct compared *gone, const struct compared *new)
{
	double old_cost = gone->self.cost[0], new_cost = new->self.cost[1] / c->self.common;
	double error = hypot(old_cost / sqrt(gone->self.samples[0]), new_cost / sqrt(new->self.samples[1]));
	u32 x = gone->size[0], y = new->size[1];

	if (gone->verdict != VERDICT_GONE || new->verdict != VERDICT_NEW ||
	    fabs(new_cost - old_cost) > 2.5 * error + 0.02 * old_cost)
		return false;
	return has_same_code(gone, new) ||
	       (gone->caller == new->caller && (!x || !y || MAX(x, y) - MIN(x, y) <= MAX(x, y) / 8 + 8));
}

/* Return the row that is the other name of a row; COMPARE_NO_ROW: there is none, or several may be. */
static u32 comparison__partner(const struct comparison *c, u32 row, bool is_gone)
{
	u32 partner = COMPARE_NO_ROW, nr = 0;
	bool has_code = false;

	for (u32 i = 0; i < c->rows.nr; i++) {
		const struct compared *gone = &c->rows.v[is_gone ? row : i];
		const struct compared *new = &c->rows.v[is_gone ? i : row];
		bool is_same = has_same_code(gone, new);

		if (!are_renamed(c, gone, new) || (has_code && !is_same))
			continue;
		nr = is_same == has_code ? nr + 1 : 1;
		has_code = is_same;
		partner = i;
	}
	return nr == 1 ? partner : COMPARE_NO_ROW;
}

static void comparison__find_renamed(struct comparison *c)
{
	for (u32 i = 0; i < c->rows.nr; i++) {
		u32 partner;

		if (c->rows.v[i].verdict != VERDICT_GONE)
			continue;
		partner = comparison__partner(c, i, true);
		if (partner == COMPARE_NO_ROW || comparison__partner(c, partner, false) != i)
			continue;
		c->rows.v[i].verdict = c->rows.v[partner].verdict = VERDICT_RENAMED;
		c->rows.v[i].other = partner;
		c->rows.v[partner].other = i;
	}
}

/*
 * If functions that changed have the same caller (or are that caller), and together cost what they did,
 * work was moved between them.
 */
static void comparison__find_moved(struct comparison *c)
{
	double *up = xcalloc(c->rows.nr + 1, sizeof(*up)), *down = xcalloc(c->rows.nr + 1, sizeof(*down));
	double *variance = xcalloc(c->rows.nr + 1, sizeof(*variance));

	for (u32 pass = 0; pass < 2; pass++)
		for (u32 i = 0; i < c->rows.nr; i++) {
			struct compared *row = &c->rows.v[i];
			double change = cost_change(c, &row->self), error = cost_error(&row->self);
			const u32 families[] = { row->caller, i };

			if (!verdict__is_change(row->verdict) || row->verdict == VERDICT_RENAMED)
				continue;
			for (size_t k = 0; k < ARRAY_SIZE(families); k++) {
				u32 f = families[k];

				if (f == COMPARE_NO_ROW)
					continue;
				if (pass) {
					double net = fabs(up[f] - down[f]), least = MIN(up[f], down[f]);

					if (least > 0 && net <= 2.5 * sqrt(variance[f]) && net <= least / 4)
						row->verdict = VERDICT_MOVED;
					continue;
				}
				up[f] += MAX(change, 0.0);
				down[f] += MAX(-change, 0.0);
				variance[f] += error * error;
			}
		}
	free(up);
	free(down);
	free(variance);
}

/*
 * Give no verdict on interrupts if each side has one run: that does not tell how they differ from run to run.
 */
static void comparison__excuse_interrupts(struct comparison *c)
{
	for (size_t i = 0; i < c->rows.nr && c->nr[0] + c->nr[1] == 2; i++) {
		struct compared *row = &c->rows.v[i];
		const char *name = strpool__get(&c->names, row->function);

		if (verdict__is_change(row->verdict) && !strcmp(name, INTERRUPTS "\t"))
			row->verdict = VERDICT_UNKNOWN;
	}
}

/* ---- the order of rows ---- */

/* Return the change in units of cost, at the edge of its interval that is nearer to 0. */
static double near_edge(const struct compared *row)
{
	const struct evidence_row *e = &row->self;
	double old = e->cost[0];

	if (row->verdict == VERDICT_FEW)
		return 0;
	if (!(old > 0)) /* new function: its whole cost, less the error */
		return e->cost[1] * MAX(0.0, 1 - 2 / sqrt(MAX(e->samples[1], 1.0)));
	if (e->low > 1)
		return old * (e->low - 1);
	return e->high < 1 ? old * (1 - e->high) : 0;
}

static int compare_rows(const void *x, const void *y)
{
	const struct compared *a = x, *b = y;
	bool p = verdict__is_change(a->verdict), q = verdict__is_change(b->verdict);
	double s = p ? near_edge(a) : MAX(a->self.cost[0], a->self.cost[1]);
	double t = q ? near_edge(b) : MAX(b->self.cost[0], b->self.cost[1]);

	if (p != q)
		return p ? -1 : 1;
	if (s != t)
		return s > t ? -1 : 1;
	return strcmp(a->name, b->name) ?: strcmp(a->dso, b->dso);
}

/* Sort the rows, and update their references to each other. Return the new index of each. */
static u32 *comparison__sort(struct comparison *c)
{
	u32 *place = xcalloc(c->rows.nr + 1, sizeof(*place));
	u32 *row_of_function = xcalloc(c->names.strings.nr + 1, sizeof(*row_of_function));

	for (size_t i = 0; i < c->rows.nr; i++)
		place[i] = c->rows.v[i].function;
	if (c->rows.nr)
		qsort(c->rows.v, c->rows.nr, sizeof(*c->rows.v), compare_rows);
	for (u32 i = 0; i < c->rows.nr; i++)
		row_of_function[c->rows.v[i].function] = i;
	for (size_t i = 0; i < c->rows.nr; i++)
		place[i] = row_of_function[place[i]];
	for (size_t i = 0; i < c->rows.nr; i++) {
		struct compared *row = &c->rows.v[i];

		c->nr_verdicts[row->verdict]++;
		if (row->caller != COMPARE_NO_ROW)
			row->caller = place[row->caller];
		if (row->other != COMPARE_NO_ROW)
			row->other = place[row->other];
	}
	free(row_of_function);
	return place;
}

static int compare_sides(const void *x, const void *y)
{
	const struct compared_recording *a = x, *b = y;

	return a->side < b->side ? -1 : a->side > b->side;
}

mode_t comparison__output_mode(const struct comparison *c)
{
	mode_t mode = 0666;

	for (size_t i = 0; i < c->recordings.nr; i++)
		mode &= c->recordings.v[i].output_mode;
	return mode;
}

/* Several recordings a side tell how they vary, also merged ones. */
static void comparison__tell_merged(const struct comparison *c)
{
	for (size_t i = 0; i < c->recordings.nr; i++) {
		const struct compared_recording *r = &c->recordings.v[i];
		const char *lacks = r->lacks_inputs
					    ? "; the list of its recordings is missing, so they count as one"
					    : "";

		if (r->is_merged && (r->lacks_inputs || c->nr[r->side] == 1))
			info("'%s' is merged: it does not tell how its recordings vary, and intervals may be "
			     "too narrow%s",
			     r->path, lacks);
	}
}

/* Find out whether what samples cost may be a difference of the totals. */
static void comparison__find_gap(struct comparison *c)
{
	for (size_t i = 0; i < c->nr[COMPARE_OLD]; i++)
		for (size_t k = c->nr[COMPARE_OLD]; k < c->recordings.nr; k++)
			sampling_gap__add(&c->sampling, &c->recordings.v[i].sampling,
					  &c->recordings.v[k].sampling);
}

enum verdict comparison__judge_total(const struct comparison *c)
{
	const struct evidence *e = &c->self;
	double least = c->opts.least_total, kept[2];

	for (u32 s = 0; s < 2; s++)
		kept[s] = MAX(1 - c->sampling.part[s], 0.0);
	if (e->total_low * kept[COMPARE_NEW] > 1)
		return VERDICT_SLOWER;
	if (e->total_high < kept[COMPARE_OLD])
		return VERDICT_FASTER;
	return !c->sampling.why.len && e->total_low > 1 - least && e->total_high < 1 + least
		       ? VERDICT_SAME
		       : VERDICT_UNKNOWN;
}

bool comparison__hides_total(const struct comparison *c)
{
	const struct evidence *e = &c->self;

	return c->sampling.why.len && (e->total_low > 1 || e->total_high < 1) &&
	       comparison__judge_total(c) == VERDICT_UNKNOWN;
}

void comparison__finish(struct comparison *c)
{
	bool are_runs = true;
	u32 *rows, *place;

	for (size_t i = 0; i < c->recordings.nr; i++)
		are_runs &= c->recordings.v[i].is_run;
	if (!c->opts.per)
		c->unit = are_runs ? COMPARE_RUNS : COMPARE_SECONDS;
	qsort(c->recordings.v, c->recordings.nr, sizeof(*c->recordings.v), compare_sides);
	comparison__tell_merged(c);
	comparison__find_gap(c);
	rows = comparison__make_rows(c);
	comparison__weigh(c, &c->self, rows, false);
	comparison__weigh(c, &c->total, rows, true);
	comparison__find_callers(c, rows);
	for (size_t i = 0; i < c->rows.nr; i++) {
		c->rows.v[i].self = c->self.rows[i];
		c->rows.v[i].total = c->total.rows[i];
		c->rows.v[i].verdict = c->self.rows[i].verdict;
	}
	comparison__excuse_interrupts(c);
	evidence__exit(&c->self);
	evidence__exit(&c->total);
	comparison__find_renamed(c);
	comparison__find_moved(c);
	comparison__set_names(c);
	place = comparison__sort(c);
	comparison__join_stacks(c, rows, place);
	for (size_t r = 0; r < c->recordings.nr; r++) {
		struct function_costs *costs = &c->recordings.v[r].costs;

		for (size_t i = 0; i < costs->lines.nr; i++)
			costs->lines.v[i].function = place[rows[costs->lines.v[i].function]];
	}
	free(place);
	free(rows);
}

void comparison__exit(struct comparison *c)
{
	for (size_t i = 0; i < c->recordings.nr; i++)
		compared_recording__exit(&c->recordings.v[i]);
	array__exit(&c->recordings);
	array__exit(&c->rows);
	strpool__exit(&c->names);
	function_stacks__exit(&c->stacks);
	free(c->event);
	free(c->lacks_lines);
	strbuf__exit(&c->sampling.why);
}
