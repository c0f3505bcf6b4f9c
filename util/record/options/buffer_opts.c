#include "record/options/buffer_opts.h"

#include "format/file/zstd.h"
#include "record/host/affinity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int compression__parse(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	int *compression = opt->value;
	char *end;
	long level;

	*compression = 0;
	if (unset)
		return 0;
	level = strtol(arg, &end, 10);
	if (*end || *arg < '0' || *arg > '9')
		return err__set(err, -EINVAL,
				"'%s' is not a compression level: 1 (fast) to %d (small), or 0 for none", arg,
				ZSTD_LEVEL_MAX);
	*compression = (int)MIN(level, (long)ZSTD_LEVEL_MAX);
	return 0;
}

int write_buffer__parse(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	u64 *bytes = opt->value;
	bool has_unit;

	*bytes = WRITE_BUFFER_DEFAULT;
	if (!unset && (option__parse_size(arg, bytes, &has_unit) || *bytes < WRITE_BUFFER_MIN))
		return err__set(err, -EINVAL, "'%s' is not a size such as 256M; the least is %uM", arg,
				WRITE_BUFFER_MIN >> 20);
	return 0;
}

int aio__parse(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	(void)opt;
	if (!unset && (arg[strspn(arg, "0123456789")] || !*arg))
		return err__set(err, -EINVAL, "'%s' is not a number of blocks", arg);
	return 0;
}

int mmap_flush__parse(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	u64 *bytes = opt->value;
	bool has_unit;

	*bytes = 0;
	if (!unset && option__parse_size(arg, bytes, &has_unit))
		return err__set(err, -EINVAL, "'%s' is not a size such as 64K", arg);
	return 0;
}

int affinity__parse_option(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	return affinity__parse(opt->value, unset ? "sys" : arg, err);
}
