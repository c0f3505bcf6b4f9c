/* The machines: their registers, in the order of samples and of DWARF, and where signals save them. */
#include "unwind/unwind_private.h"

#include <elf.h>
#include <string.h>
#include <sys/utsname.h>

enum { NO_FP = 63, AARCH64_VG = 46 };

/* System V AMD64 ABI, figure 3.36; perf's order: asm/perf_regs.h */
static const u8 x86_64_regs[] = { 0,      3,      2,      1,      4,      5,      6,      7,
				  NO_REG, NO_REG, NO_REG, NO_REG, NO_REG, NO_REG, NO_REG, NO_REG,
				  8,      9,      10,     11,     12,     13,     14,     15 };
/* DWARF for the Arm 64-bit Architecture (AADWARF64): x0..x30, sp; VG, the length of scalable vectors */
static const u8 aarch64_regs[] = {
	0,      1,      2,      3,      4,      5,      6,      7,      8,      9,      10,         11,
	12,     13,     14,     15,     16,     17,     18,     19,     20,     21,     22,         23,
	24,     25,     26,     27,     28,     29,     30,     31,     NO_REG, NO_REG, NO_REG,     NO_REG,
	NO_REG, NO_REG, NO_REG, NO_REG, NO_REG, NO_REG, NO_REG, NO_REG, NO_REG, NO_REG, AARCH64_VG,
};

/*
 * System V ABI Intel386, table 2.14, in perf's order; the kernel numbers the registers of 32-bit programs as
 * those of 64-bit ones.
 */
static const u8 i386_regs[] = { 0, 3, 1, 2, 6, 7, 5, 4, NO_REG };

/* DWARF for the Arm Architecture (AADWARF32): r0..r15 */
static const u8 arm_regs[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

/*
 * arm64's struct rt_sigframe: siginfo, 128 bytes, and ucontext, where mcontext has x0..x30, sp, pc and pstate
 * after the fault address. x86-64's, after the return address: ucontext, where mcontext has these registers,
 * then the flags and the code segment (asm/ucontext.h, asm/sigcontext.h). uc_link is 0 in both.
 */
enum { AARCH64_UC = 128, AARCH64_SIGNAL_REGS = AARCH64_UC + 176 + 8, X86_64_SIGNAL_REGS = 40 };
static const u8 x86_64_signal_order[] = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, NO_REG };

static const struct unwind_arch i386 = { .machine = EM_386,
					 .word = 4,
					 .sp = 4,
					 .fp = 5,
					 .ip = 8,
					 .perf_ip = 8,
					 .nr_perf_regs = ARRAY_SIZE(i386_regs),
					 .perf_mask = 0x1ff,
					 .dwarf_of_perf = i386_regs };
static const struct unwind_arch arm = { .machine = EM_ARM,
					.word = 4,
					.sp = 13,
					.fp = NO_FP,
					.ip = 15,
					.perf_ip = 15,
					.nr_perf_regs = ARRAY_SIZE(arm_regs),
					.has_thumb = true,
					.perf_mask = 0xffff,
					.dwarf_of_perf = arm_regs };
static const struct unwind_arch x86_64 = { .machine = EM_X86_64,
					   .word = 8,
					   .sp = 7,
					   .fp = 6,
					   .ip = 16,
					   .perf_ip = 8,
					   .nr_perf_regs = ARRAY_SIZE(x86_64_regs),
					   .signal = { .regs = X86_64_SIGNAL_REGS,
						       .nr = ARRAY_SIZE(x86_64_signal_order),
						       .order = x86_64_signal_order,
						       .checks = { { 8, UINT64_MAX, 0 },
								   { 0, ~7ull, 0 },
								   { 176, 0xffffffffffc0802a, 2 },
								   { 184, 0xffff, 0x33 } } },
					   .compat = &i386,
					   .perf_mask = 0xff0fff,
					   .dwarf_of_perf = x86_64_regs };
static const struct unwind_arch aarch64 = {
	.machine = EM_AARCH64,
	.word = 8,
	.sp = 31,
	.fp = 29,
	.ip = NO_REG,
	.perf_ip = 32,
	.nr_perf_regs = ARRAY_SIZE(aarch64_regs),
	.signs = true,
	.records_float = true,
	.vdso_restores = true,
	.signal = { .regs = AARCH64_SIGNAL_REGS,
		    .nr = 33,
		    .order = aarch64_regs,
		    .checks = { { AARCH64_UC + 8, UINT64_MAX, 0 },
				{ AARCH64_UC, UINT64_MAX, 0 },
				{ AARCH64_SIGNAL_REGS + 33 * 8, 0xffffffff0000001f, 0 } } },
	.compat = &arm,
	.constant = 1ull << AARCH64_VG,
	.perf_link = 1ull << 30,
	.perf_mask = 1ull << AARCH64_VG | 0x1ffffffffull,
	.dwarf_of_perf = aarch64_regs
};

static const struct {
	const char *name;
	const struct unwind_arch *arch;
} arches[] = {
	{ "x86_64", &x86_64 }, { "aarch64", &aarch64 }, { "arm64", &aarch64 }, { "armv6l", &arm },
	{ "armv7l", &arm },    { "armv8l", &arm },      { "i386", &i386 },     { "i486", &i386 },
	{ "i586", &i386 },     { "i686", &i386 },
};

const struct unwind_arch *unwind_arch__find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(arches); i++)
		if (!strcmp(arches[i].name, name))
			return arches[i].arch;
	return NULL;
}

const struct unwind_arch *unwind_arch__own(void)
{
	struct utsname host;

	return uname(&host) ? NULL : unwind_arch__find(host.machine);
}

unsigned unwind_arch__perf_sp(const struct unwind_arch *arch)
{
	unsigned i = 0;

	while (arch->dwarf_of_perf[i] != arch->sp)
		i++;
	return i;
}
