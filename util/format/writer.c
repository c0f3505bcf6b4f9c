#include "format/writer.h"

#include "base/file.h"
#include "format/data_file.h"

#include <string.h>

enum {
	WRITER_BUFFER = DATA_FILE_BLOCK,
	ATTR_BYTES_MAX = 128, /* PERF_ATTR_SIZE_VER7: what every perf of today reads */
	RECORD_SIZE_MAX = UINT16_MAX,
};

struct writer_feature {
	enum feature id;
	void *data;
	size_t size;
};

struct writer {
	struct data_file file;
	bool begun, finished;
	u64 data_size; /* records, those in the buffer included */
	int compression;
	size_t used;
	u8 *buffer;
	bool has_records; /* in the buffer; else it is what stands around them in a stream */
	ARRAY(struct writer_feature) features;
};

int writer__open(struct writer **out, const char *path, const struct writer_opts *opts, struct err *err)
{
	struct writer *w = xcalloc(1, sizeof(*w));
	int ret;

	w->compression = opts ? opts->compression : 0;
	ret = data_file__open(&w->file, path, opts && opts->pipe, w->compression, err);
	if (ret) {
		writer__delete(w);
		return ret;
	}
	w->buffer = xmalloc(WRITER_BUFFER);
	*out = w;
	return 0;
}

static int writer__put(struct writer *w, const void *data, u64 size)
{
	return w->has_records ? data_file__put_records(&w->file, data, size) : data_file__put(&w->file, data, size);
}

static int writer__flush(struct writer *w)
{
	size_t used = w->used;

	if (w->file.error)
		return w->file.error;
	w->used = 0;
	return writer__put(w, w->buffer, used);
}

static int writer__append(struct writer *w, const void *data, u64 size, bool is_record)
{
	int ret;

	if (w->file.error)
		return w->file.error;
	if (size > WRITER_BUFFER - w->used || is_record != w->has_records) {
		ret = writer__flush(w);
		if (ret)
			return ret;
		w->has_records = is_record;
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
	ret = writer__append(w, out.buf, out.len, false);
	strbuf__exit(&out);
	return ret;
}

/* Header, ids of all events, attrs; then the records. */
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
	h->data.offset = out.len;
	memcpy(out.buf, h, sizeof(*h));
	ret = file__pwrite_all(w->file.fd, out.buf, out.len, 0);
	strbuf__exit(&out);
	return ret;
}

/* What a reader has to know. At the end the ratio, too. */
static int writer__tell_compression(struct writer *w)
{
	u64 size = w->file.written, ratio = size && !w->file.is_pipe ? (w->file.unpacked + size / 2) / size : 0;
	const struct {
		u32 version, type, level, ratio, unpacked_max;
	} told = { 1, 1 /* zstd */, (u32)w->compression, (u32)ratio, DATA_FILE_UNPACKED_MAX };

	return w->compression ? writer__feature(w, FEATURE_COMPRESSED, &told, sizeof(told)) : 0;
}

int writer__begin(struct writer *w, const struct evlist *l, struct err *err)
{
	int ret = w->file.is_pipe ? writer__begin_pipe(w, l) : writer__begin_file(w, l);

	w->begun = true;
	if (!ret)
		ret = writer__tell_compression(w);
	w->file.error = ret;
	return ret ? data_file__failed(&w->file, ret, err) : 0;
}

int writer__write(struct writer *w, const void *data, u64 size)
{
	int ret = w->file.error;

	if (!ret)
		ret = writer__append(w, data, size, true);
	if (!ret)
		w->data_size += size;
	return ret;
}

int writer__sync(struct writer *w)
{
	int ret = writer__flush(w);

	return ret ? ret : data_file__sync(&w->file);
}

u64 writer__data_size(const struct writer *w)
{
	return w->data_size;
}

u64 writer__file_size(const struct writer *w)
{
	return w->compression ? w->file.written + w->used : w->data_size;
}

bool writer__is_pipe(const struct writer *w)
{
	return w->file.is_pipe;
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
	ret = writer__append(w, out.buf, out.len, false);
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
	ret = writer__append(w, &head, sizeof(head), false);
	if (!ret)
		ret = writer__append(w, data, size, false);
	return ret ? ret : writer__append(w, padding, padded - size, false);
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
	ret = writer__append(w, &head, sizeof(head), false);
	if (!ret)
		ret = writer__append(w, data, size, false);
	return ret ? ret : writer__append(w, padding, padded - size, false);
}

int writer__feature(struct writer *w, enum feature f, const void *data, size_t size)
{
	if (w->file.is_pipe)
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
	u64 at = w->file.header.data.offset + w->file.written,
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
	ret = file__pwrite_all(w->file.fd, out.buf, out.len, at);
	strbuf__exit(&out);
	for (size_t i = 0; i < w->features.nr && !ret; i++)
		w->file.header.features[w->features.v[i].id / 64] |= 1ull << w->features.v[i].id % 64;
	return ret;
}

int writer__finish(struct writer *w, struct err *err)
{
	int ret;

	if (w->finished)
		return w->file.error;
	w->finished = true;
	ret = w->file.error;
	if (!ret)
		ret = writer__flush(w);
	if (!ret && !w->file.is_pipe && w->begun) {
		writer__tell_compression(w);
		w->file.header.data.size = w->file.written;
		ret = writer__put_features(w);
		if (!ret)
			ret = data_file__put_header(&w->file);
		if (ret)
			data_file__give_up(&w->file, ret);
	}
	w->file.error = ret;
	if (!ret)
		return 0;
	data_file__failed(&w->file, ret, err);
	if (!w->file.is_pipe && w->file.header.data.size)
		err__advise(err, "the %llu bytes of records that were written can be read",
			    (unsigned long long)w->file.header.data.size);
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
	data_file__exit(&w->file);
	free(w->buffer);
	free(w);
}
