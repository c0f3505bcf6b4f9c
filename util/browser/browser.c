#include "browser/browser.h"

#include "base/message/called_name.h"
#include "base/message/msg.h"
#include "ui/reading.h"

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

static size_t screen__index(const struct screen *s)
{
	size_t i = 0;

	while (screens[i] != s)
		i++;
	return i;
}

void *browser__state(struct browser *b, const struct screen *s)
{
	size_t i = screen__index(s);

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

const char *browser__name(struct browser *b, u32 place)
{
	struct places *places = &browser__view(b)->places;
	static char address[24];

	if (places__get(places, place)->sym)
		return places__name(places, place);
	snprintf(address, sizeof(address), "0x%016llx", (unsigned long long)places__get(places, place)->ip);
	return address;
}

void browser__add_node_name(struct browser *b, const struct call_node *n, u32 i, struct strbuf *sb)
{
	strbuf__addstr(sb, browser__name(b, n->places[i]));
	place__add_mark(places__get(&browser__view(b)->places, n->places[i]), sb);
	stdio_graph__add_notes(sb, n, i);
}

u32 style_of_share(double share)
{
	return share >= 0.05 ? STYLE_HOT : share >= 0.005 ? STYLE_WARM : STYLE_TEXT;
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
	b->function = xstrdup(browser__name(b, s.place));
	b->function_generation++;
	b->function_dso = places__get(&browser__view(b)->places, s.place)->dso_name;
	b->function_code = places__get(&browser__view(b)->places, s.place)->sym;
}

void browser__show(struct browser *b, const struct screen *s)
{
	if (s == b->screen)
		return;
	browser__take_function(b);
	if (b->nr_back == BACK_MAX) {
		memmove(b->back, b->back + 1, (BACK_MAX - 1) * sizeof(b->back[0]));
		b->nr_back--;
	}
	b->back[b->nr_back++] = b->screen;
	b->screen = s;
}

const struct hist_entry *browser__function_entry(struct browser *b)
{
	const struct hists *h = browser__hists(b);
	const struct hist_entry *best = NULL;

	for (size_t i = 0; b->function && i < h->entries.nr; i++) {
		const struct hist_entry *e = h->entries.v[i];

		if (e->filtered || e->below ||
		    (best && best->stats[0].period_children >= e->stats[0].period_children) ||
		    places__get(&browser__view(b)->places, e->place)->dso_name != b->function_dso ||
		    strcmp(browser__name(b, e->place), b->function))
			continue;
		best = e;
	}
	return best;
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

/* ---- counting again ---- */

void browser__changed(struct browser *b)
{
	b->generation++;
	if (b->event >= browser__view(b)->hists.nr)
		b->event = 0;
}

/* As -x -p: hide samples without a function of this name on their stacks. */
static void browser__set_stacks(struct browser *b)
{
	const char *pattern = zooms__stacks(&b->zooms);
	struct view_opts *opts = &browser__view(b)->opts;

	if (b->stacks.is_set)
		regfree(&b->stacks.regex);
	b->stacks.is_set = pattern && !regcomp(&b->stacks.regex, pattern, REG_EXTENDED | REG_NOSUB);
	opts->parent = b->stacks.is_set ? &b->stacks.regex : b->in->setup->view.parent;
	opts->exclude_other = b->stacks.is_set || b->in->setup->view.exclude_other;
}

void browser__recount(struct browser *b)
{
	browser__set_stacks(b);
	view__recount(browser__view(b), zooms__filter(&b->zooms));
	browser__changed(b);
}

static void browser__draw(struct browser *b);

int browser__collect_flat(struct browser *b, unsigned split, u64 from, u64 step, struct profile *p)
{
	const struct profile_opts *all = &b->in->setup->profile;
	const struct profile_opts opts = { .no_chains = true,
					   .split = PROFILE_SPLIT_THREAD | split,
					   .from = from,
					   .step = step,
					   .cpus = all->cpus,
					   .times = all->times,
					   .nr_threads = all->nr_threads };

	return profile__collect(p, b->in->session, &opts, b->err);
}

bool browser__wants_thread(struct browser *b, const struct row_key *key)
{
	const struct sample_filter *zoom = browser__view(b)->zoom.filter, *all = &b->in->setup->view.filter;
	char buf[16];
	const char *comm = view__comm(browser__view(b), key->comm, buf);

	return sample_filter__wants_thread(all, comm, key->pid, key->tid) &&
	       (!zoom || sample_filter__wants_thread(zoom, comm, key->pid, key->tid));
}

/* Keep only the samples of the zooms that need reading. */
static int browser__collect(struct browser *b)
{
	struct report_screen *in = b->in;
	struct report_args *a = &b->args;
	int ret;

	*a = *in->args;
	zooms__set_args(&b->zooms, &a->samples);
	view__exit(&in->view);
	profile__exit(in->profile);
	report_setup__exit(in->setup);
	memset(&in->view, 0, sizeof(in->view));
	memset(in->profile, 0, sizeof(*in->profile));
	ret = report_setup__init(in->setup, a, in->session, false, b->err);
	if (ret)
		return ret;
	for (size_t i = 0; i < b->zooms.v.nr; i++) {
		struct time_spans spans = { 0 };

		if (b->zooms.v.v[i].kind != ZOOM_TIME)
			continue;
		array__add(&spans.v, b->zooms.v.v[i].span);
		sample_filter__add_times(&in->setup->view.filter, &spans);
		time_spans__exit(&spans);
	}
	in->setup->profile.times = sample_filter__times(&in->setup->view.filter);
	if (b->by_children)
		layout__sort_by_self(&in->setup->layout, false);
	ret = report_setup__collect(in->setup, in->profile, b->err);
	if (!ret)
		view__build(&in->view, in->profile, &in->setup->view);
	return ret;
}

static struct browser *reading; /* is reading: what show_progress draws on */

/* Called by another thread, while that of the browser reads and draws nothing. */
static void show_progress(const char *line)
{
	struct grid *g = &reading->grid;

	grid__print(g, g->rows - 1, 0, g->columns, STYLE_BOLD, "%s (Ctrl-C stops)", line);
	terminal__show(g);
}

/* If a filter does not suit the recording, it goes away again. */
static void browser__read(struct browser *b)
{
	struct reader *reader = b->in->session->reader;

	*reading__interrupts() = 0;
	terminal__count_interrupts(reading__interrupts());
	reading = b;
	progress__resume(reading__progress(), show_progress);
	progress__begin(reading__progress(), reader__size(reader), "counting samples");
	b->ret = browser__collect(b);
	if (b->ret && b->zooms.v.nr) {
		browser__say(b, "%s", b->err->text.buf);
		zooms__pop(&b->zooms);
		b->ret = browser__collect(b);
	}
	progress__end(reading__progress());
	terminal__count_interrupts(NULL);
	if (reader->stopped)
		browser__say(b, "Stopped: this is of what was read until then");
	reader->stopped = false;
	b->is_over = b->ret != 0;
}

/* Count again after the stack of filters has changed. Without the samples, nothing can be shown. */
static void browser__apply(struct browser *b, bool needs_reading)
{
	if (needs_reading) {
		browser__say(b, "Reading ... (Ctrl-C stops)");
		browser__draw(b);
		strbuf__reset(&b->message);
		browser__read(b);
	}
	if (!b->is_over)
		browser__recount(b);
}

void browser__zoom(struct browser *b, enum zoom_kind kind, const char *text)
{
	zooms__push(&b->zooms, kind, text);
	browser__apply(b, zoom_kind__needs_reading(kind));
}

void browser__zoom_time(struct browser *b, u64 start, u64 end)
{
	live__hold(b);
	zooms__push_time(&b->zooms, start, end);
	browser__apply(b, true);
}

void browser__unzoom(struct browser *b)
{
	int kind = zooms__pop(&b->zooms);

	if (kind < 0)
		browser__say(b, "There is no filter to take away");
	else
		browser__apply(b, zoom_kind__needs_reading((enum zoom_kind)kind));
}

static struct zooms carried; /* from one recording to the next */

void browser__carry_filters(struct browser *b)
{
	for (size_t i = 0; i < b->zooms.v.nr; i++) {
		const struct zoom *z = &b->zooms.v.v[i];

		if (z->kind != ZOOM_PID && z->kind != ZOOM_TID && z->kind != ZOOM_TIME)
			zooms__push(&carried, z->kind, z->text);
	}
}

static void browser__take_carried(struct browser *b)
{
	bool needs_reading = false;

	b->zooms = carried;
	carried = (struct zooms){ 0 };
	for (size_t i = 0; i < b->zooms.v.nr; i++)
		needs_reading |= zoom_kind__needs_reading(b->zooms.v.v[i].kind);
	if (b->zooms.v.nr)
		browser__apply(b, needs_reading);
}

void browser__command_line(const struct browser *b, struct strbuf *sb)
{
	const struct report_args *a = b->in->args;

	/* Of waits, --stdio prints stock perf's tables, not this one. */
	strbuf__addf(sb, "%s report --%s", called_name(),
		     b->in->view.opts.waits.one_table ? "no-tui" : "stdio");
	if (a->input && strcmp(a->input, "perf.data")) {
		strbuf__addstr(sb, " -i ");
		strbuf__add_shell_word(sb, a->input);
	}
	if (a->table.sort) {
		strbuf__addstr(sb, " -s ");
		strbuf__add_shell_word(sb, a->table.sort);
	}
	if (a->table.fields) {
		strbuf__addstr(sb, " -F ");
		strbuf__add_shell_word(sb, a->table.fields);
	}
	if (b->in->view.opts.relative)
		strbuf__addstr(sb, " --percentage relative");
	zooms__add_options(&b->zooms, sb);
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

static void browser__add_title(struct browser *b, struct strbuf *sb)
{
	const struct hists *h = browser__hists(b);
	u64 nr = 0, shown = 0;

	for (u32 m = 0; m < h->nr_members; m++) {
		nr += h->totals[m].nr;
		shown += h->shown[m].nr;
	}
	strbuf__addf(sb, " %s", h->evsel->name);
	if (h->is_of_times)
		strbuf__addstr(sb, " and waits");
	if (h->nr_members > 1)
		strbuf__addf(sb, " and %u more", h->nr_members - 1);
	strbuf__addf(sb, "  %llu", (unsigned long long)shown);
	if (shown != nr)
		strbuf__addf(sb, " of %llu", (unsigned long long)nr);
	strbuf__addstr(sb, " samples");
	if (b->zooms.v.nr)
		strbuf__addstr(sb, "  | ");
	zooms__describe(&b->zooms, sb);
}

/* How the recording goes. */
static void browser__draw_live(struct browser *b)
{
	const char *keys = "blank:freeze  ?:keys  q:leave";
	struct grid *g = &b->grid;
	struct strbuf text = STRBUF_INIT;

	strbuf__addch(&text, ' ');
	b->in->live->describe(b->in->live, &text);
	grid__field(g, g->rows - 1, 0, g->columns, STYLE_DIM, text.buf);
	if (text.len + strlen(keys) + 3 < g->columns)
		grid__print(g, g->rows - 1, g->columns - (unsigned)strlen(keys) - 1, (unsigned)strlen(keys),
			    STYLE_DIM, "%s", keys);
	strbuf__exit(&text);
}

static void browser__draw_bars(struct browser *b)
{
	struct grid *g = &b->grid;
	unsigned name = MIN((unsigned)strlen(b->screen->name) + 2, g->columns), last = g->rows - 1;
	struct strbuf title = STRBUF_INIT;

	browser__add_title(b, &title);
	grid__field(g, 0, 0, g->columns - name, STYLE_BAR, title.buf);
	grid__print(g, 0, g->columns - name, name, STYLE_BAR, " %s ", b->screen->name);
	strbuf__exit(&title);
	if (!last)
		return;
	if (b->prompt.label) {
		grid__print(g, last, 0, g->columns, STYLE_BOLD, "%s%s_", b->prompt.label, b->prompt.text.buf);
	} else if (b->message.len) {
		grid__field(g, last, 0, g->columns, STYLE_BOLD, b->message.buf);
	} else if (b->in->live) {
		browser__draw_live(b);
	} else {
		const char *other = b->nr_back ? "Esc:back" : "/:search";

		grid__print(g, last, 0, g->columns, STYLE_DIM,
			    g->columns < 72 ? "?:keys m:menu %s q:leave"
					    : "?:all keys  m:menu  %s  c:callers  g:flame graph  T:time  "
					      "a:code  q:leave",
			    other);
	}
}

static void browser__draw(struct browser *b)
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
	if ((b->in->live && run_key(b, live_keys, event->key, state)) ||
	    run_key(b, b->screen->keys, event->key, state) || b->screen->press(b, state, event) ||
	    run_key(b, browser_keys, event->key, state))
		return;
	for (size_t i = 0; i < NR_SCREENS; i++)
		if (screens[i]->key == event->key)
			browser__show(b, screens[i]);
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

static void browser__loop(struct browser *b)
{
	while (!b->is_over) {
		browser__draw(b);
		if (live__wait(b))
			browser__press_waiting(b, terminal__read(b->in->live ? 0 : -1));
	}
}

/* ---- begin and end ---- */

static u32 browser__first_event(const struct browser *b)
{
	const struct view *v = &b->in->view;

	for (size_t i = 0; i < v->hists.nr; i++)
		for (u32 m = 0; m < v->hists.v[i].nr_members; m++)
			if (v->hists.v[i].totals[m].nr)
				return (u32)i;
	return 0;
}

static void browser__exit(struct browser *b)
{
	for (size_t i = 0; i < NR_SCREENS; i++)
		if (b->states[i]) {
			screens[i]->end(b->states[i]);
			free(b->states[i]);
		}
	if (b->find.is_set)
		regfree(&b->find.regex);
	if (b->stacks.is_set)
		regfree(&b->stacks.regex);
	browser__close_menu(b);
	array__exit(&b->menu);
	name_list__exit(&b->recordings);
	zooms__exit(&b->zooms);
	strbuf__exit(&b->message);
	strbuf__exit(&b->prompt.text);
	free(b->function);
	grid__exit(&b->grid);
}

static void browser__set_colors(struct browser *b)
{
	const struct browser_args *a = &b->in->args->browser;
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

int browser__run(struct report_screen *in, struct err *err)
{
	struct browser b = { .in = in,
			     .screen = &table_screen,
			     .generation = 1,
			     .message = STRBUF_INIT,
			     .prompt.text = STRBUF_INIT,
			     .err = err };
	int fd = open_keys(err);

	if (fd < 0)
		return fd;
	setlocale(LC_CTYPE, "");
	fflush(stdout);
	b.ret = terminal__open(fd, STDOUT_FILENO, in->args->browser.mouse, err);
	if (!b.ret) {
		b.grid.is_ascii = !grid__locale_is_utf8();
		b.event = browser__first_event(&b);
		b.by_children = in->args->samples.children_given || in->args->table.fields;
		browser__set_colors(&b);
		browser__resize(&b);
		msg__set_sink(keep_message);
		browser__take_carried(&b);
		browser__loop(&b);
		msg__set_sink(NULL);
		terminal__close();
	}
	close(fd);
	browser__exit(&b);
	return b.ret;
}
