#include "binary/code/disasm.h"

#include "base/memory/mem.h"
#include "base/system/library.h"
#include "base/text/strbuf.h"
#include "binary/code/elf_code.h"
#include "binary/code/objdump.h"
#include "binary/code/x86_length.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <string.h>

#ifdef HAVE_CAPSTONE
#include <capstone/capstone.h>

#define CAPSTONE_FUNCTIONS(F) \
	F(cs_open)            \
	F(cs_close)           \
	F(cs_option) F(cs_malloc) F(cs_free) F(cs_strerror) F(cs_disasm_iter) F(cs_insn_name) F(cs_insn_group)
/* The layout of cs_insn differs between major versions: take the one whose header was there. */
#define SONAME_(major) "libcapstone.so." #major
#define SONAME(major) SONAME_(major)
#define PACKAGE_(major) "libcapstone" #major
#define PACKAGE(major) PACKAGE_(major)
LIBRARY(capstone, SONAME(CS_API_MAJOR), PACKAGE(CS_API_MAJOR), CAPSTONE_FUNCTIONS);

enum {
	READS_EVEX = CS_API_MAJOR >= 5,
	PAGE_DISTANCE = 8, /* instructions after ADRP in which its register is looked for */
};

struct disasm {
	csh handle;
	cs_insn *insn;
	u16 machine;
	bool big_endian, is_att;
	u8 step;                /* bytes of the smallest instruction */
	struct strbuf operands; /* of the last instruction */
	/* of the last ADRP of AArch64: its register and page, and instructions since then */
	char page_register[8];
	u64 page;
	unsigned since_page;
	struct objdump listing; /* of code at listing_addr; empty: objdump was not asked */
	u64 listing_addr;
};

/* ---- life ---- */

static const struct arch {
	u16 machine;
	cs_arch arch;
	cs_mode mode;
	u8 step;
} archs[] = {
	{ EM_X86_64, CS_ARCH_X86, CS_MODE_64, 1 },
	{ EM_386, CS_ARCH_X86, CS_MODE_32, 1 },
	{ EM_AARCH64, CS_ARCH_ARM64, CS_MODE_ARM, 4 },
	{ EM_ARM, CS_ARCH_ARM, CS_MODE_ARM | CS_MODE_V8, 4 },
	{ MACHINE_THUMB, CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_V8, 2 },
	{ EM_PPC64, CS_ARCH_PPC, CS_MODE_64, 4 },
	{ EM_PPC, CS_ARCH_PPC, CS_MODE_32, 4 },
	{ EM_S390, CS_ARCH_SYSZ, 0, 2 },
	{ EM_MIPS, CS_ARCH_MIPS, CS_MODE_MIPS64, 4 },
	{ EM_SPARCV9, CS_ARCH_SPARC, CS_MODE_V9, 4 },
	{ EM_68K, CS_ARCH_M68K, CS_MODE_M68K_040, 2 },
#if CS_API_MAJOR >= 5
	{ EM_RISCV, CS_ARCH_RISCV, CS_MODE_RISCV64 | CS_MODE_RISCVC, 2 },
#endif
};

static const struct arch *find_arch(u16 machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(archs); i++)
		if (archs[i].machine == machine)
			return &archs[i];
	return NULL;
}

int disasm__new(struct disasm **disasm, u16 machine, bool big_endian, enum disasm_syntax syntax,
		struct err *err)
{
	const struct arch *arch = find_arch(machine);
	struct disasm *d;
	cs_mode mode;
	cs_err ret;

