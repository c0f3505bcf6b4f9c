#include "base/system/file.h"

#include "base/text/number.h"

#include <dirent.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

int file__open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

/* <linux/magic.h>; not all are in older ones. */
static const u32 made_up_by_kernel[] = {
	0x9fa0,     /* proc */
	0x62656572, /* sysfs */
	0x74726163, /* tracefs */
	0x64626720, /* debugfs */
	0x73636673, /* securityfs */
	0x62656570, /* configfs */
	0xcafe4a11, /* bpf */
	0x27e0eb,   /* cgroup */
	0x63677270, /* cgroup2 */
	0x7655821,  /* resctrl */
	0xf97cff8c, /* selinuxfs */
	0x43415d53, /* smackfs */
	0x6165676c, /* pstore */
	0xde5e81e4, /* efivarfs */
	0x42494e4d, /* binfmt_misc */
	0x19800202, /* mqueue */
};

static bool look_at(const char *path, struct stat *st)
{
	struct statfs fs;

	if (stat(path, st) || statfs(path, &fs))
		return false;
	errno = EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(made_up_by_kernel); i++)
		if ((u32)fs.f_type == made_up_by_kernel[i])
			return false;
	return S_ISREG(st->st_mode);
}

bool file__is_plain(const char *path)
{
	struct stat st;

	return look_at(path, &st);
}

int file__open_plain(const char *path)
{
	struct stat before, st;
	int fd;

	if (!look_at(path, &before))
		return -errno;
	fd = file__open_regular(path);
	if (fd < 0 || (!fstat(fd, &st) && st.st_dev == before.st_dev && st.st_ino == before.st_ino))
		return fd;
	close(fd); /* the path names another file now */
	return -EINVAL;
}

