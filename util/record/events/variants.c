#include "record/events/counters_private.h"

#include "base/message/msg.h"
#include "event/evsel/event_request.h"
#include "live/counter.h"
#include "record/stacks/stack_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* bytes of stack copies of waits while they are many: some frames, to be joined with an earlier chain */
enum { WAIT_COPY = 512 };

/* Return whether a's samples may be fewer: they tell their periods. Otherwise all must have the same one. */
static bool may_sample_less(const struct perf_event_attr *a)
{
	return a->freq && (a->sample_type & PERF_SAMPLE_PERIOD);
}

/*
 * Excluded are members of groups, which are enabled together; breakpoints, which use a scarce resource even
 * while disabled; tracepoints, which take long to open; and events whose counts are read.
 */
bool counters__has_levels(const struct counters *c, const struct evsel *e)
{
	const u64 reads = PERF_SAMPLE_READ;
	const struct stack_levels *l = &c->levels;

	return l->nr && (l->nr > 1 || l->v[0].part == 1 || may_sample_less(&e->attr)) &&
	       (e->attr.sample_type & PERF_SAMPLE_STACK_USER) && e->attr.sample_stack_user == c->level_mark &&
	       e->nr_members < 2 && e->leader == e->idx && !event_request__is_of_waits(e->request) &&
	       !e->request->watch && !e->request->probe && !e->attr.inherit_stat &&
	       !(e->attr.sample_type & reads) &&
	       (e->attr.type == PERF_TYPE_HARDWARE || e->attr.type == PERF_TYPE_SOFTWARE ||
		e->attr.type == PERF_TYPE_RAW || e->attr.type == PERF_TYPE_HW_CACHE);
}

bool counters__may_be_small(const struct evsel *e)
{
	return event_request__is_of_waits(e->request) && e->attr.sample_stack_user > WAIT_COPY;
}

bool counters__has_small(const struct counters *c, const struct evsel *e)
{
	return c->levels.nr && c->has_small && counters__may_be_small(e);
}

/* Copy next to nothing if the event must not be sampled less often. */
static void apply_level(const struct stack_level *l, struct perf_event_attr *attr)
{
	attr->sample_stack_user = l->copy;
	if (l->part > 1 && may_sample_less(attr))
		attr->sample_freq = MAX(attr->sample_freq / l->part, (u64)1);
	else if (l->part > 1)
		attr->sample_stack_user = STACK_COPY_MIN;
}

/* See record/stacks/off_cpu.h. */
static void apply_small(struct perf_event_attr *attr)
{
	attr->sample_stack_user = WAIT_COPY;
	attr->exclude_callchain_kernel = 1;
	attr->exclude_callchain_user = 1;
}

struct perf_event_attr counter__variant(const struct counters *c, const struct counter *n)
{
	struct perf_event_attr attr = n->attr;

	if (n->has_levels)
		apply_level(&c->levels.v[n->level], &attr);
	else if (n->is_small)
		apply_small(&attr);
	return attr;
}

bool counters__uses(const struct counters *c, const struct counter *n)
{
	if (n->moves)
		return true;
	if (n->has_small)
		return n->is_small == c->small_waits;
	return !n->has_levels || n->level == c->level;
}

/* ---- opening again ---- */

/* Open n's event as it is to be from now on, disabled. Return the descriptor or a negative errno. */
static int counters__open_again(struct counters *c, const struct evlist *l, const struct counter *n,
				int owner_fd, int group_fd)
{
	const struct evsel *e = l->evsels.v[n->evsel];
	struct perf_event_attr attr = counter__variant(c, n), wanted, accepted = n->attr;
	int fd, ret = 0;

	attr.disabled = 1;
	attr.enable_on_exec = 0;
	wanted = attr;
	fd = counters__open_event(c, e, &attr, n->tid, n->cpu, group_fd);
	if (fd < 0)
		return fd;
	if (counter__drop_refused(&accepted, &wanted, &attr)) /* its records would not be as the file says */
		ret = -EINVAL;
	if (!ret && e->request->filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, e->request->filter))
		ret = -errno;
	if (!ret && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner_fd))
		ret = -errno;
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

