/* The sort keys and values; see layout.h. */
#include "profile/hists/hists_private.h"

#include "base/memory/hash.h"
#include "base/text/fold_name.h"
#include "base/text/mask.h"
#include "format/records/sample_field.h"
#include "profile/gather/wait_kinds.h"
#include "profile/hists/column_json.h"

#include <linux/perf_event.h>

#include <ctype.h>
#include <string.h>

enum {
	UNRESOLVED_WIDTH = 16, /* digits of an address */
};

/* ---- keys that are numbers, or identified by one ---- */

static unsigned value_identity(const struct column *c, const struct view *v, const struct hist_entry *e,
			       u64 *words)
{
	words[0] = c->value(c, v, e);
	return 1;
}

static int smaller_first(const struct column *c, struct view *v, const struct hist_entry *a,
			 const struct hist_entry *b)
{
	s64 x = (s64)c->value(c, v, a), y = (s64)c->value(c, v, b);

	return x < y ? -1 : x > y;
}

static int larger_first(const struct column *c, struct view *v, const struct hist_entry *a,
			const struct hist_entry *b)
{
	u64 x = c->value(c, v, a), y = c->value(c, v, b);

	return x > y ? -1 : x < y;
}

/* ---- texts ---- */

/* Append a name from a file, without control characters and separators. */
static void add_text(const struct cell *c, const char *text, int width, int max)
{
	const char *sep = c->style->separator;
	struct strbuf *sb = c->sb;
	size_t start = sb->len, len;

	strbuf__add_masked(sb, text);
	len = sb->len - start;
	if (max >= 0 && len > (size_t)max)
		strbuf__setlen(sb, start + (size_t)max);
	for (size_t i = start; sep && i < sb->len; i++)
		if (sb->buf[i] == *sep)
			sb->buf[i] = '.';
	len = sb->len - start;
	if (width > 0 && len < (size_t)width)
		strbuf__addchars(sb, ' ', (size_t)width - len);
}

static int text_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			const struct hist_entry *b)
{
	return strcmp(c->text(c, v, a), c->text(c, v, b));
}

static unsigned text_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	return (unsigned)strlen(c->text(c, v, e));
}

static void print_text(const struct cell *c)
{
	add_text(c, c->column->text(c->column, c->v, c->e), 0, c->width);
}

/* ---- threads ---- */

static u64 entry_tid(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	return (u64)(int)e->tid;
}

static u64 entry_comm(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	return e->comm;
}

static int comm_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			const struct hist_entry *b)
{
	char x[16], y[16];

	(void)c;
	return a->comm == b->comm ? 0 : strcmp(view__comm(v, a->comm, x), view__comm(v, b->comm, y));
}

static unsigned comm_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	char buf[16];

	(void)c;
	return (unsigned)strlen(view__last_comm(v, e, buf));
}

static unsigned tid_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	return comm_room(c, v, e) + 8;
}

static void print_tid(const struct cell *c)
{
	char buf[16];

	strbuf__addf(c->sb, "%7d:", (int)c->e->tid);
	add_text(c, view__last_comm(c->v, c->e, buf), MAX(c->width - 8, 0), MAX(c->width - 8, 0));
}

static void print_comm(const struct cell *c)
{
	char buf[16];

	add_text(c, view__comm(c->v, c->e->comm, buf), c->width, c->width);
}

/* ---- names of threads whose numbers do not count ---- */

const char *view__comm_nodigit(const struct view *v, const struct hist_entry *e, char text[NODIGIT_MAX])
{
	char buf[16];
	const char *p = view__comm(v, e->comm, buf);
	size_t len = 0;

	while (*p && len + 4 < NODIGIT_MAX) {
		if (!isdigit((unsigned char)*p)) {
			text[len++] = *p++;
			continue;
		}
		memcpy(text + len, "<N>", 3);
		len += 3;
		p += strspn(p, "0123456789");
	}
	text[len] = '\0';
	return text;
}

static unsigned nodigit_identity(const struct column *c, const struct view *v, const struct hist_entry *e,
				 u64 *words)
{
	char text[NODIGIT_MAX];
	size_t len = strlen(view__comm_nodigit(v, e, text));

	(void)c;
	words[0] = hash__bytes(text, len, 0);
	words[1] = hash__bytes(text, len, 1);
	return 2;
}

static int nodigit_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			   const struct hist_entry *b)
{
	char x[NODIGIT_MAX], y[NODIGIT_MAX];

	(void)c;
	return strcmp(view__comm_nodigit(v, a, x), view__comm_nodigit(v, b, y));
}

static unsigned nodigit_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	char text[NODIGIT_MAX];

	(void)c;
	return (unsigned)strlen(view__comm_nodigit(v, e, text));
}

static void print_nodigit(const struct cell *c)
{
	char text[NODIGIT_MAX];

	add_text(c, view__comm_nodigit(c->v, c->e, text), c->width, c->width);
}

/* ---- processes ---- */

static u64 entry_tgid(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	return (u64)(int)e->pid;
}

const char *view__leader_comm(const struct view *v, const struct hist_entry *e, char buf[16])
{
	for (size_t i = 0; i < v->threads.nr; i++)
		if (v->threads.v[i].tid == e->pid && v->threads.v[i].pid == e->pid)
			return view__comm(v, v->threads.v[i].comm, buf);
	return view__comm(v, ROW_COMM_OF_TID | e->pid, buf);
}

static unsigned tgid_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	char buf[16];

	(void)c;
	return (unsigned)strlen(view__leader_comm(v, e, buf)) + 8;
}

