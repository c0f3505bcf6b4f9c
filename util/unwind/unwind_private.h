/* Shared by the files of util/unwind. */
#ifndef UNWIND_UNWIND_PRIVATE_H
#define UNWIND_UNWIND_PRIVATE_H

#include "unwind/call_site.h"
#include "unwind/code_row.h"
#include "unwind/unwind.h"

enum { NO_REG = 0xff }; /* in tables of DWARF numbers: none, or the program counter */

/* The registers of one frame. */
struct unwind_regs {
	u64 known; /* bit n: v[n] is known */
	u64 ip;
	u64 v[CFI_REGS_MAX]; /* by DWARF number */
};

/* Take the registers of a sample. Return false without program counter or stack pointer. */
bool unwind_regs__load(struct unwind_regs *regs, const struct unwind_arch *arch,
		       const struct unwind_sample *s);

struct unwind_stack {
	const u8 *data;
	u64 start, end; /* memory addresses */
	u8 word;        /* bytes of a word there */
	bool cut;       /* a read went past the end: a larger copy would have helped */
};

/* Read a word of the stack. Return false outside the copy. */
bool unwind_stack__read(struct unwind_stack *s, u64 addr, u64 *value);

/*
 * Evaluate an expression (DWARF 5, section 2.5). cfa: the value of DW_OP_call_frame_cfa. Return false for
 * operations that CFI does not use, unknown registers, and memory outside the copy.
 */
bool unwind_expr__value(const struct cfi_expr *e, const struct unwind_regs *regs, u64 cfa,
			struct unwind_stack *stack, u64 *value);

/* ---- code ---- */

struct known_code {
	u64 space, ip;
	const struct cfi_row *row; /* NULL: no CFI */
	bool is_code, is_vdso, is_used;
	bool is_entry; /* the entry point of the program or of the dynamic linker: it has no caller */
};

/* A number that may be a return address. */
struct return_site {
	u64 space, ra;
	u64 code_round; /* when it was looked at; if it is not in a file: JIT compilers change their code */
	u64 target;     /* memory address, for CALL_DIRECT */
	enum call_kind call; /* the instruction before ra */
	bool is_code;        /* false: not an address of code */
	bool in_file;        /* the code is in a binary */
	bool is_read;        /* false: the code cannot be read, so call is unknown */
};

/* The row that the instructions at an address give. */
struct known_row {
	u64 space, ip;
	u8 head[16]; /* the code at ip: JIT compilers change it */
	bool is_return, is_used, has_row;
	struct code_row row;
};

/* What a runtime says of an address in its code. */
struct known_java {
	u64 space, ip, code_round;
	struct java_frame frame;
	u8 pushed; /* bytes on top of the frame after the call here */
	bool (*find_method)(void *ctx, const struct java_method *m, u64 *shown);
	bool (*find_function)(void *ctx, const struct v8_frame *v, u64 *shown);
};

struct unwinder {
	const struct unwind_arch *own;  /* the recording's; NULL: unknown */
	const struct unwind_arch *arch; /* of the sample's program: own, or own->compat */
	void (*look_up)(void *ctx, u64 ip, struct unwind_code *code);
	void *ctx;
	struct known_code known[1 << 12];  /* by hash; newer ones replace older ones */
	struct return_site sites[1 << 10]; /* as known */
	u64 code_round;                    /* of the sample */
	struct known_row rows[1 << 8];     /* as known */
	struct known_java java[1 << 8];    /* as known */
	u64 next_sp;                       /* the caller's stack pointer, of the last step; 0: unknown */
	bool left_stack;                   /* the last step was to another stack */
	bool was_interrupted;              /* the last frame, by a signal */
	unsigned tries;                    /* walks tried by a search */
	u64 *sps;                          /* for callers that want no stack pointers; owned */
	unsigned nr_sps;
};

/* Return what is known about an address; valid until the next call. */
const struct known_code *unwinder__code_at(struct unwinder *u, u64 space, u64 ip);
/* Read the code at a memory address. Return false if it cannot be read. */
bool unwinder__read_code(struct unwinder *u, u64 ip, void *data, size_t size);
/* Return the row of code without CFI on x86-64, i386 and arm64, valid until the next call, or NULL. */
const struct cfi_row *unwinder__code_row(struct unwinder *u, u64 space, u64 ip, bool is_return);
/* Look at a number that may be a return address. */
struct return_site unwinder__site(struct unwinder *u, u64 space, u64 ra);
enum {
	FUNCTION_MAX = 1 << 16,       /* bytes; functions of programs are hardly larger */
	COMMON_FUNCTION_MAX = 1 << 9, /* bytes; functions of JIT compilers are closer together */
};

