/* perf report: from the options to the output. */
#include "ui/report.h"

#include "base/message/msg.h"
#include "base/command/pager.h"
#include "base/command/term.h"
#include "base/command/progress.h"
#include "base/system/thread.h"
#include "binary/elf/debuginfod.h"
#include "format/records/sample_field.h"
#include "live/checks.h"
#include "ui/dump/dump.h"
#include "ui/json.h"
#include "ui/lacks.h"
#include "ui/thread_counts.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_PARENT "^sys_|^do_page_fault" /* -p */
#define TERMINAL_LIMIT 0.5                    /* --percent-limit on a terminal */

enum {
	COLUMNS_MIN = 60,
	EXIT_INTERRUPTED = 128 + SIGINT, /* as shells report it */
};

/* ---- interpreting the options ---- */

struct report { /* state of a report besides the session */
	const struct report_args *args;
	struct session *session;
	struct layout layout;
	struct trace_formats *formats; /* of tracepoints */
	struct trace_keys traces;
	struct err no_formats;
	struct view_opts view;
	regex_t ignore_callees;
	struct time_table waits; /* if has_waits */
	bool has_waits;
	/* of the terminal that the report is made for; 0: it is made for a file or a pipe */
	unsigned columns, lines;
	regex_t parent; /* -p */
	bool has_parent;
	struct sample_context context;
	struct profile profile;
	struct thread_counts thread_counts; /* -T */
	struct strbuf header;
	struct pager pager;
	struct err err;
};

/* With -t the text is for programs, as JSON is. */
static void report__find_terminal(struct report *r)
{
	if (!term__is_tty(STDOUT_FILENO) || r->args->style.separator || r->args->json)
		return;
	r->columns = (unsigned)MAX(term__columns_of(STDOUT_FILENO), COLUMNS_MIN);
	r->lines = (unsigned)term__lines_of(STDOUT_FILENO);
}

static void report__init(struct report *r, const struct report_args *a)
{
	*r = (struct report){
		.args = a, .header = STRBUF_INIT, .pager = PAGER_INIT, .err = ERR_INIT, .no_formats = ERR_INIT
	};
	report__find_terminal(r);
}

static void report__exit(struct report *r)
{
	layout__exit(&r->layout);
	time_table__exit(&r->waits);
	trace_keys__exit(&r->traces);
	trace_formats__delete(r->formats);
	err__exit(&r->no_formats);
	if (r->view.chain.ignore_callees)
		regfree(&r->ignore_callees);
	sample_filter__exit(&r->view.filter);
	if (r->has_parent)
		regfree(&r->parent);
	sample_context__exit(&r->context);
	thread_counts__exit(&r->thread_counts);
	strbuf__exit(&r->header);
	err__exit(&r->err);
	session__delete(r->session);
}

/* Files that the options name must be there, as in stock perf. What is in a symfs is looked for later. */
static int report__check_files(struct report *r)
{
	const struct symbolize_opts *o = &r->args->symbols;
	const struct {
		const char *option, *path;
	} rows[] = {
		{ "--vmlinux", o->symfs ? NULL : o->vmlinux },
		{ "--kallsyms", o->symfs ? NULL : o->kallsyms },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].path && *rows[i].path && access(rows[i].path, R_OK))
			return err__set(&r->err, -errno, "%s: cannot open '%s': %s", rows[i].option,
					rows[i].path, strerror(errno));
	return 0;
}

static int report__parse_filter(struct report *r)
{
	const struct sample_args *a = &r->args->samples;
	struct sample_filter *f = &r->view.filter;
	struct time_spans spans = { 0 };
	int ret = sample_filter__parse(f, &a->filter, r->session, &r->err);

	if (ret || (!a->switching.on && !a->switching.off))
		return ret;
	ret = switched__find(&spans, r->session, &a->switching, &r->err);
	sample_filter__add_times(f, &spans);
	time_spans__exit(&spans);
	return ret;
}

