/* Functions on the heap of V8: what is compiled, their names and their scripts. */
#ifndef RECORD_V8_FUNCTION_H
#define RECORD_V8_FUNCTION_H

#include "record/v8/v8_lines.h"

/* Find the shared info of a closure. What has one at the same place, but is none, is taken for one, too. */
bool v8_function__shared(const struct v8_heap *h, u64 function, u64 *shared);
/* Find the bytecodes that code of the baseline compiler, or an interpreter's data, are of. */
bool v8_data__bytecodes(const struct v8_heap *h, u64 data, u64 *bytecodes);
/* Find the bytecodes of a shared info. Return false if it has none now. */
bool v8_shared__bytecodes(const struct v8_heap *h, u64 shared, u64 *bytecodes);
/* Read where the bytecodes are: begin and end are addresses. */
bool v8_bytecodes__read(const struct v8_heap *h, u64 bytecodes, u64 *begin, u64 *end);
/*
 * Append the name as "run /app/main.js:12:5": the function's, its script, the line and the column where it
 * begins. Return false, with nothing appended, if it cannot be read, or not now.
 */
bool v8_shared__add_name(const struct v8_heap *h, struct v8_lines *lines, u64 shared, struct strbuf *out);

#endif
