#include "record/target/task_filter.h"

#include "base/memory/array.h"
#include "base/memory/hash.h"
#include "event/evsel/event_request.h"

#include <string.h>

/* When a thread belonged to the target. Thread ids may be reused. */
struct task_span {
	u32 tid;
	u64 from, until; /* ns */
};

enum {
	ROUNDS_KEPT = 3,  /* after which no sample is looked up that is older than a round's newest record */
	SPANS_FEW = 1024, /* beside twice as many as were kept: these are not worth dropping */
};

struct task_filter {
	ARRAY(struct task_span) spans;
	struct hash_table by_tid;
	size_t nr_kept;               /* of spans, when those that ended were last dropped */
	u64 newest;                   /* ns, time of the newest record */
	u64 round_times[ROUNDS_KEPT]; /* newest of the rounds before, the last one first */
	/* samples held back in this round and in the last one, each after its struct sample_id */
	struct strbuf now, before;
};

/* ---- tasks ---- */

static struct task_span *task_filter__newest(const struct task_filter *f, u32 tid)
{
	struct task_span *newest = NULL;
	u32 i;

	hash_table__for_each (&f->by_tid, hash__u64(tid), i)
		if (f->spans.v[i].tid == tid && (!newest || f->spans.v[i].from >= newest->from))
			newest = &f->spans.v[i];
	return newest;
}

static void task_filter__begin(struct task_filter *f, u32 tid, u64 time)
{
	const struct task_span *newest = task_filter__newest(f, tid);

	f->newest = MAX(f->newest, time);
	if (newest && newest->until == UINT64_MAX)
		return;
	hash_table__insert(&f->by_tid, hash__u64(tid), (u32)f->spans.nr);
	array__add(&f->spans, ((struct task_span){ tid, time, UINT64_MAX }));
}

static void task_filter__end(struct task_filter *f, u32 tid, u64 time)
{
	struct task_span *newest = task_filter__newest(f, tid);

	f->newest = MAX(f->newest, time);
	if (newest && newest->until == UINT64_MAX)
		newest->until = time;
}

bool task_filter__has(const struct task_filter *f, const struct sample_id *id)
{
	u32 i;

	hash_table__for_each (&f->by_tid, hash__u64(id->tid), i) {
		const struct task_span *s = &f->spans.v[i];

		if (s->tid == id->tid && (!id->time_known || (id->time >= s->from && id->time <= s->until)))
			return true;
	}
	return false;
}

/* ---- records ---- */

static void task_filter__see(struct task_filter *f, struct lazy_record *r)
{
	const struct record rec = { .header = r->header };
	struct comm_record comm;
	struct task_record task;

	switch (rec.header->type) {
	case PERF_RECORD_FORK:
		if (record__task(&rec, &task))
			task_filter__begin(f, task.tid, task.time);
		break;
	case PERF_RECORD_EXIT:
		if (record__task(&rec, &task))
			task_filter__end(f, task.tid, task.time);
		break;
	case PERF_RECORD_COMM: /* the workload has begun, or another thread has become the first one */
		if (record__comm(&rec, &comm) && comm.exec && lazy_record__id(r))
			task_filter__begin(f, comm.tid, lazy_record__id(r)->time);
		break;
	}
}

bool task_filter__take(struct task_filter *f, struct lazy_record *r)
{
	const struct evsel *e;
	const struct sample_id *id;

	if (r->header->type != PERF_RECORD_SAMPLE) {
		task_filter__see(f, r);
		return false;
	}
	e = lazy_record__evsel(r);
	id = lazy_record__id(r);
	if (!id || !event_request__probes_everywhere(e->request) || task_filter__has(f, id))
		return false;
	strbuf__add(&f->now, id, sizeof(*id));
	strbuf__add(&f->now, r->header, r->header->size);
	return true;
}

static void task_filter__release(const struct task_filter *f, const struct strbuf *kept, struct strbuf *out)
{
	for (size_t pos = 0; pos < kept->len;) {
		const struct sample_id *id = (const void *)(kept->buf + pos);
		const struct perf_event_header *h = (const void *)(id + 1);

		if (task_filter__has(f, id))
			strbuf__add(out, h, h->size);
		pos += sizeof(*id) + h->size;
	}
}

/* Drop the spans that ended before all samples that are still to come, from time to time. */
static void task_filter__drop_ended(struct task_filter *f)
{
	size_t nr = 0;

	if (f->spans.nr < 2 * f->nr_kept + SPANS_FEW)
		return;
	hash_table__exit(&f->by_tid);
	for (size_t i = 0; i < f->spans.nr; i++) {
		const struct task_span s = f->spans.v[i];

		if (s.until < f->round_times[ROUNDS_KEPT - 1])
			continue;
		hash_table__insert(&f->by_tid, hash__u64(s.tid), (u32)nr);
		f->spans.v[nr++] = s;
	}
	f->spans.nr = f->nr_kept = nr;
}

void task_filter__flush(struct task_filter *f, bool at_end, struct strbuf *out)
{
	struct strbuf done = f->before;

	task_filter__release(f, &done, out);
	strbuf__reset(&done);
	f->before = f->now;
	f->now = done;
	if (at_end) {
		task_filter__release(f, &f->before, out);
		strbuf__reset(&f->before);
	}
	task_filter__drop_ended(f);
	memmove(f->round_times + 1, f->round_times, (ROUNDS_KEPT - 1) * sizeof(*f->round_times));
	f->round_times[0] = f->newest;
}

struct task_filter *task_filter__new(const struct target *target)
{
	struct task_filter *f = xcalloc(1, sizeof(*f));

	strbuf__init(&f->now);
	strbuf__init(&f->before);
	for (size_t i = 0; !target->is_workload && i < target->tids.nr; i++)
		task_filter__begin(f, (u32)target->tids.v[i], 0);
	return f;
}

void task_filter__delete(struct task_filter *f)
{
	if (!f)
		return;
	strbuf__exit(&f->now);
	strbuf__exit(&f->before);
	hash_table__exit(&f->by_tid);
	array__exit(&f->spans);
	free(f);
}
