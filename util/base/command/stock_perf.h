/* The perf of the kernel sources ("stock perf"): commands that only it has, and where it is here. */
#ifndef BASE_STOCK_PERF_H
#define BASE_STOCK_PERF_H

#include "base/text/strbuf.h"

/* Is it a command of stock perf that this program lacks? */
bool stock_perf__has(const char *command);
/*
 * Find a perf on PATH, then where distributions install one, that lists this command. Candidates are asked
 * with --list-cmds, because other builds of this program, and scripts that find no perf for the running
 * kernel, may have the name. Append its path to out; return false if there is none.
 */
bool stock_perf__find(const char *command, struct strbuf *out);

#endif