static void print_tgid(const struct cell *c)
{
	char buf[16];

	strbuf__addf(c->sb, "%7d:", (int)c->e->pid);
	add_text(c, view__leader_comm(c->v, c->e, buf), MAX(c->width - 8, 0), MAX(c->width - 8, 0));
}

/* ---- CPUs ---- */

static u64 entry_cpu(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	return (u64)(int)e->cpu;
}

static void print_cpu(const struct cell *c)
{
	strbuf__addf(c->sb, "%*.*d", c->width, c->width, (int)c->e->cpu);
}

static u64 entry_socket(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return (u64)view__socket(v, e->cpu);
}

static void print_socket(const struct cell *c)
{
	strbuf__addf(c->sb, "%*.*d", c->width, MAX(c->width - 3, 0),
		     (int)entry_socket(c->column, c->v, c->e));
}

/* ---- places: of entries, and the ends of branches ---- */

static struct branch_end entry_itself(const struct view *v, const struct hist_entry *e)
{
	(void)v;
	return (struct branch_end){ e->place, e->place, (u8)e->level };
}

static const struct branch *entry__branch(const struct view *v, const struct hist_entry *e)
{
	return branches__get(&v->branches, e->branch);
}

static struct branch_end branch_from(const struct view *v, const struct hist_entry *e)
{
	return entry__branch(v, e)->from;
}

static struct branch_end branch_to(const struct view *v, const struct hist_entry *e)
{
	return entry__branch(v, e)->to;
}

/* Return the place to show. */
static const struct place *column__place(const struct column *c, const struct view *v,
					 const struct hist_entry *e)
{
	return places__get(&v->places, c->end(v, e).place);
}

static const char *place__dso_name(const struct view *v, const struct place *p)
{
	return machine__str(&v->profile->session->machine, p->dso_name);
}

/*
 * Return a number for the dso's name; 0 for unmapped addresses, because a dso may be called [unknown], too.
 */
static u64 place__dso_word(const struct place *p)
{
	return p->mapped ? (u64)p->dso_name + 1 : 0;
}

static unsigned dso_identity(const struct column *c, const struct view *v, const struct hist_entry *e,
			     u64 *words)
{
	words[0] = place__dso_word(column__place(c, v, e));
	return 1;
}

static int compare_dsos(const struct view *v, const struct place *x, const struct place *y)
{
	if (!x->mapped || !y->mapped)
		return x->mapped ? -1 : y->mapped;
	return x->dso_name == y->dso_name ? 0 : strcmp(place__dso_name(v, x), place__dso_name(v, y));
}

static int dso_compare(const struct column *c, struct view *v, const struct hist_entry *a,
		       const struct hist_entry *b)
{
	return compare_dsos(v, column__place(c, v, a), column__place(c, v, b));
}

/* In reverse, as in stock perf: unmapped addresses come first. */
static int end_dso_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			   const struct hist_entry *b)
{
	return -dso_compare(c, v, a, b);
}

static unsigned dso_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	const struct place *p = column__place(c, v, e);
	unsigned room = p->mapped ? (unsigned)strlen(place__dso_name(v, p)) : 0;

	if (!p->sym && !v->opts.filter.dsos.given)
		room = MAX(room, (unsigned)UNRESOLVED_WIDTH);
	return room;
}

static unsigned end_dso_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	const struct place *p = column__place(c, v, e);

	return p->sym ? (unsigned)strlen(place__dso_name(v, p)) : 0;
}

static void print_dso(const struct cell *c)
{
	const struct place *p = column__place(c->column, c->v, c->e);
	const struct dsos *dsos = &c->v->profile->session->machine.dsos;
	const struct dso *dso = dsos->v.v[p->dso];
	const char *name = c->style->verbose ? dso__long_name(dsos, dso) : dso__short_name(dsos, dso);

	add_text(c, p->mapped ? name : "[unknown]", c->width, c->width);
}

/*
 * A symbol is identified by dso name, address and size; an unresolved address by itself, whatever the dso.
 */
static unsigned symbol_identity(const struct column *c, const struct view *v, const struct hist_entry *e,
				u64 *words)
{
	const struct place *p = places__get(&v->places, c->end(v, e).identity);

	words[0] = p->sym ? place__dso_word(p) : 0;
	words[1] = p->sym ? p->sym->start : p->ip;
	words[2] = p->sym ? 1ull << 32 | p->sym->size : 0;
	words[3] = p->inlined | (u64)p->wait << 32 | (u64)p->is_idle << 40;
	return 4;
}

static int compare_names(struct view *v, const struct hist_entry *a, const struct hist_entry *b)
{
	return strcmp(places__name(&v->places, a->place), places__name(&v->places, b->place));
}

static int symbol_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			  const struct hist_entry *b)
{
	bool x = column__place(c, v, a)->sym, y = column__place(c, v, b)->sym;

	if (!x || !y)
		return x ? -1 : y;
	return a->place == b->place ? 0 : compare_names(v, a, b);
}

/* Compare by the sign of the difference, as in stock perf: kernel addresses come before user ones. */
static int compare_addresses(u64 a, u64 b)
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

