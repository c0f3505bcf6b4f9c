#include "record/events/hotplug.h"

#include <stdio.h>
#include <sys/stat.h>

u64 hotplug__identity(int cpu)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology", cpu);
	return stat(path, &st) ? 0 : (u64)st.st_ino;
}

void hotplug__add(struct hotplug *h, int cpu, u64 identity, bool is_new)
{
	array__add(&h->v, ((struct hotplug_cpu){ .cpu = cpu, .identity = identity, .is_new = is_new }));
}

bool hotplug__see(struct hotplug_cpu *c, u64 identity, u64 since)
{
	if (identity == c->identity)
		return false;
	if (!c->off_since)
		c->off_since = since;
	return identity && !c->is_new;
}

static void add_gap(struct hotplug_gaps *g, const struct hotplug_cpu *c, u64 now)
{
	u64 cpu = (u64)c->cpu + 1;

	g->cpu = !g->nr || g->cpu == cpu ? cpu : 0;
	g->nr++;
	g->ms += now - MIN(now, c->off_since);
}

void hotplug__reopened(struct hotplug *h, struct hotplug_cpu *c, u64 identity, u64 now)
{
	add_gap(&h->gaps, c, now);
	c->identity = identity;
	c->off_since = 0;
}

struct hotplug_gaps hotplug__take(struct hotplug *h, u64 now)
{
	struct hotplug_gaps gaps = h->gaps;

	h->gaps = (struct hotplug_gaps){ 0 };
	for (size_t i = 0; i < h->v.nr; i++) {
		if (!h->v.v[i].off_since)
			continue;
		add_gap(&gaps, &h->v.v[i], now);
		h->v.v[i].off_since = now;
	}
	return gaps;
}

void hotplug__exit(struct hotplug *h)
{
	array__exit(&h->v);
}
