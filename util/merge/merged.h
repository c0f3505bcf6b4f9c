/* How a merged recording names and numbers what it has. */
#ifndef MERGE_MERGED_H
#define MERGE_MERGED_H

#define KERNEL_NAME "[kernel.kallsyms]"
/* a kernel besides the first one is a module with its build-id in hexadecimal digits and "]" in its name */
#define OTHER_KERNEL "[kernel "

enum {
	MERGE_MAX_STACK = 127, /* frames to unwind from a stack copy, the default of reports */
	PID_FIRST = 5000000,   /* of processes: no process has such a pid, pid_max is at most 4,194,304 */
	JIT_STEP = 16,         /* bytes of a JIT function */
};

/* Addresses at which a merged recording places code. */
#define USER_FIRST (1ull << 44)
#define KERNEL_FIRST 0xffffffff81000000ull
#define MODULES_FIRST 0xffffffffc0000000ull
#define MODULES_END 0xffffffffff000000ull
/* of a binary, the addresses after its first sampled page that are kept */
#define SPAN_MAX (1ull << 32)

#endif
