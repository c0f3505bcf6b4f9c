#include "profile/compare/doubts.h"

#include "base/memory/mem.h"
#include "profile/compare/in_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- in step ---- */

#define LOCKED 0.75 /* from this part of equal distances between visits on, a clock begins the rounds */
#define MISSED 0.7  /* a side with less than this part of the other side's samples may have missed visits */
#define MOST 0.5    /* from this part of samples in functions in step on, all functions may be in step */

/* May samples of the recording be in step with the program, and does it have their order? */
static bool has_steps(const struct compared_recording *r)
{
	return !r->is_varied && !r->is_merged;
}

/* Mark the rows that may be in step. by_row: counts of both sides. */
static void comparison__mark_in_step(struct comparison *c, const struct step_counts (*by_row)[2])
{
	double in_step = 0, all = 0;

	for (size_t i = 0; i < c->rows.nr; i++) {
		struct step_counts both = by_row[i][0];

		step_counts__add(&both, &by_row[i][1]);
		c->rows.v[i].in_step = step_counts__show_rhythm(&both);
		in_step += c->rows.v[i].in_step ? both.samples : 0;
		all += both.samples;
	}
	/* the program has a rhythm; rows with few samples do not show it */
	for (size_t i = 0; i < c->rows.nr && in_step > MOST * all; i++)
		c->rows.v[i].in_step = by_row[i][0].samples + by_row[i][1].samples > 0;
}

/*
 * Does a clock begin the rounds of the program? Then visits of all functions come at equal distances, for as
 * long as it runs. Each recording has one error.
 */
static bool is_locked(const struct step_counts (*by_row)[2], size_t nr_rows)
{
	double repeats = 0, distances = 0;

	for (size_t i = 0; i < nr_rows; i++)
		for (u32 s = 0; s < 2; s++) {
			double most = 0;

			for (u32 k = 0; k < STEP_REPEATS; k++)
				most = MAX(most, by_row[i][s].repeats[k]);
			repeats += most;
			distances += by_row[i][s].distances;
		}
	return repeats > LOCKED * distances;
}

/* Return the variance of the logarithm of a row's ratio. nr: by side, recordings that may be in step. */
static double doubt_of_steps(const struct comparison *c, const struct step_counts sides[2],
			     const double nr[2], bool locked)
{
	double sum = 0;

	for (u32 s = 0; s < 2; s++) {
		double part = nr[s] / c->nr[s], one = sides[s].samples / MAX(nr[s], 1.0);
		double other = sides[!s].samples / MAX(nr[!s], 1.0), v;

		v = step_counts__variance(&sides[s], MAX(nr[s], 1.0));
		/* one side may meet the function in all rounds, the other in none */
		if (locked && MIN(one, other) < MISSED * MAX(one, other))
			v = MAX(v, 1.0);
		sum += part * part * v;
	}
	return sum;
}

static void comparison__doubt_steps(struct comparison *c, const u32 *rows, double *doubts)
{
	struct step_counts(*by_row)[2] = xcalloc(c->rows.nr + 1, sizeof(*by_row));
	double nr[2] = { 0 };
	bool locked;

	for (size_t r = 0; r < c->recordings.nr; r++) {
		const struct compared_recording *rec = &c->recordings.v[r];

		if (!has_steps(rec))
			continue;
		nr[rec->side]++;
		for (size_t i = 0; i < rec->costs.rows.nr; i++)
			step_counts__add(&by_row[rows[rec->costs.rows.v[i].function]][rec->side],
					 &rec->costs.rows.v[i].steps);
	}
	comparison__mark_in_step(c, (const struct step_counts(*)[2])by_row);
	locked = is_locked((const struct step_counts(*)[2])by_row, c->rows.nr);
	for (size_t i = 0; i < c->rows.nr; i++)
		if (c->rows.v[i].in_step)
			doubts[i] += doubt_of_steps(c, by_row[i], nr, locked);
	free(by_row);
}

/* ---- unknown code ---- */

/*
 * Functions without names are found in another build by their code if they have samples enough on both sides;
 * the others are one row. If one side has far fewer samples, functions that happen to have few there join
 * that row, and it looks cheaper. Each function that may or may not join it makes an error of about one
 * sample.
 */
#define ERROR_OF_ONE 1.25
enum { LEAST_LIKELY = 3, MOST_LIKELY = 25 }; /* samples of a function that may have too few by chance */

