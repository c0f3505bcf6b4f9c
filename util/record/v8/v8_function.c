#include "record/v8/v8_function.h"

#include <errno.h>

enum {
	BYTECODES_MAX = 16 << 20, /* bytes */
	VARIABLES_MAX = 1 << 14,  /* of a scope */
	INLINE_NAMES = 75,        /* a scope with as many variables has their names in a table */
	WORD = 8,
	HOPS_MAX = 3, /* of an object that was moved */
};

/* ---- code ---- */

bool v8_function__shared(const struct v8_heap *h, u64 function, u64 *shared)
{
	u64 map;

	if (!v8__is_object(function) || !v8_heap__word(h, function, 0, &map))
		return false;
	/* the collector leaves the new address in place of the map */
	for (unsigned hops = 0; hops < HOPS_MAX && map && !(map % WORD); hops++) {
		function = map + 1;
		if (!v8_heap__word(h, function, 0, &map))
			return false;
	}
	/* there are several kinds of closures: constructors of classes, for instance */
	return v8_heap__object(h, function, (u64)h->l->at[V8_FUNCTION_SHARED], V8_SHARED, shared);
}

bool v8_data__bytecodes(const struct v8_heap *h, u64 data, u64 *bytecodes)
{
	if (v8_heap__is(h, data, V8_BYTECODES)) {
		*bytecodes = data;
		return true;
	}
	/* V8 12 and newer have a pointer before it */
	return v8_heap__is(h, data, V8_INTERPRETER_DATA) &&
	       (v8_heap__object(h, data, WORD, V8_BYTECODES, bytecodes) ||
		v8_heap__object(h, data, 2 * WORD, V8_BYTECODES, bytecodes));
}

bool v8_shared__bytecodes(const struct v8_heap *h, u64 shared, u64 *bytecodes)
{
	for (u64 at = WORD; at < (u64)h->l->at[V8_SHARED_NAME]; at += WORD) {
		u64 data;

		if (!v8_heap__word(h, shared, at, &data) || !v8__is_object(data))
			continue;
		if (v8_data__bytecodes(h, data, bytecodes))
			return true;
		/* baseline code; V8 10: its container has it */
		for (u64 i = WORD; v8_heap__is(h, data, V8_CODE_CONTAINER) && i <= 4 * WORD; i += WORD) {
			u64 code;

			if (v8_heap__object(h, data, i, V8_CODE, &code))
				data = code;
		}
		if (v8_heap__is(h, data, V8_CODE) &&
		    v8_heap__word(h, data, (u64)h->l->at[V8_CODE_DATA], &data) &&
		    v8_data__bytecodes(h, data, bytecodes))
			return true;
	}
	return false;
}

bool v8_bytecodes__read(const struct v8_heap *h, u64 bytecodes, u64 *begin, u64 *end)
{
	s32 size;

	if (!v8_heap__is(h, bytecodes, V8_BYTECODES) || !v8_heap__smi(h, bytecodes, V8_ARRAY_LENGTH, &size) ||
	    size <= 0 || size > BYTECODES_MAX)
		return false;
	*begin = bytecodes - 1 + (u64)h->l->at[V8_BYTECODES_DATA];
	*end = *begin + (u64)size;
	return *end > *begin;
}

/* ---- names ---- */

/* What a scope has of its function. */
struct scope {
	u64 name, inferred; /* texts; 0: none */
	s32 start;          /* position in the source; -1: unknown */
};

/* Read the words after the variables: each is there only if a flag says so. */
static bool scope__read_rest(struct scope *s, const struct v8_heap *h, u64 object, u64 flags, u64 at)
{
	if (flags >> 10 & 1) /* a class's variable */
		at += WORD;
	if (flags >> 12 & 3) { /* the function's name, and where the function itself is */
		if (!v8_heap__word(h, object, at, &s->name) || (s->name && !v8_heap__is_text(h, s->name)))
			return false;
		at += 2 * WORD;
	}
	if (flags >> 14 & 1) {
		if (!v8_heap__word(h, object, at, &s->inferred) || !v8__is_object(s->inferred))
			return false;
		if (!v8_heap__is_text(h, s->inferred))
			s->inferred = 0;
		at += WORD;
	}
	if (s->start < 0)
		v8_heap__smi(h, object, at, &s->start);
	return true;
}

/* Flags, numbers of parameters and variables, positions since V8 13, then parts of variable size. */
static bool scope__read(struct scope *s, const struct v8_heap *h, u64 object)
{
	enum { MODULE = 5 }; /* kind of scope since V8 13, which has one more word */
	bool is_new = h->l->at[V8_SCOPE_FIRST] >= 5;
	u64 flags, at = WORD + (u64)h->l->at[V8_SCOPE_FIRST] * WORD;
	s32 nr;

	*s = (struct scope){ .start = -1 };
	if (!v8_heap__word(h, object, WORD, &flags) || !v8_heap__smi(h, object, 3 * WORD, &nr) || nr < 0 ||
	    nr > VARIABLES_MAX)
		return false;
	if (!is_new) /* a small integer */
		flags >>= 32;
	if (is_new && (!v8_heap__smi(h, object, 4 * WORD, &s->start) || s->start < 0))
		return false;
	if (is_new && (flags & 15) == MODULE)
		at += WORD;
	at += (nr < INLINE_NAMES ? (u64)nr : 1) * WORD + (u64)nr * WORD;
	return scope__read_rest(s, h, object, flags, at);
}

static bool add_function_name(const struct v8_heap *h, const struct scope *s, struct strbuf *out)
{
	size_t before = out->len;

	if (s->name && !v8_heap__add_text(h, s->name, out))
		return false;
	if (out->len == before && s->inferred && !v8_heap__add_text(h, s->inferred, out))
		return false;
	if (out->len == before)
		strbuf__addstr(out, "(anonymous)");
	return true;
}

static bool add_script(const struct v8_heap *h, struct v8_lines *lines, u64 script, s32 position,
		       struct strbuf *out)
{
	size_t before = out->len;
	struct v8_place place;
	u64 name;
	int r = -ENOENT;

	if (!v8_heap__word(h, script, V8_SCRIPT_NAME, &name) ||
	    (v8_heap__is_text(h, name) && !v8_heap__add_text(h, name, out)))
		return false; /* code of eval() has no script's name */
	if (out->len == before)
		strbuf__addstr(out, "(eval)");
	if (position >= 0)
		r = v8_lines__find(lines, h, script, (u32)position, &place);
	if (!r)
		strbuf__addf(out, ":%u:%u", place.line, place.column);
	return r != -EAGAIN;
}

bool v8_shared__add_name(const struct v8_heap *h, struct v8_lines *lines, u64 shared, struct strbuf *out)
{
	size_t before = out->len;
	struct scope scope = { .start = -1 };
	u64 name, script;
	bool done;

	if (!v8_heap__is(h, shared, V8_SHARED) ||
	    !v8_heap__word(h, shared, (u64)h->l->at[V8_SHARED_NAME], &name) ||
	    !v8_heap__object(h, shared, (u64)h->l->at[V8_SHARED_SCRIPT], V8_SCRIPT, &script))
		return false;
	if (v8_heap__is_text(h, name))
		scope.name = name;
	else if (v8__is_object(name) && (!v8_heap__is(h, name, V8_SCOPE) || !scope__read(&scope, h, name)))
		return false;
	done = add_function_name(h, &scope, out);
	strbuf__addch(out, ' ');
	done = done && add_script(h, lines, script, scope.start, out);
	if (!done)
		strbuf__setlen(out, before);
	return done;
}
