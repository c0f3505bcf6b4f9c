/*
 * Events as text: an attr as in `perf report --header`, "type = 1, size = 128, ...", and all events as in
 * `perf evlist`, "cpu-clock: type: 1, size: 128, ...".
 */
#ifndef FORMAT_ATTR_TEXT_H
#define FORMAT_ATTR_TEXT_H

#include "event/evsel/evsel.h"
#include "event/tracepoint/trace_format.h"

/* Appends ", NAME = VALUE" for each field that is not 0. config3: attr bytes 128..135. */
void attr_text__add(const struct perf_event_attr *attr, u64 config3, struct strbuf *out);

struct evlist_text_opts {
	bool attrs;                    /* all fields of each attr that are not 0 */
	bool rates;                    /* period or frequency, unless attrs */
	bool groups;                   /* a group's names in one line: "NAME{a,b}"; nothing else of them */
	bool fields;                   /* names of the tracepoints' fields */
	struct trace_formats *formats; /* for fields; NULL: there are none */
};
/* Append a line for each event, or for each group. Names are masked. */
void evlist_text__add(const struct evlist *l, const struct evlist_text_opts *opts, struct strbuf *out);

#endif
