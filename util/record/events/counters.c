#include "record/events/counters_private.h"

#include "event/evsel/event_request.h"
#include "base/system/clock.h"
#include "live/checks.h"
#include "live/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool counters__is_tracking(const struct evsel *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config == PERF_COUNT_SW_DUMMY && e->attr.mmap;
}

bool evsel__counts_on(const struct evsel *e, int cpu)
{
	return cpu < 0 || !e->request->cpus.nr || int_list__has(&e->request->cpus, cpu);
}

/* An address in the first page, which nothing accesses, for watchpoints whose variable is not mapped yet. */
enum { NOWHERE = 8 };

/* A ring with stack copies asks to be drained when one in so many of its bytes are filled. */
enum { WAKE_PART = 4 };

/* descriptors of a recorder besides those of events and of binaries that it keeps open */
enum { OWN_FILES = 64 };

/* of the event whose samples only the recorder makes: no counter; those of the kernel are counted from 1 */
#define READY_TIME_ID (1ull << 62)

static size_t nr_pieces(const struct evsel *e)
{
	if (e->request->watch && e->request->watch->pieces.nr)
		return e->request->watch->pieces.nr;
	return e->request->span ? e->request->span->points.nr : 1;
}

/*
 * Return whether e may be multiplexed with other events, and can have times in its read format to detect it.
 * Events whose values are in records keep their layout.
 */
static bool may_be_shared(const struct evsel *e)
{
	u32 type = e->attr.type;

	return type != PERF_TYPE_SOFTWARE && type != PERF_TYPE_TRACEPOINT && type != PERF_TYPE_BREAKPOINT &&
	       !e->request->probe && !e->request->span && !e->attr.inherit_stat &&
	       !(e->attr.sample_type & PERF_SAMPLE_READ);
}

/* The place of a span is in the file that target names: an address in this process. */
static void apply_span_point(const struct span_point *p, struct perf_event_attr *attr)
{
	enum { SEMAPHORE_SHIFT = 32 }; /* of config: /sys/bus/event_source/devices/uprobe/format */

	attr->type = p->type;
	attr->config = p->config | p->is_return | p->semaphore << SEMAPHORE_SHIFT;
	attr->config1 = (u64)(uintptr_t)p->target;
	attr->config2 = p->offset;
}

struct perf_event_attr evsel__attr_to_open(const struct evsel *e, size_t piece)
{
	struct perf_event_attr attr = e->attr;

	if (e->request->watch && e->request->watch->pieces.nr) {
		const struct watch_piece *p = &e->request->watch->pieces.v[piece];

		attr.bp_addr = e->request->watch->is_absolute ? p->addr : NOWHERE + p->addr % NOWHERE;
		attr.bp_len = p->len;
	}
	if (e->request->span && !e->request->watch)
		apply_span_point(&e->request->span->points.v[piece], &attr);
	if (e->request->probe &&
	    e->request->probe->target) /* an address in this process, which must not get into the file */
		attr.config1 = (u64)(uintptr_t)e->request->probe->target;
	if (may_be_shared(e)) /* read at the end, to report multiplexing */
		attr.read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return attr;
}

int counters__open_event(struct counters *c, const struct evsel *e, struct perf_event_attr *attr, pid_t tid,
			 int cpu, int group_fd)
{
	enum { CONFIG3_OFFSET = 128, SIZE = CONFIG3_OFFSET + 8 };
	union {
		struct perf_event_attr attr;
		u8 bytes[sizeof(struct perf_event_attr) + SIZE];
	} with = { 0 };

	if (e->request->cgroup)
		return counter__open_for_cgroup(&c->missing, attr, e->request->cgroup_fd, cpu, group_fd);
	if (!e->config3)
		return counter__open_adapting(&c->missing, attr, tid, cpu, group_fd);
	counter_missing__apply(&c->missing, attr);
	memcpy(with.bytes, attr, MIN(sizeof(*attr), (size_t)CONFIG3_OFFSET));
	memcpy(with.bytes + CONFIG3_OFFSET, &e->config3, sizeof(e->config3));
	with.attr.size = SIZE;
	return counter__open(&with.attr, tid, cpu, group_fd);
}

