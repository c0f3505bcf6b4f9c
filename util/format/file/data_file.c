#include "format/file/data_file.h"

#include "base/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	CHUNK_SIZE = 1 << 20,  /* bytes read at a time when searching for records */
	MARKS_APART = 4 << 20, /* bytes between marks; the features that are to fit in are smaller */
	/* bytes of the stream in a compressed record */
	PACKED_MAX = (UINT16_MAX & ~7) - sizeof(struct perf_event_header),
};

int data_file__failed(const struct data_file *f, int ret, struct err *err)
{
	if (f->is_gone)
		return err__set(err, ret, "cannot write '%s': it was removed while it was recorded", f->path);
	if (f->is_cut)
		return err__set(err, ret,
				"cannot write '%s': another program truncated it while it was recorded",
				f->path);
	if (!f->owns_fd)
		return err__set(err, ret, "cannot write to standard output: %s", err__str(ret));
	if (ret == -EBUSY) {
		err__set(err, ret, "cannot write '%s': another perf is writing it", f->path);
		err__advise(err, "name another file with -o, or end the other perf first");
		return ret;
	}
	return err__set_output(err, ret, f->path);
}

/* Empty the file only after locking it: two writers would damage each other's file. */
static int data_file__open_in_place(struct data_file *f, struct err *err)
{
	struct stat st;
	bool is_device = !stat(f->path, &st) && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode));
	int ret;

	/* devices may be write-only */
	f->fd = output_file__open_in_place(f->path, is_device ? O_WRONLY : O_CREAT | O_RDWR, 0600, err);
	if (f->fd < 0)
		return f->fd;
	ret = file__lock(f->fd);
	if (!ret && !fstat(f->fd, &st) && S_ISREG(st.st_mode) && ftruncate(f->fd, 0))
		ret = -errno;
	return ret ? data_file__failed(f, ret, err) : 0;
}

static int data_file__open_aside(struct data_file *f, struct err *err)
{
	int there = file__open_regular(f->path), ret = 0;

	if (there >= 0 && file__is_locked(there))
		ret = data_file__failed(f, -EBUSY, err);
	file__close(there);
	if (!ret)
		ret = output_file__open(&f->aside, f->path, 0600, err);
	f->fd = f->aside.fd;
	return ret;
}

int data_file__open(struct data_file *f, const char *path, bool is_pipe, bool is_aside, int compression,
		    struct err *err)
{
	struct stat st;
	int ret;

	*f = (struct data_file){ .fd = -1,
				 .path = xstrdup(path),
				 .is_pipe = is_pipe,
				 .level = compression,
				 .aside = OUTPUT_FILE_INIT,
				 .packed = STRBUF_INIT,
				 .frame = FRAME_SUMMARY_INIT };
	if (f->level && !(f->zstd = zstd_stream__new(f->level, err))) {
		err__prefix(err, "recordings cannot be compressed (-z)");
		return -ENOTSUP;
	}
	if (!strcmp(path, "-")) {
		f->fd = STDOUT_FILENO;
		f->is_pipe = true;
		if (isatty(f->fd))
			return err__set(err, -EINVAL,
					"a recording is not written to a terminal: name a file with -o");
		return 0;
	}
	f->owns_fd = true;
	ret = is_aside ? data_file__open_aside(f, err) : data_file__open_in_place(f, err);
	if (ret)
		return ret;
	if (lseek(f->fd, 0, SEEK_CUR) < 0)
		f->is_pipe = true;
	f->is_linked = !f->is_pipe && !is_aside && !fstat(f->fd, &st) && st.st_nlink > 0;
	return 0;
}

static int data_file__put_header(struct data_file *f)
{
	if (f->has_no_header)
		return 0;
	return file__pwrite_all(f->fd, &f->header, sizeof(f->header), 0);
}

/* ---- features ---- */

static int feature__cmp(const void *a, const void *b)
{
	const struct data_feature *x = a, *y = b;

	return (int)x->id - (int)y->id;
}

void data_file__feature(struct data_file *f, enum feature id, const void *data, size_t size)
{
	const struct data_feature new = { .id = id, .data = xmemdup(data, MAX(size, 1)), .size = size };

	for (size_t i = 0; i < f->features.nr; i++) {
		if (f->features.v[i].id == id) {
			free(f->features.v[i].data);
			f->features.v[i] = new;
			return;
		}
	}
	array__add(&f->features, new);
	qsort(f->features.v, f->features.nr, sizeof(new), feature__cmp);
}

