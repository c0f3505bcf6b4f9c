/*
 * A growing string. buf is always NUL-terminated and never NULL (an empty one points at a
 * shared byte), len excludes the NUL; the content may hold NULs of its own. Only the
 * functions here change the fields. strbuf__detach is the one way ownership leaves.
 */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include "base/memory/types.h"

#include <stdarg.h>

struct strbuf {
	char *buf;
	size_t len;
	size_t alloc; /* 0: buf is the shared empty string */
};

extern char strbuf__empty[];
#define STRBUF_INIT                  \
	{                            \
		.buf = strbuf__empty \
	}

void strbuf__init(struct strbuf *sb);
void strbuf__exit(struct strbuf *sb);               /* frees the content; sb is as after __init */
void strbuf__reset(struct strbuf *sb);              /* length 0, memory kept */
void strbuf__grow(struct strbuf *sb, size_t more);  /* room for more bytes and the NUL */
void strbuf__setlen(struct strbuf *sb, size_t len); /* len: at most alloc - 1; writes the NUL */
/* Make room for size bytes. Return where to write them (put.h); __end adds what is before p. */
static inline char *strbuf__begin(struct strbuf *sb, size_t size)
{
	if (unlikely(sb->alloc - sb->len <= size))
		strbuf__grow(sb, size);
	return sb->buf + sb->len;
}
static inline void strbuf__end(struct strbuf *sb, const char *p)
{
	sb->len = (size_t)(p - sb->buf);
	sb->buf[sb->len] = '\0';
}

void strbuf__add(struct strbuf *sb, const void *data, size_t size);
void strbuf__addstr(struct strbuf *sb, const char *s);
/* Append the bytes of a number, in the machine's order. */
static inline void strbuf__add_u32(struct strbuf *sb, u32 x)
{
	strbuf__add(sb, &x, sizeof(x));
}
static inline void strbuf__add_u64(struct strbuf *sb, u64 x)
{
	strbuf__add(sb, &x, sizeof(x));
}
static inline void strbuf__addch(struct strbuf *sb, char c)
{
	if (sb->alloc - sb->len < 2)
		strbuf__grow(sb, 1);
	sb->buf[sb->len++] = c;
	sb->buf[sb->len] = '\0';
}
void strbuf__addchars(struct strbuf *sb, char c, size_t nr);
void strbuf__addf(struct strbuf *sb, const char *fmt, ...) PRINTF(2, 3);
void strbuf__vaddf(struct strbuf *sb, const char *fmt, va_list ap) PRINTF(2, 0);
/* As printf's "%llu", several times as fast. */
void strbuf__add_number(struct strbuf *sb, u64 x);
/* Append the last nr digits of x, with leading zeros: the decimals of a fraction. nr: at most 20. */
void strbuf__add_digits(struct strbuf *sb, u64 x, unsigned nr);
/* As printf's "%*.2f", several times as fast. */
void strbuf__add_fixed(struct strbuf *sb, double x, int width);
/* Append a time with its unit: "1.62 s", "171.0 ms". At most 8 bytes below 1,000 s. */
void strbuf__add_duration(struct strbuf *sb, double ns);
/* Appends text from a file with control characters replaced by '?' (base/text/mask.h). */
void strbuf__add_masked(struct strbuf *sb, const char *s);
/* Appends s as UTF-8: each byte that is not part of a well-formed character becomes U+FFFD. */
void strbuf__add_utf8(struct strbuf *sb, const char *s);
/* Replace bytes that are in no UTF-8 character by U+FFFD, in text without NULs. */
void strbuf__make_utf8(struct strbuf *sb);
/* Appends s as a string of JSON, in quotes. Bytes that are not UTF-8 become U+FFFD. */
void strbuf__add_json(struct strbuf *sb, const char *s);
/* Appends s as one word of a shell's command line, in quotes if it needs them. Not masked. */
void strbuf__add_shell_word(struct strbuf *sb, const char *s);
/* Return the string, which the caller frees with free(); sb is as after __init. */
char *strbuf__detach(struct strbuf *sb);

#endif
