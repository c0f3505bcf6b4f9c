#include "profile/change/source_items.h"

#include "base/memory/hash.h"

#include <string.h>

enum { MAX_DEPTH = 64 }; /* of blocks that contain items; deeper ones are code */

struct finder {
	const struct source_language *language;
	struct source_items *items;
	u32 i; /* the next word */
};

static const struct source_word *finder__word(const struct finder *f, u32 i)
{
	return &f->items->words.v[i];
}

static bool finder__is(const struct finder *f, u32 i, const char *text)
{
	const struct source_word *w = finder__word(f, i);

	return w->len == strlen(text) && !memcmp(f->items->text + w->at, text, w->len);
}

/* Return the character that the word is, or 0. */
static char finder__char(const struct finder *f, u32 i)
{
	const struct source_word *w;

	if (i >= f->items->words.nr)
		return 0;
	w = finder__word(f, i);
	return w->kind == SOURCE_CHARACTER && !w->is_directive ? f->items->text[w->at] : 0;
}

/* Is the word in a list of words between blanks? */
static bool finder__is_one_of(const struct finder *f, u32 i, const char *list)
{
	const struct source_word *w = finder__word(f, i);
	const char *text = f->items->text + w->at;

	if (w->kind != SOURCE_WORD)
		return false;
	for (const char *p = list; (p = memmem(p, strlen(p), text, w->len)); p++)
		if (p[-1] == ' ' && p[w->len] == ' ')
			return true;
	return false;
}

u64 source_items__word_hash(const struct source_items *items, u32 word)
{
	const struct source_word *w = &items->words.v[word];

	return hash__bytes(items->text + w->at, w->len, 0);
}

/* ---- one item ---- */

static void finder__add_name(struct finder *f, struct source_item *item, u32 word)
{
	array__add(&f->items->names, word);
	item->nr_names++;
}

/* They may come before what follows a name. */
static const char keywords[] =
	" __attribute__ __declspec alignas _Alignas static_assert _Static_assert __asm__ asm typeof "
	"__typeof__ decltype "
	"requires noexcept throw operator public private protected default delete const override final ";

/* Does a declaration declare the word at i? */
static bool finder__is_declared(const struct finder *f, const struct source_item *item, u32 i)
{
	char next = i + 1 < item->end ? finder__char(f, i + 1) : ';';
	bool has_word = i > item->word && finder__word(f, i - 1)->kind == SOURCE_WORD;

	if (finder__word(f, i)->kind != SOURCE_WORD || finder__is_one_of(f, i, keywords))
		return false;
	if (f->language->line_ends && i > item->word) { /* "var x int", "x int": the type is last */
		if (has_word && finder__is_one_of(f, i - 1, " var const let val type "))
			return true;
		if (finder__char(f, i - 1) != ',')
			return false;
	}
	return next && strchr(";,=[({:", next);
}

/*
 * Note what a declaration declares: words that end a declarator. What is in parentheses, values after '=',
 * and types after ':' declare nothing.
 */
static void finder__add_names(struct finder *f, struct source_item *item)
{
	u32 depth = 0;
	bool is_value = false;

	if (finder__word(f, item->word)->is_directive || !f->language->has_blocks) {
		if (item->end - item->word > 2 && finder__word(f, item->word)->is_directive &&
		    finder__is(f, item->word + 1, "define"))
			finder__add_name(f, item, item->word + 2);
		return;
	}
	for (u32 i = item->word; i < item->end; i++) {
		char c = finder__char(f, i);

		if (c == '(' || c == '[' || c == '{')
			depth++;
		else if ((c == ')' || c == ']' || c == '}') && depth)
			depth--;
		else if (!depth && c && (strchr("=,;", c) || (c == ':' && !f->language->has_directives)))
			is_value = c == '=' || c == ':';
		else if (!depth && !is_value && finder__is_declared(f, item, i))
			finder__add_name(f, item, i);
	}
}

/* Does a declaration declare a function? */
static bool finder__has_group(const struct finder *f, const struct source_item *item)
{
	for (u32 i = item->word; i < item->end; i++)
		if (finder__char(f, i) == '(')
			return true;
	return false;
}

/*
 * Add the words from start on and before end as an item. tag: the type that it is a member of, which changes
 * with its data; or UINT32_MAX.
 */
static void finder__add(struct finder *f, u32 start, u32 end, bool is_code, u32 tag)
{
	struct source_item item = {
		.word = start, .end = end, .is_code = is_code, .names = (u32)f->items->names.nr
	};

	if (start >= end)
		return;
	item.first = finder__word(f, start)->line;
	item.last = finder__word(f, end - 1)->line;
	for (u32 i = start; i < end; i++)
		item.hash = hash__add(item.hash, source_items__word_hash(f->items, i));
	if (!is_code) {
		finder__add_names(f, &item);
		if (tag != UINT32_MAX && !finder__has_group(f, &item))
			finder__add_name(f, &item, tag);
	}
	array__add(&f->items->v, item);
}

