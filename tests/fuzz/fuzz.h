/* What fuzz targets share. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "base/system/file.h"
#include "base/memory/types.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

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

/* Reads what is said to be there, so that sanitizers see it. */
static inline void fuzz__touch(const void *p, size_t size)
{
	static volatile uint8_t sink;

	for (size_t i = 0; i < size; i++)
		sink = (uint8_t)(sink + ((const uint8_t *)p)[i]);
}

#endif
