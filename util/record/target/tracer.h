/*
 * Stop a program when it is loaded and before any of its own code runs: at its exec if it is linked
 * statically, else when its loader has mapped and relocated the libraries, before the first constructor.
 * Breakpoints can be placed at that point. (man 2 ptrace; for the loader see r_debug in <link.h>)
 *
 * The program is traced until stopped() says that it is done; with follow, so are all its children. All
 * functions must be called by the same thread.
 */
#ifndef RECORD_TRACER_H
#define RECORD_TRACER_H

#include "base/message/err.h"

#include <sys/types.h>

struct tracer;
struct tracer_opts {
	/* Process pid has stopped at that point. Return true to end tracing. */
	bool (*stopped)(pid_t pid, void *ctx);
	void *ctx;
	bool follow; /* also trace children and later execs, until stopped() returns true */
	bool kill;   /* kill the traced processes if the recorder dies */
};

/*
 * Trace pid, a child of the recorder that is about to exec. Return 0 or a negative errno with err (-EPERM:
 * it may not be traced).
 */
int tracer__new(struct tracer **t, pid_t pid, const struct tracer_opts *opts, struct err *err);
void tracer__delete(struct tracer *t);
/* Wait until pid has exec'ed or has ended. */
void tracer__wait_exec(struct tracer *t);
/* Wait until pid has ended. */
void tracer__wait_end(struct tracer *t);
/*
 * Handle what has happened since the last call, without waiting; call it after a SIGCHLD. Return true once
 * pid has ended, with its waitpid status.
 */
bool tracer__poll(struct tracer *t, int *status);
/*
 * Has process pid passed the point where stopped() is called for its present program, or is it not traced?
 */
bool tracer__is_past(const struct tracer *t, pid_t pid);
/*
 * Were programs stopped at their exec instead of after loading (unknown processor, or ptrace may not write)?
 * The loader then runs after stopped().
 */
bool tracer__was_early(const struct tracer *t);

#endif
