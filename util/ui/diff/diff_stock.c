#include "ui/diff/diff_stock.h"

#include "base/message/word_list.h"
#include "base/text/fit.h"
#include "base/text/number.h"
#include "profile/side_by_side/cycles_noise.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct diff_value;
struct diff_table { /* a table while it is printed */
	const struct side_by_side *s;
	const struct side_table *table;
	const struct diff_stock_opts *opts;
	ARRAY(struct diff_value) values;
	const struct side_block *block; /* of the line at hand; NULL: it has none */
	u64 baseline_total;             /* 100% of the column Baseline */
	struct strbuf line, cell;
	FILE *out;
};

struct diff_value { /* a column of numbers */
	const char *header;
	unsigned width;
	u32 file;
	/* Set t->cell to the text for a row; nothing: the cell stays empty. */
	void (*add)(struct diff_table *t, const struct diff_value *value, const struct side_row *row);
};

static const struct diff_method_row {
	const char *name;
	const char *header;
	unsigned width;
} methods[] = {
	[DIFF_DELTA_ABS] = { "delta-abs", "Delta Abs", 9 },
	[DIFF_DELTA] = { "delta", "Delta", 7 },
	[DIFF_RATIO] = { "ratio", "Ratio", 14 },
	[DIFF_WDIFF] = { "wdiff", "Weighted diff", 14 },
	[DIFF_CYCLES] = { "cycles", "[Program Block Range] Cycles Diff", 70 },
};

enum { PERIOD_WIDTH = 14, FORMULA_WIDTH = 70, NOISE_WIDTH = 17 };

/* Take a weight at *text and set *text to its end. Return false if there is none, or if it is 0. */
static bool take_weight(const char **text, s64 *weight)
{
	bool is_negative = **text == '-';
	u64 x;

	*text += is_negative;
	if (!number__take(text, INT32_MAX, &x))
		return false;
	*weight = is_negative ? -(s64)x : (s64)x;
	return x != 0;
}

static int parse_weights(struct diff_stock_opts *o, const char *text, struct err *err)
{
	const char *p = text;

	if (!take_weight(&p, &o->weights[0]) || *p++ != ',' || !take_weight(&p, &o->weights[1]) || *p)
		return err__set(err, -EINVAL, "'%s' is not two weights such as wdiff:1,2", text);
	return 0;
}

int diff_stock__parse_method(struct diff_stock_opts *o, const char *text, struct err *err)
{
	static const struct word_list list = WORD_LIST("method", methods, 0);
	size_t len = strcspn(text, ":");
	int i;

	text += *text == '+'; /* stock perf accepts it */
	len = strcspn(text, ":");
	i = word_list__choose(&list, text, len, err);
	if (i < 0)
		return i;
	o->method = (enum diff_method)i;
	o->weights[0] = o->weights[1] = 0;
	if (o->method == DIFF_WDIFF)
		return parse_weights(o, text + len + (text[len] == ':'), err);
	return text[len] ? err__set(err, -EINVAL, "%s takes no numbers", methods[i].name) : 0;
}

/* ---- numbers ---- */

static double percent(u64 part, u64 total)
{
	return total ? 100.0 * (double)part / (double)total : 0;
}

/* Return how file i of a row differs from the baseline; what sorts before everything is large. */
static double diff_table__compute(const struct diff_table *t, const struct side_row *row, u32 i)
{
	const u64 *totals = t->table->totals;
	u64 old = row->cells[0].period, new = row->cells[i].period;

	switch (t->opts->method) {
	case DIFF_RATIO:
		return old ? (double)new / (double)old : -INFINITY;
	case DIFF_WDIFF:
		return old ? (double)t->opts->weights[1] * (double)new -
				       (double)t->opts->weights[0] * (double)old
			   : -INFINITY;
	default:
		return percent(new, totals[i]) - percent(old, totals[0]);
	}
}

