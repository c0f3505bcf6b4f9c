#include "event/evsel/reg_names.h"

#include "base/message/word_list.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>

static const char *const x86_regs[] = {
	"AX",    "BX",    "CX",    "DX",    "SI",    "DI",    "BP",    "SP",    "IP",    "FLAGS", "CS",
	"SS",    "DS",    "ES",    "FS",    "GS",    "R8",    "R9",    "R10",   "R11",   "R12",   "R13",
	"R14",   "R15",   NULL,    NULL,    NULL,    NULL,    NULL,    NULL,    NULL,    NULL,    "XMM0",
	"XMM0",  "XMM1",  "XMM1",  "XMM2",  "XMM2",  "XMM3",  "XMM3",  "XMM4",  "XMM4",  "XMM5",  "XMM5",
	"XMM6",  "XMM6",  "XMM7",  "XMM7",  "XMM8",  "XMM8",  "XMM9",  "XMM9",  "XMM10", "XMM10", "XMM11",
	"XMM11", "XMM12", "XMM12", "XMM13", "XMM13", "XMM14", "XMM14", "XMM15", "XMM15",
};

static const char *const arm64_regs[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10", "x11",
	"x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23",
	"x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc",  NULL,  NULL,  NULL,
	NULL,  NULL,  NULL,  NULL,  NULL,  NULL,  NULL,  NULL,  NULL,  NULL,  "vg",
};

static const char *const arm_regs[] = {
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc",
};

static const char *const powerpc_regs[] = {
	"r0",    "r1",   "r2",    "r3",   "r4",      "r5",    "r6",    "r7",    "r8",    "r9",
	"r10",   "r11",  "r12",   "r13",  "r14",     "r15",   "r16",   "r17",   "r18",   "r19",
	"r20",   "r21",  "r22",   "r23",  "r24",     "r25",   "r26",   "r27",   "r28",   "r29",
	"r30",   "r31",  "nip",   "msr",  "orig_r3", "ctr",   "link",  "xer",   "ccr",   "softe",
	"trap",  "dar",  "dsisr", "sier", "mmcra",   "mmcr0", "mmcr1", "mmcr2", "mmcr3", "sier2",
	"sier3", "pmc1", "pmc2",  "pmc3", "pmc4",    "pmc5",  "pmc6",  "sdar",  "siar",
};

static const char *const s390_regs[] = {
	"R0",  "R1",  "R2",   "R3",   "R4",   "R5",   "R6",   "R7",   "R8",   "R9",  "R10", "R11",
	"R12", "R13", "R14",  "R15",  "FP0",  "FP1",  "FP2",  "FP3",  "FP4",  "FP5", "FP6", "FP7",
	"FP8", "FP9", "FP10", "FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC",
};

static const char *const mips_regs[] = {
	"PC",  "$1",  "$2",  "$3",  "$4",  "$5",  "$6",  "$7",  "$8",  "$9",  "$10",
	"$11", "$12", "$13", "$14", "$15", "$16", "$17", "$18", "$19", "$20", "$21",
	"$22", "$23", "$24", "$25", NULL,  NULL,  "$28", "$29", "$30", "$31",
};

static const char *const csky_regs[] = {
	NULL,    "lr",    "pc",    NULL,    "sp",    NULL,    "a0",    "a1",    "a2",    "a3",
	"regs0", "regs1", "regs2", "regs3", "regs4", "regs5", "regs6", "regs7", "regs8", "regs9",
};

static const char *const riscv_regs[] = {
	"pc", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
	"a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

static const char *const loongarch_regs[] = {
	"PC",  "$1",  "$2",  "$3",  "$4",  "$5",  "$6",  "$7",  "$8",  "$9",  "$10",
	"$11", "$12", "$13", "$14", "$15", "$16", "$17", "$18", "$19", "$20", "$21",
	"$22", "$23", "$24", "$25", "$26", "$27", "$28", "$29", "$30", "$31",
};

struct reg_names {
	const char *prefix;       /* prefix of the architecture's name */
	const char *const *names; /* by bit */
	unsigned nr;
};

#define ARCH(prefix, names)                      \
	{                                        \
		prefix, names, ARRAY_SIZE(names) \
	}
/* The first match is used. The last row, "", matches every architecture and has no names. */
static const struct reg_names archs[] = {
	ARCH("x86", x86_regs),
	ARCH("i386", x86_regs),
	ARCH("i486", x86_regs),
	ARCH("i586", x86_regs),
	ARCH("i686", x86_regs),
	ARCH("aarch64", arm64_regs),
	ARCH("arm64", arm64_regs),
	ARCH("arm", arm_regs),
	ARCH("sa110", arm_regs),
	ARCH("ppc", powerpc_regs),
	ARCH("powerpc", powerpc_regs),
	ARCH("s390", s390_regs),
	ARCH("mips", mips_regs),
	ARCH("csky", csky_regs),
	ARCH("riscv", riscv_regs),
	ARCH("loongarch", loongarch_regs),
	{ "", NULL, 0 },
};

const struct reg_names *reg_names__find(const char *arch)
{
	const struct reg_names *r = archs;
	struct utsname host;

	if (!arch)
		arch = uname(&host) ? "" : host.machine;
	while (strncmp(arch, r->prefix, strlen(r->prefix)))
		r++;
	return r;
}

const char *reg_names__name(const struct reg_names *r, unsigned bit)
{
	return bit < r->nr && r->names[bit] ? r->names[bit] : "unknown";
}

/* A name may mean several bits: an XMM register is two words. */
static u64 reg_names__bits(const struct reg_names *r, const char *word, size_t len)
{
	u64 mask = 0;

	for (unsigned i = 0; i < r->nr && i < 64; i++)
		if (r->names[i] && strlen(r->names[i]) == len && !strncasecmp(r->names[i], word, len))
			mask |= 1ull << i;
	return mask;
}

int reg_names__parse(const struct reg_names *r, const char *text, u64 *mask, struct err *err)
{
	const struct word_list registers = { .what = "register",
					     .rows = r->names,
					     .nr = MIN(r->nr, 64),
					     .size = sizeof(*r->names),
					     .flags = WORDS_ANY_CASE,
					     .where = "perf record --user-regs=? lists the registers" };

	*mask = 0;
	for (;;) {
		size_t len = strcspn(text, ",");
		u64 bits = reg_names__bits(r, text, len);

		if (!bits)
			return word_list__choose(&registers, text, len, err);
		*mask |= bits;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}
