#include "unwind/unwind_stats.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { CULPRITS_MAX = 256, CULPRITS_SHOWN = 3 };

static const struct {
	const char *word; /* in the file */
	const char *text;
} end_rows[UNWIND_ENDS] = {
	[UNWIND_COMPLETE] = { "complete", "complete" },
	[UNWIND_CUT] = { "cut", "cut off at the end of the stack copy" },
	[UNWIND_NO_CFI] = { "no-cfi", "stopped for lack of call frame information" },
	[UNWIND_UNMAPPED] = { "unmapped", "at addresses where no code is" },
	[UNWIND_CORRUPT] = { "corrupt", "at frames that lead nowhere" },
	[UNWIND_TOO_DEEP] = { "too-deep", "longer than the limit" },
	[UNWIND_NO_REGS] = { "no-regs", "without registers that are known here" },
};

/* Counts besides those of the ends. */
static const struct {
	const char *word;
	size_t offset;
} number_rows[] = {
	{ "chains", offsetof(struct unwind_stats, nr) },
	{ "joined", offsetof(struct unwind_stats, joined) },
	{ "frame-pointers", offsetof(struct unwind_stats, by_frame_pointers) },
	{ "no-stack", offsetof(struct unwind_stats, no_stack) },
	{ "smaller", offsetof(struct unwind_stats, smaller) },
	{ "no-copy", offsetof(struct unwind_stats, no_copy) },
};

static u64 *number_of(struct unwind_stats *s, size_t row)
{
	return (u64 *)(void *)((char *)s + number_rows[row].offset);
}

void unwind_stats__exit(struct unwind_stats *s)
{
	for (size_t i = 0; i < s->culprits.nr; i++)
		free(s->culprits.v[i].name);
	array__exit(&s->culprits);
}

void unwind_stats__add_culprit(struct unwind_stats *s, enum unwind_end end, const char *name, u64 nr)
{
	for (size_t i = 0; i < s->culprits.nr; i++) {
		struct unwind_culprit *c = &s->culprits.v[i];

		if (c->end == end && !strcmp(c->name, name)) {
			c->nr += nr;
			return;
		}
	}
	if (s->culprits.nr < CULPRITS_MAX)
		array__add(&s->culprits, ((struct unwind_culprit){ xstrdup(name), end, nr }));
}

void unwind_stats__merge(struct unwind_stats *s, const struct unwind_stats *other)
{
	if (!*s->mode)
		memcpy(s->mode, other->mode, sizeof(s->mode));
	s->stack_copy = MAX(s->stack_copy, other->stack_copy);
	s->in_recorder |= other->in_recorder;
	for (size_t i = 0; i < ARRAY_SIZE(number_rows); i++)
		*number_of(s, i) += *number_of((struct unwind_stats *)other, i);
	for (size_t i = 0; i < UNWIND_ENDS; i++)
		s->ends[i] += other->ends[i];
	for (size_t i = 0; i < other->culprits.nr; i++)
		unwind_stats__add_culprit(s, other->culprits.v[i].end, other->culprits.v[i].name,
					  other->culprits.v[i].nr);
}

/* ---- the file ---- */

void unwind_stats__write(const struct unwind_stats *s, struct strbuf *out)
{
	if (*s->mode)
		strbuf__addf(out, "mode %s\n", s->mode);
	if (!s->in_recorder)
		return;
	strbuf__addf(out, "stack %u\n", s->stack_copy);
	for (size_t i = 0; i < ARRAY_SIZE(number_rows); i++)
		strbuf__addf(out, "%s %llu\n", number_rows[i].word,
			     (unsigned long long)*number_of((struct unwind_stats *)s, i));
	for (size_t i = 0; i < UNWIND_ENDS; i++)
		strbuf__addf(out, "%s %llu\n", end_rows[i].word, (unsigned long long)s->ends[i]);
	for (size_t i = 0; i < s->culprits.nr; i++) {
		const struct unwind_culprit *c = &s->culprits.v[i];

		strbuf__addf(out, "%s %llu %s\n", end_rows[c->end].word, (unsigned long long)c->nr, c->name);
	}
}

/* Parse "word number[ name]" of len bytes. */
static int unwind_stats__read_line(struct unwind_stats *s, char *line)
{
	char *number = strchr(line, ' '), *end;
	unsigned long long value;

	if (!number)
		return -EBADMSG;
	*number++ = '\0';
	if (!strcmp(line, "mode")) {
		snprintf(s->mode, sizeof(s->mode), "%s", number);
		return 0;
	}
	if (*number < '0' || *number > '9')
		return -EBADMSG;
	errno = 0;
	value = strtoull(number, &end, 10);
	if (errno || (*end && *end != ' '))
		return -EBADMSG;
	for (size_t i = 0; i < UNWIND_ENDS; i++) {
		if (strcmp(line, end_rows[i].word))
			continue;
		if (*end)
			unwind_stats__add_culprit(s, (enum unwind_end)i, end + 1, value);
		else
			s->ends[i] = value;
	}
	for (size_t i = 0; i < ARRAY_SIZE(number_rows); i++)
		if (!strcmp(line, number_rows[i].word))
			*number_of(s, i) = value;
	s->in_recorder |= !strcmp(line, "chains");
	if (!strcmp(line, "stack"))
		s->stack_copy = (u32)MIN(value, (unsigned long long)UINT16_MAX);
	return 0;
}