/* ---- opening ---- */

/* The counters of one CPU or thread. All of them write to one ring. */
struct share {
	int tid, cpu;
	/* indices of the counters that own the forward and the backward ring; -1: none yet */
	int owner[2];
	bool tracking_only; /* only the side-band of this CPU is recorded */
	bool gone;          /* the thread has exited */
	bool refused;       /* above the limit on locked memory */
	bool small;         /* open the counter for small copies of waits */
	bool again;         /* counters opened before have features that the event has lost: open all again */
	struct err *err;
};

static bool counters__has(const struct counters *c, const struct evsel *e)
{
	for (size_t i = 0; i < c->v.nr; i++)
		if (c->v.v[i].evsel == e->idx)
			return true;
	return false;
}

/*
 * Open a counter, and let e say what the kernel accepted, as its records are laid out so. Set s->again if
 * other counters of e, which it accepted with more, have to be opened once more.
 */
static int counters__open_as_accepted(struct counters *c, struct evsel *e, struct perf_event_attr *attr,
				      int group_fd, struct share *s)
{
	const struct perf_event_attr wanted = *attr;
	int fd = counters__open_event(c, e, attr, s->tid, s->cpu, group_fd);

	if (fd >= 0 && counter__drop_refused(&e->attr, &wanted, attr))
		s->again |= counters__has(c, e);
	return fd;
}

/*
 * Return whether n, of a whole CPU, is opened for one variant at a time: its ring belongs to another counter,
 * and samples tell their counter, so that a new one can have the id of the one before.
 */
static bool counter__may_move(const struct counter *n, const struct share *s)
{
	return n->tid < 0 && s->owner[0] >= 0 && (n->has_levels || n->has_small) && !n->attr.write_backward &&
	       (n->attr.sample_type & PERF_SAMPLE_IDENTIFIER) && n->attr.sample_id_all;
}

/* Open the event of n, whose other fields are filled in, and add n to the counters. */
static int counters__add(struct counters *c, struct evsel *e, struct counter *n, int group_fd,
			 struct share *s)
{
	struct perf_event_attr attr = counter__variant(c, n), wanted;

	if (!counters__uses(c, n)) {
		attr.disabled = 1;
		attr.enable_on_exec = 0;
	}
	wanted = attr;
	n->fd = counters__open_as_accepted(c, e, &attr, group_fd, s);
	s->gone = n->fd == -ESRCH;
	if (s->gone)
		return 0;
	if (n->fd < 0)
		return checks__explain_open(e, n->fd, s->tid, s->err);
	counter__drop_refused(&n->attr, &wanted, &attr);
	n->read_format = attr.read_format;
	array__add(&c->v, *n);
	n = &c->v.v[c->v.nr - 1];
	if (ioctl(n->fd, PERF_EVENT_IOC_ID, &n->id))
		return err__set(s->err, -errno, "cannot get the id of '%s': %s", e->name, strerror(errno));
	n->kernel_id = n->id;
	return 0;
}

static int counters__open_one(struct counters *c, struct evsel *e, size_t piece, unsigned level, int group_fd,
			      struct share *s)
{
	struct perf_event_attr attr = evsel__attr_to_open(e, piece);
	struct counter n = { .evsel = e->idx,
			     .piece = (u32)piece,
			     .cpu = s->cpu,
			     .tid = s->tid,
			     .has_levels = counters__has_levels(c, e),
			     .level = level,
			     .has_small = counters__has_small(c, e),
			     .is_small = s->small,
			     .is_off = attr.disabled && !attr.enable_on_exec };

