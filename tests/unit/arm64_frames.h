/*
 * Stacks of arm64, written word by word, for the functions of a binary of tests/data/arm64-frames.
 * Nothing of it is run: any machine can unwind them.
 */
#ifndef ARM64_FRAMES_H
#define ARM64_FRAMES_H

#include "base/memory/mem.h"
#include "base/text/strbuf.h"
#include "binary/elf/elf_file.h"
#include "unwind/unwind.h"

#include <stdlib.h>
#include <string.h>

enum { PERF_REGS = 33, CODE_AT = 0x10000000, STACK_AT = 0x20000000, WORDS = 64 };
/* JIT code: instructions and nothing else, but the last page has the CFI of an outermost function. */
enum { JIT_AT = 0x30000000, JIT_INSNS = 1 << 16, JIT_OUTERMOST = JIT_INSNS - 1024 };

struct frames {
	struct elf_file file;
	struct cfi *cfi;
	u64 regs[PERF_REGS + 1], words[WORDS]; /* the last one: VG, with has_vg */
	bool has_vg;
	u32 *jit;      /* JIT_INSNS of them; NULL: none */
	u64 outermost; /* an address of an outermost function in the file */
};

static bool read_jit(void *ctx, u64 ip, u8 *data, size_t size)
{
	const struct frames *f = ctx;

	if (ip - JIT_AT >= 4 * JIT_INSNS || 4 * JIT_INSNS - (ip - JIT_AT) < size)
		return false;
	memcpy(data, (const u8 *)f->jit + (ip - JIT_AT), size);
	return true;
}

/* Code of the file at CODE_AT + its offset, which is its virtual address. */
static inline void look_up_frames(void *ctx, u64 ip, struct unwind_code *code)
{
	const struct frames *f = ctx;
	const u64 insn = (ip - JIT_AT) / 4;

	if (f->jit && ip >= JIT_AT && insn < JIT_INSNS)
		*code = (struct unwind_code){ .is_code = true,
					      .read = read_jit,
					      .jit = insn >= JIT_OUTERMOST ? f->cfi : NULL,
					      .jit_addr = f->outermost };
	if (ip < CODE_AT || ip >= CODE_AT + 0x1000)
		return;
	*code = (struct unwind_code){ .cfi = f->cfi, .addr = ip - CODE_AT, .is_code = true };
}

static int open_binary(void **state, const char *name)
{
	const char *src = getenv("PERF_SRC");
	char *path = xasprintf("%s/tests/data/arm64-frames/%s", src ? src : ".", name);
	struct frames *f = xcalloc(1, sizeof(*f));

	assert_int_equal(elf_file__open(&f->file, path, NULL), 0);
	assert_int_equal(cfi__open(&f->cfi, path, NULL, NULL, NULL), 0);
	*state = f;
	free(path);
	return 0;
}

static int close_frames(void **state)
{
	struct frames *f = *state;

	elf_file__close(&f->file);
	cfi__delete(f->cfi);
	free(f);
	return 0;
}

static u64 at_symbol(const struct frames *f, const char *name)
{
	GElf_Shdr shdr;
	Elf_Data *data = elf_file__data(elf_file__section(&f->file, NULL, SHT_SYMTAB, &shdr));
	GElf_Sym sym;

	for (int i = 0; gelf_getsym(data, i, &sym); i++)
		if (!strcmp(elf_file__str(&f->file, shdr.sh_link, sym.st_name), name))
			return CODE_AT + sym.st_value;
	fail_msg("no symbol '%s'", name);
	return 0;
}

/* Where the symbol is in memory; +N: an instruction of the JIT code. */
static u64 at(const struct frames *f, const char *name)
{
	if (*name == '+')
		return JIT_AT + 4 * strtoull(name, NULL, 10);
	return at_symbol(f, name);
}

/* Junk everywhere, as a real stack has it, and no zero by chance. */
static inline void reset(struct frames *f, const char *ip)
{
	for (unsigned i = 0; i < PERF_REGS; i++)
		f->regs[i] = 0x5a5a5a00 + i;
	for (unsigned i = 0; i < WORDS; i++)
		f->words[i] = 0x5a5a5b00 + i;
	f->regs[31] = STACK_AT;
	f->regs[32] = ip ? at(f, ip) : 0;
	f->regs[33] = 4; /* VG: vectors of 256 bits */
	f->has_vg = false;
}

static inline struct unwind_sample sample_of(const struct frames *f)
{
	return (struct unwind_sample){ .regs_mask = (1ull << PERF_REGS) - 1 + (f->has_vg ? 1ull << 46 : 0),
				       .regs = f->regs,
				       .stack = (const u8 *)f->words,
				       .stack_size = sizeof(f->words) };
}

/*
 * Unwind, and expect an end and callers. names: their places, up to NULL; a name after '=': the frame was
 * interrupted there, and made no call. sps: gets the stack pointers, or NULL.
 */
static inline void expect_chain(struct frames *f, enum unwind_end end, u64 *sps, const char *const *names)
{
	struct unwinder *u = unwinder__new(unwind_arch__find("aarch64"), look_up_frames, f);
	struct unwind_sample s = sample_of(f);
	u64 ips[16];
	unsigned nr, expected = 1;

	assert_int_equal(unwinder__run(u, &s, ips, sps, ARRAY_SIZE(ips), &nr), end);
	for (; names[expected - 1]; expected++) {
		const char *name = names[expected - 1];

		assert_true(expected < nr);
		assert_int_equal(ips[expected], *name == '=' ? at(f, name + 1) : at(f, name) - 1);
	}
	assert_int_equal(nr, expected);
	unwinder__delete(u);
}
#define expect(f, end, ...) expect_chain(f, end, NULL, (const char *const[]){ __VA_ARGS__, NULL })

#endif
