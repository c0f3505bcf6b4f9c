/*
 * A recording of very many processes, cut into partitions, for a pass whose memory must not grow with their
 * number (profile/embed/embed.h). A partition is a run of rounds, read as if it were a recording of its own:
 * after the side-band records of the processes that still ran when it began.
 *
 * Records of a round are not older than those of the round before the previous one. So samples of a partition
 * may depend on the side-band of the first round after it, and an exit counts only two rounds later: the
 * recorder keeps some samples back for a round.
 */
#ifndef PROFILE_PARTITIONS_H
#define PROFILE_PARTITIONS_H

#include "base/message/err.h"
#include "base/memory/array.h"
#include "format/records/sample.h"

struct strbuf;

/* File offsets. UINT64_MAX: the end of the file. */
struct partition {
	u64 begin, end;    /* of its samples */
	u64 side_band_end; /* records from end up to here may be older than its samples */
};
typedef ARRAY(struct partition) partition_array;
/*
 * Append the partitions of a recording, with about so many side-band records each: at least one. A recording
 * that cannot be cut (a directory, a compressed one, with jitdumps, with --tail-synthesize) is one partition,
 * and so is one in which few processes ended. Return 0 or a negative errno with err.
 */
int partitions__find(partition_array *partitions, const char *path, u64 records, struct err *err);

/* The side-band records of processes that still run. */
struct running;
struct running *running__new(void);
void running__delete(struct running *r); /* accepts NULL */
/* Process a record that is not a sample, in file order. */
void running__see(struct running *r, const struct sample_decoder *d, const struct record *rec);
/*
 * Forget processes and threads that ended before the last two rounds. Return the records that are left, and
 * their number in nr.
 */
const struct strbuf *running__records(struct running *r, size_t *nr);

#endif
