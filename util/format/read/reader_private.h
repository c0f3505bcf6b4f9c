/*
 * Shared by the files of the reader: reader.c opens, reader_scan.c makes the first pass, reader_pass.c the
 * later ones, reader_walk.c finds records one after the other, reader_piece.c in many places at once,
 * reader_frames.c finds the frames of a compressed stream, reader_gather.c reads the records about the
 * recording, reader_stream.c reads input that cannot seek.
 */
#ifndef FORMAT_READER_PRIVATE_H
#define FORMAT_READER_PRIVATE_H

#include "base/memory/hash.h"
#include "base/system/unpack.h"
#include "format/read/reader.h"
#include "format/records/sample.h"

enum {
	READER_EVENTS_MAX = 1 << 14, /* more attrs than any recorder opens */
	BLOCK_SIZE = 256 << 10,      /* bytes read at once */
	RECORD_SIZE_MAX = 1 << 16,
	RECORD_HEADER_SIZE = sizeof(struct perf_event_header),
	/* Types that patched perf 3.x uses for header features in a pipe, from HOSTNAME to PMU_MAPPINGS. */
	OLD_FEATURE_FIRST = 69,
	OLD_FEATURE_LAST = 81,
};
/* How much compressed records may unpack to: a free amount, plus so much per compressed byte. */
enum {
	UNPACKED_RECORDS_FREE = 1 << 16,
	UNPACKED_RECORDS_PER_BYTE = 1,
	UNPACKED_BYTES_FREE = 1 << 30,
	UNPACKED_BYTES_PER_BYTE = 4096,
};
#define PAYLOAD_MAX (1ull << 48) /* bytes after a record: more than any recording has */

/* Whole records next to each other; later passes may cut between ranges. */
struct reader_range {
	u64 offset, payload;
	u32 size, nr_records;
	u32 segment;
	bool packed; /* whole frames of the compressed stream, and the plain records between them */
	/* range_check of the summary that the scan took instead of unpacking the range; 0: it was unpacked */
	u64 check;
};

struct reader_private {
	ARRAY(struct reader_range) ranges; /* not with walk_again */
	/*
	 * later passes walk without ranges: there are compressed records, or too many ranges to keep in
	 * memory
	 */
	bool walk_again;
	struct sample_decoder decoder; /* see reader__decoder; rebuilt when evsels are added */
	size_t decoder_evsels;         /* evsels when it was built */
	ARRAY(char *) paths;           /* owned paths of segments */
	struct reader_stream *stream;  /* of segment 0 while it is arriving; NULL: all has arrived */
};

