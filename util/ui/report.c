/* perf report: from the options to the output. */
#include "ui/report.h"

#include "base/message/called_name.h"
#include "base/message/msg.h"
#include "base/command/pager.h"
#include "base/command/term.h"
#include "base/system/thread.h"
#include "binary/elf/debuginfod.h"
#include "ui/dump/dump.h"
#include "ui/json.h"
#include "ui/notes/missing_symbols.h"
#include "ui/notes/reading.h"
#include "ui/report_notes.h"
#include "ui/report_spans.h"
#include "ui/stdio/thread_counts.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TERMINAL_LIMIT 0.5 /* --percent-limit on a terminal */

enum {
	COLUMNS_MIN = 60,
	EXIT_INTERRUPTED = 128 + SIGINT, /* as shells report it */
};

struct report { /* state of a report besides the session */
	const struct report_args *args;
	struct session *session;
	struct report_setup setup;
	/* of the terminal that the report is made for; 0: it is made for a file or a pipe */
	unsigned columns, lines;
	struct profile profile;
	struct thread_counts thread_counts; /* -T */
	struct strbuf header;
	struct pager pager;
	char *next; /* path of the recording to show after this one */
	int status; /* exit status if nothing fails */
	struct err err;
};

/* With -t the text is for programs, as JSON is. */
static void report__find_terminal(struct report *r)
{
	if (!term__is_tty(STDOUT_FILENO) || r->args->style.separator || r->args->json || r->args->browse)
		return;
	r->columns = (unsigned)MAX(term__columns_of(STDOUT_FILENO), COLUMNS_MIN);
	r->lines = (unsigned)term__lines_of(STDOUT_FILENO);
}

static void report__init(struct report *r, const struct report_args *a)
{
	*r = (struct report){ .args = a, .header = STRBUF_INIT, .pager = PAGER_INIT, .err = ERR_INIT };
	report__find_terminal(r);
}

static void report__exit(struct report *r)
{
	report_setup__exit(&r->setup);
	thread_counts__exit(&r->thread_counts);
	strbuf__exit(&r->header);
	err__exit(&r->err);
	session__delete(r->session);
}

/* Give the terminal to the result. */
static void report__begin_output(struct report *r)
{
	reading__end_progress();
	if (!r->args->lacks)
		pager__start(&r->pager);
}

/* Return why --blocked-by has nothing to show, which is a good answer; NULL: it has, or was not asked for. */
static const char *report__why_unblocked(const struct report *r)
{
	const struct sample_weights *w = &r->setup.weights;

	if (w->of != WEIGHTS_BLOCKED_BY || w->facts.ns)
		return NULL;
	if (!(evlist__sample_type_any(&r->session->reader->evlist) & PERF_SAMPLE_CALLCHAIN))
		return "call chains tell which waits are for locks; record with -g";
	return w->facts.unknown.nr ? "of no wait for a lock it is known who held it"
				   : "no thread waited for a lock that another one held";
}

static void report__no_samples(const struct report *r, const char *which)
{
	const char *why = report__why_unblocked(r);

	if (!r->args->quiet && !r->args->lacks && !r->args->json && !r->columns)
		stdio__print_hint(stdout);
	fflush(stdout);
	if (why)
		info("'%s': %s", r->session->reader->path, why);
	else
		error__say("'%s' has no samples%s", r->session->reader->path, which);
}

static const char *report__why_none(const struct report *r)
{
	if (r->setup.view.blocks)
		return " with cycles of branches";
	return r->profile.nr_filtered ? " in the times and of the cpus asked for" : "";
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
		warning("-T: '%s' has no counts of threads; %s record -s has them", r->session->reader->path,
			called_name());
	strbuf__exit(&text);
}

static void report__print(struct report *r, struct report_ui *ui, struct view *view, bool has_samples)
{
	bool is_empty = view->nr.hidden == r->profile.nr_samples;

	report__begin_output(r);
	if (is_empty)
		report__no_samples(r, !r->profile.nr_samples ? report__why_none(r) : " with a symbol");
	if (is_empty && !r->args->json)
		;
	else if (r->args->lacks)
		missing_symbols__print(view, stdout);
	else
		report_ui__show(ui, view);
	if (r->args->table.thread_counts)
		report__print_thread_counts(r);
	symbolizer__wait(&r->session->symbolizer);
	report_notes__explain(r->session);
	if (!r->args->quiet)
		report_notes__tell_hidden_kernel(&r->setup, has_samples);
}

