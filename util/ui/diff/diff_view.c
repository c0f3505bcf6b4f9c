#include "ui/diff/diff_view.h"

#include "base/message/called_name.h"
#include "base/text/fit.h"
#include "profile/compare/compare_text.h"

#include <math.h>
#include <string.h>

/* ---- the lines above the rows ---- */

/* Lines are wrapped to the terminal. */
static void print_comment(struct strbuf *line, const struct diff_view_opts *o, FILE *out)
{
	struct strbuf text = STRBUF_INIT;

	if (o->columns)
		fit__wrap(&text, line->buf, "#   ", o->columns);
	else
		strbuf__addstr(&text, line->buf);
	strbuf__addch(&text, '\n');
	fwrite(text.buf, 1, text.len, out);
	strbuf__exit(&text);
	strbuf__reset(line);
}

/* ---- rows ---- */

static void add_right(struct strbuf *line, const struct strbuf *cell, unsigned width)
{
	if (cell->len < width)
		strbuf__addchars(line, ' ', width - cell->len);
	strbuf__addstr(line, cell->buf);
}

/* Append the function and the remark; on a terminal, shortened to the end of the line. */
static void add_last_cell(struct strbuf *line, const struct comparison *c, const struct compared *row,
			  const struct diff_view_opts *o)
{
	unsigned used = fit__columns(line->buf, line->len), room = o->columns > used ? o->columns - used : 1;
	struct strbuf name = STRBUF_INIT, remark = STRBUF_INIT;

	compare_text__add_function(&name, row, &o->style);
	compare_text__add_remark(&remark, c, row, &o->style, false);
	if (o->columns && fit__columns(name.buf, name.len) + remark.len > room) {
		strbuf__reset(&remark);
		compare_text__add_remark(&remark, c, row, &o->style, true);
	}
	if (o->columns && fit__columns(name.buf, name.len) + remark.len > room) {
		unsigned least = MIN(room, 12u); /* of the name */

		fit__shorten(line, name.buf, name.len,
			     remark.len + least < room ? room - (unsigned)remark.len : least);
	} else {
		strbuf__addstr(line, name.buf);
	}
	strbuf__addstr(line, remark.buf);
	strbuf__exit(&name);
	strbuf__exit(&remark);
}

void diff_view__add_row(struct strbuf *line, const struct comparison *c, const struct compared *row,
			const struct diff_view_opts *o)
{
	const struct evidence_row *e = o->of_totals ? &row->total : &row->self;
	bool is_tested = evidence_row__is_tested(e);
	struct strbuf cell = STRBUF_INIT;

	for (u32 s = 0; s < 2; s++) {
		strbuf__reset(&cell);
		compare_text__add_cost(&cell, c, e->cost[s]);
		add_right(line, &cell, DIFF_COST);
		strbuf__addch(line, ' ');
	}
	if (comparison__shares_change(c)) {
		strbuf__reset(&cell);
		compare_text__add_change(&cell, evidence_row__plain(e));
		add_right(line, &cell, DIFF_CHANGE);
		strbuf__addch(line, ' ');
	}
	strbuf__reset(&cell);
	compare_text__add_change(&cell, is_tested ? e->change : NAN);
	add_right(line, &cell, DIFF_CHANGE);
	strbuf__reset(&cell);
	if (is_tested)
		compare_text__add_interval(&cell, e);
	strbuf__addch(line, ' ');
	add_right(line, &cell, DIFF_INTERVAL);
	strbuf__addf(line, "  %-*s ", DIFF_VERDICT,
		     o->of_totals && !(row->self.cost[0] + row->self.cost[1] > 0)
			     ? ""
			     : verdict__name(row->verdict));
	add_last_cell(line, c, row, o);
	strbuf__exit(&cell);
}

unsigned diff_view__verdict_at(const struct comparison *c)
{
	return DIFF_VERDICT_AT + (comparison__shares_change(c) ? DIFF_CHANGE + 1 : 0);
}

