/* Kinds of waits, from chains of kernels, C libraries and runtimes; frames that belong to the wait. */
#include "unit.h"

#include "profile/waits/wait_kinds.h"

#include <string.h>

/* A chain: functions of the kernel, then of user space. The leaf comes first; ends with the first NULL. */
struct chain {
	enum wait_kind kind;
	const char *begins; /* the function in which the wait begins: the first one that is not part of it */
	const char *kernel[14], *user[8];
};

static void check(const struct chain *c)
{
	struct wait_frame frames[32];
	const char *names[32];
	struct wait wait;
	u32 nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(c->kernel) && c->kernel[i]; i++) {
		names[nr] = c->kernel[i];
		frames[nr++] = wait_frame__of(c->kernel[i], true);
	}
	for (size_t i = 0; i < ARRAY_SIZE(c->user) && c->user[i]; i++) {
		names[nr] = c->user[i];
		frames[nr++] = wait_frame__of(c->user[i], false);
	}
	wait = wait__of(frames, nr);
	if (wait.kind != c->kind || strcmp(names[wait.nr_inner], c->begins))
		fail_msg("%s ... %s: kind '%s' in %s, expected '%s' in %s", names[0], names[nr - 1],
			 wait_kind__name(wait.kind), names[wait.nr_inner], wait_kind__name(c->kind),
			 c->begins);
}

static void check_all(const struct chain *chains, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		check(&chains[i]);
}

#define SYSCALL "do_syscall_64", "entry_SYSCALL_64_after_hwframe"
#define FUTEX \
	"schedule", "futex_do_wait", "__futex_wait", "futex_wait", "do_futex", "__x64_sys_futex", SYSCALL

static void system_calls_have_their_kinds(void **state)
{
	static const struct chain chains[] = {
		{ WAIT_SLEEP,
		  "__nanosleep",
		  { "schedule", "do_nanosleep", "hrtimer_nanosleep", "common_nsleep",
		    "__x64_sys_clock_nanosleep", SYSCALL },
		  { "clock_nanosleep@GLIBC_2.2.5", "__nanosleep", "pause_ms", "main" } },
		{ WAIT_PIPE,
		  "read",
		  { "__schedule", "schedule", "anon_pipe_read", "vfs_read", "ksys_read", SYSCALL },
		  { "__GI___libc_read", "read", "main" } },
		{ WAIT_SOCKET,
		  "__libc_recv",
		  { "schedule", "schedule_timeout", "wait_woken", "sk_wait_data", "tcp_recvmsg_locked",
		    "tcp_recvmsg", "inet_recvmsg", "__sys_recvfrom", "__x64_sys_recvfrom", SYSCALL },
		  { "__libc_recv", "main" } },
		{ WAIT_ACCEPT,
		  "accept4",
		  { "schedule", "schedule_timeout", "inet_csk_accept", "inet_accept", "do_accept",
		    "__sys_accept4", SYSCALL },
		  { "accept4", "main" } },
		{ WAIT_POLL,
		  "epoll_wait",
		  { "schedule", "schedule_hrtimeout_range_clock", "ep_poll", "do_epoll_wait", SYSCALL },
		  { "epoll_wait", "uv__io_poll", "main" } },
		{ WAIT_POLL,
		  "__select",
		  { "schedule", "schedule_hrtimeout_range_clock", "poll_schedule_timeout.constprop.0",
		    "do_select", "core_sys_select", "do_pselect.constprop.0", "__x64_sys_pselect6", SYSCALL },
		  { "__select", "main" } },
		{ WAIT_SIGNAL,
		  "__sigtimedwait",
		  { "schedule", "schedule_hrtimeout_range_clock", "do_sigtimedwait.isra.0",
		    "__x64_sys_rt_sigtimedwait", SYSCALL },
		  { "__sigtimedwait", "main" } },
		{ WAIT_CHILD,
		  "__GI___wait4",
		  { "schedule", "do_wait", "kernel_wait4", SYSCALL },
		  { "__GI___wait4", "waitproc", "main" } },
		{ WAIT_FILE_LOCK,
		  "__GI___flock",
		  { "schedule", "locks_lock_inode_wait", "__do_sys_flock", SYSCALL },
		  { "__GI___flock", "main" } },
		{ WAIT_IO,
		  "fsync",
		  { "schedule", "schedule_timeout", "io_schedule_timeout", "wait_for_completion_io_timeout",
		    "submit_bio_wait", "blkdev_issue_flush", "ext4_sync_file", "do_fsync", "__x64_sys_fsync",
		    SYSCALL },
		  { "fsync", "main" } },
		{ WAIT_FAULT, /* although it reads a disk */
		  "compute",
		  { "schedule", "io_schedule", "folio_wait_bit_common", "filemap_fault", "__do_fault",
		    "do_fault", "__handle_mm_fault", "handle_mm_fault", "exc_page_fault",
		    "asm_exc_page_fault" },
		  { "compute", "main" } },
		{ WAIT_RUNNABLE,
		  "compute",
		  { "schedule", "exit_to_user_mode_loop", "irqentry_exit_to_user_mode",
		    "asm_sysvec_apic_timer_interrupt" },
		  { "compute", "main" } },
		{ WAIT_RUNNABLE, /* in a system call that could wait for something else */
		  "write",
		  { "schedule", "__cond_resched", "generic_perform_write", "ext4_buffered_write_iter",
		    "vfs_write", SYSCALL },
		  { "write", "main" } },
		{ WAIT_OTHER, /* not in the tables: the kernel's functions stay */
		  "fuse_dev_do_read",
		  { "schedule", "fuse_dev_do_read", "fuse_dev_read", "vfs_read", SYSCALL },
		  { "read", "main" } },
		{ WAIT_FOR_EVER,
		  "do_exit",
		  { "do_task_dead", "do_exit", "do_group_exit", SYSCALL },
		  { NULL } },
	};

	(void)state;
	check_all(chains, ARRAY_SIZE(chains));
}