void data_file__extension(struct data_file *f, enum extension_kind kind, const void *data, size_t size)
{
	struct data_chunk *c = NULL;

	for (size_t i = 0; i < f->chunks.nr && !c; i++)
		if (f->chunks.v[i].kind == kind)
			c = &f->chunks.v[i];
	if (!c) {
		c = array__push(&f->chunks);
		*c = (struct data_chunk){ .kind = kind, .content = STRBUF_INIT };
	}
	strbuf__reset(&c->content);
	strbuf__add(&c->content, data, size);
}

void data_file__tell_compression(struct data_file *f)
{
	u64 ratio = f->written && !f->is_pipe ? (f->unpacked + f->written / 2) / f->written : 0;
	const struct {
		u32 version, type, level, ratio, unpacked_max;
	} told = { 0, 1 /* zstd */, (u32)f->level, (u32)ratio, DATA_FILE_UNPACKED_MAX };

	if (f->zstd && !f->has_no_header)
		data_file__feature(f, FEATURE_COMPRESSED, &told, sizeof(told));
}

/*
 * Append what follows the records: the table, in the order of the features; the features that are not before
 * the records; and the extension section. Return the place of the extension section in the file.
 */
static struct perf_data_section data_file__build_tail(const struct data_file *f, struct strbuf *out)
{
	u64 data_end = f->header.data.offset + f->header.data.size;
	u64 at = data_end + f->features.nr * sizeof(struct perf_data_section);
	struct perf_data_section extension;

	for (size_t i = 0; i < f->features.nr; i++) {
		const struct data_feature *x = &f->features.v[i];
		struct perf_data_section s = { .offset = x->offset ? x->offset : at, .size = x->size };

		strbuf__add(out, &s, sizeof(s));
		at += x->offset ? 0 : x->size;
	}
	for (size_t i = 0; i < f->features.nr; i++)
		if (!f->features.v[i].offset)
			strbuf__add(out, f->features.v[i].data, f->features.v[i].size);
	if (f->chunks.nr)
		strbuf__addchars(out, '\0', ROUND_UP(data_end + out->len, 8) - (data_end + out->len));
	extension.offset = data_end + out->len;
	for (size_t i = 0; i < f->chunks.nr; i++)
		extension__add_chunk(out, f->chunks.v[i].kind, f->chunks.v[i].content.buf,
				     f->chunks.v[i].content.len);
	extension.size = data_end + out->len - extension.offset;
	return extension;
}

static int data_file__put_locator(struct data_file *f, const struct perf_data_section *section)
{
	u64 data_at = f->header.data.offset;
	struct extension_locator l;
	int ret;

	extension_locator__init(&l, data_at - sizeof(l), data_at + f->header.data.size, section);
	if (!memcmp(&l, &f->locator, sizeof(l)))
		return 0;
	ret = file__pwrite_all(f->fd, &l, sizeof(l), l.self);
	if (!ret)
		f->locator = l;
	return ret;
}

static int data_file__put_tail(struct data_file *f)
{
	struct strbuf tail = STRBUF_INIT;
	struct perf_data_section extension = data_file__build_tail(f, &tail);
	int ret;

	ret = file__pwrite_all(f->fd, tail.buf, tail.len, f->header.data.offset + f->header.data.size);
	strbuf__exit(&tail);
	if (!ret && !f->has_no_header && f->features.nr)
		ret = data_file__put_locator(f, &extension);
	for (size_t i = 0; i < f->features.nr && !ret; i++)
		f->header.features[f->features.v[i].id / 64] |= 1ull << f->features.v[i].id % 64;
	return ret;
}

/*
 * After whole records were appended, write their size into the header. Stock perf reads no further than
 * that, even if the recorder was killed before the next __sync.
 */
static int data_file__grow(struct data_file *f)
{
	if (f->is_pipe || f->has_no_header)
		return 0;
	f->header.data.size = f->written;
	return file__pwrite_all(f->fd, &f->header.data, sizeof(f->header.data),
				offsetof(struct perf_data_header, data));
}

