#include "stat/counting.h"

#include "event/evsel/event_request.h"
#include "event/parse/parse.h"
#include "live/checks.h"
#include "live/limits.h"
#include "record/events/event_filters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- places ---- */

void counting__init(struct counting *c, struct evlist *l, const struct counting_opts *opts,
		    const struct target *t)
{
	static const int any = -1;
	const int_array *tids = &t->tids;
	size_t nr_tids = t->system_wide ? 1 : tids->nr;
	/* a thread is counted on all CPUs, unless some were chosen */
	size_t nr_cpus = t->system_wide || t->has_cpu_list ? t->cpus.nr : 1;

	*c = (struct counting){ .l = l, .opts = opts };
	for (size_t i = 0; i < nr_tids; i++)
		for (size_t j = 0; j < nr_cpus; j++)
			array__add(&c->places, ((struct stat_place){
						       t->system_wide || t->has_cpu_list ? t->cpus.v[j] : any,
						       t->system_wide ? any : tids->v[i] }));
	c->counters = xcalloc(l->evsels.nr * c->places.nr + 1, sizeof(*c->counters));
	c->refusals = xcalloc(l->evsels.nr + 1, sizeof(*c->refusals));
	for (size_t i = 0; i < l->evsels.nr * c->places.nr; i++)
		c->counters[i].fd = -1;
}

void counting__exit(struct counting *c)
{
	counting__close(c);
	array__exit(&c->places);
	array__exit(&c->words);
	free(c->counters);
	free(c->refusals);
}

/* ---- opening ---- */

static const struct evsel *leader_of(const struct counting *c, const struct evsel *e)
{
	return c->l->evsels.v[e->leader];
}

static struct perf_event_attr attr_to_open(const struct counting *c, const struct evsel *e)
{
	struct perf_event_attr attr = e->attr;
	bool is_leader = e->leader == e->idx;

	attr.sample_period = attr.sample_type = 0;
	attr.freq = 0;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (leader_of(c, e)->nr_members > 1)
		attr.read_format |= PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	attr.inherit = !c->opts->no_inherit && e->request->terms.inherit != TERM_OFF;
	attr.disabled = is_leader;
	attr.enable_on_exec = is_leader && c->opts->on_exec;
	if (c->opts->all_user)
		attr.exclude_kernel = attr.exclude_hv = 1;
	if (c->opts->all_kernel)
		attr.exclude_user = 1;
	return attr;
}

static bool counts_at(const struct evsel *e, const struct stat_place *p)
{
	const int_array *cpus = &e->request->cpus; /* of a PMU that does not count on each CPU */

	return p->cpu < 0 || !cpus->nr || int_list__has(cpus, p->cpu);
}

/* Is it the machine that has no such event, rather than this user who may not count it? */
static bool is_not_there(int error)
{
	return error == -ENOENT || error == -ENODEV || error == -ENXIO || error == -EOPNOTSUPP ||
	       error == -ENOSYS || error == -EINVAL;
}

static int open_counter(struct counting *c, const struct evsel *e, size_t p)
{
	struct stat_counter *counter = counting__counter(c, e->idx, p);
	const struct stat_counter *leader = counting__counter(c, e->leader, p);
	const struct stat_place *place = &c->places.v[p];
	struct perf_event_attr attr = attr_to_open(c, e);

	if (!counts_at(e, place))
		return 0;
	if (e->leader != e->idx && leader->fd < 0)
		return c->refusals[e->leader] ? c->refusals[e->leader] : -ESRCH;
	if (e->request->cgroup)
		counter->fd = counter__open_for_cgroup(&c->missing, &attr, e->request->cgroup_fd, place->cpu,
						       leader->fd);
	else
		counter->fd = counter__open_adapting(&c->missing, &attr, place->tid, place->cpu, leader->fd);
	if (counter->fd < 0)
		return counter->fd;
	counter->is_there = true;
	counter->is_read_by_leader = e->leader != e->idx;
	if ((attr.read_format & PERF_FORMAT_ID || c->opts->wants_ids) &&
	    ioctl(counter->fd, PERF_EVENT_IOC_ID, &counter->id))
		return -errno;
	return 0;
}

/* Have the kernel count what matches --filter only. */
static int set_filter(const struct counting *c, const struct evsel *e, struct err *err)
{
	for (size_t p = 0; p < c->places.nr && e->request->filter; p++) {
		const struct stat_counter *counter = counting__counter(c, e->idx, p);

		if (counter->fd >= 0 && ioctl(counter->fd, PERF_EVENT_IOC_SET_FILTER, e->request->filter))
			return event_filter__explain(e, -errno, err);
	}
	return 0;
}

static void close_event(const struct counting *c, const struct evsel *e)
{
	for (size_t p = 0; p < c->places.nr; p++) {
		struct stat_counter *counter = counting__counter(c, e->idx, p);

		file__close(counter->fd);
		counter->fd = -1;
	}
}

