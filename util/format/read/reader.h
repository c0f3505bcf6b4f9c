/*
 * Read one recording: a perf.data file, one in pipe mode, standard input, or a data directory.
 *
 * reader__open reads the header, the attrs and the feature table. reader__scan then makes the first pass: it
 * finds the record boundaries, counts records, and shows the caller all records except samples. Later passes
 * return blocks of whole records in stream order. Each block is in the caller's buffer, so several threads
 * may take blocks from one pass, and only the blocks in use are in memory. Records are converted to native
 * byte order, compressed records (COMPRESSED, COMPRESSED2) are replaced by their content, and payloads after
 * AUXTRACE and pipe TRACING_DATA records are skipped.
 *
 * The scan also reads the records about the recording itself (pipe mode: HEADER_ATTR, EVENT_UPDATE,
 * HEADER_FEATURE, HEADER_BUILD_ID ...), so evlist and features are complete only after it. It reads a pipe
 * as it arrives, and copies it to a temporary file for the later passes.
 *
 * Damage (a record of size under 8, one that runs past the end, a broken compressed stream) ends the pass;
 * in a data directory it ends only the damaged file. Whole records before the damage are returned, and
 * reader->damage says what and where. Damage in the header (attrs or data outside the file) is known when
 * the file is opened.
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
	u64 start, end; /* file offsets; end is the file's real end, whatever the header claims */
};

struct reader_opts {
	/*
	 * Number of times the user asked to stop, incremented atomically by a signal handler, or NULL. Each
	 * new request ends the running pass. If that is the scan, the stream ends there for later passes,
	 * too; a pipe gets a few seconds to end by itself, because its recorder has received the same
	 * Ctrl-C.
	 */
	const int *stop;
	/* file offsets: read only the whole records of this part of a plain file; 0 and 0: all */
	u64 begin, end;
	unsigned nr_threads; /* threads for the scan; 0 or 1: none besides the caller's */
	/*
	 * The scan does not unpack compressed frames that have a summary by the recorder. A pass that finds
	 * one wrong or a frame damaged ends with -ESTALE; then open the file again without this.
	 */
	bool trusts_summaries;
	struct progress *progress; /* updated by all passes; NULL: not shown */
};

struct reader {
	struct reader_opts opts;
	const char *path; /* as given; "-" for standard input */
	bool is_pipe;     /* pipe-mode stream */
	bool is_v1;       /* PERFFILE */
	bool needs_swap;
	bool is_dir;
	bool unterminated; /* data size 0: the recorder was killed; read to the last whole record */
	/*
	 * pipe of a patched perf 3.x: types 69 to 81 are header features; set at the first record that
	 * cannot be anything else
	 */
	bool has_old_features;
	bool is_compressed;                              /* has compressed records; known after the scan */
	struct perf_data_header header;                  /* native byte order */
	struct perf_data_section features[FEATURE_BITS]; /* offset and size 0: absent */
	struct extension extension;                      /* of a file; its chunks are inside the file */
	/* Content of a pipe's HEADER_FEATURE records. BUILD_ID: HEADER_BUILD_ID records, also of files. */
	struct strbuf feature_data[FEATURE_LAST];
	u64 features_set[4];
	u8 feature_order[FEATURE_LAST]; /* pipe mode: bits of feature_data as they arrived */
	u32 nr_feature_order;
	struct evlist evlist;
	ARRAY(struct reader_segment) segments;
	u64 file_size;
	s64 mtime;                         /* when the file was written, seconds of the epoch */
	mode_t output_mode;                /* of files that are made of it (base/system/output_file.h) */
	struct err damage;                 /* code 0: none */
	struct err warnings;               /* warnings that do not stop the reading */
	u64 nr_compressed, nr_compressed2; /* COMPRESSED and COMPRESSED2 records; no pass returns these */
	bool first_pass_done;
	int nr_stops; /* requests in *opts.stop that were followed */
	bool stopped; /* the recording was not read to its end */
	struct reader_private *priv;
};

/*
 * Open path ("-": stdin; a pipe that cannot seek is copied to an unlinked temporary file). Return 0 or a
 * negative errno with err.
 */
int reader__open_with(struct reader **r, const char *path, const struct reader_opts *opts, struct err *err);
int reader__open(struct reader **r, const char *path, struct err *err); /* with opts all 0 */
/*
 * Is path a recording, by its first bytes? Also true for a file that cannot be read, so that opening it says
 * why.
 */
bool reader__is_recording(const char *path);
void reader__close(struct reader *r);

struct block;
struct reader_scan_opts {
	bool count_per_event; /* fill by_event below (reads each sample's id) */
	/*
	 * Called for each record except samples, in stream order, by one thread at a time; the evlist then
	 * includes all earlier records. May be NULL.
	 */
	void (*record)(void *ctx, const struct record *r);
	/*
	 * Called for each run of whole records, after record was called for the records in it. b is valid
	 * during the call only; NULL: not all bytes of the run were read. May be NULL.
	 */
	void (*run)(void *ctx, const struct block *b);
	void *ctx;
};
struct record_counts {  /* results of a scan */
	u64 nr_records; /* all, including unknown types */
	u64 nr_unknown; /* of unknown types */
	u64 by_type[RECORD_TYPE_MAX];
	u64 *by_event; /* samples by evsel idx, freed by the caller; NULL: not requested, or no events */
};
/*
 * Make the first pass over all records; call once. Return 0, or a negative errno with err if reading failed.
 * Damage is not an error: it ends the pass.
 */
int reader__scan(struct reader *r, const struct reader_scan_opts *opts, struct record_counts *counts,
		 struct err *err);

/* Return the bytes of the file that a pass reads; 0: not known yet. */
u64 reader__size(const struct reader *r);

struct block {
	u8 *data;
	size_t size;     /* bytes of whole records */
	size_t alloc;    /* of data; the buffer is reused for the next block */
	u64 offset;      /* file offset of data[0] */
	bool compressed; /* all records have the offset above */
	u64 unpacked;    /* compressed: bytes of the blocks before that have this offset */
	u64 payload;     /* bytes skipped after the block's last record */
	u32 segment;     /* index in the reader's segments */
};
#define BLOCK_INIT \
	{          \
		0  \
	}
void block__exit(struct block *b);

/* Iterate over the records of a block: size_t pos = 0; while (block__next(&b, &pos, &r)) ... */
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
/*
 * Get the next block in b; scan first if that was not done. Return 1; 0 at the end; a negative errno if
 * reading failed, or -ESTALE (reader_opts.trusts_summaries). Damage is not an error: it ends the pass.
 * Thread-safe; a single thread gets the blocks in stream order.
 */
int reader_pass__next(struct reader_pass *p, struct block *b, struct err *err);

/*
 * Get the bytes of a feature's section in sb, in the file's byte order. Return 0; -ENOENT: absent; -EBADMSG:
 * outside the file.
 */
int reader__feature(const struct reader *r, enum feature f, struct strbuf *sb);
/*
 * As reader__feature, for the data that this program stores beyond the features. A pipe has none. Also reads
 * files of earlier versions, which used feature bits.
 */
int reader__extension(const struct reader *r, enum extension_kind kind, struct strbuf *sb);
/* Return where that data is in the file; 0: there is none. */
u64 reader__extension_offset(const struct reader *r, enum extension_kind kind);

#endif
