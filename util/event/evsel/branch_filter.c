#include "event/evsel/branch_filter.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

/* Bits that only newer headers name; the numbers are ABI (include/uapi/linux/perf_event.h). */
static const struct branch_row {
	const char *name;
	u64 bits;
} branch_rows[] = {
	{ "u", PERF_SAMPLE_BRANCH_USER },
	{ "k", PERF_SAMPLE_BRANCH_KERNEL },
	{ "hv", PERF_SAMPLE_BRANCH_HV },
	{ "any", PERF_SAMPLE_BRANCH_ANY },
	{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL },
	{ "abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX },
	{ "in_tx", PERF_SAMPLE_BRANCH_IN_TX },
	{ "no_tx", PERF_SAMPLE_BRANCH_NO_TX },
	{ "cond", PERF_SAMPLE_BRANCH_COND },
	{ "stack", PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP },
	{ "call", PERF_SAMPLE_BRANCH_CALL },
	{ "no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS },
	{ "no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES },
	{ "save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE },
	{ "hw_index", 1 << 17 },
	{ "priv", 1 << 18 },
	{ "counter", 1 << 19 },
};

const struct word_list branch_kinds = WORD_LIST("branch kind", branch_rows, 0);

int branch_filter__parse(const char *text, size_t len, const char *separators, u64 *filter, const char **bad,
			 size_t *bad_len)
{
	const u64 levels = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV;
	const char *end = text + len;

	*filter = 0;
	for (;;) {
		size_t n = MIN(strcspn(text, separators), (size_t)(end - text));
		int row = word_list__find(&branch_kinds, text, n);

		if (row < 0) {
			*bad = text;
			*bad_len = n;
			return -EINVAL;
		}
		*filter |= branch_rows[row].bits;
		if (text + n >= end)
			break;
		text += n + 1;
	}
	if (!(*filter & ~levels))
		*filter |= PERF_SAMPLE_BRANCH_ANY;
	return 0;
}
