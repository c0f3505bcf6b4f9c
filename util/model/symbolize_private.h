/* Shared by the files of the symbolizer. */
#ifndef MODEL_SYMBOLIZE_PRIVATE_H
#define MODEL_SYMBOLIZE_PRIVATE_H

#include "base/text/strbuf.h"
#include "model/symbolize.h"

enum { NOT_ASKED = 1 };

/* Find what the recording stores of the dso. Return 0 and *e, NOT_ASKED, or a negative errno with err. */
int symbolizer__find_embedded(struct symbolizer *s, const struct dso *dso, const struct names_entry **e,
			      struct err *err);
/* Start a search for kernel images of the recorded build. End it with file_search__end. */
void symbolizer__search_vmlinux(const struct symbolizer *s, const struct dso *dso,
				struct file_search *search);

/* Get this process's vdso if it is the recorded one. Return 0 or a negative errno with err. */
int symbolizer__find_vdso(const struct symbolizer *s, const struct dso *dso, const void **image, size_t *size,
			  struct err *err);
/* Load the dso's symbols, once; if there are none, dso->load_reason has the reason. Thread-safe. */
void symbolizer__load(struct symbolizer *s, struct dso *dso);
/* Does the symbolizer give back the tables of the dso, and keep what was looked up? */
bool symbolizer__keeps(const struct symbolizer *s, const struct dso *dso);
/* Is the running kernel the recorded one, as far as known? Return 0 or a negative errno with err. */
int symbolizer__check_running_kernel(const struct symbolizer *s, struct err *err);
/* Return the first map recorded for a module, or NULL. */
const struct map *symbolizer__module_map(const struct symbolizer *s, const struct dso *dso);

#endif
