#include "ui/stdio/span_text.h"

#include "base/message/called_name.h"
#include "base/text/fit.h"

#include <string.h>

typedef unsigned long long ull;

enum {
	COLUMNS = 80,
	TIME = 9,         /* columns of a time */
	BAR = 36,         /* columns of the longest bar */
	WORDS = 48,       /* columns of what time passes with */
	SHOWN_PARTS = 3,  /* who ended waits, of each kind of wait */
	THREAD = 22,      /* columns of a thread */
	LEAST_SHOWN = 200 /* rows are shown from 1/200 of a mean on */
};

/* ---- cells ---- */

static void add_time(struct strbuf *sb, double ns, int width)
{
	struct strbuf text = STRBUF_INIT;

	if (ns > 0)
		strbuf__add_duration(&text, ns);
	else
		strbuf__addstr(&text, "0");
	strbuf__addf(sb, "%*s", width, text.buf);
	strbuf__exit(&text);
}

/* Append text from the recording, shortened to a number of columns on a terminal, and filled up to it. */
static void add_words(struct strbuf *sb, const struct span_text_opts *o, const char *text, unsigned columns)
{
	struct strbuf masked = STRBUF_INIT;
	size_t len = sb->len;
	unsigned used;

	strbuf__add_masked(&masked, text);
	if (o->is_screen)
		fit__shorten(sb, masked.buf, masked.len, columns);
	else
		strbuf__addstr(sb, masked.buf);
	used = fit__columns(sb->buf + len, sb->len - len);
	strbuf__addchars(sb, ' ', used < columns ? columns - used : 0);
	strbuf__exit(&masked);
}

/* Append lines that begin with "# ", wrapped to the width of the table. */
static void add_comment(struct strbuf *sb, struct strbuf *line)
{
	fit__wrap(sb, line->buf, "#   ", COLUMNS);
	strbuf__addch(sb, '\n');
	strbuf__reset(line);
}

/* ---- how long ---- */

static void add_quantiles(const struct span_table *t, struct strbuf *sb)
{
	static const char *const names[] = { "p50", "p90", "p99", "p99.9", "max", "mean" };

	strbuf__addstr(sb, "#");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		strbuf__addf(sb, "%*s", i ? TIME + 2 : TIME, names[i]);
	strbuf__addstr(sb, "\n ");
	for (size_t i = 0; i < NR_SPAN_QUANTILES; i++)
		add_time(sb, (double)t->quantiles[i], i ? TIME + 2 : TIME);
	add_time(sb, (double)t->max, TIME + 2);
	add_time(sb, span_table__mean(t, GROUP_ALL, t->ns[GROUP_ALL]), TIME + 2);
	strbuf__addstr(sb, "\n");
}

static void add_histogram(const struct span_table *t, struct strbuf *sb)
{
	u64 most = 0;

	for (size_t i = 0; i < t->buckets.nr; i++)
		most = MAX(most, t->buckets.v[i].nr);
	strbuf__addf(sb, "#%*s %*s\n", TIME, "from", TIME + 1, "spans");
	for (size_t i = 0; i < t->buckets.nr; i++) {
		const struct span_bucket *b = &t->buckets.v[i];
		double part = (double)b->nr / (double)MAX(most, 1u);

		strbuf__addch(sb, ' ');
		add_time(sb, (double)b->begin, TIME);
		strbuf__addf(sb, " %*llu %6.2f%%  ", TIME + 1, (ull)b->nr,
			     100 * (double)b->nr / (double)MAX(t->nr[GROUP_ALL], 1u));
		strbuf__addchars(sb, '#', (size_t)(part * BAR + 0.5));
		if (b->nr && part * BAR < 0.5)
			strbuf__addch(sb, '.');
		while (sb->buf[sb->len - 1] == ' ')
			strbuf__setlen(sb, sb->len - 1);
		strbuf__addch(sb, '\n');
	}
}

static void add_number(struct strbuf *sb, u64 nr, const char *what)
{
	if (nr)
		strbuf__addf(sb, "%s%llu %s", sb->len ? "; " : "", (ull)nr, what);
}

/* Append which spans are missing, in words: "2 left by an exception or longjmp"; nothing if none are. */
static void span_text__add_losses(const struct span_set *s, struct strbuf *sb)
{
	struct strbuf text = STRBUF_INIT;

	add_number(&text, s->losses.unfinished, "cut off by the end of the recording or of the thread");
	add_number(&text, s->losses.left, "left by an exception, a longjmp or another begin");
	add_number(&text, s->losses.lost, "whose begin or end was lost");
	add_number(&text, s->losses.strays, "that began before the recording");
	add_number(&text, s->nr_bad, "that are damaged");
	strbuf__addstr(sb, text.buf);
	strbuf__exit(&text);
}

