/* perf diff --markdown: the comparison as one table, for a comment on a change (GitHub, GitLab). */
#ifndef UI_DIFF_MARKDOWN_H
#define UI_DIFF_MARKDOWN_H

#include "profile/compare/comparison.h"

#include <stdio.h>

enum { DIFF_MARKDOWN_ROWS = 20 }; /* more are in a command below the table */

/* Print it. full_names: names of functions are not folded. Long names are shortened anyway. */
void diff_markdown__print(const struct comparison *c, bool full_names, FILE *out);

#endif