int file__read_fd(int fd, struct strbuf *sb, size_t max)
{
	size_t done = 0;
	struct stat st;

	max = max ? max : (size_t)1 << 30;
	if (!fstat(fd, &st) && st.st_size > 0 && (u64)st.st_size <= max)
		strbuf__grow(sb, (size_t)st.st_size + 1);
	for (;;) {
		ssize_t n;

		strbuf__grow(sb, 4096);
		n = read(fd, sb->buf + sb->len, sb->alloc - sb->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		strbuf__setlen(sb, sb->len + (size_t)n);
		done += (size_t)n;
		if (done > max)
			return -EFBIG;
	}
}

int file__read(const char *path, struct strbuf *sb, size_t max)
{
	int fd = file__open_regular(path), ret;

	if (fd < 0)
		return fd;
	ret = file__read_fd(fd, sb, max);
	close(fd);
	return ret;
}

int file__read_line(const char *path, struct strbuf *sb)
{
	int ret = file__read(path, sb, 0);

	while (sb->len && sb->buf[sb->len - 1] == '\n')
		strbuf__setlen(sb, sb->len - 1);
	return ret;
}

int file__read_linef(struct strbuf *sb, const char *path, ...)
{
	struct strbuf full = STRBUF_INIT;
	va_list ap;
	int ret;

	va_start(ap, path);
	strbuf__vaddf(&full, path, ap);
	va_end(ap);
	strbuf__reset(sb);
	ret = file__read_line(full.buf, sb);
	strbuf__exit(&full);
	return ret;
}

int file__read_u64(const char *path, u64 *value)
{
	struct strbuf sb = STRBUF_INIT;
	int ret = file__read_line(path, &sb);
	char *end;

	if (!ret) {
		errno = 0;
		*value = strtoull(sb.buf, &end, 0);
		if (errno || end == sb.buf || *end)
			ret = -EINVAL;
	}
	strbuf__exit(&sb);
	return ret;
}

/* offset NULL: where the descriptor is. */
static int write_at(int fd, const char *data, size_t size, const u64 *offset)
{
	for (size_t done = 0; done < size;) {
		size_t left = size - done;
		ssize_t n = offset ? pwrite(fd, data + done, left, (off_t)(*offset + done))
				   : write(fd, data + done, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return 0;
}

int file__write_all(int fd, const void *data, size_t size)
{
	return write_at(fd, data, size, NULL);
}

int file__write_both(int fd, const void *a, size_t a_size, const void *b, size_t b_size)
{
	const struct iovec both[] = { { (void *)a, a_size }, { (void *)b, b_size } };
	ssize_t n = writev(fd, both, 2);
	size_t done = n < 0 ? 0 : (size_t)n;
	int ret = n < 0 && errno != EINTR ? -errno : 0;

	if (!ret && done < a_size)
		ret = file__write_all(fd, (const char *)a + done, a_size - done);
	done = MAX(done, a_size) - a_size;
	return ret ? ret : file__write_all(fd, (const char *)b + done, b_size - done);
}

int file__pwrite_all(int fd, const void *data, size_t size, u64 offset)
{
	return write_at(fd, data, size, &offset);
}

static ssize_t read_at(int fd, char *data, size_t size, const u64 *offset)
{
	size_t done = 0;

	while (done < size) {
		size_t left = size - done;
		ssize_t n = offset ? pread(fd, data + done, left, (off_t)(*offset + done))
				   : read(fd, data + done, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

ssize_t file__pread_all(int fd, void *data, size_t size, u64 offset)
{
	return read_at(fd, data, size, &offset);
}

ssize_t file__read_all(int fd, void *data, size_t size)
{
	return read_at(fd, data, size, NULL);
}

void file__close(int fd)
{
	if (fd >= 0)
		close(fd);
}

const char *file__temp_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

int file__open_unnamed(const char *path)
{
	char *temp = path ? xasprintf("%s.XXXXXX", path) : xasprintf("%s/perf-XXXXXX", file__temp_dir());
	int fd = mkostemp(temp, O_CLOEXEC);

	if (fd >= 0)
		unlink(temp);
	else
		fd = -errno;
	free(temp);
	return fd;
}

char *file__link_target(const char *path, ...)
{
	struct strbuf full = STRBUF_INIT;
	char target[PATH_MAX];
	ssize_t n;
	va_list ap;

	va_start(ap, path);
	strbuf__vaddf(&full, path, ap);
	va_end(ap);
	n = readlink(full.buf, target, sizeof(target));
	strbuf__exit(&full);
	return n > 0 && n < (ssize_t)sizeof(target) ? xasprintf("%.*s", (int)n, target) : NULL;
}

/* Readers that look whether there is a writer hold the lock for a moment. */
enum { LOCK_TRIES = 100 };

int file__lock(int fd)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	struct stat st;
	int tries = LOCK_TRIES;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			return 0;
		if (!--tries)
			return -EBUSY;
		nanosleep(&moment, NULL);
	}
	return 0;
}

/*
 * Locks belong to an open file: fd may have one that another program left it (standard input), so open the
 * file again. To read /proc/locks takes 10 ms: the kernel waits until all processors have seen it.
 */
bool file__is_locked(int fd)
{
	char path[64];
	bool is;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fd = file__open_regular(path);
	is = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	file__close(fd);
	return is;
}

bool file__is_at(int fd, const char *path)
{
	struct stat own, named;

	return !fstat(fd, &own) && !stat(path, &named) && own.st_dev == named.st_dev &&
	       own.st_ino == named.st_ino;
}

/* Can path be executed? 0, -EACCES, -ENOENT. */
static int check_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == EACCES ? -EACCES : -ENOENT;
	if (!S_ISREG(st.st_mode) || access(path, X_OK))
		return -EACCES;
	return 0;
}

int command__find(const char *name, char **found)
{
	const char *path = getenv("PATH");
	int ret = -ENOENT;

	if (!*name)
		return -ENOENT;
	if (strchr(name, '/')) {
		ret = check_executable(name);
		if (!ret)
			*found = xstrdup(name);
		return ret;
	}
	for (path = path ? path : "/bin:/usr/bin"; path; path = strchr(path, ':')) {
		struct strbuf full = STRBUF_INIT;
		int error;

		path += *path == ':';
		strbuf__add(&full, path, strcspn(path, ":"));
		strbuf__addf(&full, "%s%s", full.len ? "/" : "./", name);
		error = check_executable(full.buf);
		if (!error) {
			*found = strbuf__detach(&full);
			return 0;
		}
		if (error == -EACCES &&
		    !access(full.buf, F_OK)) /* not a directory without search permission */
			ret = -EACCES;
		strbuf__exit(&full);
	}
	return ret;
}

static bool is_folder(DIR *dir, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return !fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode);
}

int folder__names(name_array *names, bool folders_only, const char *path, ...)
{
	struct strbuf full = STRBUF_INIT;
	struct dirent *entry;
	int ret = 0;
	va_list ap;
	DIR *dir;

	va_start(ap, path);
	strbuf__vaddf(&full, path, ap);
	va_end(ap);
	dir = opendir(full.buf);
	if (!dir)
		ret = -errno;
	while (dir && names && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && (!folders_only || is_folder(dir, entry)))
			array__add(names, xstrdup(entry->d_name));
	if (dir)
		closedir(dir);
	strbuf__exit(&full);
	return ret;
}

void name_array__exit(name_array *names)
{
	for (size_t i = 0; i < names->nr; i++)
		free(names->v[i]);
	array__exit(names);
}

void int_list__sort_unique(int_array *list)
{
	size_t nr = 0;

	if (!list->nr)
		return;
	qsort(list->v, list->nr, sizeof(int), int__compare);
	for (size_t i = 0; i < list->nr; i++)
		if (!nr || list->v[i] != list->v[nr - 1])
			list->v[nr++] = list->v[i];
	list->nr = nr;
}

bool int_list__has(const int_array *ascending, int value)
{
	size_t at = bisect(i, 0, ascending->nr, ascending->v[i] < value);

	return at < ascending->nr && ascending->v[at] == value;
}

static int int_list__parse_one(const char **text, int max, int *value)
{
	u64 x;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	if (!number__take(text, (u64)max, &x))
		return -ERANGE;
	*value = (int)x;
	return 0;
}

int int_list__parse(const char *text, int max, int_array *list)
{
	for (;;) {
		int first, last, ret = int_list__parse_one(&text, max, &first);

		last = first;
		if (!ret && *text == '-') {
			text++;
			ret = int_list__parse_one(&text, max, &last);
		}
		if (ret)
			return ret;
		if (last < first)
			return -EINVAL;
		for (s64 i = first; i <= last; i++) /* s64: last may be INT_MAX */
			array__add(list, (int)i);
		if (!*text)
			break;
		if (*text++ != ',')
			return -EINVAL;
	}
	int_list__sort_unique(list);
	return 0;
}

bool file__is_same(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}
