/* The steps of view__build, in their order. */
#ifndef PROFILE_HISTS_PRIVATE_H
#define PROFILE_HISTS_PRIVATE_H

#include "profile/hists/hists.h"

void view__fold_rows(struct view *v);   /* profile->rows -> folds */
void view__add_entries(struct view *v); /* folds -> entries and their totals */
void view__list_paths(struct view *v);  /* folds -> paths */
/* hierarchy.c: put the sums of each level between the sorted entries, which become its leaves */
void hists__make_hierarchy(struct hists *h, struct view *v);

#endif
