/*
 * What the elapsed time was spent on (report --critical-path): from the end of the recording or of a thread
 * backwards, always in the thread that the others waited for. A thread that was woken by another one leads to
 * that one at the time of the waking, a new thread to the one that forked it. A wait that an interrupt ended,
 * or nobody known, is part of the path.
 */
#ifndef PROFILE_CRITICAL_PATH_H
#define PROFILE_CRITICAL_PATH_H

#include "profile/waits/weighing.h"

/* Add the path that ends in a line, at its end. NO_LINE: of the whole recording. */
void critical_path__add(const struct time_lines *t, struct weighing *w, u32 line, struct weight_facts *facts);

#endif
