#include "browser/report_browser.h"

#include "base/memory/hash.h"
#include "base/message/called_name.h"
#include "base/text/fold_name.h"
#include "ui/notes/completeness.h"
#include "ui/notes/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- for screens ---- */

const char *browser__name(struct browser *b, u32 place)
{
	struct places *places = &browser__view(b)->places;
	static char address[24];

	if (places__get(places, place)->sym)
		return places__name(places, place);
	if (place__stand_in(places__get(places, place)))
		return place__stand_in(places__get(places, place));
	snprintf(address, sizeof(address), "0x%016llx", (unsigned long long)places__get(places, place)->ip);
	return address;
}

static void add_name(struct browser *b, u32 place, struct strbuf *sb)
{
	if (report_of(b)->verbose)
		strbuf__addstr(sb, browser__name(b, place));
	else
		name__fold(sb, browser__name(b, place));
	place__add_mark(places__get(&browser__view(b)->places, place), sb);
}

void browser__add_node_name(struct browser *b, const struct call_node *n, u32 i, struct strbuf *sb)
{
	add_name(b, n->places[i], sb);
	stdio_graph__add_notes(sb, n, i);
}

u32 style_of_share(double share)
{
	return share >= 0.05 ? STYLE_HOT : share >= 0.005 ? STYLE_WARM : STYLE_TEXT;
}

void browser__take_place(struct browser *b, const struct place *p)
{
	struct report_browser *r = report_of(b);

	r->function_dso = p->dso_name;
	r->function_code = p->sym;
	r->function_binary = p->dso;
	r->function_inlined = p->inlined;
	r->code_line = 0;
	free(r->code_file);
	r->code_file = NULL;
}

static void take_function(struct browser *b, u32 place)
{
	browser__take_place(b, places__get(&browser__view(b)->places, place));
}

/* The entry of the function that is shown with the largest share, or NULL. */
static const struct hist_entry *browser__function_entry(struct browser *b)
{
	const struct hists *h = browser__hists(b);
	const struct hist_entry *best = NULL;

	for (size_t i = 0; b->function && i < h->entries.nr; i++) {
		const struct hist_entry *e = h->entries.v[i];

		if (e->filtered || e->below ||
		    (best && best->stats[0].period_children >= e->stats[0].period_children) ||
		    places__get(&browser__view(b)->places, e->place)->dso_name !=
			    report_of(b)->function_dso ||
		    strcmp(browser__name(b, e->place), b->function))
			continue;
		best = e;
	}
	return best;
}

/* ---- call trees ---- */

static void make_tree(struct browser *b, struct stack_tree *t, bool of_function, enum stack_tree_kind kind)
{
	enum { PARTS = 100000 }; /* branches of all below this part of it are left out */

	stack_tree__make(t, browser__view(b), browser__hists(b),
			 of_function ? browser__function_entry(b) : NULL, kind,
			 of_function ? 0 : browser__total(b) / PARTS);
}

static bool find_function(struct browser *b, struct shown_function *f)
{
	const struct hist_entry *e = browser__function_entry(b);

	if (e)
		*f = (struct shown_function){ .place = e->place,
					      .total = e->stats[0].period_children,
					      .self = e->stats[0].period };
	return e != NULL;
}

static u32 add_share(struct browser *b, struct strbuf *sb, u64 period, u64 nr)
{
	u64 total = browser__total(b);
	double share = total ? (double)period / (double)total : 0;

	(void)nr;
	strbuf__addf(sb, "%7.2f%%", 100 * share);
	return style_of_share(share);
}

static u32 box_style(struct browser *b, u32 place, const char *name)
{
	const struct place *p = places__get(&browser__view(b)->places, place);

	if (p->wait)
		return STYLE_WAIT;
	if (p->level == 'k')
		return STYLE_FLAME + 4;
	if (p->inlined)
		return STYLE_FLAME + 5;
	return STYLE_FLAME + hash__bytes(name, strlen(name), 0) % 4;
}

static const char *why_empty(struct browser *b)
{
	return browser__view(b)->opts.graph == GRAPH_NONE
		       ? "  the recording has no call chains; perf record -g records them"
		       : "  no sample is left";
}

