#include "ui/report_setup.h"

#include "base/system/thread.h"
#include "format/records/sample_field.h"
#include "profile/gather/read_locks.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_PARENT "^sys_|^do_page_fault" /* -p */

static int report_setup__parse_filter(struct report_setup *s)
{
	const struct sample_args *a = &s->args->samples;
	struct sample_filter *f = &s->view.filter;
	struct time_spans spans = { 0 };
	int ret = sample_filter__parse(f, &a->filter, s->session, s->err);

	if (!ret && weights_args__limit_spans(&a->weights))
		ret = weights_args__choose_spans(&a->weights, s->session, f, s->err);
	if (ret || (!a->switching.on && !a->switching.off))
		return ret;
	ret = switched__find(&spans, s->session, &a->switching, s->err);
	sample_filter__add_times(f, &spans);
	time_spans__exit(&spans);
	return ret;
}

/* Decide whether rows are branches: by default if there are any, unless they represent call chains. */
static int report_setup__decide_branches(struct report_setup *s)
{
	const struct report_args *a = s->args;
	const struct evlist *l = &s->session->reader->evlist;
	bool has_branches = evlist__sample_type_any(l) & PERF_SAMPLE_BRANCH_STACK;

	if (a->samples.mem_mode && a->samples.branches)
		return err__set(s->err, -EINVAL, "--mem-mode and -b exclude each other");
	s->view.mem_mode = a->samples.mem_mode;
	s->view.blocks = a->samples.total_cycles;
	s->view.block_cycles = a->samples.block_cycles && s->view.blocks;
	s->view.chain.history = a->samples.branch_history && !s->view.blocks;
	if ((s->view.blocks || s->view.chain.history) && (!has_branches || evlist__has_lbr_chains(l)))
		return err__set(s->err, -EINVAL,
				"--%s: '%s' has no branch stacks; record with -b to have them",
				s->view.blocks ? "total-cycles" : "branch-history", s->session->reader->path);
	if (s->view.blocks || s->view.chain.history)
		return 0;
	s->view.branches = a->samples.mem_mode || a->samples.branches_given
				   ? a->samples.branches
				   : has_branches && !evlist__has_lbr_chains(l);
	if (s->view.branches && !has_branches)
		return err__set(s->err, -EINVAL, "-b: '%s' has no branch stacks; record with -b to have them",
				s->session->reader->path);
	return 0;
}

/* On a terminal without -g there is one call tree, and rows are sorted by what they take themselves. */
bool report_setup__has_one_tree(const struct report_setup *s)
{
	return s->is_screen && !s->args->graph.given && !s->args->graph.inverted;
}

/* Is the result for a person, rather than for a program that reads stock perf's tables? */
static bool report_setup__is_for_person(const struct report_setup *s)
{
	return (s->is_screen && !s->args->table.stdio) || s->args->browse;
}

static bool report_setup__has_inline_rows(const struct report_setup *s)
{
	const struct report_args *a = s->args;
	bool is_default = report_setup__is_for_person(s) || a->json;

	return (a->inline_rows_given ? a->places.inline_rows : is_default) && a->places.inlines &&
	       !s->view.branches && !s->view.blocks && !s->view.chain.history && !s->view.mem_mode;
}

static unsigned report_setup__max_stack(const struct report_setup *s)
{
	const struct report_args *a = s->args;

	if (a->samples.max_stack != MAX_STACK_NOT_GIVEN)
		return a->samples.max_stack;
	return report_setup__is_for_person(s) || a->json ? MAX_STACK : MAX_STACK_OF_STOCK;
}

static bool has_weights(const struct report_args *a)
{
	return a->samples.weights.blocked_by || a->samples.weights.critical_path;
}

