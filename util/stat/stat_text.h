/* Tables of perf stat as text, in the layout of stock perf 6.12. */
#ifndef STAT_STAT_TEXT_H
#define STAT_STAT_TEXT_H

#include "stat/stat_line.h"

/* Append the heading: which command, processes or CPUs were counted. what: "'sleep 1'". Text only. */
void stat_text__add_title(struct strbuf *out, const struct stat_print_opts *o, const char *what, u64 nr_runs);
/* Append the line above the first of some intervals, in text. */
void stat_text__add_interval_heading(struct strbuf *out, const struct stat_print_opts *o,
				     const struct stat_table *t);
/* Append the elapsed time, in text. */
void stat_text__add_times(struct strbuf *out, const struct stat_print_opts *o, const struct stat_table *t);
void stat_text__add_line(struct strbuf *out, const struct stat_line *line);
/* Append the table of --metric-only: a column for each ratio. time: as in struct stat_line. */
void stat_text__add_metrics(struct strbuf *out, const struct stat_print_opts *o, const struct stat_table *t,
			    const char *time);

#endif