	if (library__load(&capstone_library, err))
		return -ENOTSUP;
	if (!arch)
		return err__set(err, -ENOTSUP,
				"%s does not read instructions of this processor (ELF machine %u)",
				capstone_library.soname, machine);
	d = xcalloc(1, sizeof(*d));
	*d = (struct disasm){
		.machine = machine, .big_endian = big_endian, .step = arch->step, .operands = STRBUF_INIT
	};
	mode = arch->mode | (big_endian ? CS_MODE_BIG_ENDIAN : CS_MODE_LITTLE_ENDIAN);
	ret = capstone.cs_open(arch->arch, mode, &d->handle);
	if (ret) {
		free(d);
		return err__set(err, -ENOTSUP, "%s: %s", capstone_library.soname, capstone.cs_strerror(ret));
	}
	/* x86 needs no groups: the mnemonic tells the same, and groups cost a fifth of the time. */
	if (arch->arch != CS_ARCH_X86)
		capstone.cs_option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
	if (arch->arch == CS_ARCH_X86 && syntax == DISASM_ATT)
		d->is_att = !capstone.cs_option(d->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	d->insn = capstone.cs_malloc(d->handle);
	if (!d->insn)
		die_out_of_memory();
	*disasm = d;
	return 0;
}

void disasm__delete(struct disasm *d)
{
	if (!d)
		return;
	capstone.cs_free(d->insn, 1);
	capstone.cs_close(&d->handle);
	strbuf__exit(&d->operands);
	objdump__exit(&d->listing);
	free(d);
}

int disasm__switch(struct disasm **d, u16 machine, bool big_endian, enum disasm_syntax syntax,
		   struct err *err)
{
	if (*d && (*d)->machine == machine && (*d)->big_endian == big_endian)
		return 0;
	disasm__delete(*d);
	*d = NULL;
	return disasm__new(d, machine, big_endian, syntax, err);
}

static bool disasm__is_x86(const struct disasm *d)
{
	return d->machine == EM_X86_64 || d->machine == EM_386;
}

/* ---- what the text says ---- */

static bool starts_number(char before, bool is_att)
{
	switch (before) {
	case ',':
	case '$':
	case '-':
	case '+':
	case '[':
	case ':':
		return true;
	case '*':
		return is_att;
	default:
		return false;
	}
}

/*
 * Write operands as objdump does: without spaces, and all numbers in hexadecimal. Scales
 * (",8)" and "*8") stay.
 */
static void disasm__add_operands(struct disasm *d, const char *text)
{
	size_t size = strlen(text);
	unsigned depth = 0; /* of parentheses */
	char last = ',', *out;

	strbuf__reset(&d->operands);
	if (!disasm__is_x86(d)) {
		strbuf__add(&d->operands, text, size);
		return;
	}
	strbuf__grow(&d->operands, 3 * size); /* "1" becomes "0x1" */
	out = d->operands.buf;
	for (; *text; text++) {
		bool is_number = *text >= '0' && *text <= '9' && starts_number(last, d->is_att);

		if (*text == ' ' && (strchr(",+-", last) || (text[1] && strchr("+-", text[1]))))
			continue;
		last = *text;
		depth += *text == '(';
		depth -= *text == ')' && depth;
		if (is_number && !depth && text[1] != 'x') {
			*out++ = '0';
			*out++ = 'x';
		}
		*out++ = *text;
	}
	strbuf__setlen(&d->operands, (size_t)(out - d->operands.buf));
}

/* Is an operand a register? Those in an address, and its segment, do not count. */
static bool has_register(const char *operands)
{
	unsigned depth = 0;

	for (const char *p = operands; *p; p++) {
		depth += *p == '(';
		depth -= *p == ')' && depth;
		if (*p == '%' && !depth && p[strcspn(p, ",: ")] != ':')
			return true;
	}
	return false;
}

/*
 * AT&T's syntax has a suffix for the size. Leave it out where a register or the instruction tells the size,
 * as objdump does.
 */
static void disasm__drop_suffix(const struct disasm *d, cs_insn *insn)
{
	static const char *const of_one_size[] = { "call", "ret", "jmp", "push", "pop", "leave" };
	const char *base = capstone.cs_insn_name(d->handle, insn->id);
	char *mnemonic = strrchr(insn->mnemonic, ' '); /* after "lock " */
	size_t len = base ? strlen(base) : 0;
	bool drops = has_register(insn->op_str);

	mnemonic = mnemonic ? mnemonic + 1 : insn->mnemonic;
	if (!len || strncmp(mnemonic, base, len) || strlen(mnemonic) != len + 1 ||
	    !strchr("bwlq", mnemonic[len]))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(of_one_size); i++)
		drops |= !strcmp(base, of_one_size[i]);
	if (drops)
		mnemonic[len] = '\0';
}

