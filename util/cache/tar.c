#include "cache/tar.h"

#include "base/system/file.h"
#include "base/memory/mem.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 512, CHUNK = 64 << 10 };

static const u64 SIZE_LIMIT = 1ull << 33; /* eleven octal digits */

struct tar_header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, target[100];
	char magic[8], user[32], group[32], major[8], minor[8], prefix[155], rest[12];
};

/* ---- writing ---- */

static u32 header__sum(const struct tar_header *h)
{
	const u8 *p = (const u8 *)h;
	u32 sum = 0;

	for (size_t i = 0; i < sizeof(*h); i++)
		sum += p + i >= (const u8 *)h->sum && p + i < (const u8 *)h->sum + sizeof(h->sum) ? ' '
												  : p[i];
	return sum;
}

static void put_octal(char *field, size_t size, u64 x)
{
	char text[32];

	snprintf(text, sizeof(text), "%0*llo", (int)size - 1, (unsigned long long)x);
	memcpy(field, text, size);
}

static int put_header(struct packed_out *out, const char *name, const char *target, char type, u32 mode,
		      s64 mtime, u64 size)
{
	struct tar_header h = { .type = type };

	memcpy(h.name, name, strnlen(name, sizeof(h.name)));
	memcpy(h.target, target, strnlen(target, sizeof(h.target)));
	put_octal(h.mode, sizeof(h.mode), mode);
	put_octal(h.uid, sizeof(h.uid), 0);
	put_octal(h.gid, sizeof(h.gid), 0);
	put_octal(h.size, sizeof(h.size), size);
	put_octal(h.mtime, sizeof(h.mtime), mtime > 0 ? (u64)mtime & (SIZE_LIMIT - 1) : 0);
	memcpy(h.magic, "ustar  ", sizeof("ustar  "));
	memcpy(h.user, "root", 4);
	memcpy(h.group, "root", 4);
	put_octal(h.sum, sizeof(h.sum) - 1, header__sum(&h));
	h.sum[7] = ' ';
	return packed_out__write(out, &h, sizeof(h));
}

static int put_padding(struct packed_out *out, u64 size)
{
	static const char zeroes[BLOCK];

	return packed_out__write(out, zeroes, (size_t)(ROUND_UP(size, (u64)BLOCK) - size));
}

/* What does not fit into a header's field goes ahead, as a member of its own. */
static int put_long(struct packed_out *out, char type, const char *text)
{
	size_t size = strlen(text) + 1;
	int ret;

	if (size <= 100)
		return 0;
	ret = put_header(out, "././@LongLink", "", type, 0644, 0, size);
	if (!ret)
		ret = packed_out__write(out, text, size);
	return ret ? ret : put_padding(out, size);
}

static int put_headers(struct packed_out *out, const char *name, const char *target, char type, u32 mode,
		       s64 mtime, u64 size)
{
	int ret = size >= SIZE_LIMIT ? -EFBIG : put_long(out, 'K', target);

	if (!ret)
		ret = put_long(out, 'L', name);
	return ret ? ret : put_header(out, name, target, type, mode, mtime, size);
}

int tar__add_fd(struct packed_out *out, const char *name, u32 mode, s64 mtime, int fd, u64 size)
{
	char *chunk;
	int ret = put_headers(out, name, "", '0', mode, mtime, size);

	if (ret)
		return ret;
	chunk = xmalloc(CHUNK);
	for (u64 at = 0; !ret && at < size;) {
		ssize_t n = file__pread_all(fd, chunk, MIN((u64)CHUNK, size - at), at);

		ret = n <= 0 ? (n ? (int)n : -EIO) : packed_out__write(out, chunk, (size_t)n);
		at += n > 0 ? (u64)n : 0;
	}
	free(chunk);
	return ret ? ret : put_padding(out, size);
}

int tar__add_image(struct packed_out *out, const char *name, u32 mode, s64 mtime, const void *image,
		   size_t size)
{
	int ret = put_headers(out, name, "", '0', mode, mtime, size);

	if (!ret)
		ret = packed_out__write(out, image, size);
	return ret ? ret : put_padding(out, size);
}

int tar__add_link(struct packed_out *out, const char *name, const char *target, s64 mtime)
{
	return put_headers(out, name, target, '2', 0777, mtime, 0);
}

