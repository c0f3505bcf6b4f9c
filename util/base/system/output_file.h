/*
 * A file that another one does not replace before it is complete: it is written aside, and gets its name at
 * the end. So a failed write, a full disk or a killed program leaves the file that was there. Links are
 * followed, unless they belong to another user.
 */
#ifndef BASE_OUTPUT_FILE_H
#define BASE_OUTPUT_FILE_H

#include "base/message/err.h"

#include <sys/stat.h>

struct output_file {
	int fd;          /* for reading and writing; a device or a pipe: for writing only */
	char *path;      /* as given */
	char *target;    /* the file to replace: path, with links followed; NULL: not a file */
	char *temporary; /* name until the file is complete; NULL: none */
	bool is_unnamed; /* the file has no name yet */
};

#define OUTPUT_FILE_INIT \
	{                \
		.fd = -1 \
	}

/*
 * Open an output. mode: permissions of a new file, as of open: the umask applies; an existing file keeps
 * those of its permissions that mode has, too. A path to a device, a pipe or a descriptor (/dev/stdout) is
 * written as it is. Return 0, or a negative errno with err: then there is nothing to close.
 */
int output_file__open(struct output_file *o, const char *path, mode_t mode, struct err *err);
/*
 * Close the file. is_good: give it its name, in place of an existing file; else remove it. Return 0, or a
 * negative errno with err: then the existing file is as it was.
 */
int output_file__close(struct output_file *o, bool is_good, struct err *err);
/* Write a whole file: open, write, close. Return 0, or a negative errno with err. */
int output_file__write(const char *path, const void *data, size_t size, mode_t mode, struct err *err);

/*
 * Open an output that is written in its place. Links are followed as by output_file__follow; what
 * another user put into a folder that others may write is refused. A FIFO is opened for writing, and
 * must have a reader within some seconds. flags, mode: as of open. Return a descriptor, or a negative
 * errno with err.
 */
int output_file__open_in_place(const char *path, int flags, mode_t mode, struct err *err);
/* May other users than owner write the folder that the path is in? */
bool output_file__is_shared(const char *path, uid_t owner);

/*
 * Return the mode of a file made of an input: only users who may read the input may read it. An input
 * that is not a regular file, such as a pipe, is no limit.
 */
mode_t output_file__mode_of(const struct stat *input);

/*
 * Is it the name of a file that was not complete when its program was killed? On most file systems such files
 * have no name, and nothing is left.
 */
bool output_file__is_temporary(const char *name);

/*
 * Follow the links of a path, whose end need not exist. *target: the end, which the caller frees; NULL on
 * failure. Return 0, or a negative errno with err: -EPERM: a link belongs to another user than this process's
 * and root, who could have any file written.
 */
int output_file__follow(const char *path, char **target, struct err *err);

#endif
