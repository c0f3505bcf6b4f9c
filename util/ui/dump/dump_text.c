#include "ui/dump/dump_text.h"

#include "base/memory/array.h"
#include "base/memory/cursor.h"

/* No terminating NUL. */
const char dump_hex_pairs[512] =
	"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f3031"
	"32333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f60616263"
	"6465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f909192939495"
	"969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7"
	"c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9"
	"fafbfcfdfeff";

enum {
	ROW_BYTES = 16,
	HEX_AT = 9,                                            /* after ".  0000: " */
	ROW_TEXT = HEX_AT + 3 * ROW_BYTES + 2 + ROW_BYTES + 1, /* " xx" each, "  ", a letter each, newline */
};

/* " xx" for each byte, and a spare byte. */
#define HEX_CELLS(d)                                                                                 \
	{ ' ', d, '0' }, { ' ', d, '1' }, { ' ', d, '2' }, { ' ', d, '3' }, { ' ', d, '4' },         \
		{ ' ', d, '5' }, { ' ', d, '6' }, { ' ', d, '7' }, { ' ', d, '8' }, { ' ', d, '9' }, \
		{ ' ', d, 'a' }, { ' ', d, 'b' }, { ' ', d, 'c' }, { ' ', d, 'd' }, { ' ', d, 'e' }, \
	{                                                                                            \
		' ', d, 'f'                                                                          \
	}
static const char hex_cells[256][4] = {
	HEX_CELLS('0'), HEX_CELLS('1'), HEX_CELLS('2'), HEX_CELLS('3'), HEX_CELLS('4'), HEX_CELLS('5'),
	HEX_CELLS('6'), HEX_CELLS('7'), HEX_CELLS('8'), HEX_CELLS('9'), HEX_CELLS('a'), HEX_CELLS('b'),
	HEX_CELLS('c'), HEX_CELLS('d'), HEX_CELLS('e'), HEX_CELLS('f'),
};

/* " xx xx" of two bytes, in the first 6 bytes of a word. */
static inline char *put_cells(char *p, const u8 *d)
{
	u32 a, b;
	u64 word;

	memcpy(&a, hex_cells[d[0]], sizeof(a));
	memcpy(&b, hex_cells[d[1]], sizeof(b));
	word = htole64(le32toh(a) | (u64)le32toh(b) << 24);
	memcpy(p, &word, sizeof(word));
	return p + 6;
}

/* Printable bytes as letters, others as dots; written with vector types of the compiler. */
static inline char *put_printable(char *p, const u8 *d)
{
	typedef signed char bytes __attribute__((vector_size(ROW_BYTES)));
	bytes c, good;

	memcpy(&c, d, sizeof(c));
	good = (bytes)(c > 0x1f) & (bytes)(c != 0x7f);
	c = (c & good) | ('.' & ~good);
	memcpy(p, &c, sizeof(c));
	return p + sizeof(c);
}

static inline char *put_row_start(char *p, size_t offset)
{
	p = put_text(p, ".  ");
	p = put_bytes(p, dump_hex_pairs + (offset >> 8 & 0xff) * 2, 2);
	p = put_bytes(p, dump_hex_pairs + (offset & 0xff) * 2, 2);
	return put_text(p, ": ");
}

static inline char *put_row(char *p, const u8 *d, size_t offset)
{
	p = put_row_start(p, offset);
	for (size_t i = 0; i < ROW_BYTES; i += 2)
		p = put_cells(p, d + i);
	p = put_text(p, "  ");
	p = put_printable(p, d);
	*p++ = '\n';
	return p;
}

/* A row of fewer than 16 bytes: the row of these and zeroes, without the zeroes' text. */
static char *put_short_row(char *p, const u8 *d, size_t offset, size_t nr)
{
	u8 padded[ROW_BYTES] = { 0 };
	char *end;

	memcpy(padded, d, nr);
	end = put_row(p, padded, offset);
	memset(p + HEX_AT + 3 * nr, ' ', 3 * (ROW_BYTES - nr));
	memset(end - 1 - (ROW_BYTES - nr), ' ', ROW_BYTES - nr);
	return end;
}

