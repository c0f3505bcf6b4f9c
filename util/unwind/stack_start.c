/* Where a stack begins in code without call frame information, as in musl, whose assembly has none. */
#include "unwind/unwind_private.h"

#include "unwind/arm64_insn.h"
#include "unwind/x86_insn.h"

#include <elf.h>
#include <string.h>

enum {
	BEFORE = 32,      /* bytes between the system call that made the thread and the call in it */
	INSNS_MAX = 8,    /* from that call to the system call that ends the thread */
	X86_64_EXIT = 60, /* asm/unistd_64.h */
	ARM64_EXIT = 93,  /* asm-generic/unistd.h */
	ARM64_SVC = 0xd4000001,
	FRAME_WORDS = 32,    /* of a frame above its record */
	ARGS_MAX = 1 << 20,  /* of a program */
	ARGS_BYTES = 1 << 24 /* likewise; ulimit -s of 64 MiB allows as many */
};

static bool x86_exits(struct unwinder *u, u64 ip)
{
	u32 number = 0; /* in eax */

	for (unsigned i = 0; i < INSNS_MAX; i++) {
		u8 code[X86_INSN_MAX] = { 0 };
		size_t size = sizeof(code);
		struct x86_insn insn;

		while (size && !unwinder__read_code(u, ip, code, size))
			size--;
		if (!x86_insn__decode(&insn, code, size, true) || insn.kind != X86_OTHER)
			return false;
		if (code[0] == 0x0f && code[1] == 0x05) /* syscall */
			return number == X86_64_EXIT;
		if (code[0] == 0xb0) /* mov $N, %al */
			number = code[1];
		else if (code[0] == 0xb8) /* mov $N, %eax */
			memcpy(&number, code + 1, sizeof(number));
		ip += insn.size;
	}
	return false;
}

static bool x86_clones(const u8 *code)
{
	for (size_t i = 0; i + 1 < BEFORE; i++)
		if (code[i] == 0x0f && code[i + 1] == 0x05)
			return true;
	return false;
}

static bool arm64_exits(struct unwinder *u, u64 ip)
{
	u32 number = 0, insn; /* number: in x8 */
	s64 distance;

	for (unsigned i = 0; i < INSNS_MAX; i++, ip += sizeof(insn)) {
		if (!unwinder__read_code(u, ip, &insn, sizeof(insn)))
			return false;
		if (insn == ARM64_SVC)
			return number == ARM64_EXIT;
		if (arm64_insn__flow(insn, &distance) != ARM64_GOES_ON)
			return false;
		if ((insn & 0x7fe0001f) == 0x52800008) /* MOVZ x8 or w8 */
			number = insn >> 5 & 0xffff;
	}
	return false;
}

static bool arm64_clones(const u8 *code)
{
	const u32 svc = ARM64_SVC;

	for (size_t i = 0; i < BEFORE; i += sizeof(svc))
		if (!memcmp(code + i, &svc, sizeof(svc)))
			return true;
	return false;
}

bool frame_state__starts_thread(struct frame_state *f)
{
	const u16 machine = f->u->arch->machine;
	struct return_site site;
	u8 code[BEFORE];

	if (f->is_exact || (machine != EM_X86_64 && machine != EM_AARCH64))
		return false;
	site = unwinder__site(f->u, f->space, f->regs.ip);
	if (site.call != CALL_ANY || !site.in_file ||
	    !unwinder__read_code(f->u, f->regs.ip - BEFORE, code, BEFORE))
		return false;
	return machine == EM_X86_64 ? x86_clones(code) && x86_exits(f->u, f->regs.ip)
				    : arm64_clones(code) && arm64_exits(f->u, f->regs.ip);
}

bool frame_state__starts_process(struct frame_state *f, u64 at)
{
	struct unwind_stack stack = f->stack;
	u64 nr, first, last;

	if (f->u->arch->machine != EM_AARCH64)
		return false;
	at = ROUND_UP(at, 16u);
	for (u64 end = at + FRAME_WORDS * sizeof(u64); at < end; at += 2 * sizeof(u64))
		if (unwind_stack__read(&stack, at, &nr) && nr && nr <= ARGS_MAX &&
		    unwind_stack__read(&stack, at + sizeof(u64), &first) &&
		    first - at > (nr + 1) * sizeof(u64) && first - at < ARGS_BYTES &&
		    unwind_stack__read(&stack, at + (nr + 1) * sizeof(u64), &last) && !last)
			return true;
	return false;
}
