/*
 * The arguments of a tracepoint's print format: C expressions over its fields, and the helpers that the
 * kernel's formats use (__print_flags, __get_str ...). An expression is a tree in an arena, with a limited
 * depth, so that recursion is safe.
 */
#ifndef EVENT_TRACE_EXPR_H
#define EVENT_TRACE_EXPR_H

#include "event/tracepoint/trace_fields.h"
#include "event/tracepoint/trace_lex.h"

enum trace_expr_kind {
	TRACE_NUMBER,  /* value */
	TRACE_TEXT,    /* text */
	TRACE_FIELD,   /* field; a number, or the bytes of an array */
	TRACE_ELEMENT, /* field[right] */
	TRACE_LENGTH,  /* bytes of a dynamic field */
	TRACE_CAST,    /* (size, is_signed) right */
	TRACE_UNARY,   /* op right */
	TRACE_BINARY,  /* left op right */
	TRACE_CHOICE,  /* condition ? left : right */
	/* Expressions with a text as result: */
	TRACE_FLAGS,   /* left as names with text between */
	TRACE_SYMBOL,  /* left as a name */
	TRACE_HEX,     /* the first right bytes of left, with text between */
	TRACE_INTS,    /* left, an array; condition is the number of elements, right their size in bytes */
	TRACE_BITMASK, /* a dynamic field as hexadecimal words */
	TRACE_CPUMASK, /* a dynamic field as a list of its bits */
};

struct trace_name { /* name of a value */
	u64 value;
	bool is_known; /* false: the format does not say which value the name stands for */
	const char *text;
};

struct trace_expr {
	enum trace_expr_kind kind;
	u16 depth; /* 1 for a leaf */
	u8 op;     /* the operator's character, enum trace_op_pair for two */
	u8 size;   /* of a cast: bytes */
	bool is_signed;
	bool is_constant; /* known without a payload: trace_expr__value of an empty one */
	u64 value;
	const char *text; /* of a number: the kernel's name for it */
	const struct trace_field *field;
	const struct trace_expr *condition, *left, *right;
	const struct trace_name *names;
	u32 nr_names;
};

/* A print format: the quoted text, and the expressions after it. */
struct trace_print {
	const char *format; /* escapes resolved */
	ARRAY(const struct trace_expr *) args;
};

/*
 * Parse the text after "print fmt: ". Everything is in the arena except the array, which __exit frees.
 * Return false if something is unknown; free *print in this case, too.
 */
bool trace_print__parse(struct trace_print *print, const struct trace_text *text,
			const struct trace_fields *fields, u8 long_size, struct arena *arena);
void trace_print__exit(struct trace_print *print);

/* Evaluate an expression as a number, in 64 bits; 0 for text, and where the payload is too short. */
u64 trace_expr__value(const struct trace_expr *e, const struct trace_payload *p);
/* As trace_expr__value, in the width of its source: -1 of an int is 0xffffffff. */
u64 trace_expr__narrow_value(const struct trace_expr *e, const struct trace_payload *p);
/* Return the bytes of an array; for other expressions data is NULL. */
struct trace_bytes trace_expr__bytes(const struct trace_expr *e, const struct trace_payload *p);

#endif
