#include "ui/stdio/why_table.h"

#include "base/text/fit.h"
#include "profile/causes/why_text.h"

#include <math.h>

typedef unsigned long long ull;

#define LEAST_SHOWN 0.02 /* of the extra time */

enum {
	COLUMNS = 110,
	TIME = 10, /* columns of a time */
};

static void add_comment(struct strbuf *sb, struct strbuf *line)
{
	fit__wrap(sb, line->buf, "#   ", COLUMNS);
	strbuf__addch(sb, '\n');
	strbuf__reset(line);
}

static void add_time(struct strbuf *sb, double ns, int width)
{
	struct strbuf text = STRBUF_INIT;

	if (!isfinite(ns))
		strbuf__addstr(&text, "?");
	else if (ns > 0 || ns < 0)
		strbuf__add_duration(&text, ns);
	else
		strbuf__addstr(&text, "0");
	strbuf__addf(sb, "%*s", width, text.buf);
	strbuf__exit(&text);
}

static void add_group(const struct span_why *w, const char *name, int group, struct strbuf *sb)
{
	const struct group_facts *f = &w->groups.facts[group];
	u32 nr = w->groups.verdict.groups[group].nr;
	struct strbuf line = STRBUF_INIT;

	strbuf__addf(&line, "# %s: %llu", name, (ull)f->nr);
	if (f->nr) {
		strbuf__addstr(&line, ", of ");
		strbuf__add_duration(&line, (double)f->shortest);
		strbuf__addstr(&line, " to ");
		strbuf__add_duration(&line, (double)f->longest);
		strbuf__addstr(&line, ", mean ");
		strbuf__add_duration(&line, w->groups.verdict.durations.mean[group]);
	}
	if (nr < f->nr)
		strbuf__addf(&line, "; %u of them are looked at", nr);
	add_comment(sb, &line);
	strbuf__exit(&line);
}

static void add_row(struct span_why *w, const struct why_row *r, struct strbuf *sb)
{
	const struct span_contrast *c = &r->x.contrast;
	struct strbuf line = STRBUF_INIT, lead = STRBUF_INIT, callers = STRBUF_INIT;

	strbuf__addch(&line, r->x.is_named ? '*' : ' ');
	add_time(&line, c->more, TIME - 1);
	strbuf__addf(&line, " %5.1f%%", 100 * r->x.part);
	add_time(&line, c->low, TIME);
	strbuf__addstr(&line, " ..");
	add_time(&line, c->high, TIME - 1);
	strbuf__addf(&line, "%6u  ", c->nr_have);
	strbuf__addchars(&lead, ' ', line.len);
	why_text__add_row(w, r, &line);
	why_text__add_callers(w, r, &callers);
	if (callers.len)
		strbuf__addf(&line, " (%s)", callers.buf);
	if (r->meanwhile) {
		strbuf__addstr(&line, "; ");
		why_text__add_meanwhile(w, r, &line);
		strbuf__addf(&line, " for %.0f%% of that", 100 * r->meanwhile_part);
	}
	fit__wrap(sb, line.buf, lead.buf, COLUMNS);
	strbuf__addch(sb, '\n');
	strbuf__exit(&line);
	strbuf__exit(&lead);
	strbuf__exit(&callers);
}

static void add_table(struct span_why *w, struct strbuf *sb)
{
	strbuf__addf(sb, "#\n#%*s %6s %*s %*s  %s\n", TIME - 1, "more", "part", 2 * TIME + 2, "95% interval",
		     5, "have", "slow spans");
	for (size_t i = 0; i < w->rows.nr; i++)
		if (w->rows.v[i].x.part >= LEAST_SHOWN)
			add_row(w, &w->rows.v[i], sb);
}

static void add_notes(const struct span_why *w, struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	strbuf__addstr(
		&line,
		"# more: ns of a slow span less those of a fast one, on average; part: of all that slow ones "
		"have more; have: slow spans that have at least half of it; *: a reason");
	strbuf__addstr(sb, "#\n");
	add_comment(sb, &line);
	why_text__add_advice(w, &line);
	if (line.len) {
		struct strbuf advice = STRBUF_INIT;

		strbuf__addf(&advice, "# Hint: %s", line.buf);
		add_comment(sb, &advice);
		strbuf__exit(&advice);
	}
	strbuf__exit(&line);
}

void why_table__add(struct span_why *w, const char *name, bool quiet, struct strbuf *sb)
{
	if (name) {
		strbuf__add_masked(sb, name);
		strbuf__addstr(sb, ": ");
	}
	why_text__add_answer(w, sb);
	strbuf__addch(sb, '\n');
	if (!quiet) {
		strbuf__addstr(sb, "#\n");
		add_group(w, "slow", SPANS_SLOW, sb);
		add_group(w, "fast", SPANS_FAST, sb);
	}
	if (w->rows.nr)
		add_table(w, sb);
	if (!quiet)
		add_notes(w, sb);
}
