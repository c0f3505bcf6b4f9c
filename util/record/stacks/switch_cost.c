#include "record/stacks/switch_cost.h"

#include "base/system/clock.h"
#include "base/system/file.h"
#include "live/counter.h"
#include "live/ring.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	SLEEPS = 7, /* in one go */
	COSTS = 28, /* of the last sleeps, of which the middle half counts */
	SLEEP_NS = 50000,
	PAGES = 64,
};

struct switch_cost {
	const struct evlist *l;
	struct ring ring; /* base NULL: not open */
	int_array fds;    /* the first one writes the records of switches */
	u64 costs[COSTS];
	size_t nr; /* sleeps so far */
};

/* Open an event that writes a record of each switch with its time, and map its ring. */
static int open_switches(struct ring *ring)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.context_switch = 1,
		.disabled = 1,
	};
	int fd = counter__open(&attr, 0, -1, -1);

	if (fd >= 0 && ring__map(ring, fd, -1, PAGES)) {
		close(fd);
		return -1;
	}
	return fd;
}

/*
 * Start the events that are sampled in threads, with the ring of the descriptor to. Tracepoints and
 * breakpoints take long to open, and little to start.
 */
static void open_events(const struct evlist *l, int to, int_array *fds)
{
	for (size_t i = 0; i < l->evsels.nr; i++) {
		struct perf_event_attr attr = l->evsels.v[i]->attr;
		int fd;

		if (attr.type == PERF_TYPE_TRACEPOINT || attr.type > PERF_TYPE_RAW)
			continue;
		attr.disabled = 1;
		attr.inherit = attr.context_switch = 0;
		attr.enable_on_exec = attr.inherit_stat = attr.remove_on_exec = 0;
		attr.sig_data = 0; /* format/records/sampling_mark.h */
		fd = counter__open(&attr, 0, -1, -1);
		if (fd < 0)
			continue;
		ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, to); /* a sample takes time, too */
		array__add(fds, fd);
	}
}

/* Return the ns between records of switching out and in since the last call; *nr: how many times. */
static u64 time_switched_out(struct ring *ring, u64 *nr)
{
	u64 time, out = 0, sum = 0;
	const struct perf_event_header *h;
	u8 joined[RING_RECORD_MAX];
	struct ring_part part[2];
	struct ring_cursor c;

	*nr = 0;
	ring__begin(ring, part);
	ring_cursor__init(&c, ring, joined);
	while ((h = ring_cursor__next(&c))) {
		if (h->type != PERF_RECORD_SWITCH || h->size < sizeof(*h) + sizeof(time))
			continue;
		memcpy(&time, h + 1, sizeof(time));
		if (h->misc & PERF_RECORD_MISC_SWITCH_OUT) {
			out = time;
		} else if (out) {
			sum += time - out;
			out = 0;
			++*nr;
		}
	}
	ring__end(ring);
	return sum;
}

static u64 time_not_running(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return clock__ns() - timespec__ns(&t);
}

/* Return by how much the records of a short sleep are too long, for each switch; 0 if that is unknown. */
static u64 cost_of_sleep(struct ring *ring)
{
	const struct timespec pause = { 0, SLEEP_NS };
	u64 really = time_not_running(), seen, nr;

	nanosleep(&pause, NULL);
	really = time_not_running() - really;
	seen = time_switched_out(ring, &nr);
	return nr && seen > really ? (seen - really) / nr : 0;
}

static bool switch_cost__open(struct switch_cost *c)
{
	int fd = open_switches(&c->ring);

	if (fd < 0)
		return false;
	array__add(&c->fds, fd);
	open_events(c->l, fd, &c->fds);
	return true;
}

static void switch_cost__enable(const struct switch_cost *c, bool on)
{
	for (size_t i = 0; i < c->fds.nr; i++)
		ioctl(c->fds.v[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

u64 switch_cost__measure(struct switch_cost *c)
{
	u64 costs[COSTS], sum = 0;
	size_t nr;

	if (!c->fds.nr && !switch_cost__open(c))
		return 0;
	switch_cost__enable(c, true);
	for (size_t i = 0; i < SLEEPS; i++)
		c->costs[c->nr++ % COSTS] = cost_of_sleep(&c->ring);
	switch_cost__enable(c, false);
	nr = MIN(c->nr, (size_t)COSTS);
	memcpy(costs, c->costs, nr * sizeof(*costs));
	qsort(costs, nr, sizeof(*costs), u64__compare);
	for (size_t i = nr / 4; i < nr - nr / 4; i++)
		sum += costs[i];
	return sum / (nr - nr / 4 * 2);
}

struct switch_cost *switch_cost__new(const struct evlist *l)
{
	struct switch_cost *c = xcalloc(1, sizeof(*c));

	c->l = l;
	return c;
}

void switch_cost__delete(struct switch_cost *c)
{
	if (!c)
		return;
	for (size_t i = c->fds.nr; i-- > 0;)
		close(c->fds.v[i]);
	if (c->fds.nr)
		ring__unmap(&c->ring);
	array__exit(&c->fds);
	free(c);
}
