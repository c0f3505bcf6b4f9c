#include "record/target/tasks.h"

#include <errno.h>
#include <signal.h>

enum { COMPACT_MIN = 4096 };

void tasks__exit(struct tasks *t)
{
	array__exit(&t->pids);
}

const int_array *tasks__alive(struct tasks *t)
{
	size_t nr = 0;

	int_list__sort_unique(&t->pids);
	for (size_t i = 0; i < t->pids.nr; i++)
		if (!kill(t->pids.v[i], 0) || errno != ESRCH)
			t->pids.v[nr++] = t->pids.v[i];
	t->pids.nr = nr;
	t->compact_at = MAX(2 * nr, (size_t)COMPACT_MIN);
	return &t->pids;
}

void tasks__add(struct tasks *t, int pid)
{
	if (pid <= 0)
		return;
	if (t->pids.nr >= MAX(t->compact_at, (size_t)COMPACT_MIN))
		tasks__alive(t);
	array__add(&t->pids, pid);
}

void tasks__see(struct tasks *t, const struct perf_event_header *h)
{
	const u32 *ids = (const u32 *)(const void *)(h + 1); /* pid, ppid, tid, ptid */

	if (h->type == PERF_RECORD_FORK && h->size >= sizeof(*h) + 16 && ids[0] != ids[1])
		tasks__add(t, (int)ids[0]);
}
