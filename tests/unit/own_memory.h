/* Tests read the memory of a process, mostly this one. */
#ifndef TESTS_OWN_MEMORY_H
#define TESTS_OWN_MEMORY_H

#include "base/memory/types.h"

#include <stdbool.h>
#include <sys/uio.h>
#include <unistd.h>

static inline bool may_read_memory(pid_t pid, void *from)
{
	u8 byte;
	struct iovec here = { &byte, 1 }, there = { from, 1 };

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == 1;
}

static inline bool may_read_own_memory(void *from)
{
	return may_read_memory(getpid(), from);
}

#endif
