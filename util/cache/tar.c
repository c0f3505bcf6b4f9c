#include "cache/tar.h"

#ifdef HAVE_LIBARCHIVE

#include "base/system/file.h"
#include "base/system/library.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>

enum { CHUNK = 64 << 10 };

#define ARCHIVE_FUNCTIONS(F)                 \
	F(archive_write_new)                 \
	F(archive_write_set_format_gnutar)   \
	F(archive_write_add_filter_bzip2)    \
	F(archive_write_add_filter_zstd)     \
	F(archive_write_set_filter_option)   \
	F(archive_write_open_fd)             \
	F(archive_write_header)              \
	F(archive_write_data)                \
	F(archive_write_close)               \
	F(archive_write_fail)                \
	F(archive_read_new)                  \
	F(archive_read_support_filter_bzip2) \
	F(archive_read_support_filter_zstd)  \
	F(archive_read_support_format_tar)   \
	F(archive_read_open_fd)              \
	F(archive_read_next_header)          \
	F(archive_read_data_block)           \
	F(archive_filter_bytes)              \
	F(archive_errno)                     \
	F(archive_error_string)              \
	F(archive_free)                      \
	F(archive_entry_new)                 \
	F(archive_entry_free)                \
	F(archive_entry_pathname)            \
	F(archive_entry_filetype)            \
	F(archive_entry_hardlink)            \
	F(archive_entry_set_pathname)        \
	F(archive_entry_set_filetype)        \
	F(archive_entry_set_perm)            \
	F(archive_entry_set_mtime) F(archive_entry_set_size) F(archive_entry_set_symlink)
LIBRARY_TO_LOAD(lib, "libarchive.so.13", "libarchive13", ARCHIVE_FUNCTIONS);

static int error_of(struct archive *tar)
{
	int code = lib.archive_errno(tar);

	return code > 0 ? -code : -EIO;
}

/* ---- writing ---- */

static bool add_filter(struct archive *tar, bool with_zstd)
{
	if (with_zstd)
		return lib.archive_write_add_filter_zstd(tar) >= ARCHIVE_WARN;
	/* A level of 9, the default, takes a quarter more time: its blocks do not fit in a cache. */
	return lib.archive_write_add_filter_bzip2(tar) >= ARCHIVE_WARN &&
	       lib.archive_write_set_filter_option(tar, "bzip2", "compression-level", "1") >= ARCHIVE_WARN;
}

int tar__create(struct archive **tar, int fd, bool with_zstd, struct err *err)
{
	int ret = library__load(&lib_library, err);

	*tar = NULL;
	if (ret)
		return ret;
	*tar = lib.archive_write_new();
	if (*tar && !lib.archive_write_set_format_gnutar(*tar) && add_filter(*tar, with_zstd) &&
	    !lib.archive_write_open_fd(*tar, fd))
		return 0;
	return err__set(err, -ENOMEM, "cannot write the archive: libarchive does not start");
}

static int add_header(struct archive *tar, const char *name, const char *target, u32 mode, s64 mtime,
		      u64 size)
{
	struct archive_entry *e = lib.archive_entry_new();
	int ret;

	if (!e)
		return -ENOMEM;
	lib.archive_entry_set_pathname(e, name);
	lib.archive_entry_set_filetype(e, target ? AE_IFLNK : AE_IFREG);
	lib.archive_entry_set_perm(e, mode);
	lib.archive_entry_set_mtime(e, mtime, 0);
	lib.archive_entry_set_size(e, (s64)size);
	if (target)
		lib.archive_entry_set_symlink(e, target);
	ret = lib.archive_write_header(tar, e) < ARCHIVE_WARN ? error_of(tar) : 0;
	lib.archive_entry_free(e);
	return ret;
}

static int add_data(struct archive *tar, const void *data, size_t size)
{
	return lib.archive_write_data(tar, data, size) == (ssize_t)size ? 0 : error_of(tar);
}

int tar__add_fd(struct archive *tar, const char *name, u32 mode, s64 mtime, int fd, u64 size)
{
	char *chunk = xmalloc(CHUNK);
	int ret = add_header(tar, name, NULL, mode, mtime, size);

	for (u64 at = 0; !ret && at < size;) {
		ssize_t n = file__pread_all(fd, chunk, MIN((u64)CHUNK, size - at), at);

		ret = n <= 0 ? (n ? (int)n : -EIO) : add_data(tar, chunk, (size_t)n);
		at += n > 0 ? (u64)n : 0;
	}
	free(chunk);
	return ret;
}

