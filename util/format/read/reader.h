/*
 * Reading one recording: a perf.data file, one in pipe mode, standard input, or a data directory.
 *
 * reader__open reads the header, the attrs and the feature table. reader__scan then makes the first pass: it
 * finds where records begin, counts them, and shows the caller all but the samples. Later passes yield blocks
 * of whole records in stream order, each block in a buffer of the caller's, so that several threads may take
 * blocks from one pass and no more of the file is in memory than the blocks in use. Bytes are brought into
 * native byte order, compressed records (COMPRESSED, COMPRESSED2) are replaced by their content, payloads
 * behind AUXTRACE and pipe TRACING_DATA records are skipped.
 *
 * The scan also gathers what the stream says about the recording itself (pipe mode: HEADER_ATTR,
 * EVENT_UPDATE, HEADER_FEATURE, HEADER_BUILD_ID ...), so evlist and features are complete only after it. It
 * reads a pipe as it arrives, into a temporary file for the later passes.
 *
 * Damage (a record of size under 8, one that runs past the end, a broken compressed stream) ends
 * the pass, in a data directory only the file with the damage: every whole record before it has been yielded,
 * and reader->damage says what and where. Damage in the header (attrs or data outside the file) is known at
 * once.
 */
#ifndef FORMAT_READER_H
#define FORMAT_READER_H

#include "base/message/err.h"
#include "base/command/progress.h"
#include "event/evsel/evsel.h"
#include "format/file/extension.h"
#include "format/records/record.h"

#include <pthread.h>

struct reader_segment { /* a run of records in one open file */
	int fd;
	const char *path;
	u64 start, end; /* file offsets; end is what exists, whatever the header claims */
};

struct reader_opts {
	/*
	 * How often the user asked to stop, counted atomically by a signal handler; NULL: nobody can. The
	 * first time ends the pass that is running. If that is the scan, the stream ends there for later
	 * passes too; only a pipe is given a few seconds to end by itself, as its recorder has heard the same
	 * Ctrl-C.
	 */
	const int *stop;
	unsigned nr_threads;       /* that the scan may use; 0 as 1: none of its own */
	struct progress *progress; /* of all passes; NULL: not shown */
};

struct reader {
	struct reader_opts opts;
	const char *path; /* as given; "-" for standard input */
	bool is_pipe;     /* pipe-mode stream */
	bool is_v1;       /* PERFFILE */
	bool needs_swap;
	bool is_dir;
	bool unterminated;     /* data size 0: the recorder was killed; read to the last whole record */
	bool has_old_features; /* pipe of patched perf 3.x: types 69 to 81 are header features; known from the
				  first of them that cannot be anything else */
	bool is_compressed;    /* there are compressed records; known after the scan, as the next line */
	struct perf_data_header header;                  /* native byte order */
	struct perf_data_section features[FEATURE_BITS]; /* size 0 and offset 0: absent */
	struct extension extension;                      /* of a file; chunks inside of it */
	/* Content of a pipe's HEADER_FEATURE records; BUILD_ID: HEADER_BUILD_ID records, of files, too. */
	struct strbuf feature_data[FEATURE_LAST];
	u64 features_set[4];
	u8 feature_order[FEATURE_LAST]; /* pipe mode: bits of feature_data as they arrived */
	u32 nr_feature_order;
	struct evlist evlist;
	ARRAY(struct reader_segment) segments;
	u64 file_size;
	s64 mtime;                         /* when the file was written, seconds of the epoch */
	struct err damage;                 /* code 0: none */
	struct err warnings;               /* lines for the user that do not stop the reading */
	u64 nr_compressed, nr_compressed2; /* COMPRESSED and COMPRESSED2 records, which no pass yields */
	bool first_pass_done;
	int nr_stops; /* of *opts.stop, that have been followed */
	bool stopped; /* not everything was read */
	struct reader_private *priv;
};

/* Opens path ("-": stdin; a pipe that cannot seek is spooled to an unlinked temporary file). 0 or a negative
 * errno with err. */
int reader__open_with(struct reader **r, const char *path, const struct reader_opts *opts, struct err *err);
int reader__open(struct reader **r, const char *path, struct err *err); /* opts all 0 */
void reader__close(struct reader *r);

struct block;
struct reader_scan_opts {
	bool count_per_event; /* fill by_event below (costs a look at each sample's id) */
	/* Called for each record but samples, in stream order, by one thread at a time; the evlist knows what
	 * stood before. NULL: not wanted. */
	void (*record)(void *ctx, const struct record *r);
	/*
	 * Called for each run of whole records, after record was for those in it. b is good during the call;
	 * NULL: the run's bytes were not all read. NULL: not wanted.
	 */
	void (*run)(void *ctx, const struct block *b);
	void *ctx;
};
struct record_counts {  /* what a scan counted */
	u64 nr_records; /* all, of unknown types too */
	u64 nr_unknown; /* of types nobody knows */
	u64 by_type[RECORD_TYPE_MAX];
	u64 *by_event; /* samples by evsel idx, the caller's to free; NULL: not asked for, or no events */
};
/* The first pass over all records; to be made once. 0 or a negative errno with err: reading failed (not
 * damage, which is an end). */
int reader__scan(struct reader *r, const struct reader_scan_opts *opts, struct record_counts *counts,
		 struct err *err);

/* Bytes that a pass goes through, in the file; 0: nobody knows yet. */
u64 reader__size(const struct reader *r);

struct block {
	u8 *data;
	size_t size;     /* bytes of whole records */
	size_t alloc;    /* of data; buffer is reused from block to block */
	u64 offset;      /* file offset of data[0] */
	u64 seq;         /* blocks of a pass are numbered 0, 1, 2 ... in stream order */
	bool compressed; /* every record has the offset above */
	u64 payload;     /* bytes skipped behind the block's last record */
	u32 segment;     /* which of the reader's segments it is from */
};
#define BLOCK_INIT \
	{          \
		0  \
	}
void block__exit(struct block *b);

/* Walks the records of a block: size_t pos = 0; while (block__next(&b, &pos, &r)) ... */
static inline bool block__next(const struct block *b, size_t *pos, struct record *r)
{
	const struct perf_event_header *h;

	if (*pos >= b->size)
		return false;
	h = (const struct perf_event_header *)(const void *)(b->data + *pos);
	r->header = h;
	r->offset = b->compressed ? b->offset : b->offset + *pos;
	*pos += h->size;
	r->payload = *pos >= b->size ? b->payload : 0;
	return true;
}

struct reader_pass;
struct reader_pass *reader_pass__new(struct reader *r);
void reader_pass__delete(struct reader_pass *p);
/* 1: b holds the next block; 0: end; negative errno: reading failed (not damage, which is an end).
 * Thread-safe. What was not scanned yet is scanned first. */
int reader_pass__next(struct reader_pass *p, struct block *b, struct err *err);

/* Bytes of a feature's section, native or not as in the file: 0 and *sb filled; -ENOENT absent; -EBADMSG
 * outside the file. */
int reader__feature(const struct reader *r, enum feature f, struct strbuf *sb);
/*
 * The same for what this program has stored beyond the features. A pipe has none. Also reads files of earlier
 * versions, which used feature bits for that.
 */
int reader__extension(const struct reader *r, enum extension_kind kind, struct strbuf *sb);

#endif
