/*
 * A piece of a long run of plain records, walked before it is known where its first record begins.
 *
 * Threads that walk pieces of a file side by side cannot know where a record begins behind a piece's start:
 * that follows from all records before. So each guesses: the first place from which a chain of headers makes
 * sense. Whoever puts the pieces together compares each guess with where the piece before did end, and has a
 * piece walked again whose guess was wrong (a stack copy may hold anything, records too). Nothing depends on
 * guesses but the time.
 *
 * Samples are counted and forgotten; all other records of the piece are kept until the next run. Where
 * records are large (stack copies), only their headers are read.
 *
 * The walk ends in front of what is not plain: damage, a size that is no multiple of 8, compressed records,
 * records with bytes behind them.
 */
#ifndef FORMAT_READER_PIECE_H
#define FORMAT_READER_PIECE_H

#include "format/records/sample.h"

enum {
	PIECE_SIZE = 256 << 10,
	PIECE_SPARSE = 16 << 10, /* bytes of a mean record from which on piece.sparse pays */
};

struct piece_source {
	int fd;
	u64 end;                              /* of what may be read */
	const struct sample_decoder *decoder; /* to count samples by event; NULL: that is not asked for */
	size_t nr_events;                     /* of the decoder */
};

struct kept_record {
	u64 offset; /* in the file */
	size_t pos; /* in piece.data */
};

struct piece {
	u64 offset, limit; /* file offsets: records that begin here belong to it */
	bool sparse;       /* read headers only */
	bool filled;       /* data has all of it */
	u64 first, end;    /* file offsets of its first record, UINT64_MAX when none was found, and behind its
			      last one */
	bool stuck;        /* what stands at end is not plain */
	int ret;           /* reading failed: a negative errno */
	u64 nr_records;
	u64 by_type[RECORD_TYPE_MAX]; /* of types without a name, too */
	u64 nr_unknown;               /* of higher types */
	ARRAY(u64) by_event;          /* samples by evsel idx, when asked for */
	ARRAY(struct kept_record) kept;
	u8 *data;    /* in buffer */
	size_t size; /* of data */
	u8 *buffer;
	size_t alloc; /* of buffer */
};
#define PIECE_INIT \
	{          \
		0  \
	}

void piece__exit(struct piece *p);
/* Makes p another piece: at most PIECE_SIZE bytes. sparse: where that seems to be worth it, read headers
 * only. */
void piece__start(struct piece *p, u64 offset, u64 limit, bool sparse);
/* Walks the piece from where it guesses its first record to be. */
void piece__guess(struct piece *p, const struct piece_source *src);
/* Walks it from start, a file offset between offset and limit where a record begins. */
void piece__walk(struct piece *p, const struct piece_source *src, u64 start);

/*
 * Takes back the first records of a guess, up to start, where the piece in front has been found to end: bytes
 * that look like records may stand in front of real ones. False if start is not where a record of the guess
 * begins; walk again then.
 */
bool piece__drop_front(struct piece *p, const struct piece_source *src, u64 start);

#endif
