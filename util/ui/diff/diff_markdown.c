#include "ui/diff/diff_markdown.h"

#include "base/message/called_name.h"
#include "profile/compare/compare_text.h"

#include <math.h>

/* ---- the lines above the table ---- */

static void add_summary(struct strbuf *sb, const struct comparison *c, const struct cell_style *style)
{
	compare_text__add_recordings(sb, c, style);
	strbuf__addstr(sb, ": ");
	compare_text__add_total(sb, c, style);
	strbuf__addstr(sb, "\n\n");
	compare_text__add_changes(sb, c, style);
	strbuf__addch(sb, '\n');
}

/* ---- rows ---- */

static void add_headers(struct strbuf *sb, const struct comparison *c)
{
	bool has_plain = comparison__shares_change(c);

	strbuf__addf(sb, "\n| Old | New |%s Change | 95%% interval | Verdict | Function itself |\n",
		     has_plain ? " Plain |" : "");
	strbuf__addf(sb, "|---:|---:|%s---:|---:|:---|:---|\n", has_plain ? "---:|" : "");
}

static void add_row(struct strbuf *sb, const struct comparison *c, const struct compared *row,
		    const struct cell_style *style)
{
	const struct evidence_row *e = &row->self;
	bool is_tested = evidence_row__is_tested(e);

	for (u32 side = 0; side < 2; side++) {
		strbuf__addstr(sb, "| ");
		compare_text__add_cost(sb, c, e->cost[side]);
		strbuf__addch(sb, ' ');
	}
	if (comparison__shares_change(c)) {
		strbuf__addstr(sb, "| ");
		compare_text__add_change(sb, evidence_row__plain(e));
		strbuf__addch(sb, ' ');
	}
	strbuf__addstr(sb, "| ");
	compare_text__add_change(sb, is_tested ? e->change : NAN);
	strbuf__addstr(sb, " | ");
	if (is_tested)
		compare_text__add_interval(sb, e);
	strbuf__addstr(sb, " | ");
	strbuf__addf(sb, "%s | ", verdict__name(row->verdict));
	compare_text__add_function(sb, row, style);
	compare_text__add_remark(sb, c, row, style, false);
	strbuf__addstr(sb, " |\n");
}

/* Append the table. Return how many rows it has no room for. */
static u32 add_table(struct strbuf *sb, const struct comparison *c, const struct cell_style *style)
{
	u32 nr_unknown = 0, nr = 0;

	for (size_t i = 0; i < c->rows.nr; i++) {
		if (!comparison__lists(c, &c->rows.v[i], &nr_unknown) || nr++ >= DIFF_MARKDOWN_ROWS)
			continue;
		if (nr == 1)
			add_headers(sb, c);
		add_row(sb, c, &c->rows.v[i], style);
	}
	return nr - MIN(nr, (u32)DIFF_MARKDOWN_ROWS);
}

/* ---- the line below ---- */

/* Append the command that shows all rows. */
static void add_command(struct strbuf *sb, const struct comparison *c)
{
	struct strbuf command = STRBUF_INIT;

	strbuf__addf(&command, "%s diff", called_name());
	if (c->change)
		strbuf__addf(&command, " --git %.12s..%.12s", c->change->commits[COMPARE_OLD].name,
			     c->change->commits[COMPARE_NEW].name);
	for (size_t i = 0; i < c->recordings.nr; i++) {
		const struct compared_recording *r = &c->recordings.v[i];

		if (comparison__has_replicates(c) && i == c->nr[COMPARE_OLD])
			strbuf__addstr(&command, " --");
		strbuf__addch(&command, ' ');
		strbuf__add_shell_word(&command, r->path);
	}
	markdown__add_code(sb, command.buf, MARKDOWN_LINE);
	strbuf__exit(&command);
}

void diff_markdown__print(const struct comparison *c, bool full_names, FILE *out)
{
	const struct cell_style line = { .fold_names = !full_names, .markup = MARKDOWN_LINE };
	const struct cell_style cell = { .fold_names = !full_names, .markup = MARKDOWN_CELL };
	struct strbuf sb = STRBUF_INIT;
	u32 nr_more;

	add_summary(&sb, c, &line);
	nr_more = add_table(&sb, c, &cell);
	if (nr_more) {
		strbuf__addf(&sb, "\n%u more: ", nr_more);
		add_command(&sb, c);
		strbuf__addch(&sb, '\n');
	}
	fwrite(sb.buf, 1, sb.len, out);
	strbuf__exit(&sb);
}
