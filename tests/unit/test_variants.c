/* Variants of events: levels of stack copies and small copies of waits; the descriptors that they take. */
#include "unit.h"

#include "base/system/clock.h"
#include "event/evsel/event_request.h"
#include "event/parse/parse.h"
#include "live/counter.h"
#include "record/events/counters_private.h"
#include "record/events/levels.h"
#include "record/options/attr_opts.h"
#include "record/options/buffer_opts.h"
#include "record/stacks/stack_copy.h"
#include "record/stacks/wakings.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { KIB = 1024 };

static const u64 mib = KIB * KIB;

/* ---- which levels ---- */

static void expect_levels(u64 ring, u64 rate, unsigned most, const char *expected)
{
	struct strbuf got = STRBUF_INIT;
	struct stack_levels l;

	stack_levels__fill(&l, 16 * KIB, true);
	stack_levels__fit(&l, ring);
	stack_levels__slow_down(&l, ring, rate);
	stack_levels__keep(&l, most, ring, rate);
	for (unsigned i = 0; i < l.nr; i++)
		strbuf__addf(&got, "%s%s%u/%u", i ? " " : "", i == l.start ? "*" : "", l.v[i].copy,
			     l.v[i].part);
	assert_string_equal(got.buf, expected);
	strbuf__exit(&got);
}

static void levels_are_those_that_can_be_chosen(void **state)
{
	(void)state;
	expect_levels(32 * mib, 4000, 5, "61440/1 *16384/1 4608/1 1536/1 1536/8");
	/* no room for the largest: they would be full after less than 20 ms */
	expect_levels(4 * mib, 4000, 5, "*16384/1 4608/1 1536/1 1536/8");
	expect_levels(mib, 4000, 5, "*4608/1 1536/1 1536/8");
	expect_levels(mib, 999, 5, "*16384/1 4608/1 1536/1 1536/8");
	/* fewer: the first, the last, those after the first */
	expect_levels(32 * mib, 4000, 4, "*16384/1 4608/1 1536/1 1536/8");
	expect_levels(32 * mib, 4000, 3, "*16384/1 4608/1 1536/8");
	expect_levels(32 * mib, 4000, 2, "*16384/1 1536/8");
	expect_levels(32 * mib, 4000, 1, "*16384/1");
	expect_levels(mib, 4000, 2, "*4608/1 1536/8");
	expect_levels(mib, 4000, 1, "*4608/1");
}

/* A level that was removed is still named as the size that stacks would need. */
static void removed_levels_are_wanted(void **state)
{
	struct stack_depths *depths = calloc(1, sizeof(*depths));
	struct stack_load load;
	struct stack_levels l;
	struct stack_load_facts f = { .levels = &l, .depths = depths, .ring = mib, .rate = 4000 };

	(void)state;
	stack_levels__fill(&l, 16 * KIB, true);
	stack_levels__keep(&l, 5, f.ring, f.rate);
	stack_load__begin(&load, &l, f.ring, f.rate, 1);
	for (int i = 0; i < 100; i++)
		stack_depths__add_cut(depths, l.v[0].copy);
	f.now_ms = 100;
	assert_int_equal(stack_load__see(&load, &f), 0);
	assert_int_equal(load.wanted, 16 * KIB);

	/* copies of the level that is left are as large as those of a removed one: larger ones are wanted */
	stack_levels__fill(&l, 16 * KIB, true);
	stack_levels__keep(&l, 5, 128 * KIB, f.rate);
	assert_int_equal(l.nr, 1);
	assert_int_equal(l.v[0].copy, 1536);
	assert_int_equal(l.next, 4608);
	free(depths);
}

/* ---- descriptors ---- */

