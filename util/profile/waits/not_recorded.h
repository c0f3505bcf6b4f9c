/*
 * Times of which a recording does not say what a thread did: from its start, or that of the recording, until
 * it is known to run or to wait; and where records were lost. The lines of threads (time_lines.h) get spans
 * of them, since what is in no span counts as time on the CPU.
 */
#ifndef PROFILE_NOT_RECORDED_H
#define PROFILE_NOT_RECORDED_H

#include "profile/waits/time_lines.h"

/* Add these spans to all lines. Their wait has no sample, and is_not_recorded. */
void time_lines__add_not_recorded(struct time_lines *t);

#endif
