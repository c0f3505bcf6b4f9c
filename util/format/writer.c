#include "format/writer.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	WRITER_BUFFER = 1 << 20,
	ATTR_BYTES_MAX = 128, /* PERF_ATTR_SIZE_VER7: what every perf of today reads */
	RECORD_SIZE_MAX = UINT16_MAX,
};

struct writer_feature {
	enum feature id;
	void *data;
	size_t size;
};

struct writer {
	int fd;
	bool pipe, owns_fd, begun, finished;
	int error; /* the first one; from then on nothing is appended */
	char *path;
	struct perf_data_header header;
	u64 data_size; /* records, those in the buffer included */
	u64 written;   /* of these, how much is in the file; pipe: bytes of the stream */
	size_t used;
	u8 *buffer;
	ARRAY(struct writer_feature) features;
};

static int writer__failed(const struct writer *w, int ret, struct err *err)
{
	if (!w->owns_fd)
		return err__set(err, ret, "cannot write to standard output: %s", err__str(ret));
	return err__set(err, ret, "cannot write '%s': %s", w->path, err__str(ret));
}

static int writer__open_fd(struct writer *w, struct err *err)
{
	if (!strcmp(w->path, "-")) {
		w->fd = STDOUT_FILENO;
		w->pipe = true;
		if (isatty(w->fd))
			return err__set(err, -EINVAL,
					"a recording is not written to a terminal: name a file with -o");
		return 0;
	}
	w->fd = open(w->path, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600);
	if (w->fd < 0 && errno == EACCES) { /* fifos and devices may be for writing only */
		w->fd = open(w->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
		if (w->fd < 0)
			errno = EACCES; /* not that there is no such file */
	}
	w->owns_fd = true;
	if (w->fd < 0)
		return writer__failed(w, -errno, err);
	if (lseek(w->fd, 0, SEEK_CUR) < 0)
		w->pipe = true;
	return 0;
}

int writer__open(struct writer **out, const char *path, const struct writer_opts *opts, struct err *err)
{
	struct writer *w = xcalloc(1, sizeof(*w));
	int ret;

	w->fd = -1;
	w->path = xstrdup(path);
	w->pipe = opts && opts->pipe;
	ret = writer__open_fd(w, err);
	if (ret) {
		writer__delete(w);
		return ret;
	}
	w->buffer = xmalloc(WRITER_BUFFER);
	*out = w;
	return 0;
}

static int writer__put_header(struct writer *w)
{
	return file__pwrite_all(w->fd, &w->header, sizeof(w->header), 0);
}

/* After a failure: how many of the bytes that reached the file are whole records. */
static u64 writer__whole_records(const struct writer *w)
{
	u8 *chunk = w->buffer;
	u64 at = 0;

	for (;;) {
		u64 want = MIN(w->written - at, (u64)WRITER_BUFFER), in = 0;
		ssize_t n = want ? file__pread_all(w->fd, chunk, want, w->header.data.offset + at) : 0;
		struct perf_event_header h;

		while (n >= 0 && in + sizeof(h) <= (u64)n) {
			memcpy(&h, chunk + in, sizeof(h));
			if (h.size < sizeof(h) || in + h.size > (u64)n)
				break;
			in += h.size;
		}
		if (!in)
			return at;
		at += in;
	}
}

/* Nothing more can be appended: the header says how much can be read, which takes no space. */
static int writer__give_up(struct writer *w, int error)
{
	w->error = error;
	if (w->pipe)
		return error;
	w->header.data.size = writer__whole_records(w);
	memset(w->header.features, 0, sizeof(w->header.features));
	writer__put_header(w);
	return error;
}

/* Appends to the file behind what is there. w->written says how far it came, even when it fails. */
static int writer__put(struct writer *w, const void *data, u64 size)
{
	const u8 *p = data;

	while (size) {
		ssize_t n = w->pipe ? write(w->fd, p, size)
				    : pwrite(w->fd, p, size, (off_t)(w->header.data.offset + w->written));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return writer__give_up(w, n < 0 ? -errno : -EIO);
		p += n;
		size -= (u64)n;
		w->written += (u64)n;
	}
	return 0;
}

static int writer__flush(struct writer *w)
{
	size_t used = w->used;

	if (w->error)
		return w->error;
	w->used = 0;
	return writer__put(w, w->buffer, used);
}

static int writer__append(struct writer *w, const void *data, u64 size)
{
	int ret;

	if (w->error)
		return w->error;
	if (size > WRITER_BUFFER - w->used) {
		ret = writer__flush(w);
		if (ret)
			return ret;
		if (size >= WRITER_BUFFER)
			return writer__put(w, data, size);
	}
	memcpy(w->buffer + w->used, data, size);
	w->used += size;
	return 0;
}

/* The attr as it goes into the file: at most what older readers know. */
static size_t evsel__file_attr(const struct evsel *e, struct perf_event_attr *attr)
{
	*attr = e->attr;
	attr->size = ATTR_BYTES_MAX;
	return ATTR_BYTES_MAX;
}

static void add_record(struct strbuf *out, u32 type, size_t at)
{
	struct perf_event_header h = { .type = type };

	strbuf__addchars(out, '\0', ROUND_UP(out->len, 8) - out->len);
	h.size = (u16)(out->len - at);
	memcpy(out->buf + at, &h, sizeof(h));
}

static void add_pipe_evsel(struct strbuf *out, const struct evsel *e)
{
	size_t at = out->len,
	       max = (RECORD_SIZE_MAX & ~7) - sizeof(struct perf_event_header) - ATTR_BYTES_MAX;
	struct perf_event_attr attr;
	size_t attr_size = evsel__file_attr(e, &attr);

	strbuf__addchars(out, '\0', sizeof(struct perf_event_header));
	strbuf__add(out, &attr, attr_size);
	strbuf__add(out, e->ids.v, MIN(e->ids.nr, max / sizeof(u64)) * sizeof(u64));
	add_record(out, RECORD_HEADER_ATTR, at);
}

static void add_pipe_name(struct strbuf *out, const struct evsel *e)
{
	const u64 head[2] = { EVENT_UPDATE_NAME, e->ids.nr ? e->ids.v[0] : 0 };
	size_t at = out->len;

	if (!e->name || !e->ids.nr)
		return;
	strbuf__addchars(out, '\0', sizeof(struct perf_event_header));
	strbuf__add(out, head, sizeof(head));
	strbuf__add(out, e->name, strnlen(e->name, 4095));
	strbuf__addch(out, '\0');
	add_record(out, RECORD_EVENT_UPDATE, at);
}

static int writer__begin_pipe(struct writer *w, const struct evlist *l)
{
	const u64 head[2] = { PERF_DATA_MAGIC2, PERF_DATA_PIPE_HEADER_SIZE };
	struct strbuf out = STRBUF_INIT;
	int ret;

	strbuf__add(&out, head, sizeof(head));
	for (size_t i = 0; i < l->evsels.nr; i++)
		add_pipe_evsel(&out, l->evsels.v[i]);
	for (size_t i = 0; i < l->evsels.nr; i++)
		add_pipe_name(&out, l->evsels.v[i]);
	ret = writer__append(w, out.buf, out.len);
	strbuf__exit(&out);
	return ret;
}

/* Header, ids of all events, attrs; then the records. */
static int writer__begin_file(struct writer *w, const struct evlist *l)
{
	struct perf_data_header *h = &w->header;
	struct strbuf out = STRBUF_INIT;
	u64 ids_at = sizeof(*h);
	int ret;

	strbuf__addchars(&out, '\0', sizeof(*h));
	for (size_t i = 0; i < l->evsels.nr; i++)
		strbuf__add(&out, l->evsels.v[i]->ids.v, l->evsels.v[i]->ids.nr * sizeof(u64));
	h->attrs.offset = out.len;
	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i];
		struct perf_data_section ids = { .offset = ids_at, .size = e->ids.nr * sizeof(u64) };
		struct perf_event_attr attr;
		size_t attr_size = evsel__file_attr(e, &attr);

		strbuf__add(&out, &attr, attr_size);
		strbuf__add(&out, &ids, sizeof(ids));
		ids_at += ids.size;
	}
	h->magic = PERF_DATA_MAGIC2;
	h->size = sizeof(*h);
	h->attr_size = ATTR_BYTES_MAX + sizeof(struct perf_data_section);
	h->attrs.size = out.len - h->attrs.offset;
	h->data.offset = out.len;
	memcpy(out.buf, h, sizeof(*h));
	ret = file__pwrite_all(w->fd, out.buf, out.len, 0);
	strbuf__exit(&out);
	return ret;
}

