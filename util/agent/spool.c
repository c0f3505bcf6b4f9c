#include "agent/spool.h"

#include "base/system/clock.h"
#include "base/system/file.h"
#include "base/system/output_file.h"
#include "base/text/strbuf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".slice"
#define ASIDE ".aside" /* follows the name of a slice */

enum { NAME_DIGITS = 20 };

static char *spool__path(const struct spool *s, const char *name)
{
	return xasprintf("%s/%s", s->opts->folder, name);
}

/* Remove what a process that was killed has left half written. */
static void spool__remove_parts(const struct spool *s)
{
	DIR *dir = opendir(s->opts->folder);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (output_file__is_temporary(entry->d_name))
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
}

static void spool__read_untold(struct spool *s)
{
	struct strbuf text = STRBUF_INIT;
	char *path = spool__path(s, "dropped");

	s->untold = file__read(path, &text, NAME_DIGITS + 1) ? 0 : strtoull(text.buf, NULL, 10);
	strbuf__exit(&text);
	free(path);
}

static int check_owner(const char *folder, const struct stat *st, struct err *err)
{
	int ret;

	if (!st->st_uid || st->st_uid == geteuid())
		return 0;
	ret = err__set(err, -EPERM,
		       "'%s' belongs to user id %u: the spool must be a folder of the agent's user", folder,
		       st->st_uid);
	err__advise(err, "choose another --spool, or a name that does not exist yet");
	return ret;
}

/* A link is followed, such as those that systemd makes, unless it is another user's. */
static int check_folder(const char *folder, struct err *err)
{
	struct stat st;
	int ret;

	if (lstat(folder, &st))
		return err__set(err, -errno, "cannot open '%s': %s", folder, strerror(errno));
	ret = check_owner(folder, &st, err);
	if (!ret && stat(folder, &st))
		ret = err__set(err, -errno, "cannot open '%s': %s", folder, strerror(errno));
	if (!ret && !S_ISDIR(st.st_mode))
		ret = err__set(err, -ENOTDIR, "'%s' is not a folder", folder);
	if (!ret)
		ret = check_owner(folder, &st, err);
	if (!ret && st.st_mode & (S_IWGRP | S_IWOTH)) {
		ret = err__set(err, -EPERM,
			       "others may write into '%s', from which the agent sends what it finds",
			       folder);
		err__advise(err, "chmod 700 %s, or choose another --spool", folder);
	}
	return ret;
}

/* A lock of the process, unlike flock(): children do not have it, so it ends when the process is killed. */
static bool take_lock(int fd)
{
	const struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return !fcntl(fd, F_SETLK, &whole);
}

int spool__open(struct spool *s, const struct spool_opts *opts, struct err *err)
{
	char *lock;
	int ret;

	*s = (struct spool){ .opts = opts, .lock = -1 };
	if (mkdir(opts->folder, 0700) && errno != EEXIST)
		return err__set(err, -errno, "cannot make the folder '%s': %s", opts->folder,
				strerror(errno));
	ret = check_folder(opts->folder, err);
	if (ret)
		return ret;
	lock = spool__path(s, "lock");
	s->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (s->lock < 0)
		ret = err__set(err, -errno, "cannot write '%s': %s", lock, strerror(errno));
	else if (!take_lock(s->lock))
		ret = err__set(err, -EBUSY, "another agent uses the folder '%s': choose another --spool",
			       opts->folder);
	free(lock);
	if (ret)
		spool__close(s);
	else {
		spool__remove_parts(s);
		spool__read_untold(s);
	}
	return ret;
}

void spool__close(struct spool *s)
{
	file__close(s->lock);
	s->lock = -1;
}

void spool_paths__exit(spool_paths *paths)
{
	for (size_t i = 0; i < paths->nr; i++)
		free(paths->v[i]);
	array__exit(paths);
}

static bool is_named(const char *name, const char *suffix)
{
	return strspn(name, "0123456789") == NAME_DIGITS && !strcmp(name + NAME_DIGITS, suffix);
}

static int path__compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *spool__set_aside(const char *path)
{
	char *aside = xasprintf("%s" ASIDE, path);

	if (!rename(path, aside))
		return aside;
	free(aside);
	return NULL;
}

