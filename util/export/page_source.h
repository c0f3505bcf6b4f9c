/* Source and instructions of the hottest functions, for the page of perf report --html. */
#ifndef EXPORT_PAGE_SOURCE_H
#define EXPORT_PAGE_SOURCE_H

#include "export/export_format.h"

/*
 * Append to json an array with the nr functions that cost most by themselves: for each its name, its source
 * lines and its instructions with what they cost (Documentation/page.md). Samples that x does not export do
 * not count.
 */
void page_source__add_json(const struct export *x, unsigned nr, struct strbuf *json);

#endif