static void users_of_a_futex_are_told_apart(void **state)
{
	static const struct chain chains[] = {
		{ WAIT_LOCK,
		  "pthread_mutex_lock@@GLIBC_2.2.5",
		  { FUTEX },
		  { "futex_wait", "__GI___lll_lock_wait", "pthread_mutex_lock@@GLIBC_2.2.5", "add",
		    "main" } },
		{ WAIT_CONDITION,
		  "pthread_cond_wait@@GLIBC_2.3.2",
		  { FUTEX },
		  { "__futex_abstimed_wait_common", "__pthread_cond_wait_common",
		    "pthread_cond_wait@@GLIBC_2.3.2", "take", "main" } },
		{ WAIT_SEMAPHORE,
		  "__new_sem_wait_slow64.constprop.0",
		  { FUTEX },
		  { "__futex_abstimed_wait_common", "__new_sem_wait_slow64.constprop.0", "take", "main" } },
		{ WAIT_JOIN, "__pthread_clockjoin_ex", { FUTEX }, { "__pthread_clockjoin_ex", "main" } },
		{ WAIT_LOCK, /* Python's global lock, although it is made of a condition */
		  "take_gil",
		  { FUTEX },
		  { "__pthread_cond_wait_common", "pthread_cond_timedwait@@GLIBC_2.3.2", "take_gil",
		    "PyEval_RestoreThread" } },
		{ WAIT_LOCK,
		  "std::sys::sync::mutex::futex::Mutex::lock_contended",
		  { FUTEX },
		  { "syscall", "std::sys::pal::unix::futex::futex_wait",
		    "std::sys::sync::mutex::futex::Mutex::lock_contended", "main" } },
		{ WAIT_CONDITION,
		  "runtime.stopm",
		  { FUTEX },
		  { "runtime.futex.abi0", "runtime.futexsleep", "runtime.notesleep", "runtime.stopm",
		    "runtime.findRunnable", "runtime.schedule" } },
		{ WAIT_LOCK, /* the condition came, its mutex is not free yet */
		  "__pthread_mutex_cond_lock",
		  { FUTEX },
		  { "futex_wait", "__GI___lll_lock_wait", "__pthread_mutex_cond_lock",
		    "__pthread_cond_wait_common", "pthread_cond_wait@@GLIBC_2.3.2", "take" } },
		{ WAIT_LOCK,
		  "std::sys::sync::mutex::futex::Mutex::lock_contended",
		  { FUTEX },
		  { "syscall", "std::sys::pal::unix::futex::futex_wait",
		    "std::sys::sync::mutex::futex::Mutex::lock_contended",
		    "std::sys::sync::condvar::futex::Condvar::wait_optional_timeout", "take" } },
		{ WAIT_FUTEX, "my_wait", { FUTEX }, { "my_wait", "main" } },
		{ WAIT_FUTEX, "syscall", { FUTEX }, { "syscall", "my_wait", "main" } },
	};

	(void)state;
	check_all(chains, ARRAY_SIZE(chains));
}

