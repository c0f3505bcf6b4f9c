#include "event/tracepoint/trace_lex.h"

#include <ctype.h>
#include <string.h>

void trace_lexer__init(struct trace_lexer *l, const struct trace_text *text)
{
	*l = (struct trace_lexer){ .p = text->data, .end = text->data + text->size, .text = STRBUF_INIT };
	trace_lexer__next(l);
}

void trace_lexer__exit(struct trace_lexer *l)
{
	strbuf__exit(&l->text);
}

bool trace_is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static int digit_of(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10 : 99;
}

/* 12, 0x1f, 017, with u and l suffixes. */
static enum trace_token lex_number(struct trace_lexer *l)
{
	int base = 10;
	u64 x = 0;

	if (*l->p == '0' && l->end - l->p > 2 && (l->p[1] | 0x20) == 'x') {
		base = 16;
		l->p += 2;
	} else if (*l->p == '0') {
		base = 8;
	}
	for (; l->p < l->end && digit_of(*l->p) < base; l->p++)
		x = x * (u64)base + (u64)digit_of(*l->p);
	l->value = x;
	l->is_unsigned = x >> 63;
	for (; l->p < l->end && trace_is_name_char(*l->p); l->p++) {
		if (!strchr("uUlL", *l->p))
			return TOKEN_BAD;
		l->is_unsigned |= (*l->p | 0x20) == 'u';
	}
	return TOKEN_NUMBER;
}

/* The character after a backslash. */
static char unescape(char c)
{
	static const char from[] = "ntr0", to[] = "\n\t\r";
	const char *at = strchr(from, c);

	return c && at ? to[at - from] : c;
}

/* From after the opening quote to after the closing one. */
static bool lex_quoted(struct trace_lexer *l, char quote)
{
	while (l->p < l->end && *l->p != quote) {
		char c = *l->p++;

		if (c == '\\' && l->p < l->end)
			c = unescape(*l->p++);
		if (!c)
			return false;
		strbuf__addch(&l->text, c);
	}
	if (l->p == l->end)
		return false;
	l->p++;
	return true;
}

static void skip_blanks(struct trace_lexer *l)
{
	while (l->p < l->end && isspace((unsigned char)*l->p))
		l->p++;
}

static enum trace_token lex_texts(struct trace_lexer *l)
{
	strbuf__reset(&l->text);
	while (l->p < l->end && *l->p == '"') {
		l->p++;
		if (!lex_quoted(l, '"'))
			return TOKEN_BAD;
		skip_blanks(l);
	}
	return TOKEN_TEXT;
}

static enum trace_token lex_char(struct trace_lexer *l)
{
	strbuf__reset(&l->text);
	l->p++;
	if (!lex_quoted(l, '\'') || l->text.len != 1)
		return TOKEN_BAD;
	l->value = (u64)l->text.buf[0];
	l->is_unsigned = false;
	return TOKEN_NUMBER;
}

static enum trace_token lex_sign(struct trace_lexer *l)
{
	static const struct {
		char text[3];
		u8 sign;
	} pairs[] = {
		{ "<<", TRACE_OP_SHL }, { ">>", TRACE_OP_SHR }, { "<=", TRACE_OP_LE },
		{ ">=", TRACE_OP_GE },  { "==", TRACE_OP_EQ },  { "!=", TRACE_OP_NE },
		{ "&&", TRACE_OP_AND }, { "||", TRACE_OP_OR },  { "->", TRACE_OP_ARROW },
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs) && l->end - l->p > 1; i++)
		if (!memcmp(l->p, pairs[i].text, 2)) {
			l->p += 2;
			l->sign = pairs[i].sign;
			return TOKEN_SIGN;
		}
	l->sign = (u8)*l->p++;
	return l->sign < 128 && strchr("()[]{}<>+-*/%&|^!~?:,.=", l->sign) ? TOKEN_SIGN : TOKEN_BAD;
}

static enum trace_token lex(struct trace_lexer *l)
{
	if (l->p >= l->end)
		return TOKEN_END;
	if (!*l->p)
		return TOKEN_BAD;
	if (isdigit((unsigned char)*l->p))
		return lex_number(l);
	if (*l->p == '"')
		return lex_texts(l);
	if (*l->p == '\'')
		return lex_char(l);
	if (!trace_is_name_char(*l->p))
		return lex_sign(l);
	while (l->p < l->end && trace_is_name_char(*l->p))
		l->p++;
	return TOKEN_NAME;
}

void trace_lexer__next(struct trace_lexer *l)
{
	skip_blanks(l);
	l->start = l->p;
	l->token = lex(l);
	l->len = (size_t)(l->p - l->start);
}

bool trace_lexer__is_sign(const struct trace_lexer *l, u8 sign)
{
	return l->token == TOKEN_SIGN && l->sign == sign;
}

bool trace_lexer__is_name(const struct trace_lexer *l, const char *name)
{
	return l->token == TOKEN_NAME && l->len == strlen(name) && !memcmp(l->start, name, l->len);
}
