/* Why slow spans are slow (report --span --why) as text. */
#ifndef UI_WHY_TABLE_H
#define UI_WHY_TABLE_H

#include "profile/causes/span_why.h"

#include <stdbool.h>

/*
 * Append the answer, and a table of what slow spans have more of. name: of the spans, if there are others;
 * else NULL. quiet: no notes.
 */
void why_table__add(struct span_why *w, const char *name, bool quiet, struct strbuf *sb);

#endif
