/* What the kernel refuses while a recording opens its counters: the events must not say it any more. */
#include "unit.h"
#include "may_open.h"

#include "event/parse/parse.h"
#include "live/counter.h"
#include "record/options/attr_opts.h"
#include "record/events/counters.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef bool attr_test(const struct perf_event_attr *a);

/* ---- a kernel that lacks a feature ---- */

static attr_test *is_refused; /* NULL: accept what the kernel accepts */
static int refusal = EINVAL;
static unsigned nr_accepted; /* openings that are left until the feature is missing */

/* The system call of counter.c comes here, as the linker finds this function first. */
long syscall(long number, ...)
{
	static long (*next)(long number, ...);
	long args[5];
	va_list ap;

	va_start(ap, number);
	for (size_t i = 0; i < ARRAY_SIZE(args); i++)
		args[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_perf_event_open && is_refused &&
	    is_refused((const struct perf_event_attr *)args[0])) {
		if (!nr_accepted) {
			errno = refusal;
			return -1;
		}
		nr_accepted--;
	}
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "syscall");
	return next(number, args[0], args[1], args[2], args[3], args[4]);
}

#define HAS(name, test)                                   \
	static bool name(const struct perf_event_attr *a) \
	{                                                 \
		return test;                              \
	}
HAS(has_inherited_read, a->inherit && (a->sample_type & PERF_SAMPLE_READ))
HAS(has_lost, a->read_format & 1 << 4) /* PERF_FORMAT_LOST */
HAS(has_build_id, a->build_id)
HAS(has_weight_struct, a->sample_type & 1 << 24) /* PERF_SAMPLE_WEIGHT_STRUCT */
HAS(has_page_sizes, a->sample_type &(1 << 22 | 1 << 23))
HAS(has_text_poke, a->text_poke)
HAS(has_cgroup, a->cgroup || (a->sample_type & 1 << 21))
HAS(has_bpf_event, a->bpf_event)
HAS(has_ksymbol, a->ksymbol)
HAS(has_max_stack, a->sample_max_stack)
HAS(has_mmap2, a->mmap2)
HAS(has_comm_exec, a->comm_exec)
HAS(has_exclude_guest, a->exclude_guest)
HAS(has_sample_id_all, a->sample_id_all)
#ifdef __aarch64__
HAS(has_vector_length, (a->sample_regs_user | a->sample_regs_intr) & 1ull << 46)
#endif

static const struct refused_feature {
	const char *name;
	attr_test *has;
	int error;
} features[] = {
	{ "inherited READ", has_inherited_read, EINVAL },
	{ "LOST", has_lost, EINVAL },
	{ "build_id", has_build_id, EINVAL },
	{ "WEIGHT_STRUCT", has_weight_struct, EINVAL },
	{ "page sizes", has_page_sizes, EINVAL },
	{ "text_poke", has_text_poke, EINVAL },
	{ "cgroup", has_cgroup, EINVAL },
	{ "bpf_event", has_bpf_event, EINVAL },
	{ "ksymbol", has_ksymbol, EINVAL },
	{ "sample_max_stack", has_max_stack, EINVAL },
	{ "mmap2", has_mmap2, EINVAL },
	{ "comm_exec", has_comm_exec, EINVAL },
	{ "exclude_guest", has_exclude_guest, EINVAL },
	{ "sample_id_all", has_sample_id_all, EINVAL },
	{ "attr of another size", has_build_id, E2BIG },
#ifdef __aarch64__
	{ "vector length", has_vector_length, EOPNOTSUPP },
#endif
};

/* ---- a recording of two threads ---- */

static void ask_for_all(struct perf_event_attr *a)
{
	a->inherit = 1;
	a->sample_type |= PERF_SAMPLE_TID | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | 1 << 21 | 1 << 22 |
			  1 << 23 | 1 << 24;
	a->read_format = PERF_FORMAT_ID | 1 << 4;
	a->mmap = a->comm = 1;
	a->mmap2 = a->comm_exec = a->build_id = a->cgroup = a->bpf_event = a->ksymbol = a->text_poke = 1;
	a->sample_id_all = 1;
	a->exclude_guest = 1;
	a->sample_max_stack = 5;
#ifdef __aarch64__
	a->sample_type |= PERF_SAMPLE_REGS_USER;
	a->sample_regs_user = 1ull << 46 | 1;
#endif
}

