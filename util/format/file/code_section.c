#include "format/file/code_section.h"

#include "format/file/packed_chunks.h"

#include <errno.h>
#include <string.h>

enum {
	CODE_VERSION = 1,
	CODE_KIND_DSO = 1, /* kind of a chunk; readers skip other kinds */
	CODE_KIND_LINES = 2,
	CODE_KIND_SOURCE = 3,
	CODE_KIND_REFS = 4,
	FUNCTION_BYTES = 24,
	REF_BYTES = 20,
	BIG_ENDIAN_CODE = 1 << 0, /* flag of a binary */
	REF_DATA = 1 << 0,
	REF_TEXT = 1 << 1,
	NR_COUNTS = 8,  /* in the head */
	LOOK_BACK = 16, /* number of functions before the nearest one to check when functions overlap */
};
static const double LINES_SHARE_MIN = 0.01; /* do not try a smaller share */

/* ---- writing ---- */

static void add_dso(struct strbuf *out, const struct code_dso *d)
{
	size_t begin = chunk__begin(out, CODE_KIND_DSO), name_size = strlen(d->id.name) + 1;

	names_dso_id__write(out, (u32)d->machine << 16 | (d->big_endian ? BIG_ENDIAN_CODE : 0), &d->id);
	strbuf__add_u32(out, (u32)d->functions.nr);
	strbuf__add_u32(out, (u32)name_size);
	for (size_t i = 0; i < d->functions.nr; i++) {
		strbuf__add_u64(out, d->functions.v[i].start);
		strbuf__add_u64(out, d->functions.v[i].vaddr);
		strbuf__add_u32(out, d->functions.v[i].size);
		strbuf__add_u32(out, d->functions.v[i].code);
	}
	strbuf__add(out, d->id.name, name_size);
	strbuf__add(out, d->code.buf, d->code.len);
	chunk__end(out, begin);
}

static int code_ref__cmp(const void *a, const void *b)
{
	const struct code_ref *x = a, *y = b;

	if (x->vaddr != y->vaddr)
		return x->vaddr < y->vaddr ? -1 : 1;
	return x->is_data - y->is_data;
}

static void add_refs(struct strbuf *out, u32 number, const struct code_dso *d)
{
	struct strbuf text = STRBUF_INIT;
	struct code_ref *sorted;
	size_t begin;

	if (!d->refs.nr)
		return;
	sorted = xmemdup(d->refs.v, d->refs.nr * sizeof(*sorted));
	qsort(sorted, d->refs.nr, sizeof(*sorted), code_ref__cmp);
	begin = chunk__begin(out, CODE_KIND_REFS);
	strbuf__add_u32(out, number);
	strbuf__add_u32(out, (u32)d->refs.nr);
	for (size_t i = 0; i < d->refs.nr; i++) {
		strbuf__add_u64(out, sorted[i].vaddr);
		strbuf__add_u32(out, sorted[i].offset);
		strbuf__add_u32(out, (u32)text.len);
		strbuf__add_u32(out, (sorted[i].is_data ? REF_DATA : 0) | (sorted[i].is_text ? REF_TEXT : 0));
		strbuf__add(&text, sorted[i].name, strlen(sorted[i].name) + 1);
	}
	strbuf__add(out, text.buf, text.len);
	chunk__end(out, begin);
	strbuf__exit(&text);
	free(sorted);
}

static bool is_start(const struct code_dso *d, u64 addr)
{
	for (size_t i = 0; i < d->functions.nr; i++)
		if (d->functions.v[i].start == addr)
			return true;
	return false;
}

/* Add a share of the lines, of whole functions: the frames of an address hold up to the next one. */
static void add_lines(struct strbuf *out, u32 number, const struct code_dso *d, double share)
{
	const struct names_lines *l = &d->lines;
	size_t nr = (size_t)((double)l->addresses.nr * share), begin;

	while (nr && nr < l->addresses.nr && !is_start(d, l->addresses.v[nr].addr))
		nr--;
	if (!nr)
		return;
	begin = chunk__begin(out, CODE_KIND_LINES);
	names_lines__write(out, number, l, nr);
	chunk__end(out, begin);
}

