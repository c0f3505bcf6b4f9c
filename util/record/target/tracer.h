/*
 * Stops a program when it is in memory and before it does anything of its own: after its exec when it is
 * linked statically, else when its loader has mapped and relocated its libraries and before the first
 * constructor. Breakpoints can be placed then. (man 2 ptrace; the loader's side: r_debug in <link.h>)
 *
 * The program is traced only as long as that takes, or with follow for as long as nobody has asked to let it
 * go, together with all that it starts. All functions must be called by one thread.
 */
#ifndef RECORD_TRACER_H
#define RECORD_TRACER_H

#include "base/message/err.h"

#include <sys/types.h>

struct tracer;
struct tracer_opts {
	/* Process pid is stopped as described. True: what was wanted is there, let go of it. */
	bool (*stopped)(pid_t pid, void *ctx);
	void *ctx;
	bool follow; /* children and later execs, too, until stopped() is satisfied */
	bool kill;   /* whoever is traced dies with this process */
};

/*
 * pid: a child of ours that is about to exec. -EPERM and others with err: it may not be traced.
 */
int tracer__new(struct tracer **t, pid_t pid, const struct tracer_opts *opts, struct err *err);
void tracer__delete(struct tracer *t);
/* Waits until pid has exec'ed, or is gone. */
void tracer__wait_exec(struct tracer *t);
/* Waits until pid is gone. */
void tracer__wait_end(struct tracer *t);
/* Sees to what has happened since, without waiting: to be called after a SIGCHLD. True once pid is gone, with
 * its status as waitpid says it. */
bool tracer__poll(struct tracer *t, int *status);
/* Whether process pid is past the point where stopped() is called for the program that it runs now, or is not
 * traced. */
bool tracer__is_past(const struct tracer *t, pid_t pid);
/* Whether programs could not be stopped after loading, but only before (another processor, or ptrace may not
 * write): then what the loader does comes after. */
bool tracer__was_early(const struct tracer *t);

#endif
