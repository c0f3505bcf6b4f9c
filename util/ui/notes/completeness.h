/* How much of a recording a report has: the same for all user interfaces. */
#ifndef UI_COMPLETENESS_H
#define UI_COMPLETENESS_H

#include "profile/gather/profile.h"

struct completeness {
	u64 lost_records;  /* side-band records, or records of unknown kind */
	u64 lost_samples;  /* each counted once */
	u64 malformed;     /* records */
	u64 unknown_event; /* samples whose id belongs to no event */
	bool is_whole;     /* the recording was read to its end */
	const char *end;   /* how the reading ended, for people: "not truncated" */
};

struct completeness completeness__of(const struct profile *p);

#endif