/* Return the number of descriptors for events on so many CPUs and threads (0: whole CPUs). */
static u64 descriptors(const char *events, bool tracking, int cpus, int tids, u64 limit,
		       struct variants_most *most)
{
	const struct attr_opts opts = { .rate.freq = 99,
					.chains = { .is_on = true, .stack_copy = 16 * KIB, .unwind = true },
					.side_band.is_separate = tracking };
	struct counters c = { .level_mark = 16 * KIB };
	struct target t = { .system_wide = !tids };
	struct err err = ERR_INIT;
	struct descriptors d;
	struct evlist l;

	evlist__init(&l);
	assert_int_equal(parse_events(&l, events, &err), 0);
	attr_opts__apply(&opts, &l);
	stack_levels__fill(&c.levels, 16 * KIB, true);
	for (int i = 0; i < cpus; i++)
		array__add(&t.cpus, i);
	for (int i = 0; i < tids; i++)
		array__add(&t.tids, i + 1);
	d = counters__descriptors(&c, &l, &t);
	*most = variants_most__of(&d, &t, limit);
	evlist__exit(&l);
	array__exit(&t.cpus);
	array__exit(&t.tids);
	err__exit(&err);
	return descriptors__total(&d, tids ? most->levels : 1, tids && most->small);
}

/* At most half as many again as an event for each thread and CPU, and one for the side-band. */
static void many_threads_and_cpus_have_fewer_levels(void **state)
{
	struct variants_most most;

	(void)state;
	assert_int_equal(descriptors("cpu-clock", true, 64, 200, 1 << 20, &most), 64 * 200 * 3);
	assert_int_equal(most.levels, 2);
	assert_int_equal(descriptors("cpu-clock", false, 64, 1, 1 << 20, &most), 64 * 3);
	assert_int_equal(most.levels, 3);
	assert_int_equal(descriptors("cpu-clock,page-faults,task-clock", true, 64, 10, 1 << 20, &most),
			 64 * 10 * 4);
	assert_int_equal(most.levels, 1);
	/* few have all of them */
	assert_int_equal(descriptors("cpu-clock", false, 2, 1, 1 << 20, &most), 2 * STACK_LEVELS_MAX);
	assert_int_equal(descriptors("cpu-clock", true, 2, 20, 1 << 20, &most), 40 * (STACK_LEVELS_MAX + 1));
	/* whole CPUs have one counter, which moves */
	assert_int_equal(descriptors("cpu-clock", true, 64, 0, 1 << 20, &most), 64 * 2);
	assert_int_equal(most.levels, STACK_LEVELS_MAX);
}

static void levels_fit_the_limit(void **state)
{
	struct variants_most most;

	(void)state;
	assert_true(descriptors("cpu-clock", true, 2, 20, 200, &most) <= 200);
	assert_int_equal(most.levels, 4);
	assert_true(descriptors("cpu-clock", true, 2, 20, 100, &most) <= 100);
	assert_int_equal(most.levels, 1);
	assert_int_equal(descriptors("cpu-clock", true, 2, 20, 10, &most), 80);
}

static void rings_have_half_a_gib_at_most(void **state)
{
	const u64 page = (u64)sysconf(_SC_PAGESIZE), most = 512 * mib;
	const u32 pages = (u32)(512 * KIB / page);
	u32 fits = pages / 2;

	(void)state;
	assert_int_equal(ring_pages__limit(pages, 64), pages);
	while (2000 * (fits + 1) * page > most) /* pages of 16 KiB and more: each ring has one besides */
		fits /= 2;
	assert_int_equal(ring_pages__limit(pages, 2000), fits);
	for (u64 nr = 1; nr < 100000; nr = nr * 3 / 2 + 1)
		assert_true(nr * (ring_pages__limit(pages, nr) + 1) * page <= most ||
			    ring_pages__limit(pages, nr) == 1);
}

/* ---- counters that move ---- */

