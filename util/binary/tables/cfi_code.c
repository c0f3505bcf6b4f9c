/* The code of a binary with CFI: addresses, bytes and arm64's instructions. */
#include "binary/tables/cfi_private.h"

#include "base/memory/mem.h"
#include "binary/elf/elf_binary.h"

#include <dwarf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { EH_HEAD = 12 }; /* bytes of .eh_frame_hdr before its pairs, with pointers of 4 bytes */

bool cfi__vaddr(const struct cfi *c, u64 addr, u64 *vaddr)
{
	u64 bias;

	if (!elf_loads__bias(&c->binary.loads, addr, &bias))
		return false;
	*vaddr = addr + bias;
	return true;
}

/* Open the file, once. Return -1 if it is not there. */
static int cfi__code_fd(struct cfi *c)
{
	struct elf_binary b;

	if (c->code_tried || !c->binary.path)
		return c->code_fd;
	c->code_tried = true;
	elf_binary__open(&b, c->binary.path, &c->binary.want, c->binary.root, NULL);
	if (elf_file__is_open(&b.file) && b.file.fd >= 0)
		c->code_fd = fcntl(b.file.fd, F_DUPFD_CLOEXEC, 3);
	elf_binary__close(&b);
	return c->code_fd;
}

/* Return the chunk of the file at an offset, or NULL if it has none there. */
static const struct code_chunk *cfi__chunk(struct cfi *c, u64 offset)
{
	u64 at = offset & ~(u64)(CODE_CHUNK - 1);
	struct code_chunk **slot = &c->chunks[offset / CODE_CHUNK % CODE_CHUNKS], *k = *slot;
	ssize_t got;

	if (k && k->offset == at && k->size)
		return k;
	if (cfi__code_fd(c) < 0)
		return NULL;
	if (!k)
		k = *slot = xmalloc(sizeof(*k));
	got = pread(c->code_fd, k->data, sizeof(k->data), (off_t)at);
	k->offset = at;
	k->size = got > 0 ? (u32)got : 0;
	return k->size ? k : NULL;
}

/* Copy bytes of the file, or of the image in memory. */
static bool cfi__copy(struct cfi *c, u64 offset, u8 *data, size_t size)
{
	if (c->image) {
		if (offset >= c->image_size || c->image_size - offset < size)
			return false;
		memcpy(data, c->image + offset, size);
		return true;
	}
	while (size) {
		const struct code_chunk *k = cfi__chunk(c, offset);
		u64 from = offset % CODE_CHUNK, nr;

		if (!k || from >= k->size)
			return false;
		nr = MIN(size, k->size - from);
		memcpy(data, k->data + from, nr);
		data += nr;
		offset += nr;
		size -= nr;
	}
	return true;
}

bool cfi__read(struct cfi *c, u64 vaddr, void *data, size_t size)
{
	bool done = false;

	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; !done && i < c->binary.loads.v.nr; i++) {
		const struct elf_load *l = &c->binary.loads.v.v[i];
		u64 at = vaddr - l->vaddr;

		if (vaddr >= l->vaddr && at < l->size && l->size - at >= size)
			done = cfi__copy(c, l->offset + at, data, size);
	}
	pthread_mutex_unlock(&c->lock);
	return done;
}

bool cfi__read_code(struct cfi *c, u64 addr, void *data, size_t size)
{
	u64 vaddr;

	return cfi__vaddr(c, addr, &vaddr) && cfi__read(c, vaddr, data, size);
}

/* ---- functions ---- */

/*
 * The search table: a head, then pairs of 32-bit numbers relative to the head; the first of a pair is where a
 * function starts.
 */
struct search_table {
	struct cfi *c;
	u32 nr;
	bool ok; /* all reads so far were in the file */
};

static bool search_table__open(struct search_table *t, struct cfi *c)
{
	static const u8 form[4] = { 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
				    DW_EH_PE_datarel | DW_EH_PE_sdata4 };
	u8 head[EH_HEAD];

	if (!c->eh_header || !cfi__read(c, c->eh_header, head, sizeof(head)) ||
	    memcmp(head, form, sizeof(form)) != 0)
		return false;
	*t = (struct search_table){ .c = c, .ok = true };
	memcpy(&t->nr, head + 8, sizeof(t->nr));
	return true;
}

static u64 search_table__start(struct search_table *t, u32 i)
{
	s32 x = 0;

	t->ok = t->ok && cfi__read(t->c, t->c->eh_header + EH_HEAD + i * 2ull * sizeof(x), &x, sizeof(x));
	return t->c->eh_header + (u64)(s64)x;
}

