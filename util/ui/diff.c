/* perf diff: check the options, compare, and print or browse. */
#include "ui/diff_private.h"

#include "base/command/pager.h"
#include "base/command/term.h"
#include "base/message/msg.h"
#include "base/system/file.h"
#include "profile/compare/compare_text.h"
#include "profile/compare/touched.h"
#include "ui/diff/diff_bisect.h"
#include "ui/diff/diff_markdown.h"
#include "ui/diff/diff_view.h"
#include "ui/notes/reading.h"
#include "ui/report.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_INTERRUPTED = 128 + SIGINT }; /* as shells report it */

/* ---- the change of the source ---- */

/* Read the change between the commits that --git names: "OLD..NEW". */
static int diff__read_change(struct diff *d)
{
	const char *commits = d->args->git.commits, *dots = strstr(commits, "..");
	char *old;
	int ret;

	if (!dots || dots == commits || !dots[2] || dots[2] == '.')
		return err__set(&d->err, -EINVAL, "--git: '%s' is not OLD..NEW", commits);
	ret = repository__open(&d->repository, d->args->git.dir, &d->err);
	if (ret)
		return ret;
	old = strndup(commits, (size_t)(dots - commits));
	ret = source_change__read(&d->change, &d->repository, old, dots + 2, &d->err);
	free(old);
	return ret;
}

/*
 * Read the change between the commits that the recordings name. The recordings of the old side may be of
 * several commits, oldest first: the last one counts.
 */
static int diff__read_named_change(struct diff *d)
{
	const struct comparison *c = &d->comparison;
	const struct compared_recording *last[2] = { NULL, NULL };
	int ret;

	for (size_t i = 0; i < c->recordings.nr; i++) {
		const struct compared_recording *r = &c->recordings.v[i], **side = &last[r->side];

		if (!r->commit) {
			err__set(&d->err, -EINVAL, "'%s' does not say of which commit it is", r->path);
			err__advise(&d->err,
				    "name the commits: --git OLD..NEW; or record with --label commit");
			return -EINVAL;
		}
		if (*side && r->side == COMPARE_NEW && strcmp((*side)->commit, r->commit) != 0)
			return err__set(&d->err, -EINVAL, "--git: '%s' is of commit %s, '%s' of %s", r->path,
					r->commit, (*side)->path, (*side)->commit);
		*side = r;
	}
	ret = repository__open(&d->repository, d->args->git.dir, &d->err);
	return ret ? ret
		   : source_change__read(&d->change, &d->repository, last[COMPARE_OLD]->commit,
					 last[COMPARE_NEW]->commit, &d->err);
}

/* ---- requests ---- */

/* -D: print the records of each file. */
static int diff__dump(const struct diff_args *a)
{
	int ret = 0;

	for (size_t i = 0; i < a->files.nr && !ret; i++) {
		const struct report_args report = { .input = a->files.v[i],
						    .dump = true,
						    .quiet = a->quiet,
						    .symbols = a->symbols,
						    .threads = a->threads };

		ret = report__main(&report);
	}
	return ret;
}

/* May code between branches be compared by these sort keys? */
static bool keys_are_of_functions(const char *keys)
{
	static const char *const good[] = {
		"dso,symbol", "symbol,dso", "symbol", "dso,sym", "sym,dso", "sym"
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (!strcmp(keys, good[i]))
			return true;
	return false;
}

static int diff__check(struct diff *d)
{
	const struct diff_args *a = d->args;

	if (a->json + a->folded + a->markdown + (a->page != NULL) + a->is_stock > 1)
		return err__set(
			&d->err, -EINVAL,
			"--json, --folded, --markdown, --html and stock perf's table exclude each other");
	if (a->is_stock && (a->limit.is_on || a->per || a->limit.bisect))
		return err__set(&d->err, -EINVAL, "--%s is not for stock perf's table",
				a->per            ? "per"
				: a->limit.bisect ? "bisect"
						  : "fail-on");
	if (a->limit.bisect && a->dump)
		return err__set(&d->err, -EINVAL, "--bisect and -D: use one of them");
	if (a->limit.bisect && a->limit.needs_touched)
		return err__set(&d->err, -EINVAL,
				"--bisect judges touched functions and others alike: omit ',touched'");
	if (a->is_stock && a->git.commits)
		return err__set(&d->err, -EINVAL, "--git is not for stock perf's table");
	if (a->limit.needs_touched && !a->git.commits)
		return err__set(&d->err, -EINVAL, "--fail-on touched needs --git OLD..NEW");
	if (a->streams && a->files.nr != 2)
		return err__set(&d->err, -EINVAL, "--stream compares two recordings, not %zu", a->files.nr);
	if (a->stock.cycles_hist && a->stock.method != DIFF_CYCLES)
		return err__set(&d->err, -EINVAL, "--cycles-hist is for -c cycles");
	if (a->stock.method == DIFF_CYCLES && a->sort && !keys_are_of_functions(a->sort))
		return err__set(
			&d->err, -EINVAL,
			"-c cycles compares code of functions: -s takes dso,symbol or symbol, not '%s'",
			a->sort);
	if (a->stock.order >= a->files.nr)
		return err__set(&d->err, -EINVAL, "-o %u: there are only %zu recordings, from 0 to %zu",
				a->stock.order, a->files.nr, a->files.nr - 1);
	for (size_t i = 0; a->page && i < a->files.nr; i++)
		if (file__is_same(a->files.v[i], a->page))
			return err__set(&d->err, -EINVAL, "'%s' is an input: choose another output", a->page);
	return 0;
}

/* Print the streams of each event of the first recording. */
static void diff__print_streams(struct diff *d)
{
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < d->streams[0].nr; i++) {
		const struct streams *old = &d->streams[0].v[i], *new = &d->streams[1].v[i];

		if (d->streams[0].nr > 1) {
			strbuf__addstr(&out, i ? "\n# Event '" : "# Event '");
			strbuf__add_masked(&out, old->event);
			strbuf__addstr(&out, "'\n");
		}
		streams__add_text(old, new, &out);
	}
	fwrite(out.buf, 1, out.len, stdout);
	strbuf__exit(&out);
}

