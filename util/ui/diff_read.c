/* perf diff: read recordings into the data that is compared. */
#include "ui/diff_private.h"

#include "base/message/msg.h"
#include "base/system/thread.h"
#include "format/read/features.h"
#include "profile/compare/compare_text.h"
#include "ui/notes/reading.h"
#include "ui/report_setup.h"

#include <errno.h>
#include <string.h>

#define LEAST_ROW 0.05 /* a change of a function's cost by so much is of interest */

enum { MAX_READERS = 4 }; /* recordings that are in memory at a time */

/* ---- one recording ---- */

/* The parts are between colons; the last one holds for all further files. */
char *diff__time_of_file(const char *times, size_t file)
{
	const char *end;

	if (!times)
		return NULL;
	for (; file && (end = strchr(times, ':')); file--)
		times = end + 1;
	end = strchr(times, ':');
	return end ? strndup(times, (size_t)(end - times)) : xstrdup(times);
}

int diff__open(struct diff *d, u32 file, bool shows_progress, struct session **session)
{
	struct progress *progress = shows_progress ? reading__progress() : NULL;
	struct session_opts opts = { .symbols = d->args->symbols,
				     .samples_follow = true,
				     .reader = { .stop = reading__interrupts(),
						 .nr_threads = thread__count(d->args->threads),
						 .progress = progress } };
	int ret;

	opts.symbols.progress = progress;
	ret = session__open(session, d->args->files.v[file], &opts, &d->err);
	if (!ret)
		progress__begin(progress, reader__size((*session)->reader), "counting samples");
	return ret;
}

int diff__close(struct diff *d, struct session *session, int ret)
{
	if (!ret && session->reader->stopped)
		ret = err__set(&d->err, -EINTR, "interrupted");
	if (!ret && session__tell_damage(session))
		d->is_damaged = true;
	if (session)
		session__blame_damage(session, ret, &d->err);
	session__delete(session);
	return ret;
}

/* ---- for stock perf's tables ---- */

/* A diff reads each recording as a report with these options does. times: its --time. */
static void diff__set_report_args(struct diff *d, size_t file, const char *times)
{
	const struct diff_args *a = d->args;

	d->report = (struct report_args){
		.input = a->files.v[file],
		.samples = { .filter = a->filter,
			     .branch_history = a->streams,
			     .branches_given = true, /* samples count, not their branches */
			     .block_cycles = a->stock.cycles_hist,
			     .max_stack = MAX_STACK_OF_STOCK,
			     .socket = -1 },
		.table = { .sort = a->sort ? a->sort : "dso,symbol",
			   .relative = a->relative,
			   .stdio = true,
			   .idle = true,
			   .percent_limit = -1,
			   .time_quantum = TIME_QUANTUM },
		.graph = { .mode = GRAPH_NONE },
		.symbols = a->symbols,
		.threads = a->threads,
	};
	d->report.samples.filter.times = times;
}

/* Return the hists of the second recording that are of an event of the first one, or NULL. */
static const struct hists *view__hists_of(const struct view *v, const struct streams *s)
{
	const struct evlist *l = &v->profile->session->reader->evlist;
	const struct evsel *event = evlist__find_same(l, s->event, &s->attr);

	for (size_t i = 0; i < v->hists.nr; i++)
		if (v->hists.v[i].evsel == event)
			return &v->hists.v[i];
	return NULL;
}

static void diff__take_streams(struct diff *d, struct view *v, u32 file)
{
	size_t nr = file ? d->streams[0].nr : v->hists.nr;

	for (size_t i = 0; i < nr; i++) {
		const struct hists *h = file ? view__hists_of(v, &d->streams[0].v[i]) : &v->hists.v[i];
		struct streams *s = array__push(&d->streams[file]);

		*s = (struct streams){ .nr = 0 };
		if (h)
			streams__find(s, v, h, &d->arena);
	}
}

static void diff__take_view(struct diff *d, struct view *v, u32 file)
{
	const struct cell_style style = { .separator = d->args->stock.separator,
					  .verbose = d->args->verbose > 0 };

	if (d->args->streams)
		diff__take_streams(d, v, file);
	else if (d->report.samples.total_cycles)
		side_by_side__add_blocks(&d->sides, file, v);
	else
		side_by_side__add(&d->sides, file, v, &style);
}

