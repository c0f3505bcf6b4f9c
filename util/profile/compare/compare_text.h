/* Numbers and sentences of a comparison, for all its views. Names are masked, and code in Markdown. */
#ifndef PROFILE_COMPARE_TEXT_H
#define PROFILE_COMPARE_TEXT_H

#include "base/text/strbuf.h"
#include "profile/compare/comparison.h"
#include "profile/keys/column.h"

/* Return the verdict in words, such as "slower". */
const char *verdict__name(enum verdict v);
/* Has a side more than one recording? */
bool comparison__has_replicates(const struct comparison *c);
/* Is any recording merged? A merged recording does not tell how its runs vary. */
bool comparison__has_merged(const struct comparison *c);

/*
 * Does a short list show the row? Call it for rows in their order; *nr_unknown begins with 0, and counts the
 * listed rows with "cannot tell".
 */
bool comparison__lists(const struct comparison *c, const struct compared *row, u32 *nr_unknown);

/* Has the row a change and an interval? Not if there are too few samples. */
bool evidence_row__is_tested(const struct evidence_row *row);
/*
 * Return the new cost / the old one, including the change that all functions share; infinite without an old
 * cost.
 */
double evidence_row__plain(const struct evidence_row *row);
/* Do all functions share a change that is large enough to report? Then changes of rows exclude it. */
bool comparison__shares_change(const struct comparison *c);
/* Append what the columns of changes mean, if they differ. */
void compare_text__add_plain(struct strbuf *sb, const struct comparison *c);
/* Append a cost with three or four digits and its unit. */
void compare_text__add_cost(struct strbuf *sb, const struct comparison *c, double cost);
/* Append a ratio of costs as a change in per cent; large ones as a factor. */
void compare_text__add_change(struct strbuf *sb, double ratio);
/* Append the 95% interval of a change. */
void compare_text__add_interval(struct strbuf *sb, const struct evidence_row *row);
/* Append the name of a function, or that of its binary for code without a name. */
void compare_text__add_function(struct strbuf *sb, const struct compared *row,
				const struct cell_style *style);
/* Append what follows the name, if anything: the other name, or which recordings would decide. */
void compare_text__add_remark(struct strbuf *sb, const struct comparison *c, const struct compared *row,
			      const struct cell_style *style, bool is_short);

/* Append "OLD -> NEW". */
void compare_text__add_recordings(struct strbuf *sb, const struct comparison *c,
				  const struct cell_style *style);
/* Append the cost of all functions for a unit of work, and its change. */
void compare_text__add_total(struct strbuf *sb, const struct comparison *c, const struct cell_style *style);
/* Append which functions changed most, and what all others have in common. */
void compare_text__add_changes(struct strbuf *sb, const struct comparison *c, const struct cell_style *style);
/* Append how many functions are not listed, and why. nr_unknown: from comparison__lists(). */
void compare_text__add_rest(struct strbuf *sb, const struct comparison *c, u32 nr_unknown);

/*
 * Append that two recordings are of different architectures, if they are. arch: NULL: not known.
 */
void compare_text__add_machines(struct strbuf *sb, const char *path, const char *arch, const char *other_path,
				const char *other_arch);
/*
 * Append warning number i (0, 1, ...) about what may make functions look changed, or nothing if it does not
 * apply. Return false if there is no such number.
 */
bool compare_text__add_warning(struct strbuf *sb, const struct comparison *c, u32 i);

#endif
