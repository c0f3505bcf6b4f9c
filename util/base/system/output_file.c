#include "base/system/output_file.h"

#include "base/memory/mem.h"
#include "base/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TEMPORARY_PREFIX ".perf-"

enum {
	LINKS_MAX = 40,         /* of one path, as of the kernel */
	FIFO_WAIT_MS = 3000,    /* for the reader of a FIFO */
	FIFO_LOOK_EVERY_MS = 10 /* whether it has come */
};

/* Return the folder of a path, with '/' at its end, to be freed. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xasprintf("%.*s", (int)(slash - path) + 1, path) : xstrdup("./");
}

/* Is the path, a link, a name of one of this process's descriptors? */
static bool is_descriptor(const char *path)
{
	char *own = xasprintf("/proc/%d/fd", (int)getpid()), *folder = folder_of(path);
	char *real = realpath(folder, NULL);
	bool is = real && !strcmp(real, own);

	free(real);
	free(folder);
	free(own);
	return is;
}

static int refuse_link(const char *link, uid_t owner, const char *path, struct err *err)
{
	int ret = err__set(err, -EPERM, "cannot write '%s': the link '%s' belongs to another user (id %u)",
			   path, link, owner);

	err__advise(err, "name the file that it leads to with -o, or another one");
	return ret;
}

/* Replace the path of a link by where it leads to. Return 0; 1: not a link; or a negative errno with err. */
static int follow_one(char **at, const char *path, struct err *err)
{
	char target[PATH_MAX], *next;
	const char *slash = strrchr(*at, '/');
	struct stat st;
	ssize_t len;

	if (lstat(*at, &st) || !S_ISLNK(st.st_mode) || is_descriptor(*at))
		return 1;
	if (st.st_uid && st.st_uid != geteuid())
		return refuse_link(*at, st.st_uid, path, err);
	len = readlink(*at, target, sizeof(target));
	if (len <= 0 || len == (ssize_t)sizeof(target))
		return err__set_output(err, len < 0 ? -errno : -ENAMETOOLONG, path);
	next = xasprintf("%.*s%.*s", slash && *target != '/' ? (int)(slash - *at) + 1 : 0, *at, (int)len,
			 target);
	free(*at);
	*at = next;
	return 0;
}

/* Set err for a path whose target (path itself, if it is no link) could not be opened. */
static int set_error(struct err *err, int ret, const char *path, const char *target)
{
	if (ret != -ENOENT || !strcmp(path, target))
		return err__set_output(err, ret, path);
	err__set(err, ret, "cannot write '%s': it is a link to '%s', whose folder does not exist", path,
		 target);
	err__advise(err, "create the folder, remove the link, or name another file with -o");
	return ret;
}

bool output_file__is_shared(const char *path, uid_t owner)
{
	char *folder = folder_of(path);
	struct stat st;
	bool is_shared = !stat(folder, &st) && (st.st_mode & S_IWOTH) && st.st_uid != owner;

	free(folder);
	return is_shared;
}

/*
 * In a folder that others may write, do not write what another user has put there: its owner reads it.
 * Nor a hard link, which may be any file. (as fs.protected_regular, fs.protected_fifos and
 * fs.protected_hardlinks of the kernel, which may be off)
 */
static int refuse_foreign(const struct stat *st, const char *target, const char *path, struct err *err)
{
	bool is_ours = !st->st_uid || st->st_uid == geteuid(),
	     is_linked = S_ISREG(st->st_mode) && st->st_nlink > 1;
	int ret;

	if ((!S_ISREG(st->st_mode) && !S_ISFIFO(st->st_mode)) || (is_ours && !is_linked) ||
	    !output_file__is_shared(target, is_ours ? (uid_t)-1 : st->st_uid))
		return 0;
	if (is_ours)
		ret = err__set(err, -EPERM,
			       "cannot write '%s': it is a hard link, in a folder that others may write",
			       path);
	else
		ret = err__set(
			err, -EPERM,
			"cannot write '%s': it belongs to another user (id %u), in a folder that others "
			"may write",
			path, st->st_uid);
	err__advise(err, "remove it, or name another file with -o");
	return ret;
}

