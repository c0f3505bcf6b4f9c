/* The key of a sample's row, but for what only some reports need. */
#ifndef PROFILE_SAMPLE_ROW_H
#define PROFILE_SAMPLE_ROW_H

#include "model/session.h"
#include "profile/rows/rows.h"

/*
 * Return the key of a sample. t: the state of its thread in the cursor's machine; the cursor is at the
 * sample's time.
 */
struct row_key sample__row_key(const struct sample *s, const struct thread_state *t,
			       struct machine_cursor *cursor, const struct machine *m);

#endif
