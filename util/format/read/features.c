#include "format/read/features.h"

#include "base/memory/cursor.h"

#include <errno.h>
#include <string.h>

/* The byte order of a feature's numbers: the file's, but build-ids from a stream's records are swapped. */
static bool feature__swap(const struct reader *r, enum feature f)
{
	return r->needs_swap && !(r->is_pipe && f == FEATURE_BUILD_ID);
}

int features__string(const struct reader *r, enum feature f, char **s)
{
	struct strbuf sb = STRBUF_INIT;
	const char *text = NULL;
	struct cursor c;
	int ret;

	*s = NULL;
	ret = reader__feature(r, f, &sb);
	if (!ret) {
		c = cursor__make(sb.buf, sb.len, feature__swap(r, f));
		text = cursor__str(&c, cursor__u32(&c));
		if (text)
			*s = xstrdup(text);
		else
			ret = -ENOENT;
	}
	strbuf__exit(&sb);
	return ret ? -ENOENT : 0;
}

int features__sample_time(const struct reader *r, u64 *first, u64 *last)
{
	struct strbuf sb = STRBUF_INIT;
	struct cursor c;
	int ret;

	ret = reader__feature(r, FEATURE_SAMPLE_TIME, &sb);
	c = cursor__make(sb.buf, sb.len, feature__swap(r, FEATURE_SAMPLE_TIME));
	*first = cursor__u64(&c);
	*last = cursor__u64(&c);
	strbuf__exit(&sb);
	return ret || c.bad ? -ENOENT : 0;
}

/* ---- build-ids ---- */

enum {
	BUILD_ID_FIELD = 24, /* 20 bytes of id, its size, 3 reserved */
	ENTRY_HEADER = sizeof(struct perf_event_header),
};

/*
 * Before 2.6.33 an entry had no pid, so that names begin four bytes earlier: seen by the kernel's, which is
 * in every table, without its first letters.
 */
static bool table__lacks_pids(const u8 *data, size_t size)
{
	static const char tail[] = "nel.kallsyms]";
	struct cursor c = cursor__make(data, size, false);

	for (;;) {
		const u8 *entry = c.p;
		struct perf_event_header h;

		cursor__skip(&c, 6);
		h.size = cursor__u16(&c);
		if (c.bad || h.size < ENTRY_HEADER)
			return false;
		cursor__skip(&c, h.size - ENTRY_HEADER);
		if (!c.bad && h.size >= ENTRY_HEADER + 4 + BUILD_ID_FIELD + sizeof(tail) &&
		    !memcmp(entry + ENTRY_HEADER + 4 + BUILD_ID_FIELD, tail, sizeof(tail)))
			return true;
	}
}

/*
 * Return the size of an id whose size is not stored. Zeroes at the end are padding, unless one or two of them
 * make a usual size: that of SHA-1, of MD5 or a UUID, or 64 bits. One of 256 such ids ends in a zero.
 */
static u8 build_id__used(const u8 *id)
{
	static const u8 usual[] = { 8, 16, 20 };
	u8 size = BUILD_ID_MAX;

	while (size && !id[size - 1])
		size--;
	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		if (size < usual[i] && usual[i] - size <= 2)
			return usual[i];
	return size;
}

/* Read one entry from size bytes. Return false if it makes no sense. */
static bool entry__parse(const u8 *data, size_t size, bool swap, bool has_pid, struct build_id_entry *e)
{
	struct cursor c = cursor__make(data, size, swap);
	const u8 *id;
	u16 misc;

	cursor__skip(&c, 4);
	misc = cursor__u16(&c);
	cursor__skip(&c, 2);
	*e = (struct build_id_entry){ .cpumode = misc & MISC_CPUMODE_MASK };
	e->pid = has_pid ? cursor__u32(&c) : UINT32_MAX;
	id = cursor__bytes(&c, BUILD_ID_FIELD);
	e->filename = cursor__str(&c, cursor__left(&c));
	if (c.bad)
		return false;
	/* Ids without a stored size are 20 bytes; older recorders may have filled fewer of them. */
	e->id.size = misc & MISC_BUILD_ID_SIZE ? MIN(id[BUILD_ID_MAX], (u8)BUILD_ID_MAX) : build_id__used(id);
	memcpy(e->id.data, id, e->id.size);
	return true;
}

static void build_id_table__parse(struct build_id_table *t, const u8 *data, size_t left, bool swap)
{
	bool has_pid = swap || !table__lacks_pids(data, left);

	while (left >= ENTRY_HEADER) {
		struct cursor c = cursor__make(data, ENTRY_HEADER, swap);
		struct build_id_entry e;
		u16 size;

		cursor__skip(&c, 6);
		size = cursor__u16(&c);
		if (size < ENTRY_HEADER || size > left)
			break;
		if (entry__parse(data, size, swap, has_pid, &e))
			array__add(&t->entries, e);
		data += size;
		left -= size;
	}
}

int features__build_ids(const struct reader *r, struct build_id_table *t)
{
	const struct strbuf *records = &r->feature_data[FEATURE_BUILD_ID];
	size_t section;
	int ret;

	*t = (struct build_id_table){ .data = STRBUF_INIT };
	ret = reader__feature(r, FEATURE_BUILD_ID, &t->data);
	section = t->data.len;
	if (!r->is_pipe)
		strbuf__add(&t->data, records->buf, records->len);
	if (ret && !t->data.len)
		return ret;
	build_id_table__parse(t, (const u8 *)t->data.buf, section, feature__swap(r, FEATURE_BUILD_ID));
	build_id_table__parse(t, (const u8 *)t->data.buf + section, t->data.len - section, false);
	return 0;
}

void build_id_table__exit(struct build_id_table *t)
{
	array__exit(&t->entries);
	strbuf__exit(&t->data);
}
