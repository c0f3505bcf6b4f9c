/* The value of an expression for a payload. */
#ifndef EVENT_TRACE_EVAL_H
#define EVENT_TRACE_EVAL_H

#include "event/tracepoint/trace_expr.h"

/* Of an expression as a number, computed in 64 bits; of text, and where the payload is too short, 0. */
u64 trace_expr__value(const struct trace_expr *e, const struct trace_payload *p);
/* The bytes of an array; none of any other expression. */
struct trace_bytes trace_expr__bytes(const struct trace_expr *e, const struct trace_payload *p);

#endif
