/* The code of a binary with CFI: addresses, bytes and arm64's instructions. */
#include "binary/tables/cfi_private.h"

#include "base/system/file.h"
#include "binary/elf/elf_binary.h"

#include <string.h>

enum { IMAGE_MAX = 512 << 20 }; /* bytes */

bool cfi__vaddr(const struct cfi *c, u64 addr, u64 *vaddr)
{
	u64 bias;

	if (!elf_loads__bias(&c->binary.loads, addr, &bias))
		return false;
	*vaddr = addr + bias;
	return true;
}

/* Read the whole file, once. */
static bool cfi__load_image(struct cfi *c)
{
	struct strbuf sb = STRBUF_INIT;
	struct elf_binary b;

	if (c->image_tried)
		return c->image;
	c->image_tried = true;
	elf_binary__open(&b, c->binary.path, &c->binary.want, c->binary.root, NULL);
	if (elf_file__is_open(&b.file) && b.file.fd >= 0 && !file__read_fd(b.file.fd, &sb, IMAGE_MAX)) {
		c->image_size = sb.len;
		c->image = (u8 *)strbuf__detach(&sb);
	}
	strbuf__exit(&sb);
	elf_binary__close(&b);
	return c->image;
}

bool cfi__read(struct cfi *c, u64 vaddr, void *data, size_t size)
{
	bool done = false;

	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; cfi__load_image(c) && !done && i < c->binary.loads.v.nr; i++) {
		const struct elf_load *l = &c->binary.loads.v.v[i];
		u64 at = vaddr - l->vaddr, offset = l->offset + at;

		if (vaddr < l->vaddr || at >= l->size || l->size - at < size || offset >= c->image_size ||
		    c->image_size - offset < size)
			continue;
		memcpy(data, c->image + offset, size);
		done = true;
	}
	pthread_mutex_unlock(&c->lock);
	return done;
}

/* ---- instructions ---- */

/* (Arm Architecture Reference Manual for A-profile, BL, BLR, BLRAA) */
static enum cfi_call read_aarch64_call(u32 insn, u64 at, u64 *target)
{
	if (insn >> 26 == 0x25) { /* 26 bits: signed distance in words */
		*target = at + (u64)((s64)((u64)insn << 38) >> 36);
		return CFI_CALL_TO;
	}
	if ((insn & 0xfffffc1f) == 0xd63f0000 || (insn & 0xfefff800) == 0xd63f0800)
		return CFI_ANY_CALL;
	return CFI_NO_CALL;
}

/* Read an instruction of arm64. */
static bool cfi__read_insn(struct cfi *c, u64 addr, u32 *insn)
{
	u64 vaddr;

	return c->binary.machine == EM_AARCH64 && cfi__vaddr(c, addr, &vaddr) &&
	       cfi__read(c, vaddr, insn, sizeof(*insn));
}

enum cfi_call cfi__call_before(struct cfi *c, u64 addr, u64 *target)
{
	u32 insn;
	u64 at = addr - sizeof(insn);

	if (addr < sizeof(insn) || !cfi__read_insn(c, at, &insn))
		return CFI_ANY_CALL;
	return read_aarch64_call(insn, at, target);
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
