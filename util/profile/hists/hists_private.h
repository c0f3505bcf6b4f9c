/* The steps of view__build, in their order. */
#ifndef PROFILE_HISTS_PRIVATE_H
#define PROFILE_HISTS_PRIVATE_H

#include "profile/hists/hists.h"

void view__fold_rows(struct view *v); /* profile->rows -> folds, added to those that are there */
/* Filters that apply to the place of the sample when rows are branches, as in stock perf. */
enum { FILTERS_OF_BRANCH_SAMPLE = HIST_FILTER_DSO | HIST_FILTER_SYMBOL };
/* Does any filter concern places? */
bool view__filters_places(const struct view *v);
/* Return the filters that exclude a place. Cached: this is called for each sample and each caller. */
u8 view__place_filters(struct view *v, u32 place);
/*
 * code_blocks.c: return the place of a block's end; set data to that of its address; note where it begins
 */
u32 view__find_block(struct view *v, const struct row *row, u32 *data);
/* Note the cycles of a row that counts. data: from view__find_block(). */
void view__count_cycles(struct view *v, u32 data, const struct row *row);
/* Is the block in a known function? Others are not shown. */
bool entry__has_block(const struct view *v, const struct hist_entry *e);
/* entries.c */
void view__filter_kinds(struct view *v);           /* v->zoom: filter -> kinds */
void view__add_entries(struct view *v);            /* folds -> entries and their totals */
void view__list_paths(struct view *v);             /* folds -> paths */
void hists__sort(struct hists *h, struct view *v); /* entry_order.c */
/* Make the tree of trees->paths, whose places are in numbers, as call_trees__make does. */
const struct call_node *view__make_tree(struct view *v, const struct numbers *numbers, u64 min_period,
					bool by_place, struct call_trees *trees);
typedef ARRAY(struct path_ref) path_refs;
/*
 * Append the chains that count for an entry of h, each with where on it the outermost place of the entry
 * is; self: those whose leaf is in the entry, and where the leaf is. e NULL: those of all samples that are
 * shown, with their outermost place.
 */
void view__find_paths(struct view *v, const struct hists *h, const struct hist_entry *e, bool self,
		      path_refs *paths);
enum { PART_WIDTH = 7 }; /* of a part of a divided column */
/* hists.c: return zeroed parts for an entry, or NULL if no column is divided. */
u64 *hists__new_parts(const struct hists *h, struct view *v);
/* hierarchy.c: put the sums of each level between the sorted entries, which become its leaves */
void hists__make_hierarchy(struct hists *h, struct view *v);

/* ---- columns.c ---- */

enum { NODIGIT_MAX = 1 << 8 };

/* Return the entry's thread name with "<N>" for each number in it. */
const char *view__comm_nodigit(const struct view *v, const struct hist_entry *e, char text[NODIGIT_MAX]);
/* Return the name of the entry's process; valid until the next call with buf. */
const char *view__leader_comm(const struct view *v, const struct hist_entry *e, char buf[16]);
/* Return the instructions per cycle of an entry's function, or NULL if they are not known. */
const struct function_ipc *hist_entry__ipc(const struct view *v, const struct hist_entry *e);
/* Return how much of all periods a part of a divided column has, in per cent. */
double cell__part_percent(const struct cell *c, u32 member, u32 part);
/* Return the address of the line of the cache that an entry's data is in: in the binary, or in memory. */
u64 view__cacheline(const struct column *c, const struct view *v, const struct hist_entry *e);

#endif
