/* The instructions of a function and their source lines, with what each cost: perf annotate's text. */
#include "browser/code_view.h"

#include "base/text/path_name.h"
#include "browser/report_browser.h"
#include "profile/places/survey.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what was read ---- */

static void code__forget_function(struct code_view *c)
{
	for (size_t i = 0; i < c->parts.nr; i++)
		annotated__exit(&c->parts.v[i]);
	c->parts.nr = c->events.nr = c->rows.nr = 0;
	if (c->has_code) {
		source_files__exit(&c->files);
		hot_code__exit(&c->hot);
	}
	free(c->inlined);
	c->inlined = NULL;
	c->has_code = c->has_no_samples = false;
	c->function = 0;
}

static void code__forget(struct code_view *c)
{
	code__forget_function(c);
	if (c->has_profile)
		profile__exit(&c->profile);
	c->has_profile = false;
}

static void code__make(struct browser *b, void *state)
{
	struct code_view *c = state;

	(void)b;
	if (c->function) {
		c->kept = code__spot(c);
		c->kept_function = c->function;
	}
	code__forget(c);
}

/* Pass over the samples again, and count their addresses without callers. */
static int code__collect(struct code_view *c, struct browser *b)
{
	int ret = c->has_profile ? 0 : browser__collect_flat(b, 0, 0, 0, &c->profile);

	if (!ret && !c->has_profile)
		survey__rows(report_of(b)->in->session, &c->profile.rows, 0,
			     report_of(b)->in->setup->profile.nr_threads);
	c->has_profile |= !ret;
	return ret;
}

/* Find the functions that have the code, and return which of c->hot they are; to be freed. */
static bool *code__choose(struct code_view *c, const struct report_browser *r)
{
	const struct dsos *dsos = &r->in->session->machine.dsos;
	bool *wanted = xcalloc(c->hot.v.nr + 1, sizeof(*wanted)), has_any = false;

	for (size_t i = 0; i < c->hot.v.nr; i++)
		has_any |= wanted[i] = c->inlined || c->hot.v.v[i].sym == r->function_code;
	c->has_no_samples = !has_any;
	if (!has_any && r->function_code) {
		wanted[c->hot.v.nr] = true;
		hot_code__add_function(&c->hot, dsos->v.v[r->function_binary], r->function_code);
	}
	return wanted;
}

/* Annotate the function that is shown. */
static int code__read(struct code_view *c, struct browser *b)
{
	const struct annotate_opts opts = { .syntax = DISASM_ATT, .asks_objdump = true };
	struct report_browser *r = report_of(b);
	const struct source_opts source = { .prefix = NULL };
	int ret = code__collect(c, b);
	bool *wanted;

	if (ret)
		return ret;
	c->inlined = r->function_inlined ? xstrdup(b->function) : NULL;
	hot_code__init(&c->hot, &c->profile, NULL, c->inlined);
	source_files__init(&c->files, &r->in->session->symbolizer, &source);
	c->has_code = true;
	wanted = code__choose(c, r);
	hot_code__find_addresses(&c->hot, wanted);
	for (u32 e = 0; e < c->hot.nr_events; e++)
		if (c->hot.totals[e].nr)
			array__add(&c->events, e);
	for (size_t i = 0; i < c->hot.v.nr; i++)
		if (wanted[i])
			annotated__init(array__push(&c->parts), &c->hot, &c->hot.v.v[i], &opts);
	free(wanted);
	return 0;
}

/* ---- lines ---- */

static u32 style_of_row(const struct annotate_row *row)
{
	return row->percent >= 5 ? STYLE_HOT : row->percent >= 0.5 ? STYLE_WARM : STYLE_TEXT;
}

/* Add a line of the browser's own. */
static void code__say(struct code_view *c, const char *text, const char *what)
{
	array__add(&c->rows, ((struct annotate_row){ .insn = ANNOTATED_NONE, .percent = -1 }));
	text_lines__add(&c->lines, STYLE_DIM, text, what);
}

static void code__add_part(struct code_view *c, u32 part, struct strbuf *text)
{
	struct annotated *a = &c->parts.v[part];
	size_t row = c->rows.nr;
	const char *line = text->buf;

	if (a->no_code.text.len)
		code__say(c, "  no instructions: %s", a->no_code.text.buf);
	row = c->rows.nr;
	strbuf__reset(text);
	annotate_text__add(text, &c->hot, a, c->events.v, (u32)c->events.nr, &c->style, &c->files, &c->rows);
	line = text->buf;
	for (; row < c->rows.nr; row++) {
		const char *end = strchrnul(line, '\n');

		c->rows.v[row].part = part;
		text_lines__add(&c->lines, style_of_row(&c->rows.v[row]), "%.*s", (int)(end - line), line);
		line = end + (*end != '\0');
	}
}