/* Return the number that the text ends with, "0x12" or "#0x12"; start is where it begins. */
static bool number_at_end(const char *text, const char **start, u64 *value)
{
	const char *p = strrchr(text, ' ');
	char *end;

	p = p ? p + 1 : text;
	*start = p;
	p += *p == '#';
	if (!isdigit((u8)p[*p == '-']))
		return false;
	*value = strtoull(p, &end, 0);
	return !*end;
}

static bool has_group(const struct disasm *d, const cs_insn *insn, unsigned group)
{
	return capstone.cs_insn_group(d->handle, insn, group);
}

/* The last word decides: there may be prefixes, "bnd jmp". Far ones begin with "l": "lcall". */
static enum insn_kind x86__kind(const char *mnemonic)
{
	const char *last = strrchr(mnemonic, ' ');

	mnemonic = last ? last + 1 : mnemonic;
	mnemonic += *mnemonic == 'l' && (mnemonic[1] == 'c' || mnemonic[1] == 'j' || mnemonic[1] == 'r');
	switch (*mnemonic) {
	case 'j':
		return INSN_JUMP;
	case 'c':
		return strncmp(mnemonic, "call", 4) ? INSN_OTHER : INSN_CALL;
	case 'r':
		return strncmp(mnemonic, "ret", 3) ? INSN_OTHER : INSN_RETURN;
	case 'i':
		return strncmp(mnemonic, "iret", 4) ? INSN_OTHER : INSN_RETURN;
	case 'l':
		return strncmp(mnemonic, "loop", 4) ? INSN_OTHER : INSN_JUMP;
	case 'x':
		return strcmp(mnemonic, "xbegin") ? INSN_OTHER : INSN_JUMP; /* to where an abort leads */
	default:
		return INSN_OTHER;
	}
}

static enum insn_kind disasm__kind(const struct disasm *d, const cs_insn *insn)
{
	if (disasm__is_x86(d))
		return x86__kind(insn->mnemonic);
	if (has_group(d, insn, CS_GRP_CALL) || (d->machine == EM_AARCH64 && !strcmp(insn->mnemonic, "bl")))
		return INSN_CALL;
	if (has_group(d, insn, CS_GRP_RET) || has_group(d, insn, CS_GRP_IRET))
		return INSN_RETURN;
	return has_group(d, insn, CS_GRP_JUMP) ? INSN_JUMP : INSN_OTHER;
}

/* Split "x0, #0x1234" of jumps and calls into the operands before, and the address. */
static void disasm__find_target(struct disasm *d, const char *operands, struct insn *out)
{
	const char *start;

	if ((out->kind != INSN_JUMP && out->kind != INSN_CALL) ||
	    !number_at_end(operands, &start, &out->target))
		return;
	if (d->machine == EM_RISCV)
		out->target += out->addr;
	out->has_target = true;
	strbuf__reset(&d->operands);
	strbuf__add(&d->operands, operands, (size_t)(start - operands));
}

/* ---- addresses of data ---- */

/* x86-64: "0x12(%rip)", "[rip + 0x12]", "[rip+0x12]". next: address of the next instruction. */
static bool x86__data(const char *operands, u64 next, u64 *data)
{
	const char *at = strstr(operands, "(%rip)"), *intel = strstr(operands, "[rip");
	u64 disp = 0;

	if (at) {
		while (at > operands && (isxdigit((u8)at[-1]) || strchr("x-", at[-1])))
			at--;
		disp = (u64)strtoll(at, NULL, 0);
	} else if (intel) {
		disp = strtoull(intel + strcspn(intel, "0123456789]"), NULL, 0);
		disp = intel[4 + (intel[4] == ' ')] == '-' ? -disp : disp;
	} else {
		return false;
	}
	*data = next + disp;
	return true;
}

