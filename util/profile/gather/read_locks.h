/*
 * Read which locks the threads of a recording waited for, and who ended the waits: a pass over its samples,
 * after which the names of locks are made.
 */
#ifndef PROFILE_READ_LOCKS_H
#define PROFILE_READ_LOCKS_H

#include "profile/waits/locks.h"

/* Read the waits of s. Return 0, or a negative errno with err; -ENOENT: there are no details of waits. */
int locks__read(struct locks *l, struct session *s, struct err *err);
/* The same, but there may be no waits. */
int locks__read_any(struct locks *l, struct session *s, struct err *err);

#endif