/* Make the lines anew, as c->style says. */
static void code__add_lines(struct browser *b, struct code_view *c)
{
	struct strbuf text = STRBUF_INIT;

	text_lines__reset(&c->lines);
	c->rows.nr = 0;
	if (c->has_no_samples)
		code__say(c,
			  c->inlined || report_of(b)->function_code
				  ? "  no sample is in %s itself, only in what it calls"
				  : "  no function is known at %s, so its code cannot be shown",
			  b->function);
	for (u32 i = 0; i < c->parts.nr; i++)
		code__add_part(c, i, &text);
	strbuf__exit(&text);
}

/* ---- the selected line ---- */

size_t code__row_of(const struct code_view *c, u32 part, u32 insn)
{
	for (size_t i = 0; i < c->rows.nr; i++)
		if (c->rows.v[i].is_insn && c->rows.v[i].part == part && c->rows.v[i].insn == insn)
			return i;
	return SIZE_MAX;
}

static const struct annotate_row *code__row(const struct code_view *c)
{
	return c->lines.list.at < c->rows.nr ? &c->rows.v[c->lines.list.at] : NULL;
}

static u32 code__offset(const struct code_view *c, const struct annotate_row *row)
{
	return row->insn == ANNOTATED_NONE ? 0 : c->parts.v[row->part].insns.v[row->insn].offset;
}

const struct annotated_insn *code__insn(const struct code_view *c, u32 *part)
{
	const struct annotate_row *row = code__row(c);

	if (!row || !row->is_insn)
		return NULL;
	*part = row->part;
	return &c->parts.v[row->part].insns.v[row->insn];
}

struct code_spot code__spot(const struct code_view *c)
{
	const struct annotate_row *row = code__row(c);

	if (!row)
		return (struct code_spot){ .is_set = false };
	return (struct code_spot){ .is_set = true,
				   .part = row->part,
				   .offset = code__offset(c, row),
				   .is_insn = row->is_insn,
				   .number = row->number,
				   .down = (unsigned)(c->lines.list.at - c->lines.list.top) };
}

/* Select a line, in this row of the screen. */
static void code__put(struct code_view *c, size_t at, unsigned down)
{
	struct list *l = &c->lines.list;

	l->at = at;
	l->top = at - MIN(at, (size_t)MIN(down, MAX(l->rows, 1u) - 1));
	list__fit(l, c->lines.v.nr, l->rows);
}

static void code__find_hottest(struct code_view *c)
{
	double best = 0;
	size_t at = 0;

	for (size_t i = 0; i < c->rows.nr; i++) {
		if (c->rows.v[i].percent <= best)
			continue;
		best = c->rows.v[i].percent;
		at = i;
	}
	code__put(c, at, c->lines.list.rows / 2);
}

/* How far is a row from a spot? 0: it is that one. */
static u64 code__distance(const struct code_view *c, const struct annotate_row *row,
			  const struct code_spot *spot)
{
	u64 offset = code__offset(c, row);

	if (row->part != spot->part || row->insn == ANNOTATED_NONE)
		return UINT64_MAX;
	if (c->style.no_insns && spot->number && row->number == spot->number)
		return 0;
	offset = offset > spot->offset ? offset - spot->offset : spot->offset - offset;
	return offset << 2 | (row->is_insn != spot->is_insn) << 1 | (row->number != spot->number);
}

void code__select(struct code_view *c, const struct code_spot *spot)
{
	u64 best = UINT64_MAX;
	size_t at = SIZE_MAX;

	for (size_t i = 0; spot->is_set && i < c->rows.nr; i++) {
		u64 distance = code__distance(c, &c->rows.v[i], spot);

		if (distance < best) {
			best = distance;
			at = i;
		}
	}
	if (at == SIZE_MAX)
		code__find_hottest(c);
	else
		code__put(c, at, spot->down);
}

