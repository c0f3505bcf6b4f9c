#include "binary/symbols/perf_map.h"

#include "base/system/file.h"
#include "base/system/root_dir.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 8 }; /* on the way to a file */

static bool parse_number(const char *text, u64 *value, char **end)
{
	if (!isxdigit((unsigned char)*text)) /* strtoull would accept spaces and signs */
		return false;
	errno = 0;
	*value = strtoull(text, end, 16);
	return !errno && **end == ' ';
}

/* Parse a "START SIZE NAME" line; numbers in hex, with or without 0x. */
static bool parse_line(const char *line, u64 *start, u64 *size, const char **name)
{
	char *end;

	if (!parse_number(line, start, &end) || !parse_number(end + 1, size, &end))
		return false;
	*name = end + 1;
	return **name != '\0';
}

int perf_map__parse(struct symtab *t, const char *text, size_t size)
{
	const char *p = text, *end = text + size;
	struct strbuf line = STRBUF_INIT;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((nl ? nl : end) - p);
		const char *name;
		u64 start, bytes;

		strbuf__reset(&line);
		strbuf__add(&line, p, len);
		if (len && parse_line(line.buf, &start, &bytes, &name) && bytes && start + bytes > start)
			symtab__add(t, start, bytes, name, SYMBOL_GLOBAL);
		p += len + 1;
	}
	strbuf__exit(&line);
	if (!t->syms.nr)
		return -EINVAL;
	t->source = "perf map";
	symtab__finish_by_age(t);
	return 0;
}

static bool perf_map__owner_may_be(u32 uid, u32 owner)
{
	return uid == (u32)PERF_MAP_OF_ANYBODY || owner == uid || owner == 0 || owner == geteuid();
}

/*
 * Open what a path names, a link itself. root: a folder that links do not lead out of, or AT_FDCWD. Return a
 * descriptor or a negative errno.
 */
static int open_at(int root, const char *path, int flags)
{
	char *plain;
	int fd;

	flags |= O_NOFOLLOW | O_CLOEXEC;
	if (root != AT_FDCWD) {
		fd = root_dir__open(root, path, flags);
		if (fd != -ENOSYS && fd != -EPERM)
			return fd;
		plain = xasprintf("/proc/self/fd/%d%s", root, path);
		fd = open(plain, flags);
		free(plain);
	} else {
		fd = open(path, flags);
	}
	return fd < 0 ? -errno : fd;
}

/* Return the path that an open link leads to, to be freed, or NULL with errno. path: that of the link. */
static char *target_of(int link, const char *path)
{
	const char *slash = strrchr(path, '/');
	char text[PATH_MAX];
	ssize_t n = readlinkat(link, "", text, sizeof(text) - 1);

	if (n < 0)
		return NULL;
	text[n] = '\0';
	return text[0] == '/' || !slash ? xstrdup(text)
					: xasprintf("%.*s%s", (int)(slash + 1 - path), path, text);
}

/* Open what is at a path for looking, and check its owner. Return a descriptor or a negative errno. */
static int look_at(int root, const char *path, u32 uid, struct stat *st)
{
	int fd = open_at(root, path, O_PATH), ret = 0;

	if (fd < 0)
		return fd;
	if (fstat(fd, st))
		ret = -errno;
	else if (!perf_map__owner_may_be(uid, st->st_uid))
		ret = -EPERM;
	else if (!S_ISREG(st->st_mode) && !S_ISLNK(st->st_mode))
		ret = -EINVAL;
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

/* Open the file that was looked at; -EINVAL: the path names another one now. */
static int open_seen(int root, const char *path, const struct stat *seen)
{
	int fd = open_at(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && st.st_dev == seen->st_dev && st.st_ino == seen->st_ino))
		return fd;
	close(fd);
	return -EINVAL;
}

int perf_map__open_in(int root, const char *path, u32 uid)
{
	char *at = xstrdup(path), *next;
	int ret = -ELOOP;
	struct stat st;

	for (unsigned i = 0; i < LINKS_MAX && ret == -ELOOP; i++) {
		int fd = look_at(root, at, uid, &st);

		if (fd < 0 || !S_ISLNK(st.st_mode)) {
			ret = fd < 0 ? fd : open_seen(root, at, &st);
			file__close(fd);
			break;
		}
		next = target_of(fd, at);
		ret = next ? -ELOOP : -errno;
		close(fd);
		free(at);
		at = next;
	}
	free(at);
	return ret;
}

/* Return the length of the "/proc/PID/root" that a path begins with, or 0. */
static int process_root_len(const char *path)
{
	int len = 0;
	unsigned pid;

	return sscanf(path, "/proc/%u/root%n", &pid, &len) == 1 && len && path[len] == '/' ? len : 0;
}

int perf_map__open(const char *path, u32 uid)
{
	int len = process_root_len(path), root, fd;
	char *name;

	if (!len)
		return perf_map__open_in(AT_FDCWD, path, uid);
	name = xasprintf("%.*s", len, path);
	root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(name);
	if (root < 0)
		return -errno;
	fd = perf_map__open_in(root, path + len, uid);
	close(root);
	return fd;
}

int perf_map__load_fd(struct symtab *t, int fd, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = file__read_fd(fd, &text, 0);

	if (ret)
		err__set(err, ret, "cannot read '%s': %s", path, err__str(ret));
	else if ((ret = perf_map__parse(t, text.buf, text.len)))
		err__set(err, ret, "'%s' has no line of the form \"START SIZE NAME\"", path);
	strbuf__exit(&text);
	return ret;
}

int perf_map__load(struct symtab *t, const char *path, u32 uid, struct err *err)
{
	int fd = perf_map__open(path, uid), ret;

	if (fd == -EPERM)
		return err__set(err, fd, PERF_MAP_BAD_OWNER, path);
	if (fd < 0)
		return err__set(err, fd, "cannot open '%s': %s", path, err__str(fd));
	ret = perf_map__load_fd(t, fd, path, err);
	close(fd);
	return ret;
}