/* ---- files with blocks in braces ---- */

/* Return the word after the group in parentheses, brackets or braces that begins at i. */
static u32 finder__after_group(const struct finder *f, u32 i)
{
	bool is_block = finder__char(f, i) == '{';
	u32 depth = 0;

	for (; i < f->items->words.nr; i++) {
		char c = finder__char(f, i);

		if (c == '(' || c == '[' || c == '{') {
			depth++;
		} else if (c == ')' || c == ']' || c == '}') {
			depth -= depth > 0;
			/* branches of #if may open a block twice: '}' in column 0 ends it */
			if (!depth || (is_block && c == '}' && !finder__word(f, i)->is_indented))
				return i + 1;
		}
	}
	return i;
}

static u32 finder__after_directive(const struct finder *f, u32 i)
{
	for (i++; i < f->items->words.nr; i++) {
		const struct source_word *w = finder__word(f, i);

		if (!w->is_directive || (w->is_first && f->items->text[w->at] == '#'))
			break;
	}
	return i;
}

enum block {
	BLOCK_CODE,  /* of a function */
	BLOCK_VALUE, /* of a variable */
	BLOCK_ITEMS, /* of a namespace, a class: it has items in it */
	BLOCK_ENUM,
};

/* Is the '=' at i that of a value? It may be a part of another operator. */
static bool finder__is_value(const struct finder *f, u32 i)
{
	char before = i ? finder__char(f, i - 1) : 0;

	return finder__char(f, i) == '=' && finder__char(f, i + 1) != '=' &&
	       !(before && strchr("=!<>+-*/%&|^", before)) && !(i && finder__is(f, i - 1, "operator"));
}

/* Are the parentheses at i those of an attribute or annotation? */
static bool finder__is_attribute(const struct finder *f, u32 start, u32 i)
{
	return i > start && (finder__is_one_of(f, i - 1, " __attribute__ __declspec alignas _Alignas ") ||
			     (i > start + 1 && finder__char(f, i - 2) == '@'));
}

/* Return the name of the type whose keyword is at k: after it, or before it as in Go; or UINT32_MAX. */
static u32 finder__tag(const struct finder *f, u32 start, u32 k, u32 end)
{
	if (k + 1 < end && finder__word(f, k + 1)->kind == SOURCE_WORD)
		return k + 1;
	return f->language->line_ends && k > start ? k - 1 : UINT32_MAX;
}

/* What is in the block at i? start: where its head begins. *tag: the name of a type with members. */
static enum block finder__classify(const struct finder *f, u32 start, u32 i, u32 *tag)
{
	bool has_group = false, has_value = false, is_enum = false;
	enum block block = f->language->has_directives ? BLOCK_VALUE : BLOCK_ITEMS;

	*tag = UINT32_MAX;
	for (u32 k = start; k < i; k++) {
		char c = finder__char(f, k);

		if (c == '(' || c == '[') {
			if (c == '(' && !finder__is_attribute(f, start, k)) {
				/* in C, "= x(...) {" is no value: the '=' is that of "class T = x>" */
				has_group = true;
				has_value &= !f->language->has_directives;
			}
			k = finder__after_group(f, k) - 1;
		} else if (finder__is_one_of(f, k, " fn func fun function def ")) {
			return BLOCK_CODE;
		} else if (finder__is_one_of(f, k, " namespace impl mod module protocol extension ")) {
			return BLOCK_ITEMS;
		} else if (finder__is(f, k, "macro_rules")) {
			return BLOCK_VALUE;
		} else if (finder__is_one_of(f, k, " struct class union enum interface trait record ")) {
			is_enum |= finder__is(f, k, "enum");
			has_value = false;
			block = is_enum ? BLOCK_ENUM : BLOCK_ITEMS;
			*tag = finder__tag(f, start, k, i);
		}
		has_value |= finder__is_value(f, k);
	}
	if (i == start + 2 && finder__is(f, start, "extern"))
		return BLOCK_ITEMS;
	if (has_value)
		return BLOCK_VALUE;
	return has_group ? BLOCK_CODE : block;
}

/* May a declaration end before the word i, at the end of a line? */
static bool finder__ends_line(const struct finder *f, u32 start, u32 i)
{
	char c = finder__char(f, i), before = i > start ? finder__char(f, i - 1) : ',';

	return f->language->line_ends && finder__word(f, i)->is_first && c != '{' && c != '.' &&
	       (!before || before == ')' || before == ']' || before == '}');
}

/*
 * Return the word after the code whose block begins at i. Blocks in the head of a function come before that
 * of its code: "x() : a{1}, b(2) {" in C++, "x() interface{} {" in Go.
 */
