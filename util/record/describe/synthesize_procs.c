/* Existing threads: their names, parents and executable maps. */
#include "record/describe/synthesize_private.h"

#include "base/system/thread.h"
#include "format/records/build.h"
#include "record/describe/map_build_id.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	PARALLEL_FROM = 64, /* processes; for fewer, starting threads does not pay */
	THREADS_MAX = 4,
	CHUNK_PROCESSES = 16,
};

static void synthesize__map(struct strbuf *out, pid_t pid, const struct proc_map *map,
			    const struct synthesize_opts *opts, struct build_id_cache *ids)
{
	struct mmap_record m = {
		.pid = (u32)pid,
		.tid = (u32)pid,
		.start = map->start,
		.len = map->end - map->start,
		.pgoff = map->pgoff,
		.maj = map->maj,
		.min = map->min,
		.ino = map->ino,
		.prot = map->prot,
		.flags = map->flags,
		.is_mmap2 = true,
		.filename = map->name[0] ? map->name : "//anon",
	};
	u16 misc = PERF_RECORD_MISC_USER;
	struct build_id id;

	if (!(map->prot & PROT_EXEC)) {
		if (!opts->data_maps || !(map->prot & PROT_READ))
			return;
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	}
	if (ids && (map->prot & PROT_EXEC)) {
		struct mapped_file f = { .pid = pid,
					 .start = map->start,
					 .end = map->end,
					 .maj = map->maj,
					 .min = map->min,
					 .ino = map->ino,
					 .name = map->name };

		if (build_id_cache__get(ids, &f, &id)) {
			m.has_build_id = true;
			m.build_id = id.data;
			m.build_id_size = id.size;
		}
	}
	build__mmap2(out, misc, &m, opts->id_size);
}

void synthesize__maps(struct strbuf *out, pid_t pid, char *text, size_t size,
		      const struct synthesize_opts *opts, struct build_id_cache *ids)
{
	char *end = text + size;
	struct proc_map map;

	while (text < end)
		if (proc_map__parse(&text, end, &map))
			synthesize__map(out, pid, &map, opts, ids);
}

/*
 * Append a thread's fork and name. The parent of a thread is the first thread of its process; the parent of
 * a first thread is the parent process. Return 0 with *s filled, or -ESRCH if the thread has ended.
 */
static int synthesize__thread(struct strbuf *out, pid_t pid, pid_t tid, const struct synthesize_opts *opts,
			      struct proc_status *s)
{
	int ret = proc__status(pid, tid, s);
	u32 parent;

	if (ret || s->tgid != pid)
		return ret ? ret : -ESRCH;
	parent = (u32)(tid == pid ? s->ppid : pid);
	build__fork(out, MISC_FORK_EXEC, (u32)pid, parent, (u32)tid, parent, opts->id_size);
	if (opts->namespaces)
		synthesize__namespaces(out, pid, tid, opts);
	build__comm(out, 0, (u32)pid, (u32)tid, s->comm, opts->id_size);
	return 0;
}

/* Append the first thread of a process and the process's maps. */
static int synthesize__leader(struct strbuf *out, pid_t pid, const struct synthesize_opts *opts,
			      struct build_id_cache *ids)
{
	struct strbuf maps = STRBUF_INIT;
	struct proc_status s;
	int ret = synthesize__thread(out, pid, pid, opts, &s);

	if (ret)
		return ret;
	/* A process whose maps cannot be read (another user's, or just ended) has a name only. */
	if (!s.is_kernel_thread && !opts->no_maps && !proc__maps(pid, &maps))
		synthesize__maps(out, pid, maps.buf, maps.len, opts, ids);
	strbuf__exit(&maps);
	return 0;
}

static void synthesize__process(struct strbuf *out, pid_t pid, const struct synthesize_opts *opts,
				struct build_id_cache *ids)
{
	int_array tids = { 0 };
	struct proc_status s;