	/* Usual is one half. A watchpoint is moved by the attr of its event: only the address may differ. */
	if (c->levels.nr && !attr.wakeup_events && !attr.write_backward && !e->request->watch) {
		attr.watermark = 1;
		attr.wakeup_watermark = (u32)((u64)c->pages * (u64)sysconf(_SC_PAGESIZE) / WAKE_PART);
	}
	if (s->tracking_only) /* names are needed from there, but not switches */
		attr.context_switch = 0;
	n.attr = attr;
	n.moves = counter__may_move(&n, s);
	return counters__add(c, e, &n, group_fd, s);
}

static u32 usual_pages(void)
{
	return (u32)(USUAL_RING_BYTES / sysconf(_SC_PAGESIZE));
}

/*
 * Return the pages of a ring that is not a flight ring. One with only the side-band has at most the usual
 * size, whatever -m says.
 */
static u32 ring_pages(const struct counters *c, const struct share *s)
{
	if (c->side_band_pages)
		return c->side_band_pages;
	return s->tracking_only ? MIN(c->pages, usual_pages()) : c->pages;
}

/* Map the ring of the counter at index. Set s->refused if the limit on locked memory is too low. */
static int counters__map_ring(struct counters *c, size_t index, bool is_flight, struct share *s)
{
	struct counter *n = &c->v.v[index];
	struct ring ring;
	int ret = is_flight ? ring__map_backward(&ring, n->fd, n->cpu, c->pages)
			    : ring__map(&ring, n->fd, n->cpu, ring_pages(c, s));

	s->refused = ret == -EPERM || ret == -ENOMEM;
	if (!ret && is_flight)
		array__add(&c->flight_rings, ring);
	else if (!ret)
		array__add(&c->rings, ring);
	else if (!s->refused || c->pages == 1) /* otherwise smaller rings are tried */
		checks__explain_to(
			&(struct failure){ .attempt = ATTEMPT_MAP, .error = ret, .pages = c->pages }, s->err);
	return ret;
}

/* Return the descriptor of e's leader in this share, or -1 if e is not in a group. */
static int counters__group_fd(const struct counters *c, const struct evsel *e, const struct share *s)
{
	for (size_t i = c->v.nr; e->leader != e->idx && i-- > 0;)
		if (c->v.v[i].evsel == e->leader && c->v.v[i].cpu == s->cpu && c->v.v[i].tid == s->tid)
			return c->v.v[i].fd;
	return -1;
}

/*
 * Give a ring to the last counter, which belongs to e: map one for the first counter of a share, and let the
 * others write to that.
 */
static int counters__give_ring(struct counters *c, const struct evsel *e, struct share *s)
{
	bool is_flight = e->attr.write_backward;
	size_t at = c->v.nr - 1;
	int *owner = &s->owner[is_flight];

	if (*owner < 0) {
		*owner = (int)at;
		c->v.v[at].ring = (u32)(is_flight ? c->flight_rings.nr : c->rings.nr);
		return counters__map_ring(c, at, is_flight, s);
	}
	c->v.v[at].ring = c->v.v[*owner].ring;
	if (ioctl(c->v.v[at].fd, PERF_EVENT_IOC_SET_OUTPUT, c->v.v[*owner].fd))
		return err__set(s->err, -errno, "cannot share the ring buffer: %s", strerror(errno));
	return 0;
}

/* Open a piece of e, or e for another level, and give the counter a ring. */
static int counters__open_with_ring(struct counters *c, struct evsel *e, size_t piece, unsigned level,
				    int group_fd, struct share *s)
{
	int ret = counters__open_one(c, e, piece, level, group_fd, s);

	return ret || s->gone ? ret : counters__give_ring(c, e, s);
}

