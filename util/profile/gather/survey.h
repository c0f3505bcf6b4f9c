/*
 * A look over all rows before the first address is looked up: which addresses of large spaces will be asked
 * for, so that they can be found without a tree over all that was ever mapped there; and in which binaries
 * they are, so that symbols and source lines can be loaded on all cores. Changes how fast what follows is,
 * nothing else.
 */
#ifndef PROFILE_SURVEY_H
#define PROFILE_SURVEY_H

#include "model/session.h"
#include "profile/gather/rows.h"

/*
 * lines: what of source lines will be asked for, enum dwarf_wants. nr_threads: that all that is loaded by; 1:
 * it is left to whoever asks first.
 */
void survey__rows(struct session *s, const struct row_table *rows, unsigned lines, unsigned nr_threads);

#endif