static void add_title(const struct span_table *t, struct strbuf *sb)
{
	const struct span_set *s = t->set;
	double seconds = (double)(s->last - s->first) / 1e9;
	struct strbuf line = STRBUF_INIT;

	strbuf__addstr(&line, "# Spans '");
	strbuf__add_masked(&line, evsel__span_name(s->event));
	strbuf__addf(&line, "': %llu of %llu thread%s in ", (ull)s->nr, (ull)s->nr_threads,
		     s->nr_threads == 1 ? "" : "s");
	strbuf__add_duration(&line, (double)(s->last - s->first));
	if (seconds > 0) {
		strbuf__addstr(&line, ", ");
		spans__add_rate(&line, (double)s->nr / seconds);
	}
	add_comment(sb, &line);
	strbuf__exit(&line);
}

/* Append what the numbers leave out. */
static void add_notes(const struct span_table *t, struct strbuf *sb)
{
	const struct span_set *s = t->set;
	struct strbuf line = STRBUF_INIT;

	if (s->nr > s->v.nr) {
		strbuf__addf(&line, "# Recorded: %zu; the others are like them (there were too many)",
			     s->v.nr);
		add_comment(sb, &line);
	}
	strbuf__addstr(&line, "# Missing: ");
	span_text__add_losses(s, &line);
	if (line.len > strlen("# Missing: "))
		add_comment(sb, &line);
	strbuf__reset(&line);
	strbuf__addstr(&line, "# Not followed: coroutines, and work handed to other threads");
	add_comment(sb, &line);
	if (s->cost) {
		strbuf__addstr(&line, "# Recording takes ");
		strbuf__add_duration(&line, s->cost);
		strbuf__addstr(&line, " of each call, part of it in the span");
		add_comment(sb, &line);
	}
	strbuf__exit(&line);
}

/* ---- where the time goes ---- */

static bool span_table__shows(const struct span_table *t, const struct span_row *r)
{
	for (enum table_group g = 0; g < NR_TABLE_GROUPS; g++)
		if (r->ns[g] && r->ns[g] >= t->ns[g] / LEAST_SHOWN)
			return true;
	return false;
}

static void add_row(const struct span_table *t, struct strbuf *sb, const char *words, const u64 *ns,
		    const struct span_text_opts *o)
{
	add_words(sb, o, words, WORDS);
	for (enum table_group g = 0; g < NR_TABLE_GROUPS; g++)
		if (t->nr[g])
			add_time(sb, span_table__mean(t, g, ns[g]), TIME + 1);
		else
			strbuf__addf(sb, "%*s", TIME + 1, "-");
	strbuf__addch(sb, '\n');
}

/* Append who ended the waits of a row: r is its first part. Return the row after the last part. */
static size_t add_parts(const struct span_table *t, size_t r, struct strbuf *sb,
			const struct span_text_opts *o)
{
	struct strbuf words = STRBUF_INIT;
	bool is_known = false;
	size_t end = r;
	u32 nr = 0;

	for (; end < t->rows.nr && t->rows.v[end].is_part; end++)
		is_known |= t->rows.v[end].reason.role != ROLE_UNKNOWN;
	is_known &= t->rows.v[r - 1].reason.kind != WAIT_SLEEP; /* the timer ends those */
	for (; r < end && is_known && nr < SHOWN_PARTS; r++) {
		if (!span_table__shows(t, &t->rows.v[r]))
			continue;
		strbuf__reset(&words);
		strbuf__addstr(&words, "    ");
		span_table__add_row_words(t, &t->rows.v[r], &words);
		add_row(t, sb, words.buf, t->rows.v[r].ns, o);
		nr++;
	}
	strbuf__exit(&words);
	return end;
}

static void add_rows(const struct span_table *t, struct strbuf *sb, const struct span_text_opts *o)
{
	struct span_row rest = { .nr_threads = 0 };
	struct strbuf words = STRBUF_INIT;

	for (size_t i = 0; i < t->rows.nr;) {
		const struct span_row *r = &t->rows.v[i++];
		bool is_shown = i <= SPAN_FIRST_WAIT || span_table__shows(t, r);

		strbuf__reset(&words);
		strbuf__addstr(&words, "  ");
		span_table__add_row_words(t, r, &words);
		if (is_shown) {
			add_row(t, sb, words.buf, r->ns, o);
			i = add_parts(t, i, sb, o);
			continue;
		}
		for (enum table_group g = 0; g < NR_TABLE_GROUPS; g++)
			rest.ns[g] += r->ns[g];
		while (i < t->rows.nr && t->rows.v[i].is_part)
			i++;
	}
	if (rest.ns[GROUP_ALL])
		add_row(t, sb, "  other waits", rest.ns, o);
	strbuf__exit(&words);
}

/* Append the limits of the columns. */
static void add_limits(const struct span_table *t, struct strbuf *sb)
{
	struct strbuf limit = STRBUF_INIT;

	strbuf__addf(sb, "#%*s", WORDS + TIME, "");
	for (enum table_group g = GROUP_FAST; g < NR_TABLE_GROUPS; g++) {
		strbuf__reset(&limit);
		strbuf__addstr(&limit, g == GROUP_FAST ? "<=" : ">=");
		strbuf__add_duration(&limit, (double)t->limits[g]);
		strbuf__addf(sb, "%*s", TIME + 1, limit.buf);
	}
	strbuf__addch(sb, '\n');
	strbuf__exit(&limit);
}

