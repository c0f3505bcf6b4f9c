#include "cache/archive.h"

#include "base/system/file.h"
#include "binary/elf/file_search.h"
#include "binary/symbols/kallsyms.h"
#include "binary/symbols/vdso.h"
#include "cache/tar.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORDING "perf.data"
#define SYMBOLS "perf.symbols.tar" /* and a suffix */

enum { CHUNK = 64 << 10, HEX_SIZE = 2 * BUILD_ID_MAX + 1 };

/* ---- what is packed ---- */

struct item_files {
	int fds[CACHE_FILE_NR]; /* -1: none */
	struct strbuf kallsyms; /* of the running kernel */
	const void *vdso;       /* of this process; not owned */
	size_t vdso_size;
};

static void item_files__close(struct item_files *f)
{
	for (int i = 0; i < CACHE_FILE_NR; i++)
		if (f->fds[i] >= 0)
			close(f->fds[i]);
	strbuf__exit(&f->kallsyms);
}

static void item_files__from_cache(struct item_files *f, const struct cache *cache, const struct build_id *id)
{
	for (int i = 0; i < CACHE_FILE_NR; i++) {
		f->fds[i] = cache__open_file(cache, id, cache_file__name(i));
		if (f->fds[i] >= 0 && (i == CACHE_ELF || i == CACHE_DEBUG) &&
		    !build_id__is_of_fd(id, f->fds[i])) {
			close(f->fds[i]);
			f->fds[i] = -1;
		}
	}
}

static int line__has_address(const struct kallsyms_line *line, void *ctx)
{
	(void)ctx;
	return line->addr != 0;
}

static void item_files__of_kernel(struct item_files *f, const struct build_id *id)
{
	struct build_id running;

	if (build_id__of_kernel(&running) || !build_id__equal(&running, id))
		return;
	/* Without the right to see them all addresses are 0. */
	if (file__read("/proc/kallsyms", &f->kallsyms, 0) ||
	    kallsyms__parse(f->kallsyms.buf, f->kallsyms.len, line__has_address, NULL) <= 0)
		strbuf__reset(&f->kallsyms);
}

static void item_files__of_vdso(struct item_files *f, const struct build_id *id)
{
	struct build_id own;

	if (!vdso__image(&f->vdso, &f->vdso_size) || build_id__from_image(f->vdso, f->vdso_size, &own) ||
	    !build_id__equal(&own, id))
		f->vdso = NULL;
}

static void item_files__from_here(struct item_files *f, const struct archive_item *item)
{
	struct file_query q = { .path = item->name, .id = item->id };

	if (!strncmp(item->name, "[kernel.", 8)) {
		item_files__of_kernel(f, &item->id);
	} else if (!strcmp(item->name, "[vdso]")) {
		item_files__of_vdso(f, &item->id);
	} else if (item->id.size) {
		f->fds[CACHE_ELF] = file_search__open_first(FILE_BINARY, &q);
	}
}

static void item_files__find(struct item_files *f, const struct archive_item *item, const struct cache *cache)
{
	item_files__from_cache(f, cache, &item->id);
	if (f->fds[CACHE_ELF] < 0 && f->fds[CACHE_KALLSYMS] < 0 && f->fds[CACHE_VDSO] < 0)
		item_files__from_here(f, item);
	if (f->fds[CACHE_DEBUG] < 0)
		f->fds[CACHE_DEBUG] =
			file_search__open_first(FILE_DEBUG, &(struct file_query){ .id = item->id });
}

/* ---- writing ---- */

static int add_fd(struct packed_out *out, const char *name, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	return tar__add_fd(out, name, (st.st_mode & 0755) | 0600, st.st_mtime, fd, (u64)st.st_size);
}

static int add_link(struct packed_out *out, const char *hex, const char *path)
{
	char *link = xasprintf(".build-id/%.2s/%s", hex, hex + 2), *target = xasprintf("../../%s", path);
	int ret = tar__add_link(out, link, target, 0);

	free(link);
	free(target);
	return ret;
}

