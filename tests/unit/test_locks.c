/* Who ended a wait for a lock, and which lock it was. */
#include "unit.h"

#include "fold_image.h"
#include "live/proc.h"
#include "profile/keys/sample_filter.h"
#include "profile/gather/read_locks.h"

#include <errno.h>
#include <string.h>

enum { THREAD = WOKEN_BY_THREAD, FUTEX = WOKEN_BY_THREAD | WOKEN_BY_FUTEX };

static u32 facts_of(const char *const *kernel, const char *const *user)
{
	u32 facts = 0;

	for (; *kernel && !(facts & WAKER_INTERRUPT); kernel++)
		facts |= waker_facts__of(*kernel, true);
	for (; *user; user++)
		facts |= waker_facts__of(*user, false);
	return facts;
}

static const struct {
	enum waker_role role;
	enum lock_kind kind;
	u32 flags;
	const char *kernel[8], *user[4];
} wakings[] = {
	{ ROLE_HOLDER, LOCK_MUTEX, FUTEX, { NULL }, { NULL } },
	{ ROLE_UNKNOWN, LOCK_MUTEX, THREAD, { NULL }, { NULL } }, /* a signal */
	{ ROLE_UNKNOWN, LOCK_MUTEX, WOKEN_BY_FUTEX, { NULL }, { NULL } },
	{ ROLE_UNKNOWN, LOCK_MUTEX, 0, { NULL }, { NULL } },
	{ ROLE_INTERRUPT, LOCK_MUTEX, FUTEX | WOKEN_BY_HARDIRQ, { NULL }, { NULL } },
	{ ROLE_HOLDER, LOCK_ONCE, FUTEX, { NULL }, { NULL } },
	{ ROLE_HOLDER, LOCK_RWLOCK, FUTEX, { NULL }, { "___pthread_rwlock_unlock", "writer" } },
	{ ROLE_UNKNOWN, LOCK_RWLOCK, FUTEX, { NULL }, { "___pthread_rwlock_rdlock", "reader" } },
	{ ROLE_HOLDER,
	  LOCK_RWLOCK,
	  FUTEX,
	  { NULL },
	  { "std::sys::sync::rwlock::futex::RwLock::wake_writer_or_readers", "writer" } },
	{ ROLE_HOLDER,
	  LOCK_RWLOCK,
	  FUTEX,
	  { NULL },
	  { "<std::sys::sync::rwlock::futex::RwLock>::wake_writer_or_readers", "writer" } },
	{ ROLE_HOLDER,
	  LOCK_RWLOCK,
	  FUTEX,
	  { NULL },
	  { "<parking_lot::raw_rwlock::RawRwLock>::unlock_exclusive_slow", "writer" } },
	{ ROLE_SIGNALLER, LOCK_CONDITION, FUTEX, { NULL }, { NULL } },
	{ ROLE_UNKNOWN, LOCK_CONDITION, THREAD, { NULL }, { NULL } },
	{ ROLE_POSTER, LOCK_SEMAPHORE, FUTEX, { NULL }, { NULL } },
	{ ROLE_LAST, LOCK_BARRIER, FUTEX, { NULL }, { NULL } },
	{ ROLE_ENDED, LOCK_THREAD, FUTEX, { NULL }, { NULL } },
	{ ROLE_ENDED, LOCK_THREAD, THREAD, { "wake_up_q", "mm_release", "do_exit" }, { NULL } },
	{ ROLE_UNKNOWN, LOCK_THREAD, THREAD, { "do_send_sig_info", "__x64_sys_kill" }, { NULL } },
	{ ROLE_HOLDER, LOCK_KERNEL_MUTEX, THREAD, { "wake_up_q", "mutex_unlock" }, { NULL } },
	{ ROLE_WAKER, LOCK_KERNEL_MUTEX, THREAD, { NULL }, { NULL } },
	{ ROLE_WAKER, LOCK_NONE, THREAD, { "pipe_write" }, { NULL } },
	{ ROLE_KERNEL_THREAD, LOCK_NONE, THREAD, { "worker_thread", "kthread" }, { NULL } },
	{ ROLE_KERNEL_THREAD, LOCK_NONE, THREAD | WOKEN_BY_KERNEL, { NULL }, { NULL } },
	{ ROLE_KERNEL_THREAD, LOCK_NONE, THREAD | WOKEN_BY_KERNEL, { "worker_thread", "kthread" }, { NULL } },
	{ ROLE_WAKER, /* a child: it has no memory of its own any more */
	  LOCK_NONE,
	  THREAD | WOKEN_BY_KERNEL,
	  { "try_to_wake_up", "do_notify_parent", "do_exit", "do_group_exit" },
	  { NULL } },
	{ ROLE_WAKER,
	  LOCK_NONE,
	  THREAD | WOKEN_BY_KERNEL,
	  { "do_notify_parent", "do_exit.constprop.0", "__x64_sys_exit" },
	  { NULL } },
	{ ROLE_KERNEL_THREAD, /* one that ends */
	  LOCK_NONE,
	  THREAD | WOKEN_BY_KERNEL,
	  { "complete", "do_exit", "kthread_exit", "kthread" },
	  { NULL } },
	{ ROLE_WAKER, /* a packet for this machine */
	  LOCK_NONE,
	  THREAD | WOKEN_BY_SOFTIRQ,
	  { "sock_def_readable", "tcp_v4_rcv", "net_rx_action", "do_softirq", "__local_bh_enable_ip",
	    "tcp_sendmsg" },
	  { "send" } },
	{ ROLE_INTERRUPT, /* it only came while the thread sent something */
	  LOCK_NONE,
	  THREAD | WOKEN_BY_SOFTIRQ,
	  { "net_rx_action", "__irq_exit_rcu", "asm_common_interrupt", "do_softirq", "__local_bh_enable_ip",
	    "tcp_sendmsg" },
	  { "send" } },
	{ ROLE_INTERRUPT, LOCK_NONE, THREAD | WOKEN_BY_SOFTIRQ, { NULL }, { NULL } },
};