static void render(struct strbuf *out, const struct code_dso *dsos, size_t nr, double lines,
		   struct code_summary *s)
{
	const u32 counts[NR_COUNTS] = { s->nr_dsos,   s->nr_functions, s->code_bytes, s->nr_left_out,
					s->nr_unread, s->nr_files,     s->nr_lines,   s->nr_newer };
	struct strbuf content = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		add_dso(&content, &dsos[i]);
		add_refs(&content, (u32)i, &dsos[i]);
		add_lines(&content, (u32)i, &dsos[i], lines);
		for (size_t k = 0; k < dsos[i].sources.nr; k++) {
			size_t begin = chunk__begin(&content, CODE_KIND_SOURCE);

			source_excerpt__write(&content, (u32)i, &dsos[i].sources.v[k]);
			chunk__end(&content, begin);
		}
	}
	strbuf__reset(out);
	chunks__write(out, CODE_VERSION, counts, NR_COUNTS, &content);
	s->unpacked = content.len;
	s->size = out->len;
	strbuf__exit(&content);
}

static void count(const struct code_dso *dsos, size_t nr, struct code_summary *s)
{
	s->nr_dsos = (u32)nr;
	for (size_t i = 0; i < nr; i++) {
		s->nr_functions += (u32)dsos[i].functions.nr;
		s->code_bytes += (u32)dsos[i].code.len;
		s->nr_files += (u32)dsos[i].sources.nr;
		for (size_t k = 0; k < dsos[i].sources.nr; k++)
			for (size_t r = 0; r < dsos[i].sources.v[k].runs.nr; r++)
				s->nr_lines += dsos[i].sources.v[k].runs.v[r].nr;
	}
}

void code_section__write(struct strbuf *out, const struct code_dso *dsos, size_t nr, u64 budget,
			 struct code_summary *s)
{
	struct strbuf section = STRBUF_INIT;
	double lines = 1;

	count(dsos, nr, s);
	render(&section, dsos, nr, lines, s);
	while (lines > 0 && (s->size > budget || s->unpacked > CHUNKS_UNPACKED_MAX)) {
		double fits = MIN((double)budget / (double)s->size,
				  (double)CHUNKS_UNPACKED_MAX / (double)s->unpacked);

		lines = lines * fits > LINES_SHARE_MIN ? lines * fits * 0.8 : 0;
		render(&section, dsos, nr, lines, s);
	}
	strbuf__add(out, section.buf, section.len);
	strbuf__exit(&section);
}

/* ---- reading ---- */

static int head__read(struct cursor *c, struct chunks_head *h, struct code_summary *s)
{
	u32 counts[NR_COUNTS] = { 0 };
	size_t size = cursor__left(c);
	int ret;

	*h = (struct chunks_head){ 0 };
	ret = chunks__read_head(c, CODE_VERSION, h, counts, NR_COUNTS);
	*s = (struct code_summary){ .nr_dsos = counts[0],
				    .nr_functions = counts[1],
				    .code_bytes = counts[2],
				    .nr_left_out = counts[3],
				    .nr_unread = counts[4],
				    .nr_files = counts[5],
				    .nr_lines = counts[6],
				    .nr_newer = counts[7],
				    .unpacked = h->unpacked,
				    .size = size };
	return ret;
}

int code_section__summary(const void *data, size_t size, bool swap, struct code_summary *s)
{
	struct cursor c = cursor__make(data, size, swap);
	struct chunks_head h;

	return head__read(&c, &h, s);
}

/* State of reading the chunks of a section. */
struct code_reader {
	struct code_section *section;
	const char *expected; /* text for the first damage; NULL: none */
	size_t damage;        /* offset in the unpacked section */
};

static void code_reader__damaged(struct code_reader *r, const void *at, const char *expected)
{
	if (r->expected)
		return;
	r->expected = expected;
	r->damage = (size_t)((const u8 *)at - (const u8 *)r->section->content.buf);
}