/* Decide whether there are chains, and so whether to show children and graphs. */
static int report_setup__decide_chains(struct report_setup *s)
{
	const struct report_args *a = s->args;
	u64 type = evlist__sample_type_any(&s->session->reader->evlist);
	struct view_opts *v = &s->view;
	bool adds_callees; /* stock perf's hierarchy draws call trees as --children says */

	v->graph = a->graph.mode;
	v->children = a->samples.children &&
		      (a->samples.children_given || (!report_setup__has_one_tree(s) && !has_weights(a)));
	if (!(type & PERF_SAMPLE_CALLCHAIN) && !v->chain.history) {
		if (a->graph.given)
			return err__set(s->err, -EINVAL,
					"-g: '%s' has no call chains; record with -g to have them",
					s->session->reader->path);
		v->graph = GRAPH_NONE;
		v->children = false;
	}
	adds_callees = v->children;
	if (v->mem_mode || a->table.hierarchy)
		v->children = false;
	if (v->branches || v->blocks) {
		v->graph = GRAPH_NONE;
		v->children = false;
	}
	v->chain = (struct chain_opts){
		.caller_first = a->graph.order_given
					? a->graph.caller_first
					: adds_callees || report_setup__has_one_tree(s) || has_weights(a),
		.history = v->chain.history,
		.fold_recursion = (s->is_screen || a->browse) && !a->full_names && !v->chain.history,
		.hide_unresolved = a->samples.hide_unresolved,
		.max_stack = report_setup__max_stack(s),
	};
	v->last_chains = a->samples.last_chains && type & PERF_SAMPLE_CALLCHAIN &&
			 !(evlist__sample_type_all(&s->session->reader->evlist) & PERF_SAMPLE_CALLCHAIN);
	v->graph_percent = a->graph.percent;
	v->places = a->places;
	v->places.joins_versions = true;
	v->places.inline_rows = report_setup__has_inline_rows(s);
	v->places.graph_key = v->chain.history ? GRAPH_BY_LINE : a->graph.key;
	v->is_live = a->is_live;
	return 0;
}

/* Read the formats of tracepoints. If there are none, keep the reason for those who ask for fields. */
static void report_setup__open_traces(struct report_setup *s)
{
	const struct reader *reader = s->session->reader;
	const char *missing = NULL;

	s->formats = reader__trace_formats(reader, &s->no_formats);
	if (!s->formats && s->no_formats.code)
		missing = s->no_formats.text.buf;
	trace_keys__init(&s->traces, &reader->evlist, s->formats, missing, s->args->table.raw_trace);
	s->view.traces = &s->traces;
}

static int report_setup__compile(struct report_setup *s, regex_t *names, const char *option, const char *text)
{
	int ret = regcomp(names, text, REG_EXTENDED | REG_NOSUB);
	char why[128];

	if (!ret)
		return 0;
	regerror(ret, names, why, sizeof(why));
	return err__set(s->err, -EINVAL, "%s: '%s' is not a regular expression: %s", option, text, why);
}

/* Compile the patterns for names of parents (-p), and of functions whose callees are ignored. */
static int report_setup__parse_names(struct report_setup *s)
{
	const char *parent = s->args->samples.parent, *ignored = s->args->samples.ignore_callees;
	int ret = report_setup__compile(s, &s->parent, "-p", parent ? parent : DEFAULT_PARENT);

	s->has_parent = !ret;
	if (!ret && ignored &&
	    !(ret = report_setup__compile(s, &s->ignore_callees, "--ignore-callees", ignored)))
		s->view.chain.ignore_callees = &s->ignore_callees;
	return ret;
}

/*
 * Show a recording of waits as one table of times? Scripts that were written for stock perf expect its
 * tables, one for each event: the options that they need ask for those.
 */
static bool report_setup__wants_times(const struct report_setup *s)
{
	const struct report_args *a = s->args;

	if (has_weights(a))
		return true;
	return s->has_waits && !a->table.stdio && !a->table.latency && !a->table.hierarchy &&
	       !a->table.group_given && !a->style.separator && a->graph.value == GRAPH_VALUE_PERCENT &&
	       a->graph.mode != GRAPH_FLAT && a->graph.mode != GRAPH_FOLDED;
}

