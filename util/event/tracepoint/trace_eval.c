/* The value of an expression for a payload. */
#include "event/tracepoint/trace_expr.h"

#include "event/tracepoint/trace_spans.h"

struct trace_bytes trace_expr__bytes(const struct trace_expr *e, const struct trace_payload *p)
{
	if (e->kind != TRACE_FIELD || !e->field->is_array)
		return (struct trace_bytes){ NULL, 0 };
	return trace_payload__bytes(p, e->field);
}

static u64 truncate_to(u64 x, u32 size, bool is_signed)
{
	if (size >= 8)
		return x;
	x &= (1ull << 8 * size) - 1;
	return is_signed && x >> (8 * size - 1) ? x | UINT64_MAX << 8 * size : x;
}

static u64 element__value(const struct trace_expr *e, const struct trace_payload *p)
{
	struct trace_bytes b = trace_payload__bytes(p, e->field);
	u64 i = trace_expr__value(e->right, p);
	u32 size = MIN(e->field->element_size, 8u);

	if (i >= b.size || i * size + size > b.size)
		return 0;
	return truncate_to(trace_load(b.data + i * size, size, p->big_endian), size, e->field->is_signed);
}

static u64 unary__value(const struct trace_expr *e, const struct trace_payload *p)
{
	u64 x = trace_expr__value(e->right, p);

	switch (e->op) {
	case '!':
		return !x;
	case '~':
		return ~x;
	case '-':
		return -x;
	default:
		return x;
	}
}

static int compare(u64 a, u64 b, bool is_signed)
{
	if (is_signed)
		return (s64)a < (s64)b ? -1 : (s64)a > (s64)b;
	return a < b ? -1 : a > b;
}

/* Division by zero is 0. */
static u64 divide(u64 a, u64 b, bool is_signed, bool rest)
{
	if (!b)
		return 0;
	if (is_signed && b == UINT64_MAX) /* the smallest number has no opposite */
		return rest ? 0 : -a;
	if (is_signed)
		return (u64)(rest ? (s64)a % (s64)b : (s64)a / (s64)b);
	return rest ? a % b : a / b;
}

static u64 shift_right(u64 a, u64 b, bool is_signed)
{
	if (b > 63)
		return 0;
	return is_signed ? (u64)((s64)a >> b) : a >> b;
}

static u64 binary__value(const struct trace_expr *e, const struct trace_payload *p)
{
	bool is_signed = e->left->is_signed && e->right->is_signed;
	u64 a = trace_expr__value(e->left, p), b;

	if (e->op == TRACE_OP_AND)
		return a && trace_expr__value(e->right, p);
	if (e->op == TRACE_OP_OR)
		return a || trace_expr__value(e->right, p);
	b = trace_expr__value(e->right, p);
	switch (e->op) {
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	case '/':
	case '%':
		return divide(a, b, is_signed, e->op == '%');
	case '&':
		return a & b;
	case '|':
		return a | b;
	case '^':
		return a ^ b;
	case '<':
		return compare(a, b, is_signed) < 0;
	case '>':
		return compare(a, b, is_signed) > 0;
	case TRACE_OP_LE:
		return compare(a, b, is_signed) <= 0;
	case TRACE_OP_GE:
		return compare(a, b, is_signed) >= 0;
	case TRACE_OP_EQ:
		return a == b;
	case TRACE_OP_NE:
		return a != b;
	case TRACE_OP_SHL:
		return b > 63 ? 0 : a << b;
	case TRACE_OP_SHR:
		return shift_right(a, b, e->left->is_signed);
	}
	return 0;
}

u64 trace_expr__value(const struct trace_expr *e, const struct trace_payload *p)
{
	switch (e->kind) {
	case TRACE_NUMBER:
		return e->text && p->data ? 0 : e->value; /* names count in lists only, as in stock perf */
	case TRACE_FIELD:
		return e->field->is_array ? 0 : trace_payload__number(p, e->field);
	case TRACE_ELEMENT:
		return element__value(e, p);
	case TRACE_LENGTH:
		return trace_payload__bytes(p, e->field).size;
	case TRACE_CAST:
		return truncate_to(trace_expr__value(e->right, p), e->size, e->op);
	case TRACE_UNARY:
		return unary__value(e, p);
	case TRACE_BINARY:
		return binary__value(e, p);
	case TRACE_CHOICE:
		return trace_expr__value(trace_expr__value(e->condition, p) ? e->left : e->right, p);
	default:
		return 0;
	}
}

u64 trace_expr__narrow_value(const struct trace_expr *e, const struct trace_payload *p)
{
	u32 size = e->kind == TRACE_FIELD ? e->field->size : e->kind == TRACE_CAST ? e->size : 8;

	return truncate_to(trace_expr__value(e, p), size, false);
}
