#include "format/records/clock_pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

void clock_pairs__write(const struct clock_pairs *p, struct strbuf *out)
{
	strbuf__addf(out, "begin %llu %llu\n", (ull)p->begin.recording, (ull)p->begin.monotonic);
	strbuf__addf(out, "end %llu %llu\n", (ull)p->end.recording, (ull)p->end.monotonic);
}

/* Parse a line "WORD NUMBER NUMBER" at *text, and move *text past it. */
static int read_line(const char **text, const char *word, struct clock_pair *pair)
{
	u64 *numbers[] = { &pair->recording, &pair->monotonic };
	size_t len = strlen(word);

	if (strncmp(*text, word, len) != 0)
		return -EBADMSG;
	*text += len;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		char *end;

		if (**text != ' ' || (*text)[1] < '0' || (*text)[1] > '9')
			return -EBADMSG;
		errno = 0;
		*numbers[i] = strtoull(*text + 1, &end, 10);
		if (errno)
			return -EBADMSG;
		*text = end;
	}
	return *(*text)++ == '\n' ? 0 : -EBADMSG;
}

int clock_pairs__read(struct clock_pairs *p, const char *text, size_t size)
{
	enum { TEXT_MAX = 128 };
	char copy[TEXT_MAX + 1];
	const char *next = copy;
	int ret;

	*p = (struct clock_pairs){ 0 };
	if (size > TEXT_MAX)
		return -EBADMSG;
	memcpy(copy, text, size);
	copy[size] = '\0';
	ret = read_line(&next, "begin", &p->begin);
	if (!ret)
		ret = read_line(&next, "end", &p->end);
	if (!ret && (next != copy + size || p->end.monotonic < p->begin.monotonic))
		ret = -EBADMSG;
	return ret;
}

u64 clock_pairs__to_recording(const struct clock_pairs *p, u64 monotonic)
{
	u64 begin = p->begin.recording - p->begin.monotonic, end = p->end.recording - p->end.monotonic;
	u64 span = p->end.monotonic - p->begin.monotonic;
	double share;

	if (monotonic <= p->begin.monotonic)
		return monotonic + begin;
	if (monotonic >= p->end.monotonic)
		return monotonic + end;
	share = (double)(monotonic - p->begin.monotonic) / (double)span;
	if (share >= 1) /* rounded: the product might not fit into an integer */
		return monotonic + end;
	return monotonic + begin + (u64)(s64)(share * (double)(s64)(end - begin));
}