static void add_baseline(struct diff_table *t, const struct diff_value *value, const struct side_row *row)
{
	(void)value;
	if (row->cells[0].is_there)
		strbuf__addf(&t->cell, "%.2f%s", percent(row->cells[0].period, t->baseline_total),
			     t->opts->separator ? "" : "%");
}

/* ---- blocks ---- */

static bool block__is_in_both(const struct side_block *b, u32 file)
{
	return b->cells[0].is_there && b->cells[file].is_there;
}

/* Return how many cycles more the block takes in a file than in the baseline: averages, rounded down. */
static s64 block__difference(const struct side_block *b, u32 file)
{
	return (s64)(b->cells[file].cycles / b->cells[file].nr) - (s64)(b->cells[0].cycles / b->cells[0].nr);
}

static void add_cycles(struct diff_table *t, const struct diff_value *value, const struct side_row *row)
{
	const struct side_block *b = t->block;

	(void)row;
	if (b && block__is_in_both(b, value->file))
		strbuf__addf(&t->cell, "%s %4lld", b->range, (long long)block__difference(b, value->file));
}

/* Append "± 25.8% " and a bar for each eighth of the range of cycles. */
static void add_noise(struct diff_table *t, const struct diff_value *value, const struct side_row *row)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	const struct side_block *b = t->block;
	struct cycles_noise noise;

	(void)row;
	if (!b || !block__is_in_both(b, value->file) ||
	    !cycles_noise__find(&noise, &b->cells[0], &b->cells[value->file]))
		return;
	if (noise.error < 1000)
		strbuf__addf(&t->cell, "±%5.1f%% ", noise.error);
	else
		strbuf__addstr(&t->cell, "± >999% ");
	for (u32 i = 0; i < CYCLES_BARS; i++)
		strbuf__addstr(&t->cell, bars[(u32)lround(noise.bars[i] * (ARRAY_SIZE(bars) - 1))]);
}

static void add_block_formula(struct diff_table *t, u32 file)
{
	const struct block_cycles *cells = t->block ? t->block->cells : NULL;

	if (cells && block__is_in_both(t->block, file))
		strbuf__addf(&t->cell, "(%llu / %llu) - (%llu / %llu)",
			     (unsigned long long)cells[file].cycles, (unsigned long long)cells[file].nr,
			     (unsigned long long)cells[0].cycles, (unsigned long long)cells[0].nr);
}

/* ---- columns of differences ---- */

static void add_difference(struct diff_table *t, const struct diff_value *value, const struct side_row *row)
{
	double x = diff_table__compute(t, row, value->file);

	if (!row->cells[value->file].is_there)
		return;
	if (isinf(x))
		strbuf__addstr(&t->cell, "N/A");
	else if (t->opts->method == DIFF_RATIO)
		strbuf__addf(&t->cell, "%.6f", x);
	else if (t->opts->method == DIFF_WDIFF)
		strbuf__addf(&t->cell, "%.0f", x);
	else
		strbuf__addf(&t->cell, "%+.2f%%", x);
}

static void add_formula(struct diff_table *t, const struct diff_value *value, const struct side_row *row)
{
	unsigned long long old = row->cells[0].period, new = row->cells[value->file].period;
	const u64 *totals = t->table->totals;

	if (t->opts->method == DIFF_CYCLES)
		add_block_formula(t, value->file);
	else if (!row->cells[value->file].is_there)
		return;
	else if (t->opts->method == DIFF_RATIO)
		strbuf__addf(&t->cell, "%llu / %llu", new, old);
	else if (t->opts->method == DIFF_WDIFF)
		strbuf__addf(&t->cell, "(%llu * %lld) - (%llu * %lld)", new, (long long)t->opts->weights[1],
			     old, (long long)t->opts->weights[0]);
	else
		strbuf__addf(&t->cell, "(%llu * 100 / %llu) - (%llu * 100 / %llu)", new,
			     (unsigned long long)totals[value->file], old,
			     (unsigned long long)t->baseline_total);
}

