#include "format/data_file.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK_SIZE = 1 << 20 }; /* bytes, when records are looked for */

int data_file__failed(const struct data_file *f, int ret, struct err *err)
{
	if (!f->owns_fd)
		return err__set(err, ret, "cannot write to standard output: %s", err__str(ret));
	return err__set(err, ret, "cannot write '%s': %s", f->path, err__str(ret));
}

int data_file__open(struct data_file *f, const char *path, bool pipe, int level, struct err *err)
{
	*f = (struct data_file){ .fd = -1, .path = xstrdup(path), .is_pipe = pipe, .packed = STRBUF_INIT };
	if (level && !(f->zstd = zstd_stream__new(level)))
		return err__set(err, -ENOTSUP,
				"recordings cannot be compressed (-z): this perf was built without libzstd");
	if (!strcmp(path, "-")) {
		f->fd = STDOUT_FILENO;
		f->is_pipe = true;
		if (isatty(f->fd))
			return err__set(err, -EINVAL,
					"a recording is not written to a terminal: name a file with -o");
		return 0;
	}
	f->fd = open(path, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600);
	if (f->fd < 0 && errno == EACCES) { /* fifos and devices may be for writing only */
		f->fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
		if (f->fd < 0)
			errno = EACCES; /* not that there is no such file */
	}
	f->owns_fd = true;
	if (f->fd < 0)
		return data_file__failed(f, -errno, err);
	if (lseek(f->fd, 0, SEEK_CUR) < 0)
		f->is_pipe = true;
	return 0;
}

int data_file__put_header(struct data_file *f)
{
	return file__pwrite_all(f->fd, &f->header, sizeof(f->header), 0);
}

/* After a failure: how many of the bytes that reached the file are whole records. */
static u64 data_file__whole_records(const struct data_file *f)
{
	u8 *chunk = xmalloc(CHUNK_SIZE);
	u64 at = 0, in;

	do {
		u64 want = MIN(f->written - at, (u64)CHUNK_SIZE);
		ssize_t n = want ? file__pread_all(f->fd, chunk, want, f->header.data.offset + at) : 0;
		struct perf_event_header h;

		for (in = 0; n >= 0 && in + sizeof(h) <= (u64)n; in += h.size) {
			memcpy(&h, chunk + in, sizeof(h));
			if (h.size < sizeof(h) || in + h.size > (u64)n)
				break;
		}
		at += in;
	} while (in);
	free(chunk);
	return at;
}

int data_file__give_up(struct data_file *f, int error)
{
	f->error = error;
	if (f->is_pipe)
		return error;
	f->header.data.size = data_file__whole_records(f);
	memset(f->header.features, 0, sizeof(f->header.features));
	data_file__put_header(f); /* which takes no space */
	return error;
}

int data_file__put(struct data_file *f, const void *data, u64 size)
{
	const u8 *p = data;

	while (size) {
		ssize_t n = f->is_pipe ? write(f->fd, p, size) :
					 pwrite(f->fd, p, size, (off_t)(f->header.data.offset + f->written));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return data_file__give_up(f, n < 0 ? -errno : -EIO);
		p += n;
		size -= (u64)n;
		f->written += (u64)n;
	}
	return 0;
}

/* A piece of a zstd stream as records, of which each is a multiple of 8 bytes as the piece is. */
static int data_file__put_packed(struct data_file *f, const char *data, size_t size)
{
	enum { MOST = (UINT16_MAX & ~7) - sizeof(struct perf_event_header) };
	struct perf_event_header h = { .type = RECORD_COMPRESSED };
	struct strbuf out = STRBUF_INIT;
	int ret;

	for (size_t at = 0, part; at < size; at += part) {
		part = MIN(size - at, (size_t)MOST);
		h.size = (u16)(sizeof(h) + part);
		strbuf__add(&out, &h, sizeof(h));
		strbuf__add(&out, data + at, part);
	}
	ret = data_file__put(f, out.buf, out.len);
	strbuf__exit(&out);
	return ret;
}

int data_file__put_records(struct data_file *f, const void *data, u64 size)
{
	const u8 *p = data;
	int ret = f->error;

	if (!f->zstd)
		return ret ? ret : data_file__put(f, data, size);
	for (u64 at = 0, part; !ret && at < size; at += part) {
		part = MIN(size - at, (u64)DATA_FILE_BLOCK);
		strbuf__reset(&f->packed);
		ret = zstd_stream__add(f->zstd, p + at, part, &f->packed);
		ret = ret ? data_file__give_up(f, ret) : data_file__put_packed(f, f->packed.buf, f->packed.len);
		f->unpacked += part;
	}
	return ret;
}

int data_file__sync(struct data_file *f)
{
	if (f->is_pipe || f->error || f->header.data.size == f->written)
		return f->error;
	f->header.data.size = f->written;
	f->error = data_file__put_header(f);
	return f->error;
}

void data_file__exit(struct data_file *f)
{
	if (f->owns_fd && f->fd >= 0)
		close(f->fd);
	zstd_stream__delete(f->zstd);
	strbuf__exit(&f->packed);
	free(f->path);
}
