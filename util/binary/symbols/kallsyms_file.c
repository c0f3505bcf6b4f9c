#include "binary/symbols/kallsyms_file.h"

#include "base/memory/array.h"
#include "base/system/file.h"
#include "binary/symbols/kallsyms.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BLOCK_SIZE = 4096,
	BLOCK_MORE = 640, /* read after a block, for the line that begins in it and ends there */
	NR_BLOCKS = 64,   /* blocks in memory: those that every search begins with, and some more */
	LINE_MIN = 6,
	SCAN_MAX = 256,             /* bytes; read a smaller range line by line */
	STEPS_MAX = 4096,           /* limit of consecutive lines without a function */
	REFERENCE_WITHIN = 1 << 20, /* bytes */
	SEARCHES_MAX = 1000,        /* more take as long as loading the file */
};

struct block {
	u64 nr; /* number in the file + 1; 0: empty */
	size_t size;
};

typedef char block_bytes[BLOCK_SIZE + BLOCK_MORE];

struct kallsyms_file {
	char *path;
	int fd;
	u64 size;
	u64 delta;                      /* address in lookups minus address in the file */
	struct block blocks[NR_BLOCKS]; /* indexed by number modulo NR_BLOCKS */
	block_bytes *bytes;             /* parallel to blocks */
	ARRAY(u32) found;               /* indexes in t, sorted by start */
	u32 nr_searches, searches_max;
	bool is_whole; /* whole is loaded, or cannot be loaded */
	struct symtab whole;
};

struct line {
	u64 pos, next; /* file offsets of this line and of the next one */
	struct kallsyms_line l;
};

void kallsyms_file__close(struct kallsyms_file *k)
{
	if (!k)
		return;
	file__close(k->fd);
	free(k->path);
	free(k->bytes);
	array__exit(&k->found);
	symtab__exit(&k->whole);
	free(k);
}

/*
 * Return the bytes from pos to the end of its block and some more, valid until the next call, or NULL if
 * they cannot be read.
 */
static const char *kallsyms_file__at(struct kallsyms_file *k, u64 pos, size_t *len)
{
	u64 nr = pos / BLOCK_SIZE, start = nr * BLOCK_SIZE;
	struct block *b = &k->blocks[nr % NR_BLOCKS];
	char *bytes = k->bytes[nr % NR_BLOCKS];

	if (b->nr != nr + 1) {
		b->size = (size_t)MIN((u64)sizeof(block_bytes), k->size - start);
		b->nr = file__pread_all(k->fd, bytes, b->size, start) == (ssize_t)b->size ? nr + 1 : 0;
	}
	*len = b->size - (size_t)(pos - start);
	return b->nr ? bytes + (pos - start) : NULL;
}

/*
 * Parse the line at pos; its name is valid until the next call. Return false if it cannot be read or is
 * malformed.
 */
static bool kallsyms_file__line(struct kallsyms_file *k, u64 pos, struct line *line)
{
	size_t len;
	const char *p = kallsyms_file__at(k, pos, &len), *nl = p ? memchr(p, '\n', len) : NULL,
		   *end = nl ? nl : p + len;

	if (!p || (!nl && pos + len != k->size))
		return false;
	line->pos = pos;
	line->next = MIN(pos + (u64)(end - p) + 1, k->size);
	return kallsyms_line__parse(&line->l, p, end);
}

/* Find the start of the first line at or after pos. Return false if a line is too long. */
static bool kallsyms_file__line_from(struct kallsyms_file *k, u64 pos, u64 *start)
{
	const char *p, *nl;
	size_t len;

	*start = 0;
	if (!pos)
		return true;
	p = kallsyms_file__at(k, pos - 1, &len);
	nl = p ? memchr(p, '\n', len) : NULL;
	*start = nl ? pos + (u64)(nl - p) : k->size;
	return p && (nl || pos - 1 + len == k->size);
}

/* Find the start of the line that ends before pos, where another line begins. */
static bool kallsyms_file__line_before(struct kallsyms_file *k, u64 pos, u64 *start)
{
	u64 in_block = (pos - 1) % BLOCK_SIZE;
	const char *p, *nl;
	size_t len;

	/* It ends in the block of the byte before pos, and begins there or in the block before. */
	for (int i = 0; i < 2; i++) {
		u64 block = (pos - 1) / BLOCK_SIZE * BLOCK_SIZE - (i ? BLOCK_SIZE : 0);

		p = kallsyms_file__at(k, block, &len);
		nl = p ? memrchr(p, '\n', (size_t)(i ? BLOCK_SIZE : in_block)) : NULL;
		*start = nl ? block + (u64)(nl - p) + 1 : block;
		if (!p || nl || !block)
			return p;
	}
	return false;
}

