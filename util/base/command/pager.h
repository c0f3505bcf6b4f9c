/*
 * Shows what is written to stdout through a pager: $PERF_PAGER, $PAGER, less, or nothing.
 * Only when stdout is a terminal. One at a time.
 */
#ifndef BASE_PAGER_H
#define BASE_PAGER_H

#include "base/memory/types.h"

#include <sys/types.h>

struct pager {
	pid_t pid;                      /* 0: none runs */
	int saved_stdout, saved_stderr; /* the terminal; -1: not saved */
};

#define PAGER_INIT                                               \
	{                                                        \
		.pid = 0, .saved_stdout = -1, .saved_stderr = -1 \
	}
/*
 * Send stdout, and stderr if it is a terminal, too, to the pager from here on. The output stays plain if
 * there is no terminal or no pager, or if the pager cannot be started. Until pager__finish SIGINT, SIGTERM,
 * SIGHUP and SIGQUIT first wait for the person to leave the pager.
 */
void pager__start(struct pager *p);
/* Ends the output, waits until the pager is left, and gives stdout back. Harmless if none runs. */
void pager__finish(struct pager *p);

#endif