static bool is_unknown_of(const struct comparison *c, u32 function)
{
	const char *dso = strchr(strpool__get(&c->names, function), '\t');

	return dso && strchr(dso + 1, '\t');
}

/* Were functions of a binary, as c->names has it, found by their code in another build? */
static bool *comparison__find_coded(const struct comparison *c, const u32 *rows)
{
	bool *coded = xcalloc(c->rows.nr + 1, sizeof(*coded)), any = false;

	for (size_t i = 0; i < c->rows.nr; i++) {
		const struct compared *row = &c->rows.v[i];

		any |= row->code[0] && row->code[0] == row->code[1] && is_unknown_of(c, row->function);
	}
	for (size_t r = 0; r < c->recordings.nr && any; r++)
		for (size_t i = 0; i < c->recordings.v[r].costs.rows.nr; i++) {
			u32 function = c->recordings.v[r].costs.rows.v[i].function, row = rows[function];

			/* a function without a name in a row of another name */
			coded[row] |= is_unknown_of(c, function) &&
				      !is_unknown_of(c, c->rows.v[row].function) &&
				      !strncmp(strpool__get(&c->names, c->rows.v[row].function),
					       UNKNOWN_FUNCTION "\t", sizeof(UNKNOWN_FUNCTION));
		}
	return coded;
}

static double cost_sum__samples(const struct cost_sum *s)
{
	double sum = 0;

	for (u32 b = 0; b < EVIDENCE_BLOCKS; b++)
		sum += s->blocks[b];
	return s->squares > 0 ? sum * sum / s->squares : 0;
}

static void comparison__doubt_unknown(const struct comparison *c, const u32 *rows, double *doubts)
{
	bool *coded = comparison__find_coded(c, rows);
	double *by_function = xcalloc(2 * (c->names.strings.nr + 1), sizeof(*by_function));
	double *samples = xcalloc(2 * (c->rows.nr + 1), sizeof(*samples)), all[2] = { 0 };
	double *errors = xcalloc(c->rows.nr + 1, sizeof(*errors));
	u32 less;

	for (size_t r = 0; r < c->recordings.nr; r++) {
		const struct compared_recording *rec = &c->recordings.v[r];

		all[rec->side] += (double)rec->costs.nr_samples;
		for (size_t i = 0; i < rec->costs.rows.nr; i++) {
			u32 function = rec->costs.rows.v[i].function;
			double n = coded[rows[function]] ? cost_sum__samples(&rec->costs.rows.v[i].self) : 0;

			by_function[2 * function + rec->side] += n;
			samples[2 * rows[function] + rec->side] += n;
		}
	}
	less = all[1] < all[0];
	for (u32 i = 0; i < c->names.strings.nr; i++)
		for (u32 s = 0; s < 2; s++) {
			double n = by_function[2 * i + s] * all[less] / all[s];

			if (n >= LEAST_LIKELY && n <= MOST_LIKELY)
				errors[rows[i]] += ERROR_OF_ONE * (1 - all[less] / all[!less]);
		}
	for (size_t i = 0; i < c->rows.nr; i++)
		if (errors[i] > 0)
			doubts[i] += pow(errors[i] / MAX(samples[2 * i + less], 1.0), 2);
	free(coded);
	free(by_function);
	free(samples);
	free(errors);
}

/* ---- merged recordings ---- */

#define RUN_NOISE 0.05 /* relative standard deviation of a function's cost between two runs of one program */

/*
 * Return the doubt from merging. Merged samples have no times, and one recording a side does not show how its
 * runs differ.
 */
static double doubt_of_merging(const struct comparison *c)
{
	double sum = 0;

	if (c->nr[0] > 1 || c->nr[1] > 1)
		return 0;
	for (size_t r = 0; r < c->recordings.nr; r++)
		if (c->recordings.v[r].is_merged)
			sum += RUN_NOISE * RUN_NOISE / MAX(c->recordings.v[r].nr_runs, 1.0);
	return sum;
}

double *comparison__find_doubts(struct comparison *c, const u32 *rows)
{
	double *doubts = xcalloc(c->rows.nr + 1, sizeof(*doubts)), merging = doubt_of_merging(c);

	comparison__doubt_steps(c, rows, doubts);
	comparison__doubt_unknown(c, rows, doubts);
	for (size_t i = 0; i < c->rows.nr; i++)
		doubts[i] += merging;
	return doubts;
}
