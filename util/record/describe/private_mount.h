/*
 * Hold a file open without keeping its file system from being unmounted: through a copy of the mount that
 * only this program has. The file system itself stays, so this is for those without a device: memory and
 * overlays.
 */
#ifndef RECORD_PRIVATE_MOUNT_H
#define RECORD_PRIVATE_MOUNT_H

#include "base/memory/types.h"

/*
 * Open the regular file that fd has open a second time, through a mount of its own. pid: a process in the
 * mount namespace of the file; 0: it is this program's. Return a descriptor for reading, or a negative
 * errno: the file system has another type, the kernel is older than 5.2, or CAP_SYS_ADMIN is missing. fd
 * stays open.
 */
int private_mount__open(int fd, u32 pid);

#endif
