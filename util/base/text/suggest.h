/*
 * "Did you mean": the names nearest to a mistyped word. Names are offered one by one and must
 * live as long as the suggest; only the SUGGEST_MAX nearest are kept, and only those near enough
 * to be a slip: a third of the word's letters, at most 3. A name that the word begins, or that
 * begins the word, counts as near when at least 3 letters agree. Upper and lower case do not differ.
 */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include "base/text/strbuf.h"

enum { SUGGEST_MAX = 4 };

struct suggest {
	const char *prefix, *word; /* prefix: shown before the word and the names, such as "--" */
	size_t nr;
	struct {
		const char *name;
		unsigned distance;
	} best[SUGGEST_MAX]; /* nearest first */
};

/* Return how many edits (insert, delete, change, swap of neighbours) turn a into b, at most limit + 1. */
unsigned suggest__distance(const char *a, const char *b, unsigned limit);

void suggest__init(struct suggest *s, const char *prefix, const char *word);
void suggest__offer(struct suggest *s, const char *name);
/* Appends "'a', 'b' or 'c'"; nothing if none is near. */
void suggest__add_to(const struct suggest *s, struct strbuf *sb);

#endif
