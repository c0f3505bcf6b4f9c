/* The agent's own figures, for node_exporter's textfile collector. */
#ifndef AGENT_FIGURES_H
#define AGENT_FIGURES_H

#include "base/message/err.h"

struct figures {
	/*
	 * slices since the agent began: made = sent + dropped + those that wait, less those that waited then;
	 * aside: part of dropped, those that were set aside
	 */
	u64 made, sent, dropped, aside;
	u64 samples, lost;         /* in the slices made */
	u64 waiting, spool_size;   /* now; bytes */
	u64 cpu_ns;                /* of the agent, the recorder and the processes that send */
	u64 memory, sender_memory; /* bytes; of agent and recorder now; peak of the sending processes */
	u64 failures;              /* attempts to send that failed */
};

/* Write them aside, and rename. Return 0 or a negative errno with err. */
int figures__write(const struct figures *f, const char *path, struct err *err);

#endif
