#include "record/flow/lanes.h"

#include "base/message/msg.h"
#include "record/flow/intake.h"
#include "record/host/priority.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
	STOP_TOKEN = -1,
	/* bytes, of each file: its share of what may wait for a slow disk, or so much */
	QUEUE_MIN = 256 << 10,
};

struct lane { /* a thread, and what is its own */
	struct lanes *all;
	const struct cpu_group *group;
	ARRAY(size_t) rings; /* indices in the counters' */
	struct intake intake;
	struct build_id_list *build_ids;
	struct strbuf scratch; /* what a ring held, in one piece */
	u64 wakeups;
	int epoll_fd;
	pthread_t thread;
	bool is_running;
};

struct lanes {
	struct lanes_opts o;
	struct cpu_groups groups;
	struct writer **writers; /* by ring */
	struct lane *v;          /* by group */
	int stop_fd;             /* becomes readable for all when they are to end */
	u64 size;                /* atomic */
	int error;               /* atomic: of the first write that failed */
};

/* ---- a thread ---- */

static int lane__take(struct lane *lane, size_t i)
{
	struct ring *ring = &lane->all->o.counters->rings.v[i];
	struct writer *w = lane->all->writers[i];
	struct ring_part part[2];
	int nr = ring__begin(ring, part), ret;
	u64 before = writer__file_size(w);

	if (!nr)
		return writer__catch_up(w);
	strbuf__reset(&lane->scratch);
	for (int k = 0; k < nr; k++)
		strbuf__add(&lane->scratch, part[k].data, part[k].size);
	ring__end(ring);
	lane->intake.writer = w;
	ret = intake__take(&lane->intake, lane->scratch.buf, lane->scratch.len);
	if (!ret)
		ret = writer__sync(w);
	__atomic_fetch_add(&lane->all->size, writer__file_size(w) - before, __ATOMIC_RELAXED);
	return ret;
}

/* After a failure the rings are emptied all the same: the others go on. */
static void lane__drain(struct lane *lane)
{
	for (size_t i = 0; i < lane->rings.nr; i++) {
		int ret = lane__take(lane, lane->rings.v[i]), none = 0;

		if (ret)
			__atomic_compare_exchange_n(&lane->all->error, &none, ret, false, __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED);
	}
}

/* Where the group wants it; a thread that cannot go there works as well. */
static void lane__go_to_cpus(const struct lane *lane)
{
	const int_array *on = &lane->group->runs_on;
	int most = on->nr ? on->v[on->nr - 1] + 1 : 0;
	cpu_set_t *set = most ? CPU_ALLOC((size_t)most) : NULL;

	if (!set)
		return;
	CPU_ZERO_S(CPU_ALLOC_SIZE((size_t)most), set);
	for (size_t i = 0; i < on->nr; i++)
		CPU_SET_S((size_t)on->v[i], CPU_ALLOC_SIZE((size_t)most), set);
	if (sched_setaffinity(0, CPU_ALLOC_SIZE((size_t)most), set))
		warning("--threads: the thread for CPU %d cannot run where it was told to: it runs anywhere",
			lane->group->cpus.v[0]);
	CPU_FREE(set);
}

static void *lane__run(void *arg)
{
	struct lane *lane = arg;
	struct epoll_event events[64];
	struct priority priority = { 0 };
	bool stop = false;

	lane__go_to_cpus(lane);
	if (!lane->all->o.compression) /* which takes its time */
		priority__come_first(&priority);
	while (!stop) {
		int nr = epoll_wait(lane->epoll_fd, events, ARRAY_SIZE(events), DRAIN_MS);

		for (int i = 0; i < nr; i++) {
			s64 token = (s64)events[i].data.u64;

			if (token == STOP_TOKEN)
				stop = true;
			else if (!(events[i].events & EPOLLIN)) /* its thread has ended */
				epoll_ctl(lane->epoll_fd, EPOLL_CTL_DEL, lane->all->o.counters->v.v[token].fd,
					  NULL);
		}
		lane->wakeups += nr > 0;
		lane__drain(lane);
	}
	return NULL;
}

/* ---- setting up ---- */

