/* What the files of the symbolizer share. */
#ifndef MODEL_SYMBOLIZE_PRIVATE_H
#define MODEL_SYMBOLIZE_PRIVATE_H

#include "base/text/strbuf.h"
#include "model/symbolize.h"

enum { NOT_ASKED = 1 };

/*
 * Finds the file that is the recorded one: dso->root and dso->file. Also when there is none: the debug file
 * may still be there. An error: no file of that name can be it.
 */
int symbolizer__find_file(struct symbolizer *s, struct dso *dso, struct err *err);
/* 0 and *e, NOT_ASKED, or a negative errno with err. */
int symbolizer__find_embedded(struct symbolizer *s, const struct dso *dso, const struct names_entry **e,
			      struct err *err);
/* The files that may be the kernel's image, of the recorded build. End the search with file_search__end. */
void symbolizer__search_vmlinux(const struct symbolizer *s, const struct dso *dso,
				struct file_search *search);

#endif