/* AArch64: ADRP makes the address of a page; an instruction soon after it adds the rest. */
static bool disasm__arm64_data(struct disasm *d, const cs_insn *insn, u64 *data)
{
	const char *start, *rest;
	u64 number;
	size_t n;

	if (!strcmp(insn->mnemonic, "adrp") || !strcmp(insn->mnemonic, "adr")) {
		n = strcspn(insn->op_str, ",");
		if (n >= sizeof(d->page_register) || !number_at_end(insn->op_str, &start, &number))
			return false;
		memcpy(d->page_register, insn->op_str, n);
		d->page_register[n] = '\0';
		d->page = number;
		d->since_page = 0;
		*data = number;
		return !insn->mnemonic[3];
	}
	if (!d->page_register[0] || ++d->since_page > PAGE_DISTANCE)
		return false;
	rest = strchr(insn->op_str, ',');
	n = strlen(d->page_register);
	if (!rest)
		return false;
	rest += 2 + (rest[2] == '[');
	if (strncmp(rest, d->page_register, n) || !strchr(",]", rest[n]))
		return false;
	number = 0;
	if (rest[n] == ',' && (strncmp(rest + n, ", #", 3) || strstr(rest + n + 3, ", ")))
		return false;
	if (rest[n] == ',')
		number = strtoull(rest + n + 3, NULL, 0);
	*data = d->page + number;
	return !strcmp(insn->mnemonic, "add") || !strncmp(insn->mnemonic, "ldr", 3) ||
	       !strncmp(insn->mnemonic, "str", 3);
}

static bool disasm__find_data(struct disasm *d, const cs_insn *insn, u64 *data)
{
	if (d->machine == EM_X86_64)
		return x86__data(insn->op_str, insn->address + insn->size, data);
	return d->machine == EM_AARCH64 && disasm__arm64_data(d, insn, data);
}

/* ---- slow instructions ---- */

/* Prefixes of the mnemonics of instructions that usually take ten cycles or more. */
static const char *const slow_x86[] = {
	"lock",     "div",     "idiv",   "fdiv",   "vdiv",   "fsqrt",   "sqrt",   "vsqrt",
	"fsin",     "fcos",    "fpatan", "fyl2x",  "cpuid",  "mfence",  "lfence", "sfence",
	"pause",    "rdtsc",   "rdrand", "rdseed", "rdpmc",  "rdmsr",   "wrmsr",  "syscall",
	"sysenter", "int",     "xchg",   "wbinvd", "invlpg", "clflush", "xsave",  "xrstor",
	"vpgather", "vgather", "rep",    "in",     "out",
};
static const char *const slow_arm64[] = {
	"sdiv", "udiv", "fdiv",  "fsqrt", "dmb",   "dsb",   "isb", "ldax", "stlx", "ldxr",  "stxr",
	"cas",  "swp",  "ldadd", "ldclr", "ldset", "ldeor", "svc", "wfe",  "wfi",  "yield", "mrs",
};

static bool disasm__is_slow(const struct disasm *d, const char *mnemonic)
{
	const char *const *list = disasm__is_x86(d) ? slow_x86 : slow_arm64;
	size_t nr = disasm__is_x86(d) ? ARRAY_SIZE(slow_x86) : ARRAY_SIZE(slow_arm64);

	if (!disasm__is_x86(d) && d->machine != EM_AARCH64)
		return !strncmp(mnemonic, "div", 3) || strstr(mnemonic, "sync");
	for (size_t i = 0; i < nr; i++) {
		size_t len;

		if (*list[i] != *mnemonic)
			continue;
		len = strlen(list[i]);
		/* "in" and "out" are not "inc" */
		if (!strncmp(mnemonic, list[i], len) && (len > 3 || strchr(" slbwqpd", mnemonic[len])))
			return true;
	}
	return false;
}

/* ---- an instruction ---- */

static void disasm__unknown(struct disasm *d, const u8 *code, size_t size, u64 addr, struct insn *insn)
{
	size_t n = disasm__is_x86(d) ? x86__length(code, size, d->machine == EM_X86_64) : 0;

	*insn = (struct insn){ .addr = addr,
			       .size = (u8)MIN(n ? n : d->step, size),
			       .kind = INSN_UNKNOWN,
			       .mnemonic = "",
			       .operands = "" };
}

int disasm__ask_objdump(struct disasm *d, const char *program, const u8 *code, size_t size, u64 addr,
			struct err *err)
{
	objdump__exit(&d->listing);
	d->listing_addr = addr;
	if (d->big_endian)
		return -ENOTSUP;
	return objdump__read(&d->listing, program, d->machine, !d->is_att, code, size, addr, err);
}

/* AArch64, by the mnemonic alone. */
static enum insn_kind arm64__kind(const char *mnemonic)
{
	static const char *const jumps[] = { "b", "b.", "bc.", "br", "cb", "tb" };

