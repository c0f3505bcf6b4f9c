#include "record/flow/lanes.h"

#include "base/message/msg.h"
#include "base/system/clock.h"
#include "record/events/levels.h"
#include "record/flow/stack_round.h"
#include "record/host/priority.h"
#include "record/stacks/stack_copy.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
	STOP_TOKEN = -1,
	/* minimum bytes of records that may wait to be written, for each file */
	QUEUE_MIN = 256 << 10,
	LOOK_MS = 5, /* how often to look at the rings while lanes unwind */
};

struct lane { /* one thread and its data */
	struct lanes *all;
	struct ring *ring;
	struct writer *writer;
	struct intake intake;
	struct build_id_list *build_ids;
	struct strbuf scratch; /* content of the ring, in one piece */
	u64 wakeups;
	int epoll_fd; /* -1 with rounds */
	sem_t go;     /* with rounds: the lane may take its part */
	struct priority priority;
	struct sample_decoder decoder; /* of samples with stack copies */
	pthread_t thread;
	bool is_running;
};

struct lanes {
	struct drain d;
	struct lanes_opts o;
	struct lane *v;          /* one for each ring; NULL: not started, or finished */
	int stop_fd;             /* eventfd that tells all threads to end; -1 with rounds */
	bool stops;              /* with rounds: the threads end */
	sem_t done;              /* with rounds: one for each lane that has taken its part */
	struct strbuf side_band; /* of the current round */
	u64 size;                /* atomic: bytes in the files so far */
	int error;               /* atomic: the first write error */
};

static struct lanes *lanes__of(const struct drain *d)
{
	return (struct lanes *)(uintptr_t)d;
}

static bool lanes__have_rounds(const struct lanes *l)
{
	return l->o.kernel_events;
}

/* ---- a thread ---- */

/*
 * Copy the records of the current round without the unused parts of stack copies, and empty the ring. Return
 * whether there were any.
 */
static bool lane__copy_round(struct lane *lane)
{
	u8 joined[RING_RECORD_MAX];
	struct ring_cursor c;
	struct record rec;
	struct sample s;

	strbuf__reset(&lane->scratch);
	ring_cursor__init(&c, lane->ring, joined);
	c.keeps_ids = true;
	while ((rec.header = ring_cursor__next(&c))) {
		if (rec.header->type == PERF_RECORD_SAMPLE &&
		    !stack_round__decode(lane->ring, &lane->decoder, &rec, &s))
			stack_copy__add_trimmed(&lane->scratch, &rec, &s, (u32)s.stack_size);
		else
			strbuf__add(&lane->scratch, rec.header, rec.header->size);
	}
	ring__rename_ids_in(lane->ring, lane->scratch.buf, lane->scratch.len);
	ring__end(lane->ring);
	priority__lower(&lane->priority); /* unwinding takes too much CPU time to come first */
	return lane->scratch.len;
}

static bool lane__copy_ring(struct lane *lane)
{
	struct ring_part part[2];

	ring__begin(lane->ring, part);
	return ring__take(lane->ring, &lane->scratch);
}

static int lane__take(struct lane *lane)
{
	u64 before = writer__file_size(lane->writer);
	int ret;

	if (lanes__have_rounds(lane->all) ? !lane__copy_round(lane) : !lane__copy_ring(lane))
		return writer__catch_up(lane->writer);
	ret = intake__take(&lane->intake, lane->scratch.buf, lane->scratch.len);
	if (!ret)
		ret = writer__sync(lane->writer);
	__atomic_fetch_add(&lane->all->size, writer__file_size(lane->writer) - before, __ATOMIC_RELAXED);
	return ret;
}