/* Decide whether rows are branches: by default if there are any, unless they represent call chains. */
static int report__decide_branches(struct report *r)
{
	const struct report_args *a = r->args;
	const struct evlist *l = &r->session->reader->evlist;
	bool has_branches = evlist__sample_type_any(l) & PERF_SAMPLE_BRANCH_STACK;

	if (a->samples.mem_mode && a->samples.branches)
		return err__set(&r->err, -EINVAL, "--mem-mode and -b exclude each other");
	r->view.mem_mode = a->samples.mem_mode;
	r->view.blocks = a->samples.total_cycles;
	r->view.chain.history = a->samples.branch_history && !r->view.blocks;
	if ((r->view.blocks || r->view.chain.history) && (!has_branches || evlist__has_lbr_chains(l)))
		return err__set(&r->err, -EINVAL,
				"--%s: '%s' has no branch stacks; record with -b to have them",
				r->view.blocks ? "total-cycles" : "branch-history", r->session->reader->path);
	if (r->view.blocks || r->view.chain.history)
		return 0;
	r->view.branches = a->samples.mem_mode || a->samples.branches_given
				   ? a->samples.branches
				   : has_branches && !evlist__has_lbr_chains(l);
	if (r->view.branches && !has_branches)
		return err__set(&r->err, -EINVAL,
				"-b: '%s' has no branch stacks; record with -b to have them",
				r->session->reader->path);
	return 0;
}

/* On a terminal without -g there is one call tree, and rows are sorted by what they take themselves. */
static bool report__has_one_tree(const struct report *r)
{
	return r->columns && !r->args->graph.given && !r->args->graph.inverted;
}

/* Decide whether there are chains, and so whether to show children and graphs. */
static int report__decide_chains(struct report *r)
{
	const struct report_args *a = r->args;
	u64 type = evlist__sample_type_any(&r->session->reader->evlist);
	struct view_opts *v = &r->view;
	bool adds_callees; /* stock perf's hierarchy draws call trees as --children says */

	v->graph = a->graph.mode;
	v->children = a->samples.children && (a->samples.children_given || !report__has_one_tree(r));
	if (!(type & PERF_SAMPLE_CALLCHAIN) && !v->chain.history) {
		if (a->graph.given)
			return err__set(&r->err, -EINVAL,
					"-g: '%s' has no call chains; record with -g to have them",
					r->session->reader->path);
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
		.caller_first = a->graph.order_given ? a->graph.caller_first
						     : adds_callees || report__has_one_tree(r),
		.history = v->chain.history,
		.fold_recursion = r->columns && !a->full_names && !v->chain.history,
		.hide_unresolved = a->samples.hide_unresolved,
		.max_stack = a->samples.max_stack,
	};
	v->last_chains = a->samples.last_chains && type & PERF_SAMPLE_CALLCHAIN &&
			 !(evlist__sample_type_all(&r->session->reader->evlist) & PERF_SAMPLE_CALLCHAIN);
	v->graph_percent = a->graph.percent;
	v->places = a->places;
	v->places.graph_key = v->chain.history ? GRAPH_BY_LINE : a->graph.key;
	v->places.no_demangle = a->symbols.no_demangle;
	return 0;
}

/* Read the formats of tracepoints. If there are none, keep the reason for those who ask for fields. */
static void report__open_traces(struct report *r)
{
	const struct reader *reader = r->session->reader;
	const char *missing = NULL;

	r->formats = reader__trace_formats(reader, &r->no_formats);
	if (!r->formats && r->no_formats.code)
		missing = r->no_formats.text.buf;
	trace_keys__init(&r->traces, &reader->evlist, r->formats, missing, r->args->table.raw_trace);
	r->view.traces = &r->traces;
}

static int report__compile(struct report *r, regex_t *names, const char *option, const char *text)
{
	int ret = regcomp(names, text, REG_EXTENDED | REG_NOSUB);
	char why[128];

	if (!ret)
		return 0;
	regerror(ret, names, why, sizeof(why));
	return err__set(&r->err, -EINVAL, "%s: '%s' is not a regular expression: %s", option, text, why);
}

/* Compile the names of functions: of parents (-p), and of those whose callees are ignored. */
static int report__parse_names(struct report *r)
{
	const char *parent = r->args->samples.parent, *ignored = r->args->samples.ignore_callees;
	int ret = report__compile(r, &r->parent, "-p", parent ? parent : DEFAULT_PARENT);

	r->has_parent = !ret;
	if (!ret && ignored && !(ret = report__compile(r, &r->ignore_callees, "--ignore-callees", ignored)))
		r->view.chain.ignore_callees = &r->ignore_callees;
	return ret;
}

