/* What fuzz targets share. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "base/system/file.h"
#include "base/memory/types.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a file that has a path. */
static inline int fuzz__file(const void *data, size_t size, char path[64])
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd < 0 || file__pwrite_all(fd, data, size, 0))
		abort();
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

enum { FUZZ_STREAM_MAX = 1 << 20 }; /* bytes, as much as a pipe holds */

/* Standard input becomes a pipe that has all of the bytes. False: they are too many. */
static inline bool fuzz__stream(const uint8_t *data, size_t size)
{
	int fds[2];
	bool fits;

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		abort();
	(void)fcntl(fds[1], F_SETPIPE_SZ, FUZZ_STREAM_MAX);
	fits = write(fds[1], data, size) == (ssize_t)size;
	close(fds[1]);
	if (fcntl(fds[0], F_SETFL, 0) || dup2(fds[0], STDIN_FILENO) < 0)
		abort();
	close(fds[0]);
	return fits;
}

/* Reads what is said to be there, so that sanitizers see it. */
static inline void fuzz__touch(const void *p, size_t size)
{
	static volatile uint8_t sink;

	for (size_t i = 0; i < size; i++)
		sink = (uint8_t)(sink + ((const uint8_t *)p)[i]);
}

#endif
