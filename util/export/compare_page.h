/* A comparison as a page of web/ (Documentation/page.md): difference flame graph and table of functions. */
#ifndef EXPORT_COMPARE_PAGE_H
#define EXPORT_COMPARE_PAGE_H

#include "base/message/err.h"
#include "profile/compare/comparison.h"

/*
 * Write the page of a finished comparison, which has kept stacks. path NULL: to standard output. Return 0, or
 * a negative errno with err; then there is no file.
 */
int compare_page__write(const struct comparison *c, const char *path, struct err *err);

#endif