/*
 * Show a recording of waits as one table of times? Scripts that were written for stock perf expect its
 * tables, one for each event: the options that they need ask for those.
 */
static bool report__wants_times(const struct report *r)
{
	const struct report_args *a = r->args;

	return r->has_waits && !a->table.stdio && !a->table.latency && !a->table.hierarchy &&
	       !a->table.group_given && !a->style.separator && a->graph.value == GRAPH_VALUE_PERCENT &&
	       a->graph.mode != GRAPH_FLAT && a->graph.mode != GRAPH_FOLDED;
}

static int report__make_layout(struct report *r)
{
	const struct report_args *a = r->args;
	struct layout_opts opts = { .sort = a->table.sort,
				    .fields = a->table.fields,
				    .traces = &r->traces,
				    .branches = r->view.branches,
				    .blocks = r->view.blocks,
				    .history = r->view.chain.history,
				    .mem_mode = r->view.mem_mode,
				    .children = r->view.children,
				    .cpu_utilization = a->table.cpu_utilization,
				    .waits = r->has_waits,
				    .times = report__wants_times(r),
				    .on_cpu = r->waits.on_cpu != NULL,
				    .samples = a->table.samples,
				    .period = a->table.period,
				    .latency = a->table.latency,
				    .parent = a->samples.parent,
				    .parallelism = a->samples.filter.parallelism };
	int ret = layout__parse(&r->layout, &opts, &r->err);

	if (!ret && a->table.widths)
		ret = layout__set_widths(&r->layout, a->table.widths, &r->err);
	for (size_t i = 1; !ret && i < 3 && r->columns && r->view.blocks; i++)
		r->layout.fields.v[i].elided = true;                    /* a terminal is narrow */
	if (!ret && !a->table.hierarchy && !a->json && !r->view.blocks) /* of a hierarchy, as in stock perf */
		layout__elide(&r->layout, &r->view.filter);
	return ret;
}

/* Parents are in call chains, which branches do not have. */
static int report__choose_parents(struct report *r)
{
	bool has_chains = evlist__sample_type_any(&r->session->reader->evlist) & PERF_SAMPLE_CALLCHAIN;

	r->view.exclude_other = r->args->samples.exclude_other;
	if (!r->layout.parent && !r->view.exclude_other)
		return 0;
	if (!has_chains)
		return err__set(&r->err, -EINVAL,
				"parents: '%s' has no call chains; record with -g to have them",
				r->session->reader->path);
	if (!r->view.branches)
		r->view.parent = &r->parent;
	return 0;
}

static int report__prepare(struct report *r)
{
	const struct report_args *a = r->args;
	int ret = report__parse_filter(r);

	if (!ret && a->style.separator && *a->style.separator == '.')
		ret = err__set(&r->err, -EINVAL, "'.' is the only separator that -t cannot take");
	if (!ret && a->table.hierarchy && a->table.fields)
		ret = err__set(&r->err, -EINVAL, "--hierarchy and -F exclude each other: use -s");
	if (!ret)
		ret = report__check_files(r);
	if (!ret)
		ret = report__decide_branches(r);
	if (!ret)
		ret = report__decide_chains(r);
	if (!ret)
		ret = report__parse_names(r);
	report__open_traces(r);
	r->has_waits = time_table__init(&r->waits, &r->session->reader->evlist) && !r->view.branches &&
		       !r->view.mem_mode;
	if (!ret)
		ret = report__make_layout(r);
	if (!ret)
		ret = report__choose_parents(r);
	r->view.layout = &r->layout;
	r->view.places.map_sizes = r->layout.map_sizes;
	r->view.places.lines = r->layout.lines || r->view.blocks ||
			       (r->view.graph != GRAPH_NONE && r->view.places.graph_key != GRAPH_BY_FUNCTION);
	r->view.waits.times = r->layout.waits ? &r->waits : NULL;
	r->view.waits.one_table = r->layout.times;
	r->view.waits.no_idle = !a->table.idle;
	r->view.group = a->table.group && !r->view.waits.one_table && !r->view.blocks;
	r->view.force_group = a->table.group_given && a->table.group && !r->view.blocks;
	r->view.hierarchy = a->table.hierarchy && !r->view.blocks;
	r->view.nanoseconds = a->table.nanoseconds;
	r->view.group_sort_idx = a->table.group_sort_idx;
	r->view.ignore_guest = true;
	r->view.socket = a->samples.socket < 0 ? NULL : &a->samples.socket;
	r->view.symbol_filter = a->samples.symbol_filter;
	r->view.relative = a->table.relative;
	return ret;
}