static void add_period(struct diff_table *t, const struct diff_value *value, const struct side_row *row)
{
	if (row->cells[value->file].is_there || !value->file)
		strbuf__addf(&t->cell, "%llu", (unsigned long long)row->cells[value->file].period);
}

/* ---- columns ---- */

/* Columns of more than two files have the number of the file. */
static void diff_table__add_value(struct diff_table *t, const char *header, unsigned width, u32 file,
				  void (*add)(struct diff_table *, const struct diff_value *,
					      const struct side_row *))
{
	struct diff_value *value = array__push(&t->values);
	char *text = t->s->nr > 2 ? xasprintf("%s/%u", header, file) : xstrdup(header);

	*value = (struct diff_value){
		.header = text, .width = MAX(width, (unsigned)strlen(text)), .file = file, .add = add
	};
}

static void diff_table__choose_values(struct diff_table *t)
{
	const struct diff_method_row *m = &methods[t->opts->method];
	bool is_cycles = t->opts->method == DIFF_CYCLES;

	diff_table__add_value(t, "Baseline", 8, 0, add_baseline);
	if (t->opts->period)
		diff_table__add_value(t, "Base period", PERIOD_WIDTH, 0, add_period);
	for (u32 i = 1; i < t->s->nr; i++) {
		diff_table__add_value(t, m->header, m->width, i, is_cycles ? add_cycles : add_difference);
		if (is_cycles && t->opts->cycles_hist)
			diff_table__add_value(t, "stddev/Hist", NOISE_WIDTH, i, add_noise);
		if (t->opts->formula)
			diff_table__add_value(t, "Formula", FORMULA_WIDTH, i, add_formula);
		if (t->opts->period)
			diff_table__add_value(t, "Period", PERIOD_WIDTH, i, add_period);
	}
}

/* Append a text to the line, padded to width. */
static void add_padded(struct strbuf *line, const char *text, unsigned width, bool right_aligned)
{
	unsigned len = fit__columns(text, strlen(text)), pad = len < width ? width - len : 0;

	if (right_aligned)
		strbuf__addchars(line, ' ', pad);
	strbuf__addstr(line, text);
	if (!right_aligned)
		strbuf__addchars(line, ' ', pad);
}

static void diff_table__print_line(struct diff_table *t)
{
	strbuf__addch(&t->line, '\n');
	fwrite(t->line.buf, 1, t->line.len, t->out);
	strbuf__reset(&t->line);
}

static void diff_table__print_files(struct diff_table *t)
{
	fputs("# Data files:\n", t->out);
	for (u32 i = 0; i < t->s->nr; i++) {
		strbuf__addf(&t->line, "#  [%u] ", i);
		strbuf__add_masked(&t->line, t->opts->paths[i]);
		strbuf__addstr(&t->line, i ? " " : " (Baseline)");
		diff_table__print_line(t);
	}
	fputs("#\n", t->out);
}

static void diff_table__print_headers(struct diff_table *t)
{
	const char *separator = t->opts->separator, *gap = "# ";
	const struct side_table *table = t->table;

	strbuf__addstr(&t->line, "# Event '");
	strbuf__add_masked(&t->line, table->event);
	strbuf__addstr(&t->line, "'\n#");
	diff_table__print_line(t);
	if (t->opts->names_files)
		diff_table__print_files(t);
	for (size_t i = 0; i < t->values.nr; i++, gap = separator ? separator : "  ") {
		strbuf__addstr(&t->line, gap);
		add_padded(&t->line, t->values.v[i].header, t->values.v[i].width, true);
	}
	for (size_t i = 0; i < table->columns.nr; i++) {
		const struct side_column *c = &table->columns.v[i];

		strbuf__addstr(&t->line, gap);
		add_padded(&t->line, c->header, c->width, c->right_aligned);
	}
	diff_table__print_line(t);
	if (separator)
		return;
	gap = "# ";
	for (size_t i = 0; i < t->values.nr + table->columns.nr; i++, gap = "  ") {
		strbuf__addstr(&t->line, gap);
		strbuf__addchars(&t->line, '.',
				 i < t->values.nr ? t->values.v[i].width
						  : table->columns.v[i - t->values.nr].width);
	}
	strbuf__addstr(&t->line, "\n#");
	diff_table__print_line(t);
}