static int symbol_collapse(const struct column *c, struct view *v, const struct hist_entry *a,
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

static int end_symbol_compare(const struct column *c, struct view *v, const struct hist_entry *a,
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
static unsigned symbol_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	u32 place = c->end(v, e).place;
	const struct place *p = places__get(&v->places, place);

	if (!p->sym)
		return UNRESOLVED_WIDTH + 4 + 2 + mark_room(p);
	return (unsigned)strlen(places__name(&v->places, place)) + 4 + mark_room(p);
}

static void print_symbol(const struct cell *c)
{
	struct branch_end end = c->column->end(c->v, c->e);
	const struct place *p = places__get(&c->v->places, end.place);

	strbuf__addch(c->sb, '[');
	strbuf__addch(c->sb, (char)end.level);
	strbuf__addstr(c->sb, "] ");
	if (p->sym && c->style->fold_names)
		cell_style__add_name(c->style, c->sb, places__name(&c->v->places, end.place));
	else if (p->sym)
		add_text(c, places__name(&c->v->places, end.place), 0, MAX(c->width - 4, 0));
	if (!p->sym)
		/* stock perf prints address 0 without 0x, too */
		strbuf__addf(c->sb, "%-#.16llx", (unsigned long long)p->ip);
	place__add_mark(p, c->sb);
}

/* The end of a branch as an address: column.exact_ends. */
static const struct place *column__exact_place(const struct column *c, const struct view *v,
					       const struct hist_entry *e)
{
	return places__get(&v->places, c->end(v, e).identity);
}

static unsigned end_address_identity(const struct column *c, const struct view *v, const struct hist_entry *e,
				     u64 *words)
{
	const struct place *p = column__exact_place(c, v, e);

	words[0] = place__dso_word(p);
	words[1] = p->ip;
	return 2;
}

static int end_address_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			       const struct hist_entry *b)
{
	const struct place *x = column__exact_place(c, v, a), *y = column__exact_place(c, v, b);
	int ret = -compare_dsos(v, x, y);

	return ret ? ret : compare_addresses(x->ip, y->ip);
}

/* With the level of the sample, and longer than the column, as in stock perf. */
static void print_end_address(const struct cell *c)
{
	struct branch_end end = c->column->end(c->v, c->e);
	const struct place *p = places__get(&c->v->places, end.identity);

	strbuf__addf(c->sb, "[%c] ", c->e->level);
	if (!p->sym) {
		strbuf__addf(c->sb, "%-#.16llx", (unsigned long long)p->ip);
		return;
	}
	add_text(c, places__name(&c->v->places, end.identity), 0, MAX(c->width - 4, 0));
	if (p->ip != p->sym->start)
		strbuf__addf(c->sb, "+0x%llx", (unsigned long long)(p->ip - p->sym->start));
}

static u64 entry_symbol_size(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	const struct place *p = places__get(&v->places, e->place);

	(void)c;
	return p->sym ? p->sym->size : 0;
}

static void print_symbol_size(const struct cell *c)
{
	if (places__get(&c->v->places, c->e->place)->sym)
		strbuf__addf(c->sb, "%*u", c->width, (unsigned)c->column->value(c->column, c->v, c->e));
	else
		strbuf__addf(c->sb, "%*s", c->width, "unknown");
}

static u64 entry_map_size(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return places__get(&v->places, e->place)->map_size;
}

static void print_map_size(const struct cell *c)
{
	u64 size = c->column->value(c->column, c->v, c->e);

	if (size)
		strbuf__addf(c->sb, "%*llu", c->width, (unsigned long long)size);
	else
		strbuf__addf(c->sb, "%*s", c->width, "unknown");
}

/* ---- functions that -p names ---- */

static u64 entry_parent(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	return e->parent;
}

static const char *parent_text(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return e->parent ? places__text(&v->places, e->parent) : "[other]";
}

static int parent_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			  const struct hist_entry *b)
{
	if (!a->parent || !b->parent)
		return a->parent ? -1 : b->parent != 0;
	return text_compare(c, v, a, b);
}

/* ---- instructions per cycle: not known, as instructions are not decoded ---- */

static u64 no_value(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	(void)e;
	return 0;
}

static void print_no_ipc(const struct cell *c)
{
	strbuf__addf(c->sb, "%-*s", c->width, "-      -");
}

static u64 place_line(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	return column__place(c, v, e)->line;
}

static u64 place_file(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	return column__place(c, v, e)->file;
}

static const char *source_text(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	return places__text(&v->places, (u32)c->value(c, v, e));
}

/* ---- flags of branches ---- */

static u64 branch_prediction(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return entry__branch(v, e)->flags & (BRANCH_PREDICTED | BRANCH_MISPREDICTED);
}

static u64 branch_in_tx(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return entry__branch(v, e)->flags & BRANCH_IN_TX;
}

static u64 branch_abort(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return entry__branch(v, e)->flags & BRANCH_ABORT;
}

static u64 branch_cycles(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return entry__branch(v, e)->flags >> BRANCH_CYCLES_SHIFT & 0xffff;
}

static void print_prediction(const struct cell *c)
{
	u64 flags = c->column->value(c->column, c->v, c->e);
	const char *text = flags & BRANCH_PREDICTED ? "N" : flags & BRANCH_MISPREDICTED ? "Y" : "N/A";

	strbuf__addf(c->sb, "%-*.*s", c->width, c->width, text);
}

static void print_in_tx(const struct cell *c)
{
	strbuf__addf(c->sb, "%-*s", c->width, c->column->value(c->column, c->v, c->e) ? "T" : ".");
}

static void print_abort(const struct cell *c)
{
	strbuf__addf(c->sb, "%-*s", c->width, c->column->value(c->column, c->v, c->e) ? "A" : ".");
}

static void print_cycles(const struct cell *c)
{
	unsigned cycles = (unsigned)c->column->value(c->column, c->v, c->e);

	if (cycles)
		strbuf__addf(c->sb, "%-*u", c->width, cycles);
	else
		strbuf__addf(c->sb, "%-*s", c->width, "-");
}

/* ---- fields of samples ---- */

static u64 word_value(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	return extras__word(&v->extras, c->field->value, e->extra);
}

static int addresses_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			     const struct hist_entry *b)
{
	return compare_addresses(c->value(c, v, a), c->value(c, v, b));
}