/* Return how many samples of one size of copies there are in the rings, all with the id of their counter. */
static unsigned samples_of(struct counters *c, u32 copy)
{
	static u8 joined[RING_RECORD_MAX];
	const struct perf_event_header *h;
	struct ring_cursor cursor;
	unsigned nr = 0;

	counters__begin_round(c);
	ring_cursor__init(&cursor, &c->rings.v[0], joined);
	while ((h = ring_cursor__next(&cursor))) {
		u64 id;

		if (h->type != PERF_RECORD_SAMPLE)
			continue;
		memcpy(&id, h + 1, sizeof(id));
		assert_int_equal(id, c->v.v[1].id);
		nr += h->size > copy && h->size < copy + 2048;
	}
	ring__end(&c->rings.v[0]);
	return nr;
}

/* Use the CPU with a stack of 8 KiB or more. */
static void work_ms(u64 ms)
{
	volatile u8 stack[8 * KIB];
	u64 end = clock__ms() + ms;

	stack[0] = 1;
	while (clock__ms() < end)
		stack[ms] = stack[0];
}

/* Return whether samples of one size come while this thread works. */
static bool gets_samples_of(struct counters *c, u32 copy)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < 500 && !nr; i++) {
		work_ms(20);
		nr = samples_of(c, copy);
	}
	return nr;
}

/* Stay on one CPU. Return which one it is. */
static int stay(void)
{
	cpu_set_t one;
	int cpu = sched_getcpu();

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	return cpu;
}

/* Open cpu-clock and the side-band on this CPU, with levels. Return false if this user may not. */
static bool open_moving(struct counters *c, struct evlist *l)
{
	const struct attr_opts opts = { .rate.freq = 1000,
					.chains = { .is_on = true,
						    .stack_copy = 16 * KIB,
						    .user_regs = wakings__regs(),
						    .unwind = true },
					.side_band.is_separate = true,
					.whole_cpus = true };
	struct perf_event_attr clock = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK };
	struct target t = { .system_wide = true };
	struct err err = ERR_INIT;

	if (counter__try(clock, -1, sched_getcpu()))
		return false;
	*c = (struct counters){ 0 };
	evlist__init(l);
	assert_int_equal(parse_events(l, "cpu-clock", &err), 0);
	attr_opts__apply(&opts, l);
	for (size_t i = 0; i < l->evsels.nr; i++)
		l->evsels.v[i]->attr.read_format |=
			PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	array__add(&t.cpus, stay());
	stack_levels__fill(&c->levels, 16 * KIB, false);
	if (counters__open(c, l, &t, 64, &err))
		fail_msg("%s", err.text.buf);
	array__exit(&t.cpus);
	err__exit(&err);
	return true;
}

static int rate_fd; /* of the counter that got a rate last */

static void set_rate(void *arg, const struct counter *n)
{
	(*(unsigned *)arg)++;
	rate_fd = n->fd;
}

static u64 enabled_ns(const struct counter *n)
{
	struct counter_reading r;

	assert_int_equal(counter__read(n->fd, n->read_format, n->kernel_id, &r), 0);
	return r.enabled;
}