/* ---- Ctrl-C while reading: show what was read so far ---- */

static int nr_interrupts; /* for the signal handler */

static void count_interrupt(int sig)
{
	(void)sig;
	__atomic_fetch_add(&nr_interrupts, 1, __ATOMIC_RELAXED);
}

/* Change the handler of SIGINT, unless it is not the one expected (a parent may ignore SIGINT). */
static void set_interrupt(void (*from)(int), void (*to)(int), int flags)
{
	const struct sigaction action = { .sa_handler = to, .sa_flags = SA_RESTART | flags };
	struct sigaction now;

	if (!sigaction(SIGINT, NULL, &now) && now.sa_handler == from)
		sigaction(SIGINT, &action, NULL);
}

/* From now on SIGINT ends the program again. */
static void stop_listening(void)
{
	set_interrupt(count_interrupt, SIG_DFL, 0);
}

/* Catch only one more SIGINT, which ends queries to servers (--debuginfod). */
static void listen_once(void)
{
	set_interrupt(count_interrupt, count_interrupt, (int)SA_RESETHAND);
}

/* ---- progress display, until the output begins ---- */

static struct progress *progress; /* NULL: not shown; global because the message sink needs it */

static void print_message(const char *text, size_t size)
{
	progress__print(progress, text, size);
}

static void show_progress(const struct report_args *a)
{
	progress = a->quiet ? NULL : progress__new(STDERR_FILENO);
	if (progress)
		msg__set_sink(print_message);
}

static void end_progress(void)
{
	msg__set_sink(NULL);
	progress__end(progress);
}

/* Give the terminal to the result. */
static void report__begin_output(struct report *r)
{
	end_progress();
	if (!r->args->lacks)
		pager__start(&r->pager);
}

/* ---- showing ---- */

/* What must rows be split by? By what the columns and filters need. */
static unsigned report__split(const struct report *r)
{
	const struct view_opts *v = &r->view;

	return r->layout.split |
	       (v->filter.pids.nr || v->filter.tids.nr || v->waits.times ? PROFILE_SPLIT_THREAD : 0) |
	       (v->socket ? PROFILE_SPLIT_CPU : 0) |
	       (v->filter.dsos.given || v->filter.symbols.given ? PROFILE_SPLIT_SAMPLE_IP : 0);
}

/* Read what the columns need of other records than samples. */
static int report__read_context(struct report *r)
{
	const struct record_counts *nr = &r->session->stats.records;
	int ret = 0;

	if (!r->layout.context)
		return 0;
	if (layout__has_word(&r->layout, &sample_fields[FIELD_PARALLELISM]) &&
	    !nr->by_type[PERF_RECORD_SWITCH] && !nr->by_type[PERF_RECORD_SWITCH_CPU_WIDE])
		return err__set(&r->err, -EINVAL,
				"latencies: '%s' does not say when threads ran; record with --latency",
				r->session->reader->path);
	if (layout__has_word(&r->layout, &sample_fields[FIELD_WAKER])) {
		ret = wakers__read(&r->context.wakers, r->session, r->formats, &r->err);
		r->view.waits.wakers = &r->context.wakers;
	}
	if (ret == -ENOENT)
		err__set(&r->err, ret,
			 "-s waker: '%s' does not say who woke threads; record with -e sched:sched_waking",
			 r->session->reader->path);
	return ret ? ret : sample_context__read(&r->context, r->session, &r->err);
}

