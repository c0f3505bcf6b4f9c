#include "record/events/loss_count.h"

#include "base/system/clock.h"
#include "event/evsel/event_request.h"
#include "format/records/abi.h"
#include "format/records/build.h"
#include "live/limits.h"

#include <stdlib.h>

enum {
	RING_MAX = 256 << 20, /* bytes; maximum size of rings in advice */
	/*
	 * Loss is permanent if more than one in TOO_MUCH_SHARE records was dropped, in more than
	 * TOO_MUCH_GAPS gaps.
	 */
	TOO_MUCH_SHARE = 8,
	TOO_MUCH_GAPS = 32,
};

void loss_count__exit(struct loss_count *lc)
{
	array__exit(&lc->told);
}

void loss_count__round(struct loss_count *lc, u64 now_ms)
{
	if (lc->last_round)
		lc->longest_wait = MAX(lc->longest_wait, now_ms - lc->last_round);
	lc->last_round = now_ms;
}

/* ---- losses of each counter ---- */

/* Return the highest CPU plus one, or 0 if there is one ring, or if rings follow threads. */
static size_t cpus_to_tell_apart(const struct counters *c)
{
	int max = -1;

	for (size_t i = 0; i < c->v.nr; i++)
		max = MAX(max, c->v.v[i].cpu);
	return c->rings.nr + c->flight_rings.nr > 1 ? (size_t)(max + 1) : 0;
}

/* Find the CPU with most losses for each event. by_cpu: losses of each event for each CPU. */
static void find_worst(const u64 *by_cpu, size_t nr_cpus, struct losses *l)
{
	for (size_t i = 0; i < l->events.nr * nr_cpus; i++) {
		struct event_losses *e = &l->events.v[i / nr_cpus];

		if (by_cpu[i] <= e->worst_lost)
			continue;
		e->worst_lost = by_cpu[i];
		e->worst_cpu = i % nr_cpus + 1;
	}
}

/* Return what the counter lost since the previous file. */
static u64 loss_count__since(struct loss_count *lc, size_t index, u64 lost)
{
	u64 before;

	while (lc->told.nr <= index)
		array__add(&lc->told, 0);
	before = lc->told.v[index];
	lc->told.v[index] = lost;
	return lost - MIN(before, lost);
}

/*
 * Return over how many counters an event that follows a thread over all CPUs is spread, or 0 if some CPUs
 * have none.
 */
static u64 nr_shares(const struct counters *c, const struct evlist *l)
{
	u64 nr = 0;
	int last = -1;

	for (size_t i = 0; i < c->v.nr; i++) { /* sorted by CPU */
		/* with -C, it is also on other CPUs */
		if (counters__is_tracking(l->evsels.v[c->v.v[i].evsel]))
			continue;
		nr += c->v.v[i].cpu != last;
		last = c->v.v[i].cpu;
	}
	return nr < (u64)limits__nr_cpus() ? 0 : nr;
}

/*
 * Add the times of a counter. While a thread runs, its counters on all CPUs are enabled, but only that of
 * the current CPU is running, so divide the enabled time. If only some CPUs have counters, the thread's time
 * on them is unknown.
 */
static void add_times(const struct evsel *e, const struct counter *n, const struct counter_reading *reading,
		      u64 shares, struct event_losses *out)
{
	bool is_divided = n->tid >= 0 && n->cpu >= 0;

	if (e->request->cpus.nr || (is_divided && !shares))
		return;
	out->enabled += is_divided ? reading->enabled / shares : reading->enabled;
	out->running += reading->running;
}

static void loss_count__read(struct loss_count *lc, const struct counters *c, const struct evlist *l,
			     struct losses *out, struct strbuf *records)
{
	u64 shares = nr_shares(c, l);
	size_t nr_cpus = cpus_to_tell_apart(c);
	u64 *by_cpu = xcalloc(out->events.nr * nr_cpus + 1, sizeof(*by_cpu));

