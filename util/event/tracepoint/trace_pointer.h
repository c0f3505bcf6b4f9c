/* What the kernel's printf makes of pointers: names of functions, addresses of networks, bits, bytes. */
#ifndef EVENT_TRACE_POINTER_H
#define EVENT_TRACE_POINTER_H

#include "event/tracepoint/trace_expr.h"
#include "event/tracepoint/trace_writer.h"

/*
 * Appends "%p" with the letters sub behind it, as far as they are known; the plain number otherwise. nr: the
 * width that was an argument ("%*ph": bytes, "%*pbl": bits), UINT64_MAX: none.
 */
void trace_pointer__add(struct strbuf *out, const char *sub, const struct trace_expr *e, u64 nr,
			const struct trace_writer *w);
/* Words of 32 bits as hexadecimal numbers, the highest first. */
void trace_pointer__add_bitmask(struct strbuf *out, const struct trace_payload *p, struct trace_bytes b);

/* "0-3,8": which of the first nr bits are set. */
void trace_pointer__add_bit_list(struct strbuf *out, const struct trace_payload *p, struct trace_bytes b,
				 u64 nr);

#endif
