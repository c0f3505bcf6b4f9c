/* The formats. A new one is one file and one row here. */
#include "export/export_formats.h"

const struct export_format *const export_formats[] = {
	&export_folded, &export_pprof,           &export_firefox, &export_speedscope, &export_otlp,
	&export_jsonl,  &export_linux_perf_json, &export_html,    &export_sqlite,     NULL,
};