static const struct tree_kind report_trees = {
	.make = make_tree,
	.find_function = find_function,
	.add_cost = add_share,
	.add_node_name = browser__add_node_name,
	.add_name = add_name,
	.box_style = box_style,
	.why_empty = why_empty,
};

/* ---- counting again ---- */

void browser__changed(struct browser *b)
{
	b->generation++;
	if (report_of(b)->event >= browser__view(b)->hists.nr)
		report_of(b)->event = 0;
}

/* As -x -p: hide samples without a function of this name on their stacks. */
static void browser__set_stacks(struct browser *b)
{
	struct report_browser *r = report_of(b);
	const char *pattern = zooms__stacks(&r->zooms);
	struct view_opts *opts = &browser__view(b)->opts;

	if (r->stacks.is_set)
		regfree(&r->stacks.regex);
	r->stacks.is_set = pattern && !regcomp(&r->stacks.regex, pattern, REG_EXTENDED | REG_NOSUB);
	opts->parent = r->stacks.is_set ? &r->stacks.regex : r->in->setup->view.parent;
	opts->exclude_other = r->stacks.is_set || r->in->setup->view.exclude_other;
}

void browser__recount(struct browser *b)
{
	browser__set_stacks(b);
	view__recount(browser__view(b), zooms__filter(&report_of(b)->zooms));
	browser__changed(b);
}

int browser__collect_flat(struct browser *b, unsigned split, u64 from, u64 step, struct profile *p)
{
	const struct profile_opts *all = &report_of(b)->in->setup->profile;
	const struct profile_opts opts = { .no_chains = true,
					   .split = PROFILE_SPLIT_THREAD | split,
					   .from = from,
					   .step = step,
					   .cpus = all->cpus,
					   .times = all->times,
					   .spans = all->spans,
					   .weights = all->weights,
					   .nr_threads = all->nr_threads };

	return profile__collect(p, report_of(b)->in->session, &opts, b->err);
}

bool browser__wants_thread(struct browser *b, const struct row_key *key)
{
	const struct sample_filter *zoom = browser__view(b)->zoom.filter,
				   *all = &report_of(b)->in->setup->view.filter;
	char buf[16];
	const char *comm = view__comm(browser__view(b), key->comm, buf);

	return sample_filter__wants_thread(all, comm, key->pid, key->tid) &&
	       (!zoom || sample_filter__wants_thread(zoom, comm, key->pid, key->tid));
}

/* What a row of the table may be. */
static const struct row_kind {
	const char *name, *sort; /* sort NULL: as the options say */
} row_kinds[] = {
	{ "functions", NULL }, { "threads", "tid" },          { "processes", "pid" },
	{ "binaries", "dso" }, { "source lines", "srcline" }, { "locks", "lock,holder" },
};

const char *browser__rows(const struct browser *b)
{
	const struct report_browser *r = report_of(b);

	if (!r->rows && !layout__sorts_by(&r->in->setup->layout, "symbol"))
		return "rows as chosen";
	return row_kinds[r->rows].name;
}

/* Keep only the samples of the zooms that need reading. */
static int browser__collect(struct browser *b)
{
	struct report_browser *r = report_of(b);
	struct report_screen *in = r->in;
	struct report_args *a = &r->args;
	int ret;

	*a = *in->args;
	if (r->rows) {
		a->table.sort = row_kinds[r->rows].sort;
		a->table.fields = NULL;
	}
	a->samples.weights = r->weights;
	zooms__set_args(&r->zooms, &a->samples);
	view__exit(&in->view);
	profile__exit(in->profile);
	report_setup__exit(in->setup);
	memset(&in->view, 0, sizeof(in->view));
	memset(in->profile, 0, sizeof(*in->profile));
	ret = report_setup__init(in->setup, a, in->session, false, b->err);
	if (ret)
		return ret;
	for (size_t i = 0; i < r->zooms.v.nr; i++) {
		struct time_spans spans = { 0 };

		if (r->zooms.v.v[i].kind != ZOOM_TIME)
			continue;
		array__add(&spans.v, r->zooms.v.v[i].span);
		sample_filter__add_times(&in->setup->view.filter, &spans);
		time_spans__exit(&spans);
	}
	in->setup->profile.times = sample_filter__times(&in->setup->view.filter);
	if (r->by_children)
		layout__sort_by_self(&in->setup->layout, false);
	ret = profile__collect(in->profile, in->session, &in->setup->profile, b->err);
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
	struct report_browser *r = report_of(b);
	struct reader *reader = r->in->session->reader;

	*reading__interrupts() = 0;
	terminal__count_interrupts(reading__interrupts());
	reading = b;
	progress__resume(reading__progress(), show_progress);
	progress__begin(reading__progress(), reader__size(reader), "counting samples");
	b->ret = browser__collect(b);
	if (b->ret && r->zooms.v.nr) {
		browser__say(b, "%s", b->err->text.buf);
		zooms__pop(&r->zooms);
		b->ret = browser__collect(b);
	}
	progress__end(reading__progress());
	terminal__count_interrupts(NULL);
	if (reader->stopped)
		browser__say(b, "Stopped: this is of what was read until then");
	reader->stopped = false;
	b->is_over = b->ret != 0;
}