static void drop_event(const struct counting *c, const struct evsel *e)
{
	close_event(c, e);
	for (size_t p = 0; p < c->places.nr; p++)
		counting__counter(c, e->idx, p)->is_there = false;
}

static int open_at_places(struct counting *c, const struct evsel *e)
{
	size_t nr_gone = 0;
	int ret = 0;

	for (size_t p = 0; p < c->places.nr && !ret; p++) {
		ret = open_counter(c, e, p);
		if (ret == -ESRCH && c->places.v[p].tid > 0 && ++nr_gone < c->places.nr)
			ret = 0; /* one of several threads has ended */
	}
	return ret;
}

static int open_event(struct counting *c, struct evsel *e, struct err *err)
{
	bool may_exclude = !e->attr.exclude_kernel && !e->attr.exclude_user && !c->opts->all_kernel;
	int ret = open_at_places(c, e);

	if ((ret == -EACCES || ret == -EPERM) && may_exclude) {
		drop_event(c, e);
		if (counter__is_all_kernel(&e->attr, e->name)) { /* user space alone has none of them */
			c->refusals[e->idx] = ret;
			return 0;
		}
		e->attr.exclude_kernel = e->attr.exclude_hv = 1;
		evsel__name_user_only(e);
		ret = open_at_places(c, e);
	}
	if (!ret)
		return set_filter(c, e, err);
	drop_event(c, e);
	c->refusals[e->idx] = ret;
	if (is_not_there(ret))
		return 0;
	return checks__explain_open(e, ret, c->places.v[0].tid, err);
}

int counting__open(struct counting *c, struct err *err)
{
	enum { USUAL_DESCRIPTORS = 200 }; /* for these, the limit need not be raised */
	int ret = 0;

	if (c->l->evsels.nr * c->places.nr > USUAL_DESCRIPTORS)
		limits__raise_nofile();
	for (size_t i = 0; i < c->l->evsels.nr && !ret; i++) {
		struct evsel *e = c->l->evsels.v[i];

		if (e->request->tool == TOOL_NONE && !c->refusals[i])
			ret = open_event(c, e, err);
	}
	return ret;
}

void counting__close(struct counting *c)
{
	for (size_t i = 0; i < c->l->evsels.nr; i++)
		close_event(c, c->l->evsels.v[i]);
}

void counting__forget(struct counting *c)
{
	for (size_t i = 0; i < c->l->evsels.nr * c->places.nr; i++)
		c->counters[i] = (struct stat_counter){ .fd = -1 };
}

/* ---- counting ---- */

static void enable_event(const struct counting *c, const struct evsel *e, bool on)
{
	for (size_t p = 0; p < c->places.nr; p++) {
		const struct stat_counter *counter = counting__counter(c, e->idx, p);

		if (counter->fd >= 0 && !counter->is_read_by_leader)
			ioctl(counter->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	}
}

void counting__enable(const struct counting *c, bool on)
{
	for (size_t i = 0; i < c->l->evsels.nr; i++)
		enable_event(c, c->l->evsels.v[i], on);
}

/* Give the members of a group, from the leader on, what words has for them. */
static void take_group(struct counting *c, const struct evsel *leader, size_t p, size_t nr_words)
{
	const u64 format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			   PERF_FORMAT_GROUP | PERF_FORMAT_ID;

	for (u32 i = 0; i < leader->nr_members; i++) {
		struct stat_counter *counter = counting__counter(c, leader->idx + i, p);
		struct counter_reading r;

		if (counter->fd >= 0 &&
		    !counter__parse_reading(c->words.v, nr_words, format, counter->id, &r))
			counter->now = (struct count){ r.value, r.enabled, r.running };
	}
}

static void read_event(struct counting *c, const struct evsel *e, size_t p)
{
	struct stat_counter *counter = counting__counter(c, e->idx, p);
	size_t nr_words = e->nr_members > 1 ? 3 + 2 * (size_t)e->nr_members : 3;
	ssize_t size;

	if (counter->fd < 0 || counter->is_read_by_leader)
		return;
	array__reserve(&c->words, nr_words);
	size = read(counter->fd, c->words.v, nr_words * sizeof(u64));
	if (size < 0)
		return;
	if (e->nr_members > 1)
		take_group(c, e, p, (size_t)size / sizeof(u64));
	else if ((size_t)size >= 3 * sizeof(u64))
		counter->now = (struct count){ c->words.v[0], c->words.v[1], c->words.v[2] };
}

void counting__read(struct counting *c)
{
	for (size_t i = 0; i < c->l->evsels.nr; i++)
		for (size_t p = 0; p < c->places.nr; p++)
			read_event(c, c->l->evsels.v[i], p);
}

void counting__begin(struct counting *c)
{
	for (size_t i = 0; i < c->l->evsels.nr * c->places.nr; i++)
		c->counters[i].start = c->counters[i].now;
}
