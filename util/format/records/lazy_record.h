/*
 * A record on its way through the recorder: its event, time and thread. Each of these is worked out on first
 * use, once. A thread has one lazy_record and sets it to one record after the other.
 */
#ifndef FORMAT_LAZY_RECORD_H
#define FORMAT_LAZY_RECORD_H

#include "format/records/sample.h"

enum { LAZY_RECORD_EVSELS = 16 };

struct lazy_record {
	struct perf_event_header *header; /* of the whole record; not owned */
	/* Private: */
	const struct sample_decoder *decoder; /* of the events in the file; not owned */
	bool has_evsel, has_id, id_known;
	const struct evsel *evsel;
	struct sample_id id;
	struct { /* events of recent samples, by the low bits of their ids */
		u64 id;
		const struct evsel *evsel;
	} recent[LAZY_RECORD_EVSELS];
};

void lazy_record__init(struct lazy_record *r, const struct sample_decoder *d);

static inline void lazy_record__set(struct lazy_record *r, struct perf_event_header *h)
{
	r->header = h;
	r->has_evsel = r->has_id = false;
}

/* Replace the present sample, which is decoded as s, by h, a rewritten one. */
void lazy_record__replace(struct lazy_record *r, struct perf_event_header *h, const struct sample *s);

void lazy_record__find_evsel(struct lazy_record *r);
void lazy_record__decode_id(struct lazy_record *r);

/* Return the event of a sample, or the one named by the trailer of another record. NULL: unknown. */
static inline const struct evsel *lazy_record__evsel(struct lazy_record *r)
{
	if (!r->has_evsel)
		lazy_record__find_evsel(r);
	return r->evsel;
}

/*
 * Return pid, tid and time (of a sample no more than these), or NULL if the record does not have them or is
 * too short. Valid until the next record.
 */
static inline const struct sample_id *lazy_record__id(struct lazy_record *r)
{
	if (!r->has_id)
		lazy_record__decode_id(r);
	return r->id_known ? &r->id : NULL;
}

#endif
