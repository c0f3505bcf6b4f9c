#include "export/export_out.h"

#include "base/memory/mem.h"
#include "base/system/file.h"
#include "base/system/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

enum {
	GZIP_WINDOW = 15 + 16 /* zlib: a gzip header, 32 KiB of window */,
	GZIP_LEVEL = 3,
	QUEUE_ROOM = 2 << 20 /* bytes that wait for the thread that writes */,
};

static int export_out__start_gzip(struct export_out *o, struct err *err)
{
	z_stream *z = xcalloc(1, sizeof(*z));

	if (deflateInit2(z, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(z);
		return err__set(err, -ENOMEM, "zlib does not start");
	}
	o->gzip = z;
	o->packed = xmalloc(EXPORT_OUT_BLOCK);
	return 0;
}

int export_out__open(struct export_out *o, const char *path, mode_t mode, bool gzip, struct err *err)
{
	int ret = 0;

	*o = (struct export_out){ .text = STRBUF_INIT, .file = { .fd = STDOUT_FILENO } };
	if (path)
		ret = output_file__open(&o->file, path, mode, err);
	if (!ret && gzip) {
		ret = export_out__start_gzip(o, err);
		if (ret && path)
			output_file__close(&o->file, false, NULL);
	}
	return ret;
}

static void export_out__write_bytes(struct export_out *o, const void *data, size_t size)
{
	if (!export_out__error(o))
		__atomic_store_n(&o->error, file__write_all(o->file.fd, data, size), __ATOMIC_RELAXED);
	o->size += size;
}

static void export_out__pack(struct export_out *o, const struct strbuf *text, int flush)
{
	z_stream *z = o->gzip;

	z->next_in = (u8 *)text->buf;
	z->avail_in = (uInt)text->len;
	do {
		z->next_out = o->packed;
		z->avail_out = EXPORT_OUT_BLOCK;
		deflate(z, flush);
		export_out__write_bytes(o, o->packed, EXPORT_OUT_BLOCK - z->avail_out);
	} while (!z->avail_out);
}

static void export_out__write_text(struct export_out *o, const struct strbuf *text)
{
	if (o->gzip)
		export_out__pack(o, text, Z_NO_FLUSH);
	else
		export_out__write_bytes(o, text->buf, text->len);
}

static void *export_out__run(void *out)
{
	struct export_out *o = out;
	struct parcel *p;

	while ((p = parcel_queue__take(o->queue))) {
		export_out__write_text(o, &p->bytes);
		parcel_queue__done(o->queue, p);
	}
	return NULL;
}

/* Start the thread that writes; without one, the caller writes. */
static void export_out__start_thread(struct export_out *o)
{
	o->is_threaded = false;
	o->queue = parcel_queue__new(QUEUE_ROOM);
	if (!thread__start(&o->writer, export_out__run, o))
		return;
	parcel_queue__delete(o->queue);
	o->queue = NULL;
}

void export_out__write(struct export_out *o)
{
	struct parcel *p;
	struct strbuf text;

	if (o->is_threaded)
		export_out__start_thread(o);
	if (!o->queue) {
		export_out__write_text(o, &o->text);
		strbuf__reset(&o->text);
		return;
	}
	p = parcel_queue__fresh(o->queue, 0);
	text = p->bytes;
	p->bytes = o->text;
	o->text = text;
	parcel_queue__put(o->queue, p, true);
}

void export_out__add(struct export_out *o, const char *bytes, size_t size)
{
	while (size) {
		size_t n = MIN(size, (size_t)EXPORT_OUT_BLOCK);

		strbuf__add(&o->text, bytes, n);
		export_out__flow(o);
		bytes += n;
		size -= n;
	}
}

/* Write the rest, and wait until all is written. */
static void export_out__finish(struct export_out *o)
{
	o->is_threaded = false; /* one block does not pay for a thread */
	export_out__write(o);
	if (!o->queue)
		return;
	parcel_queue__close(o->queue);
	pthread_join(o->writer, NULL);
	parcel_queue__delete(o->queue);
	o->queue = NULL;
}

static void export_out__end_gzip(struct export_out *o)
{
	export_out__pack(o, &o->text, Z_FINISH);
	deflateEnd(o->gzip);
	free(o->gzip);
	free(o->packed);
}

int export_out__close(struct export_out *o, bool is_good, struct err *err)
{
	int ret;

	export_out__finish(o);
	if (o->gzip)
		export_out__end_gzip(o);
	ret = o->error;
	if (ret && o->file.path)
		err__set_output(err, ret, o->file.path);
	else if (ret)
		err__set(err, ret, "cannot write to standard output: %s", err__str(ret));
	if (o->file.path) {
		int closed = output_file__close(&o->file, is_good && !ret, ret ? NULL : err);

		ret = ret ? ret : closed;
	}
	strbuf__exit(&o->text);
	return ret;
}