static int diff__add_view(struct diff *d, struct session *session, u32 file)
{
	struct report_setup setup;
	struct profile profile = { 0 };
	struct view view;
	int ret = report_setup__init(&setup, &d->report, session, false, &d->err);

	if (!ret)
		ret = profile__collect(&profile, session, &setup.profile, &d->err);
	if (!ret) {
		progress__begin(reading__progress(), 0, "naming what was sampled");
		view__build(&view, &profile, &setup.view);
		diff__take_view(d, &view, file);
		view__exit(&view);
	}
	profile__exit(&profile);
	report_setup__exit(&setup);
	return ret;
}

static bool diff__wants_blocks(const struct diff *d)
{
	return d->args->stock.method == DIFF_CYCLES && !d->args->streams;
}

/* Check that a recording has branch stacks if --stream or -c cycles needs them. */
static int diff__check_branches(struct diff *d, const struct session *session)
{
	const struct evlist *l = &session->reader->evlist;

	if ((!d->args->streams && !diff__wants_blocks(d)) ||
	    (evlist__sample_type_any(l) & PERF_SAMPLE_BRANCH_STACK && !evlist__has_lbr_chains(l)))
		return 0;
	return err__set(&d->err, -EINVAL, "%s: '%s' has no branch stacks; record with -b to have them",
			d->args->streams ? "--stream" : "-c cycles", session->reader->path);
}

/*
 * Stock perf's table shows what one recording has, too: say where there is nothing to compare. Return whether
 * there was anything to say.
 */
static bool diff__tell_lacks(struct diff *d, const struct session *session, u32 file)
{
	const char *path = session->reader->path;
	bool has_blocks = !diff__wants_blocks(d), is_empty = false;

	if (d->args->filter.times || d->args->filter.cpus || session->reader->damage.code)
		return false; /* these explain it */
	for (size_t i = 0; i < d->sides.tables.nr; i++) {
		const struct side_table *t = &d->sides.tables.v[i];

		if (!t->has_samples[file])
			warning("'%s' has no samples of '%s'", path, t->event);
		is_empty |= !t->has_samples[file];
		for (size_t k = 0; k < t->blocks.nr; k++)
			has_blocks |= t->blocks.v[k].cells[file].is_there;
	}
	if (!is_empty && !has_blocks)
		warning("'%s' has no cycles of branches in known functions: not all processors count them",
			path);
	for (size_t i = 0; i < d->streams[file > 0].nr && d->args->streams; i++)
		if (!d->streams[file].v[i].nr)
			warning("'%s' has no branches of '%s'", path, d->streams[0].v[i].event);
	return is_empty;
}

static void diff__tell_arch(struct diff *d, const struct session *session, u32 file)
{
	struct strbuf text = STRBUF_INIT;
	char *arch = NULL;

	if (features__string(session->reader, FEATURE_ARCH, &arch))
		return;
	compare_text__add_machines(&text, d->args->files.v[0], d->arch, session->reader->path, arch);
	if (text.len)
		warning("%s", text.buf);
	strbuf__exit(&text);
	if (file)
		free(arch);
	else
		d->arch = arch;
}

static int diff__read_views(struct diff *d)
{
	int ret = 0;

	for (u32 i = 0; i < d->args->files.nr && !ret; i++) {
		char *times = diff__time_of_file(d->args->filter.times, i);
		struct session *session = NULL;

		diff__set_report_args(d, i, times);
		ret = diff__open(d, i, true, &session);
		if (!ret)
			ret = diff__check_branches(d, session);
		if (!ret)
			ret = diff__add_view(d, session, i);
		d->report.samples.total_cycles = diff__wants_blocks(d);
		if (!ret && d->report.samples.total_cycles)
			ret = diff__add_view(d, session, i);
		if (!ret && !diff__tell_lacks(d, session, i))
			diff__tell_arch(d, session, i);
		ret = diff__close(d, session, ret);
		free(times);
	}
	return ret;
}

/* ---- for the comparison ---- */

