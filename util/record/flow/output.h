/* The file or stream of a recording, with its parts before and after the records. */
#ifndef RECORD_OUTPUT_H
#define RECORD_OUTPUT_H

#include "record/describe/build_id_list.h"
#include "record/host/host_features.h"
#include "record/flow/intake.h"
#include "record/flow/switch_output.h"

struct output_opts {
	const char *path; /* or "-" */
	bool keep_old;    /* do not move an existing file out of the way */
	bool is_dir;      /* path is a data directory; this output writes its file "data" */
	bool no_build_ids;
	bool store_names; /* as in struct recorder_opts */
	struct map_viewers viewers;
	bool switches;      /* add the time to the name of each file */
	int compression;    /* as in struct writer_opts */
	u64 queue;          /* bytes that may wait for a slow disk, as in struct writer_opts */
	unsigned max_files; /* number of files to keep; 0: all */
	/* gets each file; path and the options about it are not used then; NULL: none */
	const struct slice_taker *slices;
	const struct host_features_opts *host;
};

struct output {
	struct output_opts opts;
	const struct evlist *l;          /* with ids; not owned */
	struct writer *writer;           /* NULL: not open */
	struct build_id_list *build_ids; /* NULL: not open */
	struct left_files files;
	int slice_fd;     /* the current slice; -1: none */
	bool is_finished; /* the current file is finished */
	bool wants_names; /* names must be appended to the file that was finished last */
	u64 samples;      /* in all finished files */
	u64 side_band;    /* records besides samples, in the finished file with most */
	u64 bytes;        /* bytes of records in all finished files */
	u64 blocked_ms;   /* as writer__blocked_ms, over all files */
	u64 unpacked;     /* bytes before compression */
};

/* Begin the first or the next file and connect it to in. Return 0 or a negative errno with err. */
int output__open(struct output *o, struct intake *in, struct err *err);
/* Return whether a file was begun and not ended. */
bool output__is_open(const struct output *o);
/* Give the finished slice to its taker, if there is one. Return 0 or a negative errno with err. */
int output__give_slice(struct output *o, u64 samples, u64 lost, struct err *err);
/*
 * Finish the file with what in has collected. Return 0 or a negative errno with err; what was written stays
 * readable.
 */
int output__finish(struct output *o, const struct intake *in, struct err *err);
/* After a failure, finish the file if one is open, with what is known. err: as writer__finish. */
void output__save(struct output *o, const struct intake *in, struct err *err);
void output__exit(struct output *o);

#endif
