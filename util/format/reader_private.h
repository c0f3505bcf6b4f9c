/* What the files of the reader share: reader.c opens, reader_pass.c reads records, reader_gather.c learns
 * from them. */
#ifndef FORMAT_READER_PRIVATE_H
#define FORMAT_READER_PRIVATE_H

#include "format/reader.h"
#include "format/sample.h"

enum { READER_EVENTS_MAX = 1 << 14 }; /* more attrs than any recorder opens */

/* A block that the first pass found: where later passes may cut. */
struct reader_range {
	u64 offset, payload;
	u32 size;
	u32 segment;
};

struct reader_private {
	ARRAY(struct reader_range) ranges; /* unless walk_again */
	bool walk_again; /* later passes have no ranges: compressed records, or more ranges than are worth
			    their memory */
	struct sample_decoder decoder; /* to swap foreign samples; rebuilt as evsels appear */
	size_t decoder_evsels;         /* evsels when it was built */
	u64 nr_gathered;               /* records that the first pass, or part of one, has learnt from */
	ARRAY(char *) paths;           /* owned paths of segments */
};

/* Notes the first damage; later ones are its consequences. */
void reader__damage(struct reader *r, const char *fmt, ...) PRINTF(2, 3);
/* Adds a line of warning. */
void reader__warn(struct reader *r, const char *fmt, ...) PRINTF(2, 3);

/* Features that change what the evlist says: names and ids from EVENT_DESC, groups from GROUP_DESC. */
void reader__apply_features(struct reader *r);
/* Learns from one whole native record of the first pass. segment: the open file it is from. */
void reader__gather(struct reader *r, const struct record *rec);
/* After the last record of the first pass. */
void reader__gather_end(struct reader *r);
/* The decoder for foreign samples, up to date with the evlist. */
const struct sample_decoder *reader__decoder(struct reader *r);

#endif