int writer__begin(struct writer *w, const struct evlist *l, struct err *err)
{
	int ret = w->pipe ? writer__begin_pipe(w, l) : writer__begin_file(w, l);

	w->begun = true;
	w->error = ret;
	return ret ? writer__failed(w, ret, err) : 0;
}

int writer__write(struct writer *w, const void *data, u64 size)
{
	int ret = w->error;

	if (!ret)
		ret = writer__append(w, data, size);
	if (!ret)
		w->data_size += size;
	return ret;
}

int writer__sync(struct writer *w)
{
	int ret = writer__flush(w);

	if (w->pipe || ret || w->header.data.size == w->written)
		return ret;
	w->header.data.size = w->written;
	ret = writer__put_header(w);
	w->error = ret;
	return ret;
}

u64 writer__data_size(const struct writer *w)
{
	return w->data_size;
}

bool writer__is_pipe(const struct writer *w)
{
	return w->pipe;
}

/* The BUILD_ID section is a row of records without a type: in a pipe they are HEADER_BUILD_ID records. */
static int writer__pipe_build_ids(struct writer *w, const u8 *data, size_t size)
{
	struct strbuf out = STRBUF_INIT;
	struct perf_event_header h;
	int ret;

	for (size_t at = 0; at + sizeof(h) <= size; at += h.size) {
		size_t begin = out.len;

		memcpy(&h, data + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > size - at)
			break;
		strbuf__add(&out, data + at, h.size);
		add_record(&out, RECORD_HEADER_BUILD_ID, begin);
		memcpy(out.buf + begin + offsetof(struct perf_event_header, misc), &h.misc, sizeof(h.misc));
	}
	ret = writer__append(w, out.buf, out.len);
	strbuf__exit(&out);
	return ret;
}

