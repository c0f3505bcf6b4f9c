/*
 * What the files of the reader share: reader.c opens, reader_scan.c makes the first pass, reader_pass.c the
 * later ones, reader_walk.c finds records one after the other, reader_piece.c in many places at once,
 * reader_gather.c learns from them, reader_stream.c reads what cannot seek.
 */
#ifndef FORMAT_READER_PRIVATE_H
#define FORMAT_READER_PRIVATE_H

#include "base/system/unpack.h"
#include "format/read/reader.h"
#include "format/records/sample.h"

enum {
	READER_EVENTS_MAX = 1 << 14, /* more attrs than any recorder opens */
	BLOCK_SIZE = 256 << 10,      /* bytes that are read at once */
	RECORD_SIZE_MAX = 1 << 16,
	RECORD_HEADER_SIZE = sizeof(struct perf_event_header),
	/* Types that patched perf 3.x uses for header features in a pipe, from HOSTNAME to PMU_MAPPINGS. */
	OLD_FEATURE_FIRST = 69,
	OLD_FEATURE_LAST = 81,
};
/* What compressed records may unpack to: so much in any case, and so much for each of their bytes. */
enum {
	UNPACKED_RECORDS_FREE = 1 << 16,
	UNPACKED_RECORDS_PER_BYTE = 1,
	UNPACKED_BYTES_FREE = 1 << 30,
	UNPACKED_BYTES_PER_BYTE = 4096,
};
#define PAYLOAD_MAX (1ull << 48) /* bytes after a record: more than any recording has */

/* Whole records next to each other: where later passes may cut. */
struct reader_range {
	u64 offset, payload;
	u32 size, nr_records;
	u32 segment;
};

struct reader_private {
	ARRAY(struct reader_range) ranges; /* unless walk_again */
	bool walk_again; /* later passes have no ranges: compressed records, or more ranges than are worth
			    their memory */
	struct sample_decoder decoder; /* see reader__decoder; rebuilt as evsels appear */
	size_t decoder_evsels;         /* evsels when it was built */
	ARRAY(char *) paths;           /* owned paths of segments */
	struct reader_stream *stream;  /* of segment 0, while it is still arriving; NULL: all is there */
};

/* Notes the first damage; later ones are its consequences. */
void reader__damage(struct reader *r, const char *fmt, ...) PRINTF(2, 3);
/* Adds a line of warning. */
void reader__warn(struct reader *r, const char *fmt, ...) PRINTF(2, 3);
/* Whether the user has asked to stop since this was last true. One thread at a time. */
bool reader__is_stopped(struct reader *r);

/* Leaves for the progress line that a pass has come to this place in a segment. */
void reader__step(const struct reader *r, u32 segment, u64 offset, u64 nr_records);

/* Whether a record of the type is a header feature of patched perf 3.x, which is not read. */
static inline bool reader__is_old_feature(const struct reader *r, u32 type)
{
	return r->has_old_features && type >= OLD_FEATURE_FIRST && type <= OLD_FEATURE_LAST;
}

/* Features that change what the evlist says: names and ids from EVENT_DESC, groups from GROUP_DESC. */
void reader__apply_features(struct reader *r);
/* Learns from one whole native record of the first pass. compressed: it was inside a compressed one. */
void reader__gather(struct reader *r, const struct record *rec, bool compressed);
/* After the last record of the first pass. */
void reader__gather_end(struct reader *r);
/* A decoder that is up to date with the evlist. */
const struct sample_decoder *reader__decoder(struct reader *r);

/* ---- streams: reader_stream.c ---- */

struct reader_stream;
/* Takes fd, which cannot seek. Returns a descriptor of all that will have been read, the caller's, or a
 * negative errno with err. path must outlive it. */
int reader_stream__new(struct reader_stream **s, int fd, const char *path, struct err *err);
void reader_stream__delete(struct reader_stream *s);
/*
 * Reads what arrives next, at most size bytes. Waits for it. The bytes read, 0 at the end, or a negative
 * errno with err: -EINTR when r was told to stop and the stream has not ended soon after.
 */
ssize_t reader_stream__read(struct reader_stream *s, void *data, size_t size, struct reader *r,
			    struct err *err);
/* Reads until size bytes in all have arrived, or the end. 0 or a negative errno with err. */
int reader_stream__read_until(struct reader_stream *s, u64 size, struct reader *r, struct err *err);
u64 reader_stream__size(const struct reader_stream *s); /* read so far */

/* ---- a walk over all records, by one thread: reader_walk.c ---- */

struct window { /* bytes that are read but not yet yielded */
	u8 *data;
	size_t pos, size, alloc;
};

struct walker {
	struct reader *r;
	bool first; /* of the first pass: what is asked to stop ends the stream here */
	u32 segment;
	u64 offset; /* in the segment: of the window's first byte, or of the next one to read */
	struct window window;
	u64 seq; /* of the next block */

	bool inside; /* a compressed record; its content stands in the window, in front of the rest */
	u64 inside_offset;
	struct unpacker unpacker; /* of this segment; holds what is left of the record's content */
	struct window plain;      /* decompressed */
	u64 nr_compressed, nr_compressed2;
	/* of compressed records so far, of all segments */
	u64 packed_bytes, unpacked_bytes, unpacked_records;
};

void walker__init(struct walker *w, struct reader *r, bool first);
void walker__exit(struct walker *w);
/* The next block, in the file's byte order. 1; 0: end; a negative errno with err: reading failed. */
int walker__next(struct walker *w, struct block *b, struct err *err);
/* Goes on at an offset of the segment where a record begins. Not inside a compressed record. */
void walker__move(struct walker *w, u64 offset);
/* Makes the stream end here, for later passes too. */
void walker__cut(struct walker *w);

void block__reserve(struct block *b, size_t size); /* its content goes */
/* Whether the type is one that ends a run of records: compressed ones, and those with bytes behind them. */
static inline bool record_type__ends_run(u32 type)
{
	return type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2 || type == RECORD_AUXTRACE ||
	       type == RECORD_HEADER_TRACING_DATA;
}

#endif
