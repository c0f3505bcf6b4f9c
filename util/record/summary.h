/* Prints the lines at the end of perf record. */
#ifndef RECORD_SUMMARY_H
#define RECORD_SUMMARY_H

#include "record/recorder.h"

/* Print them. With is_verbose, also details that matter only if something was lost. */
void recorder_result__tell(const struct recorder_result *r, const struct recorder_opts *opts,
			   bool is_verbose);

#endif
