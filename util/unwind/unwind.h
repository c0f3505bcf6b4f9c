/*
 * Call chains from a copy of a thread's user registers and of the top of its stack, with the call frame
 * information of the binaries in it; where there is none, along frame pointers as long as they lead to code.
 * Any machine reads any machine's recordings that unwind_arch has a row for.
 *
 * An unwinder is one thread's: it remembers what is known of the addresses met, so that a frame that was
 * seen before costs a look into a small table.
 */
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

#include "binary/tables/cfi.h"

/* Why a chain ends where it does. */
enum unwind_end {
	UNWIND_COMPLETE, /* at the thread's outermost frame */
	UNWIND_CUT,      /* where the copy of the stack ends */
	UNWIND_NO_CFI,   /* in code that nothing is known of, without a frame pointer either */
	UNWIND_UNMAPPED, /* at an address where no code is */
	UNWIND_CORRUPT,  /* the stack makes no sense: the next frame would not be further out */
	UNWIND_TOO_DEEP, /* at the limit that the caller gave */
	UNWIND_NO_REGS,  /* there are no user registers, or of a machine that is not known here */
	UNWIND_ENDS,     /* how many there are */
};

/* What is at an address of the address space that is unwound. */
struct unwind_code {
	struct cfi *cfi; /* NULL: none */
	u64 addr;        /* the address as cfi counts: a dso address */
	bool is_code;    /* something is mapped there */
	bool is_vdso;    /* the code that the kernel brings */
};

/* How DWARF and perf number the registers of a machine (perf: <asm/perf_regs.h>). */
struct unwind_arch {
	u16 machine; /* EM_ */
	u8 word;     /* bytes */
	u8 sp, fp;   /* DWARF numbers; fp 63: none that leads to callers */
	u8 ip;       /* the number by which CFI speaks of where the frame is; 0xff: it does not */
	u8 perf_ip;  /* perf's number of the program counter */
	u8 nr_perf_regs;
	bool has_thumb;          /* bit 0 of a return address is not part of it */
	bool signs;              /* return addresses may carry a signature in their upper bits */
	bool records_float;      /* a frame record {caller's frame pointer, return address} may lie anywhere
				    in its frame: it does not tell the caller's stack pointer */
	u16 signal_regs;         /* bytes from the stack pointer to the interrupted registers (in perf's order
				    up to perf_ip) where signal handlers return to, in the vdso; 0: by CFI */
	u64 constant;            /* mask of DWARF numbers: registers with one value in all frames */
	u64 perf_link;           /* mask of perf's numbers: register with a leaf's return address; 0: none */
	u64 perf_mask;           /* the registers that unwinding wants, and what belongs to them */
	const u8 *dwarf_of_perf; /* 0xff: none */
};

/* The machine of that name (uname -m, as in a recording's header), or NULL. */
const struct unwind_arch *unwind_arch__find(const char *name);
/* This machine, or NULL. */
const struct unwind_arch *unwind_arch__own(void);

struct unwind_sample {
	u64 space;       /* names the state of the address space: equal numbers have equal maps */
	u64 regs_mask;   /* perf's numbers */
	const u64 *regs; /* one for each bit of the mask, in its order */
	const u8 *stack; /* memory from the stack pointer on */
	u64 stack_size;  /* bytes */
	bool is_32bit;   /* of a 32-bit program: PERF_SAMPLE_REGS_ABI_32 */
};

struct unwinder;

/* look_up is asked for addresses that are not remembered. */
struct unwinder *unwinder__new(const struct unwind_arch *arch,
			       void (*look_up)(void *ctx, u64 ip, struct unwind_code *code), void *ctx);
void unwinder__delete(struct unwinder *u);

/*
 * Fills ips from the leaf on with at most max addresses: the sample's own, then of each caller the last byte
 * of the call, so that it is found in the function that called (interrupted frames: where they were
 * interrupted). *nr says how many. The words in ips are memory addresses. sps gets
 * the stack pointer of each frame; NULL: not wanted.
 */
enum unwind_end unwinder__run(struct unwinder *u, const struct unwind_sample *s, u64 *ips, u64 *sps,
			      unsigned max, unsigned *nr);
/*
 * Return the caller of a leaf that was interrupted at ip, if the frame pointer leads to the caller's frame
 * record: a chain along frame pointers has the caller's caller next. 0: the chain has the caller, or it is
 * not known. Uses the registers of s only, perf_link among them.
 */
u64 unwinder__leaf_caller(struct unwinder *u, const struct unwind_sample *s, u64 ip);
/* After a walk that ended with UNWIND_CUT: stack pointer of the frame that was not found; 0: not known. */
u64 unwinder__next_sp(const struct unwinder *u);
/* After a walk that ended with UNWIND_CUT: whether that frame is on another stack (Go's systemstack). */
bool unwinder__left_stack(const struct unwinder *u);
/* Whether the frame at an address, as in ips, is known to have no caller. space: as in unwind_sample. */
bool unwinder__is_outermost(struct unwinder *u, u64 space, u64 ip);

#endif
