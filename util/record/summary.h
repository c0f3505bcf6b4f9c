/* The lines that perf record prints at the end. */
#ifndef RECORD_SUMMARY_H
#define RECORD_SUMMARY_H

#include "record/recorder.h"

/* is_verbose: also what is of interest only where something was lost. */
void recorder_result__tell(const struct recorder_result *r, const struct recorder_opts *opts,
			   bool is_verbose);

#endif
