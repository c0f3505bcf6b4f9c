#include "record/describe/private_mount.h"

#include "base/memory/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Not in the headers of older systems. */
#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
enum { TREE_CLONE = 1 };

/* Return a copy of the mount of fd that begins at its file, or a negative errno. */
static int clone_mount(int fd)
{
	int tree = (int)syscall(SYS_open_tree, fd, "", AT_EMPTY_PATH | TREE_CLONE | O_CLOEXEC);

	return tree < 0 ? -errno : tree;
}

struct visit {
	int fd, ns, tree;
};

/* A mount is copied in its own namespace only. This thread ends there, so no other code runs in it. */
static void *visit__run(void *arg)
{
	struct visit *v = arg;

	v->tree = unshare(CLONE_FS) || setns(v->ns, CLONE_NEWNS) ? -errno : clone_mount(v->fd);
	return NULL;
}

static int clone_in_namespace(int fd, u32 pid)
{
	struct visit v = { .fd = fd, .tree = -EAGAIN };
	pthread_t thread;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/ns/mnt", pid);
	v.ns = open(path, O_RDONLY | O_CLOEXEC);
	if (v.ns < 0)
		return -errno;
	if (!pthread_create(&thread, NULL, visit__run, &v))
		pthread_join(thread, NULL);
	close(v.ns);
	return v.tree;
}

static bool has_no_device(int fd)
{
	enum { TMPFS = 0x01021994, OVERLAY = 0x794c7630 };
	struct statfs fs;

	return !fstatfs(fd, &fs) && (fs.f_type == TMPFS || fs.f_type == OVERLAY);
}

int private_mount__open(int fd, u32 pid)
{
	int tree, own;
	char path[32];

	if (!has_no_device(fd))
		return -EOPNOTSUPP;
	tree = pid ? clone_in_namespace(fd, pid) : clone_mount(fd);
	if (tree < 0)
		return tree;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", tree);
	own = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	own = own < 0 ? -errno : own;
	close(tree);
	return own;
}
