#include "format/records/losses.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

enum {
	EVENTS_MAX = 1 << 16, /* more is not a list of events */
	/* report longer waits; rings are drained every half second, or when they fill up */
	WAIT_TOLD_MS = 1500,
	SHARE_TOLD = 100, /* ignore full chains below this share (1 in 100) */
};

void losses__exit(struct losses *l)
{
	for (size_t i = 0; i < l->events.nr; i++)
		free(l->events.v[i].name);
	array__exit(&l->events);
}

u64 losses__total(const struct losses *l)
{
	u64 total = 0;

	for (size_t i = 0; i < l->events.nr; i++)
		total += l->events.v[i].lost;
	return total;
}

u64 losses__of_side_band(const struct losses *l)
{
	u64 total = 0;

	for (size_t i = 0; i < l->events.nr; i++)
		total += l->events.v[i].is_side_band ? l->events.v[i].lost : 0;
	return total;
}

/* ---- the file ---- */

struct number_row {
	const char *word;
	size_t offset;
};

static const struct number_row losses_rows[] = {
	{ "partial", offsetof(struct losses, is_partial) },
	{ "ring-size", offsetof(struct losses, ring_size) },
	{ "wanted-ring-size", offsetof(struct losses, wanted_size) },
	{ "longest-wait", offsetof(struct losses, longest_wait) },
	{ "max-rate", offsetof(struct losses, max_rate) },
	{ "cpu-off-times", offsetof(struct losses, cpu_off_nr) },
	{ "cpu-off-ms", offsetof(struct losses, cpu_off_ms) },
	{ "cpu-off", offsetof(struct losses, cpu_off) },
};

/* Lines after "event IDX NAME". */
static const struct number_row event_rows[] = {
	{ "samples", offsetof(struct event_losses, samples) },
	{ "lost", offsetof(struct event_losses, lost) },
	{ "worst-lost", offsetof(struct event_losses, worst_lost) },
	{ "worst-cpu", offsetof(struct event_losses, worst_cpu) },
	{ "side-band", offsetof(struct event_losses, is_side_band) },
	{ "everywhere", offsetof(struct event_losses, is_everywhere) },
	{ "seen", offsetof(struct event_losses, seen) },
	{ "flight", offsetof(struct event_losses, is_flight) },
	{ "both", offsetof(struct event_losses, has_both) },
	{ "throttled", offsetof(struct event_losses, throttled) },
	{ "enabled", offsetof(struct event_losses, enabled) },
	{ "running", offsetof(struct event_losses, running) },
	{ "full", offsetof(struct event_losses, full) },
	{ "chain-size", offsetof(struct event_losses, chain_size) },
	{ "waited", offsetof(struct event_losses, waited) },
	{ "borrowed", offsetof(struct event_losses, borrowed) },
};

static void write_numbers(const struct number_row *rows, size_t nr, const void *base, struct strbuf *out)
{
	for (size_t i = 0; i < nr; i++) {
		u64 value;

		memcpy(&value, (const char *)base + rows[i].offset, sizeof(value));
		if (value)
			strbuf__addf(out, "%s %llu\n", rows[i].word, (ull)value);
	}
}

void losses__write(const struct losses *l, struct strbuf *out)
{
	write_numbers(losses_rows, ARRAY_SIZE(losses_rows), l, out);
	for (size_t i = 0; i < l->events.nr; i++) {
		const struct event_losses *e = &l->events.v[i];

		strbuf__addf(out, "event %zu ", i);
		strbuf__add_masked(out, e->name); /* masked, so that it has no newlines */
		strbuf__addch(out, '\n');
		write_numbers(event_rows, ARRAY_SIZE(event_rows), e, out);
	}
}

/* Ignore unknown words: a later version wrote them. */
static void read_number(const struct number_row *rows, size_t nr, void *base, const char *word, u64 value)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(word, rows[i].word))
			memcpy((char *)base + rows[i].offset, &value, sizeof(value));
}

/* Parse "word number[ name]"; changes the line. */
static int losses__read_line(struct losses *l, char *line)
{
	char *number = strchr(line, ' '), *end;
	u64 value;

	if (!number || number[1] < '0' || number[1] > '9')
		return -EBADMSG;
	*number++ = '\0';
	errno = 0;
	value = strtoull(number, &end, 10);
	if (errno || (*end && *end != ' '))
		return -EBADMSG;
	if (!strcmp(line, "event")) {
		if (l->events.nr == EVENTS_MAX)
			return -EBADMSG;
		array__add(&l->events, ((struct event_losses){ .name = xstrdup(*end ? end + 1 : "") }));
	} else if (l->events.nr) {
		read_number(event_rows, ARRAY_SIZE(event_rows), &l->events.v[l->events.nr - 1], line, value);
	} else {
		read_number(losses_rows, ARRAY_SIZE(losses_rows), l, line, value);
	}
	return 0;
}

