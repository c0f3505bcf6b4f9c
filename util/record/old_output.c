#include "record/old_output.h"

#include "base/array.h"
#include "base/msg.h"

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
	DIR_NONE, /* no directory at all */
	DIR_EMPTY,
	DIR_DATA,  /* a data directory, and nothing else in it */
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

/* A data directory's files, then itself. */
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

void old_output__keep(const char *path)
{
	enum dir_kind kind = dir__look(path);
	char *old;
	struct stat st;

	if (stat(path, &st) || (S_ISDIR(st.st_mode) ? kind != DIR_DATA : !S_ISREG(st.st_mode) || !st.st_size))
		return;
	old = xasprintf("%s.old", path);
	if (dir__look(old) == DIR_DATA)
		dir__remove(old);
	else if (kind == DIR_DATA && !stat(old, &st) && S_ISREG(st.st_mode))
		unlink(old);
	if (rename(path, old))
		warning("cannot keep the existing '%s' as '%s': %s", path, old, strerror(errno));
	free(old);
}

int old_output__make_dir(const char *path, struct err *err)
{
	enum dir_kind kind = dir__look(path);
	int ret;

	if (kind == DIR_DATA) /* it could not be kept */
		dir__remove(path);
	if (!mkdir(path, 0700) || (errno == EEXIST && kind == DIR_EMPTY))
		return 0;
	ret = -errno;
	if (kind == DIR_OTHER)
		err__set(err, ret, "'%s' is a directory of other things, and no recording: name another one with -o", path);
	else
		err__set(err, ret, "cannot make the data directory '%s': %s", path, err__str(ret));
	return ret;
}