/*
 * Is the call at the site a direct one of the function that callee is in: to an address at most max bytes
 * before callee, or to a jump to there?
 */
bool unwinder__calls(struct unwinder *u, const struct return_site *site, u64 callee, u64 max);
/*
 * May the call at the site lead to the function that callee is in? Calls that are not direct, and those to
 * stubs, may lead anywhere.
 */
bool unwinder__leads_to(struct unwinder *u, const struct return_site *site, u64 callee);
/*
 * Does ra follow a call? Also true for code that cannot be read. With is_strict, the call must lead to
 * callee, as unwinder__leads_to says.
 */
bool unwinder__is_after_call(struct unwinder *u, u64 space, u64 ra, u64 callee, bool is_strict);

/* ---- frames ---- */

/* How well the stack pointer in a frame's registers is known. */
enum sp_state {
	SP_KNOWN,
	SP_AFTER_RECORD, /* the end of the callee's frame record: right, or a little too low */
	SP_AT_LEAST,     /* a lower bound */
};

/* Condition on a return address for the walk to go on. */
enum frame_check {
	CHECK_NOTHING, /* CFI is right */
	CHECK_CALLS,   /* it follows a call */
	CHECK_TARGETS, /* that leads to the frame's function */
};

struct frame_state {
	struct unwinder *u;
	struct unwind_stack stack;
	struct unwind_regs regs;
	u64 space;
	u64 *shown;        /* the frame's address in the result */
	bool is_exact;     /* regs.ip is the frame's own address, not a return address */
	bool is_elsewhere; /* the stack pointer is outside of the copy */
	bool is_found;     /* a step so far was found, not proved (enum unwind_end) */
	enum sp_state sp_state;
	enum frame_check check;
	unsigned nr_searches;          /* that led to this frame */
	const struct java_frame *java; /* of the last step, if methods were inlined there; else NULL */
};

/* The frames of a chain. */
struct frame_list {
	u64 *ips, *sps; /* addresses; stack pointers */
	unsigned nr, max;
};

/*
 * Walk from f to the outermost frame, as far as it goes, and append the frames. f is the last frame then.
 */
enum unwind_end frame_state__walk(struct frame_state *f, struct frame_list *out);
/*
 * Continue a walk that ended at f: if that is in code without CFI, look for the return address of f on the
 * stack. Append the frames from there on and return true if they lead to the outermost frame; else change
 * nothing.
 */
bool frame_state__search(struct frame_state *f, struct frame_list *out, enum unwind_end end);
/*
 * Is the frame pointer that of an outer frame, not of f's function? Return true if a return address below it,
 * or in the link register, follows a direct call of f's function. *is_certain: no such return address can be
 * that of f.
 */
bool frame_state__has_outer_fp(struct frame_state *f, u64 fp, bool *is_certain);
/*
 * Is the frame that of code without CFI that made the thread? It made a system call, calls the thread's first
 * function by a register, and then ends the thread: it has no caller. (clone in musl)
 */
bool frame_state__starts_thread(struct frame_state *f);
/*
 * Does the stack hold what the kernel puts above the first frame of a process, shortly above at? A number of
 * arguments, their addresses, 0. (AAPCS64; System V ABI, "Process Initialization") Only arm64 needs it: there
 * the entry point jumps to the first function.
 */
bool frame_state__starts_process(struct frame_state *f, u64 at);
/*
 * Step from a frame of HotSpot's code to its caller. Return false, with nothing changed, if that is not
 * known, or if the stack does not have what the virtual machine says. Otherwise *end is UNWIND_ENDS, or
 * UNWIND_CUT if the copy of the stack ends in the frame.
 */
bool frame_state__step_java(struct frame_state *f, enum unwind_end *end);
/* Return what a runtime says of an address in code without a row, valid until the next call. */
const struct known_java *unwinder__java_at(struct unwinder *u, u64 space, u64 ip);
/*
 * After a step from a frame in code without a row: if it is one of V8, show its function. old: its registers;
 * was_exact: as is_exact then; did_step: the step succeeded.
 */
void frame_state__show_v8(struct frame_state *f, const struct unwind_regs *old, bool was_exact,
			  bool did_step);
/* Remove the signature from a word that may be a return address. */
u64 frame_state__plain_address(const struct frame_state *f, u64 word);

#endif
