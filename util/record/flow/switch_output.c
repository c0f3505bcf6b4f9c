#include "record/flow/switch_output.h"

#include "base/message/msg.h"
#include "base/text/number.h"
#include "base/text/strbuf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct {
	char unit;
	u64 size, ms; /* size in bytes or time in ms of one unit */
} units[] = {
	{ 'B', 1, 0 },    { 'K', 1 << 10, 0 }, { 'M', 1 << 20, 0 }, { 'G', 1 << 30, 0 },
	{ 's', 0, 1000 }, { 'm', 0, 60000 },   { 'h', 0, 3600000 }, { 'd', 0, 86400000 },
};

int switch_output__parse(struct switch_output *s, const char *text, struct err *err)
{
	const u64 max = (u64)1 << 50; /* limit, so that no product or time overflows */
	const char *unit = text;
	u64 n = 0;

	*s = (struct switch_output){ .is_on = true, .max_files = s->max_files };
	if (!strcmp(text, "signal"))
		return 0;
	number__take(&unit, max, &n);
	for (size_t i = 0; n && i < ARRAY_SIZE(units); i++) {
		if (*unit != units[i].unit || unit[1] || n > max / (units[i].size + units[i].ms))
			continue;
		s->size = n * units[i].size;
		s->ms = n * units[i].ms;
		return 0;
	}
	s->is_on = false;
	return err__set(err, -EINVAL,
			"'%s' is neither 'signal' nor a size such as 100M, nor a time such as 5m", text);
}

/* ---- files ---- */

/* Return the time of day, in hundredths of a second since 1970. */
static u64 now_in_hundredths(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (u64)now.tv_sec * 100 + (u64)now.tv_nsec / 10000000;
}

static char *stamped_name(const char *path, u64 hundredths)
{
	time_t seconds = (time_t)(hundredths / 100);
	char stamp[32];
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm);
	return xasprintf("%s.%s%02u", path, stamp, (unsigned)(hundredths % 100));
}

char *stamped_path(const char *path)
{
	return stamped_name(path, now_in_hundredths());
}

int left_files__add(struct left_files *f, const char *path, struct err *err)
{
	u64 hundredths = MAX(now_in_hundredths(), f->last + 1); /* in order, also after removed files */
	char *name = stamped_name(path, hundredths);
	while (!access(name, F_OK)) {
		free(name);
		name = stamped_name(path, ++hundredths);
	}
	if (rename(path, name)) {
		err__set(err, -errno, "cannot rename '%s' to '%s': %s", path, name, strerror(errno));
		free(name);
		return -errno;
	}
	array__add(&f->names, name);
	f->last = hundredths;
	if (!f->max || f->names.nr <= f->max)
		return 0;
	if (unlink(f->names.v[0]) && errno != ENOENT)
		warning("cannot remove '%s': %s", f->names.v[0], strerror(errno));
	free(f->names.v[0]);
	memmove(f->names.v, f->names.v + 1, --f->names.nr * sizeof(f->names.v[0]));
	return 0;
}

const char *left_files__last(const struct left_files *f)
{
	return f->names.nr ? f->names.v[f->names.nr - 1] : NULL;
}

void left_files__exit(struct left_files *f)
{
	for (size_t i = 0; i < f->names.nr; i++)
		free(f->names.v[i]);
	array__exit(&f->names);
}