/* Pad what was added since start. */
static void pad(const struct cell *c, size_t start)
{
	size_t len = c->sb->len - start;

	if (c->width > 0 && len < (size_t)c->width)
		strbuf__addchars(c->sb, ' ', (size_t)c->width - len);
}

static void print_field(const struct cell *c)
{
	size_t start = c->sb->len;

	sample_field__print(c->column->field, word_value(c->column, c->v, c->e), c->sb);
	pad(c, start);
}

/* The value of all samples of the entry: they have the same. */
static void print_number_sum(const struct cell *c)
{
	strbuf__addf(c->sb, "%-*llu", c->width,
		     (unsigned long long)(word_value(c->column, c->v, c->e) * c->e->stats[0].nr));
}

static void print_parallelism(const struct cell *c)
{
	strbuf__addf(c->sb, "%*llu", c->width, (unsigned long long)word_value(c->column, c->v, c->e));
}

static void print_address(const struct cell *c)
{
	strbuf__addf(c->sb, "%-#*llx", c->width, (unsigned long long)word_value(c->column, c->v, c->e));
}

static struct branch_end entry_data(const struct view *v, const struct hist_entry *e)
{
	(void)v;
	return (struct branch_end){ e->data, e->data, (u8)e->level };
}

static unsigned data_dso_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	const struct place *p = column__place(c, v, e);

	return p->mapped ? (unsigned)strlen(place__dso_name(v, p)) : (unsigned)UNRESOLVED_WIDTH;
}

/* As in stock perf, with room for an address behind the name. */
static unsigned address_symbol_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	u32 place = c->end(v, e).place;
	unsigned room = UNRESOLVED_WIDTH + 6;

	return places__get(&v->places, place)->sym ? room + (unsigned)strlen(places__name(&v->places, place))
						   : room;
}

/* A place that is identified by its address in memory, not by its symbol. */
static void print_address_symbol(const struct cell *c)
{
	struct branch_end end = c->column->end(c->v, c->e);

	const struct place *p = places__get(&c->v->places, end.place);

	if (p->sym)
		print_symbol(c);
	if (p->sym && c->column->data)
		strbuf__addf(c->sb, "+0x%llx", (unsigned long long)(p->ip - p->sym->start));
	if (!p->sym)
		strbuf__addf(c->sb, "[%c] %-#.16llx", (char)end.level,
			     (unsigned long long)word_value(c->column, c->v, c->e));
}

/* ---- lines of the cache ---- */

enum { CACHELINE = 64 }; /* bytes */

u64 view__cacheline(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	const struct place *p = places__get(&v->places, e->data);

	return (p->mapped ? p->ip : word_value(c, v, e)) & ~(u64)(CACHELINE - 1);
}

static unsigned cacheline_identity(const struct column *c, const struct view *v, const struct hist_entry *e,
				   u64 *words)
{
	words[0] = place__dso_word(places__get(&v->places, e->data));
	words[1] = view__cacheline(c, v, e);
	words[2] = (u64)e->level;
	return 3;
}

static int cacheline_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			     const struct hist_entry *b)
{
	int ret = b->level - a->level; /* the kernel first */

	if (!ret)
		ret = compare_dsos(v, places__get(&v->places, a->data), places__get(&v->places, b->data));
	return ret ? ret : compare_addresses(view__cacheline(c, v, a), view__cacheline(c, v, b));
}

static void print_cacheline(const struct cell *c)
{
	const struct place *p = places__get(&c->v->places, c->e->data);

	if (p->sym)
		print_symbol(c);
	else
		strbuf__addf(c->sb, "[%c] %-#.16llx", p->mapped ? (char)c->e->level : 'X',
			     (unsigned long long)view__cacheline(c->column, c->v, c->e));
}

static void print_phys_addr(const struct cell *c)
{
	size_t start = c->sb->len;

	strbuf__addf(c->sb, "[%c] %-#.16llx", c->e->level,
		     (unsigned long long)word_value(c->column, c->v, c->e));
	pad(c, start);
}

/* as in stock perf; longer texts stand out */
static unsigned transaction_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	return word_value(c, v, e) ? 32 : 0;
}

static void print_time(const struct cell *c)
{
	u64 ns = word_value(c->column, c->v, c->e), second = 1000000000;

	if (c->v->opts.nanoseconds)
		strbuf__addf(c->sb, "%llu.%09llu", (unsigned long long)(ns / second),
			     (unsigned long long)(ns % second));
	else
		print_field(c);
}

static unsigned time_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	(void)e;
	return v->opts.nanoseconds ? c->width + 4 : c->width;
}

static const char *cgroup_text(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	u64 id = word_value(c, v, e);
	const char *path = machine__cgroup(&v->profile->session->machine, id);

	return path ? path : id ? "unknown" : "N/A";
}

/* ---- waits ---- */

static u64 entry_wait(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	return e->wait;
}

static const char *wait_text(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	return wait_kind__name(e->wait);
}

static u64 entry_waker(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	u64 waker = extras__word(&v->extras, c->field->value, e->extra);

	return waker ? v->waker_texts.v[waker - 1] : 0;
}

static const char *waker_text(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	u64 text = entry_waker(c, v, e);

	return text ? places__text(&v->places, (u32)text) : "-";
}

/* ---- tracepoints ---- */

static u64 trace_value(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return v->extras.v.v[e->extra].text;
}

static const char *trace_text(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	return extras__str(&v->extras, (u32)trace_value(c, v, e));
}

/* Set the words to the kind of the value (0: no value) and the value. */
static unsigned trace_field_identity(const struct column *c, const struct view *v, const struct hist_entry *e,
				     u64 *words)
{
	const struct trace_value *value = extras__value(&v->extras, c->trace, e->extra);

	words[0] = value ? 1 + value->is_number : 0;
	words[1] = value ? (value->is_number ? value->number : value->text) : 0;
	return 2;
}