/* ---- rows ---- */

/* Compare by the difference of a file; rows that it lacks come last. */
static int diff_table__compare_by(const struct diff_table *t, const struct side_row *a,
				  const struct side_row *b, u32 file)
{
	double x, y;

	if (a->cells[file].is_there != b->cells[file].is_there)
		return a->cells[file].is_there ? -1 : 1;
	if (!a->cells[file].is_there)
		return 0;
	x = file ? diff_table__compute(t, a, file) : (double)a->cells[0].period;
	y = file ? diff_table__compute(t, b, file) : (double)b->cells[0].period;
	if (file && t->opts->method == DIFF_DELTA_ABS) {
		x = fabs(x);
		y = fabs(y);
	}
	return x > y ? -1 : x < y;
}

static int compare_rows(const void *x, const void *y, void *ctx)
{
	const struct side_row *a = *(struct side_row *const *)x, *b = *(struct side_row *const *)y;
	const struct diff_table *t = ctx;
	int ret = 0;

	if (t->opts->method == DIFF_CYCLES) { /* the order is that of blocks */
		ret = diff_table__compare_by(t, a, b, 0);
		return ret ? ret : strcmp(a->key, b->key);
	}
	ret = diff_table__compare_by(t, a, b, t->opts->order);
	for (u32 i = 0; i < t->s->nr && !ret; i++)
		ret = diff_table__compare_by(t, a, b, i);
	return ret ? ret : strcmp(a->key, b->key);
}