void diff_view__add_headers(struct strbuf *line, const struct comparison *c, const struct diff_view_opts *o)
{
	strbuf__addf(line, "%*s %*s ", DIFF_COST, "Old", DIFF_COST, "New");
	if (comparison__shares_change(c))
		strbuf__addf(line, "%*s ", DIFF_CHANGE, "Plain");
	strbuf__addf(line, "%*s %*s  %-*s %s", DIFF_CHANGE, "Change", DIFF_INTERVAL, "95% interval",
		     DIFF_VERDICT, o->of_totals ? "Itself" : "Verdict",
		     o->of_totals ? "With what it calls" : "Function itself");
}

static void print_line(struct strbuf *line, FILE *out)
{
	strbuf__addch(line, '\n');
	fwrite(line->buf, 1, line->len, out);
	strbuf__reset(line);
}

void diff_view__print(const struct comparison *c, const struct diff_view_opts *o, FILE *out)
{
	struct strbuf line = STRBUF_INIT;
	u32 listed = 0;

	if (!o->quiet) {
		strbuf__addstr(&line, "# ");
		compare_text__add_recordings(&line, c, &o->style);
		print_comment(&line, o, out);
		strbuf__addstr(&line, "# ");
		compare_text__add_total(&line, c, &o->style);
		print_comment(&line, o, out);
		strbuf__addstr(&line, "# ");
		compare_text__add_changes(&line, c, &o->style);
		print_comment(&line, o, out);
		if (comparison__shares_change(c)) {
			strbuf__addstr(&line, "# ");
			compare_text__add_plain(&line, c);
			print_comment(&line, o, out);
		}
		fputs("#\n", out);
		diff_view__add_headers(&line, c, o);
		line.buf[0] = '#';
		print_line(&line, out);
	}
	for (size_t i = 0; i < c->rows.nr; i++) {
		const struct compared *row = &c->rows.v[i];

		if (!comparison__lists(c, row, &listed))
			continue;
		diff_view__add_row(&line, c, row, o);
		print_line(&line, out);
	}
	if (!o->quiet) {
		fputs("#\n", out);
		strbuf__addstr(&line, "# ");
		compare_text__add_rest(&line, c, listed);
		print_comment(&line, o, out);
		if (!comparison__has_replicates(c) && !comparison__has_merged(c) && c->unit == COMPARE_RUNS) {
			strbuf__addf(&line, "# Several runs of each tell more: %s record --repeat 5",
				     called_name());
			print_comment(&line, o, out);
		}
	}
	strbuf__exit(&line);
}

/* ---- folded stacks ---- */

struct folded {
	const char *text;
	double cost[2];
};

static int compare_folded(const void *x, const void *y)
{
	return strcmp(((const struct folded *)x)->text, ((const struct folded *)y)->text);
}

/* Append the names of the functions, the outermost first; a ';' in a name is a ':'. */
static void add_stack(struct strbuf *sb, const struct comparison *c, u32 stack)
{
	ARRAY(const char *) names = { 0 };

	for (; stack; stack = c->stacks.v.v[stack].parent)
		array__add(&names, c->rows.v[c->stacks.v.v[stack].function].name);
	for (size_t i = names.nr; i-- > 0;) {
		for (const char *name = names.v[i]; *name; name++)
			strbuf__addch(sb, *name == ';' ? ':' : *name);
		if (i)
			strbuf__addch(sb, ';');
	}
	array__exit(&names);
}

/* Functions of one name in several binaries are one here: stacks with the same text are added up. */
void diff_view__print_folded(const struct comparison *c, FILE *out)
{
	struct strbuf line = STRBUF_INIT;
	ARRAY(struct folded) lines = { 0 };
	struct strpool texts;

	strpool__init(&texts);
	for (u32 i = 1; i < c->stacks.v.nr; i++) {
		const double *cost = c->stacks.v.v[i].cost;
		u32 id;

		if (!(cost[COMPARE_OLD] + cost[COMPARE_NEW] > 0))
			continue;
		add_stack(&line, c, i);
		id = strpool__intern(&texts, line.buf);
		strbuf__reset(&line);
		while (lines.nr < id) /* the text 0 is empty */
			array__add(&lines, ((struct folded){ 0 }));
		lines.v[id - 1].text = strpool__get(&texts, id);
		for (u32 s = 0; s < 2; s++)
			lines.v[id - 1].cost[s] += cost[s];
	}
	if (lines.nr)
		qsort(lines.v, lines.nr, sizeof(*lines.v), compare_folded);
	for (size_t i = 0; i < lines.nr; i++) {
		strbuf__add_masked(&line, lines.v[i].text);
		strbuf__addf(&line, " %.0f %.0f\n", lines.v[i].cost[COMPARE_OLD],
			     lines.v[i].cost[COMPARE_NEW]);
		fwrite(line.buf, 1, line.len, out);
		strbuf__reset(&line);
	}
	array__exit(&lines);
	strpool__exit(&texts);
	strbuf__exit(&line);
}

