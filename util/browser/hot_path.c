#include "browser/hot_path.h"

#include "base/text/fit.h"
#include "base/text/fold_name.h"
#include "browser/report_browser.h"
#include "profile/hists/stack_tree.h"

#include <string.h>

/* ---- own code ---- */

static bool begins_with_any(const char *name, const char *const *beginnings, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

static bool is_of_system(const char *path)
{
	/* the last two have the sources of Rust's and Go's libraries, as they are recorded in programs */
	static const char *const folders[] = { "/usr/include/", "/usr/lib", "/lib", "/rustc/",
					       "/usr/local/go/" };

	return begins_with_any(path, folders, ARRAY_SIZE(folders));
}

/*
 * Is this the name of a function of a language's library? That is all there is to see of one in a program
 * without lines. Go's packages are libraries, but for main and those whose path begins with a host's name.
 */
static bool is_of_library(const char *name, bool is_go)
{
	static const char *const beginnings[] = { "std::",  "__gnu_cxx::", "core::",  "alloc::",
						  "<std::", "<core::",     "<alloc::" };
	size_t host = strcspn(name, "/");

	if (!is_go)
		return begins_with_any(name, beginnings, ARRAY_SIZE(beginnings));
	return strncmp(name, "main.", strlen("main.")) != 0 && !(name[host] && memchr(name, '.', host));
}

/*
 * Is a place in the user's own code? Programs are, and libraries outside of the system's folders, but neither
 * the stubs by which they call libraries nor what the headers of libraries put into them.
 */
static bool is_own(struct view *v, u32 id)
{
	const struct place *p = places__get(&v->places, id);
	const struct dsos *dsos = &v->profile->session->machine.dsos;
	const struct dso *dso = p->mapped ? dsos->v.v[p->dso] : NULL;
	const char *path, *name;

	if (!p->sym || !dso || p->level != '.' || p->wait)
		return false;
	path = dso__long_name(dsos, dso);
	name = places__name(&v->places, id);
	return *path != '[' && !(strstr(path, ".so") && is_of_system(path)) && !strstr(name, "@plt") &&
	       !(p->has_line && is_of_system(places__text(&v->places, p->file)));
}

/* ---- finding it ---- */

static bool is_function(const struct view *v, u32 a, const struct view *w, u32 b)
{
	const struct place *x = places__get(&v->places, places__get(&v->places, a)->row);
	const struct place *y = places__get(&w->places, places__get(&w->places, b)->row);

	if (!x->inlined != !y->inlined || x->dso != y->dso)
		return false;
	return x->inlined
		       ? !strcmp(places__text(&v->places, x->inlined), places__text(&w->places, y->inlined))
		       : x->sym == y->sym && (x->sym || x->ip == y->ip);
}

static void hot_path__forget_lines(struct hot_path *p)
{
	if (!p->lines_generation)
		return;
	source_files__exit(&p->files);
	view__exit(&p->lines);
	profile__exit(&p->profile);
	p->lines_generation = 0;
}

void hot_path__exit(struct hot_path *p)
{
	hot_path__forget_lines(p);
	array__exit(&p->path);
}

/* Read the samples again, for their lines. */
static void hot_path__make_lines(struct hot_path *p, struct browser *b)
{
	const struct report_screen *in = report_of(b)->in;
	const struct source_opts no_prefix = { .prefix = NULL };
	struct view_opts opts = in->setup->view;

	if (p->lines_generation == b->generation)
		return;
	hot_path__forget_lines(p);
	opts.places.lines = opts.places.full_paths = true;
	opts.chain.caller_first = opts.children = false;
	if (profile__collect(&p->profile, in->session, &in->setup->profile, b->err)) {
		profile__exit(&p->profile);
		return;
	}
	view__build(&p->lines, &p->profile, &opts);
	if (zooms__filter(&report_of(b)->zooms))
		view__recount(&p->lines, zooms__filter(&report_of(b)->zooms));
	source_files__init(&p->files, &in->session->symbolizer, &no_prefix);
	p->lines_generation = b->generation;
}

/* Return the chain of a fold of the lines, if it counts; nr 0: it does not. */
static struct chain hot_path__chain(struct hot_path *p, const struct browser *b, const struct fold *f)
{
	struct view *v = &p->lines;

	if (v->hists_of_event[fold__kind(v, f)->event] != report_of(b)->event || view__fold_filters(v, f))
		return (struct chain){ .nr = 0 };
	return chains__get(&v->chains, f->chain);
}

/*
 * Return the position of the innermost own code in a chain, from one on; chain.nr: there is none. What has no
 * line is own code only where nothing has one: it may be a library in a static program.
 */
static u32 hot_path__own_in_chain(struct hot_path *p, struct chain chain, u32 from)
{
	struct places *places = &p->lines.places;
	u32 without = chain.nr;
	const char *outermost = chain.nr ? places__name(places, chain.places[chain.nr - 1]) : "";
	bool is_go = !strncmp(outermost, "runtime.", strlen("runtime."));

	for (u32 i = from; i < chain.nr; i++) {
		if (!is_own(&p->lines, chain.places[i]))
			continue;
		if (places__get(places, chain.places[i])->has_line)
			return i;
		if (without == chain.nr && !is_of_library(places__name(places, chain.places[i]), is_go))
			without = i;
	}
	return without;
}

/* Find the line of own code that most samples of a function came through, and note it in p->own. */
static void hot_path__find_own(struct hot_path *p, const struct browser *b, u32 function)
{
	struct view *v = &p->lines;
	u64 *periods = xcalloc(v->places.v.nr + 1, sizeof(*periods));

	for (size_t i = 0; i < v->folds.nr; i++) {
		struct chain chain = hot_path__chain(p, b, &v->folds.v[i]);
		u32 k = 0;

		while (k < chain.nr && !is_function(v, chain.places[k], browser__view(b), function))
			k++;
		k = hot_path__own_in_chain(p, chain, k);
		if (k < chain.nr)
			periods[chain.places[k]] += v->folds.v[i].period;
	}
	for (u32 i = 0; i < v->places.v.nr; i++)
		if (periods[i] && (p->own == PLACE_NONE || periods[i] > periods[p->own]))
			p->own = i;
	free(periods);
}

/* Add up the samples that have the function of p->own on their stacks. */
static void hot_path__sum_own(struct hot_path *p, const struct browser *b)
{
	struct view *v = &p->lines;

	for (size_t i = 0; i < v->folds.nr && p->own != PLACE_NONE; i++) {
		struct chain chain = hot_path__chain(p, b, &v->folds.v[i]);
		u32 k = 0;

		while (k < chain.nr && !is_function(v, chain.places[k], v, p->own))
			k++;
		p->own_period += k < chain.nr ? v->folds.v[i].period : 0;
	}
}

static void hot_path__find_callers(struct hot_path *p, struct browser *b, const struct hist_entry *e)
{
	const struct call_node *n;
	struct stack_tree tree;

	p->path.nr = 0;
	stack_tree__make(&tree, browser__view(b), browser__hists(b), e, STACK_CALLERS, 0);
	for (n = tree.root; n; n = n->nr_children ? n->children[0] : NULL)
		for (u32 i = 0; i < n->nr_places; i++)
			array__add(&p->path, n->places[i]);
	stack_tree__exit(&tree);
}

static void hot_path__find_callee(struct hot_path *p, struct browser *b, const struct hist_entry *e)
{
	const struct call_node *n;
	struct stack_tree tree;

	p->callee = PLACE_NONE;
	stack_tree__make(&tree, browser__view(b), browser__hists(b), e, STACK_CALLEES, 0);
	n = tree.root && tree.root->nr_children ? tree.root->children[0] : NULL;
	if (n && n->nr_places == 1)
		n = n->nr_children && n->children[0]->total * 2 >= n->total ? n->children[0] : NULL;
	else if (n)
		p->callee = n->places[1];
	if (n && p->callee == PLACE_NONE)
		p->callee = n->places[0];
	stack_tree__exit(&tree);
}

bool hot_path__knows(const struct hot_path *p, const struct browser *b, const struct hist_entry *e)
{
	return p->e == e && p->generation == b->generation;
}

void hot_path__find(struct hot_path *p, struct browser *b, const struct hist_entry *e)
{
	p->e = e;
	p->generation = b->generation;
	p->own = PLACE_NONE;
	p->own_period = 0;
	hot_path__find_callers(p, b, e);
	hot_path__find_callee(p, b, e);
	hot_path__make_lines(p, b);
	if (!p->lines_generation)
		return;
	hot_path__find_own(p, b, e->place);
	hot_path__sum_own(p, b);
}

bool hot_path__go(struct hot_path *p, struct browser *b, const struct hist_entry *e)
{
	if (!hot_path__knows(p, b, e) || p->own == PLACE_NONE)
		return false;
	browser__show_code(b, &p->lines.places, p->own);
	return true;
}

/* ---- drawing ---- */

#define REPEATED "..."

typedef ARRAY(char *) steps; /* names, the outermost first */

static bool is_start(const char *name)
{
	static const char *const names[] = { "main", "main.main", "start_thread" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static char *step_name(struct browser *b, u32 place)
{
	struct strbuf sb = STRBUF_INIT;

	if (report_of(b)->verbose)
		strbuf__addstr(&sb, browser__name(b, place));
	else
		name__fold(&sb, browser__name(b, place));
	return strbuf__detach(&sb);
}

/* Add a step, or "..." for those that repeat earlier ones. Return the index of the step of this name. */
static size_t add_step(steps *list, char *name)
{
	for (size_t i = 0; i < list->nr; i++) {
		if (strcmp(list->v[i], name))
			continue;
		if (strcmp(list->v[list->nr - 1], REPEATED))
			array__add(list, xstrdup(REPEATED));
		free(name);
		return i;
	}
	array__add(list, name);
	return list->nr - 1;
}

/* List the steps from main on. Return the index of the own function, or -1. */
static int hot_path__list(struct hot_path *p, struct browser *b, steps *list)
{
	struct strbuf with_share = STRBUF_INIT;
	size_t nr = p->path.nr;
	int own = -1;

	for (size_t i = 0; i < p->path.nr; i++)
		if (is_start(browser__name(b, p->path.v[i])))
			nr = i + 1;
	for (size_t i = nr; i-- > 0;) {
		size_t step = add_step(list, step_name(b, p->path.v[i]));

		if (p->own != PLACE_NONE && is_function(browser__view(b), p->path.v[i], &p->lines, p->own))
			own = (int)step;
	}
	if (p->callee != PLACE_NONE)
		array__add(list, step_name(b, p->callee));
	if (own < 0)
		return own;
	strbuf__addf(&with_share, "%s %.1f%%", list->v[own],
		     100 * (double)p->own_period / (double)MAX(browser__total(b), 1u));
	free(list->v[own]);
	list->v[own] = strbuf__detach(&with_share);
	return own;
}

/* Shorten a step by so many columns, as far as it stays readable. */
static void shorten_step(char **step, unsigned by)
{
	enum { LEAST = 24 };
	struct strbuf sb = STRBUF_INIT;
	unsigned width = grid__width(*step);

	fit__shorten(&sb, *step, strlen(*step), MAX(width - MIN(by, width), MIN(width, (unsigned)LEAST)));
	free(*step);
	*step = strbuf__detach(&sb);
}

/* Append the steps that fit: the own function stays longest, then the innermost ones. */
static void add_steps(struct strbuf *sb, steps *list, int own, unsigned room)
{
	size_t first = 0, keep = own >= 0 ? (size_t)own : list->nr - 1, hole = 0, nr_short = 0;

	for (;;) {
		strbuf__reset(sb);
		strbuf__addstr(sb, first ? " ... > " : " ");
		for (size_t i = first; i < list->nr; i++) {
			if (i > keep && i <= keep + hole) {
				strbuf__addstr(sb, i == keep + 1 ? " > ..." : "");
				continue;
			}
			strbuf__addstr(sb, i > first ? " > " : "");
			strbuf__addstr(sb, list->v[i]);
		}
		if (grid__width(sb->buf) <= room)
			return;
		if (first < keep)
			first++;
		else if (keep + hole + 2 < list->nr)
			hole++;
		else if (nr_short < 2)
			shorten_step(&list->v[nr_short++ ? keep : list->nr - 1], grid__width(sb->buf) - room);
		else
			return;
	}
}

static void hot_path__add_line(struct hot_path *p, struct strbuf *sb)
{
	const struct place *own = p->own == PLACE_NONE ? NULL : places__get(&p->lines.places, p->own);
	const struct source_file *file;
	const char *path, *slash, *line;
	size_t len;

	if (!own || !own->has_line)
		return;
	path = places__text(&p->lines.places, own->file);
	slash = strrchr(path, '/');
	strbuf__addf(sb, " %s:%u  ", slash ? slash + 1 : path, own->line_number);
	file = source_files__get(&p->files, p->profile.session->machine.dsos.v.v[own->dso], path);
	line = source_file__line(file, own->line_number, &len);
	while (line && len && (*line == ' ' || *line == '\t')) {
		line++;
		len--;
	}
	if (line)
		strbuf__add(sb, line, len);
}

void hot_path__draw(struct hot_path *p, struct browser *b, const struct hist_entry *e, const struct area *a)
{
	struct strbuf sb = STRBUF_INIT;
	steps list = { 0 };
	int own;

	if (!hot_path__knows(p, b, e) || !p->path.nr)
		return;
	own = hot_path__list(p, b, &list);
	add_steps(&sb, &list, own, a->columns);
	grid__field(a->grid, a->row, a->column, a->columns, STYLE_BOLD, sb.buf);
	strbuf__reset(&sb);
	hot_path__add_line(p, &sb);
	grid__field(a->grid, a->row + 1, a->column, a->columns, STYLE_DIM, sb.buf);
	for (size_t i = 0; i < list.nr; i++)
		free(list.v[i]);
	array__exit(&list);
	strbuf__exit(&sb);
}
