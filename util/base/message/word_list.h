/*
 * Words out of a list, such as the modes of --affinity: one function finds them, and one writes the message
 * for a word that is not in the list:
 *
 * 	unknown affinity mode 'nod'
 * 	did you mean 'node'?
 * 	affinity modes: sys, node, cpu
 */
#ifndef BASE_WORD_LIST_H
#define BASE_WORD_LIST_H

#include "base/message/err.h"
#include "base/text/suggest.h"

#include <stddef.h>

enum word_list_flags {
	WORDS_ANY_CASE = 1 << 0,
	WORDS_BEGINNINGS = 1 << 1, /* the beginning of a word is enough */
};

struct word_list {
	const char *what;  /* the kind of word: "affinity mode" */
	const void *rows;  /* array; each element begins with its word, a const char *; NULL is skipped */
	size_t nr, size;   /* elements; bytes of one */
	unsigned flags;    /* enum word_list_flags */
	const char *where; /* command that prints the list (called_name__add); NULL: the message does */
};

#define WORD_LIST(what_, rows_, flags_)                                                                \
	{                                                                                              \
		.what = (what_), .rows = (rows_), .nr = ARRAY_SIZE(rows_), .size = sizeof((rows_)[0]), \
		.flags = (flags_)                                                                      \
	}

const char *word_list__name(const struct word_list *l, size_t i); /* may be NULL */
void word_list__offer(const struct word_list *l, struct suggest *s);
/* Return the index of the first row for the word of len bytes, or -1. */
int word_list__find(const struct word_list *l, const char *word, size_t len);
/* As word_list__find; without such a row return -EINVAL, with the message and the advice in err. */
int word_list__choose(const struct word_list *l, const char *word, size_t len, struct err *err);
/* Add the advice for an unknown word alone: near words, and the list or the place where it is. */
void word_list__advise(const struct word_list *l, const char *word, size_t len, struct err *err);

/* Add the line "did you mean ...?" and return true if any name was near. */
bool err__suggest(struct err *err, const struct suggest *s);
/*
 * Set "unknown WHAT 'WORD'", add the near names, and where all names are (called_name__add; NULL: nowhere).
 * Return -EINVAL.
 */
int err__unknown(struct err *err, const char *what, const struct suggest *s, const char *where);

#endif
