/*
 * Where a function returns to its caller: the instructions that do, found by reading all of its code. Parts
 * that the compiler moved elsewhere (name.cold, name.part.0) belong to it if it jumps to them. Also where it
 * leaves by jumping to another function (a tail call), which returns in its place. x86-64, i386 and arm64.
 */
#ifndef BINARY_FUNCTION_ENDS_H
#define BINARY_FUNCTION_ENDS_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "binary/elf/file_search.h"

struct function_reader;

/*
 * Open the code, symbols and unwind tables of the file root + path; root may be "". places: additional
 * folders for debug files, or NULL; it must live as long as the reader. Return 0; -ENOTSUP: the machine is
 * not one of those above; or another negative errno. err names the file.
 */
int function_reader__open(struct function_reader **r, const char *root, const char *path,
			  const struct debug_places *places, struct err *err);
void function_reader__delete(struct function_reader *r); /* accepts NULL */

enum tail_call_kind {
	TAIL_ALWAYS, /* when the instruction runs, the function is left */
	/* a conditional jump: it may be run without leaving. The target is reached only by leaving. */
	TAIL_CONDITIONAL,
	TAIL_UNSURE, /* an indirect jump, which may stay in the function: to a case of a switch */
};

struct tail_call { /* linked addresses */
	u64 addr;
	u64 target; /* the first instruction that runs instead of the caller; 0: unknown */
	enum tail_call_kind kind;
};

/*
 * The stack pointer at each return and tail call is that at the function's first instruction, except at
 * returns of code that this function shares with others; those then do not return from it.
 */
struct function_ends {
	/* linked addresses, ascending; empty if is_decoded is false. All of them begin an instruction. */
	u64_array returns;
	ARRAY(struct tail_call) tails; /* ascending; empty as well */
	/*
	 * All code of the function was understood. Otherwise no address is known to begin an instruction, and
	 * a probe could destroy one.
	 */
	bool is_decoded;
	/* if not: the linked address of what was not understood, and what that is: a static string */
	u64 unknown_at;
	const char *unknown;
};

/*
 * Find the ends of the function of size bytes at a linked address; size 0: up to where the next one begins.
 * A function without ends never returns. Return 0, also if is_decoded is false; -EINVAL: no code there; err
 * says why. e: not in use yet; free it with function_ends__exit().
 */
int function_ends__find(struct function_ends *e, struct function_reader *r, u64 addr, u64 size,
			struct err *err);
void function_ends__exit(struct function_ends *e);

#endif
