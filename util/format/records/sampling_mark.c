#include "format/records/sampling_mark.h"

static u64 attr__mark(const struct perf_event_attr *attr)
{
	return attr->sigtrap ? 0 : attr->sig_data;
}

bool attr__is_varied(const struct perf_event_attr *attr)
{
	u64 mark = attr__mark(attr);

	return mark == VARIED_MARK || mark == MERGED_VARIED_MARK;
}

bool attr__is_merged(const struct perf_event_attr *attr)
{
	u64 mark = attr__mark(attr);

	return mark == MERGED_MARK || mark == MERGED_VARIED_MARK;
}

void attr__mark_varied(struct perf_event_attr *attr)
{
	attr->sig_data = VARIED_MARK;
}

void attr__mark_merged(struct perf_event_attr *attr, bool varied)
{
	attr->sig_data = varied ? MERGED_VARIED_MARK : MERGED_MARK;
}
