/*
 * The browser's stack of filters. Filters by name need no reading: the view counts its folds again. Filters
 * by thread, CPU and time need another pass over the samples, because splitting rows by thread takes half as
 * long again, and few users ask for it.
 */
#ifndef BROWSER_ZOOM_H
#define BROWSER_ZOOM_H

#include "profile/keys/sample_filter.h"
#include "ui/report_args.h"

enum zoom_kind {
	ZOOM_COMM,
	ZOOM_PID,
	ZOOM_TID,
	ZOOM_DSO,
	ZOOM_SYMBOL,
	ZOOM_STACKS,
	ZOOM_CPU,
	ZOOM_SOCKET,
	ZOOM_LOCK,
	ZOOM_TIME
};

struct zoom {
	enum zoom_kind kind;
	char *text;            /* as its option takes it */
	struct time_span span; /* of ZOOM_TIME */
};

struct zooms {
	ARRAY(struct zoom) v;
	struct sample_filter filter; /* of those that need no reading */
};

void zooms__exit(struct zooms *z);
/* Add a filter. It replaces the last one of the same kind, except that times intersect. */
void zooms__push(struct zooms *z, enum zoom_kind kind, const char *text);
void zooms__push_stacks(struct zooms *z, const char *function); /* stacks that have it */
void zooms__push_time(struct zooms *z, u64 start, u64 end);     /* ns, both inclusive */
/* Take the last one away. Return its kind, or -1 if there is none. */
int zooms__pop(struct zooms *z);
bool zoom_kind__needs_reading(enum zoom_kind kind);
/* Return the filter for view__recount, or NULL if there is nothing to filter by. */
const struct sample_filter *zooms__filter(struct zooms *z);
/*
 * Return the regular expression for the names of functions that stacks must have (-p with -x), or NULL.
 */
const char *zooms__stacks(const struct zooms *z);
/* Is there a filter by binary, function or stacks? Views of threads and time count all code. */
bool zooms__choose_code(const struct zooms *z);
/* Set the options of those that need reading, but for times. */
void zooms__set_args(const struct zooms *z, struct sample_args *a);
/* Append a description of the filters. */
void zooms__describe(const struct zooms *z, struct strbuf *sb);
/* Append the same as options of perf report. */
void zooms__add_options(const struct zooms *z, struct strbuf *sb);

#endif
