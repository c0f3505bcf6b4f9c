/*
 * An open recording: the reader, its events, and the machine that the side-band records describe.
 * session__open makes the first pass; afterwards samples can be looked up in any order:
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

struct session;
struct block;

struct session_opts {
	struct reader_opts reader;
	struct symbolize_opts symbols;
	/* count samples by event (stats.records.by_event); costs a look at each sample's id */
	bool count_per_event;
	bool no_model;       /* only count records; the machine stays empty (report --stats) */
	bool samples_follow; /* a pass over the samples will follow: keep them if they are few */
	/* side-band records from before the part of the file that is read (reader.begin); NULL: none */
	const struct strbuf *before;
	/* called for each record but samples, with the decoder of its trailer; NULL: not */
	void (*look)(void *ctx, const struct sample_decoder *d, const struct record *r);
	/*
	 * called for each run of whole records as they arrive, after look was called for them, with the
	 * session, which has its events by then, but no machine: see session__of; NULL: not
	 */
	void (*run)(void *ctx, struct session *s, const struct block *b);
	void *ctx;        /* for look and run */
	bool header_only; /* read no records of a file that has a header; nothing else is filled */
};

struct session_stats {
	struct record_counts records; /* including the compressed ones */
	struct lost_records lost;
	u64 nr_misread; /* side-band records too short for their type */
};

struct session {
	struct reader *reader;
	struct sample_decoder decoder;
	struct machine machine;
	struct symbolizer symbolizer;
	struct session_stats stats;
	struct losses losses; /* as the recorder stored them; no events: none stored */
	struct kept_samples kept;
	bool is_merged; /* a sample stands for as many as its weight: format/read/merged_inputs.h */
	bool has_time;  /* samples carry times; without, the file offset is the clock */
	struct reader *first_reader; /* before session__next; NULL: reader is the first */
};

/*
 * Open a recording. Return 0, or a negative errno with err if not even the header could be read. Later
 * damage is in reader->damage.
 */
int session__open(struct session **s, const char *path, const struct session_opts *opts, struct err *err);
void session__delete(struct session *s);
/*
 * Go on with the next part of the same recording, a file with the same events that describes all that runs
 * when it begins. Only the binaries, with their symbols and numbers, and names by id stay of the part
 * before: all else that was taken from s is invalid. Return 0, or a negative errno with err: nothing has
 * changed if the file cannot be opened.
 */
int session__next(struct session *s, const char *path, const struct session_opts *opts, struct err *err);
/*
 * Make a session of side-band records of s, which is still being read: what they describe can be looked up.
 * It shares the reader, and is valid until more records are read. Free it with session__delete_part.
 */
struct session *session__of(struct session *s, const struct strbuf *side_band,
			    const struct symbolize_opts *symbols);
void session__delete_part(struct session *part);
/* Print what is wrong with the recording, once all that could be read was used. 0; -1 if it is damaged. */
int session__tell_damage(const struct session *s);
/* If there are no samples (ret is -ENODATA) since the recording is damaged, let err say that. Return ret. */
int session__blame_damage(const struct session *s, int ret, struct err *err);
/*
 * Get the relation of the recording's clock to CLOCK_MONOTONIC, which JIT compilers use. Return false if it
 * is unknown.
 */
bool session__clocks(const struct session *s, struct clock_pairs *clocks);

/*
 * A pass over the samples, among other records or alone, in blocks as from reader_pass__next. Offsets of
 * kept samples count from the first kept one and only give their order. Threads may share a pass.
 */
struct sample_pass;
struct sample_pass *sample_pass__new(struct session *s);
void sample_pass__delete(struct sample_pass *p);
int sample_pass__next(struct sample_pass *p, struct block *b, struct err *err);
/* Free what b holds of the pass; use it instead of block__exit. */
void sample_pass__release(const struct sample_pass *p, struct block *b);
/* Call look for each sample, in a pass of its own. Return 0, or a negative errno with err. */
int session__each_sample(struct session *s, void (*look)(void *ctx, const struct record *r), void *ctx,
			 struct err *err);

/* Return the sample's time by the clock of machine lookups. */
static inline u64 session__time(const struct session *s, const struct sample *sample, const struct record *r)
{
	return s->has_time ? sample->time : r->offset;
}

#endif
