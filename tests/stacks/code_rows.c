/*
 * What the instructions of x86 and arm64 code tell about its frames (unwind/code_row.h), compared with
 * the call frame information of the compiler: at each instruction of each function that has some.
 *
 *	code_rows [-v] FILE...
 *
 * Two lines for each file, of return addresses and of other instructions: how many, and of these where both
 * say the same, where the instructions tell nothing, and where they say something else: of the frame (the
 * return address would be taken from another place), of a register. -v: the addresses of the last two.
 *
 * Fails if more than WRONG_MAX of a file's return addresses have another frame or another register.
 */
#include "base/memory/mem.h"
#include "binary/elf/elf_file.h"
#include "binary/tables/cfi.h"
#include "unwind/call_site.h"
#include "unwind/code_row.h"
#include "unwind/x86_insn.h"

#include <dwarf.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double WRONG_MAX = 0.001;

struct counts {
	u64 all, same, none, frame, reg, skipped;
};

static bool read_code(void *ctx, u64 ip, void *data, size_t size)
{
	return cfi__read_code(ctx, ip, data, size);
}

struct machine {
	u8 sp, fp, ra; /* DWARF numbers */
	u64 kept;      /* mask of them: registers that calls keep */
	bool (*make)(struct code_row *row, u64 ip, bool is_return, read_code_fn read, void *ctx);
};

static const struct machine x86_64 = { 7, 6, 16, 0xf048, code_row__make };
static const struct machine i386 = { 4, 5, 8, 0xe8, code_row__make_i386 };
static const struct machine arm64 = { 31, 29, 30, 0x3ff80000, code_row__make_arm64 };

/* Is the return address at the same place? One that was loaded again is in both places. */
static bool has_same_place(const struct cfi_row *want, const struct cfi_row *got, u8 ra)
{
	const struct cfi_rule *a = cfi_row__rule(want, ra), *b = cfi_row__rule(got, ra);

	return !b || (a && a->offset == b->offset);
}

/* -1: another frame; 0: another register; 1: the same */
static int compare(const struct machine *m, const struct cfi_row *want, const struct cfi_row *got)
{
	if (want->cfa_reg != got->cfa_reg)
		return 2; /* the same frame may be told by another register */
	if (want->cfa_offset != got->cfa_offset || !has_same_place(want, got, m->ra))
		return -1;
	for (unsigned reg = 0; reg < 32; reg++) {
		const struct cfi_rule *a = cfi_row__rule(want, reg), *b = cfi_row__rule(got, reg);

		if (!(m->kept >> reg & 1) || !b)
			continue;
		if (a && a->kind == CFI_AT_CFA && a->offset != b->offset)
			return 0;
	}
	return 1;
}

static void look_at(struct cfi *c, u64 addr, bool is_return, struct counts *n, bool verbose)
{
	const struct machine *m = cfi__machine(c) == EM_AARCH64 ? &arm64
				  : cfi__machine(c) == EM_386   ? &i386
								: &x86_64;
	const struct cfi_row *want = cfi__find(c, addr);
	struct code_row row;
	int result;

	if (!want || !want->is_cfi || want->is_signal || want->cfa_expr || want->is_outermost ||
	    !(cfi_row__rule(want, m->ra) || want->kept >> m->ra & 1) ||
	    (want->cfa_reg != m->sp && want->cfa_reg != m->fp)) {
		n->skipped++;
		return;
	}
	n->all++;
	if (!m->make(&row, addr, is_return, read_code, c)) {
		n->none++;
		return;
	}
	result = compare(m, want, code_row__row(&row));
	n->same += result > 0;
	n->frame += result < 0;
	n->reg += !result;
	if (result <= 0 && verbose)
		printf("%s 0x%llx: CFA %u%+lld, instructions say %u%+lld\n", result ? "frame" : "register",
		       (unsigned long long)addr, want->cfa_reg, (long long)want->cfa_offset,
		       code_row__row(&row)->cfa_reg, (long long)code_row__row(&row)->cfa_offset);
}

static void look_at_section(struct cfi *c, u64 offset, u64 size, struct counts n[2], bool verbose)
{
	const bool is_arm64 = cfi__machine(c) == EM_AARCH64;
	struct x86_insn insn = { .kind = X86_OTHER };
	bool is_return = false;
	u8 code[16];
	u64 target;

	for (u64 at = offset; is_arm64 && at < offset + size && cfi__read_code(c, at, code, 4); at += 4) {
		look_at(c, at, is_return, &n[is_return], verbose);
		is_return = call_site__decode(EM_AARCH64, code, 4, at + 4, &target);
	}
	for (u64 at = offset; !is_arm64 && at < offset + size; at += insn.size) {
		memset(code, 0, sizeof(code));
		if (!cfi__read_code(c, at, code, MIN(sizeof(code), offset + size - at)) ||
		    !x86_insn__decode(&insn, code, sizeof(code), cfi__machine(c) == EM_X86_64)) {
			insn.size = 1;
			continue;
		}
		look_at(c, at, is_return, &n[is_return], verbose);
		is_return = insn.kind == X86_CALL;
	}
}

int main(int argc, char **argv)
{
	bool verbose = argc > 1 && !strcmp(argv[1], "-v");
	int status = 0;

	for (int i = 1 + verbose; i < argc; i++) {
		struct counts n[2] = { 0 };
		struct elf_file f;
		struct cfi *c;
		GElf_Shdr shdr;

		if (cfi__open(&c, argv[i], NULL, NULL, NULL) || elf_file__open(&f, argv[i], NULL))
			return 1;
		if (elf_file__section(&f, ".text", 0, &shdr))
			look_at_section(c, shdr.sh_offset, shdr.sh_size, n, verbose);
		for (unsigned k = 0; k < 2; k++)
			printf("%s\t%s\t%llu\tsame %.3f%%\tnone %.3f%%\tframe %.4f%%\tregister %.4f%%\n",
			       argv[i], k ? "returns" : "others", (unsigned long long)n[k].all,
			       100. * (double)n[k].same / (double)n[k].all,
			       100. * (double)n[k].none / (double)n[k].all,
			       100. * (double)n[k].frame / (double)n[k].all,
			       100. * (double)n[k].reg / (double)n[k].all);
		if (!n[1].all || (double)(n[1].frame + n[1].reg) > WRONG_MAX * (double)n[1].all)
			status = 1;
		cfi__delete(c);
		elf_file__close(&f);
	}
	return status;
}
