/*
 * A survey of all rows before the first lookup. It collects the addresses that will be looked up in large
 * spaces, so that maps can answer them without an index of everything ever mapped there; and the binaries
 * they are in, so that symbols and source lines can be loaded on all cores. It changes speed only, not
 * results.
 */
#ifndef PROFILE_SURVEY_H
#define PROFILE_SURVEY_H

#include "model/session.h"
#include "profile/rows/rows.h"

/*
 * Survey all rows. lines: source lines that will be needed (enum dwarf_wants). nr_threads: threads that load
 * binaries; 1: load each on first use.
 */
void survey__rows(struct session *s, const struct row_table *rows, unsigned lines, unsigned nr_threads);

#endif