/* Stock perf records no kernel frames; their names may be hidden; threads of the kernel have no others. */
static void chains_may_have_one_half(void **state)
{
	static const struct chain chains[] = {
		{ WAIT_SLEEP, "nanosleep", { NULL }, { "clock_nanosleep", "nanosleep", "main" } },
		{ WAIT_OTHER, "read", { NULL }, { "read", "main" } },
		{ WAIT_JOIN,
		  "pthread_join",
		  { NULL },
		  { "__futex_abstimed_wait_common", "__pthread_clockjoin_ex", "pthread_join", "main" } },
		{ WAIT_LOCK, /* of many waits the kernel's half is not recorded */
		  "std::sys::sync::mutex::futex::Mutex::lock_contended",
		  { NULL },
		  { "syscall", "std::sys::pal::unix::futex::futex_wait",
		    "std::sys::sync::mutex::futex::Mutex::lock_contended", "main" } },
		{ WAIT_OTHER, "compute", { NULL }, { "compute", "main" } },
		{ WAIT_SLEEP, "nanosleep", { "", "", "" }, { "nanosleep", "main" } },
		{ WAIT_NOTHING,
		  "worker_thread",
		  { "__schedule", "schedule", "worker_thread", "kthread", "ret_from_fork" },
		  { NULL } },
		{ WAIT_IO,
		  "jbd2_journal_commit_transaction",
		  { "schedule", "io_schedule", "bit_wait_io", "__wait_on_bit", "out_of_line_wait_on_bit",
		    "jbd2_journal_commit_transaction", "kjournald2", "kthread", "ret_from_fork" },
		  { NULL } },
		{ WAIT_OTHER, "schedule", { "schedule" }, { NULL } },
	};

	(void)state;
	check_all(chains, ARRAY_SIZE(chains));
}

static void each_kind_has_a_name(void **state)
{
	(void)state;
	for (int i = 0; i < WAIT_NR_KINDS; i++) {
		assert_non_null(wait_kind__name((enum wait_kind)i));
		for (int k = 0; k < i; k++)
			assert_string_not_equal(wait_kind__name((enum wait_kind)i),
						wait_kind__name((enum wait_kind)k));
	}
	assert_true(wait_kind__may_be_idle(WAIT_POLL));
	assert_false(wait_kind__may_be_idle(WAIT_LOCK));
}

#define RUST_FUTEX "syscall", "std::sys::pal::unix::futex::futex_wait"

