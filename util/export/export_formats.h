/* The formats: each is in a file of its own. */
#ifndef EXPORT_FORMATS_H
#define EXPORT_FORMATS_H

#include "export/export_format.h"

extern const struct export_format *const export_formats[]; /* ends with NULL */
/* Append the names of the formats, with their suffixes. */
void export_formats__list(struct strbuf *out);
/* Does the output's name (NULL: standard output) say that it is packed with gzip? */
bool export__is_packed(const char *output);
/* Choose the format by its name, or by the suffix of the output. Return 0, or -EINVAL with err. */
int export_format__choose(const struct export_args *a, const struct export_format **format, struct err *err);

extern const struct export_format export_folded;          /* stackcollapse-perf.pl's lines */
extern const struct export_format export_pprof;           /* profile.proto */
extern const struct export_format export_firefox;         /* processed format 60 of Firefox Profiler */
extern const struct export_format export_speedscope;      /* its own JSON */
extern const struct export_format export_otlp;            /* OpenTelemetry's profiles */
extern const struct export_format export_linux_perf_json; /* stock's data convert --to-json */
extern const struct export_format export_jsonl;           /* an object for each sample */
extern const struct export_format export_sqlite;          /* tables of a database */
extern const struct export_format export_html;            /* a page with views of its own */

#endif