/* ---- JSON ---- */

/* JSON has neither infinity nor NaN: they are null. */
static void add_number(struct strbuf *sb, const char *key, double x)
{
	if (isfinite(x))
		strbuf__addf(sb, "\"%s\":%.6g", key, x);
	else
		strbuf__addf(sb, "\"%s\":null", key);
}

static void add_numbers(struct strbuf *sb, const char *gap, const char *const *keys, const double *values,
			size_t nr)
{
	for (size_t i = 0; i < nr; i++, gap = ",") {
		strbuf__addstr(sb, gap);
		add_number(sb, keys[i], values[i]);
	}
}

static void add_evidence(struct strbuf *sb, const char *key, const struct evidence_row *row)
{
	static const char *const keys[] = { "old",    "new",   "samples_old", "samples_new", "plain",
					    "change", "low",   "high",        "p",           "dispersion",
					    "finds",  "needs", "doubt" };
	const double values[] = {
		row->cost[0],      row->cost[1], row->samples[0], row->samples[1], evidence_row__plain(row),
		row->change,       row->low,     row->high,       row->p,          row->dispersion,
		expm1(row->finds), row->needs,   sqrt(row->doubt)
	};

	strbuf__addf(sb, "\"%s\":{", key);
	/* too few samples: only the first five are known */
	add_numbers(sb, "", keys, values, row->verdict == VERDICT_FEW ? 5 : ARRAY_SIZE(keys));
	strbuf__addch(sb, '}');
}

static void add_member(struct strbuf *sb, const char *key, const char *value)
{
	strbuf__addf(sb, "\"%s\":", key);
	strbuf__add_json(sb, value);
	strbuf__addch(sb, ',');
}

/* What the change of the source has to do with a function. */
static void add_touch(struct strbuf *sb, const struct comparison *c, const struct compared *row)
{
	static const char *const words[] = {
		[TOUCH_UNKNOWN] = "unknown", [TOUCH_OUTSIDE] = "outside", [TOUCH_NO] = "not touched",
		[TOUCH_USES] = "uses",       [TOUCH_YES] = "touched",
	};

	if (row->touch == TOUCH_NOT_ASKED)
		return;
	add_member(sb, "source", words[row->touch]);
	if (row->used)
		add_member(sb, "uses", row->used);
	if (row->touched_caller != COMPARE_NO_ROW)
		add_member(sb, "touched_caller", c->rows.v[row->touched_caller].name);
	if (row->touched_callee != COMPARE_NO_ROW)
		add_member(sb, "touched_callee", c->rows.v[row->touched_callee].name);
	if (row->code[0] && row->code[1])
		strbuf__addf(sb, "\"same_code\":%s,", row->code[0] == row->code[1] ? "true" : "false");
}

/* The commits whose difference may have caused the change. */
static void add_commits(struct strbuf *sb, const struct source_change *s)
{
	strbuf__addstr(sb, "\"commits\":{");
	add_member(sb, "old", s->commits[COMPARE_OLD].name);
	add_member(sb, "new", s->commits[COMPARE_NEW].name);
	if (s->build_file)
		add_member(sb, "build_file", s->build_file);
	strbuf__addf(sb, "\"files\":%u,\"unread\":%u,\"submodule\":%s},\n", s->nr_files, s->nr_unread,
		     s->submodule_differs ? "true" : "false");
}

