/*
 * Merged recordings (perf merge). The weight of a sample (PERF_SAMPLE_WEIGHT) is the number of samples that
 * it stands for: the attrs say so, which are in front of the records, also in a pipe. A file's
 * EXTENSION_MERGED lists the inputs: a line with the sum of the durations in ns, and one for each recording.
 */
#ifndef FORMAT_MERGED_INPUTS_H
#define FORMAT_MERGED_INPUTS_H

#include "format/read/reader.h"

struct merged_inputs {
	u64 duration;        /* ns, the sum of all */
	ARRAY(char *) lines; /* sorted; masked */
	struct strbuf text;
};

/* Append a line without its end: number of samples, host and command. host NULL: unknown. */
void merged_inputs__add_line(struct strbuf *line, const char *host, u64 nr_samples, const struct reader *r);
/* Is a recording with these events merged? */
bool evlist__is_merged(const struct evlist *l);
/* Return 0, or -ENOENT: r is not merged, or the end of the file is missing, or it came through a pipe. */
int merged_inputs__read(struct merged_inputs *m, const struct reader *r);
void merged_inputs__exit(struct merged_inputs *m);

#endif
