#include "cache/packed.h"

#include "base/system/file.h"
#include "base/memory/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_LIBBZ2
#include <bzlib.h>
#else
typedef void BZFILE;
#endif

struct packed_out {
	FILE *file;
	BZFILE *bz;
	int error; /* the first one */
};

struct packed_in {
	FILE *file;
	BZFILE *bz; /* NULL: plain */
	bool at_end;
};

const char *packed__suffix(void)
{
#ifdef HAVE_LIBBZ2
	return ".bz2";
#else
	return "";
#endif
}

int packed_out__open(struct packed_out **out, int fd, struct err *err)
{
	struct packed_out *p = xcalloc(1, sizeof(*p));

	p->file = fdopen(fd, "wb");
	if (!p->file) {
		close(fd);
		free(p);
		return err__set(err, -EINVAL, "cannot write the archive");
	}
#ifdef HAVE_LIBBZ2
	int code;

	p->bz = BZ2_bzWriteOpen(&code, p->file, 9, 0, 0);
	if (!p->bz)
		p->error = -ENOMEM;
#endif
	*out = p;
	return 0;
}

int packed_out__write(struct packed_out *p, const void *data, size_t size)
{
	while (size && !p->error) {
		size_t n = MIN(size, (size_t)1 << 20);

#ifdef HAVE_LIBBZ2
		int code;

		errno = 0;
		BZ2_bzWrite(&code, p->bz, (void *)(uintptr_t)data, (int)n);
		if (code != BZ_OK)
			p->error = errno ? -errno : -EIO;
#else
		if (fwrite(data, 1, n, p->file) != n)
			p->error = -errno;
#endif
		data = (const char *)data + n;
		size -= n;
	}
	return p->error;
}

int packed_out__close(struct packed_out *p)
{
	int ret;

	if (!p)
		return 0;
#ifdef HAVE_LIBBZ2
	int code;

	errno = 0;
	if (p->bz)
		BZ2_bzWriteClose(&code, p->bz, p->error != 0, NULL, NULL);
	if (p->bz && code != BZ_OK && !p->error)
		p->error = errno ? -errno : -EIO;
#endif
	ret = p->error;
	if (fclose(p->file) && !ret)
		ret = -errno;
	free(p);
	return ret;
}

int packed_in__open(struct packed_in **in, int fd, struct err *err)
{
	struct packed_in *p = xcalloc(1, sizeof(*p));
	char magic[3] = "";
	int ret = 0;

	p->file = fdopen(fd, "rb");
	if (!p->file) {
		close(fd);
		free(p);
		return err__set(err, -EINVAL, "cannot read the archive");
	}
	if (fread(magic, 1, sizeof(magic), p->file) == sizeof(magic) && !memcmp(magic, "BZh", 3)) {
#ifdef HAVE_LIBBZ2
		int code;

		rewind(p->file);
		p->bz = BZ2_bzReadOpen(&code, p->file, 0, 0, NULL, 0);
		ret = p->bz ? 0 : err__set(err, -ENOMEM, "cannot read the archive");
#else
		ret = err__set(err, -ENOTSUP,
			       "the archive is compressed, and this perf was built without libbz2");
#endif
	}
	if (!p->bz)
		rewind(p->file);
	if (ret) {
		packed_in__close(p);
		return ret;
	}
	*in = p;
	return 0;
}

ssize_t packed_in__read(struct packed_in *p, void *data, size_t size)
{
	size_t n;

	if (p->at_end)
		return 0;
#ifdef HAVE_LIBBZ2
	if (p->bz) {
		int code, got = BZ2_bzRead(&code, p->bz, data, (int)MIN(size, (size_t)1 << 20));

		p->at_end = code == BZ_STREAM_END;
		return code == BZ_OK || p->at_end ? got : -EBADMSG;
	}
#endif
	n = fread(data, 1, size, p->file);
	return n || !ferror(p->file) ? (ssize_t)n : -EIO;
}

void packed_in__close(struct packed_in *p)
{
	if (!p)
		return;
#ifdef HAVE_LIBBZ2
	int code;

	if (p->bz)
		BZ2_bzReadClose(&code, p->bz);
#endif
	fclose(p->file);
	free(p);
}