/* Select a line of a file of the source. Return false if it is not shown. */
static bool code__find_line(struct code_view *c, const char *file, u32 number)
{
	for (size_t i = 0; i < c->rows.nr; i++) {
		const struct annotate_row *row = &c->rows.v[i];

		if (!row->file || row->number != number || (file && strcmp(path__name(row->file), file)))
			continue;
		code__put(c, i, c->lines.list.rows / 2);
		return true;
	}
	return false;
}

void code__list(struct browser *b, struct code_view *c, const struct code_spot *spot)
{
	struct report_browser *r = report_of(b);

	code__forget_function(c);
	if (c->went != b->function_generation)
		code__forget_places(c);
	c->function = b->function_generation;
	c->style.quiet = c->style.tells_newer = true;
	if (code__read(c, b)) {
		text_lines__reset(&c->lines);
		code__say(c, "  %s", b->err->text.buf);
		return;
	}
	code__add_lines(b, c);
	if (spot)
		code__select(c, spot);
	else if (!r->code_line || !code__find_line(c, r->code_file, r->code_line))
		code__find_hottest(c);
}

/* ---- drawing ---- */

/* Draw an arrow from the selected jump to its target, beside the addresses. */
static void code__draw_arrow(const struct code_view *c, const struct area *a)
{
	enum { DOWN, UP, LINE, SIDE, HEAD, TO_DOWN, TO_UP };
	static const u32 signs[2][7] = { { 0x250c, 0x2514, 0x2502, 0x2500, '>', 0x2193, 0x2191 },
					 { '+', '+', '|', '-', '>', 'v', '^' } };
	const u32 *sign = signs[a->grid->is_ascii];
	const struct list *l = &c->lines.list;
	u32 part = 0;
	const struct annotated_insn *in = code__insn(c, &part);
	unsigned column = annotate_text__margin(&c->style, (u32)c->events.nr);
	size_t from = l->at, to;

	if (!in || in->jump == ANNOTATED_NONE || column < c->lines.shift ||
	    column - c->lines.shift + 3 > a->columns)
		return;
	column += a->column - c->lines.shift;
	to = code__row_of(c, part, in->jump);
	for (unsigned i = 0; to != SIZE_MAX && i < a->rows; i++) {
		size_t at = l->top + i;
		bool down = to > from, is_edge = down ? i + 1 == a->rows && to > at : !i && to < at;
		struct grid_cell *cell = grid__cell(a->grid, a->row + i, column);

		if (at < MIN(from, to) || at > MAX(from, to))
			continue;
		cell[0].c = is_edge      ? sign[down ? TO_DOWN : TO_UP]
			    : at == to   ? sign[down ? UP : DOWN]
			    : at == from ? sign[down ? DOWN : UP]
					 : sign[LINE];
		if (at == from || at == to)
			cell[1].c = cell[2].c = sign[SIDE];
		if (at == to)
			cell[2].c = sign[HEAD];
	}
}

static const char *mode_of(const struct code_view *c)
{
	return c->style.no_source ? ", assembly only" : c->style.no_insns ? ", source only" : "";
}

static void code__draw(struct browser *b, void *state, const struct area *area)
{
	struct report_browser *r = report_of(b);
	struct code_view *c = state;
	struct area a = *area;

	if (!b->function) {
		grid__field(a.grid, a.row, a.column, a.columns, STYLE_DIM,
			    "  choose a function in the table (l), then a shows its code");
		return;
	}
	if (a.rows > 1) {
		a.row++;
		a.rows--;
	}
	c->lines.list.rows = a.rows;
	if (c->function != b->function_generation)
		code__list(b, c, c->kept_function == b->function_generation ? &c->kept : NULL);
	if (area->rows > 1)
		grid__print(a.grid, area->row, a.column, a.columns, STYLE_HEADER, " %s  (%s)%s%s",
			    b->function, machine__str(&r->in->session->machine, r->function_dso), mode_of(c),
			    r->zooms.v.nr ? ", of all threads" : "");
	text_lines__draw(&c->lines, b, &a, true);
	code__draw_arrow(c, &a);
}

/* ---- keys ---- */

/* Go to the next line whose share is large enough for a colour. */
static void code__next(struct browser *b, void *state)
{
	struct code_view *c = state;
	size_t nr = c->lines.v.nr;

	for (size_t i = 1; i < nr; i++)
		if (c->lines.v.v[(c->lines.list.at + i) % nr].style == STYLE_HOT) {
			c->lines.list.at = (c->lines.list.at + i) % nr;
			return;
		}
	browser__say(b, "There is no other line with 5%% or more");
}

