/* The value of an expression for a payload. */
#ifndef EVENT_TRACE_EVAL_H
#define EVENT_TRACE_EVAL_H

#include "event/tracepoint/trace_expr.h"

/* Evaluate an expression as a number, in 64 bits; 0 for text, and where the payload is too short. */
u64 trace_expr__value(const struct trace_expr *e, const struct trace_payload *p);
/* Return the bytes of an array; for other expressions data is NULL. */
struct trace_bytes trace_expr__bytes(const struct trace_expr *e, const struct trace_payload *p);

#endif
