/* The instructions of a function and their source lines, with what each cost: perf annotate's text. */
#include "browser/report_browser.h"
#include "profile/gather/survey.h"
#include "ui/annotate_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct code_view {
	struct text_lines lines;
	u32 function; /* b->function_generation that they are of */
	struct profile profile;
	bool has_profile;
};

static void code__forget(struct code_view *c)
{
	if (c->has_profile)
		profile__exit(&c->profile);
	c->has_profile = false;
	c->function = 0;
}

static void code__make(struct browser *b, void *state)
{
	(void)b;
	code__forget(state);
}

/* Return the style of a line, which begins with its share of the function, in per cent. */
static u32 style_of_line(const char *line, size_t size)
{
	char number[16] = "";
	char *end;
	double percent;

	memcpy(number, line, MIN(size, sizeof(number) - 1));
	percent = strtod(number, &end);
	if (end == number)
		return STYLE_TEXT;
	return percent >= 5 ? STYLE_HOT : percent >= 0.5 ? STYLE_WARM : STYLE_TEXT;
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

static void code__annotate(struct code_view *c, struct browser *b, struct hot_code *hot, const bool *wanted)
{
	const struct annotate_opts opts = { .syntax = DISASM_ATT };
	const struct annotate_style style = { .quiet = true, .files = true };
	const struct source_opts source = { .prefix = NULL };
	struct source_files files;
	struct annotated annotated;
	struct strbuf text = STRBUF_INIT;
	ARRAY(u32) events = { 0 };

	for (u32 e = 0; e < hot->nr_events; e++)
		if (hot->totals[e].nr)
			array__add(&events, e);
	source_files__init(&files, &report_of(b)->in->session->symbolizer, &source);
	for (size_t i = 0; i < hot->v.nr; i++) {
		if (!wanted[i])
			continue;
		annotated__init(&annotated, hot, &hot->v.v[i], &opts);
		annotate_text__add(&text, hot, &annotated, events.v, (u32)events.nr, &style, &files);
		annotated__exit(&annotated);
	}
	text_lines__add_all(&c->lines, text.buf, style_of_line);
	source_files__exit(&files);
	strbuf__exit(&text);
	array__exit(&events);
}

/* Select the line with the highest cost, in the middle of the screen. */
static void code__find_hottest(struct code_view *c)
{
	double best = -1;

	for (size_t i = 0; i < c->lines.v.nr; i++) {
		double percent = strtod(c->lines.text.buf + c->lines.v.v[i].at, NULL);

		if (c->lines.v.v[i].style == STYLE_TEXT || percent <= best)
			continue;
		best = percent;
		c->lines.list.at = i;
	}
	c->lines.list.top = c->lines.list.at - MIN(c->lines.list.at, (size_t)c->lines.list.rows / 2);
	list__fit(&c->lines.list, c->lines.v.nr, c->lines.list.rows);
}

/*
 * Return the file that a line names, "FILE:LINE" without a number before it, or NULL. text: what follows the
 * costs.
 */
static const char *file_of_line(const char *text, size_t size, size_t *len)
{
	const char *end = text + size, *colon;

	while (text < end && *text == ' ')
		text++;
	colon = memchr(text, ':', (size_t)(end - text));
	if (!colon || colon == text || memchr(text, ' ', (size_t)(end - text)))
		return NULL;
	*len = (size_t)(colon - text);
	return colon + 1 + strspn(colon + 1, "0123456789") == end ? text : NULL;
}

/* Select a line of a file of the source, in the middle of the screen. Return false if it is not shown. */
static bool code__find_line(struct code_view *c, const char *file, u32 number)
{
	bool is_in_file = !file;

	for (size_t i = 0; i < c->lines.v.nr; i++) {
		const char *text = c->lines.text.buf + c->lines.v.v[i].at, *name;
		size_t size = c->lines.v.v[i].size, blanks = strspn(text, " "), len;

		if (blanks >= size || text[blanks] != ':')
			continue;
		name = file_of_line(text + blanks + 1, size - blanks - 1, &len);
		if (name && file)
			is_in_file = len == strlen(file) && !memcmp(name, file, len);
		if (!is_in_file || strtoul(text + blanks + 1, NULL, 10) != number)
			continue;
		c->lines.list.at = i;
		c->lines.list.top = i - MIN(i, (size_t)c->lines.list.rows / 2);
		return true;
	}
	return false;
}

static void code__list(struct browser *b, struct code_view *c)
{
	struct report_browser *r = report_of(b);
	const struct hot_code_opts opts = { .inlined = r->function_inlined ? b->function : NULL,
					    .no_demangle = r->in->args->symbols.no_demangle,
					    .demangle_kernel = r->in->args->places.demangle_kernel };
	struct hot_code hot;
	bool *wanted, has_any = false;

	text_lines__reset(&c->lines);
	c->lines.list.at = c->lines.list.top = 0;
	c->function = b->function_generation;
	if (code__collect(c, b)) {
		text_lines__add(&c->lines, STYLE_DIM, "  %s", b->err->text.buf);
		return;
	}
	hot_code__init(&hot, &c->profile, &opts);
	wanted = xcalloc(hot.v.nr + 1, sizeof(*wanted));
	for (size_t i = 0; i < hot.v.nr; i++)
		has_any |= wanted[i] = opts.inlined || hot.v.v[i].sym == r->function_code;
	if (!has_any && r->function_code) {
		const struct dsos *dsos = &r->in->session->machine.dsos;

		text_lines__add(&c->lines, STYLE_DIM, "  no sample is in %s itself, only in what it calls",
				b->function);
		hot_code__add_function(&hot, dsos->v.v[r->function_binary], r->function_code);
		free(wanted);
		wanted = xcalloc(hot.v.nr, sizeof(*wanted));
		has_any = wanted[hot.v.nr - 1] = true;
	}
	if (has_any) {
		hot_code__find_addresses(&hot, wanted);
		code__annotate(c, b, &hot, wanted);
	} else {
		text_lines__add(&c->lines, STYLE_DIM, "  no sample is in %s itself, only in what it calls",
				b->function);
	}
	free(wanted);
	hot_code__exit(&hot);
	if (!r->code_line || !code__find_line(c, r->code_file, r->code_line))
		code__find_hottest(c);
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
	c->lines.list.rows = a.rows;
	if (c->function != b->function_generation)
		code__list(b, c);
	if (a.rows > 1) {
		grid__print(a.grid, a.row, a.column, a.columns, STYLE_HEADER, " %s  (%s)%s", b->function,
			    machine__str(&r->in->session->machine, r->function_dso),
			    r->zooms.v.nr ? ", of all threads" : "");
		a.row++;
		a.rows--;
	}
	text_lines__draw(&c->lines, b, &a, true);
}

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
	text_lines__exit(&c->lines);
}

static const struct key_row code_keys[] = {
	{ TERM_TAB, "Tab", "the next line that took 5% or more", code__next },
	{ 'H', "H", "the line that took most", code__hottest },
	{ 0 },
};

const struct screen code_screen = {
	.name = "source and assembly",
	.key = 'a',
	.text = "the source and assembly of the function",
	.keys = code_keys,
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
