/* A reader of the page of perf report --html: the samples inside of it. */
#ifndef TESTS_READ_BACK_PAGE_H
#define TESTS_READ_BACK_PAGE_H

#include "read_back.h"

#include "export/page_parts.h"

#include <zlib.h>

enum { PAGE_BYTES_MAX = 8 << 20 };

/* The columns of the data, in their order. */
enum {
	PAGE_JSON,
	PAGE_NAMES,
	PAGE_BINARIES,
	PAGE_FLAGS,
	PAGE_FILES,
	PAGE_LINES,
	PAGE_PLACES,
	PAGE_PARENTS,
	PAGE_FRAMES,
	PAGE_RANKS,
	PAGE_RUNS,
	PAGE_STACKS,
	PAGE_NUMBERS,
	PAGE_WEIGHTS,
	PAGE_CPUS,
	PAGE_SOURCES,
	PAGE_COLUMNS
};

static inline u32 base64_digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	expect(at || c == '=');
	return at ? (u32)(at - digits) : 0;
}

/* Return the bytes, which the caller frees, and their number: up to two more than there are. */
static inline u8 *read_base64(const char *text, size_t size, size_t *nr)
{
	u8 *bytes = xmalloc(size + 3);

	expect(size % 4 == 0);
	*nr = 0;
	for (size_t i = 0; i < size; i += 4) {
		u32 x = 0;

		for (size_t k = 0; k < 4; k++)
			x = x << 6 | base64_digit(text[i + k]);
		bytes[(*nr)++] = (u8)(x >> 16);
		bytes[(*nr)++] = (u8)(x >> 8);
		bytes[(*nr)++] = (u8)x;
	}
	return bytes;
}

/* Add up the weights. A run is the samples of a lane, which is an event of a thread, in a cell. */
static inline u64 page_weight(struct piece *column, const u64 *periods, u32 nr_events)
{
	u64 weight = 0, stack;

	while (column[PAGE_RUNS].p < column[PAGE_RUNS].end) {
		u64 period, nr;

		varint(&column[PAGE_RUNS]);
		period = periods[varint(&column[PAGE_RUNS]) % nr_events];
		stack = 0;
		for (nr = varint(&column[PAGE_RUNS]); nr--;) {
			u64 samples = varint(&column[PAGE_NUMBERS]);

			stack += varint(&column[PAGE_STACKS]);
			expect(samples && stack < 1 << 16);
			weight += period ? samples * period : varint(&column[PAGE_WEIGHTS]);
		}
	}
	expect(column[PAGE_STACKS].p == column[PAGE_STACKS].end);
	expect(column[PAGE_NUMBERS].p == column[PAGE_NUMBERS].end);
	expect(column[PAGE_WEIGHTS].p == column[PAGE_WEIGHTS].end);
	return weight;
}

/* periods: of each event, 0 where the samples have weights of their own. */
static inline void read_page(struct read_back *to, const u64 *periods, u32 nr_events, const char *data,
			     size_t size)
{
	size_t head = (size_t)(page_head_end - page_head), tail = (size_t)(page_tail_end - page_tail), nr;
	uLongf nr_bytes = PAGE_BYTES_MAX;
	struct piece all, column[PAGE_COLUMNS];
	u8 *packed, *bytes = xmalloc(PAGE_BYTES_MAX);

	expect(size >= head + tail && !memcmp(data, page_head, head) &&
	       !memcmp(data + size - tail, page_tail, tail));
	packed = read_base64(data + head, size - head - tail, &nr);
	expect(uncompress(bytes, &nr_bytes, packed, nr) == Z_OK);
	all = (struct piece){ bytes, bytes + nr_bytes };
	for (u32 i = 0; i < PAGE_COLUMNS; i++) {
		u64 length = varint(&all);

		expect(length <= (size_t)(all.end - all.p));
		column[i] = (struct piece){ all.p, all.p + length };
		all.p += length;
	}
	expect(all.p == all.end);
	read_json(to, (const char *)column[PAGE_JSON].p,
		  (size_t)(column[PAGE_JSON].end - column[PAGE_JSON].p));
	to->weight = page_weight(column, periods, nr_events); /* not those that the JSON says */
	free(packed);
	free(bytes);
}

#endif
