/* Pointers as the kernel's printf shows them: names of functions, network addresses, bits, bytes. */
#ifndef EVENT_TRACE_POINTER_H
#define EVENT_TRACE_POINTER_H

#include "event/tracepoint/trace_expr.h"
#include "event/tracepoint/trace_writer.h"

/*
 * Append "%p" with the letters sub after it; unknown letters: the plain number. nr: the width, if it is an
 * argument ("%*ph": bytes, "%*pbl": bits), else UINT64_MAX.
 */
void trace_pointer__add(struct strbuf *out, const char *sub, const struct trace_expr *e, u64 nr,
			const struct trace_writer *w);
/* Append words of 32 bits as hexadecimal numbers, the highest first. */
void trace_pointer__add_bitmask(struct strbuf *out, const struct trace_payload *p, struct trace_bytes b);

/* Append the set bits among the first nr, as "0-3,8". */
void trace_pointer__add_bit_list(struct strbuf *out, const struct trace_payload *p, struct trace_bytes b,
				 u64 nr);

#endif
