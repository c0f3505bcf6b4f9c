#include "binary/tables/go_table.h"

#include "base/memory/cursor.h"

enum {
	MAGIC_1_18 = 0xfffffff0,
	MAGIC_1_20 = 0xfffffff1,
	ENTRY_SIZE = 8,      /* in the table of functions: two 32-bit numbers */
	NAME_AT = 4,         /* in a function's description: offset of its name */
	PCSP_AT = 16,        /* in a function's description: offset of the table of its stack depths */
	STEPS_MAX = 1 << 20, /* limit for the table of one function */
	DEPTH_MAX = 1 << 30, /* bytes */
	/* a function's flags */
	TOP_FRAME = 1,
	WRITES_SP = 2,          /* not by adding to it: it changes to another stack */
	MODULE_WORDS = 128,     /* words of the module data to search */
	FRAME_POINTER_SET = 10, /* bytes of code from the first push to setting the frame pointer */
};

/*
 * Functions of Go's runtime that change the stack, and whose frame pointer does not lead to the caller. In
 * all other functions that write the stack pointer it does: it is their own, or (systemstack and asmcgocall
 * until Go 1.20) their caller's.
 */
static const struct {
	const char *name;
	enum go_caller caller;
} switches[] = {
	/* Copies its frame to the goroutine's stack: the same depth is right on both. */
	{ "runtime.cgocallback", GO_CALLER_BY_DEPTH },
	/* The goroutine has stopped; another thread may already run it. */
	{ "runtime.mcall", GO_CALLER_NONE },
	{ "runtime.morestack", GO_CALLER_NONE },
	/* Jump to another stack, which is not a call: there is no caller. */
	{ "gogo", GO_CALLER_NONE },
	{ "runtime.gogo", GO_CALLER_NONE },
	{ "runtime.clone", GO_CALLER_NONE },
	/* Continues in morestack; does not change the stack itself. */
	{ "runtime.morestack_noctxt", GO_CALLER_BY_DEPTH },
};

bool go_table__init(struct go_table *t, const void *data, size_t size)
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
	t->flags_at = magic == MAGIC_1_18 ? 37 : 41;
	return t->names <= size && t->pcs <= size && t->functions <= size &&
	       t->nr_functions < (size - t->functions) / ENTRY_SIZE;
}

/* ---- where the code begins ---- */

static u32 word_at(const struct go_table *t, u64 at)
{
	u32 x = 0;

	memcpy(&x, t->data + at, sizeof(x));
	return x;
}

/* Return the start of function i. The table has one more entry for the end of the last function. */
static u64 function_start(const struct go_table *t, u64 i)
{
	return word_at(t, t->functions + i * ENTRY_SIZE);
}

bool go_table__set_text(struct go_table *t, const u64 *module, size_t nr)
{
	u64 first = function_start(t, 0), end = function_start(t, t->nr_functions);

	for (size_t i = 0; i + 2 < nr; i++) {
		u64 text = module[i + 2];

		if (text && module[i] == text + first && module[i + 1] == text + end) {
			t->text = text;
			return true;
		}
	}
	return false;
}

/* Get text from the table's header, or from the module data. */
static bool go_table__find_text(struct go_table *t, const struct elf_file *f, u64 vaddr)
{
	u64 words[MODULE_WORDS];
	GElf_Shdr shdr;
	Elf_Data *data;
	size_t nr;

	elf_file__relocate(f, vaddr + GO_TABLE_TEXT, &t->text, 1);
	if (t->text)
		return true;
	data = elf_file__data(elf_file__section(f, ".go.module", 0, &shdr));
	if (!data || !data->d_buf)
		return false;
	nr = MIN(data->d_size / sizeof(*words), (size_t)MODULE_WORDS);
	memcpy(words, data->d_buf, nr * sizeof(*words));
	elf_file__relocate(f, shdr.sh_addr, words, nr);
	return go_table__set_text(t, words, nr);
}

bool go_table__open(struct go_table *t, const struct elf_file *f)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		GElf_Shdr shdr;
		Elf_Data *data = elf_file__data(elf_file__section(f, names[i], 0, &shdr));

		if (data && go_table__init(t, data->d_buf, data->d_size) &&
		    go_table__find_text(t, f, shdr.sh_addr))
			return true;
	}
	*t = (struct go_table){ 0 };
	return false;
}