static const struct {
	enum lock_kind lock;
	bool is_own;
	const char *named; /* NULL: no frame */
	const char *kernel[10], *user[10];
} lock_chains[] = {
	{ LOCK_MUTEX,
	  false,
	  "worker",
	  { FUTEX },
	  { "futex_wait", "__GI___lll_lock_wait", "pthread_mutex_lock@@GLIBC_2.2.5", "__gthread_mutex_lock",
	    "std::mutex::lock", "std::lock_guard<std::mutex>::lock_guard", "worker", "main" } },
	{ LOCK_MUTEX,
	  false,
	  "take",
	  { FUTEX },
	  { "__GI___lll_lock_wait", "__pthread_mutex_cond_lock", "pthread_cond_wait", "take" } },
	{ LOCK_MUTEX, /* with priority inheritance */
	  false,
	  "worker",
	  { "schedule", "rt_mutex_schedule", "rt_mutex_slowlock_block", "futex_lock_pi", "do_futex",
	    SYSCALL },
	  { "__futex_lock_pi64", "__pthread_mutex_lock_full", "worker" } },
	{ LOCK_RWLOCK,
	  false,
	  "reader",
	  { FUTEX },
	  { "__pthread_rwlock_rdlock_full64.constprop.0", "pthread_rwlock_rdlock@GLIBC_2.2.5",
	    "std::shared_mutex::lock_shared", "reader" } },
	{ LOCK_RWLOCK,
	  false,
	  "app::write",
	  { FUTEX },
	  { RUST_FUTEX, "std::sys::sync::rwlock::futex::RwLock::write_contended",
	    "std::sync::rwlock::RwLock<T>::write", "app::write" } },
	{ LOCK_MUTEX,
	  true,
	  "app::work",
	  { FUTEX },
	  { "syscall", "parking_lot_core::thread_parker::imp::ThreadParker::park",
	    "parking_lot_core::parking_lot::park", "parking_lot::raw_mutex::RawMutex::lock_slow",
	    "<parking_lot::raw_mutex::RawMutex as lock_api::mutex::RawMutex>::lock", "app::work" } },
	{ LOCK_CONDITION,
	  false,
	  "app::take",
	  { FUTEX },
	  { RUST_FUTEX, "std::sys::sync::condvar::futex::Condvar::wait_optional_timeout", "app::take" } },
	{ LOCK_MUTEX,
	  true,
	  "main.work",
	  { FUTEX },
	  { "runtime.futex.abi0", "runtime.futexsleep", "runtime.semasleep", "runtime.lock2",
	    "runtime.chansend", "main.work" } },
	{ LOCK_NONE,
	  true,
	  "app::idle",
	  { FUTEX },
	  { RUST_FUTEX, "std::sys::sync::thread_parking::futex::Parker::park", "std::thread::park",
	    "app::idle" } },
	/* the names of v0 mangling, that the standard library of Rust 1.95 has */
	{ LOCK_MUTEX,
	  false,
	  "app::work",
	  { FUTEX },
	  { RUST_FUTEX, "<std::sys::sync::mutex::futex::Mutex>::lock_contended",
	    "<std::sync::poison::mutex::Mutex<u64>>::lock", "app::work" } },
	{ LOCK_RWLOCK,
	  false,
	  "<app::Table as app::Read>::read",
	  { FUTEX },
	  { RUST_FUTEX, "<std::sys::sync::rwlock::futex::RwLock>::read_contended",
	    "<app::Table as app::Read>::read" } },
	{ LOCK_RWLOCK,
	  false,
	  "app::write",
	  { FUTEX },
	  { RUST_FUTEX, "<std::sys::sync::rwlock::futex::RwLock>::write_contended", "app::write" } },
	{ LOCK_ONCE,
	  false,
	  "app::settings",
	  { FUTEX },
	  { "syscall", "<std::sys::sync::once::futex::Once>::call",
	    "<std::sync::once_lock::OnceLock<u64>>::initialize::<app::settings::{closure#0}, !>",
	    "app::settings" } },
	{ LOCK_CONDITION,
	  false,
	  "app::take",
	  { FUTEX },
	  { "syscall", "<std::sys::sync::condvar::futex::Condvar>::wait", "app::take" } },
	{ LOCK_CONDITION,
	  false,
	  "app::take",
	  { FUTEX },
	  { "syscall", "std::sys::sync::condvar::futex::Condvar::wait", "app::take" } },
	{ LOCK_CONDITION,
	  false,
	  "app::take",
	  { FUTEX },
	  { "syscall", "<std::sys::unix::locks::futex_condvar::Condvar>::wait", "app::take" } },
	{ LOCK_CONDITION,
	  false,
	  "app::take",
	  { FUTEX },
	  { RUST_FUTEX, "<std::sys::sync::condvar::futex::Condvar>::wait_optional_timeout", "app::take" } },
	{ LOCK_BARRIER,
	  false,
	  "app::meet",
	  { FUTEX },
	  { "syscall", "<std::sys::sync::condvar::futex::Condvar>::wait",
	    "<std::sync::barrier::Barrier>::wait", "app::meet" } },
	{ LOCK_NONE,
	  true,
	  "app::idle",
	  { FUTEX },
	  { "syscall", "<std::sys::sync::thread_parking::futex::Parker>::park", "app::idle" } },
	{ LOCK_NONE,
	  true,
	  "app::idle",
	  { FUTEX },
	  { "syscall", "<std::thread::thread::Thread>::park", "app::idle" } },
	{ LOCK_NONE, true, "app::idle", { FUTEX }, { "syscall", "std::thread::Thread::park", "app::idle" } },
	{ LOCK_NONE,
	  true,
	  "app::idle",
	  { FUTEX },
	  { "syscall", "std::thread::functions::park", "app::idle" } },
	{ LOCK_MUTEX,
	  false,
	  "app::work",
	  { FUTEX },
	  { "syscall", "<parking_lot::raw_mutex::RawMutex>::lock_slow", "app::work" } },
	{ LOCK_RWLOCK,
	  false,
	  "app::work",
	  { FUTEX },
	  { "syscall", "<parking_lot::raw_rwlock::RawRwLock>::lock_shared_slow", "app::work" } },
	{ LOCK_RWLOCK,
	  false,
	  "app::work",
	  { FUTEX },
	  { "syscall", "<parking_lot::raw_rwlock::RawRwLock>::lock_exclusive_slow", "app::work" } },
	{ LOCK_RWLOCK,
	  false,
	  "app::work",
	  { FUTEX },
	  { "syscall", "<parking_lot::raw_rwlock::RawRwLock>::lock_common::<fn(usize) -> bool>",
	    "app::work" } },
	{ LOCK_CONDITION,
	  false,
	  "app::take",
	  { FUTEX },
	  { "syscall", "<parking_lot::condvar::Condvar>::wait_until_internal", "app::take" } },
	/* the type that a trait is implemented for decides, not the trait */
	{ LOCK_RWLOCK,
	  false,
	  "app::work",
	  { FUTEX },
	  { "syscall", "<parking_lot::raw_rwlock::RawRwLock as app::Slow<fn() -> app::Mutex>>::lock_common",
	    "app::work" } },
	{ LOCK_RWLOCK, /* a type that belongs to another one's trait */
	  false,
	  "app::work",
	  { FUTEX },
	  { "syscall", "<<parking_lot::raw::X as app::Slow>::RawRwLock as app::Y<u8>>::lock_common",
	    "app::work" } },
	{ LOCK_FUTEX,
	  false,
	  "<app::Own as app::Mutex>::lock_contended",
	  { FUTEX },
	  { "syscall", "<app::Own as app::Mutex>::lock_contended" } },
	{ LOCK_FUTEX, false, "<pthread_mutex_lock>", { FUTEX }, { "syscall", "<pthread_mutex_lock>" } },
	{ LOCK_FUTEX, false, "<app::Mutex", { FUTEX }, { "syscall", "<app::Mutex" } },
	{ LOCK_SEMAPHORE, false, "take", { FUTEX }, { "__new_sem_wait_slow64.constprop.0", "take" } },
	{ LOCK_BARRIER, false, "meet", { FUTEX }, { "pthread_barrier_wait", "meet" } },
	{ LOCK_BARRIER,
	  false,
	  "app::meet",
	  { FUTEX },
	  { RUST_FUTEX, "std::sys::sync::condvar::futex::Condvar::wait_optional_timeout",
	    "std::sync::barrier::Barrier::wait", "app::meet" } },
	{ LOCK_THREAD, false, "main", { FUTEX }, { "__pthread_clockjoin_ex", "std::thread::join", "main" } },
	{ LOCK_ONCE, false, "settings", { FUTEX }, { "syscall", "__cxa_guard_acquire", "settings", "main" } },
	{ LOCK_CONDITION, /* by what others wait for */
	  false,
	  "init",
	  { FUTEX },
	  { "__pthread_cond_wait_common", "pthread_cond_wait", "init", "__pthread_once_slow" } },
	{ LOCK_FUTEX, /* the one that does the work that others wait for */
	  false,
	  "my_wait",
	  { FUTEX },
	  { "syscall", "my_wait", "init", "__pthread_once_slow" } },
	{ LOCK_FUTEX, false, "app", { FUTEX }, { "syscall", "std::__atomic_wait_address_v<int>", "app" } },
	{ LOCK_KERNEL_RWLOCK,
	  false,
	  "do_user_addr_fault",
	  { "schedule", "schedule_preempt_disabled", "rwsem_down_read_slowpath", "down_read",
	    "do_user_addr_fault", "exc_page_fault" },
	  { "compute" } },
	{ LOCK_KERNEL_MUTEX,
	  false,
	  "anon_pipe_write",
	  { "schedule", "schedule_preempt_disabled", "__mutex_lock.constprop.0", "anon_pipe_write",
	    "vfs_write", SYSCALL },
	  { "write" } },
	{ LOCK_NONE, false, NULL, { "schedule", "anon_pipe_read", SYSCALL }, { "read" } },
	{ LOCK_MUTEX, false, NULL, { FUTEX }, { "pthread_mutex_lock" } },
};