static int counters__open_evsel(struct counters *c, struct evsel *e, struct share *s)
{
	int group_fd = counters__group_fd(c, e, s), ret = 0;

	for (size_t piece = 0; !ret && !s->gone && piece < nr_pieces(e); piece++)
		ret = counters__open_with_ring(c, e, piece, c->level, group_fd, s);
	if (ret || s->gone || c->v.v[c->v.nr - 1].moves)
		return ret;
	for (unsigned level = 0; !ret && !s->gone && counters__has_levels(c, e) && level < c->levels.nr;
	     level++)
		if (level != c->level)
			ret = counters__open_with_ring(c, e, 0, level, -1, s);
	s->small = !ret && !s->gone && counters__has_small(c, e);
	if (s->small)
		ret = counters__open_with_ring(c, e, 0, c->level, -1, s);
	s->small = false;
	return ret;
}

/*
 * Return whether e is opened in this pass. The tracking event is opened before all others: a thread that the
 * target starts in between inherits what is open, and must not be sampled without a FORK record.
 */
static bool is_of_pass(const struct evsel *e, bool tracking)
{
	return (counters__is_tracking(e) && e->leader == e->idx) == tracking;
}

/* Open the events of a pass for thread tid, or with everywhere, those that count on whole CPUs. */
static int counters__open_for(struct counters *c, struct evlist *l, int tid, bool everywhere, bool tracking,
			      struct share *s)
{
	int ret = 0;

	s->tid = tid;
	s->gone = false;
	for (size_t i = 0; !ret && !s->gone && i < l->evsels.nr; i++) {
		struct evsel *e = l->evsels.v[i];

		if (!e->request->is_ready_time && is_of_pass(e, tracking) &&
		    event_request__is_everywhere(e->request) == everywhere &&
		    evsel__counts_on(l->evsels.v[e->leader], s->cpu))
			ret = counters__open_evsel(c, e, s);
	}
	return ret;
}

static int counters__open_share(struct counters *c, struct evlist *l, const int *tids, size_t nr_tids,
				bool tracking, struct share *s)
{
	int ret = 0;

	for (size_t t = 0; !ret && t < nr_tids; t++)
		ret = counters__open_for(c, l, tids[t], false, tracking, s);
	return ret ? ret : counters__open_for(c, l, -1, true, tracking, s);
}

static int counters__open_shares(struct counters *c, struct evlist *l, const struct target *t, bool *refused,
				 bool *again, struct err *err)
{
	static const int any = -1;
	const int *tids = t->tids.nr ? t->tids.v : &any;
	size_t nr_tids = t->tids.nr ? t->tids.nr : 1;
	size_t nr = t->per_thread ? nr_tids : t->cpus.nr + t->side_band_cpus.nr;
	struct share *shares = xcalloc(nr + 1, sizeof(*shares));
	int ret = 0;

	for (size_t i = 0; i < nr; i++) {
		shares[i] = (struct share){ .cpu = -1, .owner = { -1, -1 }, .err = err };
		if (t->per_thread)
			continue;
		shares[i].tracking_only = i >= t->cpus.nr;
		shares[i].cpu = i < t->cpus.nr ? t->cpus.v[i] : t->side_band_cpus.v[i - t->cpus.nr];
	}
	*refused = false;
	*again = false;
	for (size_t k = 0; !ret && k < 2 * nr; k++) {
		struct share *s = &shares[k % nr];
		size_t first = t->per_thread ? k % nr : 0;

		if (k < nr || !s->tracking_only)
			ret = counters__open_share(c, l, tids + first, t->per_thread ? 1 : nr_tids, k < nr,
						   s);
		*refused |= s->refused;
		*again |= s->again;
	}
	free(shares);
	return ret;
}

static void counters__close(struct counters *c)
{
	for (size_t i = 0; i < c->rings.nr; i++)
		ring__unmap(&c->rings.v[i]);
	for (size_t i = 0; i < c->flight_rings.nr; i++)
		ring__unmap(&c->flight_rings.v[i]);
	for (size_t i = 0; i < c->v.nr; i++)
		close(c->v.v[i].fd);
	c->rings.nr = 0;
	c->flight_rings.nr = 0;
	c->v.nr = 0;
}

/*
 * Open all, and close what was open. If the kernel refuses a feature meanwhile, what the events say changes:
 * then open all again, with fewer features each time.
 */
