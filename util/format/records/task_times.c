#include "format/records/task_times.h"

#include "base/memory/cursor.h"

#include <stdlib.h>

static void task_times__add_gap(struct task_times *t, const struct sample_decoder *d, const struct record *r)
{
	struct cursor c = cursor__make(r->header + 1, r->header->size - sizeof(*r->header), false);
	struct lost_gap gap = { .time = UINT64_MAX };
	struct sample_id id;

	if (r->header->type == PERF_RECORD_LOST)
		cursor__u64(&c); /* id */
	gap.nr = cursor__u64(&c);
	/* A gap that the recorder writes at the end has no time, and includes the losses of other gaps. */
	if (c.bad || !sample_id__decode(d->evlist, r, &id) || !id.time_known || !id.time ||
	    id.time == UINT64_MAX)
		return;
	gap.time = id.time;
	gap.tid = id.tid;
	array__add(&t->gaps, gap);
}

static void task_times__add_switch(struct task_times *t, const struct sample_decoder *d,
				   const struct record *r)
{
	struct sample_id id;

	if (sample_id__decode(d->evlist, r, &id) && id.time_known && id.tid) /* 0: the CPU is idle */
		array__add(&t->steps,
			   ((struct task_step){ id.time, id.tid,
						r->header->misc & PERF_RECORD_MISC_SWITCH_OUT ? TASK_STOPS
											      : TASK_RUNS }));
}

void task_times__look(void *ctx, const struct sample_decoder *d, const struct record *r)
{
	struct task_times *t = ctx;
	struct task_record task;

	switch (r->header->type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		task_times__add_gap(t, d, r);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		task_times__add_switch(t, d, r);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		/* a synthesized one has no time */
		if (record__task(r, &task) && task.time && !task.synthesized)
			array__add(&t->steps,
				   ((struct task_step){ task.time, task.tid,
							r->header->type == PERF_RECORD_FORK ? TASK_BEGINS
											    : TASK_ENDS }));
		break;
	}
}

static int step__compare(const void *a, const void *b)
{
	const struct task_step *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

static int gap__compare(const void *a, const void *b)
{
	const struct lost_gap *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

void task_times__finish(struct task_times *t, u64 lost)
{
	u64 nr = 0;

	if (t->steps.nr)
		qsort(t->steps.v, t->steps.nr, sizeof(*t->steps.v), step__compare);
	if (t->gaps.nr)
		qsort(t->gaps.v, t->gaps.nr, sizeof(*t->gaps.v), gap__compare);
	for (size_t i = 0; i < t->gaps.nr; i++)
		nr += t->gaps.v[i].nr;
	if (lost > nr)
		array__add(&t->gaps, ((struct lost_gap){ UINT64_MAX, lost - nr, 0 }));
}

void task_times__exit(struct task_times *t)
{
	array__exit(&t->steps);
	array__exit(&t->gaps);
}

const struct task_step *task_times__of(const struct task_times *t, u32 tid, size_t *nr)
{
	size_t from = bisect(i, (size_t)0, t->steps.nr, t->steps.v[i].tid < tid);
	size_t end = bisect(i, from, t->steps.nr, t->steps.v[i].tid == tid);

	*nr = end - from;
	return *nr ? t->steps.v + from : NULL;
}