static int add_files(struct packed_out *out, const struct item_files *f, const char *path)
{
	int ret = 0;

	for (int i = 0; i < CACHE_FILE_NR && !ret; i++) {
		char *name = xasprintf("%s/%s", path, cache_file__name(i));

		if (f->fds[i] >= 0)
			ret = add_fd(out, name, f->fds[i]);
		else if (i == CACHE_KALLSYMS && f->kallsyms.len)
			ret = tar__add_image(out, name, 0600, 0, f->kallsyms.buf, f->kallsyms.len);
		else if (i == CACHE_VDSO && f->vdso)
			ret = tar__add_image(out, name, 0600, 0, f->vdso, f->vdso_size);
		free(name);
	}
	return ret;
}

static bool item_files__has_any(const struct item_files *f)
{
	for (int i = 0; i < CACHE_FILE_NR; i++)
		if (f->fds[i] >= 0)
			return true;
	return f->kallsyms.len || f->vdso;
}

static int add_item(struct packed_out *out, struct archive_item *item, const struct cache *cache)
{
	struct item_files f = { .kallsyms = STRBUF_INIT };
	char hex[HEX_SIZE], *path = cache__entry_path(cache, &item->id), *name;
	int ret = 0;

	build_id__str(&item->id, hex);
	name = path ? NULL : cache__name_to_path(item->name);
	if (name)
		path = xasprintf("%s/%s", name, hex);
	item_files__find(&f, item, cache);
	item->is_missing = !path || !item_files__has_any(&f);
	if (!item->is_missing) {
		ret = add_link(out, hex, path);
		if (!ret)
			ret = add_files(out, &f, path);
	}
	item_files__close(&f);
	free(name);
	free(path);
	return ret;
}

static int write_entries(int fd, struct archive_item *items, size_t nr, const struct cache *cache,
			 struct err *err)
{
	struct packed_out *out;
	int ret = packed_out__open(&out, fd, err), closed;

	if (ret)
		return ret;
	for (size_t i = 0; i < nr && !ret; i++) {
		ret = add_item(out, &items[i], cache);
		if (ret)
			err__set(err, ret, "cannot pack '%s': %s", items[i].name, err__str(ret));
	}
	if (!ret)
		ret = tar__end(out);
	closed = packed_out__close(out);
	if (!ret && closed)
		ret = err__set(err, closed, "cannot write the archive: %s", err__str(closed));
	return ret;
}

/* A file without a name in the folder of path. */
static int open_unnamed(const char *path)
{
	char *temp = xasprintf("%s.XXXXXX", path);
	int fd = mkostemp(temp, O_CLOEXEC);

	fd = fd < 0 ? -errno : fd;
	if (fd >= 0)
		unlink(temp);
	free(temp);
	return fd;
}

/* Both in one archive, the symbols as an archive of their own, as stock does. */
static int write_all(int fd, int symbols, const char *recording, struct err *err)
{
	struct packed_out *out;
	int data = file__open_regular(recording), ret, closed;
	char *name = xasprintf(SYMBOLS "%s", packed__suffix());

	if (data < 0) {
		close(fd);
		ret = err__set(err, data, "cannot open '%s': %s", recording, err__str(data));
	} else {
		ret = packed_out__open(&out, fd, err);
	}
	if (!ret) {
		ret = add_fd(out, RECORDING, data);
		if (!ret)
			ret = add_fd(out, name, symbols);
		if (!ret)
			ret = tar__end(out);
		closed = packed_out__close(out);
		ret = ret ? ret : closed;
		if (ret)
			err__set(err, ret, "cannot write the archive: %s", err__str(ret));
	}
	if (data >= 0)
		close(data);
	free(name);
	return ret;
}