static int report_setup__make_layout(struct report_setup *s)
{
	const struct report_args *a = s->args;
	struct layout_opts opts = { .sample_type = evlist__sample_type_any(&s->session->reader->evlist),
				    .sort = a->table.sort,
				    .fields = a->table.fields,
				    .traces = &s->traces,
				    .branches = s->view.branches,
				    .blocks = s->view.blocks,
				    .history = s->view.chain.history,
				    .functions = report_setup__is_for_person(s),
				    .mem_mode = s->view.mem_mode,
				    .children = s->view.children,
				    .cpu_utilization = a->table.cpu_utilization,
				    .waits = s->has_waits,
				    .times = report_setup__wants_times(s),
				    .on_cpu = s->waits.on_cpu != NULL,
				    .weighted = has_weights(a),
				    .equal_names = s->weights.equal_names,
				    .samples = a->table.samples,
				    .period = a->table.period,
				    .latency = a->table.latency,
				    .parent = a->samples.parent,
				    .parallelism = a->samples.filter.parallelism,
				    .locks = a->samples.filter.locks && !a->samples.weights.blocked_by };
	int ret = layout__parse(&s->layout, &opts, s->err);

	if (!ret && a->table.widths)
		ret = layout__set_widths(&s->layout, a->table.widths, s->err);
	for (size_t i = 1; !ret && i < 3 && s->is_screen && s->view.blocks; i++)
		s->layout.fields.v[i].elided = true;                    /* a terminal is narrow */
	if (!ret && !a->table.hierarchy && !a->json && !s->view.blocks) /* of a hierarchy, as in stock perf */
		layout__elide(&s->layout, &s->view.filter);
	return ret;
}

/* Parents are in call chains, which branches do not have. */
static int report_setup__choose_parents(struct report_setup *s)
{
	bool has_chains = evlist__sample_type_any(&s->session->reader->evlist) & PERF_SAMPLE_CALLCHAIN;

	s->view.exclude_other = s->args->samples.exclude_other;
	if (!s->layout.parent && !s->view.exclude_other)
		return 0;
	if (!has_chains)
		return err__set(s->err, -EINVAL,
				"parents: '%s' has no call chains; record with -g to have them",
				s->session->reader->path);
	if (!s->view.branches)
		s->view.parent = &s->parent;
	return 0;
}

/* Set what follows from the layout, and what options say directly. */
static void report_setup__finish_view(struct report_setup *s)
{
	const struct report_args *a = s->args;

	s->view.layout = &s->layout;
	s->view.places.map_sizes = s->layout.map_sizes;
	s->view.places.exact = s->layout.exact;
	s->view.places.lines = s->layout.lines || s->view.blocks || s->view.chain.history ||
			       (s->view.graph != GRAPH_NONE && s->view.places.graph_key != GRAPH_BY_FUNCTION);
	s->view.waits.times = s->layout.waits || s->weights.of ? &s->waits : NULL;
	s->view.waits.one_table = s->layout.times || s->weights.of;
	s->view.waits.no_idle = !a->table.idle;
	s->view.waits.weights = s->weights.of ? &s->weights : NULL;
	s->view.group = a->table.group && !s->view.waits.one_table && !s->view.blocks;
	s->view.force_group = a->table.group_given && a->table.group && !s->view.blocks;
	s->view.hierarchy = a->table.hierarchy && !s->view.blocks;
	s->view.widths_given = a->table.widths || a->style.separator;
	s->view.nanoseconds = a->table.nanoseconds;
	s->view.group_sort_idx = a->table.group_sort_idx;
	s->view.ignore_guest = true;
	s->view.socket = a->samples.socket < 0 ? NULL : &a->samples.socket;
	s->view.symbol_filter = a->samples.symbol_filter;
	s->view.relative = a->table.relative;
	s->view.trees_later = a->browse;
	if (a->browse && !a->samples.children_given && !a->table.fields)
		layout__sort_by_self(&s->layout, true);
}

