/* The words of a print format. */
#ifndef EVENT_TRACE_LEX_H
#define EVENT_TRACE_LEX_H

#include "base/text/strbuf.h"
#include "event/tracepoint/trace_header.h"

enum trace_token {
	TOKEN_END,
	TOKEN_BAD,    /* an unterminated quote, or a character that C does not have */
	TOKEN_NAME,   /* start, len */
	TOKEN_NUMBER, /* value; a character in quotes is one */
	TOKEN_TEXT,   /* text: adjacent strings joined */
	TOKEN_SIGN,   /* sign: a character, or enum trace_op_pair for two */
};

/* Operators of two characters. */
enum trace_op_pair {
	TRACE_OP_SHL = 128,
	TRACE_OP_SHR,
	TRACE_OP_LE,
	TRACE_OP_GE,
	TRACE_OP_EQ,
	TRACE_OP_NE,
	TRACE_OP_AND,
	TRACE_OP_OR,
	TRACE_OP_ARROW,
};

struct trace_lexer {
	const char *p, *end;
	enum trace_token token; /* the current token */
	const char *start;
	size_t len;
	u64 value;
	bool is_unsigned; /* a number with the suffix U, or too large for a signed one */
	u8 sign;
	struct strbuf text;
};

/* Begin at the first token. */
void trace_lexer__init(struct trace_lexer *l, const struct trace_text *text);
void trace_lexer__exit(struct trace_lexer *l);
void trace_lexer__next(struct trace_lexer *l);
bool trace_lexer__is_sign(const struct trace_lexer *l, u8 sign);
bool trace_is_name_char(char c); /* a letter, a digit or an underscore */
bool trace_lexer__is_name(const struct trace_lexer *l, const char *name);

#endif
