#include "binary/tables/plt_stub.h"

#include <elf.h>
#include <string.h>

/*
 * The first bytes of an instruction, of the one before it and of the one after it (nr 0: not compared), and
 * the bytes pushed before it.
 */
static const struct pattern {
	u8 nr_before, nr,
		nr_behind; /* number of bytes compared; before: from the start of the instruction before */
	u8 before_size;    /* size of the instruction before */
	u8 size;           /* size of the instruction */
	u8 depth;
	u8 before[2], bytes[4], behind[3];
} patterns[] = {
	/* jmp *slot(%rip); the same after bnd; endbr64 before either */
	{ .nr = 2, .size = 6, .bytes = { 0xff, 0x25 } },
	{ .nr = 3, .size = 7, .bytes = { 0xf2, 0xff, 0x25 } },
	{ .nr = 4, .size = 4, .bytes = { 0xf3, 0x0f, 0x1e, 0xfa }, .nr_behind = 2, .behind = { 0xff, 0x25 } },
	{ .nr = 4,
	  .size = 4,
	  .bytes = { 0xf3, 0x0f, 0x1e, 0xfa },
	  .nr_behind = 3,
	  .behind = { 0xf2, 0xff, 0x25 } },
	/* push $index; jmp to the first stub; endbr64 may precede, bnd may prefix the jmp */
	{ .nr = 4, .size = 4, .bytes = { 0xf3, 0x0f, 0x1e, 0xfa }, .nr_behind = 1, .behind = { 0x68 } },
	{ .nr = 1, .size = 5, .bytes = { 0x68 }, .nr_behind = 1, .behind = { 0xe9 } },
	{ .nr = 1, .size = 5, .bytes = { 0x68 }, .nr_behind = 2, .behind = { 0xf2, 0xe9 } },
	{ .nr_before = 1,
	  .before_size = 5,
	  .before = { 0x68 },
	  .nr = 1,
	  .size = 5,
	  .depth = 8,
	  .bytes = { 0xe9 } },
	{ .nr_before = 1,
	  .before_size = 5,
	  .before = { 0x68 },
	  .nr = 2,
	  .size = 6,
	  .depth = 8,
	  .bytes = { 0xf2, 0xe9 } },
	/* the first stub: push slot(%rip); jmp *slot(%rip) */
	{ .nr = 2, .size = 6, .depth = 8, .bytes = { 0xff, 0x35 }, .nr_behind = 2, .behind = { 0xff, 0x25 } },
	{ .nr = 2,
	  .size = 6,
	  .depth = 8,
	  .bytes = { 0xff, 0x35 },
	  .nr_behind = 3,
	  .behind = { 0xf2, 0xff, 0x25 } },
	{ .nr_before = 2,
	  .before_size = 6,
	  .before = { 0xff, 0x35 },
	  .nr = 2,
	  .size = 6,
	  .depth = 16,
	  .bytes = { 0xff, 0x25 } },
	{ .nr_before = 2,
	  .before_size = 6,
	  .before = { 0xff, 0x35 },
	  .nr = 3,
	  .size = 7,
	  .depth = 16,
	  .bytes = { 0xf2, 0xff, 0x25 } },
};

static bool pattern__fits(const struct pattern *p, const u8 *section, size_t size, u64 offset)
{
	return offset >= p->before_size && offset <= size && size - offset >= (u64)p->size + p->nr_behind &&
	       !memcmp(section + offset - p->before_size, p->before, p->nr_before) &&
	       !memcmp(section + offset, p->bytes, p->nr) &&
	       !memcmp(section + offset + p->size, p->behind, p->nr_behind);
}

static bool find_x86_64(const void *section, size_t size, u64 offset, struct plt_stub *stub)
{
	bool found = false;

	/* The last match is the most specific. */
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		if (!pattern__fits(&patterns[i], section, size, offset))
			continue;
		*stub = (struct plt_stub){ patterns[i].size, patterns[i].depth };
		found = true;
	}
	return found;
}

/*
 * arm64: stubs have at most eight instructions, one of them a BR to the address loaded from the table. The
 * first stub and the one for thread-local variables begin with a push of two registers (STP to SP - 16).
 */
enum { STUB_INSNS_MAX = 8 };

static u32 insn_at(const u8 *section, u64 offset)
{
	u32 insn;

	memcpy(&insn, section + offset, sizeof(insn));
	return insn;
}

static bool is_br(u32 insn)
{
	/* BR; BRAA and others */
	return (insn & 0xfffffc1f) == 0xd61f0000 || (insn & 0xfefff800) == 0xd61f0800;
}

static bool is_push(u32 insn) /* stp X, X, [sp, #-16]! */
{
	return (insn & 0xffff83e0) == 0xa9bf03e0;
}

static bool find_aarch64(const u8 *section, size_t size, u64 offset, struct plt_stub *stub)
{
	bool has_br = false;

	if (offset % 4 || offset >= size)
		return false;
	*stub = (struct plt_stub){ .size = 4 };
	for (u64 at = offset; !has_br && at + 4 <= size && at < offset + STUB_INSNS_MAX * 4; at += 4)
		has_br = is_br(insn_at(section, at));
	for (u64 at = offset; at >= 4 && at + STUB_INSNS_MAX * 4 > offset; at -= 4) {
		u32 before = insn_at(section, at - 4);

		if (is_br(before)) /* end of the previous stub */
			break;
		if (is_push(before))
			stub->depth = 16;
	}
	return has_br;
}

bool plt_stub__at(u16 machine, const void *section, size_t size, u64 offset, struct plt_stub *stub)
{
	switch (machine) {
	case EM_X86_64:
		return find_x86_64(section, size, offset, stub);
	case EM_AARCH64:
		return find_aarch64(section, size, offset, stub);
	}
	return false;
}