struct reader_job { /* reads a recording */
	const struct comparison *comparison;
	struct session *session;
	char *times;
	struct compared_recording recording;
	pthread_t thread;
	bool has_thread;
	int ret;
	struct err err;
};

static void *reader_job__run(void *arg)
{
	struct reader_job *j = arg;

	j->ret = compared_recording__read(&j->recording, j->comparison, j->session, j->times, &j->err);
	return NULL;
}

static int diff__start_job(struct diff *d, struct reader_job *j, u32 file, bool is_first)
{
	int ret = diff__open(d, file, is_first, &j->session);

	if (!ret)
		ret = comparison__choose_event(&d->comparison, j->session, &d->err);
	if (ret) {
		session__delete(j->session);
		return ret;
	}
	j->comparison = &d->comparison;
	j->times = diff__time_of_file(d->args->filter.times, file);
	j->has_thread = !thread__start(&j->thread, reader_job__run, j);
	if (!j->has_thread)
		reader_job__run(j);
	return 0;
}

/* ret: result of the jobs before. Only the first error is reported. */
static int diff__finish_job(struct diff *d, struct reader_job *j, u32 file, int ret)
{
	u32 side = file < d->args->nr_old ? COMPARE_OLD : COMPARE_NEW;
	const struct compared_recording *copy;

	if (j->has_thread)
		pthread_join(j->thread, NULL);
	if (!ret && j->ret)
		ret = err__set(&d->err, j->ret, "%s", j->err.text.buf);
	ret = diff__close(d, j->session, ret);
	copy = ret ? NULL : comparison__find_copy(&d->comparison, &j->recording, side);
	if (copy)
		ret = err__set(&d->err, -EINVAL, "'%s' has the samples of '%s': name each run once",
			       j->recording.path, copy->path);
	if (!ret)
		comparison__add(&d->comparison, &j->recording, side);
	else
		compared_recording__exit(&j->recording);
	free(j->times);
	err__exit(&j->err);
	return ret;
}

/*
 * Read some recordings at a time, each by a thread of its own beside those that all reading has: half of the
 * time goes to naming the samples, by one thread.
 */
static int diff__read_recordings(struct diff *d)
{
	struct reader_job jobs[MAX_READERS];
	u32 nr_files = (u32)d->args->files.nr, most = MIN(thread__count(d->args->threads), MAX_READERS);
	int ret = 0;

	for (u32 file = 0; file < nr_files && !ret; file += most) {
		u32 nr = MIN(nr_files - file, most), started = 0, finished = 0;

		for (; started < nr && !ret; started += !ret) {
			jobs[started] = (struct reader_job){ .err = ERR_INIT };
			ret = diff__start_job(d, &jobs[started], file + started, !started);
		}
		for (; finished < started; finished++)
			ret = diff__finish_job(d, &jobs[finished], file + finished, ret);
	}
	return ret;
}

/* If only some recordings know inlined functions, read all again without these. */
static int diff__read_alike(struct diff *d, const struct comparison_opts *opts)
{
	struct comparison_opts without = *opts;
	char *lacks;
	int ret = diff__read_recordings(d);

	lacks = ret || opts->no_inlines ? NULL : comparison__find_lacking_lines(&d->comparison);
	if (!lacks)
		return ret;
	without.no_inlines = true;
	comparison__exit(&d->comparison);
	comparison__init(&d->comparison, &without);
	d->comparison.lacks_lines = lacks;
	return diff__read_recordings(d);
}

int diff__read(struct diff *d)
{
	const struct diff_args *a = d->args;
	struct comparison_opts opts = { .filter = a->filter,
					.per = a->per,
					.event = a->event,
					.least_row = LEAST_ROW,
					.least_total = a->least_change,
					.new_is_one = a->new_is_one,
					.no_inlines = a->no_inlines,
					.keeps_stacks = a->folded || a->page || a->browse || a->git.commits,
					.keeps_lines = a->git.commits,
					.nr_threads = thread__count(a->threads) };

	if (a->limit.bisect)
		opts.filter.symbols = NULL; /* the others tell what all functions share */
	side_by_side__init(&d->sides, (u32)a->files.nr);
	comparison__init(&d->comparison, &opts);
	return a->is_stock ? diff__read_views(d) : diff__read_alike(d, &opts);
}
