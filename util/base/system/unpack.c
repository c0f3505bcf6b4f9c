#include "base/system/unpack.h"

#include "base/memory/mem.h"
#include "base/message/msg.h"
#include "base/system/library.h"

#include <errno.h>
#include <string.h>

#include <zlib.h>
#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif
#ifdef HAVE_LIBLZMA
#include <lzma.h>
#endif
#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif

/*
 * A step takes some of u->in and returns the bytes that it wrote, or -EBADMSG; *why may be the library's
 * words for that, or NULL.
 */

/* ---- zlib ---- */

static void *zlib_open(int window_bits)
{
	z_stream *z = xcalloc(1, sizeof(*z));

	if (inflateInit2(z, window_bits) == Z_OK)
		return z;
	free(z);
	return NULL;
}

static void *gzip_open(void)
{
	return zlib_open(15 + 32); /* its header, or zlib's */
}

static void *deflate_open(void)
{
	return zlib_open(-MAX_WBITS);
}

static ssize_t zlib_step(struct unpacker *u, void *out, size_t out_size, const char **why)
{
	uInt size = (uInt)MIN(u->size, (size_t)1 << 30), room = (uInt)MIN(out_size, (size_t)1 << 30);
	z_stream *z = u->stream;
	int ret;

	z->next_in = (u8 *)(uintptr_t)u->in;
	z->avail_in = size;
	z->next_out = out;
	z->avail_out = room;
	ret = inflate(z, Z_NO_FLUSH);
	u->in += size - z->avail_in;
	u->size -= size - z->avail_in;
	u->at_end = ret == Z_STREAM_END;
	*why = z->msg;
	return ret == Z_OK || ret == Z_BUF_ERROR || u->at_end ? (ssize_t)(room - z->avail_out) : -EBADMSG;
}

static void zlib_close(void *stream)
{
	inflateEnd(stream);
	free(stream);
}

/* ---- xz ---- */

#ifdef HAVE_LIBLZMA
#define LZMA_FUNCTIONS(F) F(lzma_stream_decoder) F(lzma_code) F(lzma_end)
LIBRARY(lzma, "liblzma.so.5", "liblzma5", LZMA_FUNCTIONS);

static void *xz_open(void)
{
	lzma_stream *z = xcalloc(1, sizeof(*z)); /* as LZMA_STREAM_INIT */

	if (lzma.lzma_stream_decoder(z, 256 << 20, LZMA_CONCATENATED) == LZMA_OK)
		return z;
	free(z);
	return NULL;
}

/* Unpack a part. u->in has all of the input: liblzma needs it to know whether another stream follows. */
static ssize_t xz_step(struct unpacker *u, void *out, size_t out_size, const char **why)
{
	lzma_stream *z = u->stream;
	lzma_ret ret;

	z->next_in = u->in;
	z->avail_in = u->size;
	z->next_out = out;
	z->avail_out = out_size;
	ret = lzma.lzma_code(z, LZMA_FINISH);
	*why = ret == LZMA_MEMLIMIT_ERROR ? "it needs too much memory" : NULL;
	u->in = z->next_in;
	u->size = z->avail_in;
	u->at_end = ret == LZMA_STREAM_END;
	return ret == LZMA_OK || ret == LZMA_BUF_ERROR || u->at_end ? (ssize_t)(out_size - z->avail_out)
								    : -EBADMSG;
}

static void xz_close(void *stream)
{
	lzma.lzma_end(stream);
	free(stream);
}
#else
LIBRARY_ABSENT(lzma, "liblzma", "liblzma-dev");
#define xz_open NULL
#define xz_step NULL
#define xz_close NULL
#endif

/* ---- zstd ---- */

#ifdef HAVE_LIBZSTD
#define ZSTD_FUNCTIONS(F)     \
	F(ZSTD_createDStream) \
	F(ZSTD_decompressStream) F(ZSTD_freeDStream) F(ZSTD_isError) F(ZSTD_getErrorName)
LIBRARY(zstd, "libzstd.so.1", "libzstd1", ZSTD_FUNCTIONS);

/* libzstd refuses windows of more than 128 MiB by default; a file of a few bytes could ask for more. */
static void *zstd_open(void)
{
	return zstd.ZSTD_createDStream();
}

static ssize_t zstd_step(struct unpacker *u, void *out, size_t out_size, const char **why)
{
	ZSTD_inBuffer from = { u->in, u->size, 0 };
	ZSTD_outBuffer to = { out, out_size, 0 };
	size_t ret = zstd.ZSTD_decompressStream(u->stream, &to, &from);

	u->in += from.pos;
	u->size -= from.pos;
	u->at_end = ret == 0;
	*why = zstd.ZSTD_getErrorName(ret);
	return zstd.ZSTD_isError(ret) ? -EBADMSG : (ssize_t)to.pos;
}

static void zstd_close(void *stream)
{
	zstd.ZSTD_freeDStream(stream);
}
#else
LIBRARY_ABSENT(zstd, "libzstd", "libzstd-dev");
#define zstd_open NULL
#define zstd_step NULL
#define zstd_close NULL
#endif

