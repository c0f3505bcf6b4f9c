/*
 * The clock of a recording and CLOCK_MONOTONIC (which JIT compilers use in jitdumps), both read at the
 * beginning and at the end. Text in a chunk of the extension section; absent if both are the same clock.
 */
#ifndef FORMAT_CLOCK_PAIRS_H
#define FORMAT_CLOCK_PAIRS_H

#include "base/text/strbuf.h"

struct clock_pair { /* ns; both read at the same moment */
	u64 recording, monotonic;
};

struct clock_pairs { /* all 0: both are the same clock */
	struct clock_pair begin, end;
};

/*
 * Write lines "begin RECORDING MONOTONIC" and "end ..." for the file; read them again. Return 0, or -EBADMSG
 * for other text.
 */
void clock_pairs__write(const struct clock_pairs *p, struct strbuf *out);
int clock_pairs__read(struct clock_pairs *p, const char *text, size_t size);
/*
 * Convert a time of CLOCK_MONOTONIC (ns) to the recording's clock. Between the two pairs the difference
 * changes linearly; outside it is constant.
 */
u64 clock_pairs__to_recording(const struct clock_pairs *p, u64 monotonic);

#endif
