#include "binary/symbols/jitdump.h"

#include "base/memory/cursor.h"
#include "base/system/file.h"
#include "base/memory/mem.h"

#include <errno.h>
#include <string.h>

enum {
	MAGIC = 0x4A695444,
	VERSION = 1,
	HEADER_MIN = 40,
	HEADER_MAX = 64 << 10,
	HAS_ARCH_TIMES = 1, /* flags */
	PIECE = 256 << 10,  /* bytes read at a time */
};

enum jitdump_record { CODE_LOAD, CODE_MOVE };

bool jitdump_header__parse(const void *data, size_t size, struct jitdump_header *h)
{
	struct cursor c = cursor__make(data, size, false);
	u32 magic = cursor__u32(&c);

	*h = (struct jitdump_header){ .swap = magic == __builtin_bswap32(MAGIC) };
	c.swap = h->swap;
	if (c.bad || (magic != MAGIC && !h->swap) || cursor__u32(&c) != VERSION)
		return false;
	h->size = cursor__u32(&c);
	cursor__skip(&c, 4 + 4 + 4 + 8); /* machine, nothing, pid, time */
	h->has_arch_times = cursor__u64(&c) & HAS_ARCH_TIMES;
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

int jitdump__read(int fd, struct jitdump_header *h, jitdump_fn fn, void *ctx)
{
	u8 *piece = xmalloc(PIECE);
	char name[JITDUMP_HEAD_MAX];
	struct jitdump_code code;
	u64 start = 0; /* file offset of the piece */
	size_t at, end;
	ssize_t n = file__pread_all(fd, piece, PIECE, 0);
	u32 total;

	if (n < 0 || !jitdump_header__parse(piece, (size_t)n, h)) {
		free(piece);
		return -EINVAL;
	}
	at = h->size;
	end = (size_t)n;
	for (;;) {
		if (at > end || end - at < JITDUMP_HEAD_MAX) {
			start += at;
			n = file__pread_all(fd, piece, PIECE, start);
			at = 0;
			end = n > 0 ? (size_t)n : 0;
		}
		total = jitdump_record__size(h, piece + at, end - at);
		if (!total)
			break;
		if (jitdump_record__parse(h, piece + at, end - at, start + at, name, &code))
			fn(&code, ctx);
		at += total;
	}
	free(piece);
	return 0;
}