static void diff__print_stock(struct diff *d)
{
	struct diff_stock_opts opts = d->args->stock;

	opts.names_files = d->args->files.nr > 2 || d->args->verbose > 0;
	opts.quiet = d->args->quiet;
	opts.paths = d->args->files.v;
	diff_stock__print(&d->sides, &opts, stdout);
}

static void diff__print_view(struct diff *d)
{
	struct diff_view_opts opts = { .quiet = d->args->quiet };

	if (term__is_tty(STDOUT_FILENO)) {
		opts.columns = MAX((unsigned)term__columns_of(STDOUT_FILENO), 60u);
		opts.style.fold_names = !d->args->full_names;
	}
	diff_view__print(&d->comparison, &opts, stdout);
}

/* Say what may make functions look changed. */
static void diff__warn(const struct comparison *c)
{
	struct strbuf text = STRBUF_INIT;

	for (u32 i = 0; compare_text__add_warning(&text, c, i); i++) {
		if (text.len)
			warning("%s", text.buf);
		strbuf__reset(&text);
	}
	strbuf__exit(&text);
}

static int diff__write_page(struct diff *d)
{
	int ret = d->args->write_page(&d->comparison, d->args->page, &d->err);
	const char *advice = strchr(d->err.text.buf, '\n');

	if (!ret)
		info("open '%s' in a browser", d->args->page);
	else if (advice) { /* of other commands, which name the file with -o */
		strbuf__setlen(&d->err.text, (size_t)(advice - d->err.text.buf));
		err__advise(&d->err, "to name another file: --html=FILE");
	}
	return ret;
}

/* Weigh the evidence, and find what the change of the source touched. */
static int diff__compare(struct diff *d)
{
	int ret;

	if (d->args->is_stock)
		return 0;
	comparison__finish(&d->comparison);
	ret = d->args->git.commits && !*d->args->git.commits ? diff__read_named_change(d) : 0;
	if (!ret && d->args->git.commits)
		ret = comparison__find_touched(&d->comparison, &d->change, &d->err);
	if (!ret)
		diff__warn(&d->comparison);
	return ret;
}

static int diff__show(struct diff *d)
{
	struct pager pager = PAGER_INIT;

	if (d->args->page)
		return diff__write_page(d);
	if (d->args->browse)
		return d->args->browse(&d->comparison, d->args, &d->err);
	pager__start(&pager);
	if (d->args->streams)
		diff__print_streams(d);
	else if (d->args->is_stock)
		diff__print_stock(d);
	else if (d->args->folded)
		diff_view__print_folded(&d->comparison, stdout);
	else if (d->args->json)
		diff_view__print_json(&d->comparison, stdout);
	else if (d->args->markdown)
		diff_markdown__print(&d->comparison, d->args->full_names, stdout);
	else
		diff__print_view(d);
	pager__finish(&pager);
	fflush(stdout);
	return 0;
}

/* Return the first function that is slower by so much, or NULL. has_new: a new one counts, too. */
static const struct compared *comparison__find_slower(const struct comparison *c, double limit, bool has_new,
						      bool needs_touched)
{
	for (size_t i = 0; i < c->rows.nr; i++) {
		const struct compared *row = &c->rows.v[i];

		if ((row->verdict == VERDICT_SLOWER || (has_new && row->verdict == VERDICT_NEW)) &&
		    row->self.change >= limit && (!needs_touched || compared__is_touched(row)))
			return row;
	}
	return NULL;
}

