/* Which branches the processor records: the words of -j and of the term branch_type. */
#ifndef EVENT_BRANCH_FILTER_H
#define EVENT_BRANCH_FILTER_H

#include "base/message/word_list.h"

extern const struct word_list branch_kinds;

/*
 * Parse words such as "any", "any_call" or "u", separated by any character of separators, into
 * PERF_SAMPLE_BRANCH_* bits. If only privilege levels are given, "any" is added. Return 0, or -EINVAL with
 * the unknown word in *bad and *bad_len.
 */
int branch_filter__parse(const char *text, size_t len, const char *separators, u64 *filter, const char **bad,
			 size_t *bad_len);

#endif
