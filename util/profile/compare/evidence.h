/*
 * The statistics of perf diff, without recordings: do counts of samples show a change? Rows (functions) have
 * weights in each block of time of each recording; the result is a verdict for each row.
 * Documentation/comparison.md derives the method.
 */
#ifndef PROFILE_EVIDENCE_H
#define PROFILE_EVIDENCE_H

#include "base/memory/types.h"

enum {
	EVIDENCE_BLOCKS = 32,      /* blocks of equal time of each recording */
	EVIDENCE_MIN_SAMPLES = 20, /* rows with fewer on both sides together are not tested */
};

enum verdict {
	VERDICT_FEW,     /* too few samples for a test */
	VERDICT_UNKNOWN, /* cannot tell */
	VERDICT_SAME,    /* any change is smaller than what is of interest */
	VERDICT_FASTER,
	VERDICT_SLOWER,
	VERDICT_GONE,
	VERDICT_NEW,
	VERDICT_MOVED, /* the caller sets the last two: it knows callers and names */
	VERDICT_RENAMED,
	NR_VERDICTS,
};

struct evidence_input {
	u32 nr_rows;
	u32 nr[2];              /* recordings of each side, old and new; the old ones come first */
	const double *exposure; /* by recording: units of work, such as runs */
	/*
	 * weights: sum of the samples' periods, by row, recording and block; squares: sum of the squares of
	 * these periods, by row and recording
	 */
	const double *weights, *squares;
	/*
	 * by row: lower bound of the variance of log(change), or NULL. More recordings do not reduce it, as
	 * all recordings of a side may have the same error
	 */
	const double *doubts;
	double work_noise; /* relative standard deviation of the work between two recordings */
	/*
	 * result for other rows of the same recordings, which gives the common change; NULL: find it in these
	 * rows
	 */
	const struct evidence *others;
	double least_row,
		least_total; /* smallest change of interest, of the row and of the total cost; 0.05: 5% */
};

struct evidence_row {
	double samples[2]; /* effective number of samples, by side */
	double cost[2];    /* weight for each unit of work */
	double change;     /* new cost / old cost, without the change that all rows share */
	double low, high;  /* its 95% interval */
	double log_error;  /* standard error of log(change) */
	double df;         /* degrees of freedom of that */
	double dispersion; /* variance of the counts / that of independent samples */
	double doubt;      /* lower bound of the variance of log(change) */
	double interest;   /* log of the smallest change of interest */
	double p;          /* p-value of "no change" */
	double finds;      /* log of the smallest change that these samples would show with 80% power */
	/*
	 * factor by which the samples must grow to show the smallest change of interest with 80% power, or a
	 * change as large as the near edge of the interval, if that is larger
	 */
	double needs;
	bool is_burst; /* one recording a side, and the row's samples fill few blocks of time */
	enum verdict verdict;
};

struct evidence {
	struct evidence_row *rows;
	double total[2];              /* cost, by side */
	double total_low, total_high; /* 95% interval of new / old; NAN: one recording cannot tell */
	double common, common_low, common_high; /* change that all rows share (new / old), its interval */
	double common_error;                    /* standard error of log(common) */
	double alpha;                           /* p-values up to here are changes: 5% of these are wrong */
};

/* Weigh the evidence. The caller frees e->rows with evidence__exit(). */
void evidence__weigh(struct evidence *e, const struct evidence_input *in);
void evidence__exit(struct evidence *e);
/* Return the probability that a change of this ratio of the row is found. */
double evidence_row__power(const struct evidence *e, const struct evidence_row *row, double ratio);
/* Is the verdict that the row changed? */
bool verdict__is_change(enum verdict v);

#endif