/* ---- functions ---- */

/* Return the offset of a function's description; 0: outside the table. */
static u64 description_of(const struct go_table *t, u64 i)
{
	u64 at = t->functions + word_at(t, t->functions + i * ENTRY_SIZE + 4);

	return at > t->size || t->size - at < (u64)t->flags_at + 3 ? 0 : at;
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

/* Read a variable-length number, as in protocol buffers. Return false at the end of the data. */
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

/* ---- depths ---- */

/* A range of offsets in a function with one depth. */
struct step {
	u64 start, end;
	u64 deep; /* start of the first depth above 0; UINT64_MAX: none so far */
	s64 depth;
};

/*
 * Find the step that contains an offset from the function's start. The table has pairs of changes, of the
 * depth and of the address.
 */
static bool find_step(const struct go_table *t, u64 table, u64 offset, struct step *s)
{
	struct cursor c = cursor__make(t->data + t->pcs, t->size - t->pcs, false);
	u32 up, forward;

	cursor__skip(&c, table);
	*s = (struct step){ .depth = -1, .deep = UINT64_MAX };
	for (u32 i = 0; i < STEPS_MAX; i++) {
		if (!read_varint(&c, &up) || (!up && i) || !read_varint(&c, &forward))
			return false;
		s->depth += up & 1 ? -(s64)(up >> 1) - 1 : (s64)(up >> 1);
		s->start = s->end;
		s->end += (u64)forward * t->quantum;
		if (s->depth > 0)
			s->deep = MIN(s->deep, s->start);
		if (offset < s->end)
			return true;
	}
	return false;
}

static bool go_table__is_named(const struct go_table *t, u64 description, const char *name)
{
	u64 at = t->names + word_at(t, description + NAME_AT);
	size_t size = strlen(name) + 1;

	return at < t->size && t->size - at >= size && !memcmp(t->data + at, name, size);
}

/*
 * How to find the caller from an offset in a function that changes the stack. s is the step there; it is
 * reduced to the range in which the answer holds. length: bytes of the function.
 */
static enum go_caller caller_across_stacks(const struct go_table *t, u64 description, u64 length, u64 offset,
					   struct step *s)
{
	struct step last;
	u64 set;

	for (size_t i = 0; i < ARRAY_SIZE(switches); i++)
		if (go_table__is_named(t, description, switches[i].name))
			return switches[i].caller;
	find_step(t, word_at(t, description + PCSP_AT), length - 1, &last);
	if (last.deep == UINT64_MAX)
		return GO_CALLER_BY_FRAME_POINTER;
	if (!s->depth) /* before the frame pointer is saved, or after it is restored */
		return GO_CALLER_BY_DEPTH;
	if (t->quantum > 1) { /* arm64: before the last instruction the frame pointer is restored */
		u64 restored = s->end - t->quantum;

		if (offset >= restored) {
			s->start = restored;
			return GO_CALLER_BY_DEPTH;
		}
		s->end = restored;
	}
	set = last.deep + FRAME_POINTER_SET;
	if (offset < set) {
		s->end = MIN(s->end, set);
		return GO_CALLER_BY_DEPTH;
	}
	s->start = MAX(s->start, set);
	return GO_CALLER_BY_FRAME_POINTER;
}

bool go_table__find(const struct go_table *t, u64 vaddr, struct go_frame *f)
{
	u64 offset = vaddr - t->text, lo = 0, hi = t->nr_functions, start, at;
	struct step s;
	u8 flags;

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
	if (!find_step(t, word_at(t, at + PCSP_AT), offset - start, &s) || s.depth < 0 || s.depth > DEPTH_MAX)
		return false;
	flags = t->data[at + t->flags_at];
	f->caller = GO_CALLER_BY_DEPTH;
	if (flags & TOP_FRAME)
		f->caller = GO_CALLER_NONE;
	else if (flags & WRITES_SP)
		f->caller =
			caller_across_stacks(t, at, function_start(t, lo + 1) - start, offset - start, &s);
	f->start = t->text + start + s.start;
	f->end = t->text + start + s.end;
	f->depth = (u64)s.depth;
	return true;
}