static void add_reasons(const struct span_table *t, struct strbuf *sb, const struct span_text_opts *o)
{
	strbuf__addf(sb, "#\n# %-*s%*s%*s%*s\n", WORDS - 2, "Where the time of a span goes (mean)", TIME + 1,
		     "all", TIME + 1, "fast", TIME + 1, "slow");
	add_limits(t, sb);
	add_words(sb, o, "  number", WORDS);
	for (enum table_group g = 0; g < NR_TABLE_GROUPS; g++)
		strbuf__addf(sb, "%*llu", TIME + 1, (ull)t->nr[g]);
	strbuf__addch(sb, '\n');
	add_row(t, sb, "  duration", t->ns, o);
	add_rows(t, sb, o);
}

static void add_no_reasons(struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	strbuf__addf(&line,
		     "# Where their time went is not known: record as root with: %s record --span FUNCTION "
		     "--off-cpu=locks -g ...",
		     called_name());
	strbuf__addstr(sb, "#\n");
	add_comment(sb, &line);
	strbuf__exit(&line);
}

/* ---- the slowest ---- */

static void add_slowest(const struct span_table *t, const struct machine *m, struct strbuf *sb,
			const struct span_text_opts *o)
{
	struct strbuf words = STRBUF_INIT;

	strbuf__addf(sb, "#\n# %*s %*s  %s\n", TIME - 1, "Slowest", TIME + 2, "at",
		     t->times ? "thread                  most of it" : "thread");
	for (size_t i = 0; i < t->slowest.nr; i++) {
		const struct slow_span *s = &t->slowest.v[i];

		strbuf__addch(sb, ' ');
		add_time(sb, (double)span__ns(&s->span), TIME);
		strbuf__addf(sb, " %*.3f s  ", TIME, (double)(s->span.begin - t->set->first) / 1e9);
		strbuf__reset(&words);
		if (s->comm == COMM_UNKNOWN)
			strbuf__addf(&words, ":%u", s->span.tid);
		else
			strbuf__addf(&words, "%s %u", machine__str(m, s->comm), s->span.tid);
		add_words(sb, o, words.buf, THREAD);
		if (t->times) {
			strbuf__reset(&words);
			strbuf__add_duration(&words, (double)s->most_ns);
			strbuf__addch(&words, ' ');
			span_reason__add_words(&s->most, &t->times->locks, &words);
			strbuf__addstr(sb, "  ");
			add_words(sb, o, words.buf, COLUMNS - 26 - THREAD);
		}
		while (sb->buf[sb->len - 1] == ' ')
			strbuf__setlen(sb, sb->len - 1);
		strbuf__addch(sb, '\n');
	}
	strbuf__exit(&words);
}

/* ---- all ---- */

/* Append a command to type. */
static void add_command(struct strbuf *sb, const struct span_text_opts *o, bool has_span, const char *option)
{
	struct strbuf words = STRBUF_INIT;

	strbuf__addf(&words, "%s report ", called_name());
	if (strcmp(o->path, "perf.data") != 0) {
		strbuf__addstr(&words, "-i ");
		strbuf__add_shell_word(&words, o->path);
		strbuf__addch(&words, ' ');
	}
	strbuf__addstr(&words, o->name ? "--span=" : has_span ? "--span " : "");
	if (o->name) {
		strbuf__add_shell_word(&words, o->name);
		strbuf__addch(&words, ' ');
	}
	strbuf__addstr(&words, option);
	strbuf__add_masked(sb, words.buf);
	strbuf__exit(&words);
}

static void add_next(const struct span_table *t, struct strbuf *sb, const struct span_text_opts *o)
{
	strbuf__addstr(sb, "#\n# Next: ");
	add_command(sb, o, false, "--slower p99");
	strbuf__addstr(sb, "   (what slow ones did)\n");
	if (!t->times)
		return;
	strbuf__addstr(sb, "#       ");
	add_command(sb, o, true, "--why");
	strbuf__addstr(sb, "   (what slow ones have more of)\n");
}

void span_text__add(const struct span_table *t, const struct machine *m, const struct span_text_opts *o,
		    struct strbuf *sb)
{
	add_title(t, sb);
	strbuf__addstr(sb, "#\n");
	if (!t->set->nr) {
		add_notes(t, sb);
		return;
	}
	add_quantiles(t, sb);
	strbuf__addstr(sb, "#\n");
	add_histogram(t, sb);
	strbuf__addstr(sb, "#\n");
	add_notes(t, sb);
	if (t->times)
		add_reasons(t, sb, o);
	else
		add_no_reasons(sb);
	add_slowest(t, m, sb, o);
	if (!o->quiet)
		add_next(t, sb, o);
}