static int report_setup__check_weights(const struct report_setup *s)
{
	const struct report_args *a = s->args;

	if (has_weights(a) && (s->view.branches || s->view.blocks || s->view.chain.history ||
			       a->samples.mem_mode || a->table.latency))
		return err__set(s->err, -EINVAL, "%s does not count branches, memory or latencies",
				weights_args__option(&a->samples.weights));
	return weights_args__check(&a->samples.weights, s->err);
}

/* Find out what samples stand for, if that is not their period. */
static int report_setup__read_weights(struct report_setup *s)
{
	int ret = report_setup__check_weights(s);

	if (ret || (!has_weights(s->args) && !report_setup__wants_times(s)))
		return ret; /* tables of events, and of branches, count the samples in chosen spans */
	ret = weights__read(&s->weights, &s->context.locks, s->session, &s->args->samples.weights,
			    &s->view.filter, s->err);
	if (!ret && s->weights.of)
		time_table__weigh(&s->waits, &s->session->reader->evlist);
	return ret;
}

/* Interpret the options in the order in which they depend on each other. */
static int report_setup__prepare(struct report_setup *s)
{
	const struct report_args *a = s->args;
	int ret = report_setup__parse_filter(s);

	if (!ret && a->style.separator && *a->style.separator == '.')
		ret = err__set(s->err, -EINVAL, "'.' is the only separator that -t cannot take");
	if (!ret && a->table.hierarchy && a->table.fields)
		ret = err__set(s->err, -EINVAL, "--hierarchy and -F exclude each other: use -s");
	if (!ret)
		ret = symbolize_opts__check(&s->args->symbols, s->err);
	if (!ret)
		ret = report_setup__decide_branches(s);
	if (!ret)
		ret = report_setup__decide_chains(s);
	if (!ret)
		ret = report_setup__parse_names(s);
	if (ret)
		return ret;
	report_setup__open_traces(s);
	s->has_waits = time_table__init(&s->waits, &s->session->reader->evlist) && !s->view.branches &&
		       !s->view.mem_mode;
	ret = report_setup__read_weights(s);
	if (!ret)
		ret = report_setup__make_layout(s);
	if (!ret)
		ret = report_setup__choose_parents(s);
	report_setup__finish_view(s);
	return ret;
}

/* Return by what rows must be split for the columns and filters. */
static unsigned report_setup__split(const struct report_setup *s)
{
	const struct view_opts *v = &s->view;

	return s->layout.split |
	       (v->filter.pids.nr || v->filter.tids.nr || v->waits.times ? PROFILE_SPLIT_THREAD : 0) |
	       (v->socket ? PROFILE_SPLIT_CPU : 0) | (v->block_cycles ? PROFILE_SPLIT_CYCLES : 0) |
	       (v->filter.dsos.given || v->filter.symbols.given ? PROFILE_SPLIT_SAMPLE_IP : 0);
}

static int report_setup__read_locks(struct report_setup *s)
{
	if (!layout__has_value(&s->layout, &sample_fields[FIELD_LOCK]) &&
	    !layout__has_value(&s->layout, &sample_fields[FIELD_HOLDER]))
		return 0;
	s->view.waits.locks = &s->context.locks;
	/* the weights have read them */
	return s->context.locks.v.nr ? 0 : locks__read(&s->context.locks, s->session, s->err);
}

