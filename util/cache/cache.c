#include "cache/cache.h"

#include "base/system/file.h"
#include "base/system/output_file.h"
#include "binary/elf/file_search.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS ".build-id"

enum { CHUNK = 256 << 10, HEX_SIZE = 2 * BUILD_ID_MAX + 1 };

static const off_t FILE_LIMIT = (off_t)8 << 30;

static const char *const file_names[CACHE_FILE_NR] = {
	[CACHE_ELF] = "elf", [CACHE_DEBUG] = "debug", [CACHE_KALLSYMS] = "kallsyms", [CACHE_VDSO] = "vdso"
};

const char *cache_file__name(enum cache_file f)
{
	return file_names[f];
}

bool build_id__parse(const char *hex, struct build_id *id)
{
	size_t len = strlen(hex);

	if (len < 4 || len % 2 || len > 2 * BUILD_ID_MAX || strspn(hex, "0123456789abcdef") != len)
		return false;
	id->size = (u8)(len / 2);
	for (size_t i = 0; i < id->size; i++) {
		char byte[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

		id->data[i] = (u8)strtoul(byte, NULL, 16);
	}
	return true;
}

char *cache__name_to_path(const char *name)
{
	char *path, *to;
	size_t len = strlen(name);

	if (len >= PATH_MAX - 2 * HEX_SIZE)
		return NULL;
	if (name[0] == '[')
		return strchr(name, '/') || name[len - 1] != ']' ? NULL : xstrdup(name);
	if (name[0] != '/')
		return NULL;
	path = to = xmalloc(len + 1);
	while (*name) {
		size_t n;

		name += strspn(name, "/");
		n = strcspn(name, "/");
		if (!n || (n == 1 && name[0] == '.')) {
			name += n;
			continue;
		}
		if (n == 2 && !memcmp(name, "..", 2)) {
			free(path);
			return NULL;
		}
		if (to > path)
			*to++ = '/';
		memcpy(to, name, n);
		to += n;
		name += n;
	}
	*to = '\0';
	/* A path below .build-id would clash with the cache's own links. */
	if (to > path && strncmp(path, LINKS "/", sizeof(LINKS)) && strcmp(path, LINKS))
		return path;
	free(path);
	return NULL;
}

/* ---- folders, one name at a time and never through a link ---- */

static int open_child(int dir, const char *name, bool create)
{
	int fd;

	if (create && mkdirat(dir, name, 0755) && errno != EEXIST)
		return -errno;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Open the folder path (relative, without ".."). Return a descriptor or a negative errno. */
static int open_folder(int dir, const char *path, bool create)
{
	char *copy = xstrdup(path), *save, *name = strtok_r(copy, "/", &save);
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		fd = -errno;
	for (; name && fd >= 0; name = strtok_r(NULL, "/", &save)) {
		int child = open_child(fd, name, create);

		close(fd);
		fd = child;
	}
	free(copy);
	return fd;
}

/* Remove the empty folders of a path, innermost first. */
static void remove_empty_folders(int dir, const char *path)
{
	char *parent = xstrdup(path), *slash;

	for (;;) {
		char *name;
		int fd;

		slash = strrchr(parent, '/');
		name = slash ? slash + 1 : parent;
		if (slash)
			*slash = '\0';
		fd = slash ? open_folder(dir, parent, false) : dup(dir);
		if (fd < 0)
			break;
		if (unlinkat(fd, name, AT_REMOVEDIR)) {
			close(fd);
			break;
		}
		close(fd);
		if (!slash)
			break;
	}
	free(parent);
}

int cache__open(struct cache *c, const char *path, bool create, struct err *err)
{
	char *target = NULL;
	int ret;

	*c = (struct cache){ .path = xstrdup(path), .fd = -1 };
	ret = create ? output_file__follow(path, &target, err) : 0;
	free(target);
	if (ret) /* a link of another user */
		return ret;
	if (create && mkdir(path, 0755) && errno != EEXIST)
		return err__set(err, -errno, "cannot make the folder '%s': %s", path, strerror(errno));
	c->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->fd < 0 && errno != ENOENT)
		return err__set(err, -errno, "cannot open the build-id cache '%s': %s", path,
				strerror(errno));
	return 0;
}

void cache__close(struct cache *c)
{
	file__close(c->fd);
	free(c->path);
	*c = (struct cache){ .fd = -1 };
}

/* ---- links ---- */

/* ".build-id/xx" and "yyyy" */
static char *link_folder(const char *hex)
{
	return xasprintf(LINKS "/%.2s", hex);
}

/*
 * Read the link of hex in folder fd. Return its checked target, "usr/bin/ls/HEX", or NULL if it is invalid.
 */
static char *read_entry_link(int fd, const char *hex)
{
	char target[PATH_MAX + 1], *name, *slash, *path;
	ssize_t len = readlinkat(fd, hex + 2, target, sizeof(target) - 1);

	if (len < 6 || len == sizeof(target) - 1)
		return NULL;
	target[len] = '\0';
	slash = strrchr(target, '/');
	if (strncmp(target, "../../", 6) || strcmp(slash + 1, hex) || slash < target + 6)
		return NULL;
	*slash = '\0';
	/* Names in brackets are taken as they are; other names must already be normalized. */
	name = target[6] == '[' ? xstrdup(target + 6) : xasprintf("/%s", target + 6);
	path = cache__name_to_path(name);
	if (path && strcmp(path, target + 6)) {
		free(path);
		path = NULL;
	}
	free(name);
	name = path ? xasprintf("%s/%s", path, hex) : NULL;
	free(path);
	return name;
}

char *cache__entry_path(const struct cache *c, const struct build_id *id)
{
	char hex[HEX_SIZE], *folder, *path = NULL;
	int fd;

	if (c->fd < 0 || id->size < 2)
		return NULL;
	folder = link_folder(build_id__str(id, hex));
	fd = open_folder(c->fd, folder, false);
	if (fd >= 0) {
		path = read_entry_link(fd, hex);
		close(fd);
	}
	free(folder);
	return path;
}

static int make_link(struct cache *c, const char *path, const char *hex)
{
	char *folder = link_folder(hex), *target = xasprintf("../../%s", path), *old, *temp;
	int fd = open_folder(c->fd, folder, true), ret = fd < 0 ? fd : 0;

	old = fd < 0 ? NULL : read_entry_link(fd, hex);
	if (fd >= 0 && (!old || strcmp(old, path))) {
		temp = xasprintf("%s.%d", hex + 2, (int)getpid());
		if (symlinkat(target, fd, temp) || renameat(fd, temp, fd, hex + 2)) {
			ret = -errno;
			unlinkat(fd, temp, 0);
		}
		free(temp);
	}
	file__close(fd);
	free(old);
	free(target);
	free(folder);
	return ret;
}

/* ---- listing and finding entries ---- */

static int entry__cmp(const void *a, const void *b)
{
	const struct build_id *x = &((const struct cache_entry *)a)->id,
			      *y = &((const struct cache_entry *)b)->id;
	int d = memcmp(x->data, y->data, MIN(x->size, y->size));

	return d ? d : x->size - y->size;
}

/* Add the entries of .build-id/xx, open on fd; close fd. */
static void list_links(const struct cache *c, int fd, const char *xx, cache_entries *entries, size_t *broken)
{
	DIR *d = fdopendir(fd);
	struct dirent *e;

	if (!d) {
		close(fd);
		return;
	}
	while ((e = readdir(d))) {
		struct cache_entry entry = { .name = NULL };
		char *hex, *path;
		int folder = -1;

		if (e->d_name[0] == '.')
			continue;
		hex = xasprintf("%s%s", xx, e->d_name);
		path = build_id__parse(hex, &entry.id) ? read_entry_link(fd, hex) : NULL;
		if (path)
			folder = open_folder(c->fd, path, false);
		if (folder >= 0) {
			close(folder);
			path[strlen(path) - strlen(hex) - 1] = '\0';
			entry.name = path[0] == '[' ? xstrdup(path) : xasprintf("/%s", path);
			array__add(entries, entry);
		} else if (broken) {
			(*broken)++;
		}
		free(path);
		free(hex);
	}
	closedir(d);
}

int cache__list(const struct cache *c, cache_entries *entries, size_t *broken, struct err *err)
{
	int fd = c->fd < 0 ? -ENOENT : open_folder(c->fd, LINKS, false);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (fd == -ENOENT)
		return 0;
	if (!d) {
		int ret = fd < 0 ? fd : -errno;

		file__close(fd);
		return err__set(err, ret, "cannot read '%s/" LINKS "': %s", c->path, err__str(ret));
	}
	while ((e = readdir(d))) {
		int xx;

		if (strlen(e->d_name) != 2 || e->d_name[0] == '.')
			continue;
		xx = open_child(fd, e->d_name, false);
		if (xx >= 0)
			list_links(c, xx, e->d_name, entries, broken);
	}
	closedir(d);
	if (entries->nr)
		qsort(entries->v, entries->nr, sizeof(entries->v[0]), entry__cmp);
	return 0;
}

void cache_entries__exit(cache_entries *entries)
{
	for (size_t i = 0; i < entries->nr; i++)
		free(entries->v[i].name);
	array__exit(entries);
}

int cache__open_file(const struct cache *c, const struct build_id *id, const char *file)
{
	char *path = cache__entry_path(c, id);
	int folder = path ? open_folder(c->fd, path, false) : -ENOENT, fd = folder;
	struct stat st;

	free(path);
	if (folder < 0)
		return folder;
	/* O_NONBLOCK: do not wait if the file is a fifo. */
	fd = openat(folder, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	close(folder);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

bool cache__has(const struct cache *c, const struct build_id *id)
{
	static const enum cache_file others[] = { CACHE_KALLSYMS, CACHE_VDSO };
	int fd = cache__open_file(c, id, file_names[CACHE_ELF]);
	bool has;

	if (fd >= 0) {
		has = build_id__is_of_fd(id, fd);
		close(fd);
		return has;
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		fd = cache__open_file(c, id, file_names[others[i]]);
		if (fd >= 0) {
			close(fd);
			return true;
		}
	}
	return false;
}

/* ---- adding files ---- */

static int copy_content(int from, int to)
{
	char *buf;
	ssize_t n;
	int ret = 0;

	if (!ioctl(to, FICLONE, from)) /* blocks are shared until either file is written to */
		return 0;
	if (lseek(from, 0, SEEK_SET) < 0)
		return -errno;
	buf = xmalloc(CHUNK);
	while (!ret && (n = file__read_all(from, buf, CHUNK)) != 0)
		ret = n < 0 ? (int)n : file__write_all(to, buf, (size_t)n);
	free(buf);
	return ret;
}

/* Write to a temporary name first: another perf may use the cache, and this one may be killed. */
static int put_file(int folder, const char *name, int from, mode_t mode)
{
	char *temp = xasprintf(".%s.%d", name, (int)getpid());
	int to, ret;

	unlinkat(folder, temp, 0); /* may be left over from a killed process */
	to = openat(folder, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	ret = to < 0 ? -errno : 0;
	if (!ret)
		ret = copy_content(from, to);
	if (!ret && fchmod(to, mode))
		ret = -errno;
	if (to >= 0 && close(to) && !ret)
		ret = -errno;
	if (!ret && renameat(folder, temp, folder, name))
		ret = -errno;
	if (ret && to >= 0)
		unlinkat(folder, temp, 0);
	free(temp);
	return ret;
}

int cache__put(struct cache *c, const char *name, const struct build_id *id, enum cache_file f, int fd,
	       struct err *err)
{
	char hex[HEX_SIZE], *in_cache, *path;
	int folder, ret;
	struct stat st;

	if (fstat(fd, &st))
		return err__set(err, -errno, "cannot read '%s': %s", name, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err__set(err, -EINVAL, "'%s' is not a regular file", name);
	if (st.st_size > FILE_LIMIT) /* not a binary: /proc/kcore claims 128 TiB */
		return err__set(err, -EFBIG, "'%s' is too large for the build-id cache", name);
	in_cache = cache__name_to_path(name);
	if (c->fd < 0 || id->size < 2 || !in_cache) {
		free(in_cache);
		return err__set(err, -EINVAL, "'%s' cannot be a name in the build-id cache", name);
	}
	path = xasprintf("%s/%s", in_cache, build_id__str(id, hex));
	folder = open_folder(c->fd, path, true);
	/*
	 * Keep only the read and execute permissions of the original: a copy must not be set-user-id.
	 * kallsyms contains kernel addresses, so only the owner may read it.
	 */

	ret = folder < 0 ? folder
			 : put_file(folder, file_names[f], fd,
				    (f == CACHE_KALLSYMS ? 0 : st.st_mode & 0755) | 0600);
	file__close(folder);
	if (!ret)
		ret = make_link(c, path, hex);
	if (ret)
		err__set(err, ret, "cannot write '%s/%s/%s': %s", c->path, path, file_names[f],
			 ret == -ELOOP || ret == -ENOTDIR ? "what should be a folder is something else"
							  : err__str(ret));
	free(path);
	free(in_cache);
	return ret;
}

int cache__put_binary(struct cache *c, const char *name, const struct build_id *id, int fd, struct err *err)
{
	int debug = file_search__open_first(FILE_DEBUG, &(struct file_query){ .id = *id }), ret = 0;

	if (debug >= 0) {
		ret = cache__put(c, name, id, CACHE_DEBUG, debug, err);
		close(debug);
	}
	return ret ? ret : cache__put(c, name, id, CACHE_ELF, fd, err);
}

/* ---- removing files ---- */

/* Delete all files in a folder; close fd. */
static int empty_folder(int fd)
{
	DIR *d = fdopendir(fd);
	struct dirent *e;
	int ret = 0;

	if (!d) {
		close(fd);
		return -errno;
	}
	while ((e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && unlinkat(fd, e->d_name, 0) && !ret)
			ret = -errno;
	closedir(d);
	return ret;
}

int cache__remove(struct cache *c, const struct build_id *id, struct err *err)
{
	char hex[HEX_SIZE], *path = cache__entry_path(c, id), *link;
	int folder, ret;

	if (!path)
		return err__set(err, -ENOENT, "the build-id cache '%s' has no %s", c->path,
				build_id__str(id, hex));
	build_id__str(id, hex);
	link = xasprintf(LINKS "/%.2s", hex);
	folder = open_folder(c->fd, link, false);
	ret = folder < 0 ? folder : unlinkat(folder, hex + 2, 0) ? -errno : 0;
	file__close(folder);
	folder = ret ? -1 : open_folder(c->fd, path, false);
	if (folder >= 0)
		ret = empty_folder(folder);
	if (!ret) {
		remove_empty_folders(c->fd, path);
		remove_empty_folders(c->fd, link);
	} else {
		err__set(err, ret, "cannot remove '%s/%s': %s", c->path, path, err__str(ret));
	}
	free(link);
	free(path);
	return ret;
}

int cache__purge(struct cache *c, const char *name, struct err *err)
{
	cache_entries entries = { .v = NULL };
	int nr = 0, ret = cache__list(c, &entries, NULL, err);

	for (size_t i = 0; !ret && i < entries.nr; i++)
		if (!name || !strcmp(entries.v[i].name, name)) {
			ret = cache__remove(c, &entries.v[i].id, err);
			nr++;
		}
	cache_entries__exit(&entries);
	return ret ? ret : nr;
}