static int report__collect(struct report *r)
{
	struct payload_cuts payloads;
	struct profile_opts opts = {
		.words = r->layout.words.nr ? &r->layout.words : NULL,
		.split = report__split(r),
		.by_weight = r->view.mem_mode,
		.context = r->layout.context ? &r->context : NULL,
		.time_quantum = layout__sorts_by(&r->layout, "time") ? r->args->table.time_quantum : 0,
		.payloads = trace_keys__cuts(&r->traces, &payloads) ? &payloads : NULL,
		.branches = r->view.branches,
		.blocks = r->view.blocks,
		.history = r->view.chain.history,
		.last_chains = r->view.last_chains,
		.lbr_chains = evlist__has_lbr_chains(&r->session->reader->evlist),
		.stitches = r->args->samples.stitch_lbr,
		.no_chains =
			!view_opts__need_chains(&r->view) && !r->view.waits.times && !r->args->stack_stats,
		.cpus = sample_filter__cpus(&r->view.filter),
		.times = sample_filter__times(&r->view.filter),
		.max_stack = r->args->samples.max_stack,
		.nr_threads = thread__count(r->args->threads),
	};

	r->view.nr_threads = opts.nr_threads;
	progress__begin(progress, reader__size(r->session->reader), "counting samples");
	return profile__collect(&r->profile, r->session, &opts, &r->err);
}

/* -v: show how many names the recording contains. */
static void report__tell_embedded(const struct reader *reader)
{
	struct strbuf section = STRBUF_INIT;
	struct names_summary s;

	if (!reader__extension(reader, EXTENSION_NAMES, &section) &&
	    !names_section__summary(section.buf, section.len, reader->needs_swap, &s))
		debug(1, "symbols",
		      "the recording has the names of %u functions of %u binaries, %llu bytes; %u were left "
		      "out",
		      s.nr_symbols, s.nr_dsos, (unsigned long long)s.size, s.nr_left_out);
	strbuf__exit(&section);
}

/* -v: explain why a binary's symbols are missing. */
static void report__explain(const struct report *r)
{
	const struct dsos *dsos = &r->session->machine.dsos;
	struct strbuf why = STRBUF_INIT;

	fflush(stdout);
	report__tell_embedded(r->session->reader);
	for (size_t i = 0; i < dsos->v.nr; i++) {
		strbuf__reset(&why);
		if (dso__add_lack(r->session, dsos->v.v[i], &why))
			debug(1, "symbols", "%s", why.buf);
	}
	strbuf__exit(&why);
}

/*
 * Does an event that includes the kernel have samples there? Events restricted to user space have some, too,
 * on processors that stop late; but for those the recorder need not describe the kernel.
 */
static bool has_kernel_samples(const struct report *r)
{
	const struct row_table *t = &r->profile.rows;

	for (size_t i = 0; i < t->rows.nr; i++) {
		const struct row_key *key = &row_table__get(t, i)->key;

		if (key->cpumode == PERF_RECORD_MISC_KERNEL &&
		    !r->session->reader->evlist.evsels.v[key->event]->attr.exclude_kernel)
			return true;
	}
	return false;
}

/* Warn if kernel addresses have no names because the kernel hid them, when recording or now. */
static void report__tell_hidden_kernel(const struct report *r, bool had_samples)
{
	const struct machine *m = &r->session->machine;
	struct strbuf why = STRBUF_INIT;

	if (!m->kernel.has_text && had_samples)
		warning("kernel addresses were hidden when '%s' was recorded: kernel functions have no names",
			r->session->reader->path);
	for (size_t i = 0; !r->args->symbols.kallsyms && i < m->dsos.v.nr; i++) {
		if (m->dsos.v.v[i]->kind != DSO_KERNEL || m->dsos.v.v[i]->load_error != -EPERM)
			continue;
		checks__tell_hidden_symbols(&why);
		warning("%s", why.buf);
		break;
	}
	strbuf__exit(&why);
}

static void report__no_samples(const struct report *r, const char *which)
{
	if (!r->args->quiet && !r->args->lacks && !r->args->json && !r->columns)
		stdio__print_hint(stdout);
	fflush(stdout);
	error__say("'%s' has no samples%s", r->session->reader->path, which);
}

static const char *report__why_none(const struct report *r)
{
	if (r->view.blocks)
		return " with cycles of branches";
	return r->profile.nr_filtered ? " in the times and of the cpus asked for" : "";
}

/* ---- filters that leave nothing ---- */