static void a_role_needs_proof(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wakings); i++) {
		const struct wait_detail d = { .flags = wakings[i].flags, .pid = 10, .tid = 11 };
		enum waker_role role =
			waker_role__of(&d, wakings[i].kind, facts_of(wakings[i].kernel, wakings[i].user));

		if (role != wakings[i].role)
			fail_msg("waking %zu: role %d, expected %d", i, (int)role, (int)wakings[i].role);
	}
}

/* ---- recordings of this program ---- */

/*
 * Functions of the C library that wait and wake, as its symbol table calls them. Nothing of them runs; each
 * has its own code, so that the linker keeps it.
 */
#define FUNCTION(name, number)                                              \
	static __attribute__((used, noinline, aligned(32))) void name(void) \
	{                                                                   \
		__asm__ volatile("" : : "r"(number) : "memory");            \
		for (volatile int i = 0; i < (number); i++)                 \
			;                                                   \
	}
FUNCTION(lll_lock_wait, 1)
FUNCTION(pthread_rwlock_rdlock_full64, 2)
FUNCTION(pthread_cond_wait_common, 3)
FUNCTION(pthread_clockjoin_ex, 4)
FUNCTION(__pthread_rwlock_unlock, 5)
FUNCTION(worker, 6)
FUNCTION(reader, 7)

static struct {
	u64 size;
	u32 futexes[3];
} lock_pool = { .size = 1 };

enum { OFF_CPU, ENDED, READY, NR_WAIT_EVENTS };
enum { HEAP = 0x700000, SHARED_SIZE = 0x1000, PRIVATE_WAIT = 128 };

typedef void (*function)(void);

struct wait_put {
	u32 event, pid, tid;
	u64 time, addr;
	function inner, outer;
	struct wait_detail detail;
};