static void a_counter_moves_between_levels(void **state)
{
	struct counters c;
	struct evlist l;
	unsigned nr_rates = 0;
	u64 id, side_band;
	int fd;

	(void)state;
	if (!open_moving(&c, &l))
		skip();
	assert_int_equal(c.v.nr, 2); /* with that of the side-band */
	assert_true(c.v.v[1].moves && c.v.v[1].level == c.level);
	assert_int_equal(c.levels.v[1].copy, 4608);
	assert_int_equal(c.levels.v[2].copy, 1536);
	fd = c.v.v[1].fd;

	counters__enable(&c, &l, true);
	for (int i = 0; i < 40; i++) { /* more often than ids are remembered */
		errno = EIO;           /* of an earlier failure */
		counters__use_level(&c, i % 2 ? 2 : 1);
		samples_of(&c, 0);
	}
	assert_int_equal(c.v.v[1].fd, fd);
	assert_int_equal(c.v.v[1].level, 2);
	assert_int_not_equal(c.v.v[1].kernel_id, c.v.v[1].id);
	assert_true(gets_samples_of(&c, 1536));
	id = c.v.v[1].kernel_id;
	counters__use_level(&c, 2); /* the same */
	assert_int_equal(c.v.v[1].kernel_id, id);
	counters__use_level(&c, 1);
	assert_true(gets_samples_of(&c, 4608));
	/* the side-band has no levels: it goes on */
	counters__use_level(&c, 0);
	counters__use_level(&c, 1);
	side_band = enabled_ns(&c.v.v[0]);
	work_ms(5);
	assert_true(enabled_ns(&c.v.v[0]) > side_band);
	/* the new one has the present rate before it replaces the other */
	c.set_rate = set_rate;
	c.set_rate_arg = &nr_rates;
	counters__use_level(&c, 2);
	assert_int_equal(nr_rates, 1);
	assert_int_not_equal(rate_fd, fd);
	counters__use_level(&c, 1);
	assert_int_equal(nr_rates, 2);
	/* the time before the move counts */
	assert_in_range(c.v.v[1].running, 1000000, c.v.v[1].enabled);

	/* one that is off stays off */
	counters__enable(&c, &l, false);
	samples_of(&c, 0);
	counters__use_level(&c, 2);
	work_ms(50);
	assert_int_equal(samples_of(&c, 1536), 0);
	counters__exit(&c);
	evlist__exit(&l);
}

/* Return the number of descriptors that an epoll watches. */
static unsigned nr_watched(int epoll_fd)
{
	char path[64], line[256];
	unsigned nr = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", epoll_fd);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		nr += !strncmp(line, "tfd:", 4);
	fclose(f);
	return nr;
}

/* A CPU came back: its counters are opened anew, with the same descriptors. */
static void a_counter_is_opened_again(void **state)
{
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC), fd;
	struct epoll_event event = { .events = EPOLLIN };
	struct counters c;
	struct event_request *request;
	char filter[] = "pid == 1";
	unsigned nr_rates = 0;
	struct evlist l;
	u64 enabled;

	(void)state;
	if (!open_moving(&c, &l)) {
		close(epoll_fd);
		skip();
	}
	counters__enable(&c, &l, true);
	work_ms(20);
	fd = c.v.v[1].fd;
	assert_int_equal(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event), 0);
	assert_int_equal(nr_watched(epoll_fd), 1);
	assert_int_equal(counters__reopen(&c, &l, &c.v.v[1], c.rings.v[0].fd, -1, epoll_fd), 0);
	assert_int_equal(c.v.v[1].fd, fd);
	assert_int_not_equal(c.v.v[1].kernel_id, c.v.v[1].id);
	assert_int_equal(nr_watched(epoll_fd), 0);
	/* as long as the one before was enabled; the new one is not */
	enabled = c.v.v[1].enabled;
	assert_in_range(enabled, 1000000, UINT64_MAX);
	assert_int_equal(counters__reopen(&c, &l, &c.v.v[1], c.rings.v[0].fd, -1, epoll_fd), 0);
	assert_int_equal(c.v.v[1].enabled, enabled);
	ring__rename_id(&c.rings.v[0], c.v.v[1].kernel_id, c.v.v[1].id);
	/* its rate, and a filter that its event cannot have */
	c.set_rate = set_rate;
	c.set_rate_arg = &nr_rates;
	assert_int_equal(counters__reopen(&c, &l, &c.v.v[1], c.rings.v[0].fd, -1, epoll_fd), 0);
	assert_int_equal(nr_rates, 1);
	assert_int_equal(rate_fd, fd);
	request = l.evsels.v[c.v.v[1].evsel]->request;
	request->filter = filter;
	errno = EIO;
	assert_int_equal(counters__reopen(&c, &l, &c.v.v[1], c.rings.v[0].fd, -1, epoll_fd), -EINVAL);
	request->filter = NULL;
	assert_int_equal(nr_rates, 1);
	ring__rename_id(&c.rings.v[0], c.v.v[1].kernel_id, c.v.v[1].id);
	samples_of(&c, 0);
	counters__resume(&c, &c.v.v[1]);
	assert_true(gets_samples_of(&c, c.levels.v[c.level].copy));
	close(epoll_fd);
	counters__exit(&c);
	evlist__exit(&l);
}

