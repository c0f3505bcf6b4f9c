#include "browser/browser.h"

#include "base/command/term.h"
#include "base/message/msg.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- for screens ---- */

void browser__say(struct browser *b, const char *fmt, ...)
{
	va_list ap;

	strbuf__reset(&b->message);
	va_start(ap, fmt);
	strbuf__vaddf(&b->message, fmt, ap);
	va_end(ap);
}

static size_t screen__index(const struct browser *b, const struct screen *s)
{
	size_t i = 0;

	while (b->kind->screens[i] != s)
		i++;
	return i;
}

void *browser__state(struct browser *b, const struct screen *s)
{
	size_t i = screen__index(b, s);

	if (!b->states[i])
		b->states[i] = xcalloc(1, s->state_size);
	if (b->made[i] != b->generation) {
		b->made[i] = b->generation;
		s->make(b, b->states[i]);
	}
	return b->states[i];
}

bool browser__finds(const struct browser *b, const char *name)
{
	return b->find.is_set && !regexec(&b->find.regex, name, 0, NULL, 0);
}

void browser__get_subject(struct browser *b, struct subject *s)
{
	*s = (struct subject){ 0 };
	if (b->screen->get_subject)
		b->screen->get_subject(b, browser__state(b, b->screen), s);
}

void browser__take_function(struct browser *b)
{
	struct subject s;

	browser__get_subject(b, &s);
	if (!s.has_place)
		return;
	free(b->function);
	b->function = xstrdup(b->kind->name(b, s.place));
	b->function_generation++;
	b->kind->take_function(b, s.place);
}

void browser__show(struct browser *b, const struct screen *s)
{
	struct subject subject;

	if (s == b->screen)
		return;
	browser__get_subject(b, &subject);
	browser__take_function(b);
	if (b->nr_back == BACK_MAX) {
		memmove(b->back, b->back + 1, (BACK_MAX - 1) * sizeof(b->back[0]));
		b->nr_back--;
	}
	b->back[b->nr_back++] = b->screen;
	b->screen = s;
	if (subject.has_place && s->choose)
		s->choose(b, browser__state(b, s));
}

/* The last message of other parts of the program: the line at the bottom shows it. */
static struct {
	pthread_mutex_t lock;
	char text[256];
} said = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void keep_message(const char *text, size_t size)
{
	pthread_mutex_lock(&said.lock);
	snprintf(said.text, sizeof(said.text), "%.*s", (int)MIN(size, sizeof(said.text) - 1), text);
	said.text[strcspn(said.text, "\n")] = '\0';
	pthread_mutex_unlock(&said.lock);
}

static void browser__take_message(struct browser *b)
{
	pthread_mutex_lock(&said.lock);
	if (said.text[0] && !b->message.len)
		browser__say(b, "%s", said.text);
	said.text[0] = '\0';
	pthread_mutex_unlock(&said.lock);
}

/* ---- prompt and menu ---- */

void browser__ask(struct browser *b, const char *label, void (*typed)(struct browser *, const char *),
		  void (*done)(struct browser *, const char *))
{
	strbuf__reset(&b->prompt.text);
	b->prompt.label = label;
	b->prompt.typed = typed;
	b->prompt.done = done;
}

static void prompt__end(struct browser *b, const char *text)
{
	b->prompt.label = NULL;
	b->prompt.done(b, text);
}

static void prompt__erase(struct strbuf *text)
{
	size_t len = text->len;

	while (len && ((unsigned char)text->buf[len - 1] & 0xc0) == 0x80)
		len--;
	strbuf__setlen(text, len ? len - 1 : 0);
}

static void prompt__press(struct browser *b, u32 key)
{
	struct prompt *p = &b->prompt;

	if (key == TERM_ESC) {
		prompt__end(b, NULL);
		return;
	}
	if (key == TERM_ENTER) {
		prompt__end(b, p->text.buf);
		return;
	}
	if (key == TERM_BACKSPACE && p->text.len) {
		prompt__erase(&p->text);
	} else if (key >= ' ' && key < KEY_OF_TERMINAL) {
		struct grid_cell c = { .c = key };

		grid_cell__add(&c, &p->text);
	} else {
		return;
	}
	if (p->typed)
		p->typed(b, p->text.buf);
}

static void browser__close_menu(struct browser *b)
{
	for (size_t i = 0; i < b->menu.nr; i++)
		free(b->menu.v[i].text);
	b->menu.nr = 0;
}

void browser__open_menu(struct browser *b, const char *title)
{
	browser__close_menu(b);
	b->menu_title = title;
	b->menu_list = (struct list){ 0 };
}

void browser__add_choice(struct browser *b, void (*run)(struct browser *, u32), u32 arg, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf__vaddf(&text, fmt, ap);
	va_end(ap);
	array__add(&b->menu, ((struct choice){ .text = strbuf__detach(&text), .run = run, .arg = arg }));
	b->menu_list.nr = b->menu.nr;
}

