/* Run another program for what it prints. */
#ifndef BASE_RUN_H
#define BASE_RUN_H

#include "base/text/strbuf.h"

struct run_limits {
	unsigned ms;  /* milliseconds until it must have ended */
	size_t bytes; /* of what it may print */
	/* "NAME=value" of its environment beside LC_ALL=C, ending with NULL; NULL: none */
	char *const *environment;
};
/*
 * Run the program at a path, without a shell, and append its standard output. argv: its words, ending with
 * NULL. in: its standard input. Its environment has LC_ALL=C and what limits name, its error messages are
 * thrown away. Return its exit status; -ETIMEDOUT or -E2BIG: it was killed, because it exceeded a limit;
 * -EIO: a signal ended it; or another negative errno. What it printed until then was appended.
 */
int run__output(const char *path, char *const *argv, int in, const struct run_limits *limits,
		struct strbuf *out);

#endif
