#include "profile/compare/compare_args.h"

#include "base/command/options.h"
#include "base/text/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "slower" or "slower:PERCENT" */
static int parse_slower(const char *text, double *part, struct err *err)
{
	static const char word[] = "slower";
	size_t len = strlen(word);
	double percent;

	if (!strcmp(text, word))
		return 0;
	if (strncmp(text, word, len) || text[len] != ':')
		return err__set(err, -EINVAL, "'%s' is not slower or slower:PERCENT", text);
	if (!number__parse_percent(text + len + 1, &percent))
		return err__set(err, -EINVAL, "'%s' is not a percentage such as slower:5", text);
	*part = percent / 100;
	return 0;
}

int fail_on__parse(const char *text, double *part, bool *touched, struct err *err)
{
	static const char end[] = ",touched";
	size_t len = strlen(text), end_len = strlen(end);
	bool has_end = touched && len > end_len && !strcmp(text + len - end_len, end);
	char *slower = strndup(text, has_end ? len - end_len : len);
	int ret;

	*part = 0;
	if (touched)
		*touched = has_end;
	ret = parse_slower(slower, part, err);
	free(slower);
	return ret;
}

int least_change__parse(const char *text, double *part, struct err *err)
{
	double percent = 0;
	int ret = option__parse_percent(text, &percent, err);

	if (!ret && percent > 100)
		ret = err__set(err, -EINVAL, "'%s' is more than 100%%", text);
	*part = percent / 100;
	return ret;
}
