/* perf push: send recordings, with names, to servers that keep profiles. */
#ifndef PUSH_PUSH_H
#define PUSH_PUSH_H

#include "export/export_format.h"
#include "push/http.h"

struct push_args {
	struct export_args export;    /* filters and symbols; input, output, format and labels are set here */
	const char *pyroscope, *otlp; /* URLs of servers; NULL: not given */
	const char *service;          /* what the profiles are of; NULL: "perf" */
	ARRAY(char *) labels;         /* "KEY=VALUE"; owned */
	const char *token_file;       /* NULL: the environment variable PERF_PUSH_TOKEN, if it is set */
	struct http_opts http;
	bool dry_run; /* only print what would be sent */
};

/* Send the recording at path to each server. Return 0 or a negative errno with err. */
int push__file(const struct push_args *a, const char *path, struct err *err);
/*
 * Check the options, and read the token into http. Return 0 or -EINVAL, or another negative errno, with
 * err.
 */
int push_args__settle(struct push_args *a, struct err *err);
void push_args__exit(struct push_args *a);

#endif