static u32 finder__after_code(const struct finder *f, u32 i)
{
	u32 end = finder__after_group(f, i);

	for (char c; (c = finder__char(f, end)) == '{' || c == ','; end = finder__after_group(f, i))
		for (i = end; (c = finder__char(f, i)) != '{';
		     i = c == '(' ? finder__after_group(f, i) : i + 1)
			if (i >= f->items->words.nr || c == ';' || c == '}')
				return end;
	return end;
}

static void finder__find_items(struct finder *f, u32 tag, bool is_enum, u32 depth);

/*
 * Find the items of the block at f->i. start: where the item with the block begins; head: where the head of
 * the block does. outer_tag: as tag of finder__find_items(). Return false if the item goes on after it.
 */
static bool finder__find_block(struct finder *f, u32 start, u32 head, u32 outer_tag, u32 depth)
{
	u32 tag;
	enum block block = finder__classify(f, head, f->i, &tag);
	const struct source_word *next;

	if (block == BLOCK_CODE || (block != BLOCK_VALUE && depth >= MAX_DEPTH)) {
		f->i = finder__after_code(f, f->i);
		finder__add(f, start, f->i, true, UINT32_MAX);
		return true;
	}
	if (block == BLOCK_VALUE) {
		f->i = finder__after_group(f, f->i);
		next = f->i < f->items->words.nr ? finder__word(f, f->i) : NULL;
		if (f->language->has_directives || !next || !next->is_first || finder__char(f, f->i))
			return false;
		finder__add(f, start, f->i, false, outer_tag);
		return true;
	}
	finder__add(f, start, f->i, false, outer_tag);
	f->i++;
	finder__find_items(f, tag, block == BLOCK_ENUM, depth + 1);
	f->i += finder__char(f, f->i) == '}';
	return true;
}

/* Find items up to the end of the block or the file. tag: the type whose members they are; or UINT32_MAX. */
static void finder__find_items(struct finder *f, u32 tag, bool is_enum, u32 depth)
{
	u32 start = f->i, head = f->i; /* of an item; of its next block */

	while (f->i < f->items->words.nr) {
		char c = finder__char(f, f->i);

		if (c == '}' && depth) {
			break;
		} else if (finder__word(f, f->i)->is_directive) {
			u32 first = f->i;

			f->i = finder__after_directive(f, first);
			finder__add(f, first, f->i, false, UINT32_MAX);
			if (first > start)
				continue;
		} else if (finder__ends_line(f, start, f->i)) {
			finder__add(f, start, f->i, false, tag);
		} else if (c == '{') {
			if (!finder__find_block(f, start, head, tag, depth)) {
				head = f->i;
				continue;
			}
		} else if (c == '(' || c == '[') {
			f->i = finder__after_group(f, f->i);
			continue;
		} else {
			f->i++;
			if (c != ';' && c != '}' && !(c == ',' && is_enum))
				continue;
			finder__add(f, start, f->i, false, tag);
		}
		start = head = f->i;
	}
	finder__add(f, start, f->i, false, tag);
}

/* ---- other files ---- */

/* An item begins in column 0, with a word. */
static void finder__find_indented(struct finder *f)
{
	u32 nr = (u32)f->items->words.nr;

	for (u32 start = 0, i = 1; start < nr; i++) {
		const struct source_word *w = i < nr ? finder__word(f, i) : NULL;

		if (w && (!w->is_first || w->is_indented || w->kind == SOURCE_CHARACTER))
			continue;
		finder__add(f, start, i, !w || w[-1].line > finder__word(f, start)->line, UINT32_MAX);
		start = i;
	}
}

static int compare_items(const void *x, const void *y)
{
	const struct source_item *a = x, *b = y;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->word < b->word ? -1 : a->word > b->word;
}

void source_items__find(struct source_items *items, const struct source_language *l, const char *text,
			size_t size)
{
	struct finder f = { .language = l, .items = items };

	*items = (struct source_items){ .text = text, .size = size };
	source_words__split(&items->words, f.language, text, size);
	if (f.language->has_blocks)
		finder__find_items(&f, UINT32_MAX, false, 0);
	else
		finder__find_indented(&f);
	if (items->v.nr)
		qsort(items->v.v, items->v.nr, sizeof(*items->v.v), compare_items);
	for (u32 k = 0, last = 0; k < items->v.nr; k++)
		items->v.v[k].last_code = last = items->v.v[k].is_code ? k + 1 : last;
}

void source_items__exit(struct source_items *items)
{
	array__exit(&items->words);
	array__exit(&items->v);
	array__exit(&items->names);
}

const struct source_item *source_items__code_at(const struct source_items *items, u32 line)
{
	size_t i = bisect(k, (size_t)0, items->v.nr, items->v.v[k].first <= line);
	u32 code = i ? items->v.v[i - 1].last_code : 0;

	return code && items->v.v[code - 1].last >= line ? &items->v.v[code - 1] : NULL;
}
