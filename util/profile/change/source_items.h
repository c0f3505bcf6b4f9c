/*
 * The items of a source file: functions, and declarations outside of functions. Two versions of a file have
 * the same item if its words are the same: comments and white space do not count.
 *
 * There is no grammar of any language in it. Blocks in braces that follow parentheses are functions, those of
 * namespaces, classes and the like contain items. Where a language has no braces, an item begins in column 0.
 */
#ifndef PROFILE_SOURCE_ITEMS_H
#define PROFILE_SOURCE_ITEMS_H

#include "profile/change/source_words.h"

struct source_item {
	u32 first, last; /* lines, from 1 */
	u32 word, end;   /* its words, end is one past the last */
	u64 hash;        /* of its words */
	bool is_code;    /* a function, or what may be one; otherwise a declaration */
	u32 last_code;   /* the last code in .v up to this item, + 1; 0: none */
	u32 names,
		nr_names; /* what a declaration declares: indices in .names; a macro, members, a constant */
};

struct source_items {
	const char *text; /* not owned */
	size_t size;
	source_words words;
	ARRAY(struct source_item) v; /* by first line; only directives may be within others */
	ARRAY(u32) names;            /* indices of words */
};

/* Find the items of a text, which must stay. size: at most SOURCE_TEXT_MAX. Exit it afterwards. */
void source_items__find(struct source_items *items, const struct source_language *l, const char *text,
			size_t size);
void source_items__exit(struct source_items *items);
/* Return the code that has a line, or NULL. */
const struct source_item *source_items__code_at(const struct source_items *items, u32 line);
/* Return a hash of a word's text. */
u64 source_items__word_hash(const struct source_items *items, u32 word);

#endif
