#include "base/message/msg.h"
#include "base/system/clock.h"
#include "record/events/counters.h"

#include <unistd.h>

enum { LOOK_MS = 500 };

void counters__note_cpus(struct counters *c, const struct target *t)
{
	long nr = sysconf(_SC_NPROCESSORS_CONF);
	int last = -1;

	if (t->per_thread || t->tids.nr) /* counters of threads come back with the CPU */
		return;
	for (size_t i = 0; i < c->v.nr; i++) {
		int cpu = c->v.v[i].cpu;
		bool is_known = cpu < 0 || cpu == last;

		for (size_t k = 0; !is_known && k < c->hotplug.v.nr; k++)
			is_known = c->hotplug.v.v[k].cpu == cpu;
		if (!is_known)
			hotplug__add(&c->hotplug, cpu, hotplug__identity(cpu), false);
		last = cpu;
	}
	for (int cpu = 0; !t->has_cpu_list && cpu < nr; cpu++) {
		bool is_known = false;

		for (size_t k = 0; !is_known && k < c->hotplug.v.nr; k++)
			is_known = c->hotplug.v.v[k].cpu == cpu;
		if (!is_known)
			hotplug__add(&c->hotplug, cpu, 0, true);
	}
}

/* Return the first counter of the ring that n writes to: it was opened for it. */
static const struct counter *owner_of(const struct counters *c, const struct evlist *l,
				      const struct counter *n)
{
	for (size_t i = 0; i < c->v.nr; i++)
		if (c->v.v[i].ring == n->ring && l->evsels.v[c->v.v[i].evsel]->attr.write_backward ==
							 l->evsels.v[n->evsel]->attr.write_backward)
			return &c->v.v[i];
	return n;
}

static int group_of(const struct counters *c, const struct evlist *l, const struct counter *n)
{
	const struct evsel *e = l->evsels.v[n->evsel];

	for (size_t i = 0; e->leader != e->idx && i < c->v.nr; i++)
		if (c->v.v[i].evsel == e->leader && c->v.v[i].cpu == n->cpu)
			return c->v.v[i].fd;
	return -1;
}

/* The first counter of a ring comes first, so the others find its new one there. */
static int reopen_cpu(struct counters *c, const struct evlist *l, int cpu, int epoll_fd,
		      index_array *reopened)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < c->v.nr; i++) {
		struct counter *n = &c->v.v[i];
		bool is_flight = l->evsels.v[n->evsel]->attr.write_backward;

		if (n->cpu != cpu || n->tid >= 0)
			continue;
		ret = counters__reopen(c, l, n, owner_of(c, l, n)->fd, group_of(c, l, n), epoll_fd);
		if (ret)
			break;
		if (n->attr.sample_type & PERF_SAMPLE_IDENTIFIER)
			ring__rename_id(is_flight ? &c->flight_rings.v[n->ring] : &c->rings.v[n->ring],
					n->kernel_id, n->id);
		array__add(reopened, i);
	}
	for (size_t i = 0; !ret && i < c->v.nr; i++)
		if (c->v.v[i].cpu == cpu && c->v.v[i].tid < 0)
			counters__resume(c, &c->v.v[i]);
	return ret;
}

void counters__follow_cpus(struct counters *c, const struct evlist *l, int epoll_fd, index_array *reopened)
{
	struct hotplug *h = &c->hotplug;
	u64 now = clock__ms(), since = h->looked ? h->looked : now;

	if (now - h->looked < LOOK_MS)
		return;
	h->looked = now;
	for (size_t i = 0; i < h->v.nr; i++) {
		struct hotplug_cpu *cpu = &h->v.v[i];
		u64 identity = hotplug__identity(cpu->cpu);
		bool opens = hotplug__see(cpu, identity, since);
		int ret = opens ? reopen_cpu(c, l, cpu->cpu, epoll_fd, reopened) : 0;

		if (opens && !ret)
			hotplug__reopened(h, cpu, identity, clock__ms());
		else if (identity && cpu->off_since && !cpu->is_told) {
			warning(ret ? "CPU %d is back, but its events cannot be opened again: %s"
				    : "CPU %d is online now; it is not recorded: begin another recording%s",
				cpu->cpu, ret ? err__str(ret) : "");
			cpu->is_told = true;
		}
	}
}
