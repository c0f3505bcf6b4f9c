/*
 * What --off-cpu=locks makes of switches and wakings, as the kernel samples them. The records are made here,
 * by the layout in man 2 perf_event_open and the format of sched:sched_waking.
 */
#include "unit.h"

#include "event/evsel/event_request.h"
#include "record/stacks/off_cpu.h"

#include <linux/futex.h>
#include <stdio.h>
#include <string.h>

#ifdef __x86_64__
enum { REG_FIRST = 5, REG_SECOND = 4, REG_THIRD = 3, REG_SP = 7, REG_IP = 8 };
#else
enum { REG_FIRST = 0, REG_SECOND = 1, REG_THIRD = 2, REG_SP = 31, REG_IP = 32 };
#endif

enum { WAITS, ENDED, READY, NR_EVENTS };
enum { HARDIRQ = 0x08, SOFTIRQ = 0x10 };
enum { MUTEX = 0x5000, PRIVATE_WAIT = FUTEX_WAIT_PRIVATE, PRIVATE_WAKE = FUTEX_WAKE_PRIVATE };

static const char *const names[NR_EVENTS] = { "offcpu-time", "ended-waits", "ready-time" };
static struct evlist list;
static struct sample_decoder decoder;
static struct lazy_record lazy;
static struct off_cpu *off;
static struct strbuf out;

static void begin_with(bool inherit)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						       PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
						       PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW |
						       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_WEIGHT,
					.sample_regs_user = wakings__regs(),
					.sample_id_all = 1,
					.inherit = inherit };
	struct off_cpu_opts opts = { .d = &decoder,
				     .threshold = UINT64_MAX,
				     .fields = { .flags = 2, .pid = 24 } };

	evlist__init(&list);
	for (u64 i = 0; i < NR_EVENTS; i++) {
		struct evsel *e = evlist__add_request(&list, &attr, names[i]);

		evlist__add_id(&list, e, 1 + i);
		e->request->has_wait_details = true;
	}
	sample_decoder__init(&decoder, &list);
	lazy_record__init(&lazy, &decoder);
	opts.waits = list.evsels.v[WAITS];
	opts.ended = list.evsels.v[ENDED];
	opts.ready = list.evsels.v[READY];
	off = off_cpu__new(&opts);
	strbuf__init(&out);
}

static void begin(void)
{
	begin_with(true);
}

static void end(void)
{
	off_cpu__delete(off);
	sample_decoder__exit(&decoder);
	evlist__exit(&list);
	strbuf__exit(&out);
}

struct call { /* a system call that a thread is in */
	u64 first;
	u32 second, third;
};

static u32 sample_pid = 100;

/* Give the recorder a sample. raw: the payload of a waking; NULL: of a switch. call NULL: a kernel thread. */
static void sample(int event, u32 tid, u64 time, const void *raw, u32 raw_size, const struct call *call)
{
	const u64 words[] = { 1 + (u64)event, 0xffffffff81000000, (u64)tid << 32 | sample_pid, time, 0, 1 };
	const u64 abi = call ? PERF_SAMPLE_REGS_ABI_64 : 0, weight = 0, mask = wakings__regs();
	struct perf_event_header h = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 0 };
	struct strbuf sb = STRBUF_INIT;

	strbuf__add(&sb, &h, sizeof(h));
	strbuf__add(&sb, words, sizeof(words));
	strbuf__add(&sb, &raw_size, sizeof(raw_size));
	strbuf__add(&sb, raw, raw_size);
	while (sb.len % 8)
		strbuf__add(&sb, "", 1);
	strbuf__add(&sb, &abi, sizeof(abi));
	for (unsigned reg = 0; call && reg < 64; reg++) {
		u64 value = reg == REG_FIRST    ? call->first
			    : reg == REG_SECOND ? call->second
			    : reg == REG_THIRD  ? call->third
						: 0x1000u + reg;

		if (mask >> reg & 1)
			strbuf__add(&sb, &value, sizeof(value));
	}
	strbuf__add(&sb, &weight, sizeof(weight));
	((struct perf_event_header *)(void *)sb.buf)->size = (u16)sb.len;
	lazy_record__set(&lazy, (void *)sb.buf);
	assert_true(off_cpu__take(off, &lazy));
	strbuf__exit(&sb);
}

