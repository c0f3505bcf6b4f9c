#include "format/write/writer.h"

#include "base/system/clock.h"
#include "base/system/file.h"
#include "format/write/write_queue.h"

#include <string.h>

enum {
	ATTR_BYTES_MAX = 128, /* PERF_ATTR_SIZE_VER7: what every perf of today reads */
	RECORD_SIZE_MAX = UINT16_MAX,
};

struct writer {
	struct data_file file;
	struct write_queue out; /* owns the file while its thread runs */
	u64 room;               /* of the queue */
	bool begun, finished;
	u64 data_size; /* records, those in the buffer included */
};

int writer__open(struct writer **out, const char *path, const struct writer_opts *opts, struct err *err)
{
	struct writer *w = xcalloc(1, sizeof(*w));
	const struct writer_opts o = opts ? *opts : (struct writer_opts){ 0 };
	int ret = data_file__open(&w->file, path, o.pipe, o.is_aside, o.compression, err);

	w->file.has_no_header = o.records_only;
	if (ret) {
		writer__delete(w);
		return ret;
	}
	w->room = o.queue;
	write_queue__init(&w->out, &w->file);
	*out = w;
	return 0;
}

/* Fill in the attr for the file: at most what older readers know. */
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
	ret = write_queue__append(&w->out, out.buf, out.len, false);
	strbuf__exit(&out);
	return ret;
}

/* Append a record's head and data, padded. */
static int append_padded(struct writer *w, const void *head, size_t head_size, const void *data, size_t size)
{
	static const char padding[8];
	int ret = write_queue__append(&w->out, head, head_size, false);

	if (!ret)
		ret = write_queue__append(&w->out, data, size, false);
	return ret ? ret : write_queue__append(&w->out, padding, ROUND_UP(size, 8) - size, false);
}

/* Write tracing data. It may have any size, so it follows its record. */
static int writer__pipe_tracing_data(struct writer *w, const void *data, size_t size)
{
	size_t padded = ROUND_UP(size, 8);
	struct {
		struct perf_event_header header;
		u32 size, zero;
	} head = { { .type = RECORD_HEADER_TRACING_DATA, .size = sizeof(head) }, (u32)padded, 0 };

	if (w->data_size || padded > UINT32_MAX)
		return 0;
	return append_padded(w, &head, sizeof(head), data, size);
}

static int writer__pipe_feature(struct writer *w, enum feature f, const void *data, size_t size)
{
	struct {
		struct perf_event_header header;
		u64 feature;
	} head = { { .type = RECORD_HEADER_FEATURE }, f };
	size_t padded = ROUND_UP(size, 8);

	if (f == FEATURE_BUILD_ID)
		return writer__pipe_build_ids(w, data, size);
	if (f == FEATURE_TRACING_DATA)
		return writer__pipe_tracing_data(w, data, size);
	if (w->data_size || sizeof(head) + padded > RECORD_SIZE_MAX)
		return 0; /* too late, or too long for a record: a stream does not have it */
	head.header.size = (u16)(sizeof(head) + padded);
	return append_padded(w, &head, sizeof(head), data, size);
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
	ret = write_queue__append(&w->out, out.buf, out.len, false);
	strbuf__exit(&out);
	for (size_t i = 0; i < w->file.features.nr && !ret; i++) {
		const struct data_feature *f = &w->file.features.v[i];

		ret = writer__pipe_feature(w, f->id, f->data, f->size);
	}
	return ret;
}

/* Append the features that are known beforehand, and note their offsets in the file. */
static void writer__add_front(struct writer *w, struct strbuf *out)
{
	for (size_t i = 0; i < w->file.features.nr; i++) {
		struct data_feature *f = &w->file.features.v[i];

		f->offset = out->len;
		strbuf__add(out, f->data, f->size);
		strbuf__addchars(out, '\0', ROUND_UP(out->len, 8) - out->len);
		free(f->data);
		f->data = NULL;
	}
}

