/* Names that exports leave out, because their files may leave the machine. */
#ifndef EXPORT_REDACT_H
#define EXPORT_REDACT_H

#include "base/message/err.h"

#include <regex.h>

struct redaction {
	regex_t names; /* if is_on */
	bool is_on;
};

/* Compile pattern, an extended regular expression, or NULL for no name. Return 0, or -EINVAL with err. */
int redaction__init(struct redaction *r, const char *pattern, struct err *err);
void redaction__exit(struct redaction *r);

/* Return a name, or what stands for it; NULL for NULL. */
static inline const char *redaction__shown(const struct redaction *r, const char *name)
{
	return name && r->is_on && !regexec(&r->names, name, 0, NULL, 0) ? "[redacted]" : name;
}

#endif