static void leaves(u32 tid, u64 time, u64 futex, u32 op, u32 value)
{
	sample(WAITS, tid, time, NULL, 0, &(struct call){ futex, op, value });
}

/*
 * Let thread by wake another; a system call of op on futex; 0: of no futex. flags: of the kernel's context.
 */
static void wakes(u32 by, u32 woken, u64 time, u64 futex, u32 op, u8 flags)
{
	u8 raw[36] = { 0 };

	raw[2] = flags;
	memcpy(raw + 24, &woken, sizeof(woken));
	sample(ENDED, by, time, raw, sizeof(raw), &(struct call){ futex, op, 1 });
}

static void record(u32 type, u16 misc, u32 tid, u64 time)
{
	struct {
		struct perf_event_header h;
		u32 pid, tid;
		u64 time, id;
	} s = { { type, misc, sizeof(s) }, 100, tid, time, 1 };

	lazy_record__set(&lazy, &s.h);
	assert_true(off_cpu__take(off, &lazy));
}

static void runs(u32 tid, u64 time)
{
	record(PERF_RECORD_SWITCH, 0, tid, time);
}

static void preempted(u32 tid, u64 time)
{
	record(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, tid,
	       time);
}

static void task(u32 type, u32 tid, u32 parent, u64 time)
{
	struct {
		struct perf_event_header h;
		u32 pid, ppid, tid, ptid;
		u64 exit_time;
		u32 id_pid, id_tid;
		u64 time, id;
	} s = { { type, 0, sizeof(s) }, 100, 1, tid, parent, time, 100, 1, time, 1 };

	s.id_tid = type == PERF_RECORD_EXIT ? tid : parent;

	lazy_record__set(&lazy, &s.h);
	assert_false(off_cpu__take(off, &lazy));
}

static void exits(u32 tid, u64 time)
{
	task(PERF_RECORD_EXIT, tid, 1, time);
}

static void forks(u32 parent, u32 tid, u64 time)
{
	task(PERF_RECORD_FORK, tid, parent, time);
}

/* Write all samples as text, in any order of events: one a line, sorted as written. */
static void expect(const char *text)
{
	struct strbuf got = STRBUF_INIT;

	off_cpu__finish(off, 0, &out);
	for (size_t pos = 0; pos < out.len;) {
		const struct record r = { .header = (const void *)(out.buf + pos) };
		struct wait_detail d;
		struct wait_span span;
		struct sample s;

		assert_int_equal(r.header->type, PERF_RECORD_SAMPLE);
		assert_int_equal(sample__decode(&decoder, &r, &s), 0);
		assert_true(wait_detail__decode(&d, s.raw, s.raw_size, s.time, false));
		strbuf__addf(&got, "%s %u: %llu ns x%llu addr %llx", s.evsel->name, s.tid,
			     (unsigned long long)s.period, (unsigned long long)s.weight,
			     (unsigned long long)s.addr);
		if (d.flags)
			strbuf__addf(&got, " flags %u other %u", d.flags, d.tid);
		while (wait_detail__next(&d, &span))
			strbuf__addf(&got, " %llu-%llu-%llu", (unsigned long long)span.begin,
				     (unsigned long long)span.woken, (unsigned long long)span.end);
		strbuf__addf(&got, "\n");
		pos += r.header->size;
	}
	assert_string_equal(got.buf ? got.buf : "", text);
	strbuf__exit(&got);
	strbuf__reset(&out);
}

static void a_mutex_is_let_go(void **state)
{
	(void)state;
	begin();
	leaves(1, 1000, MUTEX, PRIVATE_WAIT, 2);
	wakes(2, 1, 5000, MUTEX, PRIVATE_WAKE, 0);
	runs(1, 5300);
	expect("offcpu-time 1: 4300 ns x1 addr 5000 flags 9 other 2 1000-5000-5300\n"
	       "ended-waits 2: 4300 ns x1 addr 5000 flags 9 other 1\n"
	       "ready-time 1: 300 ns x1 addr 0\n");
	end();
}

