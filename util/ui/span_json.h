/* The table of spans (report --span) in JSON: Documentation/report-schema.json. */
#ifndef UI_SPAN_JSON_H
#define UI_SPAN_JSON_H

#include "profile/causes/durations.h"
#include "profile/causes/span_table.h"

/* Append the members of an object, without its brackets. m: of the recording. */
void span_json__add(const struct span_table *t, const struct machine *m, struct strbuf *sb);
/* Append a limit of --fail-on, an object. */
void span_json__add_limit(const struct duration_limit *l, const struct limit_check *c, struct strbuf *sb);

#endif
