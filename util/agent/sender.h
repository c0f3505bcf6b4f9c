/* The child process that sends what waits in the spool. */
#ifndef AGENT_SENDER_H
#define AGENT_SENDER_H

#include "agent/agent_args.h"

/* The sender writes one byte for each slice. */
enum sender_word {
	SENDER_SENT = 's',
	SENDER_ASIDE = 'a',  /* it cannot be read, or the server will never take it: it was set aside */
	SENDER_EMPTY = 'e',  /* it has no samples: it was removed */
	SENDER_FAILED = 'f', /* it stays, and so do those after it */
	SENDER_TOLD = 't',   /* the server knows what was dropped until the process began */
};

struct sender {
	pid_t pid;  /* 0: none runs */
	int words;  /* to be read */
	u64 untold; /* dropped slices that it tells of */
};

/* Start it, unless one runs or nothing waits. */
void sender__start(struct sender *s, const struct agent_args *args, struct spool *spool);

#endif