/* Empty the ring even after a write error: the other lanes continue. */
static void lane__drain(struct lane *lane)
{
	int ret = lane__take(lane), none = 0;

	if (ret)
		__atomic_compare_exchange_n(&lane->all->error, &none, ret, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
}

/* Run on the ring's CPU, unless only the side-band is recorded there. */
static void lane__go_to_cpu(const struct lane *lane)
{
	struct affinity a;

	affinity__init(&a, AFFINITY_CPU);
	if (int_list__has(&lane->all->o.target->cpus, lane->ring->cpu))
		affinity__follow(&a, lane->ring->cpu);
}

static void *lane__run(void *arg)
{
	struct lane *lane = arg;
	struct epoll_event events[64];
	bool stop = false;

	lane__go_to_cpu(lane);
	if (!lane->all->o.compression) /* compression takes too much CPU time for that */
		priority__come_first(&lane->priority);
	while (!stop) {
		int nr = epoll_wait(lane->epoll_fd, events, ARRAY_SIZE(events), DRAIN_MS);

		for (int i = 0; i < nr; i++) {
			s64 token = (s64)events[i].data.u64;

			if (token == STOP_TOKEN)
				stop = true;
			else if (!(events[i].events & EPOLLIN)) /* the counter's thread has exited */
				epoll_ctl(lane->epoll_fd, EPOLL_CTL_DEL, lane->all->d.counters->v.v[token].fd,
					  NULL);
		}
		lane->wakeups += nr > 0;
		lane__drain(lane);
	}
	return NULL;
}

/* Unwind: take part in each round of lanes__stack_round. */
static void *lane__run_rounds(void *arg)
{
	struct lane *lane = arg;

	lane__go_to_cpu(lane);
	for (;;) {
		priority__come_first(&lane->priority); /* until the ring is empty */
		while (sem_wait(&lane->go))            /* EINTR */
			;
		if (lane->all->stops)
			return NULL;
		lane__drain(lane);
		sem_post(&lane->all->done);
	}
}

/* ---- setting up ---- */

static int lane__watch(const struct lane *lane, int fd, s64 token)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = (u64)token };

	return epoll_ctl(lane->epoll_fd, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

static int lane__watch_counters(struct lane *lane, u32 ring)
{
	const struct counters *c = lane->all->d.counters;
	int ret;

	lane->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	ret = lane->epoll_fd < 0 ? -errno : lane__watch(lane, lane->all->stop_fd, STOP_TOKEN);
	for (size_t i = 0; !ret && i < c->v.nr; i++)
		if (c->v.v[i].ring == ring)
			ret = lane__watch(lane, c->v.v[i].fd, (s64)i);
	return ret;
}

static int lane__open_file(struct lane *lane, u32 ring, struct err *err)
{
	const struct lanes *l = lane->all;
	const struct writer_opts opts = {
		.records_only = true,
		.compression = l->o.compression,
		.queue = MAX(l->o.write_buffer / l->d.counters->rings.nr, (u64)QUEUE_MIN),
	};
	char *path = xasprintf("%s/data.%u", l->o.dir, ring);
	int ret = writer__open(&lane->writer, path, &opts, err);

	if (!ret)
		ret = writer__begin(lane->writer, l->d.intake->l, err);
	free(path);
	return ret;
}

static int lane__start(struct lane *lane, struct lanes *l, u32 ring, struct err *err)
{
	const struct intake *in = l->d.intake;
	int ret;

	lane->all = l;
	lane->ring = &l->d.counters->rings.v[ring];
	lane->epoll_fd = -1;
	sem_init(&lane->go, 0, 0);
	strbuf__init(&lane->scratch);
	ret = lane__open_file(lane, ring, err);
	if (ret)
		return ret;
	lane->build_ids = build_id_list__new(&l->o.viewers);
	intake__init(&lane->intake, in->l);
	lane->intake.own_pid = in->own_pid;
	lane->intake.vary = in->vary;
	lane->intake.hidden.is_on = in->hidden.is_on;
	lane->intake.tally.max_frames = in->tally.max_frames;
	if (lanes__have_rounds(l)) {
		sample_decoder__init(&lane->decoder, l->o.kernel_events);
		lane->intake.stack_samples = stack_samples__share(in->stack_samples);
	} else {
		ret = lane__watch_counters(lane, ring);
	}
	intake__begin_file(&lane->intake, lane->writer, lane->build_ids);
	if (!ret)
		ret = -pthread_create(&lane->thread, NULL,
				      lanes__have_rounds(l) ? lane__run_rounds : lane__run, lane);
	lane->is_running = !ret;
	return ret ? err__set(err, ret, "cannot start the threads of --threads: %s", err__str(ret)) : 0;
}

static int lanes__start(struct drain *d, struct err *err)
{
	struct lanes *l = lanes__of(d);
	size_t nr = d->counters->rings.nr;
	/* Write queued data now: no rounds follow in this file, and little or no data. */
	int ret = writer__sync(d->intake->writer);

	if (ret)
		return err__set(err, ret, "cannot write '%s/data': %s", l->o.dir, err__str(ret));
	sem_init(&l->done, 0, 0);
	l->stop_fd = lanes__have_rounds(l) ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->stop_fd < 0 && !lanes__have_rounds(l))
		return err__set(err, -errno, "cannot start the threads of --threads: %s", err__str(-errno));
	l->v = xcalloc(nr, sizeof(*l->v));
	for (size_t i = 0; !ret && i < nr; i++)
		ret = lane__start(&l->v[i], l, (u32)i, err);
	return ret;
}

/* ---- while the threads run, and the end ---- */

/* The lanes drain their own rings; check for errors only. */
static int lanes__round(struct drain *d)
{
	return __atomic_load_n(&lanes__of(d)->error, __ATOMIC_RELAXED);
}

static void lanes__watch(struct drain *d, size_t counter)
{
	struct lanes *l = lanes__of(d);
	const struct counter *n = &d->counters->v.v[counter];

	if (l->v)
		lane__watch(&l->v[n->ring], n->fd, (s64)counter);
}

static void lanes__choose_level(struct lanes *l)
{
	levels__choose(l->d.counters, stack_samples__depths(l->d.intake->stack_samples), 0);
}