	for (size_t i = 0; i < c->v.nr; i++) {
		const struct counter *n = &c->v.v[i];
		struct event_losses *e = &out->events.v[n->evsel];
		struct counter_reading reading;
		u64 lost;

		if (counter__read(n->fd, n->read_format, n->kernel_id, &reading))
			reading = (struct counter_reading){ 0 };
		reading.lost += n->lost;
		reading.enabled += n->enabled;
		reading.running += n->running;
		add_times(l->evsels.v[n->evsel], n, &reading, shares, e);
		lost = loss_count__since(lc, i, reading.lost);
		if (!lost)
			continue;
		e->lost += lost;
		if (nr_cpus && n->cpu >= 0)
			by_cpu[n->evsel * nr_cpus + (size_t)n->cpu] += lost;
		build__lost_samples(records, l->evsels.v[n->evsel], n->id, n->cpu < 0 ? 0 : (u32)n->cpu,
				    lost);
	}
	find_worst(by_cpu, nr_cpus, out);
	free(by_cpu);
}

/* ---- advice ---- */

/*
 * Return the highest known number of records that a ring lost in one gap. No LOST record covers the last
 * gap.
 */
static u64 worst_gap(const struct losses *l, const struct tally *t)
{
	u64 told = 0, dropped = 0;

	for (size_t i = 0; i < l->events.nr; i++) {
		if (l->events.v[i].is_flight)
			continue;
		told += t->events.v[i].lost;
		dropped += l->events.v[i].lost;
	}
	return MAX(t->worst_gap, dropped - MIN(told, dropped));
}

static bool is_too_much(const struct losses *l, const struct tally *t)
{
	return t->nr_gaps > TOO_MUCH_GAPS &&
	       losses__total(l) > (t->records + losses__total(l)) / TOO_MUCH_SHARE;
}

static u64 wanted_ring_size(const struct counters *c, const struct losses *l, const struct tally *t)
{
	u64 bytes = 0, needed, limit = MIN(limits__ring_bytes(), (u64)RING_MAX), size = l->ring_size,
	    gap = worst_gap(l, t);

	for (size_t i = 0; i < c->rings.nr; i++)
		bytes += c->rings.v[i].tail;
	if (!gap || !t->records || !size || c->shrunk || is_too_much(l, t))
		return 0;
	needed = size + gap * (bytes / t->records + 1);
	while (size < needed && size < RING_MAX)
		size *= 2;
	return size <= limit && size >= needed ? size : 0;
}

/* ---- totals ---- */

static void fill_event(const struct evsel *e, const struct event_tally *t, u64 max_frames,
		       struct event_losses *out)
{
	bool is_tracking = counters__is_tracking(e);

	*out = (struct event_losses){
		.name = xstrdup(e->name),
		.samples = t->samples,
		.seen = t->seen,
		.is_everywhere = event_request__is_everywhere(e->request),
		.is_side_band = is_tracking,
		.is_flight = e->attr.write_backward,
		.has_both = e->attr.mmap && !is_tracking,
		.throttled = t->throttled,
		.full = t->full,
		.chain_size = !t->full                   ? 0
			      : e->attr.sample_max_stack ? e->attr.sample_max_stack
							 : max_frames,
	};
}

static bool kernel_counts(const struct evlist *l)
{
	return l->evsels.nr && (l->evsels.v[0]->attr.read_format & READ_FORMAT_LOST);
}

void loss_count__take(struct loss_count *lc, struct counters *c, const struct evlist *e,
		      const struct tally *t, struct losses *l, struct strbuf *records)
{
	struct hotplug_gaps gaps = hotplug__take(&c->hotplug, clock__ms());

	*l = (struct losses){
		.is_partial = !kernel_counts(e),
		.ring_size = c->rings.nr ? c->rings.v[0].size : 0,
		.longest_wait = lc->longest_wait,
	};
	array__reserve(&l->events, e->evsels.nr);
	for (size_t i = 0; i < e->evsels.nr; i++) {
		fill_event(e->evsels.v[i], &t->events.v[i], t->max_frames, array__push(&l->events));
		if (t->events.v[i].throttled)
			l->max_rate = limits__max_sample_rate();
	}
	loss_count__read(lc, c, e, l, records);
	for (size_t i = 0; l->is_partial && i < l->events.nr; i++)
		l->events.v[i].lost = t->events.v[i].lost;
	l->wanted_size = wanted_ring_size(c, l, t);
	l->cpu_off_nr = gaps.nr;
	l->cpu_off_ms = gaps.ms;
	l->cpu_off = gaps.cpu;
	lc->longest_wait = 0;
}