/* Count again after the stack of filters has changed. If the samples cannot be read, end the browser. */
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

void browser__next_rows(struct browser *b)
{
	struct report_browser *r = report_of(b);

	live__hold(b);
	r->rows =
		(r->rows + 1) % (ARRAY_SIZE(row_kinds) - !evlist__has_locks(&r->in->session->reader->evlist));
	browser__apply(b, true);
	browser__say(b, "Rows are %s", browser__rows(b));
}

static u32 browser__first_event(const struct browser *b)
{
	const struct view *v = &report_of(b)->in->view;

	for (size_t i = 0; i < v->hists.nr; i++)
		for (u32 m = 0; m < v->hists.v[i].nr_members; m++)
			if (v->hists.v[i].totals[m].nr)
				return (u32)i;
	return 0;
}

/* What the samples of a recording of waits stand for. */
static const char *const time_kinds[] = {
	[WEIGHTS_NONE] = "all time",
	[WEIGHTS_BLOCKED_BY] = "what holders did while others waited",
	[WEIGHTS_CRITICAL_PATH] = "the critical path",
};

static enum weights_of browser__times(const struct browser *b)
{
	const struct weights_args *w = &report_of(b)->weights;

	return w->blocked_by ? WEIGHTS_BLOCKED_BY : w->critical_path ? WEIGHTS_CRITICAL_PATH : WEIGHTS_NONE;
}

void browser__count_weights(struct browser *b, const struct weights_args *weights)
{
	struct report_browser *r = report_of(b);

	r->weights = *weights;
	r->event = 0;
	browser__apply(b, true);
	r->event = browser__first_event(b);
	browser__changed(b);
}

void browser__next_times(struct browser *b)
{
	struct report_browser *r = report_of(b);
	enum weights_of of = browser__times(b);

	if (!evlist__has_wait_details(&r->in->session->reader->evlist)) {
		browser__say(b, "To see holders of locks, record with --off-cpu=locks");
		return;
	}
	live__hold(b);
	do {
		of = (of + 1) % ARRAY_SIZE(time_kinds);
		browser__count_weights(
			b, &(struct weights_args){ .blocked_by = of == WEIGHTS_BLOCKED_BY,
						   .critical_path = of == WEIGHTS_CRITICAL_PATH,
						   .thread = of == WEIGHTS_CRITICAL_PATH
								     ? r->in->args->samples.weights.thread
								     : NULL });
	} while (!b->is_over && of && !r->in->profile->nr_samples);
	browser__say(b, "This is %s", time_kinds[of]);
}

void browser__zoom(struct browser *b, enum zoom_kind kind, const char *text)
{
	zooms__push(&report_of(b)->zooms, kind, text);
	browser__apply(b, zoom_kind__needs_reading(kind));
}

void browser__zoom_time(struct browser *b, u64 start, u64 end)
{
	live__hold(b);
	zooms__push_time(&report_of(b)->zooms, start, end);
	browser__apply(b, true);
}

void browser__unzoom(struct browser *b)
{
	int kind = zooms__pop(&report_of(b)->zooms);

	if (kind < 0)
		browser__say(b, "There is no filter to take away");
	else
		browser__apply(b, zoom_kind__needs_reading((enum zoom_kind)kind));
}

static struct zooms carried; /* from one recording to the next */

