/*
 * What a merged recording (perf merge) was made of: EXTENSION_MERGED, a line with the
 * sum of their durations in ns, and one for each recording. In such a
 * file the weight of a sample (PERF_SAMPLE_WEIGHT) is the number of samples that it stands for.
 */
#ifndef FORMAT_MERGED_INPUTS_H
#define FORMAT_MERGED_INPUTS_H

#include "format/read/reader.h"

struct merged_inputs {
	u64 duration;        /* ns, the sum of all */
	ARRAY(char *) lines; /* sorted; masked */
	struct strbuf text;
};

/* Append a line without its end: how many samples of which host and command. host: NULL: unknown. */
void merged_inputs__add_line(struct strbuf *line, const char *host, u64 nr_samples, const struct reader *r);
/* Return 0, or -ENOENT: r is not merged. */
int merged_inputs__read(struct merged_inputs *m, const struct reader *r);
void merged_inputs__exit(struct merged_inputs *m);

#endif
