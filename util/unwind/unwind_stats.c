#include "unwind/unwind_stats.h"

#include "base/text/fit.h"
#include "base/text/mask.h"
#include "base/text/path_name.h"
#include "event/evsel/evsel.h"
#include "unwind/runtime.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	CULPRITS_MAX = 256,
	CAUSE_SHARE = 20,   /* tell causes of more than one in so many chains */
	OTHERS_WORTH = 100, /* tell the rest of one in so many chains */
	NAME_COLUMNS = 20,  /* of a binary's name in a cause */
};

static const struct {
	const char *word; /* in the file */
	const char *text;
} end_rows[UNWIND_ENDS] = {
	[UNWIND_COMPLETE] = { "complete", "complete" },
	[UNWIND_FOUND] = { "found", "found by a search, or with a step that could not be checked" },
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
	{ "absent-page", offsetof(struct unwind_stats, absent_page) },
	{ "smaller", offsetof(struct unwind_stats, smaller) },
	{ "smaller-cut", offsetof(struct unwind_stats, smaller_cut) },
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
	s->samples += other->samples;
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

		if (c->end == UNWIND_ENDS)
			continue;
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

void unwind_stats__summary(const struct unwind_stats *s, struct strbuf *out)
{
	u64 all, incomplete = unwind_stats__incomplete(s, &all), found = unwind_stats__found(s);

	strbuf__addf(out, "Call chains: %llu unwound from %u bytes of stack %s", (unsigned long long)s->nr,
		     s->stack_copy, s->in_recorder ? "while recording" : "now");
	if (s->no_copy)
		strbuf__addf(out, " and %llu along frame pointers", (unsigned long long)s->no_copy);
	strbuf__addf(out, ", %.1f%% complete", percent(all - incomplete - MIN(found, all - incomplete), all));
	if (found)
		strbuf__addf(out, ", %.1f%% found", percent(found, all));
	if (s->joined)
		strbuf__addf(out, " (%.1f%% joined with earlier ones)", percent(s->joined, all));
}

/* ---- causes ---- */

u64 unwind_stats__found(const struct unwind_stats *s)
{
	return s->ends[UNWIND_FOUND] + s->joined;
}

u64 unwind_stats__incomplete(const struct unwind_stats *s, u64 *all)
{
	u64 whole = s->ends[UNWIND_COMPLETE] + unwind_stats__found(s);

	*all = s->nr + s->no_copy;
	return *all - MIN(whole, *all);
}

/* The causes of incomplete chains, or of missing names, as text. */
struct causes {
	const struct unwind_stats *s;
	u64 all, told; /* all samples counted; those with a line so far */
	struct strbuf *out;
};

/* Append the share, if it is worth a line. */
static bool add_share(struct causes *c, u64 nr)
{
	if (!nr || nr <= c->all / CAUSE_SHARE)
		return false;
	strbuf__addf(c->out, "%.0f%% ", percent(nr, c->all));
	c->told += nr;
	return true;
}

static void tell_load(struct causes *c, const char *less_load)
{
	if (!add_share(c, c->s->smaller_cut + c->s->no_copy))
		return;
	strbuf__addf(c->out, "because of load: a lower -F%s%s\n", less_load ? ", or " : "",
		     less_load ? less_load : "");
}

static void tell_cut(struct causes *c)
{
	const struct unwind_stats *s = c->s;
	u64 others = s->joined + s->smaller_cut + s->absent_page;

	if (add_share(c, s->absent_page))
		strbuf__addf(c->out, "cut at a page of the stack that is not in memory%s\n",
			     s->in_recorder ? "" : ": perf record -g");
	if (!add_share(c, s->ends[UNWIND_CUT] - MIN(others, s->ends[UNWIND_CUT])))
		return;
	strbuf__addf(c->out, "cut at the end of %u bytes of stack: ", s->stack_copy);
	if (s->stack_copy < STACK_COPY_USABLE)
		strbuf__addf(c->out, "--call-graph %s,%u\n", s->in_recorder ? "auto" : "dwarf",
			     MIN(s->stack_copy * 2, (u32)STACK_COPY_USABLE));
	else
		strbuf__addstr(c->out, "no more can be copied\n");
}

static void tell_deep(struct causes *c)
{
	if (add_share(c, c->s->ends[UNWIND_TOO_DEEP]))
		strbuf__addf(c->out, "longer than the limit of frames%s\n",
			     c->s->in_recorder ? "" : ": perf report --max-stack 1024");
}

/* Why chains stop in a binary, and what to type. Causes without a binary are below. */
static const struct {
	enum unwind_end end;
	const char *text;
} binary_causes[] = {
	{ UNWIND_NO_CFI, "without CFI: cc -fasynchronous-unwind-tables" },
	{ UNWIND_CORRUPT, "broken frames: --call-graph fp" },
};

static const struct {
	enum unwind_end end;
	const char *text;
} end_causes[] = {
	{ UNWIND_UNMAPPED, "at addresses where no code is: --call-graph fp" },
	{ UNWIND_NO_REGS, "of another kind of machine (32 bits): --call-graph fp" },
};

/* Return the runtime that has the code, or the binary: chains stop in those of interpreters, too. */
static const struct runtime *runtime_of(const struct unwind_culprit *c)
{
	const struct runtime *runtime = runtime__of_code(c->name);

	return runtime || c->end != UNWIND_NO_CFI ? runtime : runtime__of_file(c->name);
}

static void tell_binary(const struct unwind_culprit *c, const char *text, struct strbuf *out)
{
	const struct runtime *runtime = runtime_of(c);
	const char *name = path__name(c->name);
	size_t start;

	strbuf__addstr(out, "in ");
	start = out->len;
	if (runtime) {
		strbuf__addf(out, "%s: %s\n", runtime->code, runtime->advice);
		return;
	}
	fit__shorten(out, name, strlen(name), NAME_COLUMNS);
	mask_controls(out->buf + start, out->len - start, NULL);
	strbuf__addf(out, ", %s\n", text);
}

/* Tell each runtime once: its advice is the same for chains and for names. */
static bool is_told(const struct strbuf *out, const struct unwind_culprit *c)
{
	const struct runtime *runtime = runtime_of(c);

	return runtime && out->len && strstr(out->buf, runtime->code);
}

/* Append the binaries in which chains ended so. told: text that already names runtimes. */
static void tell_binaries(struct causes *c, enum unwind_end end, const char *text, const struct strbuf *told)
{
	size_t nr;
	struct unwind_culprit *sorted = culprits__sorted(c->s, end, &nr);

	for (size_t i = 0; i < nr; i++)
		if (!is_told(told, &sorted[i]) && add_share(c, sorted[i].nr))
			tell_binary(&sorted[i], text, c->out);
	free(sorted);
}

void unwind_stats__add_causes(const struct unwind_stats *s, const char *less_load, struct strbuf *out)
{
	struct causes c = { .s = s, .out = out };
	u64 nr = unwind_stats__incomplete(s, &c.all);

	tell_load(&c, less_load);
	tell_cut(&c);
	tell_deep(&c);
	for (size_t i = 0; i < ARRAY_SIZE(binary_causes); i++)
		tell_binaries(&c, binary_causes[i].end, binary_causes[i].text, out);
	for (size_t i = 0; i < ARRAY_SIZE(end_causes); i++)
		if (add_share(&c, s->ends[end_causes[i].end]))
			strbuf__addf(out, "%s\n", end_causes[i].text);
	if (c.told && c.told < nr && (nr - c.told) * OTHERS_WORTH >= c.all)
		strbuf__addf(out, "%.0f%% for other reasons: perf report --stack-stats\n",
			     percent(nr - c.told, c.all));
}

void unwind_stats__add_nameless(const struct unwind_stats *s, const struct strbuf *told, struct strbuf *out)
{
	struct causes c = { .s = s, .out = out, .all = s->samples };

	tell_binaries(&c, UNWIND_ENDS, NULL, told);
}

/* The chains that were joined were cut, but count as found. */
static u64 unwind_stats__with_end(const struct unwind_stats *s, size_t end)
{
	return end == UNWIND_FOUND ? unwind_stats__found(s)
				   : s->ends[end] - (end == UNWIND_CUT ? s->joined : 0);
}

void unwind_stats__details(const struct unwind_stats *s, struct strbuf *out)
{
	struct strbuf names = STRBUF_INIT;

	unwind_stats__summary(s, out);
	strbuf__addch(out, '\n');
	unwind_stats__add_causes(s, NULL, out);
	unwind_stats__add_nameless(s, out, &names);
	if (names.len)
		strbuf__addf(out, "Names of functions are missing, of all samples:\n%s", names.buf);
	strbuf__exit(&names);
	strbuf__addf(out, "%12llu continued along frame pointers\n",
		     (unsigned long long)s->by_frame_pointers);
	strbuf__addf(out, "%12llu samples without a stack, in exec for instance\n",
		     (unsigned long long)s->no_stack);
	strbuf__addf(out, "%12llu cut off at a page of the stack that is not in memory\n",
		     (unsigned long long)s->absent_page);
	strbuf__addf(out, "%12llu from smaller stack copies than asked for\n",
		     (unsigned long long)s->smaller);
	strbuf__addf(out, "%12llu cut off at the end of such a copy\n", (unsigned long long)s->smaller_cut);
	strbuf__addf(out, "%12llu samples along frame pointers only, because of load\n",
		     (unsigned long long)s->no_copy);
	for (size_t i = 0; i < UNWIND_ENDS; i++) {
		size_t nr;
		struct unwind_culprit *sorted = culprits__sorted(s, (enum unwind_end)i, &nr);

		strbuf__addf(out, "%12llu %s\n", (unsigned long long)unwind_stats__with_end(s, i),
			     end_rows[i].text);
		if (i == UNWIND_FOUND)
			strbuf__addf(out, "%12llu   joined with an earlier chain of the thread\n",
				     (unsigned long long)s->joined);
		for (size_t k = 0; k < nr; k++) {
			strbuf__addf(out, "%12llu   in ", (unsigned long long)sorted[k].nr);
			strbuf__add_masked(out, sorted[k].name);
			strbuf__addch(out, '\n');
		}
		free(sorted);
	}
}