/* Have n use the descriptor fd of an event that was opened again: it gets the number of the one before. */
static int counter__take_over(struct counter *n, int fd)
{
	struct counter_reading before;
	u64 id;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return -errno;
	if (!counter__read(n->fd, n->read_format, n->kernel_id, &before)) {
		n->lost += before.lost;
		n->enabled += before.enabled;
		n->running += before.running;
	}
	n->kernel_id = id;
	return dup3(fd, n->fd, O_CLOEXEC) < 0 ? -errno : 0;
}

int counters__reopen(struct counters *c, const struct evlist *l, struct counter *n, int owner_fd,
		     int group_fd, int epoll_fd)
{
	int fd = counters__open_again(c, l, n, owner_fd, group_fd), ret;

	if (fd < 0)
		return fd;
	epoll_ctl(epoll_fd, EPOLL_CTL_DEL, n->fd, NULL); /* the ring keeps the old one open */
	ret = counter__take_over(n, fd);
	close(fd);
	if (!ret && c->set_rate)
		c->set_rate(c->set_rate_arg, n);
	return ret;
}

void counters__resume(struct counters *c, const struct counter *n)
{
	if (!n->is_off && counters__uses(c, n))
		ioctl(n->fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* ---- another variant ---- */

/*
 * Open a counter of a whole CPU again as to, which differs in level or is_small, and enable it before the one
 * that it replaces is disabled. If its CPU is offline, it is opened when the CPU comes back.
 */
static void counters__move(struct counters *c, struct counter *n, const struct counter *to)
{
	struct ring *ring = &c->rings.v[n->ring];
	struct counter next = *to;
	int fd = counters__open_again(c, c->l, to, ring->fd, -1);

	if (fd < 0 && fd != -ENODEV) {
		debug(1, "record", "cannot open an event of CPU %d again: %s", n->cpu, err__str(fd));
		return;
	}
	*n = next;
	if (fd < 0)
		return;
	next.fd = fd;
	if (c->set_rate)
		c->set_rate(c->set_rate_arg, &next);
	if (!ioctl(fd, PERF_EVENT_IOC_ID, &next.kernel_id))
		ring__rename_id(ring, next.kernel_id, n->id);
	counters__resume(c, &next);
	ioctl(n->fd, PERF_EVENT_IOC_DISABLE, 0);
	counter__take_over(n, fd);
	close(fd);
}

void counters__use_level(struct counters *c, unsigned level)
{
	static const unsigned long requests[] = { PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE };
	const unsigned levels[] = { level, c->level };

	if (level == c->level)
		return;
	for (size_t k = 0; k < ARRAY_SIZE(requests); k++)
		for (size_t i = 0; i < c->v.nr; i++)
			if (c->v.v[i].has_levels && !c->v.v[i].moves && c->v.v[i].level == levels[k] &&
			    !c->v.v[i].is_off)
				ioctl(c->v.v[i].fd, requests[k], 0);
	for (size_t i = 0; i < c->v.nr; i++) {
		struct counter to = c->v.v[i];

		to.level = level;
		if (to.has_levels && to.moves)
			counters__move(c, &c->v.v[i], &to);
	}
	c->level = level;
}

void counters__use_small_waits(struct counters *c, bool small)
{
	if (c->small_waits == small)
		return;
	c->small_waits = small;
	for (int on = 1; on >= 0; on--) {
		for (size_t i = 0; i < c->v.nr; i++) {
			const struct counter *n = &c->v.v[i];

			if (n->has_small && !n->moves && !n->is_off && (n->is_small == small) == on)
				ioctl(n->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
		}
	}
	for (size_t i = 0; i < c->v.nr; i++) {
		struct counter to = c->v.v[i];

		to.is_small = small;
		if (to.has_small && to.moves)
			counters__move(c, &c->v.v[i], &to);
	}
}
