/*
 * The program that perf starts and records. It is forked early, so that counters can be opened on it, and
 * waits until it is told to exec.
 */
#ifndef RECORD_WORKLOAD_H
#define RECORD_WORKLOAD_H

#include "base/message/err.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

struct tracer;
struct workload {
	pid_t pid;    /* 0: none */
	int go_fd;    /* a byte written here lets it exec; -1 afterwards */
	int error_fd; /* returns the errno of a failed exec */
	bool exited;
	int status;            /* from waitpid, valid once exited */
	struct rusage usage;   /* of it and its children, valid once exited; not if it was traced */
	struct tracer *tracer; /* traces it; NULL: not traced; set between __prepare and __start; not owned */
};

/* The signal settings that a recorder changes. The program gets them as they were. */
struct signals_before {
	sigset_t mask;
	struct sigaction pipe, xfsz, child;
};

/*
 * Look the command up as the shell does, then fork. Return 0, or -ENOENT (status 127) or -EACCES (126) with
 * err. to_stderr: send the program's standard output to stderr, because the recorder's is a data stream.
 */
int workload__prepare(struct workload *w, char *const *argv, const struct signals_before *before,
		      bool to_stderr, struct err *err);
/* Let the program exec. Return 0, or a negative errno if the exec failed. */
int workload__start(struct workload *w, struct err *err);
/* Reap the program if it has ended; return true once it has. */
bool workload__poll(struct workload *w);
/* Return the exit status that a shell would show: 0..255, 128 + signal. 0 without a workload. */
int workload__exit_status(const struct workload *w);
/* Kill a child that was not started. */
void workload__exit(struct workload *w);

#endif