static int trace_field_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			       const struct hist_entry *b)
{
	const struct trace_value *x = extras__value(&v->extras, c->trace, a->extra);
	const struct trace_value *y = extras__value(&v->extras, c->trace, b->extra);
	size_t nr;

	if (!x || !y)
		return (y != NULL) - (x != NULL);
	if (!x->is_number || !y->is_number)
		return strcmp(extras__str(&v->extras, y->text), extras__str(&v->extras, x->text));
	if (trace_event__fields(c->trace->format, &nr)[c->trace->field].is_signed)
		return (s64)x->number > (s64)y->number ? -1 : (s64)x->number < (s64)y->number;
	return x->number > y->number ? -1 : x->number < y->number;
}

static unsigned trace_field_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	const struct trace_value *value = extras__value(&v->extras, c->trace, e->extra);

	return MAX(trace_key__width(c->trace), value ? value->width : 0);
}

/* Align to the right, as numbers. */
static void print_trace_field(const struct cell *c)
{
	const struct trace_value *value = extras__value(&c->v->extras, c->column->trace, c->e->extra);
	const char *text = value ? extras__str(&c->v->extras, value->text) : "";
	int len = (int)MIN(strlen(text), (size_t)c->width);

	strbuf__addchars(c->sb, ' ', (size_t)(c->width - len));
	add_text(c, text, 0, c->width);
}

const struct column trace_field_column = { .identity = trace_field_identity,
					   .compare = trace_field_compare,
					   .room = trace_field_room,
					   .print = print_trace_field,
					   .json = json_trace_field };

/*
 * ---- values: larger comes first; in a group the first member that differs decides, or the one of
 * --group-sort-idx alone ----
 */

static u64 *stat_of(const struct column *c, const struct hist_entry *e, u32 member)
{
	return column__stat(c, &e->stats[member]);
}

static int stat_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			const struct hist_entry *b)
{
	const struct hists *h = &v->hists.v[a->hists];
	u32 i = hists__sort_member(v, h), end = v->opts.group_sort_idx ? i + 1 : h->nr_members;

	for (; i < end; i++) {
		u64 x = *stat_of(c, a, i), y = *stat_of(c, b, i);

		if (x != y)
			return x > y ? -1 : 1;
	}
	return 0;
}

/* At equal cost, put callers above their callees. */
static int children_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			    const struct hist_entry *b)
{
	u32 member = hists__sort_member(v, &v->hists.v[a->hists]);
	u64 x = *stat_of(c, a, member), y = *stat_of(c, b, member);
	int ret = x > y ? -1 : x < y; /* in a group one member alone decides, as in stock perf */

	if (ret || a->thread != b->thread || a->tid != b->tid || v->opts.graph == GRAPH_NONE ||
	    a->max_depth == b->max_depth)
		return ret;
	return (a->max_depth > b->max_depth) == v->opts.chain.caller_first ? -1 : 1;
}

static const char *share_color(double percent)
{
	return percent >= 5.0 ? "\033[31m" : percent > 0.5 ? "\033[32m" : NULL;
}

void cell_style__add_percent(const struct cell_style *s, struct strbuf *sb, double percent, const char *lead,
			     int width)
{
	const char *color = s->color ? share_color(percent) : NULL;

	if (color)
		strbuf__addstr(sb, color);
	strbuf__addstr(sb, lead);
	strbuf__add_fixed(sb, percent, width);
	strbuf__addch(sb, '%');
	if (color)
		strbuf__addstr(sb, "\033[m");
}

void cell_style__add_name(const struct cell_style *s, struct strbuf *sb, const char *name)
{
	size_t start = sb->len;

	if (!s->fold_names) {
		strbuf__add_masked(sb, name);
		return;
	}
	name__fold(sb, name);
	mask_controls(sb->buf + start, sb->len - start, NULL);
}

static void print_share(const struct cell *c)
{
	for (u32 m = 0; m < c->h->nr_members; m++) {
		u64 part = *stat_of(c->column, c->e, m), total = hists__total(c->v, c->h, m);

		cell_style__add_percent(c->style, c->sb, total ? 100.0 * (double)part / (double)total : 0,
					" ", c->style->separator ? 0 : MAX(c->width - 2, 0));
	}
}

static void print_children(const struct cell *c)
{
	if (c->v->opts.children)
		print_share(c);
	else
		strbuf__addf(c->sb, " %*s", c->style->separator ? 0 : MAX(c->width - 1, 0), "N/A");
}

static void print_sum(const struct cell *c)
{
	for (u32 m = 0; m < c->h->nr_members; m++)
		strbuf__addf(c->sb, " %*llu", c->style->separator ? 0 : c->width - 1,
			     (unsigned long long)*stat_of(c->column, c->e, m));
}

/* ---- values that only some layouts sum up ---- */

/* The time that is left when threads that run beside each other share it. */
static u64 sum_latency(const struct column *c, const struct view *v, const struct fold *f)
{
	return f->period / MAX(extras__word(&v->extras, c->field->value, f->extra), 1);
}

static u64 sum_words(const struct column *c, const struct view *v, const struct fold *f)
{
	return f->nr * extras__word(&v->extras, c->field->value, f->extra);
}

/* The total is what all samples add. */
static void print_share_of_sum(const struct cell *c)
{
	for (u32 m = 0; m < c->h->nr_members; m++) {
		struct hist_stat *all = c->v->opts.relative ? &c->h->shown[m] : &c->h->totals[m];
		u64 part = *stat_of(c->column, c->e, m), total = *column__stat(c->column, all);

		cell_style__add_percent(c->style, c->sb, total ? 100.0 * (double)part / (double)total : 0,
					" ", c->style->separator ? 0 : MAX(c->width - 2, 0));
	}
}

