/* Prints the lines at the end of perf record. */
#ifndef RECORD_SUMMARY_H
#define RECORD_SUMMARY_H

#include "record/recorder.h"

/*
 * Print the share of call chains that are incomplete, and the causes with what to type; nothing if nearly all
 * are complete. With sets_runtimes, --runtimes was given: do not advise it.
 */
void recorder_result__tell_chains(const struct unwind_stats *chains, const struct recorder_opts *opts,
				  bool sets_runtimes);
/* Print the other lines. With is_verbose, also details that matter only if something was lost. */
void recorder_result__tell(const struct recorder_result *r, const struct recorder_opts *opts,
			   bool is_verbose);

#endif
