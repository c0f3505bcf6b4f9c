/*
 * How the clock of a recording stands to CLOCK_MONOTONIC, which compilers of code at run time use in
 * jitdumps: both were read at the start and at the end. A chunk of text in the extension section; none where
 * they are the same clock.
 */
#ifndef FORMAT_CLOCK_PAIRS_H
#define FORMAT_CLOCK_PAIRS_H

#include "base/text/strbuf.h"

struct clock_pair { /* ns; read at the same moment */
	u64 recording, monotonic;
};

struct clock_pairs { /* all 0: the clocks are the same */
	struct clock_pair begin, end;
};

/*
 * As lines "begin RECORDING MONOTONIC" and "end ...", for the file; and back: 0, or -EBADMSG for any other
 * text.
 */
void clock_pairs__write(const struct clock_pairs *p, struct strbuf *out);
int clock_pairs__read(struct clock_pairs *p, const char *text, size_t size);
/*
 * The time of the recording's clock at a time of CLOCK_MONOTONIC (ns). The distance of the clocks changes
 * evenly between the two pairs, and not at all before and after.
 */
u64 clock_pairs__to_recording(const struct clock_pairs *p, u64 monotonic);

#endif