/* Read what the columns need of other records than samples. */
static int report_setup__read_context(struct report_setup *s)
{
	const struct record_counts *nr = &s->session->stats.records;
	int ret = 0;

	if (!s->layout.context)
		return 0;
	if (layout__has_value(&s->layout, &sample_fields[FIELD_PARALLELISM]) &&
	    !nr->by_type[PERF_RECORD_SWITCH] && !nr->by_type[PERF_RECORD_SWITCH_CPU_WIDE])
		return err__set(s->err, -EINVAL,
				"latencies: '%s' does not say when threads ran; record with --latency",
				s->session->reader->path);
	if (layout__has_value(&s->layout, &sample_fields[FIELD_WAKER])) {
		ret = wakers__read(&s->context.wakers, s->session, s->formats, s->err);
		s->view.waits.wakers = &s->context.wakers;
	}
	if (ret == -ENOENT)
		err__set(s->err, ret, "-s waker: '%s' does not say who woke threads; %s",
			 s->session->reader->path,
			 evlist__has_wait_details(&s->session->reader->evlist)
				 ? "-s holder does"
				 : "record with -e sched:sched_waking");
	if (!ret)
		ret = report_setup__read_locks(s);
	return ret ? ret : sample_context__read(&s->context, s->session, s->err);
}

/* Are rows divided by time? Not where each row is noted by its chain. */
static bool report_setup__has_parts(const struct report_setup *s)
{
	return layout__has_value(&s->layout, &sample_fields[FIELD_TIME]) && !s->view.waits.times &&
	       !s->layout.ipc && !s->view.chain.history && !s->profile.payloads;
}

static void report_setup__set_profile(struct report_setup *s)
{
	const struct view_opts *v = &s->view;

	s->profile = (struct profile_opts){
		.words = s->layout.words.nr ? &s->layout.words : NULL,
		.split = report_setup__split(s),
		.by_weight = v->mem_mode,
		.context = s->layout.context ? &s->context : NULL,
		.time_quantum = layout__sorts_by(&s->layout, "time") ? s->args->table.time_quantum : 0,
		.payloads = trace_keys__cuts(&s->traces, &s->payloads) ? &s->payloads : NULL,
		.branches = v->branches,
		.starts = s->layout.ipc,
		.blocks = v->blocks,
		.history = v->chain.history,
		.last_chains = v->last_chains,
		.lbr_chains = evlist__has_lbr_chains(&s->session->reader->evlist),
		.stitches = s->args->samples.stitch_lbr,
		.no_chains = !view_opts__need_chains(v) && !v->waits.times && !s->args->stack_stats,
		.cpus = sample_filter__cpus(&v->filter),
		.times = sample_filter__times(&v->filter),
		.spans = s->weights.of ? NULL : sample_filter__spans(&v->filter),
		.weights = v->waits.weights,
		.max_stack = report_setup__max_stack(s),
		.nr_threads = thread__count(s->args->threads),
	};
	s->profile.parts = report_setup__has_parts(s);
	s->view.nr_threads = s->profile.nr_threads;
}

int report_setup__init(struct report_setup *s, const struct report_args *a, struct session *session,
		       bool is_screen, struct err *err)
{
	int ret;

	*s = (struct report_setup){
		.args = a, .session = session, .is_screen = is_screen, .no_formats = ERR_INIT, .err = err
	};
	ret = report_setup__prepare(s);
	if (!ret)
		ret = report_setup__read_context(s);
	if (!ret)
		report_setup__set_profile(s);
	return ret;
}

int report_setup__go_on(struct report_setup *s, struct err *err)
{
	sample_context__exit(&s->context);
	s->context = (struct sample_context){ 0 };
	s->err = err;
	return report_setup__read_context(s);
}

void report_setup__exit(struct report_setup *s)
{
	layout__exit(&s->layout);
	time_table__exit(&s->waits);
	sample_weights__exit(&s->weights);
	trace_keys__exit(&s->traces);
	trace_formats__delete(s->formats);
	err__exit(&s->no_formats);
	if (s->view.chain.ignore_callees)
		regfree(&s->ignore_callees);
	sample_filter__exit(&s->view.filter);
	if (s->has_parent)
		regfree(&s->parent);
	sample_context__exit(&s->context);
}