/*
 * The room for the locator is directly in front of the records, at a multiple of its size: no write of it is
 * in two pages, so a kill leaves all of it or nothing.
 */
static void writer__add_locator_room(struct strbuf *out)
{
	size_t size = sizeof(struct extension_locator);

	strbuf__addchars(out, '\0', ROUND_UP(out->len, size) + size - out->len);
}

/*
 * Write the header, ids of all events, attrs, features that are known beforehand, and the locator; the
 * records follow.
 */
static int writer__begin_file(struct writer *w, const struct evlist *l)
{
	struct perf_data_header *h = &w->file.header;
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
	writer__add_front(w, &out);
	writer__add_locator_room(&out);
	h->data.offset = out.len;
	memcpy(out.buf, h, sizeof(*h));
	ret = file__pwrite_all(w->file.fd, out.buf, out.len, 0);
	strbuf__exit(&out);
	return ret;
}

int writer__begin(struct writer *w, const struct evlist *l, struct err *err)
{
	int ret = 0;

	if (w->file.is_pipe)
		data_file__tell_compression(&w->file);
	if (w->file.is_pipe)
		ret = writer__begin_pipe(w, l);
	else if (!w->file.has_no_header)
		ret = writer__begin_file(w, l);
	w->begun = true;
	w->file.error = ret;
	if (ret)
		return data_file__failed(&w->file, ret, err);
	return w->room ? write_queue__start(&w->out, w->room, err) : 0;
}

int writer__write(struct writer *w, const void *data, u64 size)
{
	int ret = write_queue__append(&w->out, data, size, true);

	if (!ret)
		w->data_size += size;
	return ret;
}

int writer__sync(struct writer *w)
{
	return write_queue__sync(&w->out);
}

int writer__catch_up(struct writer *w)
{
	return write_queue__catch_up(&w->out);
}

u64 writer__data_size(const struct writer *w)
{
	return w->data_size;
}

u64 writer__file_size(const struct writer *w)
{
	return w->file.zstd ? write_queue__file_size(&w->out) : w->data_size;
}

u64 writer__blocked_ms(const struct writer *w)
{
	return w->out.blocked / NS_PER_MS;
}

bool writer__is_pipe(const struct writer *w)
{
	return w->file.is_pipe;
}

bool writer__is_at(const struct writer *w, const char *path)
{
	return file__is_at(w->file.fd, path);
}

int writer__feature(struct writer *w, enum feature f, const void *data, size_t size)
{
	int ret = write_queue__end(&w->out);

	if (ret && w->file.is_pipe)
		return ret;
	if (w->file.is_pipe && w->begun)
		return writer__pipe_feature(w, f, data, size);
	data_file__feature(&w->file, f, data, size);
	return 0;
}

int writer__extension(struct writer *w, enum extension_kind kind, const void *data, size_t size)
{
	if (w->file.is_pipe)
		return 0;
	write_queue__end(&w->out);
	data_file__extension(&w->file, kind, data, size);
	return 0;
}

int writer__finish(struct writer *w, struct err *err)
{
	int ret;

	if (w->finished)
		return w->file.error;
	w->finished = true;
	write_queue__end(&w->out);
	ret = w->begun ? write_queue__sync(&w->out) : w->file.error;
	if (ret && w->begun)
		data_file__sync(&w->file); /* features that came since */
	if (!ret)
		return data_file__name(&w->file, err);
	data_file__failed(&w->file, ret, err);
	if (!w->file.is_pipe && !w->file.aside.path && w->file.header.data.size && !w->file.is_gone)
		err__advise(err, "the %llu bytes of records that were written can be read",
			    (unsigned long long)w->file.header.data.size);
	return ret;
}

void writer__delete(struct writer *w)
{
	if (!w)
		return;
	if (w->begun && !w->file.aside.path)
		writer__finish(w, NULL);
	write_queue__exit(&w->out);
	data_file__exit(&w->file);
	free(w);
}