static int stored_function__cmp(const void *a, const void *b)
{
	const struct stored_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

static void add_functions(struct code_reader *r, struct code_entry *e, struct cursor *rows,
			  const struct cursor *code)
{
	while (cursor__left(rows)) {
		const u8 *at = rows->p;
		struct stored_function f;
		u32 offset;

		f.start = cursor__u64(rows);
		f.vaddr = cursor__u64(rows);
		f.size = cursor__u32(rows);
		offset = cursor__u32(rows);
		f.code = code->p + MIN(offset, cursor__left(code));
		if (!f.size || f.start + f.size < f.start || offset > cursor__left(code) ||
		    f.size > cursor__left(code) - offset)
			code_reader__damaged(r, at, "a function inside of the binary's code");
		else
			array__add(&e->functions, f);
	}
	if (e->functions.nr)
		qsort(e->functions.v, e->functions.nr, sizeof(*e->functions.v), stored_function__cmp);
}

static void add_entry(struct code_reader *r, const u8 *data, size_t size)
{
	struct cursor c = cursor__make(data, size, r->section->swap), rows;
	struct code_entry e = { .swap = c.swap };
	u32 flags = names_dso_id__read(&c, &e.id), nr, name_size;

	e.machine = (u16)(flags >> 16);
	e.big_endian = flags & BIG_ENDIAN_CODE;
	nr = cursor__u32(&c);
	name_size = cursor__u32(&c);
	if (!c.bad && nr <= cursor__left(&c) / FUNCTION_BYTES) {
		rows = cursor__make(c.p, (size_t)nr * FUNCTION_BYTES, c.swap);
		cursor__skip(&c, (size_t)nr * FUNCTION_BYTES);
		e.id.name = cursor__str(&c, name_size);
		if (!c.bad)
			add_functions(r, &e, &rows, &c);
	}
	if (!e.id.name) {
		code_reader__damaged(r, data, "a binary with its functions");
		e.id.name = ""; /* it has a number */
	}
	array__add(&r->section->entries, e);
}

static void add_lines_of(struct code_reader *r, const u8 *data, size_t size)
{
	struct names_lines_chunk lines;
	u32 dso;

	if (names_lines__read(&lines, &dso, data, size, r->section->swap) || dso >= r->section->entries.nr)
		code_reader__damaged(r, data, "source lines of a binary before them");
	else
		r->section->entries.v[dso].lines = lines;
}

static void add_refs_of(struct code_reader *r, const u8 *data, size_t size)
{
	struct cursor c = cursor__make(data, size, r->section->swap);
	u32 dso = cursor__u32(&c), nr = cursor__u32(&c);
	struct code_entry *e;

	if (c.bad || dso >= r->section->entries.nr || nr > cursor__left(&c) / REF_BYTES ||
	    cursor__left(&c) == (size_t)nr * REF_BYTES || data[size - 1]) {
		code_reader__damaged(r, data, "names that the code of a binary before them refers to");
		return;
	}
	e = &r->section->entries.v[dso];
	e->nr_refs = nr;
	e->refs = cursor__bytes(&c, (size_t)nr * REF_BYTES);
	e->ref_text_size = cursor__left(&c);
	e->ref_text = cursor__bytes(&c, e->ref_text_size);
}

static void add_source_of(struct code_reader *r, const u8 *data, size_t size)
{
	struct source_excerpt_chunk source;
	u32 dso;

	if (source_excerpt__read(&source, &dso, data, size, r->section->swap) ||
	    dso >= r->section->entries.nr)
		code_reader__damaged(r, data, "source of a binary before it");
	else
		array__add(&r->section->entries.v[dso].sources, source);
}

static void code_reader__run(struct code_reader *r)
{
	const struct strbuf *content = &r->section->content;
	struct cursor c = cursor__make(content->buf, content->len, r->section->swap);
	const u8 *data, *at = c.p;
	u32 kind, size;

	for (; (data = chunk__next(&c, &kind, &size)); at = c.p) {
		if (kind == CODE_KIND_DSO)
			add_entry(r, data, size);
		else if (kind == CODE_KIND_LINES)
			add_lines_of(r, data, size);
		else if (kind == CODE_KIND_REFS)
			add_refs_of(r, data, size);
		else if (kind == CODE_KIND_SOURCE)
			add_source_of(r, data, size);
	}
	if (c.bad)
		code_reader__damaged(r, at, "a chunk");
}

int code_section__read(struct code_section *section, const void *data, size_t size, bool swap,
		       struct err *err)
{
	struct cursor c = cursor__make(data, size, swap);
	struct code_reader r = { .section = section };
	struct code_summary s;
	struct chunks_head h;
	int ret;

	*section = (struct code_section){ .content = STRBUF_INIT, .swap = swap };
	ret = head__read(&c, &h, &s);
	if (ret == -ENODATA)
		return err__set(err, ret, "no code is stored in the recording");
	if (ret)
		return err__set(err, ret, "the stored code is damaged: expected a head of version %d",
				CODE_VERSION);
	ret = chunks__unpack(&c, &h, &section->content, err);
	if (ret == -ENOTSUP)
		return ret;
	if (ret)
		err__set(err, ret, "the stored code is damaged: expected %llu bytes when unpacked",
			 (unsigned long long)h.unpacked);
	code_reader__run(&r);
	if (ret || !r.expected)
		return ret;
	return err__set(err, -EBADMSG, "the stored code is damaged: expected %s at byte %zu when unpacked",
			r.expected, r.damage);
}

void code_section__exit(struct code_section *c)
{
	for (size_t i = 0; i < c->entries.nr; i++) {
		array__exit(&c->entries.v[i].functions);
		array__exit(&c->entries.v[i].sources);
	}
	array__exit(&c->entries);
	if (c->content.alloc)
		strbuf__exit(&c->content);
}

const struct stored_function *code_entry__find(const struct code_entry *e, u64 addr)
{
	size_t behind = bisect(i, 0, e->functions.nr, e->functions.v[i].start <= addr);

	for (size_t i = 0; behind-- && i < LOOK_BACK; i++)
		if (addr - e->functions.v[behind].start < e->functions.v[behind].size)
			return &e->functions.v[behind];
	return NULL;
}

bool code_entry__find_addr(const struct code_entry *e, u64 vaddr, u64 *addr)
{
	for (size_t i = 0; i < e->functions.nr; i++) {
		const struct stored_function *f = &e->functions.v[i];

		if (vaddr - f->vaddr >= f->size)
			continue;
		*addr = f->start + (vaddr - f->vaddr);
		return true;
	}
	return false;
}

bool code_entry__find_lines(const struct code_entry *e, u64 addr, struct names_address *found)
{
	const struct stored_function *f = code_entry__find(e, addr);

	return f && names_lines__find_before(&e->lines, addr, found) && found->addr >= f->start;
}

static struct code_ref code_entry__ref(const struct code_entry *e, u32 i)
{
	struct cursor c = cursor__make(e->refs + (size_t)i * REF_BYTES, REF_BYTES, e->swap);
	struct code_ref ref = { .vaddr = cursor__u64(&c) };
	u32 text, flags;

	ref.offset = cursor__u32(&c);
	text = cursor__u32(&c);
	flags = cursor__u32(&c);
	ref.is_data = flags & REF_DATA;
	ref.is_text = flags & REF_TEXT;
	ref.name = text < e->ref_text_size ? e->ref_text + text : "";
	return ref;
}

bool code_entry__find_ref(const struct code_entry *e, u64 vaddr, bool is_data, struct code_ref *found)
{
	u32 first = bisect(i, 0, e->nr_refs, code_entry__ref(e, i).vaddr < vaddr);

	/* an address may have two refs, one to code and one to data */
	for (u32 k = first; k < e->nr_refs && k - first < 2; k++) {
		*found = code_entry__ref(e, k);
		if (found->vaddr == vaddr && found->is_data == is_data)
			return *found->name;
	}
	return false;
}

const struct source_excerpt_chunk *code_entry__find_source(const struct code_entry *e, const char *file)
{
	for (size_t i = 0; i < e->sources.nr; i++)
		if (!strcmp(e->sources.v[i].file, file))
			return &e->sources.v[i];
	return NULL;
}
