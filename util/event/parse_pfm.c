/* Names of the processors' vendors, which libpfm4 knows. */
#include "event/parse_private.h"

#include <errno.h>

int parser__pfm(struct parser *ps)
{
	(void)ps;
	return -ENOENT;
}

int parse_pfm_events(struct evlist *l, const char *text, struct err *err)
{
	(void)l;
	(void)text;
	return err__set(err, -ENOTSUP, "perf was built without libpfm4 (Debian package libpfm4-dev)");
}
