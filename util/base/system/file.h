/*
 * Whole files and descriptors: reading small files of /proc and /sys, writing all of a
 * buffer, lists of numbers ("0-3,8").
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/memory/array.h"
#include "base/text/strbuf.h"

typedef ARRAY(int) int_array;

/*
 * Appends the content of a regular, /proc or /sys file to sb, at most max bytes (0: 1 GiB).
 * Never opens a device, a fifo or a socket. 0, or a negative errno (-EFBIG: more than max; -EINVAL: not such
 * a file).
 */
int file__read(const char *path, struct strbuf *sb, size_t max);
/* The same from an open descriptor, which stays open. */
int file__read_fd(int fd, struct strbuf *sb, size_t max);
/* Opens a regular file (what /proc and /sys have counts) for reading; a negative errno, -EINVAL for any other
 * kind. */
int file__open_regular(const char *path);
/*
 * The same for paths that come from outside: a recording, a binary's debug information. It is looked at
 * before it is opened, since opening a device may do something (a watchdog, a tape), and so does opening a
 * fifo for who waits at the other end. Files that the kernel makes up (/proc, /sys, tracing...) are none
 * either: reading some is an action (/proc/kmsg, trace_pipe), and others never end.
 */
int file__open_plain(const char *path);
bool file__is_plain(const char *path); /* whether that would open it */
/* As file__read, and the trailing newline is cut. */
int file__read_line(const char *path, struct strbuf *sb);
int file__read_u64(const char *path, u64 *value); /* decimal, or hexadecimal with 0x */
/* Writes everything, going on after EINTR and short writes. 0 or a negative errno. */
int file__write_all(int fd, const void *data, size_t size);
int file__pwrite_all(int fd, const void *data, size_t size, u64 offset);
/* Reads size bytes at offset; returns the bytes read, fewer only at the end of the file, or a negative errno.
 */
ssize_t file__pread_all(int fd, void *data, size_t size, u64 offset);
/* Reads until size bytes or the end. */
ssize_t file__read_all(int fd, void *data, size_t size);

/*
 * Takes the lock of an open file for writing; the lock ends when fd is closed. 0, or -EBUSY: somebody else
 * holds the lock. Only regular files have one: all others, and file systems without locks, are 0.
 */
int file__lock(int fd);
/* Whether path names the file that fd has open. */
bool file__is_at(int fd, const char *path);

/* Ascending, and each number once. */
void int_list__sort_unique(int_array *list);
bool int_list__has(const int_array *list, int value);
/* "0-3,8" -> 0 1 2 3 8, sorted and unique. -EINVAL on anything else, -ERANGE above max. */
int int_list__parse(const char *text, int max, int_array *list);

#endif