int losses__read(struct losses *l, const char *text, size_t size)
{
	char *copy = xmalloc(size + 1), *next = copy, *line;
	int ret = 0;

	memcpy(copy, text, size);
	copy[size] = '\0';
	while (!ret && (line = strsep(&next, "\n")))
		if (*line)
			ret = losses__read_line(l, line);
	free(copy);
	return ret;
}

/* ---- messages ---- */

static void add_share(u64 part, u64 whole, struct strbuf *out)
{
	strbuf__addf(out, " (%.1f%%)", whole ? 100.0 * (double)part / (double)whole : 0);
}

static void add_size(u64 bytes, struct strbuf *out)
{
	if (bytes >> 20 && !(bytes & ((1 << 20) - 1)))
		strbuf__addf(out, "%lluM", (ull)bytes >> 20);
	else if (!(bytes & 1023))
		strbuf__addf(out, "%lluK", (ull)bytes >> 10);
	else
		strbuf__addf(out, "%llu bytes", (ull)bytes);
}

/* Append why records were dropped for lack of room, and what to type. */
static void add_ring_cause(const struct losses *l, struct strbuf *out)
{
	strbuf__addstr(out, ": ");
	if (l->longest_wait >= WAIT_TOLD_MS)
		strbuf__addf(out, "perf did not drain the rings for %.1f s, and ",
			     (double)l->longest_wait / 1000);
	strbuf__addstr(out, "a ring of ");
	add_size(l->ring_size, out);
	if (l->wanted_size) {
		strbuf__addstr(out, " is too small: type -m ");
		add_size(l->wanted_size, out);
	} else {
		strbuf__addstr(out, " is too small, and none is large enough: sample less often (-F, -c), or "
				    "less (-e, --filter)");
	}
}

static void add_where(const struct event_losses *e, struct strbuf *out)
{
	if (e->worst_cpu && e->worst_lost == e->lost)
		strbuf__addf(out, " on CPU %llu", (ull)e->worst_cpu - 1);
}

static void add_worst(const struct event_losses *e, struct strbuf *out)
{
	if (e->worst_cpu && e->worst_lost < e->lost)
		strbuf__addf(out, ", %llu of them on CPU %llu", (ull)e->worst_lost, (ull)e->worst_cpu - 1);
}

static u64 nr_lost_samples(const struct event_losses *e)
{
	return e->is_side_band || e->is_flight ? 0 : e->lost;
}

static void tell_lost_samples(const struct losses *l, const struct event_losses *e, struct strbuf *out)
{
	strbuf__addf(out, "lost %s%llu %s of ", l->is_partial ? "at least " : "", (ull)e->lost,
		     l->is_partial || e->has_both ? "records" : "samples");
	strbuf__add_masked(out, e->name);
	if (e->is_everywhere)
		strbuf__addstr(out, " of all programs");
	add_where(e, out);
	add_share(e->lost, e->lost + MAX(e->samples, e->seen), out);
	add_worst(e, out);
	add_ring_cause(l, out);
}

static u64 nr_lost_side_band(const struct event_losses *e)
{
	return e->is_side_band ? e->lost : 0;
}

static void tell_lost_side_band(const struct losses *l, const struct event_losses *e, struct strbuf *out)
{
	strbuf__addf(out, "lost %llu records of what was mapped and started", (ull)e->lost);
	add_where(e, out);
	strbuf__addstr(out, ", so names may be missing");
	add_ring_cause(l, out);
}

static u64 nr_missed(const struct event_losses *e)
{
	return e->is_flight ? e->lost : 0;
}

static void tell_missed(const struct losses *l, const struct event_losses *e, struct strbuf *out)
{
	(void)l;
	strbuf__addf(out, "%llu records of ", (ull)e->lost);
	strbuf__add_masked(out, e->name);
	strbuf__addstr(out, " came in the moments in which buffers were read, and are missing");
}

static u64 nr_throttled(const struct event_losses *e)
{
	return e->throttled;
}