static bool line__is_in_kernel(const struct line *line)
{
	return !line->l.module;
}

/*
 * Range of the search: no line begins in [end, upper), and lines before lo have no higher address than the
 * wanted one.
 */
struct range {
	u64 lo, end, upper;
	u64 lo_addr, upper_addr; /* upper_addr 0: unknown */
};

/* Return the next position to look at: in odd steps in proportion to the addresses, else the middle. */
static u64 range__guess(const struct range *r, u64 addr, unsigned step)
{
	double share = 0.5;

	if (step % 2 && r->upper_addr > r->lo_addr)
		share = (double)(addr - r->lo_addr) / (double)(r->upper_addr - r->lo_addr);
	return r->lo + MIN((u64)((double)(r->end - r->lo) * share), r->end - r->lo - 1);
}

/* Find the first line with a higher address than addr, or of a module; the file's size if there is none. */
static bool kallsyms_file__upper(struct kallsyms_file *k, u64 addr, u64 *upper)
{
	struct range r = { .end = k->size, .upper = k->size };
	struct line line;
	u64 mid, start;

	/* lo is the end of a line and may be after end. */
	for (unsigned step = 0; r.end > r.lo + SCAN_MAX; step++) {
		mid = range__guess(&r, addr, step);
		if (!kallsyms_file__line_from(k, mid, &start))
			return false;
		if (start >= r.end) {
			r.end = mid;
			continue;
		}
		if (!kallsyms_file__line(k, start, &line))
			return false;
		if (line__is_in_kernel(&line) && line.l.addr <= addr) {
			r.lo = line.next;
			r.lo_addr = line.l.addr;
		} else {
			r.end = mid;
			r.upper = start;
			r.upper_addr = line__is_in_kernel(&line) ? line.l.addr : 0;
		}
	}
	for (; r.lo < r.upper; r.lo = line.next) {
		if (!kallsyms_file__line(k, r.lo, &line))
			return false;
		if (!line__is_in_kernel(&line) || line.l.addr > addr)
			r.upper = r.lo;
	}
	*upper = r.upper;
	return true;
}

/*
 * Find the last function before pos. It contains addr unless it is the last of the file. *any: there is one.
 */
static bool kallsyms_file__last_before(struct kallsyms_file *k, u64 pos, u64 addr, struct line *line,
				       bool *any)
{
	*any = false;
	for (unsigned steps = 0; pos && steps < STEPS_MAX; steps++) {
		if (!kallsyms_file__line_before(k, pos, &pos) || !kallsyms_file__line(k, pos, line))
			return false;
		if (!line__is_in_kernel(line) || line->l.addr > addr)
			return false; /* out of order */
		*any = kallsyms_line__is_wanted(&line->l);
		if (*any)
			return true;
		addr = line->l.addr;
	}
	return !pos;
}

/* Find the address of the next function from pos on; 0: none. */
static bool kallsyms_file__next_from(struct kallsyms_file *k, u64 pos, u64 addr, u64 *start)
{
	struct line line;

	*start = 0;
	for (unsigned steps = 0; pos < k->size && steps < STEPS_MAX; steps++, pos = line.next) {
		if (!kallsyms_file__line(k, pos, &line))
			return false;
		if (!line__is_in_kernel(&line))
			return true;
		if (line.l.addr <= addr)
			return false; /* out of order */
		*start = line.l.addr;
		if (kallsyms_line__is_wanted(&line.l))
			return true;
		*start = 0;
	}
	return pos >= k->size;
}

/* Reserve memory for all symbols of the file, so that symbols never move. Unused pages take no memory. */
static void kallsyms_file__make_room(const struct kallsyms_file *k, struct symtab *t)
{
	if (t->syms.alloc)
		return;
	array__reserve(&t->syms, (size_t)(k->size / LINE_MIN) + 1);
	array__reserve(&t->rank, (size_t)(k->size / LINE_MIN) + 1);
	array__reserve(&t->text, (size_t)k->size + 1);
}

/* Return the number of kept symbols that start at addr or before. */
static size_t kallsyms_file__nr_found(const struct kallsyms_file *k, const struct symtab *t, u64 addr)
{
	return bisect(i, 0, k->found.nr, t->syms.v[k->found.v[i]].start <= addr);
}

/* Search the kept symbols. */
static const struct symbol *kallsyms_file__recall(const struct kallsyms_file *k, const struct symtab *t,
						  u64 addr)
{
	size_t nr = kallsyms_file__nr_found(k, t, addr);
	const struct symbol *sym = nr ? &t->syms.v[k->found.v[nr - 1]] : NULL;

	return sym && addr - sym->start < sym->size ? sym : NULL;
}

