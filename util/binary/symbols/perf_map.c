#include "binary/symbols/perf_map.h"

#include "base/system/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

/* Look at what a path names, a link itself, and check its owner. Return 0 or a negative errno. */
static int look_at(const char *path, u32 uid, struct stat *st)
{
	if (lstat(path, st))
		return -errno;
	if (!perf_map__owner_may_be(uid, st->st_uid))
		return -EPERM;
	return S_ISREG(st->st_mode) || S_ISLNK(st->st_mode) ? 0 : -EINVAL;
}

/* Return the path that a link leads to, to be freed; NULL with errno: another one is there now. */
static char *target_of(const char *path, const struct stat *link)
{
	char text[PATH_MAX], *slash = strrchr(path, '/');
	ssize_t n = readlink(path, text, sizeof(text) - 1);
	struct stat now;

	if (n < 0 || lstat(path, &now) || now.st_ino != link->st_ino || now.st_dev != link->st_dev ||
	    now.st_uid != link->st_uid) {
		errno = n < 0 ? errno : EINVAL;
		return NULL;
	}
	text[n] = '\0';
	return text[0] == '/' || !slash ? xstrdup(text)
					: xasprintf("%.*s%s", (int)(slash + 1 - path), path, text);
}

int perf_map__open(const char *path, u32 uid)
{
	char *at = xstrdup(path), *next;
	struct stat before, st;
	int ret = -ELOOP, fd;

	for (unsigned i = 0; i < LINKS_MAX && ret == -ELOOP; i++) {
		ret = look_at(at, uid, &before);
		if (ret || !S_ISLNK(before.st_mode))
			break;
		next = target_of(at, &before);
		ret = next ? -ELOOP : -errno;
		free(at);
		at = next;
	}
	fd = ret ? -1 : open(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	ret = ret ? ret : fd < 0 ? -errno : 0;
	free(at);
	if (ret)
		return ret;
	if (!fstat(fd, &st) && st.st_dev == before.st_dev && st.st_ino == before.st_ino &&
	    perf_map__owner_may_be(uid, st.st_uid))
		return fd;
	close(fd); /* the path names another file now */
	return -EINVAL;
}

int perf_map__load(struct symtab *t, const char *path, u32 uid, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int fd = perf_map__open(path, uid), ret;

	if (fd == -EPERM)
		return err__set(err, fd, PERF_MAP_BAD_OWNER, path);
	if (fd < 0)
		return err__set(err, fd, "cannot open '%s': %s", path, err__str(fd));
	if ((ret = file__read_fd(fd, &text, 0)))
		err__set(err, ret, "cannot read '%s': %s", path, err__str(ret));
	else if ((ret = perf_map__parse(t, text.buf, text.len)))
		err__set(err, ret, "'%s' has no line of the form \"START SIZE NAME\"", path);
	close(fd);
	strbuf__exit(&text);
	return ret;
}
