/*
 * Input that cannot seek: read once, as it arrives, and kept in an unlinked temporary file for later passes.
 */
#include "base/system/clock.h"
#include "base/system/file.h"
#include "format/read/reader_private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	/* bytes of pipe buffer to ask for: fewer switches between writer and reader */
	PIPE_SIZE = 1 << 20,
	POLL_MS = 100, /* interval at which to check for Ctrl-C */
	/*
	 * Ctrl-C in a shell reaches both ends of a pipe. A recorder at the other end then completes its
	 * stream: wait for that.
	 */
	GRACE_MS = 3000,
};

struct reader_stream {
	int fd, spool;
	const char *path;
	u64 size;
	bool ended;
	u64 stop_asked; /* ms of the monotonic clock; 0: not asked */
};

int reader_stream__new(struct reader_stream **stream, int fd, const char *path, struct err *err)
{
	int spool = file__open_unnamed(NULL), out = spool, ret = 0;

	if (spool >= 0 && (out = fcntl(spool, F_DUPFD_CLOEXEC, 3)) < 0)
		out = -errno;
	if (out < 0) {
		ret = err__set(err, out, "cannot create a temporary file in '%s' for the stream: %s",
			       file__temp_dir(), err__str(out));
		file__close(spool);
		close(fd);
	} else {
		*stream = xcalloc(1, sizeof(**stream));
		**stream = (struct reader_stream){ .fd = fd, .path = path, .spool = spool };
		(void)fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE); /* fails if fd is not a pipe */
	}
	return ret ? ret : out;
}

void reader_stream__delete(struct reader_stream *s)
{
	if (!s)
		return;
	close(s->fd);
	close(s->spool);
	free(s);
}

u64 reader_stream__size(const struct reader_stream *s)
{
	return s->size;
}

/* Stop waiting? Yes if the user asked twice, or if the other end continues as if not asked. */
static bool reader_stream__is_stopped(struct reader_stream *s, struct reader *r)
{
	int nr = r->opts.stop ? __atomic_load_n(r->opts.stop, __ATOMIC_RELAXED) - r->nr_stops : 0;

	if (!nr)
		return false;
	if (!s->stop_asked)
		s->stop_asked = clock__ms();
	if (nr == 1 && clock__ms() - s->stop_asked < GRACE_MS)
		return false;
	return reader__is_stopped(r);
}

/* The end of the stream: a request to stop is done. */
static ssize_t reader_stream__end(struct reader_stream *s, struct reader *r)
{
	s->ended = true;
	if (s->stop_asked)
		r->nr_stops = __atomic_load_n(r->opts.stop, __ATOMIC_RELAXED);
	return 0;
}

ssize_t reader_stream__read(struct reader_stream *s, void *data, size_t size, struct reader *r,
			    struct err *err)
{
	struct pollfd pfd = { .fd = s->fd, .events = POLLIN };
	ssize_t n = -1;
	int ret;

	if (s->ended || !size)
		return 0;
	while (n < 0) {
		if (reader_stream__is_stopped(s, r))
			return -EINTR;
		ret = poll(&pfd, 1, r->opts.stop ? POLL_MS : -1);
		if (ret > 0)
			n = read(s->fd, data, size);
		if (ret && n < 0 && errno != EINTR && errno != EAGAIN) {
			ret = -errno;
			return err__set(err, ret, "'%s': %s", s->path, err__str(ret));
		}
	}
	if (!n)
		return reader_stream__end(s, r);
	ret = file__write_all(s->spool, data, (size_t)n);
	if (ret)
		return err__set(err, ret, "cannot write the stream to a temporary file in '%s': %s",
				file__temp_dir(), err__str(ret));
	s->size += (u64)n;
	return n;
}

int reader_stream__read_until(struct reader_stream *s, u64 size, struct reader *r, struct err *err)
{
	u8 *data = NULL;
	ssize_t n = 1;

	while (n > 0 && s->size < size) {
		if (!data)
			data = xmalloc(BLOCK_SIZE);
		n = reader_stream__read(s, data, (size_t)MIN((u64)BLOCK_SIZE, size - s->size), r, err);
	}
	free(data);
	return n < 0 ? (int)n : 0;
}
