#include "event/tracepoint/trace_header.h"

#include "base/memory/cursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The next string, which ends in NUL. */
static const char *cursor__next_str(struct cursor *c)
{
	const char *s = (const char *)c->p;

	cursor__skip(c, strnlen(s, cursor__left(c)) + 1);
	return c->bad ? NULL : s;
}

/* size bytes; none and a bad cursor when there are fewer. */
static struct trace_text cursor__text(struct cursor *c, u64 size)
{
	if (size > cursor__left(c))
		c->bad = true;
	if (c->bad)
		return (struct trace_text){ NULL, 0 };
	return (struct trace_text){ cursor__bytes(c, (size_t)size), (size_t)size };
}

static void trace_header__parse_magic(struct trace_header *h, struct cursor *c)
{
	const char *magic = cursor__bytes(c, sizeof(TRACE_HEADER_MAGIC) - 1);

	if (!magic || memcmp(magic, TRACE_HEADER_MAGIC, sizeof(TRACE_HEADER_MAGIC) - 1)) {
		c->bad = true;
		return;
	}
	(void)cursor__next_str(c); /* the version is not needed */
	h->big_endian = cursor__u8(c);
	c->swap = h->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	h->long_size = cursor__u8(c);
	h->page_size = cursor__u32(c);
}

static void trace_header__parse_formats(struct trace_header *h, struct cursor *c, const char *system)
{
	u32 nr = cursor__u32(c);

	for (u32 i = 0; i < nr && !c->bad; i++) {
		struct trace_text text = cursor__text(c, cursor__u64(c));

		if (!c->bad)
			array__add(&h->formats, ((struct trace_format_text){ system, text }));
	}
}

int trace_header__parse(struct trace_header *h, const void *data, size_t size)
{
	struct cursor c = cursor__make(data, size, false);
	u32 nr_systems;
	int ret;

	*h = (struct trace_header){ .long_size = 0 };
	trace_header__parse_magic(h, &c);
	for (int i = 0; i < 2; i++) { /* header_page and header_event, of the tracer's ring buffer */
		(void)cursor__next_str(&c);
		(void)cursor__text(&c, cursor__u64(&c));
	}
	trace_header__parse_formats(h, &c, "ftrace");
	nr_systems = cursor__u32(&c);
	for (u32 i = 0; i < nr_systems && !c.bad; i++)
		trace_header__parse_formats(h, &c, cursor__next_str(&c));
	ret = c.bad ? -EBADMSG : 0;
	(void)cursor__text(&c,
			   cursor__u32(&c)); /* kallsyms: the recording has other ways to name functions */
	h->printk = cursor__text(&c, cursor__u32(&c));
	h->cmdlines = cursor__text(&c, cursor__u64(&c));
	return ret;
}

void trace_header__exit(struct trace_header *h)
{
	array__exit(&h->formats);
}

struct trace_text trace_format__value(const struct trace_text *format, const char *key)
{
	size_t key_len = strlen(key), left = format->size;
	const char *p = format->data;

	while (left) {
		const char *newline = memchr(p, '\n', left);
		size_t line = newline ? (size_t)(newline - p) : left;

		if (line >= key_len + 2 && !memcmp(p, key, key_len) && !memcmp(p + key_len, ": ", 2))
			return (struct trace_text){ p + key_len + 2, line - key_len - 2 };
		line += newline != NULL;
		p += line;
		left -= line;
	}
	return (struct trace_text){ NULL, 0 };
}

bool trace_format__id(const struct trace_text *format, u64 *id)
{
	struct trace_text value = trace_format__value(format, "ID");
	char digits[24];

	if (!value.size || value.size >= sizeof(digits))
		return false;
	memcpy(digits, value.data, value.size);
	digits[value.size] = '\0';
	*id = strtoull(digits, NULL, 10);
	return true;
}