static int counters__open_all(struct counters *c, struct evlist *l, const struct target *t, bool *refused,
			      struct err *err)
{
	bool again;
	int ret;

	do {
		u32 missing = c->missing.bits;

		counters__close(c);
		ret = counters__open_shares(c, l, t, refused, &again, err);
		again |= c->missing.bits != missing;
		counters__apply_missing(c, l);
	} while (!ret && again);
	return ret;
}

/* Add the ids to the events in the order of the counters. */
static void counters__fill_ids(const struct counters *c, struct evlist *l)
{
	for (size_t i = 0; i < c->v.nr; i++)
		evlist__add_id(l, l->evsels.v[c->v.v[i].evsel], c->v.v[i].id);
	for (size_t i = 0; i < l->evsels.nr; i++)
		if (l->evsels.v[i]->request->is_ready_time)
			evlist__add_id(l, l->evsels.v[i], READY_TIME_ID);
}

/* Return the pages of the forward rings if all other events use flight rings, or 0. */
static u32 side_band_pages(const struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++)
		if (!l->evsels.v[i]->attr.write_backward && !counters__is_tracking(l->evsels.v[i]))
			return 0;
	return usual_pages();
}

struct descriptors counters__descriptors(const struct counters *c, const struct evlist *l,
					 const struct target *t)
{
	u64 cpus = t->per_thread ? 1 : t->cpus.nr;
	struct descriptors d = { .pairs = MAX(t->tids.nr, (size_t)1) * cpus };

	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i];

		if (e->request->is_ready_time)
			continue;
		if (event_request__is_everywhere(e->request)) {
			d.rest += cpus;
			continue;
		}
		if (counters__is_tracking(e)) {
			d.tracking++;
			d.rest += t->side_band_cpus.nr * MAX(t->tids.nr, (size_t)1);
			continue;
		}
		d.events += nr_pieces(e);
		d.with_levels += counters__has_levels(c, e);
		d.with_small += counters__may_be_small(e);
	}
	return d;
}

/* Find the rate of all events that have levels, in samples per second on a CPU. */
static void counters__add_rates(struct counters *c, const struct evlist *l)
{
	c->rate = 0;
	c->nr_rates = 0;
	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i];

		if (!counters__has_levels(c, e) || !e->attr.freq)
			continue;
		c->rate += e->attr.sample_freq;
		c->nr_rates++;
	}
}

/*
 * Choose the levels that fit the rings and the number of descriptors (limit), and the first one. Smaller
 * rings may have others.
 */
static void counters__fit_levels(struct counters *c, struct evlist *l, const struct target *t, u64 limit)
{
	u64 ring = (u64)c->pages * (u64)sysconf(_SC_PAGESIZE);
	struct stack_levels *levels = &c->levels;
	struct descriptors d;
	struct variants_most most;

	if (!levels->nr)
		return;
	if (!c->level_mark)
		c->level_mark = levels->asked;
	stack_levels__fill(levels, levels->asked, levels->most > levels->asked);
	stack_levels__fit(levels, ring);
	for (size_t i = 0; i < l->evsels.nr; i++)
		if (l->evsels.v[i]->attr.sample_stack_user == c->level_mark)
			l->evsels.v[i]->attr.sample_stack_user = levels->v[levels->start].copy;
	c->level_mark = levels->v[levels->start].copy;
	counters__add_rates(c, l);
	stack_levels__slow_down(levels, ring, c->rate);
	d = counters__descriptors(c, l, t);
	most = variants_most__of(&d, t, limit);
	c->has_small = most.small;
	stack_levels__keep(levels, most.levels, ring, c->rate);
	c->level = stack_load__begin(&c->load, levels, ring, c->rate, clock__ms());
}

/* Explain that there are too few descriptors: how many the events need at least. */
static int counters__explain_files(const struct counters *c, const struct evlist *l, const struct target *t,
				   struct err *err)
{
	struct descriptors d = counters__descriptors(c, l, t);

