/*
 * What a row of perf stat adds up: everything, or the counters of a CPU, a core, a die ..., or a thread. The
 * processor's parts are those of /sys/devices/system/cpu.
 */
#ifndef STAT_ROWS_H
#define STAT_ROWS_H

#include "base/memory/array.h"
#include "format/read/features.h"
#include "stat/counting.h"

enum aggregation {
	AGGREGATE_ALL,
	AGGREGATE_CPU,
	AGGREGATE_CORE,
	AGGREGATE_CLUSTER,
	AGGREGATE_CACHE,
	AGGREGATE_DIE,
	AGGREGATE_SOCKET,
	AGGREGATE_NODE,
	AGGREGATE_THREAD,
	NR_AGGREGATIONS,
};

/* How the views show a row's name. */
struct aggregation_form {
	const char *word;   /* the heading, and the name of the field in JSON; NULL: rows have no name */
	int width;          /* columns of the name */
	bool counts_places; /* the number of counters follows the name */
	bool by_event;      /* all rows of an event follow each other */
};
extern const struct aggregation_form aggregation_forms[NR_AGGREGATIONS];

struct stat_row {
	char *name;    /* "S0-D0-C1", "sleep-1234" */
	int id[4];     /* for the order: socket, die ... or the index of a thread */
	int tid;       /* of a thread; otherwise -1 */
	char comm[64]; /* of a thread */
};

struct stat_rows {
	enum aggregation by;
	ARRAY(struct stat_row) v; /* in order */
	u32 *of_place;            /* index of each place's row */
};

/* Names of the rows of a recording, instead of those of this machine. */
struct recorded_names {
	struct cpu_parts parts;
	int_array tids;
	ARRAY(char *) comms; /* by index of tids */
};
/*
 * Make the rows for the places of c. cache_level: for AGGREGATE_CACHE; 0: the last. names: of a recording,
 * which has no clusters and caches; NULL: find them on this machine.
 */
void stat_rows__init(struct stat_rows *rows, enum aggregation by, int cache_level, const struct counting *c,
		     const struct recorded_names *names);
void stat_rows__exit(struct stat_rows *rows);

#endif