int tar__add_image(struct archive *tar, const char *name, const void *image, size_t size)
{
	int ret = add_header(tar, name, NULL, 0600, 0, size);

	return ret ? ret : add_data(tar, image, size);
}

int tar__add_link(struct archive *tar, const char *name, const char *target)
{
	return add_header(tar, name, target, 0777, 0, 0);
}

int tar__finish(struct archive *tar, int ret, struct err *err)
{
	if (!tar)
		return ret;
	if (ret)
		lib.archive_write_fail(tar); /* discard the rest */
	else if (lib.archive_write_close(tar))
		ret = err__set(err, error_of(tar), "cannot write the archive: %s", err__str(error_of(tar)));
	lib.archive_free(tar);
	return ret;
}

/* ---- reading ---- */

static int damaged(struct tar_in *t, const char *why, struct err *err)
{
	return err__set(err, -EBADMSG, "the archive is damaged at byte %lld of what it unpacks to: %s",
			(long long)lib.archive_filter_bytes(t->tar, 0), why ? why : "its end is missing");
}

int tar_in__open(struct tar_in *t, int fd, u64 *room, struct err *err)
{
	int ret = library__load(&lib_library, err);

	*t = (struct tar_in){ .room = room };
	if (ret)
		return ret;
	t->tar = lib.archive_read_new();
	if (!t->tar || lib.archive_read_support_filter_bzip2(t->tar) < ARCHIVE_WARN ||
	    lib.archive_read_support_filter_zstd(t->tar) < ARCHIVE_WARN ||
	    lib.archive_read_support_format_tar(t->tar))
		ret = err__set(err, -ENOMEM, "cannot read the archive: libarchive does not start");
	else if (lib.archive_read_open_fd(t->tar, fd, CHUNK)) /* this call reads the first bytes */
		ret = damaged(t, lib.archive_error_string(t->tar), err);
	if (ret)
		tar_in__close(t);
	return ret;
}

/* Subtract the bytes read since the last call from the room. */
static int tar_in__pay(struct tar_in *t)
{
	u64 now = (u64)lib.archive_filter_bytes(t->tar, 0), n = now - t->seen;

	t->seen = now;
	if (t->room && n > *t->room)
		return -E2BIG;
	if (t->room)
		*t->room -= n;
	return 0;
}

int tar_in__copy(struct tar_in *t, int fd, struct err *err)
{
	const void *data;
	size_t size;
	s64 offset, done = 0;
	int got;

	while ((got = lib.archive_read_data_block(t->tar, &data, &size, &offset)) != ARCHIVE_EOF) {
		int ret;

		if (got < ARCHIVE_WARN)
			return damaged(t, lib.archive_error_string(t->tar), err);
		if (offset != done)
			return damaged(t, "a file with holes, which perf archive does not make", err);
		ret = tar_in__pay(t);
		if (ret)
			return ret;
		ret = fd < 0 ? 0 : file__write_all(fd, data, size);
		if (ret)
			return err__set(err, ret, "%s", err__str(ret));
		done += (s64)size;
	}
	return 0;
}

int tar_in__next(struct tar_in *t, struct err *err)
{
	struct archive_entry *e;
	/* Skip the rest here: libarchive would skip it without a size limit. */
	int ret = t->name ? tar_in__copy(t, -1, err) : 0, got;

	if (ret)
		return ret;
	got = lib.archive_read_next_header(t->tar, &e);
	if (got == ARCHIVE_EOF)
		return 0;
	if (got < ARCHIVE_WARN)
		return damaged(t, lib.archive_error_string(t->tar), err);
	t->name = lib.archive_entry_pathname(e);
	if (!t->name)
		t->name = "";
	t->is_file = lib.archive_entry_filetype(e) == AE_IFREG && !lib.archive_entry_hardlink(e);
	ret = tar_in__pay(t);
	return ret ? ret : 1;
}

void tar_in__close(struct tar_in *t)
{
	if (t->tar)
		lib.archive_free(t->tar);
	t->tar = NULL;
}

#endif
