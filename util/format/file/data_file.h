/*
 * The file or stream under a writer (format/write/writer.h): writes bytes, and handles failed writes. One
 * thread at a time uses it.
 *
 * A file is complete after each __sync: the feature table follows the records, and the header has the size
 * of the records and the feature bits. Before records overwrite the table, the bits are cleared, so at any
 * other moment it is a file without features. The extension section (format/file/extension.h) follows the
 * features. Its locator is valid only while there are bits.
 */
#ifndef FORMAT_DATA_FILE_H
#define FORMAT_DATA_FILE_H

#include "base/memory/array.h"
#include "base/system/output_file.h"
#include "base/text/strbuf.h"
#include "format/records/abi.h"
#include "format/file/extension.h"
#include "format/file/frame_summary.h"
#include "format/file/zstd.h"

enum {
	/*
	 * bytes of records that are compressed at a time: whole records that always fit into one compressed
	 * record; a single record may be larger
	 */
	DATA_FILE_PIECE = 60 << 10,
	/*
	 * packed bytes after which a frame of the compressed stream ends: readers unpack several frames at a
	 * time. A new frame costs up to 8 KiB, because the compressor forgets the data before it.
	 */
	DATA_FILE_FRAME = 1 << 20,
	DATA_FILE_UNPACKED_MAX = 256 << 10, /* bytes that a reader must have room for, and more */
};

struct data_feature {
	enum feature id;
	u64 offset; /* file offset of its content before the records; 0: it follows the table */
	void *data; /* NULL: it is in the file already */
	size_t size;
};

struct data_chunk { /* a chunk of the extension section */
	enum extension_kind kind;
	struct strbuf content;
};

struct data_file {
	int fd;
	bool is_pipe, owns_fd;
	bool has_no_header; /* set after __open: the file has records only, from its first byte */
	char *path;
	struct perf_data_header header;      /* of a file, as last written */
	ARRAY(struct data_feature) features; /* by id */
	ARRAY(struct data_chunk) chunks;
	struct extension_locator locator; /* as last written */
	/* offsets of two record boundaries in the records; the second one is some way after the first */
	u64 marks[2];
	u64 written;                /* bytes of records in the file; a stream counts all bytes */
	u64 unpacked;               /* bytes of these records before they were compressed */
	int error;                  /* the first error; after it nothing is appended */
	struct output_file aside;   /* the file, if __name gives it its name; path NULL: it has its name */
	bool is_linked;             /* the file has, or had, a name */
	bool is_gone;               /* another program removed the name */
	bool is_cut;                /* another program has truncated the file */
	int level;                  /* of compression */
	struct zstd_stream *zstd;   /* NULL: not compressed */
	struct frame_summary frame; /* of the frame that has not ended yet */
	struct strbuf packed;
};

/*
 * As writer__open, with these options of it. Call __exit in any case: it releases the file's lock, and
 * removes a file that is written aside and has no name yet. -EBUSY: another writer has the lock.
 */
int data_file__open(struct data_file *f, const char *path, bool is_pipe, bool is_aside, int compression,
		    struct err *err);
/* Give a complete file that was written aside its name. Return 0, or a negative errno with err. */
int data_file__name(struct data_file *f, struct err *err);
/* Store the error ret, and return it. */
int data_file__failed(const struct data_file *f, int ret, struct err *err);
/*
 * Append bytes to the records, or to the stream, uncompressed. Return 0 or a negative errno, as do all
 * functions below.
 */
int data_file__put(struct data_file *f, const void *data, u64 size);
/* Append records, compressed if the file is. */
int data_file__put_records(struct data_file *f, const void *data, u64 size);
/* Set a feature for the next __sync; it replaces one of its kind. */
void data_file__feature(struct data_file *f, enum feature id, const void *data, size_t size);
/* Set a chunk of the extension section. Streams have none. */
void data_file__extension(struct data_file *f, enum extension_kind kind, const void *data, size_t size);
/* Write table and header. After a failed write, features replace the last records if there is no room. */
int data_file__sync(struct data_file *f);
/* Set the COMPRESSED feature: how much was compressed. In a stream it has only what is known beforehand. */
void data_file__tell_compression(struct data_file *f);
void data_file__exit(struct data_file *f);

#endif
