/*
 * The file or stream under a writer (format/write/writer.h): where bytes go, what is done about those that do
 * not get there. One thread at a time uses it.
 *
 * A file is complete after each __sync: behind the records stands the table of the features, and the header
 * has the size of the records and the features' bits. Before records are written over the table, the bits are
 * taken back, so that at any other moment it is a file without features. The extension section
 * (format/file/extension.h) follows the features. Its locator counts only while there are bits.
 */
#ifndef FORMAT_DATA_FILE_H
#define FORMAT_DATA_FILE_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "base/text/strbuf.h"
#include "format/records/abi.h"
#include "format/file/extension.h"
#include "format/file/zstd.h"

enum {
	/*
	 * bytes of records that are compressed at a time, at most: no record is cut, and they fit into one
	 * record, whatever they are; a single record may be larger
	 */
	DATA_FILE_PIECE = 60 << 10,
	DATA_FILE_UNPACKED_MAX = 256 << 10, /* what a reader must have room for, and more */
};

struct data_feature {
	enum feature id;
	u64 offset; /* of its content, in front of the records; 0: it follows the table */
	void *data; /* NULL: it is in the file */
	size_t size;
};

struct data_chunk { /* of the extension section */
	enum extension_kind kind;
	struct strbuf content;
};

struct data_file {
	int fd;
	bool is_pipe, owns_fd;
	bool has_no_header; /* set behind __open: it holds records only, from its beginning on */
	char *path;
	struct perf_data_header header;      /* of a file, as it is there */
	ARRAY(struct data_feature) features; /* by id */
	ARRAY(struct data_chunk) chunks;
	struct extension_locator locator; /* as it is in the file */
	u64 marks[2];   /* bytes of records: where one began; the last is some way behind the other */
	u64 written;    /* bytes of records in the file; of a stream: all of it */
	u64 unpacked;   /* bytes of these records before they were compressed */
	int error;      /* the first one; from then on nothing is appended */
	bool is_linked; /* it has a name, or had one ... */
	bool is_gone;   /* ... until somebody removed it */
	int level;
	struct zstd_stream *zstd; /* NULL: records are written as they are */
	struct strbuf packed;
};

/*
 * As writer__open; level: of compression, 0: none. Whatever it returns, the caller calls __exit, which
 * releases the file's lock. -EBUSY: another writer has the lock.
 */
int data_file__open(struct data_file *f, const char *path, bool pipe, int level, struct err *err);
/* Says that ret happened to it. Returns ret. */
int data_file__failed(const struct data_file *f, int ret, struct err *err);
/* Appends to the records, or the stream, as it is. 0 or a negative errno, as all that follow. */
int data_file__put(struct data_file *f, const void *data, u64 size);
/* Appends records, compressed if that is wanted. */
int data_file__put_records(struct data_file *f, const void *data, u64 size);
/* A feature, to be part of the next __sync; it replaces one of its kind. */
void data_file__feature(struct data_file *f, enum feature id, const void *data, size_t size);
/* The same for a chunk of the extension section. Streams have none. */
void data_file__extension(struct data_file *f, enum extension_kind kind, const void *data, size_t size);
/*
 * Brings table and header up to date. After an earlier failure: as far as there is room; records at the end
 * make way for features.
 */
int data_file__sync(struct data_file *f);
/* How much of the zstd stream is there: the COMPRESSED feature. Of a stream: what is known beforehand. */
void data_file__tell_compression(struct data_file *f);
void data_file__exit(struct data_file *f);

#endif
