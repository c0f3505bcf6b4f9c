#include "binary/symbols/jitdump.h"

#include "base/memory/cursor.h"
#include "base/system/file.h"
#include "base/memory/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	HEADER_MIN = 40,
	HEADER_MAX = 64 << 10,
	HAS_ARCH_TIMES = 1, /* flags */
	PIECE = 256 << 10,  /* bytes read at a time */
};

enum jitdump_record { CODE_LOAD, CODE_MOVE, CODE_UNWINDING_INFO = 4 };

bool jitdump__is_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	unsigned pid;
	int end = 0;

	return slash && sscanf(slash, "/jit-%u.dump%n", &pid, &end) == 1 && end && !slash[end];
}

bool jitdump_header__parse(const void *data, size_t size, struct jitdump_header *h)
{
	struct cursor c = cursor__make(data, size, false);
	u32 magic = cursor__u32(&c);
	u64 flags;

	*h = (struct jitdump_header){ .swap = magic == __builtin_bswap32(JITDUMP_MAGIC) };
	c.swap = h->swap;
	if (c.bad || (magic != JITDUMP_MAGIC && !h->swap) || cursor__u32(&c) != JITDUMP_VERSION)
		return false;
	h->size = cursor__u32(&c);
	h->machine = (u16)cursor__u32(&c);
	cursor__skip(&c, 4 + 4 + 8); /* nothing, pid, time */
	flags = cursor__u64(&c);
	h->has_arch_times = flags & HAS_ARCH_TIMES;
	h->has_own_times = flags & JITDUMP_HAS_OWN_TIMES;
	return !c.bad && h->size >= HEADER_MIN && h->size <= HEADER_MAX;
}

u32 jitdump_record__size(const struct jitdump_header *h, const void *data, size_t size)
{
	struct cursor c = cursor__make(data, size, h->swap);
	u32 total;

	cursor__u32(&c); /* type */
	total = cursor__u32(&c);
	return c.bad || total < JITDUMP_PREFIX ? 0 : total;
}

/* Parse what follows the fixed fields: a name, then the code up to the end of the record. */
static bool parse_name(struct cursor *c, u32 total, u64 offset, char *name, struct jitdump_code *code)
{
	size_t room = MIN(cursor__left(c), (size_t)JITDUMP_HEAD_MAX - 1);
	size_t len = strnlen((const char *)c->p, room);

	if (!len || len == room || code->size > total - cursor__offset(c) - len - 1)
		return false;
	memcpy(name, c->p, len);
	name[len] = '\0';
	code->name = name;
	code->offset = offset + cursor__offset(c) + len + 1;
	return true;
}

bool jitdump_record__parse(const struct jitdump_header *h, const void *data, size_t size, u64 offset,
			   char *name, struct jitdump_code *code)
{
	struct cursor c = cursor__make(data, size, h->swap);
	u32 type = cursor__u32(&c), total = cursor__u32(&c);

	*code = (struct jitdump_code){ .is_move = type == CODE_MOVE, .time = cursor__u64(&c) };
	if (type != CODE_LOAD && type != CODE_MOVE)
		return false;
	if (c.bad || total < JITDUMP_PREFIX)
		return false;
	if (total < size)
		c.end = c.start + total;
	cursor__skip(&c, 4 + 4 + 8); /* pid and tid in the process's namespace; vma */
	if (code->is_move)
		cursor__u64(&c); /* old address: index is enough */
	code->addr = cursor__u64(&c);
	code->size = cursor__u64(&c);
	code->index = cursor__u64(&c);
	if (c.bad || !code->size || code->addr + code->size < code->addr)
		return false;
	return code->is_move || parse_name(&c, total, offset, name, code);
}

int jitdump__read_header(int fd, struct jitdump_header *h)
{
	u8 bytes[HEADER_MIN];
	ssize_t n = file__pread_all(fd, bytes, sizeof(bytes), 0);

	return n > 0 && jitdump_header__parse(bytes, (size_t)n, h) ? 0 : -EINVAL;
}

/*
 * Parse a record with unwinding information: .eh_frame, then .eh_frame_hdr, at an offset of the file. There
 * may be only the latter, for code without unwinding information.
 */
static bool parse_frames(const struct jitdump_header *h, const void *data, size_t size, u64 offset,
			 struct jitdump_place *p)
{
	struct cursor c = cursor__make(data, size, h->swap);
	u32 type = cursor__u32(&c), total = cursor__u32(&c);
	u64 all, table;

	cursor__skip(&c, 8); /* time */
	all = cursor__u64(&c);
	table = cursor__u64(&c);
	cursor__skip(&c, 8); /* bytes that are mapped in the process */
	if (c.bad || type != CODE_UNWINDING_INFO || total < cursor__offset(&c) ||
	    all > total - cursor__offset(&c) || table >= all)
		return false;
	p->frames_offset = offset + cursor__offset(&c);
	p->frames_size = all - table;
	return true;
}

/* Give the waiting frames to the load after them. */
static void take_frames(struct jitdump_place *p, struct jitdump_code *code)
{
	if (code->is_move)
		return;
	code->frames_offset = p->frames_offset;
	code->frames_size = p->frames_size;
	p->frames_size = 0;
}

void jitdump__read_on(int fd, const struct jitdump_header *h, struct jitdump_place *p, u64 max, jitdump_fn fn,
		      void *ctx)
{
	u8 *piece = xmalloc(PIECE);
	char name[JITDUMP_HEAD_MAX];
	struct jitdump_code code;
	u64 start = p->offset ? p->offset : h->size; /* file offset of the piece */
	const u64 first = start;
	size_t at, end = 0;
	ssize_t n;
	u32 total;

	for (at = 0; start + at - first < max; at += total) {
		if (at > end || end - at < JITDUMP_HEAD_MAX) {
			start += at;
			n = file__pread_all(fd, piece, PIECE, start);
			at = 0;
			end = n > 0 ? (size_t)n : 0;
		}
		total = jitdump_record__size(h, piece + at, end - at);
		if (!total)
			break;
		if (parse_frames(h, piece + at, end - at, start + at, p))
			continue;
		if (jitdump_record__parse(h, piece + at, end - at, start + at, name, &code)) {
			take_frames(p, &code);
			fn(&code, ctx);
		} else if (end - at < MIN(total, (u32)JITDUMP_HEAD_MAX)) {
			break; /* the rest is not there yet */
		}
	}
	p->offset = start + at;
	free(piece);
}

int jitdump__read(int fd, struct jitdump_header *h, jitdump_fn fn, void *ctx)
{
	struct jitdump_place p = { .offset = 0 };

	if (jitdump__read_header(fd, h))
		return -EINVAL;
	jitdump__read_on(fd, h, &p, UINT64_MAX, fn, ctx);
	return 0;
}
