#include "record/v8/v8_lines.h"

#include <errno.h>
#include <stdlib.h>

enum {
	SOURCE_MAX = 4 << 20, /* characters; lines of larger ones are unknown */
	SOURCES_MAX = 4096,
	ENDS_MAX = 4 << 20, /* of all sources; 16 MB */
	LINES_MAX = 1 << 24,
	PIECE = 64 << 10, /* bytes that are read at a time */
};

void v8_lines__exit(struct v8_lines *l)
{
	for (size_t i = 0; i < l->v.nr; i++)
		array__exit(&l->v.v[i].ends);
	array__exit(&l->v);
}

static void set_place(struct v8_place *place, size_t line, u32 position, s64 last_end)
{
	place->line = (u32)line + 1;
	place->column = (u32)((s64)position - last_end);
}

/* V8 has looked for the lines itself: ends is an array of small integers. */
static bool find_in_array(const struct v8_heap *h, u64 ends, u32 position, struct v8_place *place)
{
	s32 nr, end, last = -1;
	size_t low = 0, high;

	if (!v8_heap__is(h, ends, V8_FIXED_ARRAY) || !v8_heap__smi(h, ends, V8_ARRAY_LENGTH, &nr) ||
	    nr <= 0 || nr > LINES_MAX)
		return false;
	high = (size_t)nr;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (!v8_heap__smi(h, ends, V8_ARRAY_DATA + 8 * middle, &end))
			return false;
		if (end < 0 || (u32)end < position)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == (size_t)nr || (low && (!v8_heap__smi(h, ends, V8_ARRAY_DATA + 8 * (low - 1), &last) ||
					  last < 0 || (u32)last >= position)))
		return false;
	set_place(place, low, position, last);
	return true;
}

/* Note where lines end in a piece of the source, whose first character is number at. */
static void v8_source__see(struct v8_source *s, const u8 *bytes, u32 at, u32 nr, bool is_wide, u32 *last)
{
	for (u32 i = 0; i < nr; i++) {
		u32 c = is_wide ? bytes[2 * i] | (u32)bytes[2 * i + 1] << 8 : bytes[i];

		if (c == '\n' && *last == '\r')
			s->ends.v[s->ends.nr - 1] = at + i;
		else if (c == '\n' || c == '\r' || c == 0x2028 || c == 0x2029)
			array__add(&s->ends, at + i);
		*last = c;
	}
}

static bool v8_lines__read(struct v8_lines *l, struct v8_source *s, const struct v8_text *t)
{
	u8 *bytes = xmalloc(PIECE);
	u32 last = 0, nr;
	bool done = true;

	for (u32 at = 0; done && at < t->nr; at += nr) {
		nr = MIN(t->nr - at, (u32)PIECE >> t->is_wide);
		done = vm_memory__read(l->m, t->chars + ((u64)at << t->is_wide), bytes,
				       (size_t)nr << t->is_wide);
		if (done)
			v8_source__see(s, bytes, at, nr, t->is_wide, &last);
	}
	free(bytes);
	return done;
}

int v8_lines__find(struct v8_lines *l, const struct v8_heap *h, u64 script, u32 position,
		   struct v8_place *place)
{
	struct v8_source *s = NULL, new = { .nr = 0 };
	struct v8_text t;
	u64 word;
	size_t line;

	if (v8_heap__word(h, script, V8_SCRIPT_LINE_ENDS, &word) && find_in_array(h, word, position, place))
		return 0;
	if (!v8_heap__word(h, script, V8_SCRIPT_SOURCE, &word) || !v8_heap__text(h, word, &t) ||
	    t.nr > SOURCE_MAX || position > t.nr)
		return -ENOENT;
	for (size_t i = 0; !s && i < l->v.nr; i++)
		if (l->v.v[i].chars == t.chars && l->v.v[i].nr == t.nr)
			s = &l->v.v[i];
	if (!s) {
		if (l->nr_ends > ENDS_MAX || l->v.nr >= SOURCES_MAX)
			return -ENOENT;
		new.chars = t.chars;
		new.nr = t.nr;
		if (!v8_lines__read(l, &new, &t)) {
			array__exit(&new.ends);
			return -EAGAIN;
		}
		l->nr_ends += new.ends.nr;
		s = array__push(&l->v);
		*s = new;
	}
	line = bisect(k, 0, s->ends.nr, s->ends.v[k] < position);
	set_place(place, line, position, line ? (s64)s->ends.v[line - 1] : -1);
	return 0;
}