void browser__carry_filters(struct browser *b)
{
	for (size_t i = 0; i < report_of(b)->zooms.v.nr; i++) {
		const struct zoom *z = &report_of(b)->zooms.v.v[i];

		if (z->kind != ZOOM_PID && z->kind != ZOOM_TID && z->kind != ZOOM_TIME)
			zooms__push(&carried, z->kind, z->text);
	}
}

static void browser__take_carried(struct browser *b)
{
	struct report_browser *r = report_of(b);
	bool needs_reading = false;

	r->zooms = carried;
	carried = (struct zooms){ 0 };
	for (size_t i = 0; i < r->zooms.v.nr; i++)
		needs_reading |= zoom_kind__needs_reading(r->zooms.v.v[i].kind);
	if (r->zooms.v.nr)
		browser__apply(b, needs_reading);
}

/* May chains have more entries than those of stock perf's tables? Folded recursion counts in full. */
static bool view__has_deep_chains(const struct view *v)
{
	const struct chains *c = &v->chains;
	u32 stride = chains__stride(c);

	for (size_t i = 0; i < v->folds.nr; i++) {
		u32 begin, nr, depth = 0;

		if (!v->folds.v[i].chain)
			continue;
		nr = chains__graph(c, v->folds.v[i].chain, &begin);
		for (u32 k = 0; k < nr; k++)
			depth += 1 + (stride == 2 ? numbers__get(&c->v, begin + k * stride + 1) : 0);
		if (depth > MAX_STACK_OF_STOCK)
			return true;
	}
	return false;
}

void browser__add_weights(const struct browser *b, struct strbuf *sb)
{
	const struct weights_args *w = &report_of(b)->weights;
	const struct {
		const char *option, *text;
	} options[] = {
		{ " --thread ", w->thread },
		{ " --span=", w->span },
		{ " --slower ", w->slower },
		{ " --faster ", w->faster },
	};

	if (w->blocked_by || w->critical_path)
		strbuf__addf(sb, " %s", weights_args__option(w));
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].text) {
			strbuf__addstr(sb, options[i].option);
			strbuf__add_shell_word(sb, options[i].text);
		}
}

void browser__command_line(const struct browser *b, struct strbuf *sb)
{
	struct report_browser *r = report_of(b);
	const struct report_args *a = r->in->args;
	const char *sort = r->in->setup->layout.sort_order;

	/* --stdio prints waits as stock perf's tables, so ask for --no-tui. */
	strbuf__addf(sb, "%s report --%s", called_name(),
		     r->in->view.opts.waits.one_table ? "no-tui" : "stdio");
	if (a->input && strcmp(a->input, "perf.data")) {
		strbuf__addstr(sb, " -i ");
		strbuf__add_shell_word(sb, a->input);
	}
	/* what text that is no terminal's does otherwise */
	if (sort && (a->table.sort || r->rows || !strcmp(sort, "dso,symbol"))) {
		strbuf__addstr(sb, " -s ");
		strbuf__add_shell_word(sb, sort);
	}
	if (r->in->view.opts.places.inline_rows)
		strbuf__addstr(sb, " --inline-rows");
	if (view__has_deep_chains(&r->in->view))
		strbuf__addf(sb, " --max-stack %d", MAX_STACK);
	if (a->table.fields) {
		strbuf__addstr(sb, " -F ");
		strbuf__add_shell_word(sb, a->table.fields);
	}
	browser__add_weights(b, sb);
	if (r->in->view.opts.relative)
		strbuf__addstr(sb, " --percentage relative");
	zooms__add_options(&r->zooms, sb);
}

/* ---- drawing ---- */

/* Append what makes all numbers doubtful; the screen of the recording (i) says more. */
static void browser__add_doubts(struct browser *b, struct strbuf *sb)
{
	enum { FEW = 100 }; /* incomplete chains: one of so many is not worth a word */
	const struct report_screen *in = report_of(b)->in;
	struct completeness c = completeness__of(in->profile);
	u64 all, incomplete = unwind_stats__incomplete(&in->profile->unwinding, &all);

	if (in->live)
		return;
	if (!c.is_whole)
		strbuf__addf(sb, "  | %s", c.end);
	if (c.lost_samples)
		strbuf__addf(sb, "  | %llu samples lost", (unsigned long long)c.lost_samples);
	if (incomplete > all / FEW)
		strbuf__addf(sb, "  | %.0f%% of chains incomplete", 100 * (double)incomplete / (double)all);
	if (!in->session->machine.kernel.has_text && in->view.nr.unmapped > in->profile->nr_samples / FEW)
		strbuf__addstr(sb, "  | kernel functions have no names");
}

