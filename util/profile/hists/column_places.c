/* Columns of places, of entries and of the ends of branches. */
#include "profile/hists/columns_private.h"

#include "base/text/put.h"
#include "profile/hists/hists_private.h"

#include <string.h>

/* ---- places: of entries, and the ends of branches ---- */

struct branch_end entry_itself(const struct view *v, const struct hist_entry *e)
{
	(void)v;
	return (struct branch_end){ e->place, e->place, (u8)e->level };
}

static const struct branch *entry__branch(const struct view *v, const struct hist_entry *e)
{
	return branches__get(&v->branches, e->branch);
}

struct branch_end branch_from(const struct view *v, const struct hist_entry *e)
{
	return entry__branch(v, e)->from;
}

struct branch_end branch_to(const struct view *v, const struct hist_entry *e)
{
	return entry__branch(v, e)->to;
}

/* Return the place to show. */
const struct place *column__place(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	return places__get(&v->places, c->end(v, e).place);
}

const char *place__dso_name(const struct view *v, const struct place *p)
{
	return machine__str(&v->profile->session->machine, p->dso_name);
}

/*
 * Return a number for the dso's name; 0 for unmapped addresses, because a dso may be called [unknown], too.
 */
u64 place__dso_word(const struct place *p)
{
	return p->mapped ? (u64)p->dso_name + 1 : 0;
}

unsigned dso_identity(const struct column *c, const struct view *v, const struct hist_entry *e, u64 *words)
{
	words[0] = place__dso_word(column__place(c, v, e));
	return 1;
}

int compare_dsos(const struct view *v, const struct place *x, const struct place *y)
{
	if (!x->mapped || !y->mapped)
		return x->mapped ? -1 : y->mapped;
	return x->dso_name == y->dso_name ? 0 : strcmp(place__dso_name(v, x), place__dso_name(v, y));
}

int dso_compare(const struct column *c, struct view *v, const struct hist_entry *a,
		const struct hist_entry *b)
{
	return compare_dsos(v, column__place(c, v, a), column__place(c, v, b));
}

/* Compare in reverse, as in stock perf: unmapped addresses come first. */
int end_dso_compare(const struct column *c, struct view *v, const struct hist_entry *a,
		    const struct hist_entry *b)
{
	return -dso_compare(c, v, a, b);
}

unsigned unresolved_dso_room(const struct view *v)
{
	return v->opts.filter.dsos.given || v->opts.widths_given ? 0 : (unsigned)UNRESOLVED_WIDTH;
}

unsigned dso_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	const struct place *p = column__place(c, v, e);
	unsigned room = p->mapped ? (unsigned)strlen(place__dso_name(v, p)) : 0;

	return p->sym ? room : MAX(room, unresolved_dso_room(v));
}

unsigned end_dso_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	const struct place *p = column__place(c, v, e);

	return p->sym ? (unsigned)strlen(place__dso_name(v, p)) : 0;
}

void print_dso(const struct cell *c)
{
	const struct place *p = column__place(c->column, c->v, c->e);
	const struct dsos *dsos = &c->v->profile->session->machine.dsos;
	const struct dso *dso = dsos->v.v[p->dso];
	const char *name = c->style->verbose ? dso__long_name(dsos, dso) : dso__short_name(dsos, dso);

	add_text(c, p->mapped ? name : "[unknown]", c->width, c->width);
}

/*
 * A symbol is identified by dso name, address and size, an inlined function with rows of its own by dso and
 * name, an unresolved address by itself, whatever the dso.
 */
unsigned symbol_identity(const struct column *c, const struct view *v, const struct hist_entry *e, u64 *words)
{
	const struct place *p = places__get(&v->places, c->end(v, e).identity);

	bool is_named = p->inlined && v->places.opts.inline_rows;

	words[0] = p->sym ? place__dso_word(p) : 0;
	words[1] = is_named ? 0 : p->sym ? p->sym->start : p->ip;
	words[2] = p->sym ? 1ull << 32 | (is_named ? 0 : p->sym->size) : 0;
	words[3] = p->inlined | (u64)p->wait << 32 | (u64)p->is_idle << 40;
	return 4;
}

static int compare_names(struct view *v, const struct hist_entry *a, const struct hist_entry *b)
{
	return strcmp(places__name(&v->places, a->place), places__name(&v->places, b->place));
}

int symbol_compare(const struct column *c, struct view *v, const struct hist_entry *a,
		   const struct hist_entry *b)
{
	bool x = column__place(c, v, a)->sym, y = column__place(c, v, b)->sym;

	if (!x || !y)
		return x ? -1 : y;
	return a->place == b->place ? 0 : compare_names(v, a, b);
}

/* Compare by the sign of the difference, as in stock perf: kernel addresses come before user ones. */
int compare_addresses(u64 a, u64 b)
{
	s64 difference = (s64)(a - b);

	return difference < 0 ? -1 : difference > 0;
}

