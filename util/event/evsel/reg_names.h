/* Names of the registers in samples, per architecture: bit of the mask -> name (<asm/perf_regs.h> of each).
 */
#ifndef EVENT_REG_NAMES_H
#define EVENT_REG_NAMES_H

#include "base/memory/types.h"

struct reg_names;
/* Of an architecture as uname calls it ("x86_64", "armv7l"); NULL: this machine's. Never NULL. */
const struct reg_names *reg_names__find(const char *arch);
const char *reg_names__name(const struct reg_names *r, unsigned bit); /* "unknown" for one without a name */
/*
 * The bits of names with commas between them, in whatever case. 0, or -EINVAL and *bad (of *bad_len) is the
 * word that is none.
 */
int reg_names__parse(const struct reg_names *r, const char *text, u64 *mask, const char **bad,
		     size_t *bad_len);

#endif