static void add_row(struct strbuf *sb, const struct comparison *c, const struct compared *row)
{
	strbuf__addstr(sb, "{\"function\":");
	strbuf__add_json(sb, row->name);
	strbuf__addstr(sb, ",\"binary\":");
	strbuf__add_json(sb, row->dso);
	strbuf__addf(sb, ",\"verdict\":\"%s\",", verdict__name(row->verdict));
	if (row->in_step)
		strbuf__addstr(sb, "\"in_step\":true,");
	if (row->self.is_burst)
		strbuf__addstr(sb, "\"is_burst\":true,");
	if (row->other != COMPARE_NO_ROW) {
		strbuf__addstr(sb, "\"other_name\":");
		strbuf__add_json(sb, c->rows.v[row->other].name);
		strbuf__addch(sb, ',');
	}
	if (row->caller != COMPARE_NO_ROW) {
		strbuf__addstr(sb, "\"caller\":");
		strbuf__add_json(sb, c->rows.v[row->caller].name);
		strbuf__addch(sb, ',');
	}
	add_touch(sb, c, row);
	add_evidence(sb, "self", &row->self);
	strbuf__addch(sb, ',');
	add_evidence(sb, "total", &row->total);
	strbuf__addch(sb, '}');
}

static void add_summary(struct strbuf *sb, const struct comparison *c)
{
	static const char *const keys[] = {
		"old", "new", "low", "high", "common", "common_low", "common_high"
	};
	const struct evidence *e = &c->self;
	const double values[] = { e->total[0], e->total[1],   e->total_low,  e->total_high,
				  e->common,   e->common_low, e->common_high };

	strbuf__addstr(sb, "\"total\":{");
	add_numbers(sb, "", keys, values, ARRAY_SIZE(keys));
	strbuf__addf(sb, ",\"verdict\":\"%s\"", verdict__name(comparison__judge_total(c)));
	if (c->sampling.why.len) {
		strbuf__addstr(sb, ",\"sampling_differs\":");
		strbuf__add_json(sb, c->sampling.why.buf);
		strbuf__addf(sb, ",\"sampling_old\":%.6g,\"sampling_new\":%.6g", c->sampling.part[0],
			     c->sampling.part[1]);
	}
	strbuf__addstr(sb, "},\n\"verdicts\":{");
	for (u32 i = 0; i < NR_VERDICTS; i++)
		strbuf__addf(sb, "%s\"%s\":%u", i ? "," : "", verdict__name((enum verdict)i),
			     c->nr_verdicts[i]);
	strbuf__addstr(sb, "}");
}

void diff_view__print_json(const struct comparison *c, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf__addf(&sb, "{\"format\":\"perf diff\",\"version\":%d,\n\"recordings\":[", DIFF_JSON_VERSION);
	for (size_t i = 0; i < c->recordings.nr; i++) {
		const struct compared_recording *r = &c->recordings.v[i];

		strbuf__addf(&sb, "%s{\"side\":\"%s\",\"path\":", i ? "," : "", r->side ? "new" : "old");
		strbuf__add_json(&sb, r->path);
		strbuf__addf(&sb, ",\"samples\":%llu,\"varied\":%s}", (unsigned long long)r->costs.nr_samples,
			     r->is_varied ? "true" : "false");
	}
	strbuf__addstr(&sb, "],\n\"inlined\":");
	strbuf__addstr(&sb, c->opts.no_inlines ? "false" : "true");
	strbuf__addstr(&sb, ",\"event\":");
	strbuf__add_json(&sb, c->event);
	strbuf__addstr(&sb, ",\"per\":");
	if (c->unit == COMPARE_RUNS || c->unit == COMPARE_SECONDS)
		strbuf__addstr(&sb, c->unit == COMPARE_RUNS ? "\"run\"" : "\"second\"");
	else
		strbuf__add_json(&sb, c->opts.per);
	strbuf__addstr(&sb, ",\n");
	if (c->change)
		add_commits(&sb, c->change);
	add_summary(&sb, c);
	strbuf__addstr(&sb, ",\n\"functions\":[");
	for (size_t i = 0; i < c->rows.nr; i++) {
		strbuf__addstr(&sb, i ? ",\n" : "\n");
		add_row(&sb, c, &c->rows.v[i]);
	}
	strbuf__addstr(&sb, "]}\n");
	fwrite(sb.buf, 1, sb.len, out);
	strbuf__exit(&sb);
}
