/*
 * The program that is recorded: forked early so that counters can be opened on it, and held back
 * until it is told to go.
 */
#ifndef RECORD_WORKLOAD_H
#define RECORD_WORKLOAD_H

#include "base/message/err.h"

#include <signal.h>
#include <sys/types.h>

struct tracer;
struct workload {
	pid_t pid;    /* 0: none */
	int go_fd;    /* a byte here lets it exec; -1 afterwards */
	int error_fd; /* the errno of a failed exec comes back here */
	bool exited;
	int status; /* of waitpid, once exited */
	struct tracer
		*tracer; /* of it, NULL: nobody traces it; set between __prepare and __start; not owned */
};

/* What a recorder changes of its signals; the program shall have it as it was. */
struct signals_before {
	sigset_t mask;
	struct sigaction pipe, xfsz, child;
};

/* What execvp takes for a name, to be freed. 0, -ENOENT, or -EACCES: what is there is not executable. */
int workload__find(const char *name, char **found);
/*
 * Looks the command up as the shell does before forking. -ENOENT (status 127) or -EACCES (126) with err.
 * to_stderr: its standard output goes to stderr, since ours is a data stream.
 */
int workload__prepare(struct workload *w, char *const *argv, const struct signals_before *before,
		      bool to_stderr, struct err *err);
/* Lets it exec. A negative errno if that failed. */
int workload__start(struct workload *w, struct err *err);
/* Reaps it if it is over; true once it is. */
bool workload__poll(struct workload *w);
/* The exit status that a shell would show: 0..255, 128 + signal. 0 if there was no workload. */
int workload__exit_status(const struct workload *w);
/* Kills a child that was never started. */
void workload__exit(struct workload *w);

#endif
