/* All keys, from the tables that they are found in. */
#include "browser/browser.h"

static void add_keys(struct text_lines *t, const struct key_row *keys)
{
	for (; keys && keys->key; keys++)
		if (keys->text)
			text_lines__add(t, STYLE_TEXT, "  %-10s %s", keys->name, keys->text);
}

static void help__make(struct browser *b, void *state)
{
	struct text_lines *t = state;
	const struct browser_kind *kind = b->kind;
	const struct screen *from = b->nr_back ? b->back[b->nr_back - 1] : kind->screens[0];

	text_lines__reset(t);
	text_lines__add(t, STYLE_BOLD, "Views");
	for (const struct screen *const *s = kind->screens; *s; s++)
		if ((*s)->key)
			text_lines__add(t, STYLE_TEXT, "  %-10c %s", (char)(*s)->key, (*s)->text);
	if (kind->live_keys) {
		text_lines__add(t, STYLE_BOLD, "While the recording goes on");
		add_keys(t, kind->live_keys);
	}
	text_lines__add(t, STYLE_BOLD, "In %s", from->name);
	text_lines__add(t, STYLE_TEXT, "  %-10s %s", "arrows", "move; PgUp, PgDn, Home, End, blank, too");
	add_keys(t, from->keys);
	text_lines__add(t, STYLE_BOLD, "Everywhere");
	add_keys(t, kind->keys);
	text_lines__add(t, STYLE_DIM,
			"The mouse selects and opens; with Shift the terminal's own selection works.");
}

static void help__draw(struct browser *b, void *state, const struct area *a)
{
	struct text_lines *t = state;

	help__make(b, state);
	text_lines__draw(t, b, a, false);
	if (t->list.top + a->rows < t->v.nr)
		grid__field(a->grid, a->row + a->rows - 1, a->column, a->columns, STYLE_DIM,
			    "  PgDn shows more");
}

/* Keys move the page, as there is no selected line. */
static bool help__press(struct browser *b, void *state, const struct terminal_event *event)
{
	return text_lines__page(state, b, event->key);
}

static void help__end(void *state)
{
	text_lines__exit(state);
}

const struct screen help_screen = {
	.name = "keys",
	.text = "this page",
	.state_size = sizeof(struct text_lines),
	.make = help__make,
	.draw = help__draw,
	.press = help__press,
	.end = help__end,
};
