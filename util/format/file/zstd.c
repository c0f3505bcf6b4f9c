#include "format/file/zstd.h"

#include "base/memory/mem.h"
#include "base/system/library.h"

#include <errno.h>

#ifdef HAVE_LIBZSTD
#include <zstd.h>
#include <zstd_errors.h>

#define ZSTD_FUNCTIONS(F)         \
	F(ZSTD_createCCtx)        \
	F(ZSTD_CCtx_setParameter) \
	F(ZSTD_getErrorCode)      \
	F(ZSTD_freeCCtx) F(ZSTD_compressStream2) F(ZSTD_compressBound) F(ZSTD_isError) F(ZSTD_compress)
LIBRARY(zstd, "libzstd.so.1", "libzstd1", ZSTD_FUNCTIONS);

struct zstd_stream {
	ZSTD_CCtx *ctx;
};

struct zstd_stream *zstd_stream__new(int level, struct err *err)
{
	struct zstd_stream *z;

	if (library__load(&zstd_library, err))
		return NULL;
	z = xcalloc(1, sizeof(*z));
	z->ctx = zstd.ZSTD_createCCtx();
	if (!z->ctx) {
		err__set(err, -ENOMEM, "cannot compress: %s", err__str(-ENOMEM));
		free(z);
		return NULL;
	}
	zstd.ZSTD_CCtx_setParameter(z->ctx, ZSTD_c_compressionLevel, level);
	return z;
}

void zstd_stream__delete(struct zstd_stream *z)
{
	if (!z)
		return;
	zstd.ZSTD_freeCCtx(z->ctx);
	free(z);
}

/*
 * Blocks without content (RFC 8878, 3.1.1.2) are allowed between two blocks of a frame: three zeros. Append
 * them until the piece and `more` bytes after it have a multiple of 8 bytes.
 */
static void add_empty_blocks(struct strbuf *out, size_t begin, size_t more)
{
	while ((out->len - begin + more) % 8)
		strbuf__addchars(out, '\0', 3);
}

static int zstd_stream__run(struct zstd_stream *z, const void *data, size_t size, ZSTD_EndDirective what,
			    struct strbuf *out)
{
	ZSTD_inBuffer from = { data, size, 0 };
	size_t left;

	do {
		ZSTD_outBuffer to = { NULL, zstd.ZSTD_compressBound(size - from.pos), 0 };

		strbuf__grow(out, to.size);
		to.dst = out->buf + out->len;
		left = zstd.ZSTD_compressStream2(z->ctx, &to, &from, what);
		if (zstd.ZSTD_isError(left))
			return zstd.ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation ? -ENOMEM : -EIO;
		strbuf__setlen(out, out->len + to.pos);
	} while (left);
	return 0;
}

int zstd_stream__add(struct zstd_stream *z, const void *data, size_t size, bool end_frame, struct strbuf *out)
{
	enum { LAST_BLOCK = 3 }; /* bytes; the block is empty, because all content was flushed */
	size_t begin = out->len;
	int ret = z ? zstd_stream__run(z, data, size, ZSTD_e_flush, out) : -ENOTSUP;

	if (ret)
		return ret;
	add_empty_blocks(out, begin, end_frame ? LAST_BLOCK : 0);
	return end_frame ? zstd_stream__run(z, NULL, 0, ZSTD_e_end, out) : 0;
}

int zstd__pack(const void *data, size_t size, struct strbuf *out)
{
	size_t n, room;

	if (library__load(&zstd_library, NULL))
		return -ENOTSUP;
	room = zstd.ZSTD_compressBound(size);
	strbuf__grow(out, room);
	n = zstd.ZSTD_compress(out->buf + out->len, room, data, size, 3);
	if (zstd.ZSTD_isError(n))
		return -EINVAL;
	strbuf__setlen(out, out->len + n);
	return 0;
}

#else

LIBRARY_ABSENT(zstd, "libzstd", "libzstd-dev");

struct zstd_stream *zstd_stream__new(int level, struct err *err)
{
	(void)level;
	library__load(&zstd_library, err);
	return NULL;
}

void zstd_stream__delete(struct zstd_stream *z)
{
	(void)z;
}

int zstd_stream__add(struct zstd_stream *z, const void *data, size_t size, bool end_frame, struct strbuf *out)
{
	(void)z, (void)data, (void)size, (void)end_frame, (void)out;
	return -ENOTSUP;
}

int zstd__pack(const void *data, size_t size, struct strbuf *out)
{
	(void)data, (void)size, (void)out;
	return -ENOTSUP;
}

#endif
