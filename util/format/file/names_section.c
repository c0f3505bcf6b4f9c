#include "format/file/names_section.h"

#include "format/file/packed_chunks.h"

#include <errno.h>
#include <string.h>

enum {
	NAMES_VERSION = 1,
	NAMES_KIND_DSO = 1, /* kind of a chunk; readers skip other kinds */
	NAMES_KIND_LINES = 2,
	NAMES_KIND_LOADS = 3,
	NAMES_KIND_MADE_UP = 4,
	NAMES_KIND_STARTS = 5,
	LOAD_BYTES = 32,
	SYMBOL_BYTES = 16,
	NR_COUNTS = 4, /* in the head */
};

/* ---- writing ---- */

static int ranked_symbol__cmp(const void *a, const void *b)
{
	const struct ranked_symbol *x = a, *y = b;

	if (x->hits != y->hits)
		return x->hits < y->hits ? 1 : -1;
	if (x->dso != y->dso)
		return x->dso < y->dso ? -1 : 1;
	return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

void ranked_symbols__sort(struct ranked_symbol *v, size_t nr)
{
	if (nr)
		qsort(v, nr, sizeof(*v), ranked_symbol__cmp);
}

static const double LINES_SHARE_MIN = 0.01; /* do not try a smaller share */

struct names_writer {
	const struct names_dso *dsos;
	size_t nr;
	ARRAY(struct ranked_symbol) ranked; /* most hit first */
	size_t nr_lines;                    /* addresses in all binaries */
	bool **is_kept;                     /* indexed by dso and symbol */
};

static void names_writer__init(struct names_writer *w, const struct names_dso *dsos, size_t nr)
{
	*w = (struct names_writer){ .dsos = dsos, .nr = nr };
	w->is_kept = xcalloc(nr + 1, sizeof(*w->is_kept));
	for (size_t i = 0; i < nr; i++) {
		w->is_kept[i] = xcalloc(dsos[i].symbols.nr + 1, sizeof(**w->is_kept));
		w->nr_lines += dsos[i].lines.addresses.nr;
		for (size_t k = 0; k < dsos[i].symbols.nr; k++)
			array__add(&w->ranked,
				   ((struct ranked_symbol){ dsos[i].symbols.v[k].hits, (u32)i, (u32)k }));
	}
	ranked_symbols__sort(w->ranked.v, w->ranked.nr);
}

static void names_writer__exit(struct names_writer *w)
{
	for (size_t i = 0; i < w->nr; i++)
		free(w->is_kept[i]);
	free(w->is_kept);
	array__exit(&w->ranked);
}

void names_dso_id__write(struct strbuf *out, u32 flags, const struct names_dso_id *id)
{
	strbuf__add_u32(out, flags);
	strbuf__add_u32(out, id->pid);
	strbuf__add_u64(out, id->maj_min);
	strbuf__add_u64(out, id->ino);
	strbuf__add_u64(out, id->ino_generation);
	strbuf__addch(out, (char)id->build_id.size);
	strbuf__add(out, id->build_id.data, BUILD_ID_MAX);
	strbuf__addchars(out, '\0', 3);
}

/* Add the symbols with made-up names, or the others. Return their number. */
static u32 add_symbols(struct strbuf *out, struct strbuf *text, const struct names_dso *d,
		       const bool *is_kept, bool is_made_up)
{
	u32 nr = 0;

	for (size_t i = 0; i < d->symbols.nr; i++) {
		const struct names_symbol *s = &d->symbols.v[i];

		if (!is_kept[i] || s->is_made_up != is_made_up)
			continue;
		nr++;
		strbuf__add_u64(out, s->start);
		strbuf__add_u32(out, s->size);
		strbuf__add_u32(out, (u32)text->len);
		strbuf__add(text, s->name, strlen(s->name) + 1);
	}
	return nr;
}

/* Add a chunk, unless nothing of the binary is kept. number: the binary's number in the section. */
static bool add_dso(struct strbuf *out, u32 number, const struct names_dso *d, const bool *is_kept)
{
	struct strbuf text = STRBUF_INIT;
	size_t begin, nr = 0;
	u32 nr_made_up;

	for (size_t i = 0; i < d->symbols.nr; i++)
		nr += is_kept[i];
	if (!nr)
		return false;
	begin = chunk__begin(out, NAMES_KIND_DSO);
	names_dso_id__write(out, d->flags | (nr < d->symbols.nr ? NAMES_CUT : 0), &d->id);
	strbuf__add_u32(out, (u32)nr);
	strbuf__add_u32(out, (u32)strlen(d->id.name) + 1);
	add_symbols(out, &text, d, is_kept, false);
	nr_made_up = add_symbols(out, &text, d, is_kept, true);
	strbuf__add(out, d->id.name, strlen(d->id.name) + 1);
	strbuf__add(out, text.buf, text.len);
	chunk__end(out, begin);
	strbuf__exit(&text);
	if (nr_made_up) {
		begin = chunk__begin(out, NAMES_KIND_MADE_UP);
		strbuf__add_u32(out, number);
		strbuf__add_u32(out, nr_made_up);
		chunk__end(out, begin);
	}
	return true;
}

/*
 * Add all loads, even of symbols that are left out: code loaded later at an address hides older code there.
 */
static void add_loads(struct strbuf *out, u32 number, const struct names_dso *d)
{
	size_t begin;

	if (!d->loads.nr)
		return;
	begin = chunk__begin(out, NAMES_KIND_LOADS);
	strbuf__add_u32(out, number);
	strbuf__add_u32(out, (u32)d->loads.nr);
	for (size_t i = 0; i < d->loads.nr; i++) {
		strbuf__add_u64(out, d->loads.v[i].time);
		strbuf__add_u64(out, d->loads.v[i].addr);
		strbuf__add_u64(out, d->loads.v[i].size);
		strbuf__add_u64(out, d->loads.v[i].offset);
	}
	chunk__end(out, begin);
}

/* Add the same share of each binary's addresses. */
static void add_lines(struct strbuf *out, u32 number, const struct names_dso *d, double share)
{
	size_t nr = (size_t)((double)d->lines.addresses.nr * share), begin;

	if (!nr)
		return;
	begin = chunk__begin(out, NAMES_KIND_LINES);
	names_lines__write(out, number, &d->lines, nr);
	chunk__end(out, begin);
	if (!names_lines__has_starts(&d->lines))
		return;
	begin = chunk__begin(out, NAMES_KIND_STARTS);
	names_lines__write_starts(out, number, &d->lines, nr);
	chunk__end(out, begin);
}

/* Write a section with the nr most hit symbols, and a share of the lines of addresses. */
static struct names_summary names_writer__render(struct names_writer *w, size_t nr, double lines,
						 struct strbuf *out)
{
	struct names_summary s = { .nr_symbols = (u32)nr, .nr_left_out = (u32)(w->ranked.nr - nr) };
	struct strbuf content = STRBUF_INIT;

	for (size_t i = 0; i < w->ranked.nr; i++)
		w->is_kept[w->ranked.v[i].dso][w->ranked.v[i].symbol] = i < nr;
	for (size_t i = 0; i < w->nr; i++)
		if (add_dso(&content, s.nr_dsos, &w->dsos[i], w->is_kept[i])) {
			add_loads(&content, s.nr_dsos, &w->dsos[i]);
			add_lines(&content, s.nr_dsos++, &w->dsos[i], lines);
		}
	strbuf__reset(out);
	chunks__write(out, NAMES_VERSION, (const u32[NR_COUNTS]){ s.nr_dsos, s.nr_symbols, s.nr_left_out },
		      NR_COUNTS, &content);
	s.unpacked = content.len;
	s.size = out->len;
	strbuf__exit(&content);
	return s;
}

struct names_summary names_section__write(struct strbuf *out, const struct names_dso *dsos, size_t nr,
					  u64 budget)
{
	struct strbuf section = STRBUF_INIT;
	struct names_summary s;
	struct names_writer w;
	double lines = 1;
	size_t keep;

	names_writer__init(&w, dsos, nr);
	keep = w.ranked.nr;
	s = names_writer__render(&w, keep, lines, &section);
	while (keep && (s.size > budget || s.unpacked > CHUNKS_UNPACKED_MAX)) {
		double fits = MIN((double)budget / (double)s.size,
				  (double)CHUNKS_UNPACKED_MAX / (double)s.unpacked);

		/* Names are more important: drop lines first. */
		if (w.nr_lines && lines > 0)
			lines = lines * fits > LINES_SHARE_MIN ? lines * MIN(fits, 1.0) * 0.8 : 0;
		else
			keep = (size_t)((double)keep * MIN(fits, 1.0) * 0.95);
		s = names_writer__render(&w, keep, lines, &section);
	}
	strbuf__add(out, section.buf, section.len);
	strbuf__exit(&section);
	names_writer__exit(&w);
	return s;
}

/* ---- reading ---- */

static int head__read(struct cursor *c, struct chunks_head *h, struct names_summary *s)
{
	u32 counts[NR_COUNTS] = { 0 };
	int ret;

	*h = (struct chunks_head){ 0 };
	*s = (struct names_summary){ .size = cursor__left(c) };
	ret = chunks__read_head(c, NAMES_VERSION, h, counts, NR_COUNTS);
	s->unpacked = h->unpacked;
	s->nr_dsos = counts[0];
	s->nr_symbols = counts[1];
	s->nr_left_out = counts[2];
	return ret;
}

int names_section__summary(const void *data, size_t size, bool swap, struct names_summary *s)
{
	struct cursor c = cursor__make(data, size, swap);
	struct chunks_head h;

	return head__read(&c, &h, s);
}

u32 names_dso_id__read(struct cursor *c, struct names_dso_id *id)
{
	u32 flags = cursor__u32(c);
	const u8 *bytes;

	*id = (struct names_dso_id){ .pid = cursor__u32(c) };
	id->maj_min = cursor__u64(c);
	id->ino = cursor__u64(c);
	id->ino_generation = cursor__u64(c);
	id->build_id.size = cursor__u8(c);
	bytes = cursor__bytes(c, BUILD_ID_MAX + 3);
	c->bad |= id->build_id.size > BUILD_ID_MAX;
	if (!c->bad)
		memcpy(id->build_id.data, bytes, id->build_id.size);
	return flags;
}

static int names_section__add_dso(struct names_section *n, const u8 *data, size_t size)
{
	struct cursor c = cursor__make(data, size, n->swap);
	struct names_entry e = { 0 };
	u32 name_size;

	e.flags = names_dso_id__read(&c, &e.id);
	e.nr_symbols = cursor__u32(&c);
	name_size = cursor__u32(&c);
	if (c.bad || e.nr_symbols > cursor__left(&c) / SYMBOL_BYTES)
		return -EBADMSG;
	e.symbols = cursor__bytes(&c, (size_t)e.nr_symbols * SYMBOL_BYTES);
	e.id.name = cursor__str(&c, name_size);
	e.text_size = cursor__left(&c);
	e.text = cursor__bytes(&c, e.text_size);
	if (c.bad || (e.nr_symbols && (!e.text_size || e.text[e.text_size - 1])))
		return -EBADMSG;
	array__add(&n->entries, e);
	return 0;
}

static int names_section__add_lines(struct names_section *n, const u8 *data, size_t size)
{
	struct names_lines_chunk lines;
	u32 dso;

	if (names_lines__read(&lines, &dso, data, size, n->swap) || dso >= n->entries.nr)
		return -EBADMSG;
	n->entries.v[dso].lines = lines;
	return 0;
}

static int names_section__add_starts(struct names_section *n, const u8 *data, size_t size)
{
	struct cursor c = cursor__make(data, size, n->swap);
	u32 dso = cursor__u32(&c);

	if (c.bad || dso >= n->entries.nr)
		return -EBADMSG;
	return names_lines__read_starts(&n->entries.v[dso].lines, data, size);
}

static int names_section__add_loads(struct names_section *n, const u8 *data, size_t size)
{
	struct cursor c = cursor__make(data, size, n->swap);
	u32 dso = cursor__u32(&c), nr = cursor__u32(&c);

	if (c.bad || dso >= n->entries.nr || nr > cursor__left(&c) / LOAD_BYTES)
		return -EBADMSG;
	n->entries.v[dso].loads = cursor__bytes(&c, (size_t)nr * LOAD_BYTES);
	n->entries.v[dso].nr_loads = nr;
	return 0;
}

static int names_section__add_made_up(struct names_section *n, const u8 *data, size_t size)
{
	struct cursor c = cursor__make(data, size, n->swap);
	u32 dso = cursor__u32(&c), nr = cursor__u32(&c);

	if (c.bad || dso >= n->entries.nr || nr > n->entries.v[dso].nr_symbols)
		return -EBADMSG;
	n->entries.v[dso].nr_made_up = nr;
	return 0;
}

static int names_section__index(struct names_section *n)
{
	struct cursor c = cursor__make(n->content.buf, n->content.len, n->swap);
	const u8 *data;
	u32 kind, size;
	int ret = 0;

	while (!ret && (data = chunk__next(&c, &kind, &size))) {
		if (kind == NAMES_KIND_DSO)
			ret = names_section__add_dso(n, data, size);
		else if (kind == NAMES_KIND_LINES)
			ret = names_section__add_lines(n, data, size);
		else if (kind == NAMES_KIND_LOADS)
			ret = names_section__add_loads(n, data, size);
		else if (kind == NAMES_KIND_MADE_UP)
			ret = names_section__add_made_up(n, data, size);
		else if (kind == NAMES_KIND_STARTS)
			ret = names_section__add_starts(n, data, size);
	}
	return c.bad ? -EBADMSG : ret;
}

int names_section__read(struct names_section *n, const void *data, size_t size, bool swap, struct err *err)
{
	struct cursor c = cursor__make(data, size, swap);
	struct names_summary s;
	struct chunks_head h;
	int ret;

	*n = (struct names_section){ .content = STRBUF_INIT, .swap = swap };
	ret = head__read(&c, &h, &s);
	if (ret == -ENODATA)
		return err__set(err, ret, "no names are stored in the recording");
	if (!ret)
		ret = chunks__unpack(&c, &h, &n->content, err);
	if (!ret)
		ret = names_section__index(n);
	if (ret && ret != -ENOTSUP) {
		array__exit(&n->entries);
		return err__set(err, -EBADMSG, "the names that are stored in the recording are damaged");
	}
	return ret;
}

void names_section__exit(struct names_section *n)
{
	array__exit(&n->entries);
	if (n->content.alloc)
		strbuf__exit(&n->content);
}

struct names_load names_entry__load(const struct names_section *n, const struct names_entry *e, u32 i)
{
	struct cursor c = cursor__make(e->loads + (size_t)i * LOAD_BYTES, LOAD_BYTES, n->swap);
	struct names_load l;

	l.time = cursor__u64(&c);
	l.addr = cursor__u64(&c);
	l.size = cursor__u64(&c);
	l.offset = cursor__u64(&c);
	return l;
}

void names_entry__add_symbols(const struct names_section *n, const struct names_entry *e, struct symtab *t)
{
	struct cursor c = cursor__make(e->symbols, (size_t)e->nr_symbols * SYMBOL_BYTES, n->swap);
	size_t left = e->text_size; /* names do not share bytes: a small section is a small table */

	for (u32 i = 0; i < e->nr_symbols; i++) {
		u64 start = cursor__u64(&c);
		u32 size = cursor__u32(&c), name = cursor__u32(&c);
		size_t len;

		if (!size || name >= e->text_size)
			continue;
		len = strlen(e->text + name);
		if (len >= left)
			return;
		left -= len + 1;
		symtab__addn(t, start, size, e->text + name, len, SYMBOL_GLOBAL);
		if (t->syms.nr && i >= e->nr_symbols - e->nr_made_up)
			t->syms.v[t->syms.nr - 1].is_made_up = strchr(e->text + name, '@') != NULL;
	}
}
