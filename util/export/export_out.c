#include "export/export_out.h"

#include "base/memory/mem.h"
#include "base/system/file.h"
#include "base/system/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
	GZIP_WINDOW = 15 + 16 /* zlib: a gzip header, 32 KiB of window */,
	GZIP_LEVEL = 3,
	QUEUE_ROOM = 2 << 20, /* bytes that wait for the thread that writes */
	LINKS_MAX = 40,       /* of one path, as of the kernel */
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

/* A device or a pipe is written as it is: it cannot be renamed. */
static bool is_other_than_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

/* Return the folder of a path, with '/' at its end unless it is the working folder; to be freed. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xasprintf("%.*s", (int)(slash - path) + 1, path) : xstrdup("");
}

/*
 * Return a copy of the descriptor that a path leads to by its links, as /dev/stdout does, or -1: none. Such a
 * link must not be replaced, and a copy goes on where the descriptor's file ends.
 */
static int descriptor_of(const char *path)
{
	char *own = xasprintf("/proc/%d/fd", (int)getpid()), *at = xstrdup(path);
	int fd = -1;

	for (unsigned i = 0; at && fd < 0 && i < LINKS_MAX; i++) {
		char *folder = folder_of(at), *real = realpath(*folder ? folder : ".", NULL), *next = NULL;
		char link[PATH_MAX];
		ssize_t len = readlink(at, link, sizeof(link) - 1);

		if (len > 0 && real && !strcmp(real, own))
			fd = fcntl(atoi(at + strlen(folder)), F_DUPFD_CLOEXEC, 0);
		else if (len > 0)
			next = xasprintf("%s%.*s", *link == '/' ? "" : folder, (int)len, link);
		free(folder);
		free(real);
		free(at);
		at = next;
	}
	free(own);
	free(at);
	return fd;
}

/*
 * Open a file without a name in the folder of the output, so that nothing is left if the program is killed;
 * where the file system has no such files, one that is renamed.
 */
static int export_out__open_file(struct export_out *o)
{
	char *folder;
	int fd;

	o->target = realpath(o->path, NULL);
	if (!o->target) /* it is not there yet */
		o->target = xstrdup(o->path);
	folder = folder_of(o->target);
	fd = open(*folder ? folder : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	free(folder);
	o->temporary = xasprintf("%s.%d.part", o->target, (int)getpid());
	o->is_unnamed = fd >= 0;
	if (fd < 0)
		fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return fd;
}

int export_out__open(struct export_out *o, const char *path, bool gzip, struct err *err)
{
	*o = (struct export_out){ .text = STRBUF_INIT, .fd = STDOUT_FILENO };
	if (path) {
		o->path = xstrdup(path);
		o->fd = descriptor_of(path);
		if (o->fd < 0)
			o->fd = is_other_than_file(path) ? open(path, O_WRONLY | O_CLOEXEC)
							 : export_out__open_file(o);
	}
	if (o->fd < 0) {
		int ret = err__set_output(err, -errno, path);

		free(o->path);
		free(o->target);
		free(o->temporary);
		return ret;
	}
	return gzip ? export_out__start_gzip(o, err) : 0;
}

static void export_out__write_bytes(struct export_out *o, const void *data, size_t size)
{
	if (!export_out__error(o))
		__atomic_store_n(&o->error, file__write_all(o->fd, data, size), __ATOMIC_RELAXED);
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

/* Give the complete file its name. */
static int export_out__name(struct export_out *o)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", o->fd);
	if (o->is_unnamed && linkat(AT_FDCWD, link, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW))
		return -errno;
	if (!rename(o->temporary, o->target))
		return 0;
	o->is_unnamed = false;
	return -errno;
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
	if (is_good && !o->error && o->temporary)
		o->error = export_out__name(o);
	ret = o->error;
	if (o->temporary && !o->is_unnamed && (!is_good || ret))
		unlink(o->temporary);
	if (o->path && close(o->fd) && !ret)
		ret = -errno;
	if (ret && o->path)
		err__set_output(err, ret, o->path);
	else if (ret)
		err__set(err, ret, "cannot write to standard output: %s", err__str(ret));
	strbuf__exit(&o->text);
	free(o->path);
	free(o->target);
	free(o->temporary);
	return ret;
}
