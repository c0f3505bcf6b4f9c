/* Names of the registers in samples, per architecture: bit of the mask -> name (<asm/perf_regs.h> of each).
 */
#ifndef UI_DUMP_REGS_H
#define UI_DUMP_REGS_H

#include "base/types.h"

struct dump_regs;
/* Of an architecture as uname calls it ("x86_64", "armv7l"); NULL: this machine's. Never NULL. */
const struct dump_regs *dump_regs__find(const char *arch);
const char *dump_regs__name(const struct dump_regs *r, unsigned bit); /* "unknown" for one without a name */

#endif