static bool is_interrupted(void)
{
	sigset_t pending;

	return !sigpending(&pending) && (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM));
}

/*
 * Open a FIFO for writing only: a process that also reads it is not told when its reader has gone. Wait
 * a moment for a reader, or for a signal, which may be blocked.
 */
static int open_fifo(const char *path)
{
	const struct timespec moment = { .tv_nsec = FIFO_LOOK_EVERY_MS * 1000000L };
	int fd;

	for (unsigned ms = 0;; ms += FIFO_LOOK_EVERY_MS) {
		fd = open(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			break;
		if (errno != ENXIO || ms >= FIFO_WAIT_MS)
			return -errno;
		if (nanosleep(&moment, NULL) || is_interrupted())
			return -EINTR;
	}
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

/* Open the end of a path's links. Return a descriptor, or a negative errno with err. */
static int open_target(const char *target, const char *path, int flags, mode_t mode, struct err *err)
{
	struct stat st;
	bool is_there = !lstat(target, &st), is_link = is_there && S_ISLNK(st.st_mode);
	bool is_fifo = is_there && S_ISFIFO(st.st_mode);
	int fd, ret = is_there ? refuse_foreign(&st, target, path, err) : 0;

	if (ret)
		return ret;
	/* a link that is left is a descriptor's */
	fd = is_fifo ? open_fifo(target)
		     : open(target, flags | O_CLOEXEC | O_NOCTTY | (is_link ? 0 : O_NOFOLLOW), mode);
	if (fd < 0 && is_fifo && fd == -ENXIO) {
		err__set(err, fd, "cannot write '%s': it is a FIFO, and no program reads it", path);
		err__advise(err, "start its reader first, or name another file with -o");
		return fd;
	}
	if (fd < 0)
		return set_error(err, is_fifo ? fd : -errno, path, target);
	/* it may have been replaced since it was looked at */
	ret = !is_link && !fstat(fd, &st) ? refuse_foreign(&st, target, path, err) : 0;
	if (ret)
		close(fd);
	return ret ? ret : fd;
}

int output_file__open_in_place(const char *path, int flags, mode_t mode, struct err *err)
{
	char *target;
	int ret = output_file__follow(path, &target, err);

	if (!ret)
		ret = open_target(target, path, flags, mode, err);
	free(target);
	return ret;
}

int output_file__follow(const char *path, char **target, struct err *err)
{
	char *at = xstrdup(path);
	int ret = 0;

	for (unsigned i = 0; !ret && i <= LINKS_MAX; i++)
		ret = follow_one(&at, path, err);
	if (!ret)
		ret = err__set_output(err, -ELOOP, path);
	*target = ret > 0 ? at : NULL;
	if (ret < 0)
		free(at);
	return MIN(ret, 0);
}

/*
 * An existing file keeps what it had of mode. A file of another group than this process's is not shown to
 * this process's group.
 */
static int keep_mode(int fd, const struct stat *st, mode_t mode)
{
	if (fchown(fd, (uid_t)-1, st->st_gid))
		mode &= 0707;
	return fchmod(fd, st->st_mode & mode) ? -errno : 0;
}

mode_t output_file__mode_of(const struct stat *input)
{
	mode_t read = input->st_mode & 044;

	if (!S_ISREG(input->st_mode))
		return 0666;
	if (input->st_gid != getegid()) /* the new file's group may read what others may */
		read = (read & 04) | (read & 04) << 3;
	return 0600 | read | read >> 1;
}

bool output_file__is_temporary(const char *name)
{
	size_t size = strlen(name);

	return !strncmp(name, TEMPORARY_PREFIX, sizeof(TEMPORARY_PREFIX) - 1) && size > 5 &&
	       !strcmp(name + size - 5, ".part");
}

/*
 * Open a file without a name in the folder of the target, so that nothing is left if the program is killed;
 * where the file system has no such files, one that is renamed.
 */
static int open_aside(struct output_file *o, mode_t mode)
{
	static unsigned count;
	char *folder = folder_of(o->target), link[32];

	o->temporary = xasprintf("%s" TEMPORARY_PREFIX "%d-%u.part", folder, (int)getpid(),
				 __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED));
	o->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
	free(folder);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", o->fd);
	o->is_unnamed = o->fd >= 0 && !access(link, F_OK);
	if (o->is_unnamed)
		return 0;
	file__close(o->fd);
	unlink(o->temporary); /* of a process that was killed */
	o->fd = open(o->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	return o->fd < 0 ? -errno : 0;
}

static int open_file(struct output_file *o, mode_t mode)
{
	struct stat st;
	bool is_new = stat(o->target, &st) != 0;
	int ret;

	if (!is_new && faccessat(AT_FDCWD, o->target, W_OK, AT_EACCESS))
		return -errno;
	ret = open_aside(o, mode);
	return ret || is_new ? ret : keep_mode(o->fd, &st, mode);
}

static void output_file__free(struct output_file *o)
{
	free(o->path);
	free(o->target);
	free(o->temporary);
	*o = (struct output_file)OUTPUT_FILE_INIT;
}

/*
 * A device or a pipe is written as it is: it cannot be renamed. A copy of a descriptor goes on where the
 * descriptor's file ends.
 */
static int open_other(struct output_file *o, bool is_own, struct err *err)
{
	if (is_own)
		o->fd = fcntl(atoi(strrchr(o->target, '/') + 1), F_DUPFD_CLOEXEC, 0);
	else
		o->fd = open_target(o->target, o->path, O_WRONLY, 0, err);
	if (o->fd < 0 && is_own)
		err__set_output(err, -errno, o->path);
	free(o->target);
	o->target = NULL;
	return MIN(o->fd, 0);
}

int output_file__open(struct output_file *o, const char *path, mode_t mode, struct err *err)
{
	struct stat st;
	bool is_own;
	int ret;

	*o = (struct output_file)OUTPUT_FILE_INIT;
	ret = output_file__follow(path, &o->target, err);
	if (ret)
		return ret;
	o->path = xstrdup(path);
	is_own = !lstat(o->target, &st) && S_ISLNK(st.st_mode);
	if (is_own || (!stat(o->target, &st) && !S_ISREG(st.st_mode))) {
		ret = open_other(o, is_own, err);
	} else {
		ret = open_file(o, mode);
		if (ret)
			set_error(err, ret, path, o->target);
	}
	if (ret)
		output_file__close(o, false, NULL);
	return ret;
}

/* Give the complete file its name. */
static int output_file__name(struct output_file *o)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", o->fd);
	if (o->is_unnamed && linkat(AT_FDCWD, link, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW))
		return -errno;
	o->is_unnamed = false;
	return rename(o->temporary, o->target) ? -errno : 0;
}

int output_file__close(struct output_file *o, bool is_good, struct err *err)
{
	bool closes_first = !o->is_unnamed;
	int ret = 0;

	/* Network file systems may write, and fail, in close. */
	if (closes_first && o->fd >= 0 && close(o->fd))
		ret = -errno;
	if (!ret && is_good && o->temporary)
		ret = output_file__name(o);
	if (o->temporary && !o->is_unnamed && (!is_good || ret))
		unlink(o->temporary);
	if (!closes_first)
		close(o->fd);
	if (ret)
		err__set_output(err, ret, o->path);
	output_file__free(o);
	return ret;
}

int output_file__write(const char *path, const void *data, size_t size, mode_t mode, struct err *err)
{
	struct output_file o;
	int ret = output_file__open(&o, path, mode, err), closed;

	if (ret)
		return ret;
	ret = file__write_all(o.fd, data, size);
	if (ret)
		err__set_output(err, ret, path);
	closed = output_file__close(&o, !ret, err);
	return ret ? ret : closed;
}