/* Waits are added up by lock and by who ended them, and each is still there. */
static void causes_are_apart(void **state)
{
	(void)state;
	begin();
	for (u64 i = 0; i < 4; i++) {
		leaves(1, 1000 * i + 100, i == 3 ? MUTEX + 64 : MUTEX, PRIVATE_WAIT, 2);
		wakes(i == 2 ? 3 : 2, 1, 1000 * i + 200, i == 3 ? MUTEX + 64 : MUTEX, PRIVATE_WAKE, 0);
		runs(1, 1000 * i + 200);
	}
	expect("offcpu-time 1: 200 ns x2 addr 5000 flags 9 other 2 100-200-200 1100-1200-1200\n"
	       "offcpu-time 1: 100 ns x1 addr 5000 flags 9 other 3 2100-2200-2200\n"
	       "offcpu-time 1: 100 ns x1 addr 5040 flags 9 other 2 3100-3200-3200\n"
	       "ended-waits 2: 200 ns x2 addr 5000 flags 9 other 1\n"
	       "ended-waits 3: 100 ns x1 addr 5000 flags 9 other 1\n"
	       "ended-waits 2: 100 ns x1 addr 5040 flags 9 other 1\n");
	end();
}

static void what_is_not_the_same_futex(void **state)
{
	(void)state;
	begin();
	leaves(1, 1000, MUTEX, PRIVATE_WAIT, 2);
	wakes(2, 1, 1100, MUTEX + 4, PRIVATE_WAKE, 0); /* another */
	runs(1, 1100);
	leaves(1, 2000, MUTEX, PRIVATE_WAIT, 2);
	wakes(2, 1, 2100, 4, 0x7000, 0); /* write(4, 0x7000, 1) */
	runs(1, 2100);
	leaves(1, 3000, 4, 0x7000, 1); /* read(4, 0x7000, 1) is no wait for a futex */
	wakes(2, 1, 3100, MUTEX, PRIVATE_WAKE, 0);
	runs(1, 3100);
	expect("offcpu-time 1: 200 ns x2 addr 5000 flags 8 other 2 1000-1100-1100 2000-2100-2100\n"
	       "offcpu-time 1: 100 ns x1 addr 0 flags 8 other 2 3000-3100-3100\n"
	       "ended-waits 2: 200 ns x2 addr 5000 flags 8 other 1\n"
	       "ended-waits 2: 100 ns x1 addr 0 flags 8 other 1\n");
	end();
}

/* A process may have shared memory at another address, where only the place in the page is the same. */
static void processes_share_futexes(void **state)
{
	static const struct {
		u32 pid;
		u64 futex;
		u32 flags;
	} wakings[] = { { 200, MUTEX + 0x14000, 9 },
			{ 200, MUTEX + 0x14004, 8 },
			{ 100, MUTEX + 0x14000, 8 },
			{ 200, MUTEX, 9 },
			{ 200, 0, 8 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wakings); i++) {
		char text[256];

		begin();
		leaves(1, 1000, MUTEX, FUTEX_WAIT, 3);
		sample_pid = wakings[i].pid;
		wakes(2, 1, 1100, wakings[i].futex, FUTEX_WAKE, 0);
		sample_pid = 100;
		runs(1, 1100);
		snprintf(text, sizeof(text),
			 "offcpu-time 1: 100 ns x1 addr 5000 flags %u other 2 1000-1100-1100\n"
			 "ended-waits 2: 100 ns x1 addr 5000 flags %u other 1\n",
			 wakings[i].flags, wakings[i].flags);
		expect(text);
		end();
	}
}