static void print_average(const struct cell *c)
{
	for (u32 m = 0; m < c->h->nr_members; m++) {
		u64 sum = *stat_of(c->column, c->e, m), nr = c->e->stats[m].nr;

		strbuf__addf(c->sb, " %*.1f", c->style->separator ? 0 : MAX(c->width - 1, 0),
			     nr ? (double)sum / (double)nr : 0);
	}
}

static int average_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			   const struct hist_entry *b)
{
	for (u32 i = 0; i < v->hists.v[a->hists].nr_members; i++) {
		double x = (double)*stat_of(c, a, i) / (double)MAX(a->stats[i].nr, 1);
		double y = (double)*stat_of(c, b, i) / (double)MAX(b->stats[i].nr, 1);

		if (x != y)
			return x > y ? -1 : 1;
	}
	return 0;
}

/* ---- of time tables ---- */

void cell_style__add_time(const struct cell_style *s, struct strbuf *sb, u64 ns, u64 total, int width)
{
	const char *color = s->color ? share_color(total ? 100.0 * (double)ns / (double)total : 0) : NULL;

	strbuf__addf(sb, "%s%*.3f%s", color ? color : "", width, (double)ns / 1e6, color ? "\033[m" : "");
}

static u64 time_on_cpu(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	const struct hist_stat *s = &e->stats[0];

	(void)c;
	return v->opts.children ? s->period_children - s->waiting_children : s->period - s->waiting;
}

static u64 time_waiting(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return v->opts.children ? e->stats[0].waiting_children : e->stats[0].waiting;
}

static u64 time_self(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	return e->stats[0].period;
}

static void print_time_sum(const struct cell *c)
{
	cell_style__add_time(c->style, c->sb, c->column->value(c->column, c->v, c->e),
			     hists__total(c->v, c->h, 0), c->style->separator ? 0 : c->width);
}

/* ---- the table; an ambiguous prefix of a name means the first match ---- */

#define NUMBER(value_of, compare_as, print_as) \
	.value = (value_of), .identity = value_identity, .compare = (compare_as), .print = (print_as)
#define OF_SAMPLE(id) .field = &sample_fields[id]
#define FIELD(id, compare_as, print_as) OF_SAMPLE(id), NUMBER(word_value, compare_as, print_as)
#define DSO(end_of, compare_as, room_of)                                                       \
	.end = (end_of), .identity = dso_identity, .compare = (compare_as), .room = (room_of), \
	.print = print_dso, .json = json_dso
#define SYMBOL(end_of, compare_as)                                                                  \
	.end = (end_of), .identity = symbol_identity, .compare = (compare_as), .room = symbol_room, \
	.print = print_symbol, .json = json_symbol
#define ADDRESS_SYMBOL(end_of, id)                                                 \
	.end = (end_of), .room = address_symbol_room, .json = json_address_symbol, \
	FIELD((id), addresses_compare, print_address_symbol)
#define END_ADDRESS(end_of)                                                                           \
	.width = UNRESOLVED_WIDTH + 6, .exact_ends = true, .end = (end_of),                           \
	.identity = end_address_identity, .compare = end_address_compare, .print = print_end_address, \
	.json = json_end_address
#define TEXT(value_of, text_of)                                                                      \
	.value = (value_of), .text = (text_of), .identity = value_identity, .compare = text_compare, \
	.room = text_room, .print = print_text
#define SOURCE(end_of, value_of) .lines = true, .end = (end_of), TEXT(value_of, source_text)
#define STAT(field, least_width, compare_as, what)                                                  \
	.width = (least_width), .stat = offsetof(struct hist_stat, field), .compare = (compare_as), \
	.print = print_##what, .json = json_##what
#define SUM(id, sum_of) .field = &sample_fields[id], .sum = (sum_of)
#define WEIGHT(id, i) SUM(id, sum_words), STAT(weights[i], 8, average_compare, average)

#define TIME(value_of)                                                                           \
	.waits = true, .times = true, .width = 10, .value = (value_of), .compare = larger_first, \
	.print = print_time_sum