	if (!strncmp(mnemonic, "ret", 3) || !strncmp(mnemonic, "eret", 4))
		return INSN_RETURN;
	if (!strcmp(mnemonic, "bl") || !strncmp(mnemonic, "blr", 3))
		return INSN_CALL;
	for (size_t i = 0; i < ARRAY_SIZE(jumps); i++)
		if (i ? !strncmp(mnemonic, jumps[i], strlen(jumps[i])) : !strcmp(mnemonic, jumps[0]))
			return strcmp(mnemonic, "brk") ? INSN_JUMP : INSN_OTHER;
	return INSN_OTHER;
}

/* Take an instruction from objdump. Return false if it does not have one here, or one of this size. */
static bool disasm__take_listed(struct disasm *d, u64 addr, size_t known_size, struct insn *insn)
{
	const struct objdump_insn *in = objdump__find(&d->listing, addr - d->listing_addr);
	const char *operands;

	if (!in || !in->mnemonic || in->size == known_size)
		return false;
	*insn = (struct insn){ .addr = addr,
			       .size = in->size,
			       .mnemonic = objdump__text(&d->listing, in->mnemonic) };
	operands = objdump__text(&d->listing, in->operands);
	insn->kind = disasm__is_x86(d) ? x86__kind(insn->mnemonic) : arm64__kind(insn->mnemonic);
	insn->is_slow = disasm__is_slow(d, insn->mnemonic);
	insn->has_data = d->machine == EM_X86_64 && x86__data(operands, addr + in->size, &insn->data);
	strbuf__reset(&d->operands);
	strbuf__addstr(&d->operands, operands);
	disasm__find_target(d, operands, insn);
	insn->operands = d->operands.buf;
	return true;
}

void disasm__next(struct disasm *d, const u8 *code, size_t size, u64 addr, struct insn *insn)
{
	bool is_evex = disasm__is_x86(d) && x86__is_evex(code, size, d->machine == EM_X86_64);
	const uint8_t *at = code;
	uint64_t next = addr;
	size_t left = size;

	if ((is_evex && !READS_EVEX) || !capstone.cs_disasm_iter(d->handle, &at, &left, &next, d->insn) ||
	    !d->insn->size) {
		if (!disasm__take_listed(d, addr, 0, insn))
			disasm__unknown(d, code, size, addr, insn);
		return;
	}
	if (disasm__take_listed(d, addr, d->insn->size, insn))
		return;
	*insn = (struct insn){ .addr = addr, .size = (u8)d->insn->size };
	insn->kind = disasm__kind(d, d->insn);
	insn->is_slow = disasm__is_slow(d, d->insn->mnemonic);
	if (d->is_att)
		disasm__drop_suffix(d, d->insn);
	disasm__add_operands(d, d->insn->op_str);
	insn->has_data = disasm__find_data(d, d->insn, &insn->data);
	disasm__find_target(d, d->insn->op_str, insn);
	insn->mnemonic = d->insn->mnemonic;
	insn->operands = d->operands.buf;
}

#else

LIBRARY_ABSENT(capstone, "libcapstone", "libcapstone-dev");

int disasm__new(struct disasm **d, u16 machine, bool big_endian, enum disasm_syntax syntax, struct err *err)
{
	(void)d;
	(void)machine;
	(void)big_endian;
	(void)syntax;
	return library__load(&capstone_library, err);
}

int disasm__switch(struct disasm **d, u16 machine, bool big_endian, enum disasm_syntax syntax,
		   struct err *err)
{
	return disasm__new(d, machine, big_endian, syntax, err);
}

void disasm__delete(struct disasm *d)
{
	(void)d;
}

void disasm__next(struct disasm *d, const u8 *code, size_t size, u64 addr, struct insn *insn)
{
	(void)d;
	(void)code;
	(void)size;
	*insn = (struct insn){
		.addr = addr, .size = 1, .kind = INSN_UNKNOWN, .mnemonic = "", .operands = ""
	};
}

int disasm__ask_objdump(struct disasm *d, const char *program, const u8 *code, size_t size, u64 addr,
			struct err *err)
{
	(void)d;
	(void)program;
	(void)code;
	(void)size;
	(void)addr;
	(void)err;
	return -ENOTSUP;
}

#endif
