#include "stat/stat_pair_private.h"

#include "base/text/markdown.h"
#include "profile/compare/compare_text.h"

#include <math.h>
#include <string.h>

/* ---- text ---- */

/* Append a value with four digits. */
static void add_value(struct strbuf *out, const struct pair_counter *c, double value)
{
	double x = value * c->factor;

	if (isnan(value))
		strbuf__addstr(out, "-");
	else if (!strcmp(c->unit, "s"))
		strbuf__add_duration(out, value);
	else if (x >= 1000 || (c->factor == 1 && floor(x) == x))
		strbuf__addf(out, "%.0f", x);
	else
		strbuf__addf(out, "%.4g", x);
	if (*c->unit && strcmp(c->unit, "s"))
		strbuf__addf(out, " %s", c->unit);
}

static void add_verdict(struct strbuf *out, const struct stat_pair *p, const struct pair_counter *c)
{
	const struct pair_evidence *e = &c->evidence;

	switch (e->verdict) {
	case VERDICT_SLOWER:
		strbuf__addstr(out, c->is_time ? "slower" : "more");
		break;
	case VERDICT_FASTER:
		strbuf__addstr(out, c->is_time ? "faster" : "less");
		break;
	case VERDICT_SAME:
		strbuf__addf(out, "same within %.3g%%", 100 * p->opts->least_change);
		break;
	default:
		strbuf__addstr(out, "cannot tell");
		if (e->needs >= 1)
			strbuf__addf(out, ": needs %.0f more run%s", ceil(e->needs), e->needs > 1 ? "s" : "");
	}
}

static void add_right(struct strbuf *out, const char *text, size_t width)
{
	size_t len = strlen(text);

	strbuf__addchars(out, ' ', len < width ? width - len : 1);
	strbuf__addstr(out, text);
}

enum { NAME_COLUMNS = 20, NUMBER_COLUMNS = 13, CHANGE_COLUMNS = 8, INTERVAL_COLUMNS = 18 };

static void add_row(struct strbuf *out, const struct stat_pair *p, const struct pair_counter *c)
{
	const struct pair_evidence *e = &c->evidence;
	const struct evidence_row interval = { .low = e->low, .high = e->high };
	struct strbuf text = STRBUF_INIT;

	strbuf__addstr(out, "  ");
	strbuf__add_masked(out, c->name);
	strbuf__addchars(out, ' ', strlen(c->name) < NAME_COLUMNS ? NAME_COLUMNS - strlen(c->name) : 1);
	if (!e->nr) {
		add_right(out, c->is_missing ? "<not supported>" : "<not counted>", NUMBER_COLUMNS + 2);
		strbuf__addch(out, '\n');
		return;
	}
	for (unsigned side = OLD; side <= NEW; side++) {
		strbuf__reset(&text);
		add_value(&text, c, e->mean[side]);
		add_right(out, text.buf, NUMBER_COLUMNS);
	}
	strbuf__reset(&text);
	compare_text__add_change(&text, e->change);
	add_right(out, text.buf, CHANGE_COLUMNS);
	strbuf__reset(&text);
	if (!isnan(e->low))
		compare_text__add_interval(&text, &interval);
	add_right(out, text.buf, INTERVAL_COLUMNS);
	strbuf__addstr(out, "  ");
	add_verdict(out, p, c);
	strbuf__addch(out, '\n');
	strbuf__exit(&text);
}

static void add_text(struct strbuf *out, const struct stat_pair *p)
{
	strbuf__addf(out, "\n %u runs of each program, in turns by chance:", p->nr_rounds);
	for (unsigned side = OLD; side <= NEW; side++) {
		p->argv[0] = p->programs[side];
		strbuf__addstr(out, side == OLD ? "\n   old: " : "\n   new: ");
		command__add_words(p->argv, out);
	}
	strbuf__addf(out, "\n\n%*s%*s%*s%*s  verdict\n", NAME_COLUMNS + NUMBER_COLUMNS + 2, "old",
		     NUMBER_COLUMNS, "new", CHANGE_COLUMNS, "change", INTERVAL_COLUMNS, "95% interval");
	for (size_t i = 0; i < p->counters.nr; i++)
		add_row(out, p, &p->counters.v[i]);
	strbuf__addch(out, '\n');
}

/* ---- JSON: Documentation/stat-schema.json ---- */

static void add_json_number(struct strbuf *out, const char *name, double x)
{
	if (isfinite(x))
		strbuf__addf(out, ", \"%s\": %.9g", name, x);
	else
		strbuf__addf(out, ", \"%s\": null", name);
}