/* Compare by address. Symbols come before unresolved addresses. */
static int compare_symbols(const struct place *x, const struct place *y)
{
	const struct symbol *a = x->sym, *b = y->sym;

	if (!a && !b)
		return compare_addresses(x->ip, y->ip);
	if (!a || !b)
		return a ? -1 : 1;
	if (a->start != b->start)
		return compare_addresses(a->start, b->start);
	return a->size < b->size ? -1 : a->size > b->size;
}

int symbol_collapse(const struct column *c, struct view *v, const struct hist_entry *a,
		    const struct hist_entry *b)
{
	const struct place *x = column__place(c, v, a), *y = column__place(c, v, b);
	int ret = x->sym || y->sym ? compare_dsos(v, x, y) : 0;

	if (ret && !layout__sorts_by(v->opts.layout, "dso"))
		return ret;
	if (x->sym && y->sym && x->inlined != y->inlined) {
		ret = compare_names(v, a, b);
		return ret ? ret : x->inlined ? 1 : -1;
	}
	return compare_symbols(x, y);
}

int end_symbol_compare(const struct column *c, struct view *v, const struct hist_entry *a,
		       const struct hist_entry *b)
{
	return compare_symbols(places__get(&v->places, c->end(v, a).identity),
			       places__get(&v->places, c->end(v, b).identity));
}

static unsigned mark_room(const struct place *p)
{
	struct strbuf mark = STRBUF_INIT;
	unsigned room;

	if (!p->inlined && !p->wait && !p->is_idle)
		return 0;
	place__add_mark(p, &mark);
	room = (unsigned)mark.len;
	strbuf__exit(&mark);
	return room;
}

/* Return the length of "[.] name" or "[.] 0x0123456789abcdef". */
unsigned symbol_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	u32 place = c->end(v, e).place;
	const struct place *p = places__get(&v->places, place);

	if (!p->sym)
		return UNRESOLVED_WIDTH + 4 + 2 + mark_room(p); /* stand-ins are not longer */
	return (unsigned)strlen(places__name(&v->places, place)) + 4 + mark_room(p);
}

static void add_level(struct strbuf *sb, char level)
{
	const char text[] = { '[', level, ']', ' ' };

	strbuf__add(sb, text, sizeof(text));
}

void add_address(struct strbuf *sb, char level, u64 address)
{
	char *p;

	add_level(sb, level);
	p = strbuf__begin(sb, PUT_HEX_MAX);
	if (address)
		p = put_text(p, "0x");
	strbuf__end(sb, put_hex16(p, address));
}

/* Append the name, without what marks it as inlined. */
void add_offset(struct strbuf *sb, u64 offset)
{
	char *p = put_text(strbuf__begin(sb, 1 + PUT_HEX_MAX), "+0x");

	strbuf__end(sb, put_hex(p, offset));
}

static void add_symbol(const struct cell *c)
{
	struct branch_end end = c->column->end(c->v, c->e);
	const struct place *p = places__get(&c->v->places, end.place);

	if (place__stand_in(p)) {
		add_level(c->sb, (char)end.level);
		strbuf__addstr(c->sb, place__stand_in(p));
		return;
	}
	if (!p->sym) {
		add_address(c->sb, (char)end.level, p->ip);
		return;
	}
	add_level(c->sb, (char)end.level);
	if (c->style->fold_names)
		cell_style__add_name(c->style, c->sb, places__name(&c->v->places, end.place));
	else
		add_text(c, places__name(&c->v->places, end.place), 0, MAX(c->width - 4, 0));
}

void print_symbol(const struct cell *c)
{
	add_symbol(c);
	place__add_mark(column__place(c->column, c->v, c->e), c->sb);
}

/* Return the end of a branch as an address (column.exact_ends). */
static const struct place *column__exact_place(const struct column *c, const struct view *v,
					       const struct hist_entry *e)
{
	return places__get(&v->places, c->end(v, e).identity);
}

unsigned end_address_identity(const struct column *c, const struct view *v, const struct hist_entry *e,
			      u64 *words)
{
	const struct place *p = column__exact_place(c, v, e);

	words[0] = place__dso_word(p);
	words[1] = p->ip;
	words[2] = p->inlined;
	return 3;
}

int end_address_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			const struct hist_entry *b)
{
	const struct place *x = column__exact_place(c, v, a), *y = column__exact_place(c, v, b);
	int ret = -compare_dsos(v, x, y);

	return ret ? ret : compare_addresses(x->ip, y->ip);
}

/* Print the level of the sample, too, longer than the column, as in stock perf. */
void print_end_address(const struct cell *c)
{
	struct branch_end end = c->column->end(c->v, c->e);
	const struct place *p = places__get(&c->v->places, end.identity);

	if (!p->sym) {
		add_address(c->sb, c->e->level, p->ip);
		return;
	}
	add_level(c->sb, c->e->level);
	add_text(c, places__name(&c->v->places, end.identity), 0, MAX(c->width - 4, 0));
	if (p->ip != p->sym->start)
		add_offset(c->sb, p->ip - p->sym->start);
}

/* ---- functions with the offset in them ---- */

/* Compare by name, then put the later address first, as in stock perf. */
int symbol_offset_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			  const struct hist_entry *b)
{
	int ret = symbol_compare(c, v, a, b);

	return ret ? ret : compare_addresses(column__place(c, v, b)->ip, column__place(c, v, a)->ip);
}

