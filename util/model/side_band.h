/*
 * The side-band records of a recording: gathered as they come, replayed into a machine in time order.
 *
 * Recorders empty one ring after the other: the records come in runs that are in order, and these are merged.
 * All wait until all are there, since those that hold from the start may stand at the end (record
 * --tail-synthesize); so each is kept as small as can be: a map as 40 bytes, 32 of which become the struct
 * map in its place.
 */
#ifndef MODEL_SIDE_BAND_H
#define MODEL_SIDE_BAND_H

#include "model/machine.h"

struct side_entry {
	u64 time;
	struct waiting_map map; /* or its start is where a record's bytes are: see is_record */
};

struct side_run { /* entries in time order */
	struct side_entry *next, *end;
	size_t seq; /* in the stream */
};

struct side_band {
	struct machine *machine;
	struct arena records;
	struct side_entry *p, *end;  /* room for entries, in the machine's arena */
	size_t nr_room;              /* entries that there was room for */
	ARRAY(struct side_run) runs; /* where the last one ends is p */
	u64 last_time;               /* of the last run */
};

void side_band__init(struct side_band *b, struct machine *m);
void side_band__exit(struct side_band *b);
/* Takes a record if the machine wants its type. trailer: the size of its sample_id. time as in
 * machine__replay. */
void side_band__add(struct side_band *b, const struct record *r, size_t trailer, u64 time);
/* The same with a map that no record tells of; it is copied. */
void side_band__add_map(struct side_band *b, const struct waiting_map *w, u64 time);
/* All maps; fn may make them empty, and they are left out then. */
typedef void (*side_band_map_fn)(struct waiting_map *w, u64 time, void *ctx);
void side_band__for_each_map(struct side_band *b, side_band_map_fn fn, void *ctx);
/* Replays all; equal times in the order in which they came. Empties b. */
void side_band__replay(struct side_band *b);

#endif
