/*
 * The part of a tracepoint's print format that shows a field: the word after "NAME=", "NAME: " or "NAME ".
 * It has one conversion or several ("dev=%d:%d").
 */
#ifndef EVENT_TRACE_PIECE_H
#define EVENT_TRACE_PIECE_H

#include "base/memory/types.h"

struct trace_piece {
	size_t from, len;       /* part of the format, without a comma at its end */
	u32 first_arg, nr_args; /* of the format's arguments */
};

/* Find the first part for the name; return false if there is none. */
bool trace_piece__find(struct trace_piece *p, const char *format, const char *name);

#endif
