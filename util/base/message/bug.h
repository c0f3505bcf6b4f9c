/*
 * Checks of what the code itself guarantees: an invariant that a header states, such as an order or a range.
 * Never of input, which may be anything. Not in loops over samples or records.
 *
 *	if (BUG_UNLESS(rank >= last, "rank %u after %u", rank, last))
 *		return -EINVAL;
 *
 * The value is true if the condition is not. Unit tests and sanitizer builds end with file, line and values;
 * otherwise the first time at each place is reported, and the caller does the best it can.
 */
#ifndef BASE_BUG_H
#define BASE_BUG_H

#include "base/memory/types.h"

#define BUG_UNLESS(ok, ...)                                                                            \
	({                                                                                             \
		static bool is_told_;                                                                  \
		bool is_bug_ = unlikely(!(ok));                                                        \
		if (is_bug_)                                                                           \
			bug__found(&is_told_, __FILE__ ":" BUG_LINE_(__LINE__) ": " #ok, __VA_ARGS__); \
		is_bug_;                                                                               \
	})
#define BUG_LINE_(line) BUG_TEXT_(line)
#define BUG_TEXT_(text) #text

/* Does a bug end the program? The Makefile sets it in sanitizer builds, tests/unit/unit.h in unit tests. */
extern bool bugs_are_fatal;

/*
 * Report a bug; the macro calls this. what: the place and the condition. *is_told: was this place reported
 * before?
 */
void bug__found(bool *is_told, const char *what, const char *fmt, ...) PRINTF(3, 4);

#endif