const struct column columns[] = {
	{ .name = "pid",
	  .header = "    Pid:Command",
	  .split = PROFILE_SPLIT_THREAD,
	  .room = tid_room,
	  NUMBER(entry_tid, smaller_first, print_tid),
	  .json = json_thread },
	{ .name = "comm",
	  .header = "Command",
	  .filter_name = "comm",
	  .room = comm_room,
	  NUMBER(entry_comm, comm_compare, print_comm),
	  .json = json_comm },
	{ .name = "dso",
	  .header = "Shared Object",
	  .filter_name = "dso",
	  DSO(entry_itself, dso_compare, dso_room) },
	{ .name = "symbol",
	  .header = "Symbol",
	  .filter_name = "symbol",
	  .collapse = symbol_collapse,
	  SYMBOL(entry_itself, symbol_compare) },
	{ .name = "cpu",
	  .header = "CPU",
	  .split = PROFILE_SPLIT_CPU,
	  NUMBER(entry_cpu, smaller_first, print_cpu) },
	{ .name = "socket",
	  .header = "Socket",
	  .split = PROFILE_SPLIT_CPU,
	  NUMBER(entry_socket, smaller_first, print_socket) },
	{ .name = "overhead", .header = "Overhead", STAT(period, 8, stat_compare, share) },
	{ .name = "overhead_children",
	  .header = "Children",
	  STAT(period_children, 8, children_compare, children) },
	{ .name = "overhead_sys", .header = "sys", STAT(period_sys, 8, stat_compare, share) },
	{ .name = "overhead_us", .header = "usr", STAT(period_user, 8, stat_compare, share) },
	{ .name = "overhead_guest_sys",
	  .header = "guest sys",
	  STAT(period_guest_sys, 9, stat_compare, share) },
	{ .name = "overhead_guest_us",
	  .header = "guest usr",
	  STAT(period_guest_user, 9, stat_compare, share) },
	{ .name = "sample", .header = "Samples", STAT(nr, 12, stat_compare, sum) },
	{ .name = "period", .header = "Period", STAT(period, 12, stat_compare, sum) },
	{ .name = "latency",
	  .header = "Latency",
	  SUM(FIELD_PARALLELISM, sum_latency),
	  STAT(latency, 8, stat_compare, share_of_sum) },
	{ .name = "latency_children",
	  .header = "Latency",
	  .of_callees = true,
	  SUM(FIELD_PARALLELISM, sum_latency),
	  STAT(latency_children, 7, stat_compare, share_of_sum) },
	{ .name = "tid",
	  .header = "    Tid:Command",
	  .split = PROFILE_SPLIT_THREAD,
	  .room = tid_room,
	  NUMBER(entry_tid, smaller_first, print_tid),
	  .json = json_thread },

	{ .name = "local_weight", .header = "Local Weight", FIELD(FIELD_WEIGHT, larger_first, print_field) },
	{ .name = "weight",
	  .header = "Weight",
	  .width = 12,
	  FIELD(FIELD_WEIGHT, larger_first, print_number_sum),
	  .json = json_number_sum },
	{ .name = "weight1", .header = "Weight1", WEIGHT(FIELD_WEIGHT, 0) },
	{ .name = "weight2", .header = "Weight2", WEIGHT(FIELD_INS_LAT, 1) },
	{ .name = "weight3", .header = "Weight3", WEIGHT(FIELD_RETIRE_LAT, 2) },
	{ .name = "parent",
	  .header = "Parent symbol",
	  .parent = true,
	  .value = entry_parent,
	  .text = parent_text,
	  .identity = value_identity,
	  .compare = parent_compare,
	  .room = text_room,
	  .print = print_text },
	{ .name = "transaction",
	  .header = "Transaction",
	  .room = transaction_room,
	  FIELD(FIELD_TRANSACTION, larger_first, print_field) },
	{ .name = "cgroup",
	  .header = "Cgroup",
	  OF_SAMPLE(FIELD_CGROUP),
	  .room = text_room,
	  .text = cgroup_text,
	  NUMBER(word_value, smaller_first, print_text) },
	{ .name = "cgroup_id",
	  .header = "cgroup id (dev/inode)",
	  FIELD(FIELD_CGROUP_NS, larger_first, print_field) },
	{ .name = "ipc_null",
	  .header = "IPC   [IPC Coverage]",
	  NUMBER(no_value, smaller_first, print_no_ipc),
	  .json = json_null },
	{ .name = "time",
	  .header = "Time",
	  .width = 12,
	  .room = time_room,
	  FIELD(FIELD_TIME, smaller_first, print_time) },
	{ .name = "code_page_size",
	  .header = "Code Page Size",
	  FIELD(FIELD_CODE_PAGE_SIZE, larger_first, print_field) },
	{ .name = "local_ins_lat",
	  .header = "Local INSTR Latency",
	  FIELD(FIELD_INS_LAT, larger_first, print_field) },
	{ .name = "ins_lat",
	  .header = "INSTR Latency",
	  FIELD(FIELD_INS_LAT, larger_first, print_number_sum),
	  .json = json_number_sum },
	{ .name = "local_p_stage_cyc",
	  .header = "Local Retire Latency",
	  FIELD(FIELD_RETIRE_LAT, larger_first, print_field) },
	{ .name = "p_stage_cyc",
	  .header = "Retire Latency",
	  FIELD(FIELD_RETIRE_LAT, larger_first, print_number_sum),
	  .json = json_number_sum },
	{ .name = "local_retire_lat",
	  .header = "Local Retire Latency",
	  FIELD(FIELD_RETIRE_LAT, larger_first, print_field) },
	{ .name = "retire_lat",
	  .header = "Retire Latency",
	  FIELD(FIELD_RETIRE_LAT, larger_first, print_number_sum),
	  .json = json_number_sum },
	{ .name = "parallelism",
	  .header = "Parallelism",
	  FIELD(FIELD_PARALLELISM, smaller_first, print_parallelism) },
	{ .name = "tgid",
	  .header = "   Tgid:Command",
	  .split = PROFILE_SPLIT_THREAD,
	  .room = tgid_room,
	  NUMBER(entry_tgid, smaller_first, print_tgid),
	  .json = json_process },
	{ .name = "comm_nodigit",
	  .header = "CommandNoDigit",
	  .identity = nodigit_identity,
	  .compare = nodigit_compare,
	  .room = nodigit_room,
	  .print = print_nodigit,
	  .json = json_nodigit },
	{ .name = "addr",
	  .header = "Address",
	  .width = UNRESOLVED_WIDTH + 2,
	  FIELD(FIELD_IP, addresses_compare, print_address) },
	{ .name = "symbol_daddr",
	  .header = "Data Symbol",
	  .data = true,
	  ADDRESS_SYMBOL(entry_data, FIELD_ADDR) },
	{ .name = "dso_daddr",
	  .header = "Data Object",
	  .data = true,
	  OF_SAMPLE(FIELD_ADDR),
	  DSO(entry_data, end_dso_compare, data_dso_room) },
	{ .name = "locked", .header = "Locked", FIELD(FIELD_MEM_LOCK, smaller_first, print_field) },
	{ .name = "tlb",
	  .header = "TLB access",
	  .width = 22,
	  FIELD(FIELD_MEM_TLB, smaller_first, print_field) },
	{ .name = "mem",
	  .header = "Memory access",
	  .width = 24,
	  FIELD(FIELD_MEM_LEVEL, smaller_first, print_field) },
	{ .name = "snoop",
	  .header = "Snoop",
	  .width = 12,
	  FIELD(FIELD_MEM_SNOOP, smaller_first, print_field) },
	{ .name = "blocked",
	  .header = "Blocked",
	  .width = 10,
	  FIELD(FIELD_MEM_BLOCK, smaller_first, print_field) },
	{ .name = "dcacheline",
	  .header = "Data Cacheline",
	  .data = true,
	  .end = entry_data,
	  OF_SAMPLE(FIELD_ADDR),
	  .identity = cacheline_identity,
	  .compare = cacheline_compare,
	  .room = address_symbol_room,
	  .print = print_cacheline,
	  .json = json_cacheline },
	{ .name = "symbol_iaddr", .header = "Code Symbol", ADDRESS_SYMBOL(entry_itself, FIELD_IP) },
	{ .name = "phys_daddr",
	  .header = "Data Physical Address",
	  .width = UNRESOLVED_WIDTH + 6,
	  FIELD(FIELD_PHYS_ADDR, addresses_compare, print_phys_addr) },
	{ .name = "data_page_size",
	  .header = "Data Page Size",
	  .width = UNRESOLVED_WIDTH + 6,
	  FIELD(FIELD_DATA_PAGE_SIZE, larger_first, print_field) },

	{ .name = "dso_from",
	  .header = "Source Shared Object",
	  .branch = true,
	  DSO(branch_from, end_dso_compare, end_dso_room) },
	{ .name = "dso_to",
	  .header = "Target Shared Object",
	  .branch = true,
	  DSO(branch_to, end_dso_compare, end_dso_room) },
	{ .name = "symbol_from",
	  .header = "Source Symbol",
	  .branch = true,
	  SYMBOL(branch_from, end_symbol_compare) },
	{ .name = "symbol_to",
	  .header = "Target Symbol",
	  .branch = true,
	  SYMBOL(branch_to, end_symbol_compare) },
	{ .name = "addr_from", .header = "Source Address", .branch = true, END_ADDRESS(branch_from) },
	{ .name = "addr_to", .header = "Target Address", .branch = true, END_ADDRESS(branch_to) },
	{ .name = "mispredict",
	  .header = "Branch Mispredicted",
	  .branch = true,
	  .split = PROFILE_SPLIT_PREDICTION,
	  NUMBER(branch_prediction, larger_first, print_prediction),
	  .json = json_prediction },
	{ .name = "abort",
	  .header = "Transaction abort",
	  .branch = true,
	  .split = PROFILE_SPLIT_ABORT,
	  NUMBER(branch_abort, larger_first, print_abort),
	  .json = json_flag },
	{ .name = "in_tx",
	  .header = "Branch in transaction",
	  .branch = true,
	  .split = PROFILE_SPLIT_IN_TX,
	  NUMBER(branch_in_tx, larger_first, print_in_tx),
	  .json = json_flag },
	{ .name = "cycles",
	  .header = "Basic Block Cycles",
	  .branch = true,
	  .split = PROFILE_SPLIT_CYCLES,
	  NUMBER(branch_cycles, larger_first, print_cycles),
	  .json = json_known_number },
	{ .name = "ipc_lbr",
	  .header = "IPC   [IPC Coverage]",
	  .branch = true,
	  NUMBER(no_value, smaller_first, print_no_ipc),
	  .json = json_null },

	{ .name = "trace", .header = "Trace output", TEXT(trace_value, trace_text) },

	{ .name = "symbol_size",
	  .header = "Symbol size",
	  NUMBER(entry_symbol_size, smaller_first, print_symbol_size),
	  .json = json_known_number },
	{ .name = "dso_size",
	  .header = "DSO size",
	  .map_sizes = true,
	  NUMBER(entry_map_size, smaller_first, print_map_size),
	  .json = json_known_number },
	{ .name = "srcline", .header = "Source:Line", SOURCE(entry_itself, place_line) },
	{ .name = "srcfile", .header = "Source File", SOURCE(entry_itself, place_file) },
	{ .name = "srcline_from",
	  .header = "From Source:Line",
	  .branch = true,
	  SOURCE(branch_from, place_line) },
	{ .name = "srcline_to", .header = "To Source:Line", .branch = true, SOURCE(branch_to, place_line) },

	{ .name = "wait", .header = "Wait", .waits = true, TEXT(entry_wait, wait_text) },
	{ .name = "waker",
	  .header = "Waker",
	  .waits = true,
	  .field = &sample_fields[FIELD_WAKER],
	  TEXT(entry_waker, waker_text) },
	{ .name = "on_cpu", .header = "On CPU", TIME(time_on_cpu) },
	{ .name = "waiting", .header = "Waiting", TIME(time_waiting) },
	{ .name = "self_time", .header = "Self", TIME(time_self) },
};

/* clang-format off */
static const char *const names_of_stock[] = {
	"type", "typeoff", "typecln", "symoff", "simd", "op", "cache", "memory", "dtlb",
	"callchain_branch_predicted", "callchain_branch_abort", "callchain_branch_cycles",
};
/* clang-format on */
const struct word_list column_names = WORD_LIST("key", columns, WORDS_ANY_CASE | WORDS_BEGINNINGS);
const struct word_list column_names__of_stock =
	WORD_LIST("key", names_of_stock, WORDS_ANY_CASE | WORDS_BEGINNINGS);
