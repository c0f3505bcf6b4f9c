#include "format/file/names_lines.h"

#include "base/memory/cursor.h"
#include "base/memory/mem.h"
#include "base/memory/strpool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	ADDRESS_BYTES = 16,
	FRAME_BYTES = 12,
	START_BYTES = 4,
	FRAMES_MAX = 256, /* of one address */
};
static const u32 no_text = UINT32_MAX;

void names_lines__exit(struct names_lines *l)
{
	array__exit(&l->addresses);
	array__exit(&l->frames);
}

/* ---- writing ---- */

static int names_address__cmp(const void *a, const void *b)
{
	const struct names_address *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

struct texts { /* each once */
	struct strpool pool;
	ARRAY(u32) offsets; /* by id */
	struct strbuf text;
};

static u32 texts__add(struct texts *t, const char *s)
{
	u32 id;

	if (!s)
		return no_text;
	id = strpool__intern(&t->pool, s);
	while (t->offsets.nr <= id) {
		array__add(&t->offsets, (u32)t->text.len);
		s = strpool__get(&t->pool, (u32)t->offsets.nr - 1);
		strbuf__add(&t->text, s, strlen(s) + 1);
	}
	return t->offsets.v[id];
}

struct layout {                          /* of a chunk */
	struct names_address *addresses; /* sorted; first: number of the frame in the chunk */
	u32 *frames;                     /* their numbers in names_lines, in the order of the chunk */
	u32 nr_frames;
};

/* Number the frames of the first nr addresses in the order of these; addresses may share frames. */
static struct layout names_lines__lay_out(const struct names_lines *l, size_t nr)
{
	u32 *numbers = xcalloc(l->frames.nr + 1, sizeof(*numbers)); /* of lists, by their first frame; + 1 */
	struct layout out = { .addresses = xcalloc(nr + 1, sizeof(*out.addresses)),
			      .frames = xcalloc(l->frames.nr + 1, sizeof(*out.frames)) };

	for (size_t i = 0; i < nr; i++)
		out.addresses[i] = l->addresses.v[i];
	qsort(out.addresses, nr, sizeof(*out.addresses), names_address__cmp);
	for (size_t i = 0; i < nr; i++) {
		u32 first = out.addresses[i].first;

		if (!numbers[first]) {
			numbers[first] = out.nr_frames + 1;
			for (u32 k = 0; k < out.addresses[i].nr; k++)
				out.frames[out.nr_frames++] = first + k;
		}
		out.addresses[i].first = numbers[first] - 1;
	}
	free(numbers);
	return out;
}

static void layout__exit(struct layout *l)
{
	free(l->addresses);
	free(l->frames);
}

void names_lines__write(struct strbuf *out, u32 dso, const struct names_lines *l, size_t nr)
{
	struct layout chunk = names_lines__lay_out(l, nr);
	struct texts texts = { .text = STRBUF_INIT };

	strpool__init(&texts.pool);
	strbuf__add_u32(out, dso);
	strbuf__add_u32(out, (u32)nr);
	strbuf__add_u32(out, chunk.nr_frames);
	strbuf__add_u32(out, 0);
	for (size_t i = 0; i < nr; i++) {
		strbuf__add_u64(out, chunk.addresses[i].addr);
		strbuf__add_u32(out, chunk.addresses[i].first);
		strbuf__add_u32(out, chunk.addresses[i].nr);
	}
	for (u32 i = 0; i < chunk.nr_frames; i++) {
		const struct names_frame *f = &l->frames.v[chunk.frames[i]];

		strbuf__add_u32(out, texts__add(&texts, f->name));
		strbuf__add_u32(out, texts__add(&texts, f->file));
		strbuf__add_u32(out, f->line);
	}
	strbuf__add(out, texts.text.buf, texts.text.len);
	strbuf__addch(out, '\0');
	strbuf__exit(&texts.text);
	strpool__exit(&texts.pool);
	array__exit(&texts.offsets);
	layout__exit(&chunk);
}

void names_lines__write_starts(struct strbuf *out, u32 dso, const struct names_lines *l, size_t nr)
{
	struct layout chunk = names_lines__lay_out(l, nr);

	strbuf__add_u32(out, dso);
	strbuf__add_u32(out, chunk.nr_frames);
	for (u32 i = 0; i < chunk.nr_frames; i++)
		strbuf__add_u32(out, l->frames.v[chunk.frames[i]].start_line);
	layout__exit(&chunk);
}

bool names_lines__has_starts(const struct names_lines *l)
{
	for (size_t i = 0; i < l->frames.nr; i++)
		if (l->frames.v[i].start_line)
			return true;
	return false;
}

/* ---- reading ---- */

int names_lines__read(struct names_lines_chunk *l, u32 *dso, const void *data, size_t size, bool swap)
{
	struct cursor c = cursor__make(data, size, swap);

	*l = (struct names_lines_chunk){ .swap = swap };
	*dso = cursor__u32(&c);
	l->nr_addresses = cursor__u32(&c);
	l->nr_frames = cursor__u32(&c);
	cursor__u32(&c);
	if (c.bad || l->nr_addresses > cursor__left(&c) / ADDRESS_BYTES)
		return -EBADMSG;
	l->addresses = cursor__bytes(&c, (size_t)l->nr_addresses * ADDRESS_BYTES);
	if (l->nr_frames > cursor__left(&c) / FRAME_BYTES)
		return -EBADMSG;
	l->frames = cursor__bytes(&c, (size_t)l->nr_frames * FRAME_BYTES);
	l->text_size = cursor__left(&c);
	l->text = cursor__bytes(&c, l->text_size);
	return c.bad || !l->text_size || l->text[l->text_size - 1] ? -EBADMSG : 0;
}

int names_lines__read_starts(struct names_lines_chunk *l, const void *data, size_t size)
{
	struct cursor c = cursor__make(data, size, l->swap);
	u32 nr;

	cursor__skip(&c, 4); /* the binary's number */
	nr = cursor__u32(&c);
	if (c.bad || nr != l->nr_frames || nr > cursor__left(&c) / START_BYTES)
		return -EBADMSG;
	l->starts = cursor__bytes(&c, (size_t)nr * START_BYTES);
	return 0;
}

static struct names_address names_lines__address(const struct names_lines_chunk *l, u32 i)
{
	struct cursor c = cursor__make(l->addresses + (size_t)i * ADDRESS_BYTES, ADDRESS_BYTES, l->swap);
	struct names_address a;

	a.addr = cursor__u64(&c);
	a.first = cursor__u32(&c);
	a.nr = cursor__u32(&c);
	return a;
}

bool names_lines__find_before(const struct names_lines_chunk *l, u64 addr, struct names_address *found)
{
	u32 behind = bisect(i, 0, l->nr_addresses, names_lines__address(l, i).addr <= addr);

	if (!behind)
		return false;
	*found = names_lines__address(l, behind - 1);
	return found->nr && found->nr <= FRAMES_MAX && found->first <= l->nr_frames &&
	       found->nr <= l->nr_frames - found->first;
}

bool names_lines__find(const struct names_lines_chunk *l, u64 addr, struct names_address *found)
{
	return names_lines__find_before(l, addr, found) && found->addr == addr;
}

void names_lines__list_addresses(const struct names_lines_chunk *l, u64 start, u64 end, u64_array *addresses)
{
	u32 first = bisect(i, 0, l->nr_addresses, names_lines__address(l, i).addr < start);

	for (u32 k = first; k < l->nr_addresses; k++) {
		u64 addr = names_lines__address(l, k).addr;

		if (addr >= end)
			return;
		array__add(addresses, addr);
	}
}

struct names_frame names_lines__frame(const struct names_lines_chunk *l, u32 i)
{
	struct cursor c = cursor__make(l->frames + (size_t)i * FRAME_BYTES, FRAME_BYTES, l->swap);
	u32 name = cursor__u32(&c), file = cursor__u32(&c), line = cursor__u32(&c), start_line = 0;

	if (l->starts) {
		c = cursor__make(l->starts + (size_t)i * START_BYTES, START_BYTES, l->swap);
		start_line = cursor__u32(&c);
	}
	return (struct names_frame){ .name = name < l->text_size ? l->text + name : NULL,
				     .file = file < l->text_size ? l->text + file : NULL,
				     .line = line,
				     .start_line = start_line };
}