int tar__end(struct packed_out *out)
{
	static const char zeroes[2 * BLOCK];

	return packed_out__write(out, zeroes, sizeof(zeroes));
}

/* ---- reading ---- */

static int damaged(struct err *err, const char *what)
{
	return err__set(err, -EBADMSG, "the archive is damaged: %s", what);
}

static int read_all(struct tar_in *t, void *data, size_t size)
{
	size_t have = 0;

	if (t->room && size > *t->room)
		return -E2BIG;
	if (t->room)
		*t->room -= size;
	while (have < size) {
		ssize_t n = packed_in__read(t->in, (char *)data + have, size - have);

		if (n < 0)
			return (int)n;
		if (!n)
			return have ? -EBADMSG : 0;
		have += (size_t)n;
	}
	return 1;
}

static bool get_octal(const char *field, size_t size, u64 *x)
{
	size_t i = 0;

	*x = 0;
	while (i < size && field[i] == ' ')
		i++;
	for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
		*x = *x << 3 | (u64)(field[i] - '0');
	return i == size || field[i] == '\0' || field[i] == ' ';
}

static int skip_rest(struct tar_in *t)
{
	char buf[4096];
	u64 left = t->left + t->padding;

	t->left = t->padding = 0;
	while (left) {
		size_t n = (size_t)MIN(left, (u64)sizeof(buf));
		int ret = read_all(t, buf, n);

		if (ret <= 0)
			return ret ? ret : -EBADMSG;
		left -= n;
	}
	return 0;
}

ssize_t tar_in__read(struct tar_in *t, void *data, size_t size)
{
	size_t n = (size_t)MIN((u64)size, t->left);
	int ret = n ? read_all(t, data, n) : 1;

	if (ret <= 0)
		return ret ? ret : -EBADMSG;
	t->left -= n;
	return (ssize_t)n;
}

/* One header, checked. 0 at the end. */
static int next_header(struct tar_in *t, struct tar_header *h, struct err *err)
{
	u64 sum;
	int ret = skip_rest(t);

	if (!ret)
		ret = read_all(t, h, sizeof(*h));
	if (ret == -E2BIG)
		return ret;
	if (ret < 0)
		return damaged(err, "it ends too early");
	if (!ret || !h->name[0]) /* two empty blocks, of which one is enough */
		return 0;
	if (!get_octal(h->sum, sizeof(h->sum), &sum) || sum != header__sum(h) ||
	    !get_octal(h->size, sizeof(h->size), &t->left) || t->left >= SIZE_LIMIT)
		return damaged(err, "a header makes no sense");
	t->padding = (u32)(ROUND_UP(t->left, (u64)BLOCK) - t->left);
	return 1;
}

/* The name that goes ahead of a member. */
static int read_long_name(struct tar_in *t, struct err *err)
{
	u64 size = t->left;

	if (!size || size > PATH_MAX)
		return damaged(err, "a name is too long");
	free(t->member.name);
	t->member.name = xcalloc(1, size + 1);
	return tar_in__read(t, t->member.name, size) < 0 ? damaged(err, "it ends too early") : 0;
}

int tar_in__next(struct tar_in *t, struct err *err)
{
	bool named = false;
	struct tar_header h;
	int ret;

	for (;;) {
		ret = next_header(t, &h, err);
		if (ret <= 0)
			return ret;
		if (h.type == 'L') {
			ret = read_long_name(t, err);
			if (ret)
				return ret;
			named = true;
		} else if (h.type != 'K' && h.type != 'x' && h.type != 'g') {
			break;
		}
	}
	if (!named) {
		bool has_prefix = !memcmp(h.magic, "ustar\0", 6) && h.prefix[0];

		free(t->member.name);
		t->member.name = xasprintf("%.*s%s%.*s", has_prefix ? (int)sizeof(h.prefix) : 0, h.prefix,
					   has_prefix ? "/" : "", (int)sizeof(h.name), h.name);
	}
	t->member.is_file = h.type == '0' || h.type == '\0';
	t->member.size = t->left;
	return 1;
}

void tar_in__exit(struct tar_in *t)
{
	free(t->member.name);
	t->member.name = NULL;
}