static u64 place__offset(const struct place *p)
{
	return p->ip - p->sym->start;
}

unsigned symbol_offset_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	const struct place *p = column__place(c, v, e);
	unsigned room = symbol_room(c, v, e) + (p->sym ? 4 : 0);

	for (u64 offset = p->sym ? place__offset(p) : 0; offset >>= 4;)
		room++;
	return room;
}

void print_symbol_offset(const struct cell *c)
{
	const struct place *p = column__place(c->column, c->v, c->e);
	struct strbuf offset = STRBUF_INIT;
	struct cell name = *c;

	if (p->sym)
		add_offset(&offset, place__offset(p));
	name.width -= (int)MIN(offset.len, (size_t)c->width);
	add_symbol(&name);
	strbuf__addstr(c->sb, offset.buf);
	place__add_mark(p, c->sb);
	strbuf__exit(&offset);
}

u64 entry_symbol_size(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	const struct place *p = places__get(&v->places, e->place);

	(void)c;
	return p->sym ? p->sym->size : 0;
}

void print_symbol_size(const struct cell *c)
{
	if (places__get(&c->v->places, c->e->place)->sym)
		strbuf__addf(c->sb, "%*u", c->width, (unsigned)c->column->value(c->column, c->v, c->e));
	else
		strbuf__addf(c->sb, "%*s", c->width, "unknown");
}

u64 entry_map_size(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return places__get(&v->places, e->place)->map_size;
}

void print_map_size(const struct cell *c)
{
	u64 size = c->column->value(c->column, c->v, c->e);

	if (size)
		strbuf__addf(c->sb, "%*llu", c->width, (unsigned long long)size);
	else
		strbuf__addf(c->sb, "%*s", c->width, "unknown");
}

/* ---- functions that -p names ---- */

u64 entry_parent(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	return e->parent;
}

const char *parent_text(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return e->parent ? places__text(&v->places, e->parent) : "[other]";
}

int parent_compare(const struct column *c, struct view *v, const struct hist_entry *a,
		   const struct hist_entry *b)
{
	if (!a->parent || !b->parent)
		return a->parent ? -1 : b->parent != 0;
	return text_compare(c, v, a, b);
}

/* ---- instructions per cycle ---- */

u64 no_value(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	(void)e;
	return 0;
}

void print_no_ipc(const struct cell *c)
{
	strbuf__addf(c->sb, "%-*s", c->width, "-      -");
}

const struct function_ipc *hist_entry__ipc(const struct view *v, const struct hist_entry *e)
{
	const struct symbol *sym = places__get(&v->places, e->place)->sym;
	const struct function_ipc *f = sym ? ipc_table__get(&v->ipc, sym) : NULL;

	return f && f->cycles ? f : NULL;
}

/* The share of the function's instructions that it is known for follows. */
void print_ipc(const struct cell *c)
{
	const struct function_ipc *f = hist_entry__ipc(c->v, c->e);
	size_t start = c->sb->len;

	if (!f) {
		print_no_ipc(c);
		return;
	}
	strbuf__addf(c->sb, "%.2f  [%5.1f%%]", (double)f->executed / (double)f->cycles,
		     100.0 * f->nr_covered / MAX(f->nr, 1u));
	cell__pad(c, start);
}

u64 place_line(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	return column__place(c, v, e)->line;
}

u64 place_file(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	return column__place(c, v, e)->file;
}

const char *source_text(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	return places__text(&v->places, (u32)c->value(c, v, e));
}

/* ---- flags of branches ---- */

u64 branch_prediction(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return entry__branch(v, e)->flags & (BRANCH_PREDICTED | BRANCH_MISPREDICTED);
}

u64 branch_in_tx(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return entry__branch(v, e)->flags & BRANCH_IN_TX;
}

u64 branch_abort(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return entry__branch(v, e)->flags & BRANCH_ABORT;
}

u64 branch_cycles(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return entry__branch(v, e)->flags >> BRANCH_CYCLES_SHIFT & 0xffff;
}

void print_prediction(const struct cell *c)
{
	u64 flags = c->column->value(c->column, c->v, c->e);
	const char *text = flags & BRANCH_PREDICTED ? "N" : flags & BRANCH_MISPREDICTED ? "Y" : "N/A";

	strbuf__addf(c->sb, "%-*.*s", c->width, c->width, text);
}

void print_in_tx(const struct cell *c)
{
	strbuf__addf(c->sb, "%-*s", c->width, c->column->value(c->column, c->v, c->e) ? "T" : ".");
}

void print_abort(const struct cell *c)
{
	strbuf__addf(c->sb, "%-*s", c->width, c->column->value(c->column, c->v, c->e) ? "A" : ".");
}

void print_cycles(const struct cell *c)
{
	unsigned cycles = (unsigned)c->column->value(c->column, c->v, c->e);

	if (cycles)
		strbuf__addf(c->sb, "%-*u", c->width, cycles);
	else
		strbuf__addf(c->sb, "%-*s", c->width, "-");
}
