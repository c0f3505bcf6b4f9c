#include "format/file/extension.h"

#include "base/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCATOR_MAGIC 0x5458452d46524550ull /* "PERF-EXT" read as a little-endian word */

enum {
	EXTENSION_VERSION = 1,
	LOCATOR_WORDS = sizeof(struct extension_locator) / sizeof(u64),
	CHUNKS_MAX = 1024,
};

typedef unsigned long long ull;

struct chunk_head {
	u32 kind;
	u32 reserved;
	u64 size; /* bytes of content; padding to 8 follows */
};

/* ---- writing ---- */

static u64 locator__check(const struct extension_locator *l)
{
	u64 words[LOCATOR_WORDS], sum = 0;

	memcpy(words, l, sizeof(words));
	for (size_t i = 0; i < LOCATOR_WORDS - 1; i++)
		sum += words[i];
	return sum;
}

void extension_locator__init(struct extension_locator *l, u64 self, u64 data_end,
			     const struct perf_data_section *section)
{
	*l = (struct extension_locator){ .magic = LOCATOR_MAGIC, .version = EXTENSION_VERSION, .self = self };
	if (section->size) {
		l->data_end = data_end;
		l->section = *section;
	}
	l->check = locator__check(l);
}

void extension__add_chunk(struct strbuf *out, u32 kind, const void *data, size_t size)
{
	const struct chunk_head head = { .kind = kind, .size = size };

	strbuf__add(out, &head, sizeof(head));
	strbuf__add(out, data, size);
	strbuf__addchars(out, '\0', ROUND_UP(size, 8) - size);
}

/* ---- reading ---- */

static int locator__read(struct extension_locator *l, int fd, const struct perf_data_header *h, bool swap,
			 struct err *err)
{
	u64 at = h->data.offset - sizeof(*l), words[LOCATOR_WORDS];

	if (h->data.offset < sizeof(*h) + sizeof(*l) ||
	    file__pread_all(fd, words, sizeof(words), at) != (ssize_t)sizeof(words))
		return -ENOENT;
	for (size_t i = 0; swap && i < LOCATOR_WORDS; i++)
		words[i] = __builtin_bswap64(words[i]);
	memcpy(l, words, sizeof(*l));
	if (l->magic != LOCATOR_MAGIC)
		return -ENOENT;
	if (l->self != at || l->check != locator__check(l))
		return err__set(err, -EBADMSG, "offset %llu: the locator of the extension section is damaged",
				(ull)at);
	if (l->version != EXTENSION_VERSION)
		return err__set(err, -ENOTSUP,
				"offset %llu: the extension section has version %llu, expected %d", (ull)at,
				(ull)l->version, EXTENSION_VERSION);
	return 0;
}

/* Check the locator against the file that it is in. */
static int locator__check_place(const struct extension_locator *l, const struct perf_data_header *h,
				u64 file_size, struct err *err)
{
	const struct perf_data_section *s = &l->section;

	if (!s->size)
		return 0;
	if (l->data_end != h->data.offset + h->data.size)
		return err__set(err, -EBADMSG,
				"offset %llu: the locator of the extension section expects the records to "
				"end at offset %llu, not %llu",
				(ull)l->self, (ull)l->data_end, (ull)(h->data.offset + h->data.size));
	if (s->offset < l->data_end || s->offset > file_size || s->size > file_size - s->offset)
		return err__set(err, -EBADMSG,
				"the extension section is at offset %llu, %llu bytes, expected after the "
				"records and inside the file of %llu bytes",
				(ull)s->offset, (ull)s->size, (ull)file_size);
	return 0;
}

static int read_chunks(struct extension *x, int fd, const struct perf_data_section *s, bool swap,
		       struct err *err)
{
	u64 at = s->offset, end = s->offset + s->size;

