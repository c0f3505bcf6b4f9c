/*
 * Split a source file into words, numbers, strings and other characters, without comments and white space,
 * as far as that needs no grammar. What it takes for a comment or a string depends on the file's name.
 */
#ifndef PROFILE_SOURCE_WORDS_H
#define PROFILE_SOURCE_WORDS_H

#include "base/memory/array.h"

/* What the splitting of a file depends on. */
struct source_language {
	const char *endings;         /* of file names: " c h " */
	const char *line_comment[2]; /* up to the end of the line; NULL: none */
	const char *comment[2];      /* what begins and ends a comment; NULL: none */
	const char *quotes;          /* characters around strings, which may go over lines */
	bool has_blocks;             /* blocks are in braces; otherwise what is indented belongs together */
	bool has_directives;         /* lines of the C preprocessor */
	bool line_ends;              /* the end of a line may end a declaration, as in Go */
	bool nests;                  /* comments have comments in them */
	bool has_lifetimes;          /* a quote may be a lifetime, as in Rust */
};

enum source_word_kind {
	SOURCE_WORD, /* a name or keyword */
	SOURCE_NUMBER,
	SOURCE_STRING,
	SOURCE_CHARACTER, /* any other */
};

struct source_word {
	u32 at, len;       /* bytes of the text */
	u32 line;          /* from 1 */
	u8 kind;           /* enum source_word_kind */
	bool is_first;     /* of its line */
	bool is_indented;  /* there is white space before it, or another word */
	bool is_directive; /* in a line of the preprocessor */
};

typedef ARRAY(struct source_word) source_words;

/* Return the language of a path by its ending, or NULL. */
const struct source_language *source_language__of(const char *path);
/* Append the words of a text. What is not closed ends with the text. size: at most SOURCE_TEXT_MAX. */
void source_words__split(source_words *words, const struct source_language *l, const char *text, size_t size);

enum { SOURCE_TEXT_MAX = 8 << 20 }; /* bytes; larger files are not source files that people write */

#endif
