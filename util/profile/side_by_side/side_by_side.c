#include "profile/side_by_side/side_by_side.h"

#include "base/message/bug.h"
#include "base/text/mask.h"

#include <string.h>

enum { LONG_NAME = 4096 }; /* width for the path of a binary, which -v shows */

void side_by_side__init(struct side_by_side *s, u32 nr)
{
	*s = (struct side_by_side){ .nr = nr, .scratch = STRBUF_INIT };
}

static bool field__is_key(const struct hists *h, const struct view *v, size_t i)
{
	const struct layout_field *f = &v->opts.layout->fields.v[i];

	return column__is_key(f->column) && !f->elided && h->has_field[i];
}

/* Return the table of the event that h is of, or NULL. */
static struct side_table *side_by_side__table(struct side_by_side *s, const struct view *v,
					      const struct hists *h)
{
	const struct evlist *l = &v->profile->session->reader->evlist;

	for (size_t i = 0; i < s->tables.nr; i++)
		if (evlist__find_same(l, s->tables.v[i].event, &s->tables.v[i].attr) == h->evsel)
			return &s->tables.v[i];
	return NULL;
}

static struct side_table *side_by_side__new_table(struct side_by_side *s, const struct view *v,
						  const struct hists *h)
{
	const struct layout *l = v->opts.layout;
	struct side_table *t = array__push(&s->tables);

	*t = (struct side_table){ .event = arena__strdup(&s->arena, h->evsel->name),
				  .attr = h->evsel->attr,
				  .has_samples = arena__zalloc(&s->arena, s->nr * sizeof(*t->has_samples)),
				  .totals = arena__zalloc(&s->arena, s->nr * sizeof(*t->totals)) };
	for (size_t i = 0; i < l->fields.nr; i++) {
		const struct layout_field *f = &l->fields.v[i];

		if (field__is_key(h, v, i))
			array__add(&t->columns,
				   ((struct side_column){ .column = f->column,
							  .header = arena__strdup(&s->arena, f->header),
							  .width = (unsigned)strlen(f->header),
							  .right_aligned = f->column->right_aligned }));
	}
	return t;
}

/* Append the text of the entry's field to scratch. */
static void side_by_side__add_text(struct side_by_side *s, struct view *v, const struct hists *h,
				   const struct hist_entry *e, size_t field, const struct cell_style *style)
{
	const struct column *c = v->opts.layout->fields.v[field].column;
	bool is_long = style->verbose && c->end;
	const struct cell cell = { .column = c,
				   .v = v,
				   .h = h,
				   .e = e,
				   .width = is_long ? LONG_NAME : (int)h->widths[field],
				   .style = style,
				   .sb = &s->scratch };

	c->print(&cell);
	while (s->scratch.len && s->scratch.buf[s->scratch.len - 1] == ' ')
		strbuf__setlen(&s->scratch, s->scratch.len - 1);
}

/* Set scratch to what identifies the entry in any recording. */
static void side_by_side__make_key(struct side_by_side *s, struct view *v, const struct hists *h,
				   const struct hist_entry *e)
{
	const struct cell_style plain = { 0 };

	strbuf__reset(&s->scratch);
	for (size_t i = 0; i < v->opts.layout->fields.nr; i++) {
		if (!field__is_key(h, v, i))
			continue;
		side_by_side__add_text(s, v, h, e, i, &plain);
		strbuf__addch(&s->scratch, '\t'); /* is in no masked text */
	}
}

static struct side_row *side_table__find(const struct side_table *t, u64 hash, const char *key)
{
	u32 i;

	hash_table__for_each (&t->by_key, hash, i)
		if (!strcmp(t->rows.v[i]->key, key))
			return t->rows.v[i];
	return NULL;
}

static struct side_row *side_by_side__new_row(struct side_by_side *s, struct side_table *t, u64 hash)
{
	struct side_row *row = arena__zalloc(&s->arena, sizeof(*row));

	row->key = arena__strdup(&s->arena, s->scratch.buf);
	row->texts = arena__zalloc(&s->arena, (t->columns.nr + 1) * sizeof(*row->texts));
	row->cells = arena__zalloc(&s->arena, s->nr * sizeof(*row->cells));
	hash_table__insert(&t->by_key, hash, (u32)t->rows.nr);
	array__add(&t->rows, row);
	return row;
}

static void side_by_side__set_texts(struct side_by_side *s, struct side_row *row, struct view *v,
				    const struct hists *h, const struct hist_entry *e,
				    const struct cell_style *style)
{
	size_t nr = 0;

	for (size_t i = 0; i < v->opts.layout->fields.nr; i++) {
		if (!field__is_key(h, v, i))
			continue;
		strbuf__reset(&s->scratch);
		side_by_side__add_text(s, v, h, e, i, style);
		row->texts[nr++] = arena__strdup(&s->arena, s->scratch.buf);
	}
}

static void side_by_side__add_entry(struct side_by_side *s, u32 i, struct side_table *t, struct view *v,
				    const struct hists *h, const struct hist_entry *e,
				    const struct cell_style *style)
{
	struct side_row *row;
	u64 hash;

	side_by_side__make_key(s, v, h, e);
	hash = hash__bytes(s->scratch.buf, s->scratch.len, 0);
	row = side_table__find(t, hash, s->scratch.buf);
	if (!row) {
		row = side_by_side__new_row(s, t, hash);
		side_by_side__set_texts(s, row, v, h, e, style);
	}
	row->cells[i].period += e->stats[0].period;
	row->cells[i].is_there = true;
	row->has_symbol |= places__get(&v->places, e->place)->sym != NULL;
}