/* Drop the features: records are about to overwrite them. */
static int data_file__drop_tail(struct data_file *f)
{
	static const struct perf_data_header none;

	if (!memcmp(f->header.features, none.features, sizeof(none.features)))
		return 0;
	memset(f->header.features, 0, sizeof(f->header.features));
	return data_file__put_header(f);
}

/* ---- after failed writes ---- */

/* Return how many of the first limit bytes of records are whole records. */
static u64 data_file__whole_records(const struct data_file *f, u64 limit)
{
	u8 *chunk = xmalloc(CHUNK_SIZE);
	u64 at = f->marks[0] <= limit ? f->marks[0] : 0, in;

	do {
		u64 want = MIN(limit - at, (u64)CHUNK_SIZE);
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

/* Drop the last records to make room for the features, without growing the file. */
static int data_file__make_way(struct data_file *f)
{
	struct strbuf tail = STRBUF_INIT;
	u64 size = 0;
	struct stat st;
	int ret = -ENOSPC;

	data_file__build_tail(f, &tail);
	if (!fstat(f->fd, &st) && (u64)st.st_size >= f->header.data.offset + tail.len)
		size = data_file__whole_records(f, (u64)st.st_size - f->header.data.offset - tail.len);
	strbuf__exit(&tail);
	if (size) {
		f->header.data.size = MIN(size, f->header.data.size);
		ret = data_file__put_tail(f);
	}
	return ret;
}

/* Turn what was written into a valid file: whole records, the features if they fit, a header. */
static void data_file__save(struct data_file *f)
{
	if (f->is_pipe || (!f->header.magic && !f->has_no_header))
		return;
	f->header.data.size = data_file__whole_records(f, f->written);
	f->written = f->header.data.size;
	if (f->has_no_header && ftruncate(f->fd, (off_t)f->written))
		return; /* the file then ends inside a record, and a reader reports that */
	if (f->has_no_header)
		return;
	memset(f->header.features, 0, sizeof(f->header.features));
	data_file__put_header(f); /* overwrites the header; needs no space */
	if (data_file__put_tail(f) && data_file__make_way(f))
		return;
	f->written = f->header.data.size;
	data_file__put_header(f);
}

static int data_file__give_up(struct data_file *f, int error)
{
	f->error = error;
	data_file__save(f);
	return error;
}

/* ---- writing ---- */

/*
 * Return the offset of bytes that are written once and are not 0: the first event's, or the first record's.
 */
static u64 data_file__fixed(const struct data_file *f)
{
	return f->has_no_header ? 0 : sizeof(f->header);
}

/*
 * Give up a file whose name has been removed, because nobody can find it, and one that another program has
 * truncated: it is too short, or has a hole in written data.
 */
static int data_file__check(struct data_file *f)
{
	u64 end = f->header.data.offset + f->written, word = 1;
	struct stat st;

	if (!f->is_linked || fstat(f->fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	f->is_gone = !st.st_nlink;
	if (f->written && (u64)st.st_size >= end)
		file__pread_all(f->fd, &word, sizeof(word), data_file__fixed(f));
	f->is_cut = (u64)st.st_size < end || !word;
	if (f->is_cut)
		f->marks[0] = f->marks[1] = 0; /* the records may end before the marks */
	return f->is_gone || f->is_cut ? -ESTALE : 0;
}

int data_file__put(struct data_file *f, const void *data, u64 size)
{
	const u8 *p = data;
	int ret = f->is_pipe || !size ? 0 : data_file__check(f);

	if (!ret && !f->is_pipe && size)
		ret = data_file__drop_tail(f);
	if (ret)
		return data_file__give_up(f, ret);
	while (size) {
		ssize_t n = f->is_pipe ? write(f->fd, p, size)
				       : pwrite(f->fd, p, size, (off_t)(f->header.data.offset + f->written));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return data_file__give_up(f, n < 0 ? -errno : -EIO);
		p += n;
		size -= (u64)n;
		f->written += (u64)n;
	}
	ret = data_file__grow(f);
	return ret ? data_file__give_up(f, ret) : 0;
}

/*
 * Append a piece of a zstd stream as a record, or as several if one cannot hold it. Sizes are multiples of 8
 * bytes, as the piece's size is.
 */
static void add_packed(struct strbuf *out, const char *data, size_t size)
{
	struct perf_event_header h = { .type = RECORD_COMPRESSED };

	for (size_t at = 0, part; at < size; at += part) {
		part = MIN(size - at, (size_t)PACKED_MAX);
		h.size = (u16)(sizeof(h) + part);
		strbuf__add(out, &h, sizeof(h));
		strbuf__add(out, data + at, part);
	}
}

/* The frame ends with what is packed now: add its summary, if there is room in the last record. */
static void data_file__end_frame(struct data_file *f)
{
	size_t last = f->packed.len % PACKED_MAX;

	if (last) /* else there is no room in the last record */
		frame_summary__append(&f->frame, PACKED_MAX - last, &f->packed);
	frame_summary__reset(&f->frame);
}

/* Compress whole records, and append them to out as compressed records. */
static int data_file__pack(struct data_file *f, const u8 *records, size_t size, struct strbuf *out)
{
	bool ends = f->frame.packed_bytes >= DATA_FILE_FRAME;
	size_t nr;
	int ret;

	strbuf__reset(&f->packed);
	ret = zstd_stream__add(f->zstd, records, size, ends, &f->packed);
	f->unpacked += size;
	frame_summary__add(&f->frame, records, size);
	nr = ROUND_UP(f->packed.len, PACKED_MAX) / PACKED_MAX;
	f->frame.nr_packed += nr;
	f->frame.packed_bytes += f->packed.len + nr * sizeof(struct perf_event_header);
	if (!ret && ends)
		data_file__end_frame(f);
	add_packed(out, f->packed.buf, f->packed.len);
	return ret;
}

/* Return how many bytes to compress at a time: whole records, so that a file may end after any piece. */
static size_t piece_size(const u8 *data, u64 size)
{
	struct perf_event_header h;
	size_t at = 0;

	while (at + sizeof(h) <= size) {
		memcpy(&h, data + at, sizeof(h));
		if (h.size < sizeof(h) || at + h.size > MAX((size_t)DATA_FILE_PIECE, (size_t)h.size))
			break;
		at += h.size;
	}
	return at && at <= size ? at : MIN(size, (u64)DATA_FILE_PIECE);
}

int data_file__put_records(struct data_file *f, const void *data, u64 size)
{
	const u8 *p = data;
	struct strbuf out = STRBUF_INIT;
	int ret = f->error;

	if (!f->zstd)
		return ret ? ret : data_file__put(f, data, size);
	for (u64 at = 0, part; !ret && at < size; at += part) {
		part = piece_size(p + at, size - at);
		ret = data_file__pack(f, p + at, part, &out);
	}
	if (ret && !f->error)
		data_file__give_up(f, ret);
	else if (!ret)
		ret = data_file__put(f, out.buf, out.len);
	strbuf__exit(&out);
	return ret;
}

int data_file__sync(struct data_file *f)
{
	int ret = f->error;

	if (f->is_pipe)
		return ret;
	data_file__tell_compression(f);
	if (ret) {
		data_file__save(f);
		return ret;
	}
	ret = data_file__check(f);
	if (!ret)
		ret = data_file__drop_tail(f);
	f->header.data.size = f->written;
	if (!ret)
		ret = data_file__put_tail(f);
	if (!ret)
		ret = data_file__put_header(f);
	if (ret)
		return data_file__give_up(f, ret);
	if (f->written - f->marks[1] >= MARKS_APART) {
		f->marks[0] = f->marks[1];
		f->marks[1] = f->written;
	}
	return 0;
}

int data_file__name(struct data_file *f, struct err *err)
{
	int ret;

	if (!f->aside.path)
		return 0;
	ret = output_file__close(&f->aside, true, err);
	f->fd = -1;
	return ret;
}

void data_file__exit(struct data_file *f)
{
	if (f->aside.path)
		output_file__close(&f->aside, false, NULL);
	else if (f->owns_fd && f->fd >= 0)
		close(f->fd);
	for (size_t i = 0; i < f->features.nr; i++)
		free(f->features.v[i].data);
	array__exit(&f->features);
	for (size_t i = 0; i < f->chunks.nr; i++)
		strbuf__exit(&f->chunks.v[i].content);
	array__exit(&f->chunks);
	zstd_stream__delete(f->zstd);
	strbuf__exit(&f->packed);
	frame_summary__exit(&f->frame);
	free(f->path);
}
