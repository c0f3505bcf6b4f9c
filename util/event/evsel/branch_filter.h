/* Which branches the processor shall record: the words of -j and of the term branch_type. */
#ifndef EVENT_BRANCH_FILTER_H
#define EVENT_BRANCH_FILTER_H

#include "base/memory/types.h"

/*
 * PERF_SAMPLE_BRANCH_* of words such as "any", "any_call" or "u", with any of separators between them; "any"
 * is meant when only privilege levels are named. 0, or -EINVAL and *bad (of *bad_len) is the word that is
 * none.
 */
int branch_filter__parse(const char *text, size_t len, const char *separators, u64 *filter, const char **bad,
			 size_t *bad_len);

#endif