/* Offer the names of what the filter keeps entries by. Those without a name are skipped. */
static void offer_names(struct view *v, enum hist_filter filter, struct suggest *near, struct arena *names)
{
	const struct dsos *dsos = &v->profile->session->machine.dsos;

	for (size_t i = 0; i < v->entries.nr; i++) {
		const struct hist_entry *e = v->entries.v[i];
		const struct place *p = places__get(&v->places, e->place);
		const char *name = NULL;
		char buf[16];

		if (filter == HIST_FILTER_THREAD)
			name = view__comm(v, e->comm, buf);
		else if (filter == HIST_FILTER_DSO)
			name = p->mapped ? dso__short_name(dsos, dsos->v.v[p->dso]) : NULL;
		else
			name = p->sym ? places__name(&v->places, e->place) : NULL;
		if (name)
			suggest__offer(near, arena__strdup(names, name));
	}
}

static bool view__is_emptied_by(const struct view *v, enum hist_filter filter)
{
	for (size_t i = 0; i < v->entries.nr; i++)
		if (!(v->entries.v[i]->filtered & filter))
			return false;
	return v->entries.nr != 0;
}

/* Say which filter matches nothing. Return 0 for those of options: stock perf shows an empty table then. */
static int report__check_filters(struct report *r, struct view *v)
{
	const struct view_opts *o = &r->view;
	const char *path = r->session->reader->path, *text = o->symbol_filter;
	const struct {
		const char *word, *fmt;
		enum hist_filter filter;
	} rows[] = {
		{ text, "no symbol in '%s' contains '%s'%s", HIST_FILTER_TEXT },
		{ sample_filter__only(&o->filter, "symbol"), "no symbol in '%s' is called '%s'%s",
		  HIST_FILTER_SYMBOL },
		{ sample_filter__only(&o->filter, "dso"), "no sample of '%s' is in a binary '%s'%s",
		  HIST_FILTER_DSO },
		{ sample_filter__only(&o->filter, "comm"), "no sample of '%s' is of a thread '%s'%s",
		  HIST_FILTER_THREAD },
		{ r->args->samples.filter.pids, "no sample of '%s' is of a thread '%s'%s",
		  HIST_FILTER_THREAD },
		{ r->args->samples.filter.tids, "no sample of '%s' is of a thread '%s'%s",
		  HIST_FILTER_THREAD },
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *word = rows[i].word;
		struct arena names = ARENA_INIT;
		struct suggest near;

		if (!word || !view__is_emptied_by(v, rows[i].filter))
			continue;
		err__set(&r->err, -ENOENT, rows[i].fmt, path, word,
			 word == text && strpbrk(word, "./") && access(word, F_OK)
				 ? ", and there is no such file"
				 : "");
		suggest__init(&near, "", word);
		offer_names(v, rows[i].filter, &near, &names);
		err__suggest(&r->err, &near);
		arena__exit(&names);
		if (word == text)
			return -ENOENT;
		warning("%s", r->err.text.buf);
		return 0;
	}
	return 0;
}

/* A person who chooses the limit gets what reaches it, however long. */
static unsigned report__tree_lines(const struct report *r)
{
	bool is_chosen = r->args->table.percent_limit >= 0 || r->args->graph.percent != GRAPH_LIMIT;

	return r->args->full_names || is_chosen ? 0 : r->lines / 2;
}

static void report__print_thread_counts(struct report *r)
{
	struct strbuf text = STRBUF_INIT;

	thread_counts__print(&r->thread_counts, r->args->table.raw_counts, r->columns, &text);
	fputs(text.buf, stdout);
	if (!text.len)
		warning("-T: '%s' has no counts of threads; perf record -s has them",
			r->session->reader->path);
	strbuf__exit(&text);
}

static void report__print(struct report *r, struct report_ui *ui, struct view *view, bool has_samples)
{
	bool is_empty = view->nr_hidden == r->profile.nr_samples;

	report__begin_output(r);
	if (is_empty)
		report__no_samples(r, !r->profile.nr_samples ? report__why_none(r) : " with a symbol");
	if (is_empty && !r->args->json)
		;
	else if (r->args->lacks)
		lacks__print(view, stdout);
	else
		report_ui__show(ui, view);
	if (r->args->table.thread_counts)
		report__print_thread_counts(r);
	symbolizer__settle(&r->session->symbolizer);
	report__explain(r);
	if (!r->args->quiet)
		report__tell_hidden_kernel(r, has_samples);
}