static void add_json_counter(struct strbuf *out, const struct pair_counter *c)
{
	const struct pair_evidence *e = &c->evidence;

	strbuf__addstr(out, "{\"event\": ");
	strbuf__add_json(out, c->name);
	strbuf__addstr(out, ", \"unit\": ");
	strbuf__add_json(out, c->unit);
	strbuf__addf(out, ", \"runs\": %u, \"verdict\": \"%s\"", e->nr,
		     verdict__name(e->nr ? e->verdict : VERDICT_FEW));
	add_json_number(out, "old", e->nr ? e->mean[OLD] * c->factor : NAN);
	add_json_number(out, "new", e->nr ? e->mean[NEW] * c->factor : NAN);
	add_json_number(out, "change", e->nr ? e->change : NAN);
	add_json_number(out, "low", e->nr ? e->low : NAN);
	add_json_number(out, "high", e->nr ? e->high : NAN);
	add_json_number(out, "needs_runs", e->nr && e->needs >= 1 ? ceil(e->needs) : NAN);
	for (unsigned side = OLD; side <= NEW; side++) {
		strbuf__addf(out, ", \"%s_runs\": [", side == OLD ? "old" : "new");
		for (size_t i = 0; i < c->side[side].nr; i++) {
			double x = c->side[side].v[i] * c->factor;

			strbuf__addf(out, isfinite(x) ? "%s%.9g" : "%snull", i ? ", " : "", x);
		}
		strbuf__addch(out, ']');
	}
	strbuf__addch(out, '}');
}

static void add_json(struct strbuf *out, const struct stat_pair *p)
{
	strbuf__addstr(out, "{\"format\": \"perf stat\", \"version\": 1, \"programs\": {");
	for (unsigned side = OLD; side <= NEW; side++) {
		strbuf__addf(out, "%s\"%s\": [", side ? ", " : "", side == OLD ? "old" : "new");
		strbuf__add_json(out, p->programs[side]);
		for (size_t i = 1; p->argv[i]; i++) {
			strbuf__addstr(out, ", ");
			strbuf__add_json(out, p->argv[i]);
		}
		strbuf__addch(out, ']');
	}
	strbuf__addf(out, "}, \"rounds\": %u, \"least_change\": %g, \"counters\": [", p->nr_rounds,
		     p->opts->least_change);
	for (size_t i = 0; i < p->counters.nr; i++) {
		strbuf__addstr(out, i ? ",\n" : "\n");
		add_json_counter(out, &p->counters.v[i]);
	}
	strbuf__addstr(out, "\n]}\n");
}

/* ---- Markdown: one table ---- */

enum { MARKDOWN_ROWS = 20 };

static void add_markdown_row(struct strbuf *out, const struct stat_pair *p, const struct pair_counter *c)
{
	const struct pair_evidence *e = &c->evidence;
	const struct evidence_row interval = { .low = e->low, .high = e->high };

	strbuf__addstr(out, "| ");
	markdown__add_name(out, c->name, MARKDOWN_CELL);
	if (!e->nr) {
		strbuf__addf(out, " | | | | | %s |\n", c->is_missing ? "not supported" : "not counted");
		return;
	}
	for (unsigned side = OLD; side <= NEW; side++) {
		strbuf__addstr(out, " | ");
		add_value(out, c, e->mean[side]);
	}
	strbuf__addstr(out, " | ");
	compare_text__add_change(out, e->change);
	strbuf__addstr(out, " | ");
	if (!isnan(e->low))
		compare_text__add_interval(out, &interval);
	strbuf__addstr(out, " | ");
	add_verdict(out, p, c);
	strbuf__addstr(out, " |\n");
}

static void add_markdown(struct strbuf *out, const struct stat_pair *p)
{
	struct strbuf command = STRBUF_INIT;
	size_t nr = 0;

	strbuf__addf(out, "%u runs of each program, in turns by chance: ", p->nr_rounds);
	for (unsigned side = OLD; side <= NEW; side++) {
		p->argv[0] = p->programs[side];
		strbuf__reset(&command);
		command__add_words(p->argv, &command);
		strbuf__addstr(out, side == OLD ? "" : " -> ");
		markdown__add_name(out, command.buf, MARKDOWN_LINE);
	}
	strbuf__addstr(out, "\n\n| Counter | Old | New | Change | 95% interval | Verdict |\n"
			    "|:---|---:|---:|---:|---:|:---|\n");
	for (unsigned wants_changes = 2; wants_changes-- > 0;) { /* changes first */
		for (size_t i = 0; i < p->counters.nr; i++) {
			const struct pair_counter *c = &p->counters.v[i];

			if (verdict__is_change(c->evidence.verdict) == wants_changes && nr++ < MARKDOWN_ROWS)
				add_markdown_row(out, p, c);
		}
	}
	if (nr > MARKDOWN_ROWS)
		strbuf__addf(out, "\n%zu more: the same command without `--markdown`\n", nr - MARKDOWN_ROWS);
	strbuf__exit(&command);
}

/* ---- all ---- */

void stat_pair__add(const struct stat_pair *p, struct strbuf *out)
{
	if (p->opts->json)
		add_json(out, p);
	else if (p->opts->markdown)
		add_markdown(out, p);
	else
		add_text(out, p);
}
