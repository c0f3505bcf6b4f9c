/*
 * The same walk by libunwind, which reads the call frame information itself: to hold ours against. Slower,
 * and of x86-64 on x86-64 only. (libunwind(3), unw_init_remote)
 */
#ifndef UNWIND_UNWIND_REFERENCE_H
#define UNWIND_UNWIND_REFERENCE_H

#include "unwind/unwind.h"

struct unwind_reference;

/* NULL when this perf was built without libunwind. look_up as for unwinder__new. */
struct unwind_reference *unwind_reference__new(void (*look_up)(void *ctx, u64 ip, struct unwind_code *code),
					       void *ctx);
void unwind_reference__delete(struct unwind_reference *u);
/* As unwinder__run; the end is UNWIND_COMPLETE or UNWIND_NO_CFI, since libunwind does not say more, or
 * UNWIND_NO_REGS. */
enum unwind_end unwind_reference__run(struct unwind_reference *u, const struct unwind_arch *arch,
				      const struct unwind_sample *s, u64 *ips, unsigned max, unsigned *nr);

#endif
