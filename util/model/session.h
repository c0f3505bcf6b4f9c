/*
 * A recording that is being read: the reader, its evlist, and the machine as the side-band
 * records describe it. session__open makes the first pass; afterwards samples can be looked up in any order:
 *
 *	struct session *s;
 *	session__open(&s, path, &opts, &err);
 *	pass = sample_pass__new(s);
 *	while (sample_pass__next(pass, &block, &err) > 0)
 *		... block__next() ... sample__decode_head(&s->decoder, ...)
 *			... machine_cursor__seek(&cursor, session__time(s, &sample, &record)) ...
 *				machine__resolve()
 */
#ifndef MODEL_SESSION_H
#define MODEL_SESSION_H

#include "format/records/clock_pairs.h"
#include "format/read/features.h"
#include "format/read/reader.h"
#include "format/records/sample.h"
#include "model/kept_samples.h"
#include "model/lost_records.h"
#include "model/machine.h"
#include "model/symbolize.h"

struct session_opts {
	struct reader_opts reader;
	struct symbolize_opts symbols;
	bool count_per_event; /* fill stats.records.by_event (costs a look at each sample's id) */
	bool no_model;        /* only count records: machine stays empty (report --stats) */
	bool samples_follow;  /* there will be a pass over the samples: they are kept where they are few */
	bool header_only;     /* no pass at all over what has a header of its own: nothing else is filled */
};

struct session_stats {
	struct record_counts records; /* with the compressed ones */
	struct lost_records lost;
	u64 nr_misread; /* side-band records too short for their type */
};

struct session {
	struct reader *reader;
	struct sample_decoder decoder;
	struct machine machine;
	struct symbolizer symbolizer;
	struct session_stats stats;
	struct losses losses; /* as the recorder tells of them; no events: it does not */
	struct kept_samples kept;
	bool has_time; /* samples carry times; without, the file offset is the clock */
};

/* 0, or a negative errno with err when not even the header could be read. Damage further on is in
 * reader->damage. */
int session__open(struct session **s, const char *path, const struct session_opts *opts, struct err *err);
void session__delete(struct session *s);
/*
 * How the recording's times stand to CLOCK_MONOTONIC, which compilers of code at run time use. False: that is
 * not known.
 */
bool session__clocks(const struct session *s, struct clock_pairs *clocks);

/*
 * A pass over the samples, among other records or alone, in blocks as reader_pass__next yields them. The
 * offsets of samples that were kept count from the first one: they tell which one comes first, no more.
 * Threads may share a pass.
 */
struct sample_pass;
struct sample_pass *sample_pass__new(struct session *s);
void sample_pass__delete(struct sample_pass *p);
int sample_pass__next(struct sample_pass *p, struct block *b, struct err *err);
/* Frees what b has of the pass: in place of block__exit. */
void sample_pass__release(const struct sample_pass *p, struct block *b);

/* The clock that machine lookups use. */
static inline u64 session__time(const struct session *s, const struct sample *sample, const struct record *r)
{
	return s->has_time ? sample->time : r->offset;
}

#endif