/* Of any size, so it stands behind its record. */
static int writer__pipe_tracing_data(struct writer *w, const void *data, size_t size)
{
	size_t padded = ROUND_UP(size, 8);
	struct {
		struct perf_event_header header;
		u32 size, zero;
	} head = { { .type = RECORD_HEADER_TRACING_DATA, .size = sizeof(head) }, (u32)padded, 0 };
	static const char padding[8];
	int ret;

	if (w->data_size || padded > UINT32_MAX)
		return 0;
	ret = writer__append(w, &head, sizeof(head));
	if (!ret)
		ret = writer__append(w, data, size);
	return ret ? ret : writer__append(w, padding, padded - size);
}

static int writer__pipe_feature(struct writer *w, enum feature f, const void *data, size_t size)
{
	struct {
		struct perf_event_header header;
		u64 feature;
	} head = { { .type = RECORD_HEADER_FEATURE }, f };
	static const char padding[8];
	size_t padded = ROUND_UP(size, 8);
	int ret;

	if (f == FEATURE_BUILD_ID)
		return writer__pipe_build_ids(w, data, size);
	if (f == FEATURE_TRACING_DATA)
		return writer__pipe_tracing_data(w, data, size);
	if (w->data_size || sizeof(head) + padded > RECORD_SIZE_MAX)
		return 0; /* too late, or too long for a record: a stream does without */
	head.header.size = (u16)(sizeof(head) + padded);
	array__add(&w->features, ((struct writer_feature){ .id = f }));
	ret = writer__append(w, &head, sizeof(head));
	if (!ret)
		ret = writer__append(w, data, size);
	return ret ? ret : writer__append(w, padding, padded - size);
}

int writer__feature(struct writer *w, enum feature f, const void *data, size_t size)
{
	if (w->pipe)
		return writer__pipe_feature(w, f, data, size);
	for (size_t i = 0; i < w->features.nr; i++) {
		if (w->features.v[i].id == f) {
			free(w->features.v[i].data);
			w->features.v[i] = w->features.v[--w->features.nr];
			break;
		}
	}
	array__add(&w->features, ((struct writer_feature){ f, xmemdup(data, MAX(size, 1)), size }));
	return 0;
}

static int feature__cmp(const void *a, const void *b)
{
	const struct writer_feature *x = a, *y = b;

	return (int)x->id - (int)y->id;
}

/* Behind the data: one section per feature, in the order of their numbers, then what they hold. */
static int writer__put_features(struct writer *w)
{
	u64 at = w->header.data.offset + w->written,
	    payload = at + w->features.nr * sizeof(struct perf_data_section);
	struct strbuf out = STRBUF_INIT;
	int ret;

	if (!w->features.nr)
		return 0;
	qsort(w->features.v, w->features.nr, sizeof(w->features.v[0]), feature__cmp);
	for (size_t i = 0; i < w->features.nr; i++) {
		struct perf_data_section s = { .offset = payload, .size = w->features.v[i].size };

		strbuf__add(&out, &s, sizeof(s));
		payload += s.size;
	}
	for (size_t i = 0; i < w->features.nr; i++)
		strbuf__add(&out, w->features.v[i].data, w->features.v[i].size);
	ret = file__pwrite_all(w->fd, out.buf, out.len, at);
	strbuf__exit(&out);
	for (size_t i = 0; i < w->features.nr && !ret; i++)
		w->header.features[w->features.v[i].id / 64] |= 1ull << w->features.v[i].id % 64;
	return ret;
}

int writer__finish(struct writer *w, struct err *err)
{
	int ret;

	if (w->finished)
		return w->error;
	w->finished = true;
	ret = w->error;
	if (!ret)
		ret = writer__flush(w);
	if (!ret && !w->pipe && w->begun) {
		w->header.data.size = w->written;
		ret = writer__put_features(w);
		if (!ret)
			ret = writer__put_header(w);
		if (ret)
			writer__give_up(w, ret);
	}
	w->error = ret;
	if (!ret)
		return 0;
	writer__failed(w, ret, err);
	if (!w->pipe && w->header.data.size)
		err__advise(err, "the %llu bytes of records that were written can be read",
			    (unsigned long long)w->header.data.size);
	return ret;
}

void writer__delete(struct writer *w)
{
	if (!w)
		return;
	if (w->begun && !w->finished)
		writer__sync(w);
	for (size_t i = 0; i < w->features.nr; i++)
		free(w->features.v[i].data);
	array__exit(&w->features);
	if (w->owns_fd && w->fd >= 0)
		close(w->fd);
	free(w->buffer);
	free(w->path);
	free(w);
}