static void code__hottest(struct browser *b, void *state)
{
	(void)b;
	code__find_hottest(state);
}

/* Make the lines again after c->style has changed, and keep the selected one. */
static void code__restyle(struct browser *b, struct code_view *c)
{
	struct code_spot spot = code__spot(c);
	unsigned shift = c->lines.shift;

	if (!c->has_code)
		return;
	code__add_lines(b, c);
	c->lines.shift = shift;
	code__select(c, &spot);
}

static void code__toggle_source(struct browser *b, void *state)
{
	struct code_view *c = state;

	c->style.no_source = !c->style.no_source;
	c->style.no_insns = false;
	code__restyle(b, c);
}

static void code__toggle_insns(struct browser *b, void *state)
{
	struct code_view *c = state;

	c->style.no_insns = !c->style.no_insns;
	c->style.no_source = false;
	code__restyle(b, c);
}

static void code__next_unit(struct browser *b, void *state)
{
	struct code_view *c = state;
	bool was_samples = c->style.samples, was_period = c->style.period;

	c->style.samples = !was_samples && !was_period;
	c->style.period = was_samples;
	code__restyle(b, c);
	browser__say(b, c->style.samples  ? "Numbers of samples"
			: c->style.period ? "Sums of periods"
					  : "Percentages of the function");
}

/* ---- writing ---- */

static void code__write(struct browser *b, u32 arg)
{
	struct code_view *c = browser__state(b, &code_screen);
	char name[BROWSER_NAME_MAX];
	FILE *out = browser__create_text(b, "perf.annotate", name);

	(void)arg;
	if (!out)
		return;
	for (size_t i = 0; i < c->lines.v.nr; i++)
		fprintf(out, "%.*s\n", (int)c->lines.v.v[i].size, c->lines.text.buf + c->lines.v.v[i].at);
	browser__end_text(b, out, name, "The code");
}

static void code__open_export(struct browser *b, void *state)
{
	(void)state;
	browser__open_menu(b, "Write to a file");
	browser__add_choice(b, code__write, 0, "this code, as text");
	browser__add_exports(b);
}

static bool code__press(struct browser *b, void *state, const struct terminal_event *event)
{
	struct code_view *c = state;
	size_t at = c->lines.list.top + event->row - 2;

	if (event->key == TERM_PRESS && event->row >= 2 && at < c->lines.v.nr) {
		c->lines.list.at = at;
		return true;
	}
	return text_lines__press(&c->lines, b, event->key);
}

static void code__end(void *state)
{
	struct code_view *c = state;

	code__forget(c);
	code__forget_places(c);
	array__exit(&c->parts);
	array__exit(&c->events);
	array__exit(&c->rows);
	array__exit(&c->back);
	text_lines__exit(&c->lines);
}

static const struct key_row code_keys[] = {
	{ TERM_ENTER, "Enter", "go where the jump or the call leads", code__follow },
	{ TERM_BACKSPACE, "Backspace", "return from there; then take the last filter away", code__return },
	{ TERM_TAB, "Tab", "the next line that took 5% or more", code__next },
	{ 'H', "H", "the line that took most", code__hottest },
	{ 'A', "A", "assembly only, or source, too", code__toggle_source },
	{ 'C', "C", "source only, with the sum of each line, or assembly, too", code__toggle_insns },
	{ '%', "%", "numbers: percentages, samples, periods", code__next_unit },
	{ 'P', "P", "write this code to a file", code__open_export },
	{ 'r', NULL, NULL, code__open_export },
	{ 0 },
};

const struct screen code_screen = {
	.name = "source and assembly",
	.key = 'a',
	.text = "the source and assembly of the function",
	.keys = code_keys,
	.hint = "Enter:follow  A:asm  C:source  %:numbers",
	.state_size = sizeof(struct code_view),
	.make = code__make,
	.draw = code__draw,
	.press = code__press,
	.end = code__end,
};

void browser__show_code(struct browser *b, struct places *places, u32 place)
{
	const struct place *p = places__get(places, place);
	const char *path = places__text(places, p->file), *slash = strrchr(path, '/');

	browser__show(b, &code_screen);
	free(b->function);
	b->function = xstrdup(places__name(places, place));
	b->function_generation++;
	browser__take_place(b, p);
	report_of(b)->code_line = p->line_number;
	report_of(b)->code_file = xstrdup(slash ? slash + 1 : path);
}
