/*
 * Errors of rows that all recordings of a side may share, so that more recordings do not reduce them:
 * sampling in step with the program, which functions are in a row of unknown code, and how the runs
 * of a merged recording differ.
 */
#ifndef PROFILE_DOUBTS_H
#define PROFILE_DOUBTS_H

#include "profile/compare/compared.h"

/*
 * Return, by row, a lower bound of the variance of the logarithm of its ratio, from such errors. The caller
 * frees it. rows: the row of each function of c->names. Set in_step of the rows.
 */
double *comparison__find_doubts(struct comparison *c, const u32 *rows);

#endif
