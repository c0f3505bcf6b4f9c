/*
 * Call chains from a copy of a thread's user registers and of the top of its stack, by call frame
 * information, and by frame pointers in code without it. Any machine can unwind recordings of all machines
 * in the table of unwind_arch.
 *
 * An unwinder belongs to one thread. It caches what it learns about addresses, so a frame that was seen
 * before costs a look into a small table.
 */
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

#include "binary/tables/cfi.h"

/* Why a chain ends where it does. */
enum unwind_end {
	/*
	 * At the thread's outermost frame, and each step is proved: by CFI, or by a frame record whose return
	 * address follows a call that leads to the frame's function.
	 */
	UNWIND_COMPLETE,
	UNWIND_FOUND,  /* at the outermost frame, but a step was found by a search, or could not be checked */
	UNWIND_CUT,    /* where the copy of the stack ends */
	UNWIND_NO_CFI, /* in code without CFI, and the frame pointer leads nowhere */
	UNWIND_UNMAPPED, /* at an address without code */
	UNWIND_CORRUPT,  /* the next frame would not be further out: the stack is corrupt */
	UNWIND_TOO_DEEP, /* at the limit that the caller gave */
	UNWIND_NO_REGS,  /* no user registers, or an unknown machine */
	UNWIND_ENDS,     /* number of ends */
};

/* How a runtime lays out the frames of its code (HotSpot, V8, on x86-64), as its own tables say. */
enum java_kind {
	JAVA_NONE,        /* unknown */
	JAVA_SIZED,       /* compiled: a frame of fixed size, with the return address at its end */
	JAVA_STUB,        /* likewise, but where the frame is complete is not known for all of the code */
	JAVA_BARE,        /* code without a frame */
	JAVA_OTHER,       /* code of the virtual machine, with frames of any kind */
	JAVA_ADAPTER,     /* no frame; the return address is on top of the stack, or in rax */
	JAVA_INTERPRETER, /* frames that rbp leads to, with the method in them */
	V8_COMPILED,      /* code of one function */
	V8_BUILTIN,       /* V8's own code; a frame of its interpreter has the function in it */
};

enum { JAVA_INLINED_MAX = 16 };

struct java_frame {
	enum java_kind kind;
	u8 nr_inlined; /* methods that were inlined around the call at the address, if it is one */
	u32 size;      /* bytes from the stack pointer to the end of the return address */
	u64 complete;  /* address from which on the frame has that size; UINT64_MAX: not known */
	u64 inlined[JAVA_INLINED_MAX]; /* addresses of their bytecodes, the innermost first */
};

/* A frame of HotSpot's interpreter: what it has of its method. */
struct java_method {
	u64 method;      /* address */
	u64 bytecode[3]; /* addresses that may be where it executes the method; 0: none */
	bool is_entry;   /* the frame is being made: there is no such address yet */
};

/* A frame in code of V8: what tells its function. */
struct v8_frame {
	u64 ip;           /* address in the code: that of the call's last byte in outer frames */
	bool is_compiled; /* V8_COMPILED */
	/* words of the frame, if it is complete: objects, and where it executes the bytecodes; else 0 */
	u64 function, bytecodes, offset;
};

/* The code at an address of the unwound address space. */
struct unwind_code {
	struct cfi *cfi; /* NULL: none */
	u64 addr;        /* the address as cfi counts: a dso address */
	struct cfi *jit; /* CFI of code without a file, from its compiler; NULL: none */
	u64 jit_addr;    /* the address as jit counts */
	bool is_code;    /* something is mapped there */
	bool is_vdso;    /* the vdso */
	/*
	 * Set by the unwinder: the address may be any number from the stack, so only look at known mappings.
	 */
	bool is_guess;
	/* Set by the unwinder: fill in java, which takes time. */
	bool wants_java;
	struct java_frame java;
	/*
	 * Set *shown to the address of the bytecode that the interpreter executes. Return false if there is
	 * no such method, so that the frame is not one of the interpreter. NULL: impossible. ctx: as for
	 * read.
	 */
	bool (*find_method)(void *ctx, const struct java_method *m, u64 *shown);
	/*
	 * Likewise for V8. *shown does not change for compiled code, and the result tells nothing of the
	 * steps. ctx: as for read.
	 */
	bool (*find_function)(void *ctx, const struct v8_frame *v, u64 *shown);
	/*
	 * Read code at a memory address in this mapping, if its binary cannot be read; NULL: impossible.
	 * ctx: as given to unwinder__new. Return false if not all of it can be read.
	 */
	bool (*read)(void *ctx, u64 ip, u8 *data, size_t size);
};

