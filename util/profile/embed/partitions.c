#include "profile/embed/partitions.h"

#include "base/memory/hash.h"
#include "base/text/strbuf.h"
#include "binary/symbols/jitdump.h"
#include "format/read/reader.h"
#include "model/machine.h"

#include <string.h>

/* ---- where to cut ---- */

enum { RECORDS_PER_PROCESS = 100 }; /* with more for each that ends, little can be forgotten */

struct cutter {
	struct sample_decoder decoder;
	partition_array *partitions;
	u64 wanted;                /* records */
	u64 nr_records, nr_rounds; /* side-band records in this partition; rounds in all */
	bool awaits_round;         /* the first round after the last cut has not ended */
	u64 nr_all, nr_exits;      /* side-band records in all; of them ends of processes */
	bool is_whole;             /* the recording cannot be cut */
};

/* Records that describe what ran before have no time. After the first round: --tail-synthesize. */
static bool comes_late(const struct cutter *c, const struct record *r)
{
	u8 cpumode = r->header->misc & MISC_CPUMODE_MASK;
	u64 time;

	if (!c->nr_rounds || (cpumode != PERF_RECORD_MISC_USER && r->header->type != PERF_RECORD_FORK))
		return false;
	sample_decoder__trailer(&c->decoder, r, &time);
	return !time || time == UINT64_MAX;
}

static bool is_jitdump(const struct record *r)
{
	struct mmap_record m;

	return record__mmap(r, &m) && (strstr(m.filename, "/jit-") || jitdump__is_made(m.filename));
}

static void cutter__end_round(struct cutter *c, u64 end)
{
	struct partition *last = &c->partitions->v[c->partitions->nr - 1];

	if (!c->nr_rounds++) /* what ran before is repeated in each partition */
		c->wanted = MAX(c->wanted, c->nr_records);
	if (c->awaits_round)
		last[-1].side_band_end = end;
	c->awaits_round = false;
	if (c->nr_records < c->wanted)
		return;
	last->end = end;
	array__add(c->partitions, ((struct partition){ end, UINT64_MAX, UINT64_MAX }));
	c->awaits_round = true;
	c->nr_records = 0;
}

static void cutter__see(void *ctx, const struct record *r)
{
	struct cutter *c = ctx;
	u32 type = r->header->type;

	if (type == RECORD_FINISHED_ROUND)
		cutter__end_round(c, r->offset + r->header->size);
	else if (type == PERF_RECORD_MMAP2 || type == PERF_RECORD_MMAP)
		c->is_whole |= comes_late(c, r) || is_jitdump(r);
	else if (type == PERF_RECORD_FORK)
		c->is_whole |= comes_late(c, r);
	else if (type == PERF_RECORD_EXIT)
		c->nr_exits++;
	c->nr_records += machine__wants(type);
	c->nr_all += machine__wants(type);
}

int partitions__find(partition_array *partitions, const char *path, u64 records, struct err *err)
{
	struct cutter c = { .partitions = partitions, .wanted = records };
	const struct reader_scan_opts scan = { .record = cutter__see, .ctx = &c };
	struct record_counts counts;
	struct reader *r;
	int ret = reader__open(&r, path, err);

	if (ret)
		return ret;
	sample_decoder__init(&c.decoder, &r->evlist);
	array__add(partitions, ((struct partition){ 0, UINT64_MAX, UINT64_MAX }));
	ret = reader__scan(r, &scan, &counts, err);
	if (r->is_dir || r->is_compressed || c.is_whole || c.nr_exits < c.nr_all / RECORDS_PER_PROCESS) {
		partitions->nr = 1;
		partitions->v[0] = (struct partition){ 0, UINT64_MAX, UINT64_MAX };
	}
	sample_decoder__exit(&c.decoder);
	reader__close(r);
	return ret;
}

/* ---- what still runs ---- */

enum held_kind {
	HELD_ALWAYS, /* of the kernel */
	HELD_MAP,
	HELD_FORK,
	HELD_EXEC,
	HELD_EXIT,
};

struct held {
	size_t at; /* offset in records */
	u64 time;
	u32 pid, tid, ppid;
	enum held_kind kind;
};

struct task {
	u32 tid;
	u64 ended; /* time; 0: runs */
	u64 execed;
	u32 nr_threads; /* of a process: threads that run, without the first */
	bool is_parent; /* of a process that runs and may use its maps */
};

struct running {
	struct strbuf records;
	ARRAY(struct held) held; /* in file order */
	size_t round;            /* index of the first one of the round before the last */
	size_t last, next;       /* ... of the last round, and of the next one */
	ARRAY(struct task) tasks;
	struct hash_table by_tid;
};

struct running *running__new(void)
{
	struct running *r = xcalloc(1, sizeof(*r));

	strbuf__init(&r->records);
	return r;
}