/* Keep a symbol; start: address as in lookups. */
static const struct symbol *kallsyms_file__keep(struct kallsyms_file *k, struct symtab *t, u64 start,
						u64 size, const char *name, size_t len)
{
	size_t nr = kallsyms_file__nr_found(k, t, start);

	kallsyms_file__make_room(k, t);
	if (t->syms.nr == t->syms.alloc || t->text.alloc - t->text.nr < len + 1)
		return NULL; /* the file has grown meanwhile */
	array__reserve(&k->found, k->found.nr + 1);
	memmove(k->found.v + nr + 1, k->found.v + nr, (k->found.nr++ - nr) * sizeof(*k->found.v));
	k->found.v[nr] = (u32)t->syms.nr;
	symtab__addn(t, start, size, name, len, SYMBOL_GLOBAL);
	return &t->syms.v[t->syms.nr - 1];
}

/* Return true if *sym is the answer, false if only the whole file can tell. */
static bool kallsyms_file__search(struct kallsyms_file *k, struct symtab *t, u64 addr,
				  const struct symbol **sym)
{
	struct line line;
	u64 upper, next, size;
	bool any;

	*sym = NULL;
	if (!kallsyms_file__upper(k, addr, &upper) || !kallsyms_file__next_from(k, upper, addr, &next) ||
	    !kallsyms_file__last_before(k, upper, addr, &line, &any))
		return false;
	if (!any)
		return true;
	size = next ? next - line.l.addr : symtab__last_size(line.l.addr);
	if (addr - line.l.addr < MIN(size, (u64)UINT32_MAX))
		*sym = kallsyms_file__keep(k, t, line.l.addr + k->delta, size, line.l.name, line.l.name_len);
	return true;
}

void kallsyms_file__search_only(struct kallsyms_file *k)
{
	k->searches_max = UINT32_MAX;
}

void kallsyms_file__load(struct kallsyms_file *k)
{
	u64 reference;

	if (!k->is_whole)
		kallsyms__load_file(&k->whole, k->path, NULL, &reference); /* empty on error */
	k->is_whole = true;
}

const struct symbol *kallsyms_file__find(struct kallsyms_file *k, struct symtab *t, u64 addr)
{
	const struct symbol *sym = kallsyms_file__recall(k, t, addr);
	const char *name;

	if (sym || (!k->is_whole && ++k->nr_searches <= k->searches_max &&
		    kallsyms_file__search(k, t, addr - k->delta, &sym)))
		return sym;
	kallsyms_file__load(k);
	sym = symtab__find(&k->whole, addr - k->delta);
	if (!sym)
		return NULL;
	name = symtab__name(&k->whole, sym);
	return kallsyms_file__keep(k, t, sym->start + k->delta, sym->size, name, strlen(name));
}

static int kallsyms_file__find_reference(struct kallsyms_file *k, const char *name, u64 *addr)
{
	size_t len = strlen(name);
	struct line line;

	for (u64 pos = 0; pos < MIN(k->size, (u64)REFERENCE_WITHIN); pos = line.next) {
		if (!kallsyms_file__line(k, pos, &line) || !line__is_in_kernel(&line))
			return -EINVAL;
		*addr = line.l.addr;
		if (line.l.addr && line.l.name_len == len && !memcmp(line.l.name, name, len))
			return 0;
	}
	return -EINVAL;
}

int kallsyms_file__open(struct kallsyms_file **file, const char *path, const char *reference, u64 recorded)
{
	struct kallsyms_file *k = xcalloc(1, sizeof(*k));
	struct stat st;
	u64 addr;
	int ret;

	symtab__init(&k->whole);
	k->searches_max = SEARCHES_MAX;
	k->bytes = xmalloc(NR_BLOCKS * sizeof(*k->bytes)); /* written before it is read (xcalloc_table) */
	k->path = xstrdup(path);
	k->fd = file__open_regular(path);
	ret = k->fd < 0 ? k->fd : fstat(k->fd, &st) ? -errno : 0;
	if (!ret && (st.st_size <= 0 || st.st_size > INT32_MAX))
		ret = -EINVAL;
	if (!ret) {
		k->size = (u64)st.st_size;
		ret = kallsyms_file__find_reference(k, reference, &addr);
	}
	if (ret) {
		kallsyms_file__close(k);
		return ret;
	}
	k->delta = recorded - addr;
	*file = k;
	return 0;
}