int unwind_stats__read(struct unwind_stats *s, const char *text, size_t size)
{
	int ret = 0;

	while (size && !ret) {
		const char *newline = memchr(text, '\n', size);
		size_t len = newline ? (size_t)(newline - text) : size;
		char *line = xmalloc(len + 1);

		memcpy(line, text, len);
		line[len] = '\0';
		ret = newline ? unwind_stats__read_line(s, line) : -EBADMSG;
		free(line);
		text += len + 1;
		size -= MIN(size, len + 1);
	}
	return ret;
}

/* ---- for people ---- */

static int compare_culprits(const void *a, const void *b)
{
	const struct unwind_culprit *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr > y->nr ? -1 : 1;
	return strcmp(x->name, y->name);
}

static const struct {
	const char *mode, *text;
} mode_rows[] = {
	{ "fp", "recorded along frame pointers" },
	{ "lbr", "recorded from the processor's branch stack" },
	{ "dwarf", "to be unwound from stack copies" },
	{ "auto", "to be unwound while recording" },
};

bool unwind_stats__tell_mode(const struct unwind_stats *s, struct strbuf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(mode_rows); i++) {
		if (strcmp(s->mode, mode_rows[i].mode))
			continue;
		strbuf__addf(out, "Call chains: %s (--call-graph %s)", mode_rows[i].text, s->mode);
		return true;
	}
	return false;
}

static double percent(u64 part, u64 all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

/*
 * Return the culprits of one end, the largest first, to be freed; *nr: how many. Workers count them in any
 * order.
 */
static struct unwind_culprit *culprits__sorted(const struct unwind_stats *s, enum unwind_end end, size_t *nr)
{
	struct unwind_culprit *sorted = xcalloc(s->culprits.nr + 1, sizeof(*sorted));

	*nr = 0;
	for (size_t i = 0; i < s->culprits.nr; i++)
		if (s->culprits.v[i].end == end)
			sorted[(*nr)++] = s->culprits.v[i];
	qsort(sorted, *nr, sizeof(*sorted), compare_culprits);
	return sorted;
}

static void add_culprits(const struct unwind_stats *s, enum unwind_end end, struct strbuf *out)
{
	size_t nr;
	struct unwind_culprit *sorted = culprits__sorted(s, end, &nr);

	for (size_t i = 0; i < MIN(nr, (size_t)CULPRITS_SHOWN); i++) {
		strbuf__addstr(out, i ? ", " : ": ");
		strbuf__add_masked(out, sorted[i].name);
		strbuf__addf(out, " %llu", (unsigned long long)sorted[i].nr);
	}
	free(sorted);
}

void unwind_stats__add_load(const struct unwind_stats *s, struct strbuf *out)
{
	u64 all = s->nr + s->no_copy;

	if (s->smaller)
		strbuf__addf(out, "%.1f%% from smaller stack copies%s", percent(s->smaller, all),
			     s->no_copy ? ", " : "");
	if (s->no_copy)
		strbuf__addf(out, "%.1f%% along frame pointers only", percent(s->no_copy, all));
	if (s->smaller || s->no_copy)
		strbuf__addstr(out, " because of load");
}

void unwind_stats__summary(const struct unwind_stats *s, struct strbuf *out)
{
	strbuf__addf(out, "Call chains: %llu unwound from %u bytes of stack %s, %.1f%% complete",
		     (unsigned long long)s->nr, s->stack_copy, s->in_recorder ? "while recording" : "now",
		     percent(s->ends[UNWIND_COMPLETE] + s->joined, s->nr));
	if (s->joined)
		strbuf__addf(out, " (%.1f%% joined with earlier ones)", percent(s->joined, s->nr));
	for (size_t i = UNWIND_COMPLETE + 1; i < UNWIND_ENDS; i++) {
		u64 nr = s->ends[i] - (i == UNWIND_CUT ? MIN(s->joined, s->ends[i]) : 0);

		if (!nr)
			continue;
		strbuf__addf(out, "; %.1f%% %s", percent(nr, s->nr), end_rows[i].text);
		if (i == UNWIND_NO_CFI)
			add_culprits(s, UNWIND_NO_CFI, out);
	}
	if (s->smaller || s->no_copy)
		strbuf__addstr(out, "; ");
	unwind_stats__add_load(s, out);
}

void unwind_stats__details(const struct unwind_stats *s, struct strbuf *out)
{
	unwind_stats__summary(s, out);
	strbuf__addch(out, '\n');
	strbuf__addf(out, "%12llu continued along frame pointers\n",
		     (unsigned long long)s->by_frame_pointers);
	strbuf__addf(out, "%12llu samples without a stack, in exec for instance\n",
		     (unsigned long long)s->no_stack);
	strbuf__addf(out, "%12llu from smaller stack copies, because of load\n",
		     (unsigned long long)s->smaller);
	strbuf__addf(out, "%12llu samples along frame pointers only, because of load\n",
		     (unsigned long long)s->no_copy);
	for (size_t i = 0; i < UNWIND_ENDS; i++) {
		size_t nr;
		struct unwind_culprit *sorted = culprits__sorted(s, (enum unwind_end)i, &nr);

		strbuf__addf(out, "%12llu %s\n", (unsigned long long)s->ends[i], end_rows[i].text);
		for (size_t k = 0; k < nr; k++) {
			strbuf__addf(out, "%12llu   in ", (unsigned long long)sorted[k].nr);
			strbuf__add_masked(out, sorted[k].name);
			strbuf__addch(out, '\n');
		}
		free(sorted);
	}
}