static void menu__choose(struct browser *b)
{
	struct choice c = b->menu.v[b->menu_list.at];

	browser__close_menu(b);
	c.run(b, c.arg);
}

static struct area menu__area(struct browser *b)
{
	unsigned width = grid__width(b->menu_title), rows = (unsigned)b->menu.nr;
	struct area a = { .grid = &b->grid };

	for (size_t i = 0; i < b->menu.nr; i++)
		width = MAX(width, grid__width(b->menu.v[i].text));
	a.columns = MIN(width + 4, b->grid.columns);
	a.rows = MIN(rows + 1, b->grid.rows);
	a.row = (b->grid.rows - a.rows) / 2;
	a.column = (b->grid.columns - a.columns) / 2;
	return a;
}

static void menu__draw(struct browser *b)
{
	struct area a = menu__area(b);
	struct list *l = &b->menu_list;

	list__fit(l, b->menu.nr, a.rows - 1);
	grid__print(a.grid, a.row, a.column, a.columns, STYLE_BAR, "  %s", b->menu_title);
	for (unsigned i = 0; i + 1 < a.rows; i++) {
		grid__print(a.grid, a.row + 1 + i, a.column, a.columns, STYLE_FLAME + 2, "  %s",
			    b->menu.v[l->top + i].text);
		if (l->top + i == l->at)
			grid__select(a.grid, a.row + 1 + i, a.column, a.columns);
	}
}

static void menu__press(struct browser *b, const struct terminal_event *event)
{
	struct area a = menu__area(b);

	if (event->key == TERM_ENTER) {
		menu__choose(b);
	} else if (event->key == TERM_PRESS) {
		size_t at = b->menu_list.top + event->row - a.row - 1;

		if (event->row <= a.row || event->row >= a.row + a.rows || at >= b->menu.nr) {
			browser__close_menu(b);
			return;
		}
		b->menu_list.at = at;
		menu__choose(b);
	} else if (!list__key(&b->menu_list, event->key) && event->key < TERM_PRESS) {
		browser__close_menu(b);
	}
}

/* ---- drawing ---- */

static void browser__draw_bars(struct browser *b)
{
	struct grid *g = &b->grid;
	const char *of_screen = b->screen->title ? b->screen->title(b) : b->screen->name;
	unsigned name = MIN((unsigned)strlen(of_screen) + 2, g->columns), last = g->rows - 1;
	struct strbuf title = STRBUF_INIT;

	b->kind->add_title(b, &title);
	grid__field(g, 0, 0, g->columns - name, STYLE_BAR, title.buf);
	grid__print(g, 0, g->columns - name, name, STYLE_BAR, " %s ", of_screen);
	strbuf__exit(&title);
	if (!last)
		return;
	if (b->prompt.label) {
		grid__print(g, last, 0, g->columns, STYLE_BOLD, "%s%s_", b->prompt.label, b->prompt.text.buf);
	} else if (b->message.len) {
		grid__field(g, last, 0, g->columns, STYLE_BOLD, b->message.buf);
	} else if (b->kind->draw_bottom) {
		b->kind->draw_bottom(b);
	} else {
		const char *other = b->nr_back ? "Esc:back" : "/:search";

		if (g->columns < 72)
			grid__print(g, last, 0, g->columns, STYLE_DIM, "?:keys m:menu %s q:leave", other);
		else
			grid__print(g, last, 0, g->columns, STYLE_DIM, "?:all keys  m:menu  %s  %s  q:leave",
				    other, b->screen->hint ? b->screen->hint : b->kind->hint);
	}
}

void browser__draw(struct browser *b)
{
	struct area body = { .grid = &b->grid, .row = 1 };
	void *state = browser__state(b, b->screen);

	browser__take_message(b);
	grid__clear(&b->grid);
	body.columns = b->grid.columns;
	body.rows = b->grid.rows > 2 ? b->grid.rows - 2 : 0;
	if (body.rows)
		b->screen->draw(b, state, &body);
	browser__draw_bars(b);
	if (b->menu.nr)
		menu__draw(b);
	terminal__show(&b->grid);
}

/* ---- keys ---- */

static bool run_key(struct browser *b, const struct key_row *keys, u32 key, void *state)
{
	for (; keys && keys->key; keys++)
		if (keys->key == key) {
			keys->run(b, state);
			return true;
		}
	return false;
}

static void browser__resize(struct browser *b)
{
	unsigned rows, width;

	terminal__size(&rows, &width);
	grid__resize(&b->grid, rows, width);
}

