/*
 * Whole files and descriptors: read small files of /proc and /sys, write all of a buffer, parse lists of
 * numbers ("0-3,8").
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/memory/array.h"
#include "base/text/strbuf.h"

typedef ARRAY(int) int_array;

/*
 * Append the content of a regular, /proc or /sys file to sb, at most max bytes (0: 1 GiB). Never opens a
 * device, a fifo or a socket. Return 0, or a negative errno (-EFBIG: more than max; -EINVAL: another kind of
 * file).
 */
int file__read(const char *path, struct strbuf *sb, size_t max);
/* As file__read, from an open descriptor, which stays open. */
int file__read_fd(int fd, struct strbuf *sb, size_t max);
/*
 * Open a regular file (including those of /proc and /sys) for reading. Return a descriptor or a negative
 * errno, -EINVAL for any other kind.
 */
int file__open_regular(const char *path);
/*
 * As file__open_regular, for paths from outside, such as those in a recording or in debug information. Looks
 * at the file before opening it: opening a device may start an action (a watchdog, a tape), and opening a
 * fifo affects its other end. Refuses files of /proc, /sys, tracing ...: reading some is an action
 * (/proc/kmsg, trace_pipe), others never end.
 */
int file__open_plain(const char *path);
bool file__is_plain(const char *path); /* would file__open_plain open it? */
/* As file__read, without the trailing newline. */
int file__read_line(const char *path, struct strbuf *sb);
/* As file__read_line, into an emptied sb, from a path that is formatted as by printf. */
int file__read_linef(struct strbuf *sb, const char *path, ...) PRINTF(2, 3);
int file__read_u64(const char *path, u64 *value); /* decimal, or hexadecimal with 0x */
void file__close(int fd);                         /* unless fd is negative */
/*
 * Create a file without a name, in the folder of path; the caller closes it. path NULL: in the folder for
 * temporary files. Return a descriptor or a negative errno.
 */
int file__open_unnamed(const char *path);
const char *file__temp_dir(void); /* TMPDIR, or /tmp */
/*
 * Return what the link at a path leads to, which the caller frees; the path is formatted as by printf. NULL:
 * it is no link that can be read, with the reason in errno.
 */
char *file__link_target(const char *path, ...) PRINTF(1, 2);
/* Write everything, continuing after EINTR and short writes. Return 0 or a negative errno. */
int file__write_all(int fd, const void *data, size_t size);
int file__write_both(int fd, const void *a, size_t a_size, const void *b, size_t b_size); /* b after a */
int file__pwrite_all(int fd, const void *data, size_t size, u64 offset);
/*
 * Read size bytes at offset. Return the bytes read (fewer only at the end of the file), or a negative errno.
 */
ssize_t file__pread_all(int fd, void *data, size_t size, u64 offset);
/* Read until size bytes or the end. */
ssize_t file__read_all(int fd, void *data, size_t size);

/*
 * Look name up as execvp does; the caller frees *found. Return 0, -ENOENT, or -EACCES: the file is not
 * executable.
 */
int command__find(const char *name, char **found);

typedef ARRAY(char *) name_array;
/*
 * Append the names in the folder at a path that is formatted as by printf, without those that begin with a
 * dot, in the file system's order. names NULL: only look whether the folder can be read. Return 0 or a
 * negative errno.
 */
int folder__names(name_array *names, bool folders_only, const char *path, ...) PRINTF(3, 4);
void name_array__exit(name_array *names);

/*
 * Lock an open file for writing; closing fd releases the lock. Return 0, or -EBUSY: another process holds
 * the lock for a tenth of a second or more. Files that are not regular, and file systems without locks,
 * return 0.
 */
int file__lock(int fd);
/* Is the file locked with file__lock? */
bool file__is_locked(int fd);
/* Is path the file that fd has open? */
bool file__is_at(int fd, const char *path);
/* Are both paths names of one regular file? */
bool file__is_same(const char *a, const char *b);

/* Sort, and remove duplicates. */
void int_list__sort_unique(int_array *list);
bool int_list__has(const int_array *ascending, int value);
/* Parse "0-3,8" into 0 1 2 3 8, sorted and distinct. Return 0; -EINVAL: not a list; -ERANGE: above max. */
int int_list__parse(const char *text, int max, int_array *list);

#endif