static int write_archive(int fd, const char *path, struct archive_item *items, size_t nr,
			 const struct cache *cache, const char *recording, struct err *err)
{
	int symbols, ret;

	if (!recording)
		return write_entries(fd, items, nr, cache, err);
	symbols = open_unnamed(path);
	if (symbols < 0) {
		close(fd);
		return err__set(err, symbols, "cannot write '%s': %s", path, err__str(symbols));
	}
	ret = write_entries(dup(symbols), items, nr, cache, err);
	if (!ret)
		ret = write_all(fd, symbols, recording, err);
	else
		close(fd);
	close(symbols);
	return ret;
}

int archive__create(const char *path, struct archive_item *items, size_t nr, const struct cache *cache,
		    const char *recording, struct err *err)
{
	char *temp = xasprintf("%s.XXXXXX", path);
	int fd = mkostemp(temp, O_CLOEXEC), ret;

	if (fd < 0) {
		ret = err__set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	} else {
		ret = write_archive(fd, path, items, nr, cache, recording, err);
		if (!ret && rename(temp, path))
			ret = err__set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
		if (ret)
			unlink(temp);
	}
	free(temp);
	return ret;
}

/* ---- unpacking ---- */

struct unpacking {
	struct cache *cache;
	const char *recording;
	struct unpacked *result;
	u64 *room;   /* as tar_in.room: the archive and the one inside of it share it */
	bool inside; /* of the archive of symbols in an archive with a recording */
};

/*
 * Limits of what is unpacked: bytes that are allowed in any case, and the ratio to the archive's size. The
 * ratio is large because copies of stacks may be mostly empty.
 */
enum { UNPACKED_FREE = 256 << 20, UNPACKED_RATIO = 100 };

static int unpack_fd(struct unpacking *u, int fd, struct err *err);

static int copy_member(struct tar_in *t, int fd)
{
	char *chunk = xmalloc(CHUNK);
	ssize_t n;
	int ret = 0;

	while (!ret && (n = tar_in__read(t, chunk, CHUNK)) != 0)
		ret = n < 0 ? (int)n : file__write_all(fd, chunk, (size_t)n);
	free(chunk);
	return ret;
}

/* "usr/bin/ls/ID/elf" taken apart; the name is the caller's. */
static bool parse_entry_file(const char *member, char **name, struct build_id *id, enum cache_file *f)
{
	const char *file = strrchr(member, '/'),
		   *hex = file ? memrchr(member, '/', (size_t)(file - member)) : NULL;
	char *text;
	bool ok;

	if (!hex)
		return false;
	for (*f = 0; *f < CACHE_FILE_NR && strcmp(file + 1, cache_file__name(*f)) != 0;)
		(*f)++;
	text = xasprintf("%.*s", (int)(file - hex - 1), hex + 1);
	ok = *f < CACHE_FILE_NR && build_id__parse(text, id);
	free(text);
	*name = ok ? xasprintf("%s%.*s", member[0] == '[' ? "" : "/", (int)(hex - member), member) : NULL;
	return ok;
}

static bool content_fits(int fd, const char *name, const struct build_id *id, enum cache_file f)
{
	char *path = cache__name_to_path(name);
	bool fits = path != NULL;

	free(path);
	if (f == CACHE_KALLSYMS) /* nothing in it says whose it is */
		return fits && !strcmp(name, "[kernel.kallsyms]");
	return fits && build_id__is_of_fd(id, fd);
}

static int unpack_entry_file(struct unpacking *u, struct tar_in *t, struct err *err)
{
	const char *member = t->member.name + (strncmp(t->member.name, "./", 2) ? 0 : 2);
	const char *base = strrchr(member, '/');
	struct build_id id;
	enum cache_file f;
	char *name, *temp;
	int fd, ret;

	if (base && !strcmp(base, "/probes"))
		return 0; /* stock's, which we do not need */
	if (!parse_entry_file(member, &name, &id, &f)) {
		u->result->nr_refused++;
		return 0;
	}
	temp = xasprintf("%s/.unpack", u->cache->path);
	fd = open_unnamed(temp);
	ret = fd < 0 ? fd : copy_member(t, fd);
	if (ret == -E2BIG) {
		/* archive__unpack reports it */
	} else if (ret) {
		err__set(err, ret, "cannot unpack '%s': %s", member, err__str(ret));
	} else if (content_fits(fd, name, &id, f)) {
		ret = cache__put(u->cache, name, &id, f, fd, err);
		u->result->nr_entries += !ret;
	} else {
		u->result->nr_refused++;
	}
	if (fd >= 0)
		close(fd);
	free(temp);
	free(name);
	return ret;
}

