/*
 * A summary of a frame of a compressed stream: the number of its samples, and all its other records. A reader
 * need not unpack the frame to know them. A report's first pass needs no more.
 *
 * A summary is a skippable frame (RFC 8878, 3.1.2), which every zstd decoder passes over. It ends the last
 * compressed record of the frame that it describes; its fixed part comes last, where a reader finds it.
 * Stock perf refuses a compressed record that unpacks to nothing, so a summary has no record of its own.
 */
#ifndef FORMAT_FRAME_SUMMARY_H
#define FORMAT_FRAME_SUMMARY_H

#include "base/memory/types.h"
#include "base/text/strbuf.h"

/* In the byte order of the writer. */
struct frame_summary_end {
	u64 nr_samples;
	u64 unpacked_bytes;  /* of all records in the frame */
	u64 nr_packed;       /* compressed records of the frame */
	u64 packed_bytes;    /* bytes of these records, headers and summary included */
	u64 side_band_bytes; /* of the packed side-band records before this, without padding to 8 */
	u64 magic;
};

struct frame_summary {
	u64 nr_samples, unpacked_bytes;
	u64 nr_packed, packed_bytes;
	struct strbuf side_band; /* all records but samples, as in the frame; packed by zstd in a file */
	bool given_up;           /* too many side-band records, or sizes that are not multiples of 8 */
};
#define FRAME_SUMMARY_INIT                \
	{                                 \
		.side_band = STRBUF_INIT, \
	}

void frame_summary__exit(struct frame_summary *s);
/* Begin the summary of another frame. */
void frame_summary__reset(struct frame_summary *s);
/* Note whole records that go into the frame. */
void frame_summary__add(struct frame_summary *s, const void *data, size_t size);
/*
 * Append the skippable frame to out, of at most room bytes and a multiple of 8. nr_packed and packed_bytes
 * describe the frame without it. Return false if there is none: the records are too many.
 */
bool frame_summary__append(const struct frame_summary *s, size_t room, struct strbuf *out);
/*
 * Read the summary at the end of data. Return false if there is none, or if it is not that of packed_bytes of
 * compressed records. s may have had another one. Nothing that it says is checked against the frame.
 */
bool frame_summary__read(struct frame_summary *s, const void *data, size_t size, u64 packed_bytes);
#endif
