/* The keys of all browsers: leaving, searching, copying a name, the menu of all keys. */
#include "browser/browser.h"

/* ---- leaving ---- */

void browser__leave(struct browser *b, void *state)
{
	(void)state;
	b->is_over = true;
}

void browser__go_back(struct browser *b, void *state)
{
	(void)state;
	if (b->nr_back)
		b->screen = b->back[--b->nr_back];
	else if (b->find.is_set) {
		regfree(&b->find.regex);
		b->find.is_set = false;
		b->find_generation++;
	} else {
		browser__say(b, "q leaves");
	}
}

void browser__show_help(struct browser *b, void *state)
{
	(void)state;
	browser__show(b, &help_screen);
}

/* ---- searching ---- */

static void find_typed(struct browser *b, const char *text)
{
	regex_t find;

	if (*text && regcomp(&find, text, REG_EXTENDED | REG_ICASE))
		return; /* not complete yet */
	if (b->find.is_set)
		regfree(&b->find.regex);
	b->find.is_set = *text != '\0';
	if (b->find.is_set)
		b->find.regex = find;
	b->find_generation++;
}

static void find_done(struct browser *b, const char *text)
{
	regex_t find;

	find_typed(b, text ? text : "");
	if (!text || !*text)
		return;
	if (regcomp(&find, text, REG_EXTENDED | REG_ICASE)) {
		browser__say(b, "'%s' is not a regular expression", text);
		return;
	}
	regfree(&find);
	browser__say(b, "n: next, N: the one before; / and Enter: show all again");
}

void browser__search(struct browser *b, void *state)
{
	(void)state;
	browser__ask(b, "/", find_typed, find_done);
}

/* ---- copying ---- */

void browser__copy_name(struct browser *b, void *state)
{
	struct subject s;

	(void)state;
	browser__get_subject(b, &s);
	if (!s.has_place) {
		browser__say(b, "No function is selected");
		return;
	}
	terminal__copy(b->kind->name(b, s.place));
	browser__say(b, "The terminal was asked to copy '%s'", b->kind->name(b, s.place));
}

/* ---- the menu ---- */

static void run_row(struct browser *b, u32 arg)
{
	size_t nr = 0;

	while (b->screen->keys && b->screen->keys[nr].key)
		nr++;
	if (arg < nr)
		b->screen->keys[arg].run(b, browser__state(b, b->screen));
	else
		b->kind->keys[arg - nr].run(b, browser__state(b, b->screen));
}

static void run_screen(struct browser *b, u32 arg)
{
	browser__show(b, b->kind->screens[arg]);
}

void browser__open_key_menu(struct browser *b, void *state)
{
	const struct screen *s;
	u32 nr = 0;

	(void)state;
	browser__open_menu(b, "Menu");
	for (const struct key_row *k = b->screen->keys; k && k->key; k++, nr++)
		if (k->text)
			browser__add_choice(b, run_row, nr, "%-9s %s", k->name, k->text);
	for (u32 i = 0; (s = b->kind->screens[i]); i++)
		if (s != b->screen && s->key)
			browser__add_choice(b, run_screen, i, "%-9c %s", (char)s->key, s->text);
	for (const struct key_row *k = b->kind->keys; k->key; k++, nr++)
		if (k->text && k->run != browser__open_key_menu)
			browser__add_choice(b, run_row, nr, "%-9s %s", k->name, k->text);
}