void side_by_side__add(struct side_by_side *s, u32 i, struct view *v, const struct cell_style *style)
{
	if (BUG_UNLESS(i < s->nr, "recording %u of %u", i, s->nr))
		return;
	for (size_t k = 0; k < v->hists.nr; k++) {
		const struct hists *h = &v->hists.v[k];
		struct side_table *t = side_by_side__table(s, v, h);

		if (!t && i)
			continue;
		if (!t)
			t = side_by_side__new_table(s, v, h);
		t->totals[i] += hists__total(v, h, 0);
		t->has_samples[i] |= h->totals[0].nr > 0;
		for (size_t n = 0; n < h->entries.nr; n++)
			if (!h->entries.v[n]->filtered)
				side_by_side__add_entry(s, i, t, v, h, h->entries.v[n], style);
	}
}

/* ---- blocks ---- */

/* Set scratch to the text of a key of the function that a block is in. */
static void side_by_side__function_text(struct side_by_side *s, struct view *v, const struct hists *h,
					const struct hist_entry *e, const struct column *c)
{
	const struct cell_style plain = { 0 };
	const struct cell cell = {
		.column = c, .v = v, .h = h, .e = e, .width = LONG_NAME, .style = &plain, .sb = &s->scratch
	};

	c->print(&cell);
	while (s->scratch.len && s->scratch.buf[s->scratch.len - 1] == ' ')
		strbuf__setlen(&s->scratch, s->scratch.len - 1);
}

/* Return the row of the function that a block is in, which may be new. */
static struct side_row *side_by_side__function(struct side_by_side *s, struct side_table *t, struct view *v,
					       const struct hists *h, const struct hist_entry *block)
{
	struct hist_entry e = *block;
	struct side_row *row;
	size_t from = 0;
	u64 hash;

	e.level = places__get(&v->places, block->place)->level; /* not that of the sample */
	strbuf__reset(&s->scratch);
	for (size_t k = 0; k < t->columns.nr; k++) {
		side_by_side__function_text(s, v, h, &e, t->columns.v[k].column);
		strbuf__addch(&s->scratch, '\t');
	}
	hash = hash__bytes(s->scratch.buf, s->scratch.len, 0);
	row = side_table__find(t, hash, s->scratch.buf);
	if (row)
		return row;
	row = side_by_side__new_row(s, t, hash);
	for (size_t k = 0; k < t->columns.nr; k++) {
		size_t len = strcspn(row->key + from, "\t");

		row->texts[k] = arena__strndup(&s->arena, row->key + from, len);
		from += len + 1;
	}
	return row;
}

static struct side_block *side_by_side__block(struct side_by_side *s, struct side_table *t,
					      struct side_row *row, u64 start, u64 end)
{
	u64 hash = hash__add(hash__add(hash__u64((u64)(uintptr_t)row), start), end);
	struct side_block *b;
	u32 i;

	hash_table__for_each (&t->by_block, hash, i) {
		b = &t->blocks.v[i];
		if (b->row == row && b->start == start && b->end == end)
			return b;
	}
	hash_table__insert(&t->by_block, hash, (u32)t->blocks.nr);
	b = array__push(&t->blocks);
	*b = (struct side_block){ .row = row,
				  .start = start,
				  .end = end,
				  .cells = arena__zalloc(&s->arena, s->nr * sizeof(*b->cells)) };
	return b;
}

static void side_by_side__add_block(struct side_by_side *s, u32 i, struct side_table *t, struct view *v,
				    const struct hists *h, const struct hist_entry *e)
{
	struct side_row *row = side_by_side__function(s, t, v, h, e);
	u64 start, end;
	const struct code_block *block = view__block(v, e, &start, &end);
	struct side_block *b = side_by_side__block(s, t, row, start, end);
	struct block_cycles *cell = &b->cells[i];

	if (cell->is_there || !e->stats[0].nr) /* functions of one name: the first one counts */
		return;
	*cell = (struct block_cycles){ .is_there = true,
				       .nr = e->stats[0].nr,
				       .cycles = e->stats[0].period,
				       .nr_counts = block->counts.nr };
	if (block->counts.nr)
		cell->counts = arena__memdup(&s->arena, block->counts.v,
					     block->counts.nr * sizeof(*block->counts.v));
	strbuf__reset(&s->scratch);
	view__add_block_range(v, e, &s->scratch);
	b->range = arena__strdup(&s->arena, s->scratch.buf);
}

void side_by_side__add_blocks(struct side_by_side *s, u32 i, struct view *v)
{
	for (size_t k = 0; k < v->hists.nr; k++) {
		const struct hists *h = &v->hists.v[k];
		struct side_table *t = side_by_side__table(s, v, h);

		for (size_t n = 0; t && n < h->entries.nr; n++)
			if (!h->entries.v[n]->filtered)
				side_by_side__add_block(s, i, t, v, h, h->entries.v[n]);
	}
}

void side_by_side__exit(struct side_by_side *s)
{
	for (size_t i = 0; i < s->tables.nr; i++) {
		array__exit(&s->tables.v[i].columns);
		array__exit(&s->tables.v[i].rows);
		array__exit(&s->tables.v[i].blocks);
		hash_table__exit(&s->tables.v[i].by_block);
		hash_table__exit(&s->tables.v[i].by_key);
	}
	array__exit(&s->tables);
	arena__exit(&s->arena);
	strbuf__exit(&s->scratch);
}