static void put_wait(struct recording *r, const struct wait_put *p)
{
	const struct wait_span span = { p->time - 10, p->time - 5, p->time };
	struct strbuf raw = STRBUF_INIT;
	struct image *im = &r->im;

	image__begin(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	image__u64(im, 100 + p->event);
	image__u64(im, (u64)(uintptr_t)p->inner);
	image__u32(im, p->pid);
	image__u32(im, p->tid);
	image__u64(im, p->time);
	image__u64(im, p->addr);
	image__u64(im, 10);
	image__u64(im, 3);
	image__u64(im, PERF_CONTEXT_USER);
	image__u64(im, (u64)(uintptr_t)p->inner);
	image__u64(im, (u64)(uintptr_t)p->outer + 8);
	wait_detail__encode(&p->detail, &span, p->event == OFF_CPU, p->time, &raw);
	strbuf__add(&im->b, raw.buf, raw.len);
	strbuf__exit(&raw);
	image__end(im);
}

/* This program is mapped in each of the processes, where it is in memory. */
static void map_program(struct recording *r)
{
	u64 here = (u64)(uintptr_t)map_program;
	struct strbuf text = STRBUF_INIT;
	struct proc_map map;
	char *p;

	assert_int_equal(proc__maps(getpid(), &text), 0);
	p = text.buf;
	while (proc_map__parse(&p, text.buf + text.len, &map))
		for (u32 i = 0; i < 3 && here >= map.start && here < map.end; i++)
			recording__map(r, PERF_RECORD_MISC_USER, PID + i, map.start, map.end - map.start,
				       map.pgoff, map.name);
	strbuf__exit(&text);
}

static void begin(struct recording *r)
{
	recording__begin(r, PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
			 NR_WAIT_EVENTS);
	map_program(r);
}

static void fork_process(struct recording *r, u32 parent, u32 pid)
{
	image__begin(&r->im, PERF_RECORD_FORK, 0);
	image__u32(&r->im, pid);
	image__u32(&r->im, parent);
	image__u32(&r->im, pid);
	image__u32(&r->im, parent);
	image__u64(&r->im, 1); /* ns */
	recording__trailer(r, pid);
}

struct read_locks {
	struct session *s;
	struct locks l;
	int ret;
};

static void read_locks(struct read_locks *f, struct recording *r)
{
	static const char *const names[] = { "offcpu-time", "ended-waits", "ready-time" };
	struct session_opts opts = { .symbols = { .no_made_up_names = true, .kallsyms = kallsyms } };
	char path[64];
	int fd;

	*f = (struct read_locks){ NULL };
	recording__end(r);
	image__path(r->im.b.buf, r->im.b.len, &fd, path);
	assert_int_equal(session__open(&f->s, path, &opts, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct evsel *e = f->s->reader->evlist.evsels.v[i];

		free(e->name);
		e->name = xstrdup(names[i]);
	}
	f->ret = locks__read(&f->l, f->s, NULL);
	close(fd);
	image__exit(&r->im);
}

static void forget_locks(struct read_locks *f)
{
	locks__exit(&f->l);
	session__delete(f->s);
}

/* The wait of a thread at a time. */
static const struct lock_wait *wait_at(const struct read_locks *f, u32 event, u32 tid, u64 time)
{
	for (size_t i = 0; i < f->l.v.nr; i++) {
		const struct lock_wait *w = &f->l.v.v[i];
		const struct sample s = { .evsel = f->s->reader->evlist.evsels.v[event],
					  .time = w->time,
					  .tid = w->tid,
					  .addr = w->addr,
					  .period = w->period };

		if (w->tid != tid || w->time != time || w->event != event)
			continue;
		assert_ptr_equal(locks__find(&f->l, &s), w);
		return w;
	}
	fail_msg("no wait of %u at %llu", tid, (unsigned long long)time);
	return NULL;
}

static void check_wait(const struct read_locks *f, u32 tid, u64 time, const char *lock, const char *holder)
{
	const struct lock_wait *w = wait_at(f, OFF_CPU, tid, time);
	const char *text = locks__text(&f->l, w->lock), *mark = strchr(lock, '?');

	/* '?' stands for the number of a line of this file */
	if (mark ? strncmp(text, lock, (size_t)(mark - lock)) || !strstr(text, mark + 1)
		 : strcmp(text, lock) != 0)
		fail_msg("lock of %u at %llu: '%s', expected '%s'", tid, (unsigned long long)time, text,
			 lock);
	assert_string_equal(locks__text(&f->l, w->holder), holder);
}

#define AT(x) ((u64)(uintptr_t)(x))
#define BY(how, thread)                                                   \
	{                                                                 \
		PRIVATE_WAIT, .flags = (how), .pid = PID, .tid = (thread) \
	}

static void locks_have_names(void **state)
{
	static const char *const exact_lock = "mutex lock_pool.futexes[1]";
	const struct wait_put waits[] = {
		{ OFF_CPU, PID, 50, 100, AT(&lock_pool.futexes[1]), lll_lock_wait, worker, BY(FUTEX, PID) },
		/* two locks of one place, at addresses without a name */
		{ OFF_CPU, PID, 50, 200, HEAP, lll_lock_wait, worker, BY(FUTEX, PID) },
		{ OFF_CPU, PID, 50, 300, HEAP + 40, lll_lock_wait, worker, BY(FUTEX, PID) },
		{ OFF_CPU, PID, 50, 350, HEAP, lll_lock_wait, reader, BY(FUTEX, PID) },
		/* the same address in another process */
		{ OFF_CPU, PID + 1, 60, 400, HEAP, lll_lock_wait, reader, BY(FUTEX, PID + 1) },
		/* two words of one rwlock, and one of the next rwlock */
		{ OFF_CPU, PID, 50, 500, HEAP + 0x108, pthread_rwlock_rdlock_full64, worker, BY(0, 0) },
		{ OFF_CPU, PID, 50, 600, HEAP + 0x10c, pthread_rwlock_rdlock_full64, reader, BY(0, 0) },
		{ OFF_CPU, PID, 50, 700, HEAP + 0x140, pthread_rwlock_rdlock_full64, worker, BY(0, 0) },
		{ OFF_CPU, PID, 50, 800, HEAP + 0x200, pthread_cond_wait_common, worker, BY(FUTEX, PID) },
		{ OFF_CPU, PID, 50, 900, HEAP + 0x300, pthread_clockjoin_ex, worker, BY(FUTEX, 51) },
		{ OFF_CPU, PID, 50, 950, HEAP + 0x300, pthread_clockjoin_ex, worker, BY(0, 0) },
		{ OFF_CPU, PID, 50, 1000, 0, worker, reader, BY(THREAD, PID) },
		{ ENDED, PID, PID, 1100, HEAP, worker, reader, BY(FUTEX, 50) },
	};
	struct read_locks f;
	struct recording r;

	(void)state;
	begin(&r);
	recording__comm(&r, PID, 51, "helper");
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
		put_wait(&r, &waits[i]);
	read_locks(&f, &r);
	assert_int_equal(f.ret, 0);
	assert_int_equal(f.l.v.nr, ARRAY_SIZE(waits));
	check_wait(&f, 50, 100, exact_lock, "first 40");
	check_wait(&f, 50, 200, "mutex of worker (test_locks.c:?)", "first 40");
	check_wait(&f, 50, 300, "mutex of worker (test_locks.c:?) #2", "first 40");
	check_wait(&f, 50, 350, "mutex of worker (test_locks.c:?)", "first 40");
	check_wait(&f, 60, 400, "mutex of reader (test_locks.c:?)", "second 41");
	check_wait(&f, 50, 500, "rwlock of worker (test_locks.c:?)", "unknown");
	check_wait(&f, 50, 600, "rwlock of worker (test_locks.c:?)", "unknown");
	check_wait(&f, 50, 700, "rwlock of worker (test_locks.c:?) #2", "unknown");
	check_wait(&f, 50, 800, "condition variable of worker (test_locks.c:?)", "signalled by first 40");
	check_wait(&f, 50, 900, "thread helper", "ended: helper 51");
	check_wait(&f, 50, 950, "thread", "unknown");
	check_wait(&f, 50, 1000, "", "woken by first 40");
	assert_string_equal(locks__text(&f.l, wait_at(&f, OFF_CPU, 50, 200)->lock),
			    locks__text(&f.l, wait_at(&f, ENDED, PID, 1100)->lock));
	assert_int_equal(wait_at(&f, OFF_CPU, 50, 200)->lock_nr, wait_at(&f, ENDED, PID, 1100)->lock_nr);
	assert_int_not_equal(wait_at(&f, OFF_CPU, 50, 200)->lock_nr, wait_at(&f, OFF_CPU, 60, 400)->lock_nr);
	assert_int_equal(wait_at(&f, OFF_CPU, 50, 500)->lock_nr, wait_at(&f, OFF_CPU, 50, 600)->lock_nr);
	forget_locks(&f);
}

/*
 * A task that exits has no registers of user space when it wakes its parent, as a thread of the kernel has
 * none. Its process had code of user space, or the process that it was forked from.
 */
static void tasks_that_exit_are_no_threads_of_the_kernel(void **state)
{
	enum { KERNEL = THREAD | WOKEN_BY_KERNEL, KID = 4711, ITS_KID, KWORKER };
	struct wait_put wait = { OFF_CPU, PID, PID, 100, 0, worker, reader, BY(KERNEL, PID) };
	const struct wait_detail exited[] = {
		{ NO_FUTEX, .flags = KERNEL, .pid = PID + 1, .tid = PID + 1 },
		{ NO_FUTEX, .flags = KERNEL, .pid = KID, .tid = KID },
		{ NO_FUTEX, .flags = KERNEL, .pid = ITS_KID, .tid = ITS_KID },
		{ NO_FUTEX, .flags = KERNEL, .pid = KWORKER, .tid = KWORKER },
		{ NO_FUTEX, .flags = KERNEL, .pid = UINT32_MAX, .tid = UINT32_MAX },
	};
	struct read_locks f;
	struct recording r;

	(void)state;
	begin(&r);
	fork_process(&r, PID, KID);
	fork_process(&r, KID, ITS_KID);
	fork_process(&r, 2, KWORKER);
	recording__comm(&r, KID, KID, "kid");
	recording__comm(&r, ITS_KID, ITS_KID, "kid2");
	recording__comm(&r, KWORKER, KWORKER, "kworker");
	for (size_t i = 0; i < ARRAY_SIZE(exited); i++) {
		wait.detail = exited[i];
		wait.time = 100 * (i + 1);
		put_wait(&r, &wait);
	}
	read_locks(&f, &r);
	check_wait(&f, PID, 100, "", "woken by second 41");
	check_wait(&f, PID, 200, "", "woken by kid 4711");
	check_wait(&f, PID, 300, "", "woken by kid2 4712");
	check_wait(&f, PID, 400, "", "kernel thread kworker");
	check_wait(&f, PID, 500, "", "kernel thread :4294967295");
	forget_locks(&f);
}

/* The place of a waking leads to the chain of who woke. */
static void a_rwlock_is_held_by_who_unlocks_it(void **state)
{
	struct wait_put wait = { OFF_CPU, PID,           50, 100, HEAP, pthread_rwlock_rdlock_full64,
				 worker,  BY(FUTEX, PID) };
	struct wait_put ended = { ENDED, PID, PID, 0, HEAP, NULL, worker, BY(FUTEX, 50) };
	struct read_locks f;
	struct recording r;

	(void)state;
	begin(&r);
	for (u64 place = 0; place < 3; place++) {
		wait.detail.place = ended.detail.place = place;
		wait.time = 100 + 100 * place;
		ended.time = wait.time - 5;
		ended.inner = place == 1 ? __pthread_rwlock_unlock : pthread_rwlock_rdlock_full64;
		put_wait(&r, &ended);
		put_wait(&r, &wait);
	}
	read_locks(&f, &r);
	check_wait(&f, 50, 100, "rwlock of worker (test_locks.c:?)", "unknown");
	check_wait(&f, 50, 200, "rwlock of worker (test_locks.c:?)", "first 40");
	check_wait(&f, 50, 300, "rwlock of worker (test_locks.c:?)", "unknown");
	forget_locks(&f);
}

/* Processes that share memory have it at different addresses; private futexes are the process's own. */
static void processes_share_locks(void **state)
{
	struct wait_put wait = { OFF_CPU, PID, PID, 100, 0, lll_lock_wait, worker, BY(FUTEX, PID) };
	u32 nr[2][3];

	(void)state;
	for (u32 is_private = 0; is_private < 2; is_private++) {
		struct read_locks f;
		struct recording r;

		begin(&r);
		wait.detail.futex_op = is_private ? PRIVATE_WAIT : 0;
		for (u32 i = 0; i < 3; i++) {
			recording__map(&r, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA, PID + i,
				       0x40000000 + i * 0x10000, SHARED_SIZE, i == 2 ? SHARED_SIZE : 0,
				       "/dev/shm/locks");
			wait.pid = wait.tid = PID + i;
			wait.addr = 0x40000000 + i * 0x10000 + 0x20;
			put_wait(&r, &wait);
		}
		read_locks(&f, &r);
		for (u32 i = 0; i < 3; i++)
			nr[is_private][i] = wait_at(&f, OFF_CPU, PID + i, 100)->lock_nr;
		forget_locks(&f);
	}
	assert_int_equal(nr[0][0], nr[0][1]);
	assert_int_not_equal(nr[0][0], nr[0][2]); /* another page of the file */
	assert_int_not_equal(nr[1][0], nr[1][1]);
}

/* Details that are damaged are none; whatever they say, there is an answer. */
static void details_may_lie(void **state)
{
	struct wait_put wait = { OFF_CPU, PID, 50, 100, HEAP, lll_lock_wait, worker, BY(FUTEX, PID) };
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct read_locks f;
		struct recording r;
		size_t end;

		begin(&r);
		put_wait(&r, &wait);
		end = r.im.b.len;
		wait.detail.place = (u64)round % 3;
		wait.event = (u32)round % NR_WAIT_EVENTS;
		for (int i = 0; i < round % 8; i++)
			r.im.b.buf[end - 1 - (size_t)rand_r(&seed) % 100] = (char)rand_r(&seed);
		read_locks(&f, &r);
		assert_true(f.ret == 0 || f.ret == -ENOENT);
		for (size_t i = 0; i < f.l.v.nr; i++) {
			assert_non_null(locks__text(&f.l, f.l.v.v[i].lock));
			assert_non_null(locks__text(&f.l, f.l.v.v[i].holder));
		}
		forget_locks(&f);
	}
}

static void names_go_without_kinds(void **state)
{
	struct sample_filter filter = { .locks = { .given = true } };

	(void)state;
	assert_string_equal(lock_text__name("mutex pool.lock"), "pool.lock");
	assert_string_equal(lock_text__name("condition variable of take (q.c:3)"), "take (q.c:3)");
	assert_string_equal(lock_text__name("kernel mutex in pipe_write"), "pipe_write");
	assert_string_equal(lock_text__name("thread"), "thread");
	assert_string_equal(lock_text__name(""), "");
	assert_true(holder_text__is_holder("worker 4711"));
	assert_false(holder_text__is_holder("signalled by worker 4711"));
	assert_false(holder_text__is_holder("interrupt (timer)"));
	assert_false(holder_text__is_holder("unknown"));
	assert_false(holder_text__is_holder(""));
	assert_int_equal(name_list__parse(&filter.locks, "pool.lock,thread helper", NULL), 0);
	assert_true(sample_filter__wants_lock(&filter, "mutex pool.lock"));
	assert_true(sample_filter__wants_lock(&filter, "thread helper"));
	assert_false(sample_filter__wants_lock(&filter, "mutex pool"));
	assert_false(sample_filter__wants_lock(&filter, ""));
	sample_filter__exit(&filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_role_needs_proof),
		cmocka_unit_test(locks_have_names),
		cmocka_unit_test(tasks_that_exit_are_no_threads_of_the_kernel),
		cmocka_unit_test(a_rwlock_is_held_by_who_unlocks_it),
		cmocka_unit_test(processes_share_locks),
		cmocka_unit_test(details_may_lie),
		cmocka_unit_test(names_go_without_kinds),
	};

	return cmocka_run_group_tests(tests, find_symbols, forget_symbols);
}