	if (!synthesize__leader(out, pid, opts, ids) && !proc__tids(pid, &tids))
		for (size_t i = 0; i < tids.nr; i++)
			if (tids.v[i] != pid)
				synthesize__thread(out, pid, tids.v[i], opts, &s);
	array__exit(&tids);
}

/*
 * Processes are taken in chunks, each with its own output, so that the order does not depend on which thread
 * was faster.
 */
struct crew {
	const int_array *pids;
	const struct synthesize_opts *opts;
	struct build_id_cache *ids;
	struct strbuf *chunks;
	size_t nr_chunks;
	atomic_size_t next;
};

static void *crew__work(void *arg)
{
	struct crew *c = arg;
	size_t chunk;

	while ((chunk = atomic_fetch_add(&c->next, 1)) < c->nr_chunks) {
		size_t i = chunk * CHUNK_PROCESSES, end = MIN(i + CHUNK_PROCESSES, c->pids->nr);

		for (; i < end; i++)
			synthesize__process(&c->chunks[chunk], c->pids->v[i], c->opts, c->ids);
	}
	return NULL;
}

static void crew__run(struct crew *c)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t nr = c->pids->nr < PARALLEL_FROM ? 0 : MIN(THREADS_MAX, (size_t)MAX(cpus, 1)) - 1;
	pthread_t threads[THREADS_MAX];
	size_t started = 0;

	while (started < nr && !thread__start(&threads[started], crew__work, c))
		started++;
	crew__work(c);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

int synthesize__processes(struct strbuf *out, const int_array *pids, const struct synthesize_opts *opts,
			  struct err *err)
{
	struct crew c = { .pids = pids, .opts = opts };

	(void)err;
	c.nr_chunks = (pids->nr + CHUNK_PROCESSES - 1) / CHUNK_PROCESSES;
	c.chunks = xcalloc(c.nr_chunks + 1, sizeof(*c.chunks));
	c.ids = opts->build_ids ? build_id_cache__new() : NULL;
	for (size_t i = 0; i < c.nr_chunks; i++)
		strbuf__init(&c.chunks[i]);
	crew__run(&c);
	for (size_t i = 0; i < c.nr_chunks; i++) {
		strbuf__add(out, c.chunks[i].buf, c.chunks[i].len);
		strbuf__exit(&c.chunks[i]);
	}
	build_id_cache__delete(c.ids);
	free(c.chunks);
	return 0;
}

struct wanted_thread {
	pid_t pid, tid;
};

/* Compare by process, then by thread. */
static int wanted_thread__cmp(const void *a, const void *b)
{
	const struct wanted_thread *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

int synthesize__threads(struct strbuf *out, const int_array *tids, const struct synthesize_opts *opts,
			struct err *err)
{
	struct wanted_thread *wanted = xcalloc(tids->nr + 1, sizeof(*wanted));
	struct build_id_cache *ids = opts->build_ids ? build_id_cache__new() : NULL;
	struct proc_status s;
	size_t nr = 0;

	(void)err;
	for (size_t i = 0; i < tids->nr; i++) {
		pid_t tid = tids->v[i];

		/* /proc/TID exists for every thread, not only for the first of a process. */
		if (tid > 0 && !proc__status(tid, tid, &s))
			wanted[nr++] = (struct wanted_thread){ s.tgid, tid };
	}
	qsort(wanted, nr, sizeof(*wanted), wanted_thread__cmp);
	for (size_t i = 0; i < nr; i++) {
		if (!i || wanted[i].pid != wanted[i - 1].pid)
			synthesize__leader(out, wanted[i].pid, opts, ids);
		else if (wanted[i].tid == wanted[i - 1].tid)
			continue;
		if (wanted[i].tid != wanted[i].pid)
			synthesize__thread(out, wanted[i].pid, wanted[i].tid, opts, &s);
	}
	build_id_cache__delete(ids);
	free(wanted);
	return 0;
}