/* Compare by function, then by the difference of the file that -o names, the largest first. */
static int compare_blocks(const void *x, const void *y, void *ctx)
{
	const struct side_block *a = x, *b = y;
	const struct diff_table *t = ctx;
	u32 file = MAX(t->opts->order, 1u);
	int ret = compare_rows(&a->row, &b->row, ctx);
	s64 p, q;

	if (ret)
		return ret;
	if (block__is_in_both(a, file) != block__is_in_both(b, file))
		return block__is_in_both(a, file) ? -1 : 1;
	p = block__is_in_both(a, file) ? llabs(block__difference(a, file)) : 0;
	q = block__is_in_both(b, file) ? llabs(block__difference(b, file)) : 0;
	if (p != q)
		return p > q ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

/* A block that only one recording has cannot be compared. Functions without samples do not matter. */
static bool diff_table__wants_block(const struct diff_table *t, const struct side_block *b)
{
	bool has_samples = b->row->cells[0].is_there, is_in_both = false;

	for (u32 i = 1; i < t->s->nr; i++) {
		has_samples |= b->row->cells[i].is_there && !t->opts->baseline_only;
		is_in_both |= block__is_in_both(b, i);
	}
	return has_samples && is_in_both;
}

static bool diff_table__wants(const struct diff_table *t, const struct side_row *row)
{
	bool in_other = !t->opts->baseline_only;

	if (t->opts->method == DIFF_CYCLES)
		return row->cells[0].is_there && row->has_symbol;
	for (u32 i = 1; i < t->s->nr; i++)
		in_other |= row->cells[i].is_there;
	return in_other && (row->cells[0].is_there || !t->opts->baseline_only);
}

static void diff_table__print_row(struct diff_table *t, const struct side_row *row)
{
	const char *gap = t->opts->separator ? "" : "  ";
	size_t nr = t->table->columns.nr;

	for (size_t i = 0; i < t->values.nr; i++) {
		const struct diff_value *value = &t->values.v[i];

		strbuf__reset(&t->cell);
		value->add(t, value, row);
		strbuf__addstr(&t->line, gap);
		add_padded(&t->line, t->cell.buf, value->width,
			   !t->opts->separator && value->add != add_noise);
		gap = t->opts->separator ? t->opts->separator : "  ";
	}
	for (size_t i = 0; i < nr; i++) {
		const struct side_column *c = &t->table->columns.v[i];

		strbuf__addstr(&t->line, gap);
		add_padded(&t->line, row->texts[i], i + 1 < nr ? c->width : 0, c->right_aligned);
	}
	diff_table__print_line(t);
}

/* A function has a line for each block that is compared; one of the baseline has at least one. */
static void diff_table__print_blocks(struct diff_table *t, const struct side_row *row, size_t *block)
{
	bool is_first = true;

	for (; *block < t->table->blocks.nr && t->table->blocks.v[*block].row == row; ++*block) {
		t->block = &t->table->blocks.v[*block];
		if (!diff_table__wants_block(t, t->block))
			continue;
		diff_table__print_row(t, row);
		is_first = false;
	}
	t->block = NULL;
	if (is_first && row->is_shown)
		diff_table__print_row(t, row);
}

/* With -b, 100% of the baseline is what is shown of it. Columns are as wide as what is shown. */
static void diff_table__choose_rows(struct diff_table *t, struct side_table *table)
{
	u64 shown = 0;

	for (size_t i = 0; i < table->rows.nr; i++)
		table->rows.v[i]->is_shown = diff_table__wants(t, table->rows.v[i]);
	for (size_t i = 0; i < table->blocks.nr; i++)
		table->blocks.v[i].row->is_shown |= diff_table__wants_block(t, &table->blocks.v[i]);
	for (size_t i = 0; i < table->rows.nr; i++) {
		struct side_row *row = table->rows.v[i];

		shown += row->is_shown ? row->cells[0].period : 0;
		for (size_t k = 0; k < table->columns.nr && row->is_shown; k++)
			table->columns.v[k].width =
				MAX(table->columns.v[k].width, (unsigned)strlen(row->texts[k]));
	}
	t->baseline_total = t->opts->baseline_only ? shown : table->totals[0];
	if (table->rows.nr)
		qsort_r(table->rows.v, table->rows.nr, sizeof(*table->rows.v), compare_rows, t);
	if (table->blocks.nr)
		qsort_r(table->blocks.v, table->blocks.nr, sizeof(*table->blocks.v), compare_blocks, t);
}

static void diff_stock__print_table(struct side_by_side *s, struct side_table *table,
				    const struct diff_stock_opts *o, FILE *out)
{
	struct diff_table t = {
		.s = s, .table = table, .opts = o, .line = STRBUF_INIT, .cell = STRBUF_INIT, .out = out
	};

	diff_table__choose_values(&t);
	diff_table__choose_rows(&t, table);
	if (!o->quiet)
		diff_table__print_headers(&t);
	for (size_t i = 0, block = 0; i < table->rows.nr; i++)
		if (o->method == DIFF_CYCLES)
			diff_table__print_blocks(&t, table->rows.v[i], &block);
		else if (table->rows.v[i]->is_shown)
			diff_table__print_row(&t, table->rows.v[i]);
	for (size_t i = 0; i < t.values.nr; i++)
		free((char *)t.values.v[i].header);
	array__exit(&t.values);
	strbuf__exit(&t.line);
	strbuf__exit(&t.cell);
}

void diff_stock__print(struct side_by_side *s, const struct diff_stock_opts *o, FILE *out)
{
	for (size_t i = 0; i < s->tables.nr; i++) {
		fputs(i && !o->quiet ? "\n" : "", out);
		diff_stock__print_table(s, &s->tables.v[i], o, out);
	}
}