void dump_text__hex_block(struct strbuf *sb, const void *data, size_t size)
{
	const u8 *d = data;
	char *p = strbuf__begin(sb, (size / ROW_BYTES + 1) * ROW_TEXT);
	size_t offset = 0;

	for (; size - offset >= ROW_BYTES; offset += ROW_BYTES)
		p = put_row(p, d + offset, offset);
	if (offset < size)
		p = put_short_row(p, d + offset, offset, size - offset);
	strbuf__end(sb, p);
}

/* ---- cpu maps ---- */

enum { CPU_MAP_LIST, CPU_MAP_MASK, CPU_MAP_RANGE };

struct cpu_runs { /* collects single numbers into "0-3,8" */
	struct strbuf *sb;
	bool any, open;
	int first, last;
};

static void cpu_runs__close(struct cpu_runs *c)
{
	if (!c->open)
		return;
	strbuf__addf(c->sb, c->first == c->last ? "%s%d" : "%s%d-%d", c->any ? "," : "", c->first, c->last);
	c->any = true;
	c->open = false;
}

static void cpu_runs__add(struct cpu_runs *c, int first, int last)
{
	if (c->open && first == c->last + 1 && c->last >= 0) {
		c->last = last;
		return;
	}
	cpu_runs__close(c);
	c->open = true;
	c->first = first;
	c->last = last;
}

static void cpus__list(struct cursor *c, struct cpu_runs *runs)
{
	u16 nr = cursor__u16(c);

	for (u16 i = 0; i < nr && !c->bad; i++) {
		u16 cpu = cursor__u16(c);

		if (!c->bad)
			cpu_runs__add(runs, cpu == UINT16_MAX ? -1 : cpu, cpu == UINT16_MAX ? -1 : cpu);
	}
}

static void cpus__mask(struct cursor *c, struct cpu_runs *runs)
{
	u16 nr = cursor__u16(c), word = cursor__u16(c);

	if (word != 4 && word != 8) {
		c->bad = true;
		return;
	}
	if (word == 8)
		cursor__skip(c, 4);
	for (int i = 0; i < nr && !c->bad; i++) {
		u64 bits = word == 8 ? cursor__u64(c) : cursor__u32(c);

		for (; bits; bits &= bits - 1) {
			int cpu = i * word * 8 + __builtin_ctzll(bits);

			cpu_runs__add(runs, cpu, cpu);
		}
	}
}

static void cpus__range(struct cursor *c, struct cpu_runs *runs)
{
	bool any = cursor__u8(c);
	u16 first, last;

	cursor__skip(c, 1);
	first = cursor__u16(c);
	last = cursor__u16(c);
	if (c->bad)
		return;
	if (any)
		cpu_runs__add(runs, -1, -1);
	if (first <= last)
		cpu_runs__add(runs, first, last);
}

static void (*const cpus[])(struct cursor *c, struct cpu_runs *runs) = {
	[CPU_MAP_LIST] = cpus__list,
	[CPU_MAP_MASK] = cpus__mask,
	[CPU_MAP_RANGE] = cpus__range,
};

bool dump_text__cpus(struct strbuf *sb, const void *data, size_t size)
{
	struct cursor c = cursor__make(data, size, false);
	struct cpu_runs runs = { .sb = sb };
	u16 type = cursor__u16(&c);

	if (c.bad || type >= ARRAY_SIZE(cpus))
		return false;
	cpus[type](&c, &runs);
	cpu_runs__close(&runs);
	return !c.bad;
}

static u64 next_number(struct cursor *c, char size)
{
	switch (size) {
	case '1':
		return cursor__u8(c);
	case '2':
		return cursor__u16(c);
	case '4':
		return cursor__u32(c);
	default:
		return cursor__u64(c);
	}
}

void dump_text__fields(struct strbuf *sb, const char *text, struct cursor *c)
{
	for (; *text; text++) {
		const char *s;
		u64 x;

		if (*text != '%') {
			strbuf__addch(sb, *text);
		} else if (*++text == 's') {
			s = cursor__str(c, cursor__left(c));
			strbuf__add_masked(sb, s ? s : "");
		} else {
			x = next_number(c, *text);
			if (*text++ == '4' && *text == 'd')
				x = (u64)(s64)(s32)x;
			strbuf__addf(sb,
				     *text == 'd'   ? "%lld"
				     : *text == 'u' ? "%llu"
				     : *text == 'x' ? "%llx"
						    : "%#llx",
				     (unsigned long long)x);
		}
	}
}