static void tell_throttled(const struct losses *l, const struct event_losses *e, struct strbuf *out)
{
	strbuf__add_masked(out, e->name);
	strbuf__addf(
		out,
		" was switched off %llu times until the next tick, since it came too often for the kernel",
		(ull)e->throttled);
	if (l->max_rate)
		strbuf__addf(out, " (kernel.perf_event_max_sample_rate is %llu)", (ull)l->max_rate);
	strbuf__addstr(out, ": sample less often (-F, -c)");
}

/*
 * Return the ns that the event did not count while it was enabled; 0 below a thousandth, as both times always
 * differ by some microseconds.
 */
static u64 nr_shared(const struct event_losses *e)
{
	return e->enabled > e->running && (e->enabled - e->running) > e->enabled / 1000
		       ? e->enabled - e->running
		       : 0;
}

static void tell_shared(const struct losses *l, const struct event_losses *e, struct strbuf *out)
{
	(void)l;
	strbuf__add_masked(out, e->name);
	strbuf__addf(
		out,
		" was counted %.1f%% of the time: there are more events than counters: record fewer at once",
		100.0 * (double)e->running / (double)e->enabled);
}

/* Older recordings have numbers of full stack copies, too, which may hold complete stacks: no chain_size. */
static u64 nr_full(const struct event_losses *e)
{
	return e->chain_size && e->full >= e->samples / SHARE_TOLD ? e->full : 0;
}

static void tell_full(const struct losses *l, const struct event_losses *e, struct strbuf *out)
{
	(void)l;
	strbuf__addf(out, "%llu call chains of ", (ull)e->full);
	strbuf__add_masked(out, e->name);
	add_share(e->full, e->samples, out);
	strbuf__addf(out,
		     " have %llu frames, the most that the kernel takes: for outer ones sysctl -w "
		     "kernel.perf_event_max_stack=%llu",
		     (ull)e->chain_size, (ull)e->chain_size * 4);
}

static u64 nr_borrowed(const struct event_losses *e)
{
	return e->waited && e->borrowed > e->waited / SHARE_TOLD ? e->borrowed : 0;
}

double losses__borrowed_part(const struct losses *l)
{
	double part = 0;

	for (size_t i = 0; i < l->events.nr; i++)
		if (nr_borrowed(&l->events.v[i]))
			part = MAX(part, (double)l->events.v[i].borrowed / (double)l->events.v[i].waited);
	return part;
}

static void tell_borrowed(const struct losses *l, const struct event_losses *e, struct strbuf *out)
{
	(void)l;
	strbuf__addf(out, "%.1f%% of the time of ", 100.0 * (double)e->borrowed / (double)e->waited);
	strbuf__add_masked(out, e->name);
	strbuf__addstr(out,
		       " has the callers of other waits, at the same place and about as long: there are more "
		       "switches than stacks are read: record fewer threads (-t, -p)");
}

static const struct {
	u64 (*nr)(const struct event_losses *e);
	void (*tell)(const struct losses *l, const struct event_losses *e, struct strbuf *out);
} causes[] = {
	{ nr_lost_samples, tell_lost_samples },
	{ nr_lost_side_band, tell_lost_side_band },
	{ nr_missed, tell_missed },
	{ nr_throttled, tell_throttled },
	{ nr_shared, tell_shared },
	{ nr_full, tell_full },
	{ nr_borrowed, tell_borrowed },
};

static void tell_cpu_off(const struct losses *l, struct strbuf *out)
{
	if (l->cpu_off)
		strbuf__addf(out, "CPU %llu was", (ull)l->cpu_off - 1);
	else
		strbuf__addstr(out, "CPUs were");
	strbuf__addf(out, " offline or not recorded %llu time%s, for %.1f s: samples of ", (ull)l->cpu_off_nr,
		     l->cpu_off_nr == 1 ? "" : "s", (double)l->cpu_off_ms / 1000);
	strbuf__addstr(out, l->cpu_off ? "it are missing\n" : "them are missing\n");
}

void losses__tell(const struct losses *l, struct strbuf *out)
{
	if (l->cpu_off_nr)
		tell_cpu_off(l, out);
	for (size_t c = 0; c < ARRAY_SIZE(causes); c++) {
		for (size_t i = 0; i < l->events.nr; i++) {
			if (!causes[c].nr(&l->events.v[i]))
				continue;
			causes[c].tell(l, &l->events.v[i], out);
			strbuf__addch(out, '\n');
		}
	}
}
