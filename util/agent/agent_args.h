/* Options of perf agent. */
#ifndef AGENT_AGENT_ARGS_H
#define AGENT_AGENT_ARGS_H

#include "agent/spool.h"
#include "push/push_args.h"
#include "record/record_args.h"

struct agent_args {
	struct record_args record;
	struct push_args push;
	unsigned interval; /* s: of a slice */
	struct spool_opts spool;
	const char *figures; /* file that gets the agent's figures; NULL: none */
};

#endif
