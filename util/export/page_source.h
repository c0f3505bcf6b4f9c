/* Source and instructions of the hottest functions, for the page of perf report --html. */
#ifndef EXPORT_PAGE_SOURCE_H
#define EXPORT_PAGE_SOURCE_H

#include "export/export_format.h"

struct page_source {
	struct strbuf json; /* a list of functions: source lines and instructions (Documentation/page.md) */
	/*
	 * by row of the profile: number of the sample's place in the code; 0: elsewhere. Places count up from
	 * 1: each function has one for "in none of its instructions", then one for each instruction
	 */
	ARRAY(u32) place_of_row;
};

/*
 * Find the nr functions that cost most by themselves. Samples that x does not export do not count.
 */
void page_source__init(struct page_source *s, const struct export *x, unsigned nr);
void page_source__exit(struct page_source *s);

#endif