static int lane__watch(const struct lane *lane, int fd, s64 token)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = (u64)token };

	return epoll_ctl(lane->epoll_fd, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

static int lane__init(struct lane *lane, struct lanes *l, const struct cpu_group *group)
{
	const struct counters *c = l->o.counters;
	int ret;

	*lane = (struct lane){ .all = l, .group = group, .scratch = STRBUF_INIT };
	intake__init(&lane->intake, l->o.l);
	lane->intake.own_pid = l->o.own_pid;
	if (l->o.build_ids)
		lane->build_ids = build_id_list__new();
	intake__begin_file(&lane->intake, NULL, lane->build_ids); /* each ring has a writer of its own */
	for (size_t i = 0; i < c->rings.nr; i++)
		if (int_list__has(&group->cpus, c->rings.v[i].cpu))
			array__add(&lane->rings, i);
	lane->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	ret = lane->epoll_fd < 0 ? -errno : lane__watch(lane, l->stop_fd, STOP_TOKEN);
	for (size_t i = 0; !ret && i < c->v.nr; i++)
		if (int_list__has(&group->cpus, c->v.v[i].cpu))
			ret = lane__watch(lane, c->v.v[i].fd, (s64)i);
	return ret;
}

static int lanes__open_files(struct lanes *l, struct err *err)
{
	size_t nr = l->o.counters->rings.nr;
	const struct writer_opts opts = {
		.records_only = true,
		.compression = l->o.compression,
		.queue = MAX(l->o.write_buffer / MAX(nr, 1), (u64)QUEUE_MIN),
	};
	int ret = 0;

	l->writers = xcalloc(nr, sizeof(*l->writers));
	for (size_t i = 0; !ret && i < nr; i++) {
		char *path = xasprintf("%s/data.%zu", l->o.dir, i);

		ret = writer__open(&l->writers[i], path, &opts, err);
		if (!ret)
			ret = writer__begin(l->writers[i], l->o.l, err);
		free(path);
	}
	return ret;
}

static int lanes__start(struct lanes *l, struct err *err)
{
	int ret = 0;

	l->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->stop_fd < 0)
		ret = -errno;
	l->v = xcalloc(l->groups.v.nr, sizeof(*l->v));
	for (size_t i = 0; i < l->groups.v.nr; i++)
		l->v[i].epoll_fd = -1;
	for (size_t i = 0; !ret && i < l->groups.v.nr; i++) {
		ret = lane__init(&l->v[i], l, &l->groups.v.v[i]);
		if (!ret)
			ret = -pthread_create(&l->v[i].thread, NULL, lane__run, &l->v[i]);
		l->v[i].is_running = !ret;
	}
	return ret ? err__set(err, ret, "cannot start the threads of --threads: %s", err__str(ret)) : 0;
}

int lanes__new(struct lanes **out, const struct lanes_opts *opts, struct err *err)
{
	struct lanes *l = xcalloc(1, sizeof(*l));
	size_t nr_left;
	int ret;

	l->o = *opts;
	l->stop_fd = -1;
	ret = cpu_groups__init(&l->groups, opts->groups, &opts->target->cpus, "/sys", &nr_left, err);
	if (!ret && nr_left)
		info("--threads names no thread for %zu of the CPUs that are recorded: they share one more",
		     nr_left);
	if (!ret && opts->target->side_band_cpus.nr)
		cpu_groups__add(&l->groups, &opts->target->side_band_cpus);
	if (!ret)
		ret = lanes__open_files(l, err);
	if (!ret)
		ret = lanes__start(l, err);
	if (ret)
		lanes__delete(l);
	else
		*out = l;
	return ret;
}

/* ---- while it runs, and the end ---- */

u64 lanes__size(const struct lanes *l)
{
	return __atomic_load_n(&l->size, __ATOMIC_RELAXED);
}

int lanes__check(const struct lanes *l, struct err *err)
{
	int ret = __atomic_load_n(&l->error, __ATOMIC_RELAXED);

	return ret ? err__set(err, ret, "cannot write to '%s': %s", l->o.dir, err__str(ret)) : 0;
}

static void lanes__join(struct lanes *l)
{
	const u64 one = 1;

	if (l->stop_fd >= 0 && write(l->stop_fd, &one, sizeof(one)) < 0)
		debug(1, "record", "the threads of --threads cannot be told to end: %s", err__str(-errno));
	for (size_t i = 0; l->v && i < l->groups.v.nr; i++)
		if (l->v[i].is_running)
			pthread_join(l->v[i].thread, NULL);
	for (size_t i = 0; l->v && i < l->groups.v.nr; i++)
		l->v[i].is_running = false;
}

int lanes__finish(struct lanes *l, struct lanes_total *total, struct tally *tally, struct build_id_list *ids,
		  struct err *err)
{
	int ret;

	*total = (struct lanes_total){ 0 };
	lanes__join(l);
	for (size_t i = 0; i < l->groups.v.nr; i++) {
		total->wakeups += l->v[i].wakeups;
		tally__add(tally, &l->v[i].intake.tally);
		if (ids)
			build_id_list__add_all(ids, l->v[i].build_ids);
	}
	ret = lanes__check(l, err);
	for (size_t i = 0; i < l->o.counters->rings.nr; i++) {
		int failed = writer__finish(l->writers[i], ret ? NULL : err);

		total->packed += writer__file_size(l->writers[i]);
		total->unpacked += writer__data_size(l->writers[i]);
		ret = ret ? ret : failed;
	}
	return ret;
}

static void lane__exit(struct lane *lane)
{
	if (lane->epoll_fd >= 0)
		close(lane->epoll_fd);
	intake__exit(&lane->intake);
	build_id_list__delete(lane->build_ids);
	strbuf__exit(&lane->scratch);
	array__exit(&lane->rings);
}

void lanes__delete(struct lanes *l)
{
	if (!l)
		return;
	lanes__join(l);
	for (size_t i = 0; l->v && i < l->groups.v.nr; i++)
		lane__exit(&l->v[i]);
	for (size_t i = 0; l->writers && i < l->o.counters->rings.nr; i++)
		writer__delete(l->writers[i]);
	if (l->stop_fd >= 0)
		close(l->stop_fd);
	cpu_groups__exit(&l->groups);
	free(l->writers);
	free(l->v);
	free(l);
}
