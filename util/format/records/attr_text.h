/* An event's attr as text: "type = 1, size = 128, { sample_period, sample_freq } = 4000, ...". */
#ifndef FORMAT_ATTR_TEXT_H
#define FORMAT_ATTR_TEXT_H

#include "base/text/strbuf.h"

#include <linux/perf_event.h>

/* Appends ", NAME = VALUE" for each field that is not 0. config3: attr bytes 128..135. */
void attr_text__add(const struct perf_event_attr *attr, u64 config3, struct strbuf *out);

#endif
