/*
 * A look over all rows before the first address is looked up: which addresses of large spaces will be asked
 * for, so that they can be found without a tree over all that was ever mapped there; and in which binaries
 * they are, so that symbols can be loaded on all cores. Changes how fast what follows is, nothing else.
 */
#ifndef PROFILE_SURVEY_H
#define PROFILE_SURVEY_H

#include "model/session.h"
#include "profile/rows.h"

/* nr_threads: that symbols are loaded by; 1: they are left to whoever asks for them first. */
void survey__rows(struct session *s, const struct row_table *rows, unsigned nr_threads);

#endif
