/*
 * Where an export goes: standard output, or a file that gets its name when it is complete. Packed with gzip
 * where the name ends in .gz or the format asks for it. Write errors are kept until the end.
 */
#ifndef EXPORT_OUT_H
#define EXPORT_OUT_H

#include "base/message/err.h"
#include "base/text/strbuf.h"

struct export_out {
	struct strbuf text; /* append here, then call __flow */
	char *path;         /* NULL: standard output */
	char *temporary;    /* name until the file is complete; NULL: path is no file */
	bool is_unnamed;    /* the file has no name yet */
	int fd;
	int error;  /* negative errno of the first failed write */
	u64 size;   /* bytes written */
	void *gzip; /* z_stream; NULL: not packed */
	u8 *packed; /* EXPORT_OUT_BLOCK bytes */
};

enum { EXPORT_OUT_BLOCK = 1 << 16 };

/* path NULL: standard output. Return 0, or a negative errno with err. */
int export_out__open(struct export_out *o, const char *path, bool gzip, struct err *err);
void export_out__write(struct export_out *o); /* empty text */

/* Call it when there is something in text: writes when there is enough. */
static inline void export_out__flow(struct export_out *o)
{
	if (o->text.len >= EXPORT_OUT_BLOCK)
		export_out__write(o);
}

/*
 * Write the rest, and give the file its name if everything was written and is_good; else remove it.
 * Return 0, or a negative errno with err.
 */
int export_out__close(struct export_out *o, bool is_good, struct err *err);

#endif
