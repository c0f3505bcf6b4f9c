/*
 * --total-cycles: the code between branches. A block is known by the branch at its end. It begins where the
 * branch before led to, if that is in the same function; if there are several such addresses, at the first
 * one. If none was recorded, it is shown from the beginning of the function.
 */
#include "profile/hists/columns_private.h"

#include "profile/hists/column_json.h"
#include "profile/hists/hists_private.h"

enum { RANGE_WIDTH = 70, DSO_WIDTH = 20 }; /* as in stock perf */

static void view__reserve_block(struct view *v, u32 place)
{
	while (v->blocks.nr <= place)
		array__add(&v->blocks, ((struct code_block){ .start_addr = UINT64_MAX }));
}

/* Let the block begin at an address, if that is farther back than what was seen before. */
static void code_block__begin(struct code_block *b, struct places *p, const struct row_space *space, u64 ip,
			      const struct place *end, bool is_seen)
{
	const struct place start = *places__get(p, places__exact(p, space, ip));

	if (start.sym != end->sym || start.ip > end->ip || (b->is_seen && start.ip >= b->start_addr))
		return;
	b->is_seen = is_seen;
	b->start_addr = start.ip;
	b->start = places__locate(p, space, ip)->leaf;
}

u32 view__find_block(struct view *v, const struct row *row, u32 *data)
{
	struct places *places = &v->places;
	struct row_space space = branch__space(places, row, row->key.ip);
	u64 ip = row->key.ip, start = row->chain[ROW_BLOCK_START];
	u32 place = places__locate(places, &space, ip)->leaf;
	struct code_block *b;
	struct place end;

	*data = places__exact(places, &space, ip);
	end = *places__get(places, *data);
	view__reserve_block(v, *data);
	b = &v->blocks.v[*data];
	b->end = place;
	if (!end.sym)
		return place;
	if (b->start_addr == UINT64_MAX)
		code_block__begin(b, places, &space, ip - (end.ip - end.sym->start), &end, false);
	if (start)
		code_block__begin(b, places, &space, start, &end, true);
	return place;
}

void view__count_cycles(struct view *v, u32 data, const struct row *row)
{
	u32 cycles = row->chain[ROW_BLOCK_FLAGS] >> BRANCH_CYCLES_SHIFT & 0xffff;

	array__add(&v->blocks.v[data].counts, ((struct cycles_count){ cycles, row->nr }));
}

const struct code_block *view__block(const struct view *v, const struct hist_entry *e, u64 *start, u64 *end)
{
	const struct code_block *b = &v->blocks.v[e->data];
	const struct place *last = places__get(&v->places, e->data);

	*start = b->start_addr - last->sym->start;
	*end = last->ip - last->sym->start;
	return b;
}

bool entry__has_block(const struct view *v, const struct hist_entry *e)
{
	return places__get(&v->places, e->data)->sym;
}

u64 entry__average_cycles(const struct hist_entry *e)
{
	return e->stats[0].nr ? e->stats[0].period / e->stats[0].nr : 0;
}

/* ---- columns ---- */

static unsigned block_identity(const struct column *c, const struct view *v, const struct hist_entry *e,
			       u64 *words)
{
	(void)c;
	(void)v;
	words[0] = e->data;
	return 1;
}

static int block_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			 const struct hist_entry *b)
{
	const struct place *x = places__get(&v->places, a->data), *y = places__get(&v->places, b->data);
	int ret = compare_dsos(v, y, x);

	(void)c;
	return ret ? ret : compare_addresses(y->ip, x->ip);
}

void view__add_block_range(const struct view *v, const struct hist_entry *e, struct strbuf *sb)
{
	u64 first, last;
	const struct code_block *b = view__block(v, e, &first, &last);
	const struct place *start = places__get(&v->places, b->start),
			   *end_line = places__get(&v->places, b->end);

	strbuf__addch(sb, '[');
	if (start->has_line && end_line->has_line) {
		strbuf__add_masked(sb, places__text(&v->places, start->line));
		strbuf__addstr(sb, " -> ");
		strbuf__add_masked(sb, places__text(&v->places, end_line->line));
	} else {
		const char *name = places__name((struct places *)&v->places, e->data);

		strbuf__add_masked(sb, name);
		strbuf__addf(sb, "+%llu -> ", (unsigned long long)first);
		strbuf__add_masked(sb, name);
		strbuf__addf(sb, "+%llu", (unsigned long long)last);
	}
	strbuf__addch(sb, ']');
}