/* ---- all of them ---- */

static const struct format {
	const char *name, *magic;
	struct library *library; /* NULL: linked */
	void *(*open)(void);
	ssize_t (*step)(struct unpacker *u, void *out, size_t out_size, const char **why);
	void (*close)(void *stream);
} formats[] = {
	[UNPACK_NONE] = { "unknown", "", NULL, NULL, NULL, NULL },
	[UNPACK_GZIP] = { "gzip", "\x1f\x8b", NULL, gzip_open, zlib_step, zlib_close },
	[UNPACK_DEFLATE] = { "zlib", "", NULL, deflate_open, zlib_step, zlib_close },
	[UNPACK_XZ] = { "xz", "\xfd\x37zXZ", &lzma_library, xz_open, xz_step, xz_close },
	[UNPACK_ZSTD] = { "zstd", "\x28\xb5\x2f\xfd", &zstd_library, zstd_open, zstd_step, zstd_close },
};

enum unpack_format unpack__format_of(const void *data, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		size_t len = strlen(formats[i].magic);

		if (len && size > len && !memcmp(data, formats[i].magic, len))
			return (enum unpack_format)i;
	}
	return UNPACK_NONE;
}

/* Callers without err leave out what cannot be unpacked; warn the user once for each format. */
static int format__load(const struct format *f, struct err *err)
{
	static bool is_told[ARRAY_SIZE(formats)];
	struct err own = ERR_INIT;
	int ret = f->library ? library__load(f->library, err ? err : &own) : 0;

	if (own.code && !__atomic_exchange_n(&is_told[f - formats], true, __ATOMIC_RELAXED))
		warning("what is compressed with %s is left out: %s", f->name, own.text.buf);
	err__exit(&own);
	return ret;
}

static int unpacker__open(struct unpacker *u, const struct format *f, struct err *err)
{
	int ret = format__load(f, err);

	if (ret)
		return ret;
	u->stream = f->open ? f->open() : NULL;
	return u->stream ? 0
			 : err__set(err, -ENOMEM, "cannot unpack %s data: %s", f->name, err__str(-ENOMEM));
}

ssize_t unpacker__run(struct unpacker *u, void *out, size_t out_size, struct err *err)
{
	const struct format *f = &formats[u->format];
	size_t done = 0;
	int ret = u->stream ? 0 : unpacker__open(u, f, err);

	while (!ret && done < out_size && !(u->at_end && !u->size)) {
		size_t before = u->size;
		const char *why = NULL;
		ssize_t n = f->step(u, (u8 *)out + done, out_size - done, &why);

		if (n < 0 && why)
			ret = err__set(err, (int)n, "%s", why);
		else if (n < 0)
			ret = err__set(err, (int)n, "the %s data is damaged", f->name);
		else if (!n && u->size == before)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	return ret ? ret : (ssize_t)done;
}

void unpacker__close(struct unpacker *u)
{
	if (u->stream)
		formats[u->format].close(u->stream);
	u->stream = NULL;
	u->at_end = false;
}

int unpack__all(enum unpack_format format, const void *data, size_t size, size_t max, struct strbuf *out,
		struct err *err)
{
	enum { STEP = 1 << 20 };
	struct unpacker u = { .format = format, .in = data, .size = size };
	size_t begin = out->len;
	ssize_t n;

	do {
		strbuf__grow(out, STEP);
		n = unpacker__run(&u, out->buf + out->len, STEP, err);
		strbuf__setlen(out, out->len + (n > 0 ? (size_t)n : 0));
	} while (n == STEP && out->len - begin <= max);
	if (n >= 0 && out->len - begin > max)
		n = err__set(err, -EFBIG, "it unpacks to more than %zu bytes", max);
	else if (n >= 0 && !u.at_end)
		n = err__set(err, -EBADMSG, "the %s data ends too early", formats[format].name);
	unpacker__close(&u);
	return n < 0 ? (int)n : 0;
}

/* ---- libdeflate ---- */

#ifdef HAVE_LIBDEFLATE
#define DEFLATE_FUNCTIONS(F)             \
	F(libdeflate_alloc_decompressor) \
	F(libdeflate_deflate_decompress) F(libdeflate_free_decompressor)
LIBRARY(fast, "libdeflate.so.0", "libdeflate0", DEFLATE_FUNCTIONS);

bool unpack__deflate(const void *data, size_t size, void *out, size_t out_size)
{
	struct libdeflate_decompressor *d;
	struct err err = ERR_INIT;
	bool is_good = false;

	if (!library__load(&fast_library, &err) && (d = fast.libdeflate_alloc_decompressor())) {
		is_good = fast.libdeflate_deflate_decompress(d, data, size, out, out_size, NULL) ==
			  LIBDEFLATE_SUCCESS;
		fast.libdeflate_free_decompressor(d);
	}
	err__exit(&err);
	return is_good;
}
#else
bool unpack__deflate(const void *data, size_t size, void *out, size_t out_size)
{
	return false;
}
#endif