static bool is_enabled(const struct counter *n)
{
	u64 before = enabled_ns(n);

	work_ms(5);
	return enabled_ns(n) != before;
}

/* Counters of threads are there for each variant: those of the one in use are enabled. */
static void counters_of_variants_take_turns(void **state)
{
	struct counters c, pair = { .levels.nr = 2, .has_small = true };
	struct evlist l;

	(void)state;
	if (!open_moving(&c, &l))
		skip();
	for (u32 i = 0; i < 2; i++) {
		array__add(&pair.v, c.v.v[i]);
		pair.v.v[i].moves = pair.v.v[i].has_levels = pair.v.v[i].is_off = false;
		pair.v.v[i].has_small = true;
		pair.v.v[i].is_small = i;
	}
	counters__use_small_waits(&pair, true);
	assert_false(is_enabled(&pair.v.v[0]));
	assert_true(is_enabled(&pair.v.v[1]));
	counters__use_small_waits(&pair, false);
	assert_true(is_enabled(&pair.v.v[0]));
	assert_false(is_enabled(&pair.v.v[1]));
	counters__resume(&pair, &pair.v.v[1]); /* it is not in use */
	assert_false(is_enabled(&pair.v.v[1]));
	pair.v.v[1].is_off = true;
	counters__use_small_waits(&pair, true);
	assert_false(is_enabled(&pair.v.v[1]));

	/* the same for levels */
	for (u32 i = 0; i < 2; i++) {
		pair.v.v[i].is_off = pair.v.v[i].has_small = false;
		pair.v.v[i].has_levels = true;
		pair.v.v[i].level = i;
	}
	counters__use_level(&pair, 1);
	assert_int_equal(pair.level, 1);
	assert_false(is_enabled(&pair.v.v[0]));
	assert_true(is_enabled(&pair.v.v[1]));
	counters__resume(&pair, &pair.v.v[0]);
	assert_false(is_enabled(&pair.v.v[0]));
	counters__use_level(&pair, 0);
	assert_true(is_enabled(&pair.v.v[0]));
	assert_false(is_enabled(&pair.v.v[1]));
	array__exit(&pair.v);
	counters__exit(&c);
	evlist__exit(&l);
}

/* ---- which events ---- */

static struct evlist one;
static struct counters of_one;

/* Return the event of a list, which has levels, so that the test can change one thing. */
static struct evsel *with_levels(const char *event)
{
	struct err err = ERR_INIT;
	struct evsel *e;

	evlist__init(&one);
	assert_int_equal(parse_events(&one, event, &err), 0);
	err__exit(&err);
	e = one.evsels.v[0];
	e->attr.sample_type |= PERF_SAMPLE_STACK_USER;
	e->attr.sample_stack_user = 16 * KIB;
	of_one = (struct counters){ .level_mark = 16 * KIB };
	stack_levels__fill(&of_one.levels, 16 * KIB, true);
	assert_true(counters__has_levels(&of_one, e));
	return e;
}

static void expect_none(struct evsel *e)
{
	assert_false(counters__has_levels(&of_one, e));
	evlist__exit(&one);
}