void running__delete(struct running *r)
{
	if (!r)
		return;
	strbuf__exit(&r->records);
	array__exit(&r->held);
	array__exit(&r->tasks);
	hash_table__exit(&r->by_tid);
	free(r);
}

/* Fill h from a record that a partition after this one may need. Return false for others. */
static bool held__of(struct held *h, const struct record *rec)
{
	struct mmap_record m;
	struct comm_record comm;
	struct task_record task;

	switch (rec->header->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (!record__mmap(rec, &m))
			return false;
		h->kind = m.cpumode == PERF_RECORD_MISC_USER ? HELD_MAP : HELD_ALWAYS;
		h->pid = h->tid = m.pid;
		return true;
	case PERF_RECORD_COMM:
		h->kind = HELD_EXEC;
		if (!record__comm(rec, &comm) || !comm.exec)
			return false;
		h->pid = h->tid = comm.pid;
		return true;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		if (!record__task(rec, &task))
			return false;
		h->kind = rec->header->type == PERF_RECORD_FORK ? HELD_FORK : HELD_EXIT;
		h->pid = task.pid;
		h->tid = task.tid;
		h->ppid = task.synthesized ? task.pid : task.ppid; /* a synthesized one has maps of its own */
		return true;
	}
	h->kind = HELD_ALWAYS;
	return rec->header->type == PERF_RECORD_KSYMBOL;
}

void running__see(struct running *r, const struct sample_decoder *d, const struct record *rec)
{
	struct held h = { .at = r->records.len };

	if (rec->header->type == RECORD_FINISHED_ROUND) {
		r->round = r->last;
		r->last = r->next;
		r->next = r->held.nr;
	}
	if (!held__of(&h, rec))
		return;
	sample_decoder__trailer(d, rec, &h.time);
	h.time = h.time == UINT64_MAX ? 0 : h.time;
	array__add(&r->held, h);
	strbuf__add(&r->records, rec->header, rec->header->size);
}

static struct task *running__task(struct running *r, u32 tid)
{
	u64 hash = hash__u64(tid);
	struct task *new;
	u32 i;

	hash_table__for_each (&r->by_tid, hash, i)
		if (r->tasks.v[i].tid == tid)
			return &r->tasks.v[i];
	hash_table__insert(&r->by_tid, hash, (u32)r->tasks.nr);
	new = array__push(&r->tasks);
	*new = (struct task){ .tid = tid };
	return new;
}

/* Has the process or thread of the record ended for good? */
static bool running__is_over(struct running *r, const struct held *h)
{
	const struct task *process = running__task(r, h->pid), *thread;

	if (h->kind == HELD_ALWAYS)
		return false;
	if (process->ended && h->time <= process->ended && !process->nr_threads && !process->is_parent)
		return true;
	if (h->tid == h->pid)
		return false;
	thread = running__task(r, h->tid);
	return thread->ended && h->time <= thread->ended;
}

/* Mark the parents whose maps a running process may use. Return whether there was a new one. */
static bool running__mark_parents(struct running *r)
{
	bool any = false;

	for (size_t i = r->held.nr; i-- > 0;) {
		const struct held *h = &r->held.v[i];

		if (h->kind != HELD_FORK || h->pid == h->ppid || running__task(r, h->pid)->execed > h->time ||
		    running__is_over(r, h) || running__task(r, h->ppid)->is_parent)
			continue;
		running__task(r, h->ppid)->is_parent = any = true;
	}
	return any;
}

static void running__find_tasks(struct running *r)
{
	r->tasks.nr = 0;
	hash_table__exit(&r->by_tid);
	for (size_t i = 0; i < r->round; i++) {
		const struct held *h = &r->held.v[i];
		struct task *t = running__task(r, h->tid);

		if (h->kind == HELD_EXIT)
			t->ended = MAX(t->ended, h->time);
		else if (h->kind == HELD_EXEC)
			t->execed = MAX(t->execed, h->time);
	}
	for (size_t i = 0; i < r->held.nr; i++) {
		const struct held *h = &r->held.v[i];
		u64 ended = running__task(r, h->tid)->ended;

		if (h->kind == HELD_FORK && h->tid != h->pid && (!ended || ended < h->time))
			running__task(r, h->pid)->nr_threads++;
	}
	while (running__mark_parents(r))
		;
}

const struct strbuf *running__records(struct running *r, size_t *nr_records)
{
	size_t nr = 0, len = 0;

	running__find_tasks(r);
	for (size_t i = 0; i < r->held.nr; i++) {
		struct held h = r->held.v[i];
		const struct perf_event_header *rec = (const void *)(r->records.buf + h.at);
		size_t size = rec->size;

		if (running__is_over(r, &h))
			continue;
		memmove(r->records.buf + len, rec, size);
		h.at = len;
		len += size;
		r->held.v[nr++] = h;
	}
	strbuf__setlen(&r->records, len);
	r->held.nr = nr;
	r->last = r->next = *nr_records = nr;
	return &r->records;
}