static void report__init_text(const struct report *r, struct stdio_ui *ui)
{
	const struct report_args *a = r->args;
	struct stdio_opts opts = {
		.out = stdout,
		.columns = r->columns,
		.lines = r->lines,
		.one_tree = report__has_one_tree(r),
		.tree_lines = report__tree_lines(r),
		.quiet = a->quiet,
		.style = a->style,
		.value = a->graph.value,
		.print_limit = a->graph.print_limit,
		.time_text = a->samples.filter.times,
		.header = a->header ? r->header.buf : NULL,
	};

	opts.style.fold_names = r->columns && !a->full_names;
	stdio_ui__init(ui, &opts);
	ui->ui.percent_limit = a->table.percent_limit;
	if (r->columns && a->table.percent_limit < 0) {
		ui->ui.percent_limit = TERMINAL_LIMIT;
		ui->ui.max_rows = r->lines + r->lines / 4;
	}
}

static int report__show_in(struct report *r, struct report_ui *ui)
{
	const struct report_args *a = r->args;
	bool has_samples = has_kernel_samples(r); /* the view takes the rows */
	struct view view;
	int ret;

	ui->skip_empty = a->table.skip_empty;
	progress__begin(progress, 0, "naming what was sampled");
	view__build(&view, &r->profile, &r->view);
	stop_listening();
	ret = report__check_filters(r, &view);
	if (!ret)
		report__print(r, ui, &view, has_samples);
	view__exit(&view);
	return ret;
}

static int report__show(struct report *r)
{
	const struct report_args *a = r->args;
	struct stdio_ui text;
	struct json_ui json;
	int ret;

	if (a->json) {
		json_ui__init(&json, stdout, a->samples.filter.times, a->graph.print_limit);
		json.ui.percent_limit = a->table.percent_limit;
		ret = report__show_in(r, &json.ui);
		json_ui__exit(&json);
		return ret;
	}
	report__init_text(r, &text);
	ret = report__show_in(r, &text.ui);
	stdio_ui__exit(&text);
	return ret;
}

/* --stack-stats: show how call chains were unwound, and where incomplete ones stopped. */
static void report__stack_stats(const struct report *r)
{
	struct strbuf text = STRBUF_INIT;

	if (r->profile.unwinding.nr || r->profile.unwinding.no_copy)
		unwind_stats__details(&r->profile.unwinding, &text);
	else
		strbuf__addstr(&text, "no call chains were unwound: record with -g or --call-graph dwarf\n");
	fputs(text.buf, stdout);
	strbuf__exit(&text);
}

static int report__hists(struct report *r)
{
	int ret = report__prepare(r);

	if (!ret)
		ret = report__read_context(r);
	if (!ret)
		ret = report__collect(r);
	if (ret == -ESTALE) {
		profile__exit(&r->profile);
		return ret; /* before anything was shown */
	}
	if (r->args->debuginfod_seconds)
		listen_once(); /* until the output begins */
	else
		stop_listening();
	if (ret)
		return ret;
	if ((r->profile.nr_samples || r->args->json) && !r->args->stack_stats) {
		ret = report__show(r);
		profile__exit(&r->profile);
		return ret;
	}
	stop_listening();
	report__begin_output(r);
	if (r->args->stack_stats)
		report__stack_stats(r);
	else
		report__no_samples(r, report__why_none(r));
	profile__exit(&r->profile);
	return 0;
}

static int report__dump(struct report *r)
{
	struct dump_opts opts = { .file_order = r->args->file_order,
				  .no_hint = r->args->quiet || r->args->header,
				  .nr_threads = thread__count(r->args->threads) };

	fputs(r->header.buf, stdout);
	fflush(stdout); /* the dump writes to the descriptor */
	return dump__run(r->session, &opts, STDOUT_FILENO, &r->err);
}