/* Record the first damage; ignore later damage, which follows from it. */
void reader__damage(struct reader *r, const char *fmt, ...) PRINTF(2, 3);
void reader__vdamage(struct reader *r, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* Add a warning line. */
void reader__warn(struct reader *r, const char *fmt, ...) PRINTF(2, 3);
/* Has the user asked to stop since this last returned true? Call from one thread at a time. */
bool reader__is_stopped(struct reader *r);

/* Update the progress: a pass has reached this place in a segment. */
void reader__step(const struct reader *r, u32 segment, u64 offset, u64 nr_records);

/* Is this a header feature of patched perf 3.x? These are not read. */
static inline bool reader__is_old_feature(const struct reader *r, u32 type)
{
	return r->has_old_features && type >= OLD_FEATURE_FIRST && type <= OLD_FEATURE_LAST;
}

/* Apply features that change the evlist: names and ids from EVENT_DESC, groups from GROUP_DESC. */
void reader__apply_features(struct reader *r);
/* Update the reader from one whole native record of the first pass. compressed: from a compressed record. */
void reader__gather(struct reader *r, const struct record *rec, bool compressed);
/* Call after the last record of the first pass. */
void reader__gather_end(struct reader *r);
/* Return a decoder that is up to date with the evlist. */
const struct sample_decoder *reader__decoder(struct reader *r);

/* ---- streams: reader_stream.c ---- */

struct reader_stream;
/*
 * Take ownership of fd, which cannot seek. Return a descriptor, owned by the caller, of the file that
 * receives all that is read, or a negative errno with err. path must outlive *s.
 */
int reader_stream__new(struct reader_stream **s, int fd, const char *path, struct err *err);
void reader_stream__delete(struct reader_stream *s);
/*
 * Wait for more input and read at most size bytes. Return the number of bytes, 0 at the end, or a negative
 * errno with err. -EINTR: r was told to stop, and the stream did not end soon after.
 */
ssize_t reader_stream__read(struct reader_stream *s, void *data, size_t size, struct reader *r,
			    struct err *err);
/* Read until size bytes in total have arrived, or the end. Return 0 or a negative errno with err. */
int reader_stream__read_until(struct reader_stream *s, u64 size, struct reader *r, struct err *err);
u64 reader_stream__size(const struct reader_stream *s); /* read so far */

/* ---- a walk over all records, by one thread: reader_walk.c ---- */

struct window { /* bytes read but not yet returned */
	u8 *data;
	size_t pos, size, alloc;
};

struct unpacked_totals { /* of compressed records */
	u64 nr_compressed, nr_compressed2;
	u64 packed_bytes, unpacked_bytes, unpacked_records;
};

/* A number that tells whether a summary was right: its totals, and a hash of its side-band records. */
static inline u64 range_check(const struct unpacked_totals *t, u64 side_band)
{
	return hash__bytes(t, sizeof(*t), side_band) | 1;
}

struct walker {
	struct reader *r;
	bool first; /* of the first pass: a request to stop ends the stream here */
	/* 0: walk to the end; else the end of the only range to walk, in which damage sets failed */
	u64 range_end;
	bool failed;
	u32 segment;
	u64 offset; /* position in the segment of the window's first byte, or else of the next byte to read */
	struct window window;

	bool inside; /* in a compressed record; it is in the window, before the rest */
	u64 inside_offset;
	u64 inside_done;               /* bytes of the blocks that were made of it */
	struct unpacker unpacker;      /* of this segment; has the rest of the record's content */
	struct window plain;           /* decompressed */
	struct unpacked_totals totals; /* of all segments */
};

void walker__init(struct walker *w, struct reader *r, bool first);
void walker__exit(struct walker *w);
/*
 * Get the next block, in the file's byte order. Return 1; 0 at the end; a negative errno with err if reading
 * failed.
 */
int walker__next(struct walker *w, struct block *b, struct err *err);
/*
 * Walk a range of whole frames (frames__find_end) instead of all. It is only read: damage is not reported,
 * and not what the user asks. walker__next returns 0 at the end of the range; then failed is whether there
 * was damage or the last frame did not end. w may have walked another range before.
 */
void walker__begin_range(struct walker *w, u32 segment, u64 start, u64 end);
/* Add what another walker has unpacked. Return false, and add nothing, if it is too much. */
bool walker__add_totals(struct walker *w, const struct unpacked_totals *totals);
/*
 * Can the next record be unpacked without those before it? Also go to the next segment if this one has ended.
 */
bool walker__is_between_frames(struct walker *w);
/*
 * Return the offset at which a range of whole frames ends that begins at start, or 0 if no compressed record
 * with the beginning of a frame is there, or if its frames are too large.
 */
u64 frames__find_end(const struct reader_segment *s, u64 start);
/* Continue at an offset of the segment where a record begins. Not inside a compressed record. */
void walker__move(struct walker *w, u64 offset);
/* End the stream here, for later passes, too. */
void walker__cut(struct walker *w);

void block__reserve(struct block *b, size_t size); /* the content is lost */
/* Does a record of this type end a run? Compressed records and those with a payload do. */
static inline bool record_type__ends_run(u32 type)
{
	return type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2 || type == RECORD_AUXTRACE ||
	       type == RECORD_HEADER_TRACING_DATA;
}

#endif
