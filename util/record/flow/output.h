/* The file, or stream, that a recording goes to: what stands in front of the records and what behind. */
#ifndef RECORD_OUTPUT_H
#define RECORD_OUTPUT_H

#include "record/describe/build_id_list.h"
#include "record/host/host_features.h"
#include "record/flow/intake.h"
#include "record/flow/switch_output.h"

struct output_opts {
	const char *path; /* or "-" */
	bool keep_old;    /* do not move an existing file out of the way */
	bool is_dir;      /* a data directory: path is its name; what it gets here is in its file "data" */
	bool no_build_ids;
	bool store_names;   /* as in struct recorder_opts */
	bool switches;      /* each file gets the time into its name */
	int compression;    /* as in struct writer_opts */
	u64 queue;          /* likewise: bytes that may wait for a slow disk */
	unsigned max_files; /* that are left then; 0: all */
	const struct host_features_opts *host;
};

struct output {
	struct output_opts opts;
	const struct evlist *l;          /* with ids; not owned */
	struct writer *writer;           /* NULL: not open */
	struct build_id_list *build_ids; /* NULL: none are wanted */
	struct left_files files;
	bool is_finished; /* the present one */
	bool wants_names; /* the file that was finished last: names are to be appended */
	u64 samples;      /* in all files that are finished */
	u64 bytes;        /* that records take in them */
	u64 blocked_ms;   /* as writer__blocked_ms, of them all */
	u64 unpacked;     /* ... before they were compressed */
};

/* Begins the file, the first or the next one, which in gets its records for. 0 or a negative errno with err.
 */
int output__open(struct output *o, struct intake *in, struct err *err);
/* Whether there is a file that was begun and not ended. */
bool output__is_open(const struct output *o);
/* Ends it with what in has learned. 0 or a negative errno with err; what was written stays readable. */
int output__finish(struct output *o, const struct intake *in, struct err *err);
/*
 * After a failure: ends the file, if there is one and it is not ended, with what is known. err: as
 * writer__finish.
 */
void output__save(struct output *o, const struct intake *in, struct err *err);
void output__exit(struct output *o);

#endif
