/*
 * The file or stream under a writer (format/writer.h): where bytes go, what is done about those that do not get
 * there. One thread at a time uses it.
 */
#ifndef FORMAT_DATA_FILE_H
#define FORMAT_DATA_FILE_H

#include "base/err.h"
#include "format/abi.h"

struct data_file {
	int fd;
	bool is_pipe, owns_fd;
	char *path;
	struct perf_data_header header; /* of a file */
	u64 written; /* bytes of records in the file; of a stream: all of it */
	int error;   /* the first one; from then on nothing is appended */
};

/* As writer__open. Whatever it returns, f is for __exit. */
int data_file__open(struct data_file *f, const char *path, bool pipe, struct err *err);
/* Says that ret happened to it. Returns ret. */
int data_file__failed(const struct data_file *f, int ret, struct err *err);
/* Appends to the records, or the stream. 0 or a negative errno, as all that follow. */
int data_file__put(struct data_file *f, const void *data, u64 size);
int data_file__put_header(struct data_file *f);
/* Brings the size of the data in the header up to date. */
int data_file__sync(struct data_file *f);
/* Nothing more can be appended, because of error, which it returns: the header says how much can be read. */
int data_file__give_up(struct data_file *f, int error);
void data_file__exit(struct data_file *f);

#endif