/* aside: list slices that were set aside; else those that wait. */
static void spool__list_kind(struct spool *s, bool aside, spool_paths *paths)
{
	DIR *dir = opendir(s->opts->folder);
	const struct dirent *entry;
	struct stat st;

	s->nr_waiting = s->size = 0;
	while (dir && (entry = readdir(dir))) {
		bool waits = is_named(entry->d_name, SUFFIX);

		if ((!waits && !is_named(entry->d_name, SUFFIX ASIDE)) ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		s->nr_waiting += waits;
		s->size += (u64)st.st_size;
		s->last = MAX(s->last, (u64)strtoull(entry->d_name, NULL, 10));
		if (waits == !aside)
			array__add(paths, spool__path(s, entry->d_name));
	}
	if (dir)
		closedir(dir);
	if (paths->nr)
		qsort(paths->v, paths->nr, sizeof(*paths->v), path__compare);
}

void spool__list(struct spool *s, spool_paths *paths)
{
	spool__list_kind(s, false, paths);
}

/* Remove the oldest files of a kind until there is room for size bytes. Return how many. */
static u64 spool__remove(struct spool *s, bool aside, u64 size)
{
	spool_paths paths = { 0 };
	struct stat st;
	u64 nr = 0;

	spool__list_kind(s, aside, &paths);
	for (size_t i = 0; i < paths.nr && s->size + size > s->opts->size; i++) {
		if (stat(paths.v[i], &st) || unlink(paths.v[i]))
			continue;
		s->size -= MIN((u64)st.st_size, s->size);
		nr++;
	}
	spool_paths__exit(&paths);
	return nr;
}

/* Make room for size bytes. Return false if the new slice is to be dropped. */
static bool spool__make_room(struct spool *s, u64 size, u64 *nr_dropped)
{
	spool__remove(s, true, size); /* these were counted when they were set aside */
	if (!s->opts->drops_newest)
		*nr_dropped += spool__remove(s, false, size);
	return s->size + size <= s->opts->size;
}

static int copy_to(int to, int fd, u64 size)
{
	off_t at = 0;

	while ((u64)at < size) {
		ssize_t n = sendfile(to, fd, &at, size - (u64)at);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			return -EIO;
	}
	return 0;
}

/* Names must be in order, also if the clock is set back. */
static char *spool__new_path(struct spool *s)
{
	struct timespec now;
	char name[64];

	clock_gettime(CLOCK_REALTIME, &now);
	s->last = MAX(timespec__ns(&now), s->last + 1);
	snprintf(name, sizeof(name), "%0*" PRIu64 SUFFIX, NAME_DIGITS, (uint64_t)s->last);
	return spool__path(s, name);
}

int spool__add(struct spool *s, int fd, u64 *nr_dropped, struct err *err)
{
	struct output_file out;
	struct stat st;
	char *path;
	int ret, closed;

	*nr_dropped = 0;
	if (fstat(fd, &st) || !spool__make_room(s, (u64)st.st_size, nr_dropped)) {
		++*nr_dropped;
		return 0;
	}
	path = spool__new_path(s);
	ret = output_file__open(&out, path, 0600, NULL);
	if (!ret) {
		ret = copy_to(out.fd, fd, (u64)st.st_size);
		closed = output_file__close(&out, !ret, NULL);
		ret = ret ? ret : closed;
	}
	if (ret) {
		++*nr_dropped;
		err__set(err, ret, "cannot write '%s': %s", path, err__str(ret));
	}
	free(path);
	return ret;
}

/* ---- dropped slices ---- */

static void spool__write_untold(const struct spool *s)
{
	char *path = spool__path(s, "dropped"), text[32];
	int size = snprintf(text, sizeof(text), "%" PRIu64 "\n", (uint64_t)s->untold);

	output_file__write(path, text, (size_t)size, 0600, NULL);
	free(path);
}

void spool__note_dropped(struct spool *s, u64 nr)
{
	if (!nr)
		return;
	s->untold += nr;
	spool__write_untold(s);
}

void spool__tell(struct spool *s, u64 nr)
{
	if (!nr)
		return;
	s->untold -= MIN(nr, s->untold);
	spool__write_untold(s);
}
