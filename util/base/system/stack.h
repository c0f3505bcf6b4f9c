/*
 * Stacks of a known size, whatever RLIMIT_STACK (ulimit -s) says: libdw alone keeps line tables of 300 KiB on
 * the stack, and a stack that cannot grow ends a program with SIGSEGV and without a message.
 */
#ifndef BASE_STACK_H
#define BASE_STACK_H

enum { STACK_SIZE = 8 << 20 };

/*
 * Run fn and return its value. If RLIMIT_STACK is below STACK_SIZE, fn runs on a mapping of that size,
 * in the calling thread; if there is no memory for one, perf ends with a message. Threads that are
 * started later have STACK_SIZE, too. The limit itself, which a recorded command inherits, stays. Call
 * it once, from main.
 */
int stack__run(int (*fn)(int argc, const char **argv), int argc, const char **argv);

#endif
