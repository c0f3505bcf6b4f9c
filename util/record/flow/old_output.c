#include "record/flow/old_output.h"

#include "base/memory/array.h"
#include "base/system/file.h"
#include "base/system/output_file.h"
#include "base/message/msg.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_data_name(const char *name)
{
	if (!strcmp(name, "data"))
		return true;
	return !strncmp(name, "data.", 5) && name[5] && !name[5 + strspn(name + 5, "0123456789")];
}

enum dir_kind {
	DIR_NONE, /* no directory */
	DIR_EMPTY,
	DIR_DATA, /* a data directory without other files */
	DIR_OTHER,
};

static enum dir_kind dir__look(const char *path)
{
	DIR *dir = opendir(path);
	bool has_data = false, has_other = false;
	struct dirent *de;

	if (!dir)
		return DIR_NONE;
	while ((de = readdir(dir))) {
		has_data |= is_data_name(de->d_name);
		has_other |= strcmp(de->d_name, ".") && strcmp(de->d_name, "..") && !is_data_name(de->d_name);
	}
	closedir(dir);
	if (has_other)
		return DIR_OTHER;
	return has_data ? DIR_DATA : DIR_EMPTY;
}

/* Remove the files of a data directory, then the directory. */
static void dir__remove(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *de;

	if (!dir)
		return;
	while ((de = readdir(dir)))
		if (is_data_name(de->d_name))
			unlinkat(dirfd(dir), de->d_name, 0);
	closedir(dir);
	rmdir(path);
}

/*
 * Lock the recording at path, so that no other recorder renames it. Close *fd to release the lock; *fd is -1
 * if there is no file, or it cannot be opened.
 */
static int recording__claim(const char *path, enum dir_kind kind, int *fd, struct err *err)
{
	char *file = kind == DIR_DATA ? xasprintf("%s/data", path) : xstrdup(path);
	int ret = 0;

	*fd = file__open_regular(file);
	if (*fd >= 0 && (file__lock(*fd) || !file__is_at(*fd, file))) {
		ret = err__set(err, -EBUSY, "cannot write '%s': another perf is writing it", path);
		err__advise(err, "name another file with -o, or end the other one first");
	}
	free(file);
	return ret;
}

static int move_away(const char *path, enum dir_kind kind, const char *old, struct err *err)
{
	struct stat st;
	int ret;

	if (dir__look(old) == DIR_DATA)
		dir__remove(old);
	else if (kind == DIR_DATA && !stat(old, &st) && S_ISREG(st.st_mode))
		unlink(old);
	if (!rename(path, old))
		return 0;
	ret = -errno;
	if (!lstat(old, &st) && S_ISDIR(st.st_mode)) {
		err__set(err, ret, "cannot keep the existing '%s' as '%s', which is a folder", path, old);
		err__advise(err, "move the folder or the recording away, or name another file with -o");
		return ret;
	}
	warning("cannot keep the existing '%s' as '%s': %s", path, old, strerror(-ret));
	return 0;
}

int old_output__keep(const char *path, struct err *err)
{
	enum dir_kind kind = dir__look(path);
	int fd = -1, old_fd = -1, ret;
	struct stat st;
	char *old;

	if (stat(path, &st) || (S_ISDIR(st.st_mode) ? kind != DIR_DATA : !S_ISREG(st.st_mode) || !st.st_size))
		return 0;
	old = xasprintf("%s.old", path);
	ret = recording__claim(path, kind, &fd, err);
	if (!ret)
		ret = recording__claim(old, dir__look(old), &old_fd, err);
	if (!ret)
		ret = move_away(path, kind, old, err);
	file__close(fd);
	file__close(old_fd);
	free(old);
	return ret;
}

/* An empty folder that another user has put where others may write: that user could replace its files. */
static int refuse_foreign(const char *path, struct err *err)
{
	char *target;
	struct stat st;
	int ret = output_file__follow(path, &target, err);

	if (!ret && !lstat(target, &st) && st.st_uid && st.st_uid != geteuid() &&
	    output_file__is_shared(target, st.st_uid)) {
		ret = err__set(err, -EPERM, "cannot write '%s': the folder belongs to another user (id %u)",
			       path, st.st_uid);
		err__advise(err, "name another one with -o");
	}
	free(target);
	return ret;
}

int old_output__make_dir(const char *path, struct err *err)
{
	enum dir_kind kind = dir__look(path);
	char *target;
	int ret;

	if (kind == DIR_DATA) /* renaming it failed */
		dir__remove(path);
	if (!mkdir(path, 0700))
		return 0;
	ret = -errno;
	if (ret == -EEXIST && kind == DIR_EMPTY)
		return refuse_foreign(path, err);
	target = file__link_target("%s", path);
	if (kind == DIR_NONE && target)
		err__set(err, ret, "cannot make the data directory '%s': a link to '%s' has that name", path,
			 target);
	else if (kind == DIR_OTHER)
		err__set(err, ret,
			 "'%s' is a directory of other things, and no recording: name another one with -o",
			 path);
	else
		err__set(err, ret, "cannot make the data directory '%s': %s", path, err__str(ret));
	free(target);
	return ret;
}
