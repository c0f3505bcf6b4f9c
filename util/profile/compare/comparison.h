/*
 * The comparison of old and new recordings: which functions changed, as far as the samples tell. Whatever
 * shows a comparison draws it from here.
 *
 *	comparison__init(&c, &opts);
 *	for each recording:
 *		comparison__choose_event(&c, session, &err);
 *		compared_recording__read(&r, &c, session, times, &err);   by any thread
 *		comparison__add(&c, &r, COMPARE_OLD or COMPARE_NEW);      the session may be closed
 *	comparison__finish(&c);
 *	... c.rows ...
 */
#ifndef PROFILE_COMPARISON_H
#define PROFILE_COMPARISON_H

#include "profile/compare/function_costs.h"

enum { COMPARE_OLD, COMPARE_NEW };

enum compare_unit {                  /* what costs are divided by */
		    COMPARE_RUNS,    /* recordings of a command */
		    COMPARE_SECONDS, /* of the recording */
		    COMPARE_NUMBER,  /* --per N */
		    COMPARE_EVENT,   /* --per EVENT: what the recording counted of it */
};

struct comparison_opts {
	struct filter_args filter; /* all but times: comparison__add() takes them */
	const char *per;           /* a number or an event; NULL: runs, or else seconds */
	const char *event;         /* which event counts; NULL: the first one that the first recording has */
	double least_row, least_total; /* smallest change of interest, as in struct evidence_input */
	bool no_inlines;
	bool keeps_stacks; /* for stacks */
	unsigned nr_threads;
};

struct compared_recording {
	char *path, *arch; /* arch: NULL: unknown */
	u32 side;
	double exposure;
	bool is_run, is_merged;
	bool lacks_inputs; /* of a merged recording: what it was made of is not known */
	double nr_runs;    /* of a merged recording: so many */
	struct function_costs costs;
	struct strpool names; /* of costs, until it is added */
	mode_t output_mode;   /* as of its reader */
};

struct compared { /* a function */
	const char *name, *dso;
	struct evidence_row self, total;
	enum verdict verdict;
	u32 function; /* id in names */
	u32 caller;   /* row that called it most; COMPARE_NO_ROW: none */
	u32 other;    /* of RENAMED: the row of the other name */
	u32 size[2];  /* bytes of code, by side; 0: unknown */
	u64 code[2];  /* hash of the code, by side; 0: unknown */
};

enum { COMPARE_NO_ROW = UINT32_MAX };

struct comparison {
	struct comparison_opts opts;
	struct strpool names;
	/* if opts.keeps_stacks: with costs for a unit of work; their functions are indices of rows */
	struct function_stacks stacks;
	ARRAY(struct compared_recording) recordings; /* the old ones first, after comparison__finish() */
	u32 nr[2];
	char *event;
	struct perf_event_attr attr; /* of the event */
	bool has_event;              /* attr is set */
	bool is_time;                /* costs are ns */
	enum compare_unit unit;
	double number; /* of COMPARE_NUMBER */
	ARRAY(struct compared)
	rows; /* the changes first, the largest at the near edge of its interval on top */
	struct evidence self, total; /* of all rows; .rows is NULL */
	u32 nr_verdicts[NR_VERDICTS];
};

void comparison__init(struct comparison *c, const struct comparison_opts *opts);
/*
 * Choose the event that counts, if s is the first recording, and check that s has it. Return 0; -EINVAL or
 * -ENODATA with err.
 */
int comparison__choose_event(struct comparison *c, const struct session *s, struct err *err);
/*
 * Read a recording, whose event was chosen; other threads may read other ones. times: as --time has them;
 * NULL: all. Return 0 or a negative errno with err: -ENODATA if it has no samples, -EINVAL if it cannot be
 * compared. r is to be added, or exited after an error.
 */
int compared_recording__read(struct compared_recording *r, const struct comparison *c, struct session *s,
			     const char *times, struct err *err);
void compared_recording__exit(struct compared_recording *r);
/*
 * Return the recording of a side that has the same samples, or NULL. One recording, or a copy of it, is not
 * two runs: they do not vary.
 */
const struct compared_recording *comparison__find_copy(const struct comparison *c,
						       const struct compared_recording *r, u32 side);
/* Add a recording to a side, and take its memory over. */
void comparison__add(struct comparison *c, struct compared_recording *r, u32 side);
/* Return the mode of a file made of all recordings: the least that they allow. */
mode_t comparison__output_mode(const struct comparison *c);
/* Weigh the evidence, when all recordings are added. */
void comparison__finish(struct comparison *c);
void comparison__exit(struct comparison *c);

/* Return what the change is worth, in units of cost, at the edge of its interval that is nearer to 0. */
double compared__near_edge(const struct compared *row);

#endif
