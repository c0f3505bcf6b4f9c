/*
 * perf diff --span: compare how long spans took in old and new recordings, and what explains the
 * difference.
 */
#include "ui/diff_private.h"

#include "base/command/pager.h"
#include "base/command/term.h"
#include "base/message/msg.h"
#include "ui/diff/span_diff_view.h"
#include "ui/notes/reading.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct seen_spans { /* of a recording: no other one has the same */
	u64 first, last, nr, ns;
};

struct span_diff {
	struct diff *d;
	struct span_compare compare;
	char *name; /* of the spans; NULL: not known yet */
	ARRAY(struct seen_spans) seen;
};

int diff__check_spans(struct diff *d)
{
	const struct diff_args *a = d->args;
	const struct {
		bool given;
		const char *option;
	} others[] = {
		{ a->is_stock, "stock perf's table" },
		{ a->folded, "--folded" },
		{ a->markdown, "--markdown" },
		{ a->page, "--html" },
		{ a->git.commits, "--git" },
		{ a->per, "--per" },
		{ a->event, "-e" },
		{ a->limit.bisect, "--bisect" },
		{ a->dump, "-D" },
		{ a->limit.needs_touched, "--fail-on touched" },
		{ a->baseline.adds, "--baseline-add" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].given)
			return err__set(&d->err, -EINVAL, "--span and %s exclude each other",
					others[i].option);
	return 0;
}

/* ---- reading ---- */

/* Find the spans in a recording: those of --span=NAME, or else the only ones of the first recording. */
static int span_diff__choose(struct span_diff *s, const struct session *session, const struct evsel **event)
{
	struct err *err = &s->d->err;
	int ret;

	if (session->is_merged)
		return err__set(err, -EINVAL, "--span: '%s' is merged, and has no spans",
				session->reader->path);
	ret = span_set__choose_event(&session->reader->evlist, s->name, event, err);
	if (ret)
		err__prefix(err, "'%s'", session->reader->path);
	else if (!s->name)
		s->name = xstrdup(evsel__span_name(*event));
	return ret;
}

/* Refuse to count a recording twice. */
static int span_diff__see(struct span_diff *s, const struct span_set *set, u32 file)
{
	const struct seen_spans seen = { set->first, set->last, set->nr, set->ns };

	for (size_t i = 0; i < s->seen.nr; i++)
		if (set->nr && !memcmp(&s->seen.v[i], &seen, sizeof(seen)))
			return err__set(&s->d->err, -EINVAL, "'%s' has the spans of '%s': name each run once",
					s->d->args->files.v[file], s->d->args->files.v[i]);
	array__add(&s->seen, seen);
	return 0;
}

static int span_diff__add(struct span_diff *s, struct session *session, struct span_set *set,
			  const struct sample_filter *filter, u32 file)
{
	struct span_side *side = &s->compare.sides[file < s->d->args->nr_old ? COMPARE_OLD : COMPARE_NEW];
	bool has_times = session__has_wait_times(session);
	struct span_times times;
	int ret = span_diff__see(s, set, file);

	if (!ret)
		ret = sample_filter__keep_spans(filter, set, &session->machine, &s->d->err);
	if (ret)
		return ret;
	if (has_times) {
		progress__begin(reading__progress(), 0, "naming locks");
		ret = span_times__read(&times, session, &s->d->err);
	}
	if (!ret)
		span_side__add(side, set, has_times ? &times : NULL);
	if (has_times)
		span_times__exit(&times);
	return ret;
}

static int span_diff__read_session(struct span_diff *s, struct session *session, u32 file)
{
	struct filter_args args = s->d->args->filter;
	char *text = diff__time_of_file(args.times, file);
	struct sample_filter filter = { .has_times = false };
	const struct evsel *event;
	struct span_set set = { .event = NULL };
	int ret;

	args.times = text;
	ret = sample_filter__parse(&filter, &args, session, &s->d->err);
	if (!ret)
		ret = span_diff__choose(s, session, &event);
	if (!ret)
		ret = span_set__read(&set, session, event, &s->d->err);
	if (!ret)
		ret = span_diff__add(s, session, &set, &filter, file);
	span_set__exit(&set);
	sample_filter__exit(&filter);
	free(text);
	return ret;
}

static int span_diff__read(struct span_diff *s)
{
	int ret = 0;

	for (u32 i = 0; i < s->d->args->files.nr && !ret; i++) {
		struct session *session = NULL;

		ret = diff__open(s->d, i, true, &session);
		if (!ret)
			ret = span_diff__read_session(s, session, i);
		ret = diff__close(s->d, session, ret);
	}
	return ret;
}

/* ---- output ---- */

static void span_diff__print(struct span_diff *s)
{
	const struct diff_args *a = s->d->args;
	struct span_diff_opts opts = { .name = s->name,
				       .paths = a->files.v,
				       .nr_old = a->nr_old,
				       .nr_files = (u32)a->files.nr,
				       .quiet = a->quiet };
	struct strbuf text = STRBUF_INIT;
	struct pager pager = PAGER_INIT;

	if (term__is_tty(STDOUT_FILENO) && !a->full_names)
		opts.columns = MAX((unsigned)term__columns_of(STDOUT_FILENO), 60u);
	if (a->json)
		span_diff_view__add_json(&s->compare, &opts, &text);
	else
		span_diff_view__add(&s->compare, &opts, &text);
	reading__end_progress();
	pager__start(&pager);
	fwrite(text.buf, 1, text.len, stdout);
	pager__finish(&pager);
	fflush(stdout);
	strbuf__exit(&text);
}

/* --fail-on slower[:PERCENT]: say which duration is slower by so much. */
static void span_diff__check_limit(struct span_diff *s)
{
	const struct diff_limit *l = &s->d->args->limit;

	for (u32 i = 0; i < NR_SPAN_CHANGES && l->is_on; i++) {
		const struct span_change *c = &s->compare.changes[i];

		if (c->verdict != VERDICT_SLOWER || c->change < 1 + l->slower)
			continue;
		s->d->status = EXIT_SLOWER;
		info("--fail-on: %s of '%s' is slower by %.1f%%", span_change__name(i), s->name,
		     (c->change - 1) * 100);
	}
}

int diff__run_spans(struct diff *d)
{
	struct span_diff s = { .d = d, .name = d->args->spans.span ? xstrdup(d->args->spans.span) : NULL };
	int ret;

	span_compare__init(&s.compare);
	s.compare.least_change = d->args->least_change;
	s.compare.new_is_one = d->args->new_is_one;
	ret = span_diff__read(&s);
	if (d->args->baseline.has_read)
		d->args->baseline.has_read(d->args->baseline.ctx);
	reading__release_interrupts();
	if (!ret) {
		span_compare__finish(&s.compare);
		span_diff__print(&s);
		span_diff__check_limit(&s);
	}
	span_compare__exit(&s.compare);
	array__exit(&s.seen);
	free(s.name);
	return ret;
}
