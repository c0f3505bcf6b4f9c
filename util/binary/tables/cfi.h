/*
 * Call frame information of one binary, compiled into rows: what holds in a range of its code, how to find
 * the caller's registers there. A row is made when an address in its range is first asked for, with libdw's
 * CFI interface, from .eh_frame and then .debug_frame (of the binary or its separate debug file), and kept.
 * (DWARF 5, section 6.4; Linux Standard Base, "Exception Frames")
 *
 * Registers have the numbers that the machine's DWARF gives them.
 */
#ifndef BINARY_CFI_H
#define BINARY_CFI_H

#include "base/message/err.h"
#include "base/memory/types.h"
#include "binary/elf/build_id.h"
#include "binary/elf/file_search.h"

enum { CFI_REGS_MAX = 64 };

/* A DWARF expression: values are pushed on and taken from a stack. */
struct cfi_op {
	u8 atom; /* DW_OP_ */
	u64 a, b;
};

struct cfi_expr {
	u32 nr;
	bool is_value; /* the result is the value itself, not the address where it is */
	struct cfi_op ops[];
};

enum cfi_rule_kind {
	CFI_AT_CFA,      /* saved at CFA + offset */
	CFI_IS_CFA,      /* is CFA + offset */
	CFI_IN_REGISTER, /* is in another register */
	CFI_BY_EXPR,
};

struct cfi_rule {
	u8 reg, kind; /* kind: enum cfi_rule_kind */
	u16 other;    /* CFI_IN_REGISTER */
	union {
		s64 offset; /* bytes */
		const struct cfi_expr *expr;
	};
};

struct cfi_row {
	u64 kept; /* bit n: the caller has register n as it is here, unless a rule says more */
	const struct cfi_expr *cfa_expr; /* NULL: CFA = register cfa_reg + cfa_offset */
	s64 cfa_offset;
	u8 cfa_reg;
	u8 ra;             /* the register that holds the return address of the frame */
	bool is_outermost; /* ra has no rule and is not kept: there is no caller */
	bool is_cfi;       /* false: made of Go's table, or of a PLT stub's instructions */
	bool is_signal;    /* the frame of a signal's delivery: its caller was interrupted, not calling */
	bool leaves_stack; /* the caller may be on another stack than this frame */
	u8 nr_rules;
	struct cfi_rule rules[];
};

/* The rule for a register, or NULL. */
static inline const struct cfi_rule *cfi_row__rule(const struct cfi_row *row, unsigned reg)
{
	for (unsigned i = 0; i < row->nr_rules; i++)
		if (row->rules[i].reg == reg)
			return &row->rules[i];
	return NULL;
}

struct cfi;

struct cfi_opts {
	const char *symfs;                 /* root for every path looked at; NULL or "": the machine's own */
	const struct debug_places *places; /* additional folders of debug files, or NULL; outlives the cfi */
};

/*
 * The CFI of the binary at path, when it has the build-id want (NULL or empty: any) or a debug file of that
 * build is found. 0, -ESTALE or a negative errno with err; -ENODATA: the binary has none.
 */
int cfi__open(struct cfi **c, const char *path, const struct build_id *want, const struct cfi_opts *opts,
	      struct err *err);
/* Of an ELF image in memory (the vdso), which must stay there. */
int cfi__open_image(struct cfi **c, const void *image, size_t size, struct err *err);
void cfi__delete(struct cfi *c); /* accepts NULL */
/* The ELF machine (EM_X86_64 ...) that the registers are of. */
u16 cfi__machine(const struct cfi *c);

/*
 * The row at a dso address (file offset), or NULL when no CFI speaks of it. Thread-safe; rows live as long as
 * c.
 */
const struct cfi_row *cfi__find(struct cfi *c, u64 addr);
/* What the rows found so far, and the tables to find them, take of memory, in bytes. */
u64 cfi__row_bytes(struct cfi *c);
/*
 * Whether the program, or the dynamic linker, begins at a dso address: at the ELF entry point or a little
 * behind it. Such code often has no CFI; where it has, code without is not part of it.
 */
bool cfi__is_entry(struct cfi *c, u64 addr);
/* Whether a dso address is in a PLT stub (binary/tables/plt_stub.h). */
bool cfi__is_stub(const struct cfi *c, u64 addr);

enum cfi_call {
	CFI_NO_CALL,
	CFI_ANY_CALL, /* to the address in a register; also if the file or the machine cannot be read */
	CFI_CALL_TO,  /* to *target, a dso address */
};
/* Return whether the instruction before a dso address is a call. Reads arm64's instructions only. */
enum cfi_call cfi__call_before(struct cfi *c, u64 addr, u64 *target);

/*
 * Whether the code at a dso address sets the frame pointer before its first branch or call. False for
 * machines other than arm64.
 */
bool cfi__sets_frame_pointer(struct cfi *c, u64 addr);

/*
 * For another unwinder (tests/unwind_reference.h): the search table of .eh_frame_hdr as it lies in memory, in
 * virtual addresses, and any bytes that the file has for them. (Linux Standard Base, "Exception Frames")
 */
struct cfi_search_table {
	u64 header, entries; /* virtual addresses */
	u64 nr;              /* of pairs of 32-bit numbers */
};
bool cfi__search_table(struct cfi *c, struct cfi_search_table *t);
/* The virtual address of a dso address. */
bool cfi__vaddr(const struct cfi *c, u64 addr, u64 *vaddr);
/* size bytes at a virtual address; false when the file does not have all of them. */
bool cfi__read(struct cfi *c, u64 vaddr, void *data, size_t size);

#endif
