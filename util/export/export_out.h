/*
 * The output of an export: standard output, or a file that gets its name when it is complete. Output is
 * packed with gzip if the name ends in .gz or the format asks for it. A separate thread packs and writes what
 * does not fit into one block. Write errors are kept until the end.
 */
#ifndef EXPORT_OUT_H
#define EXPORT_OUT_H

#include "base/system/output_file.h"
#include "base/system/parcel_queue.h"

#include <pthread.h>

struct export_out {
	struct strbuf text;         /* append here, then call __flow */
	struct output_file file;    /* path NULL: standard output */
	int error;                  /* negative errno of the first failed write; export_out__error */
	u64 size;                   /* bytes written */
	void *gzip;                 /* z_stream; NULL: not packed */
	u8 *packed;                 /* EXPORT_OUT_BLOCK bytes */
	bool is_threaded;           /* a thread may be started */
	struct parcel_queue *queue; /* to the thread that writes; NULL: it was not started */
	pthread_t writer;
};

enum { EXPORT_OUT_BLOCK = 1 << 16 };

/*
 * Open the output. path NULL: standard output. mode: permissions of a new file. Return 0, or a negative errno
 * with err.
 */
int export_out__open(struct export_out *o, const char *path, mode_t mode, bool gzip, struct err *err);
/* Empty text: it is written, or the thread has it. */
void export_out__write(struct export_out *o);

/* Return the negative errno of a failed write, 0 as long as there was none. The thread may set it later. */
static inline int export_out__error(const struct export_out *o)
{
	return __atomic_load_n(&o->error, __ATOMIC_RELAXED);
}

/* Call it when there is something in text: writes when there is enough. */
static inline void export_out__flow(struct export_out *o)
{
	if (o->text.len >= EXPORT_OUT_BLOCK)
		export_out__write(o);
}

/* Append bytes, of any number: blocks are written on the way. */
void export_out__add(struct export_out *o, const char *bytes, size_t size);

/*
 * Write the rest, and give the file its name if everything was written and is_good; else remove it.
 * Return 0, or a negative errno with err.
 */
int export_out__close(struct export_out *o, bool is_good, struct err *err);

#endif
