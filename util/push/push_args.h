/* Options of perf push for all servers. */
#ifndef PUSH_PUSH_ARGS_H
#define PUSH_PUSH_ARGS_H

#include "export/labels.h"
#include "push/http.h"

#include <string.h>

struct push_args {
	struct export_args export; /* filters and symbols; input, output, format and labels are set here */
	const char *pyroscope, *otlp, *clickhouse; /* URLs of servers; NULL: not given */
	const char *service;                       /* service name of the profiles; NULL: "perf" */
	ARRAY(char *) labels;                      /* "KEY=VALUE"; owned */
	const char *token_file; /* NULL: the environment variable PERF_PUSH_TOKEN, if it is set */
	struct http_opts http;
	bool dry_run; /* only print what would be sent */
};

enum { PUSH_KNOWN = 1 }; /* returned where the server has the recording already */

/* Return the value of --label KEY=VALUE, or NULL. */
static inline const char *push_args__label(const struct push_args *a, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < a->labels.nr; i++)
		if (!strncmp(a->labels.v[i], key, len) && a->labels.v[i][len] == '=')
			return a->labels.v[i] + len + 1;
	return NULL;
}

/*
 * Check the options, and read the token into http. Return 0 or -EINVAL, or another negative errno, with
 * err.
 */
int push_args__finalize(struct push_args *a, struct err *err);
void push_args__exit(struct push_args *a);
/*
 * Return the labels (bits 1 << LABEL_) of samples to send as far as the recording has them: those that are
 * not given for all of it.
 */
u32 push_args__more_labels(const struct push_args *a);

#endif