static void not_all_events_have_levels(void **state)
{
	struct stack_level least = { .copy = 1536, .part = 8 };
	struct evsel *e;

	(void)state;
	e = with_levels("cpu-clock");
	of_one.levels.nr = 0;
	expect_none(e);
	e = with_levels("cpu-clock");
	e->attr.sample_type &= ~(u64)PERF_SAMPLE_STACK_USER;
	expect_none(e);
	e = with_levels("cpu-clock");
	e->attr.sample_stack_user /= 2; /* a size of its own */
	expect_none(e);
	e = with_levels("cpu-clock");
	e->nr_members = 2;
	expect_none(e);
	e = with_levels("cpu-clock");
	e->leader = 1;
	expect_none(e);
	e = with_levels("cpu-clock");
	e->attr.inherit_stat = 1;
	expect_none(e);
	e = with_levels("cpu-clock");
	e->attr.sample_type |= PERF_SAMPLE_READ;
	expect_none(e);
	e = with_levels("cpu-clock");
	e->attr.type = PERF_TYPE_TRACEPOINT;
	expect_none(e);
	e = with_levels("cpu-clock");
	e->attr.type = PERF_TYPE_BREAKPOINT;
	expect_none(e);
	for (u32 type = PERF_TYPE_HARDWARE; type <= PERF_TYPE_RAW; type++) {
		e = with_levels("cpu-clock");
		e->attr.type = type;
		if (type == PERF_TYPE_TRACEPOINT) {
			expect_none(e);
			continue;
		}
		assert_true(counters__has_levels(&of_one, e));
		evlist__exit(&one);
	}
	/* a single level that samples less often is one for events that may */
	e = with_levels("cpu-clock");
	e->attr.freq = 1;
	of_one.levels.nr = 1;
	assert_true(counters__has_levels(&of_one, e));
	of_one.levels.v[0] = least;
	e->attr.sample_type |= PERF_SAMPLE_PERIOD;
	assert_true(counters__has_levels(&of_one, e));
	e->attr.sample_type &= ~(u64)PERF_SAMPLE_PERIOD;
	assert_false(counters__has_levels(&of_one, e));
	e->attr.sample_type |= PERF_SAMPLE_PERIOD;
	e->attr.freq = 0;
	expect_none(e);
}

/* If rings have room for a part of the frequency only, the whole recording has that, and is told so. */
static void the_only_level_is_told(void **state)
{
	struct stack_depths *depths = calloc(1, sizeof(*depths));
	struct counters c = { .levels = { .nr = 1, .v = { { 1536, 8 } }, .asked = 16 * KIB },
			      .rate = 4000,
			      .armed = true,
			      .level_since = clock__ms() - 1000 };
	struct ring ring = { .size = 128 * KIB };
	struct strbuf out = STRBUF_INIT;
	struct levels_used u;

	(void)state;
	levels__choose(&c, depths, 0);
	assert_true(c.level_ms[0] >= 1000);
	c.level_ms[0] = 1500;
	u = levels__used(&c);
	assert_int_equal(u.slow_ms, 1500);
	assert_int_equal(u.rate, 4000);
	levels_used__tell(&u, &out);
	assert_string_equal(out.buf, "Sampled at 500 Hz for 1.5 of 1.5 s, as the ring buffers had no room "
				     "for more: type -F 500\n");
	/* each of two events has half of the rate */
	c.nr_rates = 2;
	c.load.wanted = 4608;
	c.rings.v = &ring;
	c.rings.nr = 1;
	u = levels__used(&c);
	assert_int_equal(u.rate, 2000);
	assert_int_equal(u.slow_rate, 250);
	assert_int_equal(u.wanted_rate, 625); /* 25 copies in 20 ms, of both */
	strbuf__reset(&out);
	levels_used__tell(&u, &out);
	assert_non_null(strstr(out.buf, "a ring of 128K has room for 4608 with -F 625\n"));
	/* a ring that holds 3 such copies has room for them at no rate */
	ring.size = 4 * 4608 - 1;
	u = levels__used(&c);
	assert_int_equal(u.wanted_rate, 0);
	strbuf__reset(&out);
	levels_used__tell(&u, &out);
	assert_null(strstr(out.buf, "has room for"));
	strbuf__exit(&out);
	free(depths);
}

