#include "format/file/zstd.h"

#include "base/memory/mem.h"

#include <errno.h>

#ifdef HAVE_LIBZSTD
#include <zstd.h>

struct unzstd {
	ZSTD_DStream *stream;
};

struct unzstd *unzstd__new(void)
{
	struct unzstd *z = xcalloc(1, sizeof(*z));

	z->stream = ZSTD_createDStream();
	if (!z->stream) {
		free(z);
		return NULL;
	}
	ZSTD_initDStream(z->stream);
	/* A window beyond this would let a file of a few bytes ask for gigabytes; perf's levels stay far
	 * below. */
	ZSTD_DCtx_setParameter(z->stream, ZSTD_d_windowLogMax, 27);
	return z;
}

void unzstd__delete(struct unzstd *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->stream);
	free(z);
}

ssize_t unzstd__run(struct unzstd *z, const void *in, size_t in_size, size_t *in_pos, void *out,
		    size_t out_size, struct err *err)
{
	ZSTD_inBuffer from = { in, in_size, *in_pos };
	ZSTD_outBuffer to = { out, out_size, 0 };

	if (!z)
		return err__set(err, -ENOTSUP, "no zstd stream");
	while (to.pos < to.size) {
		size_t in_before = from.pos, out_before = to.pos;
		size_t ret = ZSTD_decompressStream(z->stream, &to, &from);

		if (ZSTD_isError(ret))
			return err__set(err, -EBADMSG, "%s", ZSTD_getErrorName(ret));
		if (from.pos == in_before && to.pos == out_before)
			break;
	}
	*in_pos = from.pos;
	return (ssize_t)to.pos;
}

struct zstd_stream {
	ZSTD_CCtx *ctx;
};

struct zstd_stream *zstd_stream__new(int level)
{
	struct zstd_stream *z = xcalloc(1, sizeof(*z));

	z->ctx = ZSTD_createCCtx();
	if (!z->ctx) {
		free(z);
		return NULL;
	}
	ZSTD_CCtx_setParameter(z->ctx, ZSTD_c_compressionLevel, level);
	return z;
}

void zstd_stream__delete(struct zstd_stream *z)
{
	if (!z)
		return;
	ZSTD_freeCCtx(z->ctx);
	free(z);
}

/* Between two blocks of a stream a block of no bytes may stand (RFC 8878, 3.1.1.2): three zeros. */
static void add_empty_blocks(struct strbuf *out, size_t begin)
{
	while ((out->len - begin) % 8)
		strbuf__addchars(out, '\0', 3);
}

int zstd_stream__add(struct zstd_stream *z, const void *data, size_t size, struct strbuf *out)
{
	ZSTD_inBuffer from = { data, size, 0 };
	size_t begin = out->len, left;

	if (!z)
		return -ENOTSUP;
	do {
		ZSTD_outBuffer to = { NULL, ZSTD_compressBound(size - from.pos), 0 };

		strbuf__grow(out, to.size);
		to.dst = out->buf + out->len;
		left = ZSTD_compressStream2(z->ctx, &to, &from, ZSTD_e_flush);
		if (ZSTD_isError(left))
			return -EIO;
		strbuf__setlen(out, out->len + to.pos);
	} while (left);
	add_empty_blocks(out, begin);
	return 0;
}

int zstd__pack(const void *data, size_t size, struct strbuf *out)
{
	size_t n, room = ZSTD_compressBound(size);

	strbuf__grow(out, room);
	n = ZSTD_compress(out->buf + out->len, room, data, size, 3);
	if (ZSTD_isError(n))
		return -EINVAL;
	strbuf__setlen(out, out->len + n);
	return 0;
}

#else

struct unzstd *unzstd__new(void)
{
	return NULL;
}

void unzstd__delete(struct unzstd *z)
{
	(void)z;
}

ssize_t unzstd__run(struct unzstd *z, const void *in, size_t in_size, size_t *in_pos, void *out,
		    size_t out_size, struct err *err)
{
	(void)z, (void)in, (void)in_size, (void)in_pos, (void)out, (void)out_size;
	return err__set(err, -ENOTSUP, "this perf was built without libzstd");
}

struct zstd_stream *zstd_stream__new(int level)
{
	(void)level;
	return NULL;
}

void zstd_stream__delete(struct zstd_stream *z)
{
	(void)z;
}

int zstd_stream__add(struct zstd_stream *z, const void *data, size_t size, struct strbuf *out)
{
	(void)z, (void)data, (void)size, (void)out;
	return -ENOTSUP;
}

int zstd__pack(const void *data, size_t size, struct strbuf *out)
{
	(void)data, (void)size, (void)out;
	return -ENOTSUP;
}

#endif