static void browser__press(struct browser *b, const struct terminal_event *event)
{
	void *state;

	if (event->key == TERM_GONE)
		b->is_over = true;
	if (event->key == TERM_RESIZE)
		browser__resize(b);
	if (event->key >= TERM_NONE || event->key == TERM_RESIZE)
		return;
	if (b->prompt.label) {
		prompt__press(b, event->key);
		return;
	}
	if (b->menu.nr) {
		menu__press(b, event);
		return;
	}
	strbuf__reset(&b->message);
	state = browser__state(b, b->screen);
	if (run_key(b, b->kind->live_keys, event->key, state) ||
	    run_key(b, b->screen->keys, event->key, state) || b->screen->press(b, state, event) ||
	    run_key(b, b->kind->keys, event->key, state))
		return;
	for (const struct screen *const *s = b->kind->screens; *s; s++)
		if ((*s)->key == event->key)
			browser__show(b, *s);
}

/*
 * Handle keys that are there already before the screen is drawn again: that is what keeps up with a held
 * key. But a screen lays itself out when it is drawn, so draw one that is new before it gets keys.
 */
static void browser__press_waiting(struct browser *b, struct terminal_event event)
{
	enum { AT_ONCE = 64 };
	const struct screen *screen = b->screen;
	u32 generation = b->generation, finding = b->find_generation;

	for (int i = 0; event.key != TERM_NONE; event = terminal__read(0)) {
		browser__press(b, &event);
		if (b->is_over || b->screen != screen || b->generation != generation ||
		    b->find_generation != finding || ++i == AT_ONCE)
			return;
	}
}

/* Return the next key; before it waits for one, let the screen do what can wait. */
static struct terminal_event browser__read_key(struct browser *b)
{
	struct terminal_event event = terminal__read(0);

	while (event.key == TERM_NONE && b->screen->idle &&
	       b->screen->idle(b, browser__state(b, b->screen))) {
		browser__draw(b);
		event = terminal__read(0);
	}
	return event.key == TERM_NONE ? terminal__read(-1) : event;
}

static void browser__loop(struct browser *b)
{
	while (!b->is_over) {
		browser__draw(b);
		if (!b->kind->wait)
			browser__press_waiting(b, browser__read_key(b));
		else if (b->kind->wait(b))
			browser__press_waiting(b, terminal__read(0));
	}
}

/* ---- begin and end ---- */

void browser__exit(struct browser *b)
{
	for (size_t i = 0; b->kind->screens[i]; i++)
		if (b->states[i]) {
			b->kind->screens[i]->end(b->states[i]);
			free(b->states[i]);
		}
	if (b->find.is_set)
		regfree(&b->find.regex);
	browser__close_menu(b);
	array__exit(&b->menu);
	strbuf__exit(&b->message);
	strbuf__exit(&b->prompt.text);
	free(b->function);
	grid__exit(&b->grid);
}

bool browser__has_terminal(bool takes_input, bool asked, const char *instead)
{
	bool is_terminal = term__is_tty(STDOUT_FILENO) && (takes_input || term__is_tty(STDIN_FILENO));
	struct err err = ERR_INIT;
	int ret;

	if (!is_terminal && !asked)
		return false;
	ret = is_terminal ? terminal__check(STDOUT_FILENO, &err)
			  : err__set(&err, -ENOTTY, "standard output is not a terminal");
	if (ret)
		info("no browser: %s; %s", err.text.buf, instead);
	err__exit(&err);
	return !ret;
}

static void browser__set_colors(struct browser *b, const struct browser_args *a)
{
	const struct {
		enum style style;
		const char *text;
	} colors[] = {
		{ STYLE_HOT, a->top },
		{ STYLE_WARM, a->medium },
		{ STYLE_TEXT, a->normal },
		{ STYLE_BAR, a->root },
	};

	for (size_t i = 0; i < ARRAY_SIZE(colors); i++)
		if (colors[i].text && !terminal__set_color(colors[i].style, colors[i].text))
			browser__say(b, "perf config: '%s' is not two colours such as 'red, default'",
				     colors[i].text);
}

/* Keys come from the terminal also if the recording comes through standard input. */
static int open_keys(struct err *err)
{
	int fd = isatty(STDIN_FILENO) ? dup(STDIN_FILENO) : open("/dev/tty", O_RDWR | O_CLOEXEC);

	return fd < 0 ? err__set(err, -errno, "no keys: /dev/tty: %s", strerror(errno)) : fd;
}

int browser__run(struct browser *b, const struct browser_args *a, struct err *err)
{
	int fd = open_keys(err);

	strbuf__init(&b->message);
	strbuf__init(&b->prompt.text);
	b->screen = b->kind->screens[0];
	b->generation = 1;
	b->err = err;
	if (fd < 0)
		return fd;
	setlocale(LC_CTYPE, "");
	fflush(stdout);
	b->ret = terminal__open(fd, STDOUT_FILENO, a->mouse, err);
	if (!b->ret) {
		b->grid.is_ascii = !grid__locale_is_utf8();
		browser__set_colors(b, a);
		browser__resize(b);
		msg__set_sink(keep_message);
		b->kind->begin(b);
		browser__loop(b);
		msg__set_sink(NULL);
		terminal__close();
	}
	close(fd);
	return b->ret;
}