/* Return whether a lane takes its part within some ms. */
static bool lanes__one_is_done(struct lanes *l)
{
	struct timespec until;
	u64 ns;

	clock_gettime(CLOCK_REALTIME, &until);
	ns = timespec__ns(&until) + LOOK_MS * NS_PER_MS;
	until = (struct timespec){ (time_t)(ns / NS_PER_SECOND), (long)(ns % NS_PER_SECOND) };
	return !sem_timedwait(&l->done, &until);
}

/*
 * Pass the side-band of all rings to the unwinder. Then let each lane unwind what its ring holds, and wait
 * for all of them, since the next round changes the address spaces.
 */
static int lanes__stack_round(struct drain *d)
{
	struct lanes *l = lanes__of(d);
	size_t nr = d->counters->rings.nr;

	strbuf__reset(&l->side_band);
	lanes__choose_level(l);
	stack_round__begin(d->counters, &l->side_band);
	stack_samples__begin_round(d->intake->stack_samples, l->side_band.buf, l->side_band.len);
	for (size_t i = 0; i < nr; i++)
		sem_post(&l->v[i].go);
	for (size_t i = 0; i < nr; i++)
		while (!lanes__one_is_done(l)) /* the rings fill while lanes unwind */
			lanes__choose_level(l);
	return lanes__round(d);
}

static int lanes__add(struct drain *d, const void *records, size_t size)
{
	int ret = intake__take_synthesized(d->intake, records, size);

	if (d->intake->stack_samples)
		stack_samples__see(d->intake->stack_samples, records, size);
	return ret ? ret : writer__sync(d->intake->writer); /* there are no rounds in this file */
}

static bool lanes__is_full(const struct drain *d)
{
	u64 size = __atomic_load_n(&lanes__of(d)->size, __ATOMIC_RELAXED);

	return d->intake->max_size && size + writer__file_size(d->intake->writer) >= d->intake->max_size;
}

/* Finish the lane's file after its thread has ended, and add its counts to the totals. */
static int lane__finish(struct lane *lane)
{
	struct drain *d = &lane->all->d;
	int ret;

	if (!lane->writer)
		return 0;
	ret = writer__finish(lane->writer, NULL);
	d->packed += writer__file_size(lane->writer);
	d->unpacked += writer__data_size(lane->writer);
	d->wakeups += lane->wakeups;
	tally__add(&d->intake->tally, &lane->intake.tally);
	hidden_programs__add(&d->intake->hidden, &lane->intake.hidden);
	if (lane->build_ids)
		build_id_list__add_all(d->intake->build_ids, lane->build_ids);
	build_id_list__delete(lane->build_ids);
	if (lane->intake.stack_samples) {
		stack_samples__add_stats(d->intake->stack_samples, lane->intake.stack_samples);
		sample_decoder__exit(&lane->decoder);
	}
	intake__exit(&lane->intake);
	writer__delete(lane->writer);
	strbuf__exit(&lane->scratch);
	file__close(lane->epoll_fd);
	sem_destroy(&lane->go);
	return ret;
}

static void lanes__stop(struct lanes *l)
{
	size_t nr = l->d.counters->rings.nr;
	const u64 one = 1;

	l->stops = true;
	if (l->stop_fd >= 0 && write(l->stop_fd, &one, sizeof(one)) < 0)
		debug(1, "record", "cannot signal the threads of --threads to end: %s", err__str(-errno));
	for (size_t i = 0; i < nr; i++) {
		if (!l->v[i].is_running)
			continue;
		sem_post(&l->v[i].go);
		pthread_join(l->v[i].thread, NULL);
	}
}

static int lanes__finish(struct drain *d)
{
	struct lanes *l = lanes__of(d);

	if (!l->v)
		return l->error;
	lanes__stop(l);
	for (size_t i = 0; i < d->counters->rings.nr; i++) {
		int ret = lane__finish(&l->v[i]);

		l->error = l->error ? l->error : ret;
	}
	file__close(l->stop_fd);
	sem_destroy(&l->done);
	free(l->v);
	l->v = NULL;
	return l->error;
}

static void lanes__delete(struct drain *d)
{
	lanes__finish(d);
	strbuf__exit(&lanes__of(d)->side_band);
	free(d);
}

static const struct drain_ops lanes_ops = {
	.waits = true,
	.start = lanes__start,
	.round = lanes__round,
	.watch = lanes__watch,
	.add = lanes__add,
	.is_full = lanes__is_full,
	.finish = lanes__finish,
	.delete = lanes__delete,
};

static const struct drain_ops stack_lanes_ops = {
	.start = lanes__start,
	.round = lanes__stack_round,
	.add = lanes__add,
	.is_full = lanes__is_full,
	.finish = lanes__finish,
	.delete = lanes__delete,
};

struct drain *lanes__new(const struct drain *from, const struct lanes_opts *opts)
{
	struct lanes *l = xcalloc(1, sizeof(*l));

	l->d = *from;
	l->d.ops = opts->kernel_events ? &stack_lanes_ops : &lanes_ops;
	l->o = *opts;
	strbuf__init(&l->side_band);
	return &l->d;
}