/* Append what samples stand for. */
static void browser__add_kind(const struct browser *b, struct strbuf *sb)
{
	const struct report_setup *setup = report_of(b)->in->setup;
	const struct hists *h = browser__hists(b);

	strbuf__addch(sb, ' ');
	if (sample_filter__spans(&setup->view.filter))
		span_choice__describe(&setup->view.filter.spans, setup->weights.of, sb);
	else if (browser__times(b))
		strbuf__addstr(sb, time_kinds[browser__times(b)]);
	else
		strbuf__addf(sb, "%s%s", h->evsel->name, h->is_of_times ? " and waits" : "");
}

/* Append which event is shown, if there are several. Spans are shown in other ways. */
static void browser__add_event_number(const struct browser *b, struct strbuf *sb)
{
	const struct view *v = browser__view(b);
	u32 nr = 0, at = 0;

	for (u32 i = 0; i < v->hists.nr; i++) {
		nr += !evsel__has_spans(v->hists.v[i].evsel);
		at = i == report_of(b)->event ? nr : at;
	}
	if (nr > 1)
		strbuf__addf(sb, " (event %u of %u)", at, nr);
}

static void browser__add_title(struct browser *b, struct strbuf *sb)
{
	const struct hists *h = browser__hists(b);
	u64 nr = 0, shown = 0;

	for (u32 m = 0; m < h->nr_members; m++) {
		nr += h->totals[m].nr;
		shown += h->shown[m].nr;
	}
	browser__add_kind(b, sb);
	if (h->nr_members > 1)
		strbuf__addf(sb, " and %u more", h->nr_members - 1);
	browser__add_event_number(b, sb);
	strbuf__addf(sb, "  %llu", (unsigned long long)shown);
	if (shown != nr)
		strbuf__addf(sb, " of %llu", (unsigned long long)nr);
	strbuf__addstr(sb, " samples");
	if (report_of(b)->zooms.v.nr)
		strbuf__addstr(sb, "  | ");
	zooms__describe(&report_of(b)->zooms, sb);
	browser__add_doubts(b, sb);
}

/* How the recording goes. */
static void browser__draw_live(struct browser *b)
{
	const char *keys = "blank:freeze  ?:keys  q:leave";
	struct grid *g = &b->grid;
	struct strbuf text = STRBUF_INIT;

	strbuf__addch(&text, ' ');
	report_of(b)->in->live->describe(report_of(b)->in->live, &text);
	grid__field(g, g->rows - 1, 0, g->columns, STYLE_DIM, text.buf);
	if (text.len + strlen(keys) + 3 < g->columns)
		grid__print(g, g->rows - 1, g->columns - (unsigned)strlen(keys) - 1, (unsigned)strlen(keys),
			    STYLE_DIM, "%s", keys);
	strbuf__exit(&text);
}

/* ---- begin and end ---- */

static void begin(struct browser *b)
{
	struct report_browser *r = report_of(b);
	const struct report_args *a = r->in->args;

	r->weights = a->samples.weights;
	r->event = browser__first_event(b);
	r->by_children = a->samples.children_given || a->table.fields;
	browser__take_carried(b);
}

static const struct browser_kind report_kind = {
	.screens = report_screens,
	.keys = report_keys,
	.hint = "c:callers  g:flame graph  T:time  a:code",
	.begin = begin,
	.add_title = browser__add_title,
	.name = browser__name,
	.take_function = take_function,
	.trees = &report_trees,
};

int report_browser__run(struct report_screen *in, struct err *err)
{
	struct browser_kind kind = report_kind;
	struct report_browser r = { .b.kind = &kind, .in = in };
	int ret;

	if (in->live) {
		kind.live_keys = live_keys;
		kind.wait = live__wait;
		kind.draw_bottom = browser__draw_live;
	}
	ret = browser__run(&r.b, &in->args->browser, err);
	browser__exit(&r.b);
	if (r.stacks.is_set)
		regfree(&r.stacks.regex);
	name_list__exit(&r.recordings);
	span_sets__exit(&r.spans);
	free(r.code_file);
	zooms__exit(&r.zooms);
	return ret;
}
