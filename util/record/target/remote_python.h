/*
 * Ask running CPythons (3.14) to give their functions names while they are recorded: each runs a script
 * that switches its perf trampolines on, and at the end one that switches them off (PEP 768). This needs
 * the right to write the process's memory. It is never stopped; as with sys.remote_exec() of Python
 * itself, a signal that comes in the same microsecond may be handled late.
 */
#ifndef RECORD_REMOTE_PYTHON_H
#define RECORD_REMOTE_PYTHON_H

#include "base/message/err.h"
#include "record/target/target.h"

struct remote_pythons;

/*
 * Ask the Pythons of the processes in opts (-p, -t), tell the user with info(), and wait some tenths of
 * a second until they have done it: one that is in a long call does it later. Return 0 with *r, to be
 * given to __stop; -EINVAL with err if no process can be asked, with the reason; or an error of
 * target__init. From here to __stop, SIGINT, SIGTERM and SIGHUP are blocked, unless they are ignored: the
 * recording takes them.
 */
int remote_pythons__start(struct remote_pythons **r, const struct target_opts *opts, struct err *err);
/* Undo it, and free r. NULL: nothing. Wait a second at most. */
void remote_pythons__stop(struct remote_pythons *r);

#endif
