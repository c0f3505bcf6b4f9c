/* The formats: each is in a file of its own. */
#ifndef EXPORT_FORMATS_H
#define EXPORT_FORMATS_H

#include "export/export_format.h"

extern const struct export_format *const export_formats[]; /* ends with NULL */

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
