#include "binary/symbols/kallsyms.h"

#include "base/system/file.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FILE_CHUNK = 128 << 10, /* bytes read at a time */
	BYTES_PER_SYMBOL = 40,  /* average length of a line, rounded down */
	ADDRESS_DIGITS = 16,
};

/* Values of hexadecimal digits + 1 (lower case, as the kernel writes them); 0: not a digit. */
static const u8 hex_digits[256] = {
	['0'] = 1, ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
	['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

static const char *parse_hex(const char *p, const char *end, u64 *value)
{
	const char *start = p;
	u64 x = 0;
	u8 digit;

	while (p < end && (digit = hex_digits[(u8)*p])) {
		x = x << 4 | (u64)(digit - 1);
		p++;
	}
	*value = x;
	return p > start ? p : NULL;
}

/*
 * Parse eight digits at once: each byte of a word holds a digit, and its top bit the result of a comparison.
 * Return false if a byte is not a digit. (Bytes with a top bit fail both tests, so their carries do not
 * matter.)
 */
static bool parse_hex8(const char *p, u64 *value)
{
	const u64 ones = 0x0101010101010101, tops = ones << 7;
	u64 x, is_digit, is_letter;

	memcpy(&x, p, sizeof(x));
	x = be64toh(x);
	is_digit = (x + ones * (0x80 - '0')) & ~(x + ones * (0x80 - '9' - 1));
	is_letter = (x + ones * (0x80 - 'a')) & ~(x + ones * (0x80 - 'f' - 1));
	if (((is_digit | is_letter) & tops) != tops)
		return false;
	x = (x & ones * 0xf) + (is_letter >> 7 & ones) * 9;
	x = (x | x >> 4) & 0x00ff00ff00ff00ff;
	x = (x | x >> 8) & 0x0000ffff0000ffff;
	*value = (x | x >> 16) & 0xffffffff;
	return true;
}

/* The upper digits of the previous address, which most addresses share. */
struct upper_digits {
	char text[8]; /* "": none yet */
	u64 value;
};

/* Return the end of the address, or NULL. On 64-bit machines all addresses have the same length. */
static inline const char *parse_address(const char *p, const char *end, u64 *addr, struct upper_digits *upper)
{
	u64 lower;

	if (end - p <= ADDRESS_DIGITS || p[ADDRESS_DIGITS] != ' ' || !parse_hex8(p + 8, &lower))
		return parse_hex(p, end, addr);
	if (memcmp(upper->text, p, sizeof(upper->text))) {
		if (!parse_hex8(p, &upper->value))
			return NULL;
		memcpy(upper->text, p, sizeof(upper->text));
	}
	*addr = upper->value << 32 | lower;
	return p + ADDRESS_DIGITS;
}

static inline bool parse_line(struct kallsyms_line *l, const char *p, const char *end,
			      struct upper_digits *upper)
{
	const char *tab = NULL;

	p = parse_address(p, end, &l->addr, upper);
	if (!p || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	l->type = p[1];
	l->name = p + 3;
	l->module = NULL;
	l->module_len = 0;
	if (end[-1] == ']' || end[-1] == '\t')
		tab = memchr(l->name, '\t', (size_t)(end - l->name));
	l->name_len = (size_t)((tab ? tab : end) - l->name);
	if (tab && end - tab > 3 && tab[1] == '[') {
		l->module = tab + 2;
		l->module_len = (size_t)(end - 1 - l->module);
	}
	return l->name_len > 0;
}

bool kallsyms_line__parse(struct kallsyms_line *l, const char *p, const char *end)
{
	struct upper_digits upper = { "", 0 };

	return parse_line(l, p, end, &upper);
}

/* Inline, so that fn can be inlined. */
static inline int parse_lines(const char *text, size_t size, kallsyms_fn fn, void *ctx)
{
	const char *p = text, *end = text + size;
	struct upper_digits upper = { "", 0 };

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *line_end = nl ? nl : end;
		struct kallsyms_line l;
		int ret;

		if (parse_line(&l, p, line_end, &upper) && (ret = fn(&l, ctx)))
			return ret;
		p = line_end + 1;
	}
	return 0;
}

int kallsyms__parse(const char *text, size_t size, kallsyms_fn fn, void *ctx)
{
	return parse_lines(text, size, fn, ctx);
}

static int has_address(const struct kallsyms_line *line, void *ctx)
{
	(void)ctx;
	return line->addr != 0;
}

bool kallsyms__has_addresses(const char *text, size_t size)
{
	return parse_lines(text, size, has_address, NULL);
}

struct load_ctx {
	struct symtab *t;
	const char *module;
	size_t module_len;
	bool any_line, any_addr;
	const char *reference; /* symbol whose address is wanted, or NULL */
	size_t reference_len;
	u64 reference_addr; /* 0: not found yet */
};

bool kallsyms_line__is_wanted(const struct kallsyms_line *l)
{
	static const bool wanted[256] = {
		['t'] = true, ['T'] = true, ['w'] = true, ['W'] = true,
		['d'] = true, ['D'] = true, ['b'] = true, ['B'] = true,
	};

	return wanted[(u8)l->type] && l->name[0] != '$';
}

static int load_line(const struct kallsyms_line *l, void *p)
{
	struct load_ctx *ctx = p;
	enum symbol_binding binding;

	ctx->any_line = true;
	ctx->any_addr |= l->addr != 0;
	if (l->module_len != ctx->module_len || (l->module && memcmp(l->module, ctx->module, l->module_len)))
		return 0;
	if (ctx->reference && l->name_len == ctx->reference_len && !ctx->reference_addr &&
	    !memcmp(l->name, ctx->reference, l->name_len))
		ctx->reference_addr = l->addr;
	if (!kallsyms_line__is_wanted(l))
		return 0;
	binding = l->type == 'W' ? SYMBOL_WEAK : l->type >= 'a' ? SYMBOL_LOCAL : SYMBOL_GLOBAL;
	symtab__addn(ctx->t, l->addr, 0, l->name, l->name_len, binding);
	return 0;
}

static int load_ctx__finish(struct load_ctx *ctx)
{
	if (!ctx->any_line)
		return -EINVAL;
	if (!ctx->any_addr) {
		symtab__exit(ctx->t);
		symtab__init(ctx->t);
		return -EPERM;
	}
	ctx->t->source = "kallsyms";
	symtab__finish(ctx->t);
	return 0;
}

int kallsyms__load(struct symtab *t, const char *text, size_t size, const char *module)
{
	struct load_ctx ctx = { .t = t, .module = module, .module_len = module ? strlen(module) : 0 };

	parse_lines(text, size, load_line, &ctx);
	return load_ctx__finish(&ctx);
}

/*
 * Read the lines of a file in pieces: the text is several times as large as the symbols kept. Return what fn
 * returned if that is not 0, or a negative errno.
 */
static int read_lines(int fd, kallsyms_fn fn, void *ctx)
{
	char *buf = xmalloc(FILE_CHUNK);
	size_t nr = 0;
	ssize_t n;
	int ret = 0;

	while (!ret && ((n = read(fd, buf + nr, FILE_CHUNK - nr)) > 0 || (n < 0 && errno == EINTR))) {
		const char *nl;
		size_t whole;

		nr += n > 0 ? (size_t)n : 0;
		nl = memrchr(buf, '\n', nr);
		whole = nl ? (size_t)(nl + 1 - buf) : nr == FILE_CHUNK ? nr : 0;
		ret = parse_lines(buf, whole, fn, ctx);
		memmove(buf, buf + whole, nr - whole);
		nr -= whole;
	}
	if (!ret)
		ret = n < 0 ? -errno : parse_lines(buf, nr, fn, ctx);
	free(buf);
	return ret;
}

int kallsyms__load_file(struct symtab *t, const char *path, const char *reference, u64 *reference_addr)
{
	struct load_ctx ctx = { .t = t,
				.reference = reference,
				.reference_len = reference ? strlen(reference) : 0 };
	int fd = file__open_regular(path), ret;
	struct stat st;

	if (fd < 0)
		return fd;
	if (!fstat(fd, &st) && st.st_size > 0 && st.st_size < INT32_MAX) {
		size_t nr = (size_t)st.st_size / BYTES_PER_SYMBOL;

		/*
		 * Not part of names: address, type, two spaces, and a newline, which makes up for the NUL.
		 */
		symtab__expect(t, nr, (size_t)st.st_size - nr * (ADDRESS_DIGITS + 3));
	}
	ret = read_lines(fd, load_line, &ctx);
	close(fd);
	*reference_addr = ctx.reference_addr;
	if (!ret)
		return load_ctx__finish(&ctx);
	symtab__exit(t);
	symtab__init(t);
	return ret;
}

struct find_ctx {
	const char *name;
	size_t len;
	u64 addr;
};

static int find_line(const struct kallsyms_line *l, void *p)
{
	struct find_ctx *ctx = p;

	if (l->module || l->name_len != ctx->len || memcmp(l->name, ctx->name, l->name_len))
		return 0;
	ctx->addr = l->addr;
	return 1;
}

int kallsyms__find_address(const char *path, const char *name, u64 *addr)
{
	struct find_ctx ctx = { .name = name, .len = strlen(name) };
	int fd = file__open_regular(path), ret = fd < 0 ? fd : read_lines(fd, find_line, &ctx);

	file__close(fd);
	*addr = ctx.addr;
	if (ret < 0)
		return ret;
	return !ret ? -ENOENT : ctx.addr ? 0 : -EPERM;
}