static void report__init_text(const struct report *r, struct stdio_ui *ui)
{
	const struct report_args *a = r->args;
	struct stdio_opts opts = {
		.out = stdout,
		.columns = r->columns,
		.lines = r->lines,
		.one_tree = report_setup__has_one_tree(&r->setup),
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
	bool has_samples = report_notes__has_kernel_samples(&r->profile); /* the view takes the rows */
	struct view view;
	int ret;

	ui->skip_empty = a->table.skip_empty;
	progress__begin(reading__progress(), 0, "naming what was sampled");
	view__build(&view, &r->profile, &r->setup.view);
	reading__release_interrupts();
	ret = report_notes__check_filters(&r->setup, &view, &r->err);
	if (!ret)
		report__print(r, ui, &view, has_samples);
	view__exit(&view);
	return ret;
}

/* Let a browser show the recording. It may read it again for other filters. */
static int report__browse(struct report *r)
{
	struct report_screen screen = {
		.args = r->args, .session = r->session, .setup = &r->setup, .profile = &r->profile
	};
	int ret;

	progress__begin(reading__progress(), 0, "naming what was sampled");
	view__build(&screen.view, &r->profile, &r->setup.view);
	reading__release_interrupts();
	ret = report_notes__check_filters(&r->setup, &screen.view, &r->err);
	reading__end_progress();
	if (!ret)
		ret = r->args->browse(&screen, &r->err);
	view__exit(&screen.view);
	r->next = screen.next;
	return ret;
}

static int report__show(struct report *r)
{
	const struct report_args *a = r->args;
	struct stdio_ui text;
	struct json_ui json;
	int ret;

	if (a->browse)
		return report__browse(r);
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

static int report__collect(struct report *r)
{
	progress__begin(reading__progress(), reader__size(r->session->reader), "counting samples");
	return profile__collect(&r->profile, r->session, &r->setup.profile, &r->err);
}

static int report__hists(struct report *r)
{
	int ret = report_setup__init(&r->setup, r->args, r->session, r->columns, &r->err);

	if (!ret)
		ret = report__collect(r);
	if (ret == -ESTALE) {
		profile__exit(&r->profile);
		return ret; /* before anything was shown */
	}
	if (r->args->debuginfod_seconds)
		reading__catch_one_interrupt(); /* until the output begins */
	else
		reading__release_interrupts();
	if (ret)
		return ret;
	if ((r->profile.nr_samples || r->args->json) && !r->args->stack_stats) {
		ret = report__show(r);
		profile__exit(&r->profile);
		return ret;
	}
	reading__release_interrupts();
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

/* Nothing is printed before all is read: the recording may have to be read again. */
static int report__spans(struct report *r)
{
	struct strbuf text = STRBUF_INIT;
	int ret = report_spans__add(r->session, r->args, r->columns, &text, &r->status, &r->err);

	reading__release_interrupts();
	if (!ret) {
		report__begin_output(r);
		fputs(r->header.buf, stdout);
		fwrite(text.buf, 1, text.len, stdout);
	}
	strbuf__exit(&text);
	return ret;
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
	return report_spans__is_wanted(a) ? report__spans(r) : report__hists(r);
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
	return session__tell_damage(r->session) ? 1 : r->status;
}

/* Return NULL if no servers are to be asked. */
static struct debuginfod *open_debuginfod(const struct report_args *a)
{
	struct debuginfod_opts opts = { .seconds = a->debuginfod_seconds,
					.stop = reading__interrupts(),
					.progress = reading__progress() };
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

/* Set *next to the path of the recording to be shown next; NULL: none. */
static int report__one(const struct report_args *a, char **next)
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
	reading__begin(a->quiet);
	opts.symbols.progress = reading__progress();
	opts.symbols.debuginfod = open_debuginfod(a);
	opts.reader = (struct reader_opts){ .stop = reading__interrupts(),
					    .nr_threads = thread__count(r.args->threads),
					    .progress = reading__progress() };
	opts.samples_follow = !a->dump && !a->stats && !a->tasks && !a->mmaps;
	opts.reader.trusts_summaries = opts.samples_follow && !a->table.thread_counts;
	ret = report__open_and_run(&r, &opts);
	if (ret == -ESTALE) {
		report__exit(&r);
		report__init(&r, a);
		opts.reader.trusts_summaries = false;
		ret = report__open_and_run(&r, &opts);
	}
	reading__end_progress();
	pager__finish(&r.pager);
	ret = report__finish(&r, ret);
	*next = r.next;
	report__exit(&r); /* also ends the thread that may be loading the kernel's symbols */
	close_debuginfod(opts.symbols.debuginfod);
	reading__end();
	return ret;
}

int report__main(const struct report_args *a)
{
	struct report_args args = *a;
	char *path = NULL, *next;
	int ret;

	do {
		ret = report__one(&args, &next);
		free(path);
		args.input = path = next;
	} while (next);
	return ret;
}
