/*
 * Names of the registers in samples, per architecture: bit of the mask -> name (see each <asm/perf_regs.h>).
 */
#ifndef EVENT_REG_NAMES_H
#define EVENT_REG_NAMES_H

#include "base/message/err.h"

struct reg_names;
/*
 * Find by the architecture's name from uname ("x86_64", "armv7l"); NULL: this machine's. Never returns NULL.
 */
const struct reg_names *reg_names__find(const char *arch);
const char *reg_names__name(const struct reg_names *r, unsigned bit); /* "unknown" if it has no name */
/* Parse comma-separated names, ignoring case, into bits. Return 0, or -EINVAL with err. */
int reg_names__parse(const struct reg_names *r, const char *text, u64 *mask, struct err *err);

#endif