/* The event of --off-cpu may copy less, if it copies enough for that to matter. */
static void which_events_may_be_small(void **state)
{
	struct counters c = { .has_small = true };
	struct event_request request = { .is_off_cpu = true };
	struct evsel e = { .request = &request, .attr.sample_stack_user = 513 };

	(void)state;
	assert_true(counters__may_be_small(&e));
	assert_false(counters__has_small(&c, &e));
	c.levels.nr = 1;
	assert_true(counters__has_small(&c, &e));
	c.has_small = false;
	assert_false(counters__has_small(&c, &e));
	e.attr.sample_stack_user = 512;
	assert_false(counters__may_be_small(&e));
	e.attr.sample_stack_user = 8 * KIB;
	request.is_off_cpu = false;
	assert_false(counters__may_be_small(&e));
}

static void copies_of_waits_become_small(void **state)
{
	struct counters c = { .has_small = true, .levels.nr = 1 };
	struct counter n = { .fd = -1, .has_small = true };

	(void)state;
	array__add(&c.v, n);
	assert_true(counters__uses(&c, &c.v.v[0]));
	counters__use_small_waits(&c, true);
	assert_true(c.small_waits);
	assert_false(counters__uses(&c, &c.v.v[0]));
	counters__use_small_waits(&c, false);
	assert_false(c.small_waits);
	assert_true(counters__uses(&c, &c.v.v[0]));
	array__exit(&c.v);
}

/* What a level and small copies change of an attr. */
static void variants_have_other_sizes_and_rates(void **state)
{
	const struct perf_event_attr attr = { .sample_stack_user = 16 * KIB,
					      .sample_freq = 4000,
					      .freq = 1,
					      .sample_type = PERF_SAMPLE_PERIOD };
	struct counters c = { .levels = { .nr = 3, .v = { { 16384, 1 }, { 4608, 1 }, { 1536, 8 } } } };
	struct counter n = { .attr = attr, .has_levels = true };
	struct perf_event_attr got;

	(void)state;
	n.level = 1;
	got = counter__variant(&c, &n);
	assert_int_equal(got.sample_stack_user, 4608);
	assert_int_equal(got.sample_freq, 4000);
	n.level = 2;
	got = counter__variant(&c, &n);
	assert_int_equal(got.sample_stack_user, 1536);
	assert_int_equal(got.sample_freq, 500);
	n.attr.sample_freq = 5;
	assert_int_equal(counter__variant(&c, &n).sample_freq, 1);
	/* samples that do not tell their periods must all have the same one */
	n.attr = attr;
	n.attr.sample_type = 0;
	got = counter__variant(&c, &n);
	assert_int_equal(got.sample_freq, 4000);
	assert_int_equal(got.sample_stack_user, STACK_COPY_MIN);
	n.attr = attr;
	n.attr.freq = 0;
	got = counter__variant(&c, &n);
	assert_int_equal(got.sample_period, 4000);
	assert_int_equal(got.sample_stack_user, STACK_COPY_MIN);

	n = (struct counter){ .attr = attr, .is_small = true };
	got = counter__variant(&c, &n);
	assert_int_equal(got.sample_stack_user, 512);
	assert_true(got.exclude_callchain_kernel && got.exclude_callchain_user);
	n.is_small = false;
	got = counter__variant(&c, &n);
	assert_memory_equal(&got, &attr, sizeof(attr));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_are_those_that_can_be_chosen),
		cmocka_unit_test(removed_levels_are_wanted),
		cmocka_unit_test(many_threads_and_cpus_have_fewer_levels),
		cmocka_unit_test(levels_fit_the_limit),
		cmocka_unit_test(rings_have_half_a_gib_at_most),
		cmocka_unit_test(a_counter_moves_between_levels),
		cmocka_unit_test(a_counter_is_opened_again),
		cmocka_unit_test(not_all_events_have_levels),
		cmocka_unit_test(the_only_level_is_told),
		cmocka_unit_test(counters_of_variants_take_turns),
		cmocka_unit_test(which_events_may_be_small),
		cmocka_unit_test(copies_of_waits_become_small),
		cmocka_unit_test(variants_have_other_sizes_and_rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
