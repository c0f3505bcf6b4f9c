/*
 * perf agent: record always, and send what was recorded, slice by slice, to a server that keeps profiles.
 *
 * A process records (record/slices.h). Each slice goes to the spool, a folder of bounded size; a child
 * process names what waits there, sends it, oldest first, and removes it. So memory stays flat, a server that
 * is away costs nothing, and an agent that is killed leaves what was not sent for the next one. The agent
 * counts what it dropped, and reports it with the next profile that arrives.
 */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include "agent/agent_args.h"

/*
 * Run until SIGTERM or SIGINT, or until the recorded processes have ended; the last slice is sent, too, or
 * stays in the spool. Return 0, or a negative errno with err.
 */
int agent__run(const struct agent_args *args, struct err *err);

#endif