static void locks_have_kinds_and_places(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lock_chains); i++) {
		const char *names[32], *named;
		struct wait_frame frames[32];
		struct wait wait;
		u32 nr = 0;

		for (size_t k = 0; k < ARRAY_SIZE(lock_chains[i].kernel) && lock_chains[i].kernel[k];
		     k++, nr++)
			frames[nr] = wait_frame__of(names[nr] = lock_chains[i].kernel[k], true);
		for (size_t k = 0; k < ARRAY_SIZE(lock_chains[i].user) && lock_chains[i].user[k]; k++, nr++)
			frames[nr] = wait_frame__of(names[nr] = lock_chains[i].user[k], false);
		wait = wait__of(frames, nr);
		assert_true(wait.named <= nr);
		named = wait.named < nr ? names[wait.named] : NULL;
		if (wait.lock != lock_chains[i].lock || wait.is_own != lock_chains[i].is_own ||
		    (lock_chains[i].lock != LOCK_NONE &&
		     (named ? !lock_chains[i].named || strcmp(named, lock_chains[i].named)
			    : lock_chains[i].named != NULL)))
			fail_msg("chain %zu: '%s' in %s, expected '%s' in %s", i, lock_kind__name(wait.lock),
				 named, lock_kind__name(lock_chains[i].lock), lock_chains[i].named);
	}
}

/* 512 bytes with the NUL: the types of the locks have short names. */
static void long_rust_names_are_left_alone(void **state)
{
	static const char end[] = "::Mutex>::lock_contended";
	char name[513] = "<";
	size_t nr = sizeof(name) - sizeof(end) - 1;

	(void)state;
	memset(name + 1, 'a', nr);
	strcpy(name + 1 + nr, end);
	assert_int_equal(strlen(name), 512);
	assert_int_equal(wait_frame__of(name, false).kind, WAIT_NONE);
	memmove(name + 1, name + 2, strlen(name + 2) + 1);
	assert_int_equal(strlen(name), 511);
	assert_int_equal(wait_frame__of(name, false).kind, WAIT_LOCK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_calls_have_their_kinds),
		cmocka_unit_test(users_of_a_futex_are_told_apart),
		cmocka_unit_test(chains_may_have_one_half),
		cmocka_unit_test(locks_have_kinds_and_places),
		cmocka_unit_test(each_kind_has_a_name),
		cmocka_unit_test(long_rust_names_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
