/* The data of a comparison: its recordings, and a row for each function. comparison.h works on it. */
#ifndef PROFILE_COMPARED_H
#define PROFILE_COMPARED_H

#include "profile/change/source_change.h"
#include "profile/compare/function_costs.h"
#include "profile/compare/sampling.h"

#include <sys/types.h>

enum { COMPARE_OLD, COMPARE_NEW };

enum compare_unit {                  /* divisor of costs */
		    COMPARE_RUNS,    /* recordings of a command */
		    COMPARE_SECONDS, /* of the recording */
		    COMPARE_NUMBER,  /* --per N */
		    COMPARE_EVENT,   /* --per EVENT: the count of that event in the recording */
};

struct comparison_opts {
	struct filter_args filter;     /* all filters but times, which comparison__add() takes */
	const char *per;               /* a number or an event; NULL: runs, or else seconds */
	const char *event;             /* event to count; NULL: the first one of the first recording */
	double least_row, least_total; /* smallest change of interest, as in struct evidence_input */
	/* old recordings are of several builds, new ones of one build: weigh these as one recording */
	bool new_is_one;
	bool no_inlines;
	bool keeps_stacks; /* for stacks */
	bool keeps_lines;  /* for comparison__find_touched(), which needs stacks, too */
	unsigned nr_threads;
};

struct compared_recording {
	char *path, *arch; /* arch: NULL: unknown */
	char *commit;      /* that the program was built of, as a label says; NULL: unknown */
	u32 side;
	double exposure;
	bool is_run, is_merged;
	bool is_varied;    /* the recorder varied the sampling period: samples are in step with nothing */
	bool lacks_inputs; /* a merged recording whose inputs are unknown */
	double nr_runs;    /* number of runs in a merged recording */
	struct sampling sampling;
	struct function_costs costs;
	struct strpool names; /* names of costs, until the recording is added */
	mode_t output_mode;   /* as of its reader */
};

struct compared { /* a function */
	const char *name, *dso;
	struct evidence_row self, total;
	enum verdict verdict;
	bool in_step; /* its samples may be in step with the program: see in_step.h */
	u32 function; /* id in names */
	u32 caller;   /* row that called it most; COMPARE_NO_ROW: none */
	u32 other;    /* row of the other name, if RENAMED */
	u32 size[2];  /* bytes of code, by side; 0: unknown */
	u64 code[2];  /* hash of the code, by side; 0: unknown */
	enum touch touch;
	const char *used; /* what it uses, for TOUCH_USES; NULL: none */
	/* rows that the change touched: one that calls this one, or that it calls; COMPARE_NO_ROW: none */
	u32 touched_caller, touched_callee;
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
	struct evidence self, total;  /* of all rows; .rows is NULL */
	struct sampling_gap sampling; /* how the sides were sampled in different ways */
	u32 nr_verdicts[NR_VERDICTS];
	const struct source_change *change; /* that may have caused it; not owned; NULL: not asked for */
	char *lacks_lines; /* why inlined functions are left out although opts.no_inlines is off, or NULL */
};

#endif