static unsigned range_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	struct strbuf text = STRBUF_INIT;
	unsigned room;

	(void)c;
	view__add_block_range(v, e, &text);
	room = (unsigned)text.len;
	strbuf__exit(&text);
	return room;
}

static void add_right(const struct cell *c, const struct strbuf *text)
{
	size_t width = c->style->separator ? 0 : (size_t)MAX(c->width, 0);

	strbuf__addchars(c->sb, ' ', text->len < width ? width - text->len : 0);
	add_text(c, text->buf, 0, c->width);
}

static void print_range(const struct cell *c)
{
	struct strbuf text = STRBUF_INIT;

	view__add_block_range(c->v, c->e, &text);
	add_right(c, &text);
	strbuf__exit(&text);
}

static void print_block_dso(const struct cell *c)
{
	const struct place *p = places__get(&c->v->places, c->e->data);
	struct strbuf text = STRBUF_INIT;

	strbuf__addstr(&text, p->mapped ? place__dso_name(c->v, p) : "[unknown]");
	add_right(c, &text);
	strbuf__exit(&text);
}

static void print_cycles_sum(const struct cell *c)
{
	u64 cycles = c->e->stats[0].period;
	int width = c->style->separator ? 0 : c->width;

	if (cycles > 1000000)
		strbuf__addf(c->sb, "%*.1fM", MAX(width - 1, 0), (double)cycles / 1e6);
	else if (cycles > 1000)
		strbuf__addf(c->sb, "%*.1fK", MAX(width - 1, 0), (double)cycles / 1e3);
	else
		strbuf__addf(c->sb, "%*llu", width, (unsigned long long)cycles);
}

static void print_average_share(const struct cell *c)
{
	u64 all = c->h->averages, own = entry__average_cycles(c->e);

	cell_style__add_percent(c->style, c->sb, all ? 100.0 * (double)own / (double)all : 0, "",
				c->style->separator ? 0 : MAX(c->width - 1, 0));
}

static void print_average_cycles(const struct cell *c)
{
	strbuf__addf(c->sb, "%*llu", c->style->separator ? 0 : c->width,
		     (unsigned long long)entry__average_cycles(c->e));
}

static u64 average_value(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	return entry__average_cycles(e);
}

static void json_average_share(const struct cell *c)
{
	u64 all = c->h->averages;

	strbuf__add_json_double(c->sb, all ? 100.0 * (double)entry__average_cycles(c->e) / (double)all : 0);
}

static void json_range(const struct cell *c)
{
	struct strbuf text = STRBUF_INIT;

	view__add_block_range(c->v, c->e, &text);
	strbuf__add_json(c->sb, text.buf);
	strbuf__exit(&text);
}

static int no_order(const struct column *c, struct view *v, const struct hist_entry *a,
		    const struct hist_entry *b)
{
	(void)c;
	(void)v;
	(void)a;
	(void)b;
	return 0;
}

#define CYCLES(title, least_width, compare_as, print_as) \
	.header = (title), .width = (least_width), .compare = (compare_as), .print = (print_as)

const struct column block_columns[NR_BLOCK_COLUMNS] = {
	{ .name = "sampled_cycles_share",
	  .stat = offsetof(struct hist_stat, period),
	  .json = json_share,
	  CYCLES("Sampled Cycles%", 15, stat_compare, print_share) },
	{ .name = "sampled_cycles",
	  .stat = offsetof(struct hist_stat, period),
	  .json = json_sum,
	  CYCLES("Sampled Cycles", 14, no_order, print_cycles_sum) },
	{ .name = "avg_cycles_share",
	  .json = json_average_share,
	  CYCLES("Avg Cycles%", 11, no_order, print_average_share) },
	{ .name = "avg_cycles",
	  .value = average_value,
	  CYCLES("Avg Cycles", 10, no_order, print_average_cycles) },
	{ .name = "block",
	  .right_aligned = true,
	  .identity = block_identity,
	  .room = range_room,
	  .json = json_range,
	  CYCLES("[Program Block Range]", RANGE_WIDTH, block_compare, print_range) },
	{ .name = "dso",
	  .right_aligned = true,
	  .end = entry_itself,
	  .identity = block_identity,
	  .room = dso_room,
	  .json = json_dso,
	  CYCLES("Shared Object", DSO_WIDTH, no_order, print_block_dso) },
};
