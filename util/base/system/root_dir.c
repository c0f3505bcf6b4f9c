#include "base/system/root_dir.h"

#include "base/memory/types.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As in linux/openat2.h, which is younger than the oldest system that perf is built on. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
enum { IN_ROOT = 0x10, NO_MAGIC_LINKS = 0x02 };

int root_dir__open(int root, const char *path, int flags)
{
	const struct {
		u64 flags, mode, resolve;
	} how = { .flags = (u64)(flags | O_CLOEXEC), .resolve = IN_ROOT | NO_MAGIC_LINKS };
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}