/* A timer's interrupt says nothing about the thread that it interrupts. */
static void interrupts_are_no_threads(void **state)
{
	(void)state;
	begin();
	leaves(1, 1000, MUTEX, PRIVATE_WAIT, 2);
	wakes(2, 1, 1100, MUTEX, PRIVATE_WAKE, HARDIRQ);
	runs(1, 1100);
	leaves(1, 2000, MUTEX, PRIVATE_WAIT, 2);
	wakes(3, 1, 2100, 0, 0, SOFTIRQ); /* 3 is not recorded */
	runs(1, 2100);
	leaves(2, 2900, 0, 0, 0);
	runs(2, 2950);
	leaves(1, 3000, MUTEX, PRIVATE_WAIT, 2);
	wakes(2, 1, 3100, 0, 0, SOFTIRQ); /* 2 is: it may have sent itself something */
	runs(1, 3100);
	expect("offcpu-time 1: 100 ns x1 addr 5000 flags 2 other 0 1000-1100-1100\n"
	       "offcpu-time 1: 100 ns x1 addr 5000 flags 12 other 0 2000-2100-2100\n"
	       "offcpu-time 2: 50 ns x1 addr 0 2900-2950-2950\n"
	       "offcpu-time 1: 100 ns x1 addr 5000 flags 12 other 2 3000-3100-3100\n"
	       "ended-waits 0: 100 ns x1 addr 5000 flags 2 other 1\n"
	       "ended-waits 0: 100 ns x1 addr 5000 flags 12 other 1\n"
	       "ended-waits 2: 100 ns x1 addr 5000 flags 12 other 1\n");
	end();
}

static void kernel_threads_say_so(void **state)
{
	u8 raw[36] = { [24] = 1 };

	(void)state;
	begin();
	leaves(1, 1000, 0, 0, 0);
	sample(ENDED, 9, 1100, raw, sizeof(raw), NULL);
	runs(1, 1200);
	expect("offcpu-time 1: 200 ns x1 addr 0 flags 24 other 9 1000-1100-1200\n"
	       "ended-waits 9: 200 ns x1 addr 0 flags 24 other 1\n"
	       "ready-time 1: 100 ns x1 addr 0\n");
	end();
}

/* The waking may come before the record of the switch; one of a wait before does not count. */
static void a_thread_is_woken_before_it_left(void **state)
{
	(void)state;
	begin();
	runs(1, 500);
	wakes(2, 1, 900, MUTEX, PRIVATE_WAKE, 0);
	leaves(1, 1000, MUTEX, PRIVATE_WAIT, 2);
	runs(1, 1300);
	wakes(3, 1, 1400, MUTEX, PRIVATE_WAKE, 0); /* it did not sleep */
	leaves(1, 900000, MUTEX, PRIVATE_WAIT, 2);
	runs(1, 900200);
	expect("offcpu-time 1: 300 ns x1 addr 5000 flags 9 other 2 1000-1000-1300\n"
	       "offcpu-time 1: 200 ns x1 addr 5000 900000-900200-900200\n"
	       "ended-waits 2: 300 ns x1 addr 5000 flags 9 other 1\n"
	       "ready-time 1: 300 ns x1 addr 0\n");
	end();
}

/* Of a waking there may be two samples, and of threads that are not recorded any number. */
static void other_wakings_do_not_count(void **state)
{
	(void)state;
	begin();
	leaves(1, 1000, MUTEX, PRIVATE_WAIT, 2);
	wakes(2, 1, 1100, MUTEX, PRIVATE_WAKE, 0);
	wakes(2, 1, 1100, MUTEX, PRIVATE_WAKE, 0);
	wakes(5, 6, 1150, MUTEX, PRIVATE_WAKE, 0);
	runs(1, 1100);
	expect("offcpu-time 1: 100 ns x1 addr 5000 flags 9 other 2 1000-1100-1100\n"
	       "ended-waits 2: 100 ns x1 addr 5000 flags 9 other 1\n");
	end();
}

/* pthread_join waits for the word with the thread's tid, which the kernel clears after the thread's EXIT. */
static void a_thread_that_ends_is_joined(void **state)
{
	(void)state;
	begin();
	leaves(1, 1000, MUTEX, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 7);
	leaves(7, 1100, 0, 0, 0);
	runs(7, 1200);
	exits(7, 1500);
	leaves(7, 1600, 0, 0, 0);
	runs(1, 1700);
	leaves(1, 2000, MUTEX, PRIVATE_WAIT, 7); /* 7 is a value of a mutex here */
	runs(1, 2100);
	expect("offcpu-time 7: 100 ns x1 addr 0 1100-1200-1200\n"
	       "offcpu-time 1: 700 ns x1 addr 5000 flags 9 other 7 1000-1500-1700\n"
	       "offcpu-time 1: 100 ns x1 addr 5000 2000-2100-2100\n");
	end();
}

