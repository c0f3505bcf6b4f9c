#include "binary/go_table.h"

#include "base/cursor.h"
#include "base/mem.h"

enum {
	MAGIC_1_18 = 0xfffffff0,
	MAGIC_1_20 = 0xfffffff1,
	ENTRY_SIZE = 8,      /* in the table of functions: two 32-bit numbers */
	NAME_AT = 4,         /* in a function's description, where its name is */
	PCSP_AT = 16,        /* in a function's description, where its stack's table is said to be */
	STEPS_MAX = 1 << 20, /* of one function's table */
	DEPTH_MAX = 1 << 30, /* bytes */
	/* a function's flags */
	TOP_FRAME = 1,
	WRITES_SP = 2, /* by other means than adding to it: it changes to another stack */
};

bool go_table__init(struct go_table *t, const void *data, size_t size, u64 text)
{
	struct cursor c = cursor__make(data, size, false);
	u32 magic = cursor__u32(&c);
	u8 word;

	*t = (struct go_table){ .data = data, .size = size };
	cursor__skip(&c, 2);
	t->quantum = cursor__u8(&c);
	word = cursor__u8(&c);
	t->nr_functions = cursor__u64(&c);
	cursor__skip(&c, 8); /* files */
	t->text = cursor__u64(&c);
	t->names = cursor__u64(&c);
	cursor__skip(&c, 16); /* tables of files */
	t->pcs = cursor__u64(&c);
	t->functions = cursor__u64(&c);
	if (c.bad || (magic != MAGIC_1_18 && magic != MAGIC_1_20) || word != 8 || !t->quantum)
		return false;
	t->id_at = magic == MAGIC_1_18 ? 36 : 40;
	if (!t->text) /* position independent: the loader would put it there */
		t->text = text;
	return t->text && t->names <= size && t->pcs <= size && t->functions <= size &&
	       t->nr_functions < (size - t->functions) / ENTRY_SIZE;
}

/* What the loader of a position-independent program would add to a word of it. */
static u64 relocated(const struct elf_file *f, u64 vaddr)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(f, ".rela.dyn", SHT_RELA, &shdr);
	Elf_Data *data = elf_file__data(scn);
	GElf_Rela rela;

	for (int i = 0; data && gelf_getrela(data, i, &rela); i++)
		if (rela.r_offset == vaddr)
			return (u64)rela.r_addend;
	return 0;
}

bool go_table__open(struct go_table *t, const struct elf_file *f)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		GElf_Shdr shdr;
		Elf_Data *data = elf_file__data(elf_file__section(f, names[i], 0, &shdr));

		if (data &&
		    go_table__init(t, data->d_buf, data->d_size, relocated(f, shdr.sh_addr + GO_TABLE_TEXT)))
			return true;
	}
	*t = (struct go_table){ 0 };
	return false;
}

static u32 word_at(const struct go_table *t, u64 at)
{
	u32 x = 0;

	memcpy(&x, t->data + at, sizeof(x));
	return x;
}

/* Entry i of the table of functions, which has one more for the end of the last. */
static u64 function_start(const struct go_table *t, u64 i)
{
	return word_at(t, t->functions + i * ENTRY_SIZE);
}

/* Where a function's description is; 0: outside of the table. */
static u64 description_of(const struct go_table *t, u64 i)
{
	u64 at = t->functions + word_at(t, t->functions + i * ENTRY_SIZE + 4);

	return at > t->size || t->size - at < (u64)t->id_at + 4 ? 0 : at;
}

static bool go_table__function(const struct go_table *t, u64 i, struct go_function *f)
{
	u64 at = description_of(t, i), name;

	if (!at)
		return false;
	name = t->names + word_at(t, at + NAME_AT);
	f->start = t->text + function_start(t, i);
	f->end = t->text + function_start(t, i + 1);
	f->name = (const char *)t->data + name;
	return f->end > f->start && name < t->size;
}

bool go_functions__next(struct go_functions *all, struct go_function *f)
{
	const struct go_table *t = all->table;

	while (all->next < t->nr_functions) {
		size_t left, len;

		if (!go_table__function(t, all->next++, f))
			continue;
		left = (size_t)(t->data + t->size - (const u8 *)f->name);
		len = strnlen(f->name, MIN((u64)left, all->room));
		all->room -= len;
		if (!all->room) {
			all->next = t->nr_functions;
			return false;
		}
		if (len < left)
			return true;
	}
	return false;
}

/* As in protocol buffers; false at the end of the data. */
static bool read_varint(struct cursor *c, u32 *value)
{
	u32 x = 0;
	u8 byte;

	for (unsigned shift = 0; shift < 35; shift += 7) {
		byte = cursor__u8(c);
		x |= (u32)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*value = x;
			return !c->bad;
		}
	}
	return false;
}

/* The step of a table (steps of the value, steps of the address) that an offset from the function's start is
 * in. */
static bool find_step(const struct go_table *t, u64 table, u64 offset, u64 *start, u64 *end, s64 *value)
{
	struct cursor c = cursor__make(t->data + t->pcs, t->size - t->pcs, false);
	u32 up, forward;

	cursor__skip(&c, table);
	*start = *end = 0;
	*value = -1;
	for (u32 i = 0; i < STEPS_MAX; i++) {
		if (!read_varint(&c, &up) || (!up && i) || !read_varint(&c, &forward))
			return false;
		*value += up & 1 ? -(s64)(up >> 1) - 1 : (s64)(up >> 1);
		*start = *end;
		*end += (u64)forward * t->quantum;
		if (offset < *end)
			return true;
	}
	return false;
}

bool go_table__find(const struct go_table *t, u64 vaddr, struct go_frame *f)
{
	u64 offset = vaddr - t->text, lo = 0, hi = t->nr_functions, start, at, first, last;
	s64 depth;
	u8 kind, flags;

	if (!hi || vaddr < t->text || offset < function_start(t, 0) || offset >= function_start(t, hi))
		return false;
	while (hi - lo > 1) {
		u64 mid = lo + (hi - lo) / 2;

		if (function_start(t, mid) <= offset)
			lo = mid;
		else
			hi = mid;
	}
	start = function_start(t, lo);
	at = description_of(t, lo);
	if (!at || offset < start)
		return false;
	kind = t->data[at + t->id_at];
	flags = t->data[at + t->id_at + 1];
	/* The table cannot follow who writes the stack pointer. Those of a kind of their own change the
	 * stack. */
	if ((flags & WRITES_SP) && !(flags & TOP_FRAME) && !kind)
		return false;
	f->is_outermost = flags & (TOP_FRAME | WRITES_SP);
	if (!find_step(t, word_at(t, at + PCSP_AT), offset - start, &first, &last, &depth))
		return false;
	if (depth < 0 || depth > DEPTH_MAX)
		return false;
	f->start = t->text + start + first;
	f->end = t->text + start + last;
	f->depth = (u64)depth;
	return true;
}
