/*
 * The selected events of a recording. An evsel is one event: what was asked of the kernel
 * (attr), its name and the ids that its records carry. An evlist is the ordered set of them
 * and finds the evsel of an id. Built by the reader (from a file) or by the parser of -e (for
 * recording); immutable afterwards, so lookups are thread-safe. The evlist owns its evsels.
 */
#ifndef EVENT_EVSEL_H
#define EVENT_EVSEL_H

#include "base/memory/array.h"
#include "base/memory/hash.h"
#include "base/memory/types.h"

#include <linux/perf_event.h>

/* What newer kernels' headers name; the numbers are ABI (include/uapi/linux/perf_event.h). */
#define EVENT_ATTR_SIZE_MIN 64    /* PERF_ATTR_SIZE_VER0 */
#define EVENT_ATTR_SIZE_MAX 65536 /* more is nonsense */

enum {
	STACK_COPY_MAX = 65528,    /* bytes: the record of a sample is at most 64 KiB long */
	STACK_COPY_USABLE = 65000, /* bytes: such a record has room for them beside the usual fields */
};

struct event_request;

struct evsel {
	u32 idx;                     /* position in the evlist, from 0 */
	struct perf_event_attr attr; /* native byte order; what the source lacked is 0 */
	u32 attr_size;               /* bytes of attr that the source had (may be more than sizeof attr) */
	u64 config3;                 /* attr bytes 128..135, 0 if the source had none */
	char *name; /* as the user wrote it or as recorded; never NULL after evlist__finish_names */
	ARRAY(u64) ids;
	u32 leader;       /* idx of the group's leader, own idx when alone */
	u32 nr_members;   /* of the group, set in the leader; 1 when alone */
	char *group_name; /* of the group that it leads: "{...}" with a name in front; NULL: none; owned */
	struct event_request *request; /* of an event to be recorded: event_request.h; else NULL; owned */
};

struct evlist {
	ARRAY(struct evsel *) evsels;
	struct hash_table by_id;
	ARRAY(struct {
		u64 id;
		u32 idx;
	})
	id_map;
};

void evlist__init(struct evlist *l);
void evlist__exit(struct evlist *l);
/* Appends an evsel with this attr (only attr_size bytes of it count); name may be NULL. Returns it. */
struct evsel *evlist__add(struct evlist *l, const void *attr, size_t attr_size, const char *name);
/* The same for an event to be recorded: attr->size bytes count, and the evsel gets a request, all zero. */
struct evsel *evlist__add_request(struct evlist *l, const struct perf_event_attr *attr, const char *name);
/* Moves all of from's evsels behind those of l, with their groups; from is empty then. They have no ids yet.
 */
void evlist__move(struct evlist *l, struct evlist *from);
/* Makes the nr evsels from first on one group. */
void evlist__group(struct evlist *l, size_t first, size_t nr);
/* Gives evsel the id. The first evsel to get an id keeps it. */
void evlist__add_id(struct evlist *l, struct evsel *e, u64 id);
/* The evsel of id; the only evsel whatever the id when there is one; NULL if unknown. */
struct evsel *evlist__by_id(const struct evlist *l, u64 id);
/* Gives every nameless evsel the name that its attr implies ("cycles:u"). */
void evlist__finish_names(struct evlist *l);
/* Bits that all evsels' sample_type share / that any has. */
u64 evlist__sample_type_any(const struct evlist *l);
u64 evlist__sample_type_all(const struct evlist *l);
bool evlist__sample_id_all(const struct evlist *l); /* of the first evsel; true when empty */

#endif