static void a_preempted_thread_is_ready(void **state)
{
	(void)state;
	begin();
	leaves(1, 1000, 0, 0, 0);
	preempted(1, 1001);
	runs(1, 1501);
	preempted(1, 2000);
	runs(1, 2100);
	preempted(1, 3000);
	expect("ready-time 1: 600 ns x2 addr 0 1001-1001-1501 2000-2000-2100\n");
	end();
	/* until the newest record, if it does not run again */
	begin();
	leaves(1, 1000, 0, 0, 0);
	preempted(1, 1001);
	runs(2, 4001);
	expect("ready-time 1: 3000 ns x1 addr 0 1001-1001-4001\n");
	end();
}

static void a_new_thread_is_ready_until_it_runs(void **state)
{
	(void)state;
	begin();
	forks(1, 2, 1000);
	wakes(1, 2, 1100, 0, 0, 0);
	forks(1, 3, 2000); /* it has not run when the recording ends */
	runs(2, 9000);
	preempted(2, 9500);
	runs(2, 9600);
	expect("ready-time 2: 8100 ns x2 addr 0 1000-1000-9000 9500-9500-9600\n");
	end();
}

/* One that is not recorded is not, nor one that was there before the recording. */
static void not_every_new_thread_is_known_to_be_ready(void **state)
{
	(void)state;
	begin_with(false); /* threads do not inherit the events */
	forks(1, 2, 1000);
	runs(2, 3000);
	expect("");
	end();
	begin();
	forks(1, 2, 1000); /* the record that it runs is lost */
	leaves(2, 5000, 0, 0, 0);
	runs(2, 5100);
	forks(1, 3, 1000);
	exits(3, 6000);
	runs(3, 6100);
	task(PERF_RECORD_FORK, 4, 1, 0); /* it was there before */
	runs(4, 7000);
	expect("offcpu-time 2: 100 ns x1 addr 0 5000-5100-5100\n");
	end();
}

/* A tid is used again. */
static void a_thread_begins_anew(void **state)
{
	(void)state;
	begin();
	forks(1, 2, 1000);
	runs(2, 1200);
	exits(2, 2000);
	leaves(2, 2100, 0, 0, 0);
	forks(1, 2, 3000);
	runs(2, 3050);
	leaves(2, 4000, 0, 0, 0);
	runs(2, 4500);
	expect("offcpu-time 2: 500 ns x1 addr 0 4000-4500-4500\n"
	       "ready-time 2: 250 ns x2 addr 0 1000-1000-1200 3000-3000-3050\n");
	end();
}

/* A payload that ends too early is no waking, and nothing behind it is read. */
static void short_payloads_are_dropped(void **state)
{
	u8 raw[36] = { [24] = 1 };

	(void)state;
	begin();
	leaves(1, 1000, MUTEX, PRIVATE_WAIT, 2);
	for (u32 size = 0; size < 28; size++)
		sample(ENDED, 2, 1100, raw, size, &(struct call){ MUTEX, PRIVATE_WAKE, 1 });
	runs(1, 1200);
	expect("offcpu-time 1: 200 ns x1 addr 5000 1000-1200-1200\n");
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mutex_is_let_go),
		cmocka_unit_test(causes_are_apart),
		cmocka_unit_test(what_is_not_the_same_futex),
		cmocka_unit_test(interrupts_are_no_threads),
		cmocka_unit_test(kernel_threads_say_so),
		cmocka_unit_test(a_thread_is_woken_before_it_left),
		cmocka_unit_test(other_wakings_do_not_count),
		cmocka_unit_test(a_thread_that_ends_is_joined),
		cmocka_unit_test(processes_share_futexes),
		cmocka_unit_test(a_preempted_thread_is_ready),
		cmocka_unit_test(a_new_thread_is_ready_until_it_runs),
		cmocka_unit_test(not_every_new_thread_is_known_to_be_ready),
		cmocka_unit_test(a_thread_begins_anew),
		cmocka_unit_test(short_payloads_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
