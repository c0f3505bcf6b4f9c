/*
 * The file or stream under a writer (format/writer.h): where bytes go, what is done about those that do not get
 * there. One thread at a time uses it.
 */
#ifndef FORMAT_DATA_FILE_H
#define FORMAT_DATA_FILE_H

#include "base/err.h"
#include "base/strbuf.h"
#include "format/abi.h"
#include "format/zstd.h"

enum {
	DATA_FILE_BLOCK = 1 << 20,	 /* bytes of records that are compressed at a time, at most */
	DATA_FILE_UNPACKED_MAX = 2 << 20, /* what a reader must have room for: a block and a cut record in front */
};

struct data_file {
	int fd;
	bool is_pipe, owns_fd;
	char *path;
	struct perf_data_header header; /* of a file */
	u64 written; /* bytes of records in the file; of a stream: all of it */
	u64 unpacked; /* bytes of these records before they were compressed */
	int error;   /* the first one; from then on nothing is appended */
	struct zstd_stream *zstd; /* NULL: records are written as they are */
	struct strbuf packed;
};

/* As writer__open; level: of compression, 0: none. Whatever it returns, f is for __exit. */
int data_file__open(struct data_file *f, const char *path, bool pipe, int level, struct err *err);
/* Says that ret happened to it. Returns ret. */
int data_file__failed(const struct data_file *f, int ret, struct err *err);
/* Appends to the records, or the stream, as it is. 0 or a negative errno, as all that follow. */
int data_file__put(struct data_file *f, const void *data, u64 size);
/* Appends records, compressed if that is wanted. */
int data_file__put_records(struct data_file *f, const void *data, u64 size);
int data_file__put_header(struct data_file *f);
/* Brings the size of the data in the header up to date. */
int data_file__sync(struct data_file *f);
/* Nothing more can be appended, because of error, which it returns: the header says how much can be read. */
int data_file__give_up(struct data_file *f, int error);
void data_file__exit(struct data_file *f);

#endif
