/*
 * The views of a table of perf stat: text (stat_text.h), separated values (-x) and JSON lines (-j), in the
 * layouts of stock perf 6.12.
 */
#ifndef STAT_PRINT_H
#define STAT_PRINT_H

#include "stat/stat_line.h"

/*
 * Append the table. time_ns: of -I, since the beginning; 0: no interval, or the summary after all intervals.
 */
void stat_print__add_table(struct strbuf *out, const struct stat_print_opts *o, const struct stat_table *t,
			   u64 time_ns);

#endif
