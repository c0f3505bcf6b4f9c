/* Why slow spans are slow (report --span --why) in JSON: Documentation/report-schema.json. */
#ifndef UI_WHY_JSON_H
#define UI_WHY_JSON_H

#include "profile/causes/span_why.h"

/* Append an object. */
void why_json__add(struct span_why *w, struct strbuf *sb);

#endif