	while (at < end) {
		struct extension_chunk c;
		struct chunk_head head;
		u64 left = end - at;

		if (left < sizeof(head) ||
		    file__pread_all(fd, &head, sizeof(head), at) != (ssize_t)sizeof(head))
			break;
		c.kind = swap ? __builtin_bswap32(head.kind) : head.kind;
		c.content.size = swap ? __builtin_bswap64(head.size) : head.size;
		c.content.offset = at + sizeof(head);
		if (!c.kind || c.content.size > left - sizeof(head) || x->chunks.nr == CHUNKS_MAX)
			break;
		array__add(&x->chunks, c);
		at += MIN(left, sizeof(head) + ROUND_UP(c.content.size, 8));
	}
	if (at == end)
		return 0;
	return err__set(err, -EBADMSG, "offset %llu: expected a chunk of the extension section", (ull)at);
}

static bool is_complete(const struct perf_data_header *h)
{
	return h->features[0] | h->features[1] | h->features[2] | h->features[3];
}

int extension__read(struct extension *x, int fd, const struct perf_data_header *h, u64 file_size, bool swap,
		    struct err *err)
{
	struct extension_locator l;
	int ret;

	*x = (struct extension){ 0 };
	if (!is_complete(h))
		return -ENOENT;
	ret = locator__read(&l, fd, h, swap, err);
	if (!ret)
		ret = locator__check_place(&l, h, file_size, err);
	return ret ? ret : read_chunks(x, fd, &l.section, swap, err);
}

bool extension__has_locator(int fd, const struct perf_data_header *h, bool swap)
{
	struct extension_locator l;

	return !locator__read(&l, fd, h, swap, NULL);
}

void extension__exit(struct extension *x)
{
	array__exit(&x->chunks);
}

/* ---- a further chunk ---- */

static bool extension__has(const struct extension *x, u32 kind)
{
	for (size_t i = 0; i < x->chunks.nr; i++)
		if (x->chunks.v[i].kind == kind)
			return true;
	return false;
}

/* Find the locator, and the end of the section, which must be the end of the file. */
static int find_end(int fd, enum extension_kind kind, struct perf_data_header *h, struct extension_locator *l,
		    u64 *file_size)
{
	struct extension x = { 0 };
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		return -errno;
	*file_size = (u64)st.st_size;
	if (file__pread_all(fd, h, sizeof(*h), 0) != (ssize_t)sizeof(*h) || h->magic != PERF_DATA_MAGIC2)
		return -ENOENT;
	ret = extension__read(&x, fd, h, *file_size, false, NULL);
	if (!ret && extension__has(&x, kind))
		ret = -EEXIST;
	extension__exit(&x);
	if (!ret)
		ret = locator__read(l, fd, h, false, NULL);
	if (ret)
		return ret == -EEXIST ? ret : -ENOENT;
	if (!l->section.size)
		l->section.offset = ROUND_UP(*file_size, 8);
	return l->section.offset + l->section.size >= *file_size ? 0 : -ENOENT;
}

static int append(int fd, enum extension_kind kind, const void *data, size_t size)
{
	struct extension_locator l;
	struct perf_data_section s;
	struct perf_data_header h;
	struct strbuf chunk = STRBUF_INIT;
	u64 file_size = 0;
	int ret = find_end(fd, kind, &h, &l, &file_size);

	if (ret)
		return ret;
	extension__add_chunk(&chunk, kind, data, size);
	s = (struct perf_data_section){ l.section.offset, l.section.size + chunk.len };
	extension_locator__init(&l, l.self, h.data.offset + h.data.size, &s);
	ret = file__pwrite_all(fd, chunk.buf, chunk.len, s.offset + s.size - chunk.len);
	if (!ret)
		ret = file__pwrite_all(fd, &l, sizeof(l), l.self);
	strbuf__exit(&chunk);
	if (ret && ftruncate(fd, (off_t)file_size))
		return ret; /* no reader looks at the bytes that stay after the section */
	return ret;
}

int extension__append(const char *path, int same_as, enum extension_kind kind, const void *data, size_t size,
		      struct err *err)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), ret = fd < 0 ? -errno : file__lock(fd);

	if (!ret && same_as >= 0 && !file__is_at(same_as, path))
		ret = -ESTALE;
	if (!ret)
		ret = append(fd, kind, data, size);
	file__close(fd);
	return ret ? err__set(err, ret, "'%s': %s", path, err__str(ret)) : 0;
}
