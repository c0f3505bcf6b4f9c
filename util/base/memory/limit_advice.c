#include "base/memory/limit_advice.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

enum { USUAL_FILES = 1024, KIB = 1024 };

static const struct limit {
	int error, resource;
	const char *name;
	unsigned unit;     /* of the number that is shown and typed */
	const char *units; /* its name */
	char letter;       /* of ulimit */
} limits[] = {
	{ -EMFILE, RLIMIT_NOFILE, "RLIMIT_NOFILE", 1, "", 'n' },
	{ -ENOMEM, RLIMIT_AS, "RLIMIT_AS", KIB, " KiB", 'v' },
	{ -ENOMEM, RLIMIT_DATA, "RLIMIT_DATA", KIB, " KiB", 'd' },
	/* A thread whose stack cannot be allocated gets this error, too. */
	{ -EAGAIN, RLIMIT_AS, "RLIMIT_AS", KIB, " KiB", 'v' },
	{ -EAGAIN, RLIMIT_NPROC, "RLIMIT_NPROC", 1, "", 'u' },
};

bool limit_advice__write(int error, char *text, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		const struct limit *l = &limits[i];
		unsigned long long now, more;
		struct rlimit r;

		if (l->error != error || getrlimit((unsigned)l->resource, &r) || r.rlim_cur == RLIM_INFINITY)
			continue;
		now = (unsigned long long)r.rlim_cur / l->unit;
		more = MAX(now * 4, (unsigned long long)USUAL_FILES);
		snprintf(text, size, "%s is %llu%s: ulimit -%c %llu%s", l->name, now, l->units, l->letter,
			 more, r.rlim_max / l->unit < more ? " (above the hard limit only as root)" : "");
		return true;
	}
	return false;
}
