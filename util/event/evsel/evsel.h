/*
 * The selected events of a recording. An evsel is one event: the request to the kernel (attr), its name and
 * the ids that its records carry. An evlist is the ordered list of evsels, which it owns, and finds the evsel
 * of an id. It is built by the reader (from a file) or by the parser of -e (for a recording) and is immutable
 * afterwards, so lookups are thread-safe.
 */
#ifndef EVENT_EVSEL_H
#define EVENT_EVSEL_H

#include "base/memory/array.h"
#include "base/memory/hash.h"
#include "base/memory/types.h"

#include <linux/perf_event.h>

/* Constants that only newer kernel headers name; the numbers are ABI (include/uapi/linux/perf_event.h). */
#define EVENT_ATTR_SIZE_MIN 64    /* PERF_ATTR_SIZE_VER0 */
#define EVENT_ATTR_SIZE_MAX 65536 /* larger sizes are invalid */

enum {
	STACK_COPY_MAX = 65528,    /* bytes: a sample record is at most 64 KiB long */
	STACK_COPY_USABLE = 65000, /* bytes that leave room in the record for the usual other fields */
};

struct event_request;

struct evsel {
	u32 idx;                     /* position in the evlist, from 0 */
	struct perf_event_attr attr; /* native byte order; fields that the source lacks are 0 */
	u32 attr_size;               /* bytes of attr that the source had (may be more than sizeof attr) */
	u64 config3;                 /* attr bytes 128..135, 0 if the source had none */
	char *name; /* as the user wrote it or as recorded; never NULL after evlist__finish_names */
	ARRAY(u64) ids;
	u32 leader;                    /* idx of the group's leader; own idx if alone */
	u32 nr_members;                /* of the group, set in the leader; 1 if alone */
	char *group_name;              /* in the leader: NAME of "NAME{...}"; NULL: none; owned */
	struct event_request *request; /* for an event to be recorded: event_request.h; else NULL; owned */
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
/* Keep of an attr what says which event it is. */
struct perf_event_attr attr__of_event(const struct perf_event_attr *a);
/*
 * Return the event of this name, or else the first one that is the same event as attr: a recording that was
 * cut off has lost the names that users wrote. NULL: there is none.
 */
const struct evsel *evlist__find_same(const struct evlist *l, const char *name,
				      const struct perf_event_attr *attr);
/* Append and return an evsel with the first attr_size bytes of attr; name may be NULL. */
struct evsel *evlist__add(struct evlist *l, const void *attr, size_t attr_size, const char *name);
/* As evlist__add for an event to be recorded: use attr->size bytes, and add a request that is all zero. */
struct evsel *evlist__add_request(struct evlist *l, const struct perf_event_attr *attr, const char *name);
/*
 * Move all evsels of from, with their groups, to the end of l; from is empty then. They must not have ids
 * yet.
 */
void evlist__move(struct evlist *l, struct evlist *from);
/* Make the nr evsels from first on one group. */
void evlist__group(struct evlist *l, size_t first, size_t nr);
/* Give evsel the id. If several evsels get the same id, the first one keeps it. */
void evlist__add_id(struct evlist *l, struct evsel *e, u64 id);
/* Return the evsel of id; if there is only one evsel, return it whatever the id. NULL: unknown. */
struct evsel *evlist__by_id(const struct evlist *l, u64 id);
/* Give every evsel without a name the name that its attr implies ("cycles:u"). */
void evlist__finish_names(struct evlist *l);
/* Return the bits that all evsels' sample_type share / that any of them has. */
u64 evlist__sample_type_any(const struct evlist *l);
u64 evlist__sample_type_all(const struct evlist *l);
bool evlist__has_tracepoints(const struct evlist *l);
/* Do the branch stacks of its samples (of any evsel's) hold call chains, as with --call-graph lbr? */
bool evsel__has_lbr_chains(const struct evsel *e);
bool evlist__has_lbr_chains(const struct evlist *l);
bool evlist__sample_id_all(const struct evlist *l); /* of the first evsel; true if l is empty */

#endif
