#include "export/redact.h"

#include <errno.h>

int redaction__init(struct redaction *r, const char *pattern, struct err *err)
{
	r->is_on = pattern && !regcomp(&r->names, pattern, REG_EXTENDED | REG_NOSUB);
	if (pattern && !r->is_on)
		return err__set(err, -EINVAL, "--redact '%s' is not a regular expression", pattern);
	return 0;
}

void redaction__exit(struct redaction *r)
{
	if (r->is_on)
		regfree(&r->names);
}