/* The frame that the kernel puts on the stack for a signal handler to return to: struct rt_sigframe. */
struct unwind_signal {
	/* offset of the interrupted registers from the stack pointer at the code that handlers return to */
	u16 regs;
	u8 nr;           /* number of registers; 0: such frames are not read */
	const u8 *order; /* their DWARF numbers; 0xff: the program counter */
	struct {         /* words of all such frames; mask 0: none */
		u16 at;  /* offset from the stack pointer */
		u64 mask, value;
	} checks[4];
};

/* How DWARF and perf number a machine's registers (perf: <asm/perf_regs.h>). */
struct unwind_arch {
	u16 machine; /* EM_ */
	u8 word;     /* bytes */
	u8 sp, fp;   /* DWARF numbers; fp 63: none that leads to callers */
	u8 ip;       /* the number of the program counter in CFI; 0xff: none */
	u8 perf_ip;  /* perf's number of the program counter */
	u8 nr_perf_regs;
	bool has_thumb; /* bit 0 of a return address is not part of it */
	bool signs;     /* return addresses may be signed in their upper bits */
	/*
	 * a frame record {caller's frame pointer, return address} may be anywhere in its frame, so it does
	 * not give the caller's stack pointer
	 */
	bool records_float;
	bool vdso_restores; /* handlers return to the vdso, whose CFI misses the interrupted function */
	struct unwind_signal signal;
	const struct unwind_arch *compat; /* of 32-bit programs on this machine; NULL: none */
	u64 constant;            /* mask of DWARF numbers: registers with the same value in all frames */
	u64 perf_link;           /* mask of perf's numbers: register with a leaf's return address; 0: none */
	u64 perf_mask;           /* mask of perf's numbers: registers that unwinding needs */
	const u8 *dwarf_of_perf; /* 0xff: none */
};

/* Return the machine with this name (uname -m, as in a recording's header), or NULL. */
const struct unwind_arch *unwind_arch__find(const char *name);
/* Return the architecture of this machine, or NULL. */
const struct unwind_arch *unwind_arch__own(void);

/* Return perf's number of the stack pointer. */
unsigned unwind_arch__perf_sp(const struct unwind_arch *arch);

struct unwind_sample {
	u64 space;       /* identifies the state of the address space: equal numbers have equal maps */
	u64 code_round;  /* code that is in no file stays as it is while this stays */
	u64 regs_mask;   /* perf's numbers */
	const u64 *regs; /* one for each bit of the mask, in its order */
	const u8 *stack; /* memory from the stack pointer on */
	u64 stack_size;  /* bytes */
	bool is_32bit;   /* the program is 32-bit: PERF_SAMPLE_REGS_ABI_32 */
};

struct unwinder;

/* Make an unwinder. It calls look_up for addresses that are not cached. */
struct unwinder *unwinder__new(const struct unwind_arch *arch,
			       void (*look_up)(void *ctx, u64 ip, struct unwind_code *code), void *ctx);
void unwinder__delete(struct unwinder *u);

/*
 * Fill ips with at most max addresses, from the leaf on: the sample's own, then for each caller the last
 * byte of the call, so that the lookup finds the calling function (interrupted frames: where they were
 * interrupted). *nr: how many. ips has memory addresses; those of interpreted Java methods are of their
 * bytecodes. sps: gets the stack pointer of each frame, or
 * NULL.
 */
enum unwind_end unwinder__run(struct unwinder *u, const struct unwind_sample *s, u64 *ips, u64 *sps,
			      unsigned max, unsigned *nr);
/*
 * Return the caller of a leaf that was interrupted at ip, if the frame pointer leads to the caller's frame
 * record: the next entry of a frame-pointer chain is then the caller's caller. Return 0 if the chain has
 * the caller, or if that is unknown. Uses the registers of s only, including perf_link.
 */
u64 unwinder__leaf_caller(struct unwinder *u, const struct unwind_sample *s, u64 ip);
/*
 * After a walk that ended with UNWIND_CUT: was the last frame interrupted by a signal? *next_sp: the stack
 * pointer of the missing frame; 0: unknown.
 */
bool unwinder__was_interrupted(const struct unwinder *u, u64 *next_sp);
/* Is the missing frame on another stack (Go's systemstack), after a walk that ended with UNWIND_CUT? */
bool unwinder__left_stack(const struct unwinder *u);
/* Is the frame at an address, as in ips, known to have no caller? space: as in unwind_sample. */
bool unwinder__is_outermost(struct unwinder *u, u64 space, u64 ip);

#endif
