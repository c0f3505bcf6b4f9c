/*
 * A piece of a long run of plain records, which can be walked before its first record boundary is known.
 *
 * Threads walk pieces of a file in parallel. Only all records before a piece tell where its first record
 * begins. So each thread guesses: it takes the first offset from which a chain of headers makes sense. The
 * caller joins the pieces, compares each guess with the end of the piece before, and walks a piece again if
 * the guess was wrong (a stack copy may contain anything, even records). A wrong guess costs only time.
 *
 * Samples are only counted; all other records of the piece are kept until the next run. If records are large
 * (stack copies), only their headers are read.
 *
 * The walk ends before anything that is not plain: damage, a size that is not a multiple of 8, a compressed
 * record, or a record with a payload after it.
 */
#ifndef FORMAT_READER_PIECE_H
#define FORMAT_READER_PIECE_H

#include "format/file/frame_summary.h"
#include "format/read/reader_private.h"

enum {
	PIECE_SIZE = 256 << 10,
	PIECE_SPARSE = 16 << 10,   /* mean bytes per record from which piece.sparse pays */
	PIECE_KEPT_MAX = 16 << 20, /* bytes of unpacked records to keep */
};

struct piece_source {
	int fd;
	u64 end;                              /* end of the readable bytes */
	const struct sample_decoder *decoder; /* counts samples by event; NULL: not requested */
	size_t nr_events;                     /* of the decoder */
};

struct kept_record {
	u64 offset; /* in the file */
	size_t pos; /* in piece.data */
};

struct piece {
	u64 offset, limit; /* file offsets; records that begin in this range belong to the piece */
	bool sparse;       /* read headers only */
	bool filled;       /* data has all bytes of the piece; when it is packed, all unpacked records */
	/* file offsets of the first record (UINT64_MAX: none found) and of the end of the last one */
	u64 first, end;
	bool stuck; /* the record at end is not plain, or cannot be unpacked */
	int ret;    /* negative errno if reading failed */
	u64 nr_records;
	u64 by_type[RECORD_TYPE_MAX]; /* including types without a name */
	u64 nr_unknown;               /* of types not in by_type */
	ARRAY(u64) by_event;          /* samples by evsel idx, if requested */
	ARRAY(struct kept_record) kept;
	struct unpacked_totals totals; /* of a packed piece */
	u64 check;                     /* as in struct reader_range */
	u8 *data;                      /* in buffer */
	size_t size;                   /* of data */
	u8 *buffer;
	size_t alloc; /* of buffer */
};
#define PIECE_INIT \
	{          \
		0  \
	}

void piece__exit(struct piece *p);
/* Start another piece in p, of at most PIECE_SIZE bytes. sparse: read headers only, if that seems to pay. */
void piece__start(struct piece *p, u64 offset, u64 limit, bool sparse);
/* Walk the piece from a guessed first record. */
void piece__guess(struct piece *p, const struct piece_source *src);
/* Walk the piece from start, the offset of a record between offset and limit. */
void piece__walk(struct piece *p, const struct piece_source *src, u64 start);

/*
 * Unpack the piece, a range of whole frames, and walk what is in it. Samples are kept, too, as long as they
 * are few. w and b are for this and later pieces. If it cannot be unpacked, or has what the walker must
 * handle, the piece is stuck at its beginning.
 */
void piece__unpack(struct piece *p, const struct piece_source *src, struct walker *w, u32 segment,
		   struct block *b);

/*
 * Fill the piece, a range of whole frames, from the recorder's summary of it
 * (format/file/frame_summary.h). s is for this and later pieces. Return false if there is none, or if not all
 * of it can be used.
 */
bool piece__summarize(struct piece *p, const struct piece_source *src, struct frame_summary *s);

/*
 * Remove the guessed records before start, where the piece before turned out to end: bytes that look like
 * records may precede the real ones. Return false if no guessed record begins at start; the piece must be
 * walked again.
 */
bool piece__drop_front(struct piece *p, const struct piece_source *src, u64 start);

#endif