static int unpack_recording(struct unpacking *u, struct tar_in *t, struct err *err)
{
	int fd = open(u->recording, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600), ret;

	if (fd < 0)
		return err__set(err, -errno, "cannot unpack the recording to '%s': %s", u->recording,
				strerror(errno));
	ret = copy_member(t, fd);
	if (close(fd) && !ret)
		ret = -errno;
	if (ret) {
		unlink(u->recording);
		return ret == -E2BIG ? ret
				     : err__set(err, ret, "cannot unpack the recording: %s", err__str(ret));
	}
	u->result->has_recording = true;
	return 0;
}

static int unpack_symbols(struct unpacking *u, struct tar_in *t, struct err *err)
{
	struct unpacking inner = *u;
	char *temp = xasprintf("%s/.unpack", u->cache->path);
	int fd = open_unnamed(temp), ret = fd < 0 ? fd : copy_member(t, fd);

	free(temp);
	inner.inside = true;
	if (!ret && lseek(fd, 0, SEEK_SET) < 0)
		ret = -errno;
	if (!ret)
		return unpack_fd(&inner, fd, err);
	if (fd >= 0)
		close(fd);
	return ret == -E2BIG ? ret : err__set(err, ret, "cannot unpack the symbols: %s", err__str(ret));
}

static int unpack_member(struct unpacking *u, struct tar_in *t, struct err *err)
{
	if (!t->member.is_file)
		return 0; /* folders and links are made anew */
	if (!u->inside && !strcmp(t->member.name, RECORDING))
		return unpack_recording(u, t, err);
	if (!u->inside && !strncmp(t->member.name, SYMBOLS, strlen(SYMBOLS)))
		return unpack_symbols(u, t, err);
	return unpack_entry_file(u, t, err);
}

/* fd is consumed. */
static int unpack_fd(struct unpacking *u, int fd, struct err *err)
{
	struct tar_in t = { .room = u->room };
	int ret = packed_in__open(&t.in, fd, err);

	if (ret)
		return ret;
	while ((ret = tar_in__next(&t, err)) > 0) {
		ret = unpack_member(u, &t, err);
		if (ret)
			break;
	}
	tar_in__exit(&t);
	packed_in__close(t.in);
	return ret;
}

int archive__unpack(const char *path, struct cache *cache, const char *recording, bool any_size,
		    struct unpacked *result, struct err *err)
{
	struct unpacking u = { .cache = cache, .recording = recording, .result = result };
	int fd = file__open_regular(path), ret;
	struct stat st;
	u64 limit;

	*result = (struct unpacked){ .nr_entries = 0 };
	if (fd < 0)
		return err__set(err, fd, "cannot open '%s': %s", path, err__str(fd));
	limit = fstat(fd, &st) ? 0 : MAX((u64)UNPACKED_FREE, (u64)st.st_size * UNPACKED_RATIO);
	u.room = any_size ? NULL : &limit;
	ret = unpack_fd(&u, fd, err);
	if (ret == -E2BIG) {
		err__set(err, ret,
			 "'%s' unpacks to more than %d MiB and %d times its size: the rest is not unpacked",
			 path, UNPACKED_FREE >> 20, UNPACKED_RATIO);
		err__advise(err, "unpack it if you trust it: perf archive --unpack --any-size %s", path);
	}
	return ret;
}
