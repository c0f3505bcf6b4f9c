#include "cache/archive.h"

#ifdef HAVE_LIBARCHIVE

#include "base/message/called_name.h"
#include "base/system/file.h"
#include "base/system/output_file.h"
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
#define SYMBOLS "perf.symbols.tar"

enum { HEX_SIZE = 2 * BUILD_ID_MAX + 1 };

/* ---- which files to pack ---- */

struct item_files {
	int fds[CACHE_FILE_NR]; /* -1: none */
	struct strbuf kallsyms; /* of the running kernel */
	const void *vdso;       /* of this process; not owned */
	size_t vdso_size;
};

static void item_files__close(struct item_files *f)
{
	for (int i = 0; i < CACHE_FILE_NR; i++)
		file__close(f->fds[i]);
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

static void item_files__of_kernel(struct item_files *f, const struct build_id *id)
{
	struct build_id running;

	if (build_id__of_kernel(&running) || !build_id__equal(&running, id))
		return;
	if (file__read("/proc/kallsyms", &f->kallsyms, 0) ||
	    !kallsyms__has_addresses(f->kallsyms.buf, f->kallsyms.len))
		strbuf__reset(&f->kallsyms);
}

static void item_files__of_vdso(struct item_files *f, const struct archive_item *item)
{
	struct build_id own;

	if (!vdso__image(item->name, &f->vdso, &f->vdso_size) ||
	    build_id__from_image(f->vdso, f->vdso_size, &own) || !build_id__equal(&own, &item->id))
		f->vdso = NULL;
}

static void item_files__from_here(struct item_files *f, const struct archive_item *item)
{
	struct file_query q = { .path = item->name, .id = item->id };

	if (!strncmp(item->name, "[kernel.", 8)) {
		item_files__of_kernel(f, &item->id);
	} else if (vdso__is_name(item->name)) {
		item_files__of_vdso(f, item);
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

static int add_fd(struct archive *tar, const char *name, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	return tar__add_fd(tar, name, (st.st_mode & 0755) | 0600, st.st_mtime, fd, (u64)st.st_size);
}

static int add_link(struct archive *tar, const char *hex, const char *path)
{
	char *link = xasprintf(".build-id/%.2s/%s", hex, hex + 2), *target = xasprintf("../../%s", path);
	int ret = tar__add_link(tar, link, target);

	free(link);
	free(target);
	return ret;
}

static int add_files(struct archive *tar, const struct item_files *f, const char *path)
{
	int ret = 0;

	for (int i = 0; i < CACHE_FILE_NR && !ret; i++) {
		char *name = xasprintf("%s/%s", path, cache_file__name(i));

		if (f->fds[i] >= 0)
			ret = add_fd(tar, name, f->fds[i]);
		else if (i == CACHE_KALLSYMS && f->kallsyms.len)
			ret = tar__add_image(tar, name, f->kallsyms.buf, f->kallsyms.len);
		else if (i == CACHE_VDSO && f->vdso)
			ret = tar__add_image(tar, name, f->vdso, f->vdso_size);
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

static int add_item(struct archive *tar, struct archive_item *item, const struct cache *cache)
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
		ret = add_link(tar, hex, path);
		if (!ret)
			ret = add_files(tar, &f, path);
	}
	item_files__close(&f);
	free(name);
	free(path);
	return ret;
}

static int write_entries(int fd, struct archive_item *items, size_t nr, const struct cache *cache,
			 bool with_zstd, struct err *err)
{
	struct archive *tar;
	int ret = tar__create(&tar, fd, with_zstd, err);

	for (size_t i = 0; i < nr && !ret; i++) {
		ret = add_item(tar, &items[i], cache);
		if (ret)
			err__set(err, ret, "cannot pack '%s': %s", items[i].name, err__str(ret));
	}
	return tar__finish(tar, ret, err);
}

/* Write the recording and the archive of binaries into one archive, as stock perf does. */
static int write_all(int fd, int symbols, const char *recording, bool with_zstd, struct err *err)
{
	int data = file__open_regular(recording), ret;
	struct archive *tar;

	if (data < 0)
		return err__set(err, data, "cannot open '%s': %s", recording, err__str(data));
	ret = tar__create(&tar, fd, with_zstd, err);
	if (!ret) {
		ret = add_fd(tar, RECORDING, data);
		if (!ret)
			ret = add_fd(tar, with_zstd ? SYMBOLS ".zst" : SYMBOLS ".bz2", symbols);
		if (ret)
			err__set(err, ret, "cannot write the archive: %s", err__str(ret));
	}
	close(data);
	return tar__finish(tar, ret, err);
}

static int write_archive(int fd, const char *path, struct archive_item *items, size_t nr,
			 const struct cache *cache, const char *recording, bool with_zstd, struct err *err)
{
	int symbols, ret;

	if (!recording)
		return write_entries(fd, items, nr, cache, with_zstd, err);
	symbols = file__open_unnamed(path);
	if (symbols < 0)
		return err__set(err, symbols, "cannot write '%s': %s", path, err__str(symbols));
	ret = write_entries(symbols, items, nr, cache, with_zstd, err);
	if (!ret)
		ret = write_all(fd, symbols, recording, with_zstd, err);
	close(symbols);
	return ret;
}

int archive__create(const char *path, struct archive_item *items, size_t nr, const struct cache *cache,
		    const char *recording, bool with_zstd, struct err *err)
{
	struct output_file out;
	int ret = output_file__open(&out, path, 0600, err), closed;

	if (ret)
		return ret;
	ret = write_archive(out.fd, path, items, nr, cache, recording, with_zstd, err);
	closed = output_file__close(&out, !ret, ret ? NULL : err);
	return ret ? ret : closed;
}

/* ---- unpacking ---- */

struct unpacking {
	struct cache *cache;
	const char *recording;
	struct unpacked *result;
	u64 *room;   /* as tar_in.room; shared by the outer and the inner archive */
	bool inside; /* this is the inner archive, that of the binaries */
};

/*
 * Limits of the unpacked size: bytes that are always allowed, and the ratio to the archive's size. The ratio
 * is large because stack copies may be mostly zeros.
 */
enum { UNPACKED_FREE = 256 << 20, UNPACKED_RATIO = 100 };

static int unpack_fd(struct unpacking *u, int fd, struct err *err);

/* Split "usr/bin/ls/ID/elf" into its parts; the caller frees name. */
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
	if (f == CACHE_KALLSYMS) /* kallsyms contains no build-id to compare */
		return fits && !strcmp(name, "[kernel.kallsyms]");
	return fits && build_id__is_of_fd(id, fd);
}

/* Unpack the member into an unnamed file. Return its descriptor, or a negative errno with err. */
static int unpack_unnamed(struct unpacking *u, struct tar_in *t, struct err *err)
{
	char *path = xasprintf("%s/.unpack", u->cache->path);
	int fd = file__open_unnamed(path);
	int ret = fd < 0 ? err__set(err, fd, "%s", err__str(fd)) : tar_in__copy(t, fd, err);

	free(path);
	if (!ret)
		return fd;
	err__prefix(err, "cannot unpack '%s'", t->name);
	file__close(fd);
	return ret;
}

static int unpack_entry_file(struct unpacking *u, struct tar_in *t, struct err *err)
{
	const char *member = t->name + (strncmp(t->name, "./", 2) ? 0 : 2);
	const char *base = strrchr(member, '/');
	struct build_id id;
	enum cache_file f;
	char *name;
	int fd, ret;

	if (base && !strcmp(base, "/probes"))
		return 0; /* probe list of stock perf, not used here */
	if (!parse_entry_file(member, &name, &id, &f)) {
		u->result->nr_refused++;
		return 0;
	}
	fd = unpack_unnamed(u, t, err);
	ret = fd < 0 ? fd : 0;
	if (fd >= 0 && content_fits(fd, name, &id, f)) {
		ret = cache__put(u->cache, name, &id, f, fd, err);
		u->result->nr_entries += !ret;
	} else if (fd >= 0) {
		u->result->nr_refused++;
	}
	file__close(fd);
	free(name);
	return ret;
}

static int unpack_recording(struct unpacking *u, struct tar_in *t, struct err *err)
{
	int fd = open(u->recording, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600), ret;

	if (fd < 0)
		return err__set(err, -errno, "cannot unpack the recording to '%s': %s", u->recording,
				strerror(errno));
	ret = tar_in__copy(t, fd, err);
	if (close(fd) && !ret)
		ret = err__set(err, -errno, "%s", strerror(errno));
	if (ret) {
		unlink(u->recording);
		err__prefix(err, "cannot unpack the recording");
		return ret;
	}
	u->result->has_recording = true;
	return 0;
}

static int unpack_symbols(struct unpacking *u, struct tar_in *t, struct err *err)
{
	struct unpacking inner = *u;
	int fd = unpack_unnamed(u, t, err), ret;

	if (fd < 0)
		return fd;
	inner.inside = true;
	ret = lseek(fd, 0, SEEK_SET) < 0
		      ? err__set(err, -errno, "cannot read the symbols: %s", strerror(errno))
		      : unpack_fd(&inner, fd, err);
	close(fd);
	return ret;
}

static int unpack_member(struct unpacking *u, struct tar_in *t, struct err *err)
{
	if (!t->is_file)
		return 0; /* cache__put creates folders and links */
	if (!u->inside && !strcmp(t->name, RECORDING))
		return unpack_recording(u, t, err);
	if (!u->inside && !strncmp(t->name, SYMBOLS, strlen(SYMBOLS)))
		return unpack_symbols(u, t, err);
	return unpack_entry_file(u, t, err);
}

static int unpack_fd(struct unpacking *u, int fd, struct err *err)
{
	struct tar_in t;
	int ret = tar_in__open(&t, fd, u->room, err);

	while (!ret && (ret = tar_in__next(&t, err)) > 0)
		ret = unpack_member(u, &t, err);
	tar_in__close(&t);
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
	close(fd);
	if (ret == -E2BIG) {
		err__set(err, ret,
			 "'%s' unpacks to more than %d MiB and %d times its size: the rest is not unpacked",
			 path, UNPACKED_FREE >> 20, UNPACKED_RATIO);
		err__advise(err, "unpack it if you trust it: %s archive --unpack --any-size %s",
			    called_name(), path);
	}
	return ret;
}

#else

#include "base/system/library.h"

LIBRARY_ABSENT(lib, "libarchive", "libarchive-dev");

int archive__create(const char *path, struct archive_item *items, size_t nr, const struct cache *cache,
		    const char *recording, struct err *err)
{
	(void)path, (void)items, (void)nr, (void)cache, (void)recording;
	return library__load(&lib_library, err);
}

int archive__unpack(const char *path, struct cache *cache, const char *recording, bool any_size,
		    struct unpacked *result, struct err *err)
{
	(void)path, (void)cache, (void)recording, (void)any_size, (void)result;
	return library__load(&lib_library, err);
}

#endif