	return checks__explain_to(&(struct failure){ .attempt = ATTEMPT_OPEN,
						     .error = -EMFILE,
						     .name = l->evsels.v[0]->name,
						     .attr = &l->evsels.v[0]->attr,
						     .pid = -1,
						     .owner = -1,
						     .needed = descriptors__total(&d, 1, false) + OWN_FILES },
				  err);
}

int counters__open(struct counters *c, struct evlist *l, const struct target *t, u32 pages, struct err *err)
{
	u64 limit = limits__raise_nofile() / 4 * 3; /* the rest is for binaries, and others */
	bool refused = false;
	int ret;

	c->l = l;
	c->pages = pages;
	c->side_band_pages = side_band_pages(l);
	counters__fit_levels(c, l, t, limit);
	ret = counters__open_all(c, l, t, &refused, err);
	/*
	 * Halve rings of all CPUs until they fit: if they had different sizes, the last CPUs might get none.
	 * Flight rings keep twice as much as the side-band's, or more.
	 */
	while (ret && refused && c->pages > 1) {
		if (c->side_band_pages > 1 && c->side_band_pages >= c->pages)
			c->side_band_pages /= 2;
		else
			c->pages /= 2;
		c->shrunk = true;
		counters__fit_levels(c, l, t, limit);
		ret = counters__open_all(c, l, t, &refused, err);
	}
	if (ret == -EMFILE)
		ret = counters__explain_files(c, l, t, err);
	if (!ret && !c->v.nr)
		ret = err__set(err, -ESRCH, "all of the given threads are gone");
	if (!ret)
		counters__fill_ids(c, l);
	return ret;
}

static void counters__switch(struct counters *c, struct counter *n, bool on)
{
	n->is_off = !on;
	if (counters__uses(c, n))
		ioctl(n->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void counters__enable(struct counters *c, const struct evlist *l, bool on)
{
	c->armed = on;
	for (size_t i = 0; i < c->v.nr; i++)
		if (!counters__is_tracking(l->evsels.v[c->v.v[i].evsel]))
			counters__switch(c, &c->v.v[i], on);
}

void counters__enable_event(struct counters *c, const struct evsel *e, bool on)
{
	c->armed |= on;
	for (size_t i = 0; i < c->v.nr; i++)
		if (c->v.v[i].evsel == e->idx && !counters__is_tracking(e))
			counters__switch(c, &c->v.v[i], on);
}

void counters__enable_everywhere(struct counters *c, const struct evlist *l)
{
	for (size_t i = 0; i < c->v.nr; i++)
		if (event_request__is_everywhere(l->evsels.v[c->v.v[i].evsel]->request))
			counters__switch(c, &c->v.v[i], true);
}

int counters__place(struct counters *c, const struct evsel *e, const struct perf_event_attr *opened,
		    const int_array *tids, u64 bias)
{
	for (size_t i = 0; i < c->v.nr; i++) {
		const struct counter *n = &c->v.v[i];
		struct perf_event_attr attr = *opened;

		if (n->evsel != e->idx || (tids && !int_list__has(tids, n->tid)))
			continue;
		attr.bp_addr = e->request->watch->pieces.v[n->piece].addr + bias;
		attr.bp_len = e->request->watch->pieces.v[n->piece].len;
		if (ioctl(n->fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr) ||
		    (c->armed && ioctl(n->fd, PERF_EVENT_IOC_ENABLE, 0)))
			return -errno;
	}
	return 0;
}

void counters__begin_round(struct counters *c)
{
	struct ring_part part[2];

	for (size_t i = 0; i < c->rings.nr; i++)
		ring__begin(&c->rings.v[i], part);
}

void counters__exit(struct counters *c)
{
	counters__close(c);
	array__exit(&c->rings);
	array__exit(&c->flight_rings);
	array__exit(&c->v);
	hotplug__exit(&c->hotplug);
}
