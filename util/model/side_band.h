/*
 * The side-band records of a recording: gathered as they come, replayed into a machine in time order.
 *
 * Recorders drain one ring after the other, so records come in runs that are in order; the runs are merged.
 * All records wait until the end, because records that hold from the beginning may be last (record
 * --tail-synthesize). So entries are small: a map takes 40 bytes, 32 of which become its struct map.
 */
#ifndef MODEL_SIDE_BAND_H
#define MODEL_SIDE_BAND_H

#include "model/machine.h"

struct side_entry {
	u64 time;
	struct waiting_map map; /* the map; or its start is the record's place: see is_record */
};

struct side_run { /* entries in time order */
	struct side_entry *next, *end;
	size_t seq; /* position in the stream */
};

struct side_band {
	struct machine *machine;
	struct arena records;
	struct side_entry *p, *end;  /* free room for entries, in the machine's arena */
	size_t nr_room;              /* entries reserved so far */
	ARRAY(struct side_run) runs; /* the last one ends at p */
	u64 last_time;               /* of the last run's last entry */
};

void side_band__init(struct side_band *b, struct machine *m);
void side_band__exit(struct side_band *b);
/*
 * Take a record if the machine wants its type. trailer: size of its sample_id. time: as in machine__replay.
 */
void side_band__add(struct side_band *b, const struct record *r, size_t trailer, u64 time);
/* As side_band__take, for a map without a record; it is copied. */
void side_band__add_map(struct side_band *b, const struct waiting_map *w, u64 time);
/* Call fn for all maps; maps that fn makes empty are dropped. */
typedef void (*side_band_map_fn)(struct waiting_map *w, u64 time, void *ctx);
void side_band__for_each_map(struct side_band *b, side_band_map_fn fn, void *ctx);
/* Replay all entries; equal times in the order of arrival. Empties b. */
void side_band__replay(struct side_band *b);

#endif