static bool total_is_slower(const struct comparison *c, double limit)
{
	return comparison__judge_total(c) == VERDICT_SLOWER && c->self.total[1] / c->self.total[0] >= limit;
}

/* --fail-on slower[:PERCENT]: is anything slower by so much? With several runs also the total. Say what. */
static bool diff__is_slower(const struct diff *d)
{
	const struct comparison *c = &d->comparison;
	double limit = 1 + d->args->limit.slower, total = c->self.total[1] / c->self.total[0];
	const struct compared *row;

	if (d->args->is_stock || !d->args->limit.is_on)
		return false;
	row = comparison__find_slower(c, limit, true, d->args->limit.needs_touched);
	if (row && row->verdict == VERDICT_NEW)
		info("--fail-on: '%s' is new", row->name);
	else if (row)
		info("--fail-on: '%s' is slower by %.1f%%", row->name, (row->self.change - 1) * 100);
	if (c->self.total_low > 1 && total >= limit && comparison__hides_total(c))
		info("--fail-on: the total is higher by %.1f%%, which the different sampling may explain",
		     (total - 1) * 100);
	if (!total_is_slower(c, limit) || d->args->limit.needs_touched)
		return row;
	info("--fail-on: the total is higher by %.1f%%", (total - 1) * 100);
	return true;
}

/* A new function alone does not keep recordings out of a baseline; the total may. */
static int diff__tell_baseline(struct diff *d)
{
	const struct comparison *c = &d->comparison;
	double limit = 1 + d->args->limit.slower,
	       of_total = 1 + MAX(d->args->limit.slower, d->args->least_change);

	if (!d->args->baseline.has_compared || d->is_damaged)
		return 0;
	return d->args->baseline.has_compared(
		d->args->baseline.ctx,
		comparison__find_slower(c, limit, false, false) || total_is_slower(c, of_total), &d->err);
}

/* Take the names of the functions that --bisect judges. */
static int diff__take_judged(struct diff *d)
{
	char *names;
	int ret;

	if (!d->args->limit.bisect || !d->args->filter.symbols)
		return 0;
	names = sample_filter__unmarked(d->args->filter.symbols);
	ret = name_list__parse(&d->judged.symbols, names, &d->err);
	free(names);
	return ret;
}

/* --bisect: judge the new side, and say why. */
static enum bisect_status diff__judge(const struct diff *d)
{
	const struct bisect_question q = { &d->judged, d->args->limit.slower };
	struct strbuf why = STRBUF_INIT;
	enum bisect_status status = diff_bisect__judge(&d->comparison, &q, &why);

	info("--bisect: %s", why.buf);
	strbuf__exit(&why);
	return status;
}

/* Return the exit status after an error, or after damage. is_usage: options cannot be combined. */
static int diff__failure(const struct diff *d, bool is_usage)
{
	return !d->args->limit.bisect ? 1 : is_usage ? BISECT_STOP : BISECT_UNKNOWN;
}

/* Read, compare, show, and find the exit status. */
static int diff__run(struct diff *d)
{
	const struct diff_args *a = d->args;
	int ret = diff__read(d);

	if (a->baseline.has_read)
		a->baseline.has_read(a->baseline.ctx);
	reading__release_interrupts();
	reading__end_progress();
	if (!ret)
		ret = diff__compare(d);
	if (!ret)
		ret = diff__show(d);
	if (!ret)
		ret = diff__tell_baseline(d);
	if (!ret && a->limit.bisect)
		d->status = diff__judge(d);
	else if (!ret && diff__is_slower(d))
		d->status = EXIT_SLOWER;
	return ret;
}

int diff__main(const struct diff_args *a)
{
	struct diff d = { .args = a, .err = ERR_INIT };
	int ret = a->spans.has_span ? diff__check_spans(&d) : diff__check(&d);
	bool is_usage;

	if (!ret)
		ret = diff__take_judged(&d);
	is_usage = ret;
	if (!ret && a->dump)
		return diff__dump(a);
	reading__begin(a->quiet);
	if (!ret && a->git.commits && *a->git.commits)
		ret = diff__read_change(&d);
	if (!ret)
		ret = a->spans.has_span ? diff__run_spans(&d) : diff__run(&d);
	reading__end_progress();
	if (ret)
		error__print(&d.err);
	side_by_side__exit(&d.sides);
	array__exit(&d.streams[0]);
	array__exit(&d.streams[1]);
	arena__exit(&d.arena);
	free(d.arch);
	comparison__exit(&d.comparison);
	source_change__exit(&d.change);
	repository__close(&d.repository);
	sample_filter__exit(&d.judged);
	err__exit(&d.err);
	reading__end();
	return ret == -EINTR         ? EXIT_INTERRUPTED
	       : ret || d.is_damaged ? diff__failure(&d, is_usage)
				     : d.status;
}
