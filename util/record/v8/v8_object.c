#include "record/v8/v8_object.h"

#include "base/memory/mem.h"

#include <string.h>

enum {
	FIRST_NOT_TEXT = 0x80, /* instance type */
	REPRESENTATION = 7,
	SEQUENTIAL = 0,
	CONS = 1,
	EXTERNAL = 2,
	SLICED = 3,
	THIN = 5,
	ONE_BYTE = 8,
	UNCACHED = 16, /* of an external one: where the characters are is known to the program only */
	TEXT_LENGTH = 12,
	TEXT_CHARS = 16, /* also what the others refer to */
	TEXT_SECOND = 24,
	PIECES_MAX = 32, /* of a text */
	HOPS_MAX = 4,    /* from one text to the one that has the characters */
	CHARS_MAX = 1024,
};

bool v8_heap__smi(const struct v8_heap *h, u64 object, u64 offset, s32 *value)
{
	u64 word;

	if (!v8_heap__word(h, object, offset, &word) || (u32)word)
		return false;
	*value = (s32)(word >> 32);
	return true;
}

bool v8_heap__type(const struct v8_heap *h, u64 object, u16 *type)
{
	u64 map, meta, self;

	/* the map of all maps is its own */
	return v8__is_object(object) && v8_heap__word(h, object, 0, &map) && v8__is_object(map) &&
	       v8_heap__word(h, map, 0, &meta) && v8__is_object(meta) && v8_heap__word(h, meta, 0, &self) &&
	       self == meta && vm_memory__read(h->m, map - 1 + V8_MAP_TYPE, type, sizeof(*type));
}

bool v8_heap__is(const struct v8_heap *h, u64 object, enum v8_type type)
{
	u16 t;

	return v8_heap__type(h, object, &t) && t == h->l->types[type];
}

bool v8_heap__object(const struct v8_heap *h, u64 object, u64 offset, enum v8_type type, u64 *to)
{
	return v8_heap__word(h, object, offset, to) && v8_heap__is(h, *to, type);
}

bool v8_heap__is_text(const struct v8_heap *h, u64 object)
{
	u16 t;

	return v8_heap__type(h, object, &t) && t < FIRST_NOT_TEXT;
}

static bool find_chars(const struct v8_heap *h, u64 object, struct v8_text *t, u32 *cons)
{
	u32 skipped = 0, nr;
	s32 offset;
	u16 type;

	*cons = 0;
	for (unsigned hops = 0; hops < HOPS_MAX; hops++) {
		if (!v8_heap__type(h, object, &type) || type >= FIRST_NOT_TEXT ||
		    !vm_memory__read(h->m, object - 1 + TEXT_LENGTH, &nr, sizeof(nr)))
			return false;
		if (!hops)
			t->nr = nr;
		if (skipped > nr || t->nr > nr - skipped)
			return false;
		t->is_wide = !(type & ONE_BYTE);
		switch (type & REPRESENTATION) {
		case SEQUENTIAL:
			t->chars = object - 1 + TEXT_CHARS + ((u64)skipped << t->is_wide);
			return true;
		case EXTERNAL:
			if (type & UNCACHED || !v8_heap__word(h, object, TEXT_SECOND, &t->chars))
				return false;
			t->chars += (u64)skipped << t->is_wide;
			return true;
		case CONS:
			*cons = !hops;
			return false;
		case SLICED:
			if (!v8_heap__smi(h, object, TEXT_SECOND, &offset) || offset < 0)
				return false;
			skipped += (u32)offset;
			break;
		case THIN:
			break;
		default:
			return false;
		}
		if (!v8_heap__word(h, object, TEXT_CHARS, &object))
			return false;
	}
	return false;
}

bool v8_heap__text(const struct v8_heap *h, u64 object, struct v8_text *t)
{
	u64 first, second;
	u32 cons;

	if (find_chars(h, object, t, &cons))
		return true;
	/* one that was put together later has all of it in its first half */
	return cons && v8_heap__word(h, object, TEXT_CHARS, &first) &&
	       v8_heap__word(h, object, TEXT_SECOND, &second) && find_chars(h, second, t, &cons) && !t->nr &&
	       find_chars(h, first, t, &cons);
}

static void add_char(struct strbuf *out, u32 c)
{
	if (c < 0x80) {
		strbuf__addch(out, c ? (char)c : ' ');
	} else if (c < 0x800) {
		strbuf__addch(out, (char)(0xc0 | c >> 6));
		strbuf__addch(out, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		strbuf__addch(out, (char)(0xe0 | c >> 12));
		strbuf__addch(out, (char)(0x80 | (c >> 6 & 0x3f)));
		strbuf__addch(out, (char)(0x80 | (c & 0x3f)));
	} else {
		strbuf__addch(out, (char)(0xf0 | c >> 18));
		strbuf__addch(out, (char)(0x80 | (c >> 12 & 0x3f)));
		strbuf__addch(out, (char)(0x80 | (c >> 6 & 0x3f)));
		strbuf__addch(out, (char)(0x80 | (c & 0x3f)));
	}
}

/* Append UTF-16. A half of a pair without the other one becomes U+FFFD. */
static void add_wide(struct strbuf *out, const u8 *bytes, u32 nr)
{
	u16 c, next;

	for (u32 i = 0; i < nr; i++) {
		memcpy(&c, bytes + 2 * i, sizeof(c));
		if (c < 0xd800 || c > 0xdfff) {
			add_char(out, c);
			continue;
		}
		next = 0;
		if (i + 1 < nr)
			memcpy(&next, bytes + 2 * (i + 1), sizeof(next));
		if (c < 0xdc00 && next >= 0xdc00 && next <= 0xdfff) {
			add_char(out, 0x10000 + ((u32)(c - 0xd800) << 10) + (u32)(next - 0xdc00));
			i++;
		} else {
			add_char(out, 0xfffd);
		}
	}
}

static bool add_chars(const struct v8_heap *h, const struct v8_text *t, struct strbuf *out)
{
	u8 bytes[2 * CHARS_MAX];

	if (t->nr > CHARS_MAX || !vm_memory__read(h->m, t->chars, bytes, (size_t)t->nr << t->is_wide))
		return !t->nr;
	if (t->is_wide) {
		add_wide(out, bytes, t->nr);
	} else {
		for (u32 i = 0; i < t->nr; i++)
			add_char(out, bytes[i]);
	}
	return true;
}

bool v8_heap__add_text(const struct v8_heap *h, u64 object, struct strbuf *out)
{
	u64 waiting[PIECES_MAX] = { object };
	unsigned nr = 1, seen = 0;
	size_t begin = out->len;
	struct v8_text t;
	u32 cons;

	while (nr) {
		object = waiting[--nr];
		if (++seen > PIECES_MAX || out->len - begin > CHARS_MAX)
			return false;
		if (find_chars(h, object, &t, &cons)) {
			if (!add_chars(h, &t, out))
				return false;
			continue;
		}
		if (!cons || nr + 2 > PIECES_MAX || !v8_heap__word(h, object, TEXT_SECOND, &waiting[nr]) ||
		    !v8_heap__word(h, object, TEXT_CHARS, &waiting[nr + 1]))
			return false;
		nr += 2;
	}
	return true;
}