bool cfi__is_one_function(struct cfi *c, u64 addr, u64 other)
{
	struct search_table t;
	u64 a, b;
	u32 nr;

	if (!cfi__vaddr(c, addr, &a) || !cfi__vaddr(c, other, &b) || !search_table__open(&t, c))
		return false;
	nr = bisect(i, (u32)0, t.nr, t.ok && search_table__start(&t, i) <= MIN(a, b));
	return nr && (nr == t.nr || search_table__start(&t, nr) > MAX(a, b)) && t.ok;
}

/* ---- instructions ---- */

/* Read an instruction of arm64. */
static bool cfi__read_insn(struct cfi *c, u64 addr, u32 *insn)
{
	return c->binary.machine == EM_AARCH64 && cfi__read_code(c, addr, insn, sizeof(*insn));
}

/* ---- signal restorers ---- */

/* Read bytes of the file without keeping the whole of it. */
static bool cfi__read_once(struct cfi *c, u64 addr, void *data, size_t size)
{
	struct elf_binary b;
	u64 vaddr;
	bool done;

	if (c->image)
		return cfi__vaddr(c, addr, &vaddr) && cfi__read(c, vaddr, data, size);
	if (!c->binary.path)
		return false;
	elf_binary__open(&b, c->binary.path, &c->binary.want, c->binary.root, NULL);
	done = elf_file__is_open(&b.file) && elf_file__read(&b.file, data, size, addr);
	elf_binary__close(&b);
	return done;
}

/* Return the size of the pattern if the code begins with it, else 0. */
static size_t begins_with(const u8 *code, size_t left, const void *pattern, size_t size)
{
	return left >= size && !memcmp(code, pattern, size) ? size : 0;
}

/* (Intel SDM: MOV, PUSH, POP, XOR, SYSCALL) The system call's number is 15. */
static bool is_x86_64_restorer(const u8 *code, size_t size)
{
	static const struct {
		u8 size, code[9];
	} forms[] = {
		{ 9, { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 } }, /* mov $15,%rax; syscall */
		{ 7, { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 } },             /* mov $15,%eax */
		{ 5, { 0x6a, 15, 0x58, 0x0f, 0x05 } },                /* push $15; pop %rax */
		{ 6, { 0x31, 0xc0, 0xb0, 15, 0x0f, 0x05 } },          /* xor %eax,%eax; mov $15,%al */
	};
	size_t at = begins_with(code, size, "\xf3\x0f\x1e\xfa", 4); /* endbr64 */

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (begins_with(code + at, size - at, forms[i].code, forms[i].size))
			return true;
	return false;
}

/* (Arm ARM: MOVZ, ORR (immediate) as MOV, SVC, HINT) The system call's number is 139, in x8 or w8. */
static bool is_aarch64_restorer(const u8 *code)
{
	u32 insn[3];

	memcpy(insn, code, sizeof(insn));
	if ((insn[0] & 0xfffff01f) == 0xd503201f) /* nop, bti */
		memmove(insn, insn + 1, 2 * sizeof(*insn));
	return (insn[0] & 0x7fffffff) == 0x52801168 && insn[1] == 0xd4000001;
}

enum cfi_restorer cfi__restores_signal(struct cfi *c, u64 addr)
{
	u8 code[16];

	if (!cfi__read_once(c, addr, code, sizeof(code)))
		return CFI_UNREADABLE;
	switch (c->binary.machine) {
	case EM_X86_64:
		return is_x86_64_restorer(code, sizeof(code)) ? CFI_RESTORER : CFI_NO_RESTORER;
	case EM_AARCH64:
		return is_aarch64_restorer(code) ? CFI_RESTORER : CFI_NO_RESTORER;
	}
	return CFI_NO_RESTORER;
}

/*
 * (Arm ARM, "Branches, Exception generating and System instructions": bits 28 to 26 are 101, and 0xd503....
 * are hints and barriers; "ADD (immediate)", which "MOV (to/from SP)" is an alias of)
 */
bool cfi__sets_frame_pointer(struct cfi *c, u64 addr)
{
	enum { INSNS_MAX = 16 };
	u32 insn;

	for (unsigned i = 0; i < INSNS_MAX && cfi__read_insn(c, addr + i * sizeof(insn), &insn); i++) {
		if ((insn & 0xff8003ff) == 0x910003fd) /* add x29, sp, #N */
			return true;
		if ((insn >> 26 & 7) == 5 && insn >> 16 != 0xd503)
			return false;
	}
	return false;
}