/* JSON has tables, and nothing after them. */
static int report__check_json(struct report *r)
{
	const struct report_args *a = r->args;
	const struct {
		bool given;
		const char *option;
	} others[] = {
		{ a->dump, "-D" },
		{ a->header_only, "--header-only" },
		{ a->stats, "--stats" },
		{ a->stack_stats, "--stack-stats" },
		{ a->tasks, "--tasks" },
		{ a->mmaps, "--mmaps" },
		{ a->table.thread_counts, "-T" },
	};

	for (size_t i = 0; a->json && i < ARRAY_SIZE(others); i++)
		if (others[i].given)
			return err__set(&r->err, -EINVAL, "--json and %s exclude each other",
					others[i].option);
	return 0;
}

static int report__run(struct report *r)
{
	const struct report_args *a = r->args;
	int ret = report__check_json(r);

	if (ret)
		return ret;
	if (a->header || a->header_only)
		features__print(r->session->reader, a->full_header, &r->header);
	if (a->header_only || a->dump || a->stats || a->tasks || a->mmaps)
		report__begin_output(r);
	if (a->header_only) {
		fputs(r->header.buf, stdout);
		return 0;
	}
	if (a->dump)
		return report__dump(r);
	if (a->stats) {
		stdio__print_stats(r->session, a->table.skip_empty, stdout);
		return 0;
	}
	if (a->tasks || a->mmaps)
		return stdio__print_tasks(r->session, a->mmaps, stdout, &r->err);
	return report__hists(r);
}

/* Report damage in the file last, after the output. */
static int report__finish(struct report *r, int ret)
{
	if (ret == -EPIPE)
		return 0; /* the reader of the pipe closed it */
	if (ret) {
		error__print(&r->err);
		return ret == -EINTR ? EXIT_INTERRUPTED : 1;
	}
	fflush(stdout);
	if (r->session->reader->stopped) {
		warning("interrupted: the report is of what was read of '%s' until then",
			r->session->reader->path);
		return EXIT_INTERRUPTED;
	}
	return session__tell_damage(r->session) ? 1 : 0;
}

/* Return NULL if no servers are to be asked. */
static struct debuginfod *open_debuginfod(const struct report_args *a)
{
	struct debuginfod_opts opts = { .seconds = a->debuginfod_seconds,
					.stop = &nr_interrupts,
					.progress = progress };
	struct debuginfod *d = NULL;
	struct err err = ERR_INIT;

	if (a->debuginfod_seconds && !(d = debuginfod__new(&opts, &err))) {
		err__prefix(&err, "no debug files from servers");
		warning("%s", err.text.buf);
	}
	err__exit(&err);
	return d;
}

static void close_debuginfod(struct debuginfod *d)
{
	const char *why = d ? debuginfod__stopped(d) : NULL;

	if (why)
		warning("not all debug files were fetched from servers: %s", why);
	debuginfod__delete(d);
}

static int report__open_and_run(struct report *r, const struct session_opts *opts)
{
	int ret = session__open(&r->session, r->args->input, opts, &r->err);

	return ret ? ret : report__run(r);
}

int report__main(const struct report_args *a)
{
	struct report r;
	struct session_opts opts = {
		.symbols = a->symbols,
		.count_per_event = a->stats,
		.no_model = a->stats,
		.header_only = a->header_only,
	};
	int ret;

	report__init(&r, a);
	if (a->table.thread_counts) {
		opts.look = thread_counts__look;
		opts.ctx = &r.thread_counts;
	}
	show_progress(a);
	opts.symbols.progress = progress;
	opts.symbols.debuginfod = open_debuginfod(a);
	opts.reader = (struct reader_opts){ .stop = &nr_interrupts,
					    .nr_threads = thread__count(r.args->threads),
					    .progress = progress };
	opts.samples_follow = !a->dump && !a->stats && !a->tasks && !a->mmaps;
	opts.reader.trusts_summaries = opts.samples_follow && !a->table.thread_counts;
	set_interrupt(SIG_DFL, count_interrupt, 0);
	ret = report__open_and_run(&r, &opts);
	if (ret == -ESTALE) {
		report__exit(&r);
		report__init(&r, a);
		opts.reader.trusts_summaries = false;
		ret = report__open_and_run(&r, &opts);
	}
	end_progress();
	pager__finish(&r.pager);
	ret = report__finish(&r, ret);
	report__exit(&r); /* also ends the thread that may be loading the kernel's symbols */
	close_debuginfod(opts.symbols.debuginfod);
	progress__delete(progress);
	return ret;
}