/*
 * Open two events for two threads. The feature is refused after the events were settled, as for those that
 * are not tried before; first, from counter number accepted on.
 */
static void expect_dropped(const struct refused_feature *f, unsigned accepted)
{
	const struct attr_opts opts = { .rate.freq = 100 };
	struct counters c = { 0 };
	struct target t = { 0 };
	struct err err = ERR_INIT;
	struct evlist l;

	evlist__init(&l);
	assert_int_equal(parse_events(&l, "cpu-clock:u,page-faults:u", &err), 0);
	array__add(&t.tids, getpid());
	array__add(&t.tids, getpid());
	array__add(&t.cpus, 0);
	attr_opts__apply(&opts, &l);
	for (size_t i = 0; i < l.evsels.nr; i++)
		ask_for_all(&l.evsels.v[i]->attr);
	is_refused = f->has;
	refusal = f->error;
	nr_accepted = accepted;
	if (counters__open(&c, &l, &t, 1, &err))
		fail_msg("without %s after %u: %s", f->name, accepted, err.text.buf);
	is_refused = NULL;
	assert_int_equal(c.v.nr, 4);
	for (size_t i = 0; i < c.v.nr; i++) {
		const struct evsel *e = l.evsels.v[c.v.v[i].evsel];

		if (f->has(&e->attr) || f->has(&c.v.v[i].attr))
			fail_msg("%s after %u: still there in counter %zu", f->name, accepted, i);
		/* what is laid out by the file's attr, in this event and in all its counters */
		assert_int_equal(c.v.v[i].attr.sample_type, e->attr.sample_type);
		assert_int_equal(c.v.v[i].attr.read_format, e->attr.read_format);
		assert_int_equal(c.v.v[i].attr.sample_regs_user, e->attr.sample_regs_user);
		assert_int_equal(c.v.v[i].attr.sample_id_all, e->attr.sample_id_all);
		assert_int_equal(e->ids.nr, 2);
	}
	counters__exit(&c);
	evlist__exit(&l);
	array__exit(&t.tids);
	array__exit(&t.cpus);
	err__exit(&err);
}

static void events_say_what_was_accepted(void **state)
{
	(void)state;
	if (!may_open())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(features); i++)
		for (unsigned accepted = 0; accepted < 4; accepted++)
			expect_dropped(&features[i], accepted);
}

/* Only the refused feature is dropped, and it is remembered. */
static void drops_only_what_is_refused(void **state)
{
	struct counter_missing missing = { 0 };
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.exclude_kernel = 1,
					.exclude_guest = 1,
					.mmap = 1,
					.mmap2 = 1,
					.ksymbol = 1,
					.sample_id_all = 1 };
	const struct perf_event_attr wanted = attr;
	u32 learned;
	int fd;

	(void)state;
	if (!may_open())
		skip();
	is_refused = has_exclude_guest;
	refusal = EINVAL;
	nr_accepted = 0;
	fd = counter__open_adapting(&missing, &attr, 0, -1, -1);
	is_refused = NULL;
	assert_true(fd >= 0);
	close(fd);
	assert_false(attr.exclude_guest);
	assert_true(attr.mmap2 && attr.ksymbol && attr.sample_id_all);
	learned = missing.bits;
	assert_int_not_equal(learned, 0);
	attr = wanted;
	fd = counter__open_adapting(&missing, &attr, 0, -1, -1);
	assert_true(fd >= 0);
	close(fd);
	assert_false(attr.exclude_guest);
	assert_int_equal(missing.bits, learned);
	attr = wanted;
	counter_missing__apply(&missing, &attr);
	assert_false(attr.exclude_guest);
	assert_true(attr.mmap2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_say_what_was_accepted),
		cmocka_unit_test(drops_only_what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
