/*
 * A recording in another process, delivered as slices: complete perf.data files in memory, each with the
 * samples since the slice before. The caller asks for slices, and so decides how long they are; between two
 * requests the recorder collects.
 *
 * 	slices__start(&s, &events, argv, &opts, &err);
 * 	slices__ask(s);
 * 	... slices__fd(s) becomes readable ...
 * 	while (slices__receive(s, &fd, &slice, &err) > 0)
 * 		... session__open(..., "/proc/self/fd/N", ...) ... close(fd) ...
 *
 * The recorder is a process, not a thread, since it needs a high priority, ends with its signals, and may
 * start a command.
 */
#ifndef RECORD_SLICES_H
#define RECORD_SLICES_H

#include "record/recorder.h"

struct slices;

/*
 * Start to record. argv: the command, or NULL. opts as for recorder__run; its output, control and
 * switch_output are not used. is_silent: what the command prints is dropped. Return 0 or a negative errno
 * with err. If the recorder cannot record, the first slices__receive returns the reason.
 */
int slices__start(struct slices **out, struct evlist *events, char *const *argv,
		  const struct recorder_opts *opts, bool is_silent, struct err *err);
/* End the recording without another slice, and the command, and wait for both. NULL is allowed. */
void slices__delete(struct slices *s);
/* Ask for the next slice. */
void slices__ask(struct slices *s);
/* Switch the events off or on. */
void slices__enable(struct slices *s, bool on);
/* Return the recorder's process; 0: it has ended. */
pid_t slices__pid(const struct slices *s);
/* Return a descriptor that is readable when __receive has something. */
int slices__fd(const struct slices *s);
/*
 * Take what has come. Return 1 with a slice, whose fd the caller closes; 0: none is there; -ENODATA: the
 * recording has ended; or another negative errno with err: it failed. Messages of the recorder are printed.
 */
int slices__receive(struct slices *s, int *fd, struct slice *slice, struct err *err);

#endif
